#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sizes of C sources: sizes.py SOURCE_DIR.

A file aims at 500 lines and must not pass 600; a function aims at 60 and must not pass 70, counted
from the line of its name to its closing brace. What is one long table is no function.
"""
import os
import re
import sys

import text

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
# Declarations and assertions in the order of the documents that they follow; the device's layout.
EXEMPT = ("ndkpi-model/include/wdk/", "tests/unit/wdk/", "fabric/rnic/hw/include/",
          "ndkpi-model/layout/")

NAME = re.compile(r"(\w+)\s*\(")


def _function_of(signature):
    """The name of the function that begins so, None when it is something else that begins."""
    found = NAME.search(signature)
    if not found or "=" in signature or signature.startswith("typedef"):
        return None
    return found.group(1)


def functions(lines):
    """Yields (line of the name, number of lines, name). Bodies are indented, braces are not."""
    start, name = None, None
    for number, line in enumerate(lines, 1):
        if name is not None:
            if line.startswith("}"):
                yield start, number - start + 1, name
                start, name = None, None
            continue
        if line[:1].isalpha() or line[:1] == "_":
            start = number
        if start is not None and line.endswith("{"):
            name = _function_of(" ".join(lines[start - 1 : number]))
        if line.startswith(("}", "#")) or line.endswith(";"):
            start = None


def check_file(path, content):
    if not path.endswith((".c", ".h")) or path.startswith(EXEMPT):
        return
    lines = text.strip_comments(content).rstrip("\n").split("\n")
    if len(lines) > FILE_LINES_MAX:
        yield f"{path}:1: file of {len(lines)} lines, {FILE_LINES_MAX} at most"
    for number, count, name in functions(lines):
        if count > FUNCTION_LINES_MAX:
            yield (f"{path}:{number}: function {name} of {count} lines, "
                   f"{FUNCTION_LINES_MAX} at most")


def main():
    root = os.path.abspath(sys.argv[1])
    found, counts = [], []
    for path in text.tracked(root):
        if not path.endswith((".c", ".h")):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            content = file.read()
        found += check_file(path, content)
        lines = text.strip_comments(content).split("\n")
        counts += [count for _, count, _ in functions(lines)]
    for line in found:
        print(line)
    counts.sort()
    if counts:
        print(f"{len(counts)} functions: median {counts[len(counts) // 2]} lines, nine of ten "
              f"under {counts[len(counts) * 9 // 10] + 1}, longest {counts[-1]}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
