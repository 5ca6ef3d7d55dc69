#!/usr/bin/env python3
"""Enforces the house style on the sources themselves: what no compiler and no formatter looks at.

Looks at every file that is tracked or could be (untracked and not ignored). Prints one line per finding,
"FILE:LINE: [rule] sentence"; exit code 1 where there is one. --rules lists the rules. Exceptions, each with its
reason, are in exceptions.py.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import code_rules
import tree_rules
from exceptions import EXCEPTIONS
from source_file import SourceFile

SKIPPED = 77
# Versions of clang-format disagree about what a formatted file is; this one decides.
CLANG_FORMAT_MAJOR = 14


def listed_files(root):
    """As git sees the tree; of an unpacked archive, everything but build folders."""
    # The tree may belong to another user than the one who tests (root in CI).
    command = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z", "--cached", "--others",
               "--exclude-standard"]
    if shutil.which("git") and pathlib.Path(root, ".git").exists():
        listing = subprocess.run(command, check=True, capture_output=True).stdout.decode()
        names = [name for name in listing.split("\0") if name]
    else:
        names = [path.relative_to(root).as_posix() for path in pathlib.Path(root).rglob("*") if path.is_file()]
        names = [name for name in names if not re.match(r"build(-[^/]*)?/|\.git/", name) and "__pycache__" not in name]
    # Listed but deleted: a file that is about to go.
    return sorted({name for name in names if pathlib.Path(root, name).is_file()})


def without_exceptions(findings, exceptions, known_paths):
    """Leaves out what is excepted, and adds the exceptions that nothing needs any more."""
    used = set()
    for path, line, rule, sentence in findings:
        if path in exceptions.get(rule, {}):
            used.add((rule, path))
        else:
            yield path, line, rule, sentence
    for rule, paths in exceptions.items():
        for path in paths:
            if path in known_paths and (rule, path) not in used:
                yield path, 1, "exception", f"is an exception of [{rule}] and does not need to be"


def check_tree(root, exceptions):
    files = [SourceFile(root, name) for name in listed_files(root)]
    findings = []
    for file in files:
        for rule, function in {**code_rules.RULES, **tree_rules.FILE_RULES}.items():
            findings.extend((file.path, line, rule, sentence) for line, sentence in function(file))
    for rule, function in tree_rules.TREE_RULES.items():
        findings.extend((path, 1, rule, sentence) for path, sentence in function(files))
    return sorted(without_exceptions(findings, exceptions, {file.path for file in files})), len(files)


def check_format(root):
    program = next((name for name in (f"clang-format-{CLANG_FORMAT_MAJOR}", "clang-format") if shutil.which(name)), None)
    if program is None:
        print("skipped: clang-format is not installed (Debian: clang-format)")
        return SKIPPED
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    if f"version {CLANG_FORMAT_MAJOR}." not in version:
        print(f"skipped: the formatting is that of clang-format {CLANG_FORMAT_MAJOR}, and this is {version}")
        return SKIPPED
    sources = [name for name in listed_files(root) if name.endswith((".cpp", ".hpp"))]
    if not sources:
        return 0
    run = subprocess.run([program, "--dry-run", "--Werror", "--style=file", *sources], cwd=root, check=False,
                         capture_output=True, text=True)
    places = [line.split(":")[:2] for line in run.stderr.splitlines() if ": error: " in line]
    for path in sorted({path for path, _ in places}):
        lines = sorted({int(line) for other, line in places if other == path})
        print(f"{path}:{lines[0]}: [format] {len(lines)} lines are not formatted (run {program} -i)")
    print(f"{len(sources)} files compared with {program}")
    return 1 if run.returncode else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=str(pathlib.Path(__file__).resolve().parents[2]), help="top of the tree")
    parser.add_argument("--format", action="store_true", help="compare with clang-format, and nothing else")
    parser.add_argument("--rules", action="store_true", help="list the rules")
    arguments = parser.parse_args()
    if arguments.rules:
        for rule, function in {**code_rules.RULES, **tree_rules.FILE_RULES, **tree_rules.TREE_RULES}.items():
            print(f"{rule:20}{function.__doc__.splitlines()[0]}")
        return 0
    if arguments.format:
        return check_format(arguments.root)
    findings, looked_at = check_tree(arguments.root, EXCEPTIONS)
    for path, line, rule, sentence in findings:
        print(f"{path}:{line}: [{rule}] {sentence}")
    print(f"{looked_at} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
