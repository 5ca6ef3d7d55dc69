"""One file of the tree, as the rules see it: its lines, and its code without comments and texts."""

import pathlib
import re

CODE_SUFFIXES = {".cpp", ".hpp"}
SCRIPT_SUFFIXES = {".py", ".cmake", ".sh"}

# Comments, raw strings, strings, characters. A digit separator (1'000) is no beginning of a character.
_NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL)
_INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", re.MULTILINE)


def _blank(match):
    """Keeps the line numbers, and what stands in quotes of an include line is put back by its caller."""
    text = match.group(0)
    kept = '""' if text.startswith(('"', "R")) else " "
    return kept + "\n" * text.count("\n")


class SourceFile:
    def __init__(self, root, path):
        self.path = path  # from the root, with forward slashes
        self.parts = pathlib.PurePosixPath(path).parts
        self.name = self.parts[-1]
        self.suffix = pathlib.PurePosixPath(path).suffix
        self.bytes = pathlib.Path(root, path).read_bytes()
        self.is_text = b"\0" not in self.bytes
        self.text = self.bytes.decode("utf-8", errors="replace") if self.is_text else ""
        self.lines = self.text.split("\n")
        self.is_code = self.suffix in CODE_SUFFIXES
        self.is_source = (self.is_code or self.suffix in SCRIPT_SUFFIXES or self.name == "CMakeLists.txt"
                          or (self.suffix == "" and self.text.startswith("#!")))
        self.code = _NO_CODE.sub(_blank, self.text) if self.is_code else ""

    def is_in(self, *folder):
        return self.parts[:len(folder)] == folder

    def includes(self):
        """(line number, '<' or '"', name)"""
        without_comments = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), self.text, flags=re.DOTALL)
        for match in _INCLUDE.finditer(without_comments):
            yield without_comments.count("\n", 0, match.start(1)) + 1, match.group(1), match.group(2)

    def code_lines(self):
        """(line number, line without comments and texts), include lines left out."""
        for number, line in enumerate(self.code.split("\n"), 1):
            if not re.match(r"\s*#\s*include\b", line):
                yield number, line
