"""Rules about files as such: names, places, lengths, blanks; and about what belongs together."""

import re

LINES_MAX = 400
TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "CHANGELOG.md", "LICENSE", "README.md", "docs", "drivers",
             "host_tools", "platform", "rt_core", "tests", "toolchains"}
# Bytes for a parser, not for a reader.
DATA_FOLDERS = [("tests", "fuzz", "corpus"), ("tests", "vectors")]
# Room of public headers: where they are.
PUBLIC_HEADERS = {
    "rt_core": ("rt_core", "include", "rt_core"),
    "platform": ("platform", "include", "platform"),
    "drivers": ("drivers", "include", "drivers"),
    "report": ("host_tools", "report", "include", "report"),
}

# Written so that this file does not break its own rule.
_UNFINISHED = re.compile(r"\b(" + "|".join(("TO" "DO", "FIX" "ME", "XX" "X")) + r")\b")
_SNAKE_CASE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*(\.[a-z0-9_]+)*")


def is_data(file):
    return any(file.is_in(*folder) for folder in DATA_FOLDERS)


def is_checked_text(file):
    return file.is_text and not is_data(file) and (file.is_source or file.suffix in {".md", ".json", ".toml", ".yaml"})


def blanks(file):
    """No tabs, no trailing blanks, no carriage returns, one newline at the end."""
    if not is_checked_text(file):
        return
    for number, line in enumerate(file.lines, 1):
        if "\t" in line:
            yield number, "a tab"
        if line != line.rstrip(" \r"):
            yield number, "blanks or a carriage return at the end of the line"
    if file.text and (not file.text.endswith("\n") or file.text.endswith("\n\n")):
        yield len(file.lines), "the file must end with one newline"


def file_length(file):
    """At most 400 lines."""
    count = file.text.count("\n")
    if file.is_source and not is_data(file) and count > LINES_MAX:
        yield 1, f"{count} lines; {LINES_MAX} are the most that one subject needs"


def unfinished(file):
    """No marks of unfinished work: an open end is an issue."""
    if is_checked_text(file):
        for number, line in enumerate(file.lines, 1):
            match = _UNFINISHED.search(line)
            if match:
                yield number, f"{match.group(0)}: finish it, or file an issue"


def file_name(file):
    """Folders, sources and scripts are named in snake_case."""
    # CMake's own names, and triplets and titles as the rest of the world writes them.
    if file.parts[0] in {"docs", "toolchains"} or is_data(file) or file.name in {"CMakeLists.txt", "README.md"}:
        return
    parts = file.parts if file.is_source else file.parts[:-1]
    for part in parts:
        if not part.startswith(".") and not _SNAKE_CASE.fullmatch(part) and len(file.parts) > 1:
            yield 1, f"{part} is not snake_case"


def top_level(files):
    """Nothing at the top but the rooms and their few companions."""
    seen = set()
    for file in files:
        top = file.parts[0]
        if top not in seen and top not in TOP_LEVEL and not top.startswith("."):
            seen.add(top)
            yield file.path, f"{top} does not belong to the top level"


def header_test(files):
    """Each public header of rt_core, platform, drivers, report has tests/unit/<room>/<stem>_test.cpp."""
    paths = {file.path for file in files}
    for file in files:
        for room, folder in PUBLIC_HEADERS.items():
            if file.is_in(*folder) and file.suffix == ".hpp":
                test = f"tests/unit/{room}/{file.name[:-len('.hpp')]}_test.cpp"
                if test not in paths:
                    yield file.path, f"has no {test}"


FILE_RULES = {"blanks": blanks, "file-length": file_length, "unfinished": unfinished, "file-name": file_name}
TREE_RULES = {"top-level": top_level, "header-test": header_test}
