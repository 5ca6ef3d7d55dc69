#!/usr/bin/env python3
"""Fails where an object file needs more from its surroundings than the loops may need.

An undefined symbol is allowed where it is one of the four memory functions, which a compiler may call in any code
(GCC manual, "Standards"), or a member of the port or clock that the object was instantiated over. --must-define names
what has to be in the object, so that an empty one does not pass; the two --expect options turn the test round.
"""

import argparse
import subprocess
import sys

ALLOWED = frozenset({"memcpy", "memmove", "memset", "memcmp"})
ALLOWED_SCOPES = tuple(f"rtecho::freestanding::{name}::" for name in ("ExternPort", "ExternFramePort", "ExternClock"))


def symbols(nm, *options):
    """Names as nm prints them: the last column, which demangled may hold blanks."""
    listing = subprocess.run([nm, "-C", *options], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        # "                 U name" or "0000000000000000 T name"
        fields = line[17:].split(maxsplit=1)
        if len(fields) == 2:
            yield fields[1]


def refused_symbols(nm, path):
    for name in symbols(nm, "--undefined-only", path):
        if name not in ALLOWED and not name.startswith(ALLOWED_SCOPES):
            yield name


def missing_symbols(nm, path, wanted):
    defined = list(symbols(nm, "--defined-only", path))
    for name in wanted:
        if not any(symbol.startswith(name) for symbol in defined):
            yield name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nm", default="nm", help="the toolchain's nm")
    parser.add_argument("--must-define", action="append", default=[], metavar="PREFIX", help="demangled")
    parser.add_argument("--expect-refused", action="append", default=[], metavar="SYMBOL",
                        help="pass only where exactly these are refused")
    parser.add_argument("--expect-missing", action="append", default=[], metavar="PREFIX",
                        help="pass only where exactly these are missing")
    parser.add_argument("object")
    arguments = parser.parse_args()

    refused = sorted(refused_symbols(arguments.nm, arguments.object))
    missing = sorted(missing_symbols(arguments.nm, arguments.object, arguments.must_define))
    for name in refused:
        print(f"{arguments.object}: needs {name}")
    for name in missing:
        print(f"{arguments.object}: does not define {name}")
    as_expected = refused == sorted(arguments.expect_refused) and missing == sorted(arguments.expect_missing)
    if not as_expected:
        print(f"expected: needs {arguments.expect_refused}, lacks {arguments.expect_missing}")
    return 0 if as_expected else 1


if __name__ == "__main__":
    sys.exit(main())
