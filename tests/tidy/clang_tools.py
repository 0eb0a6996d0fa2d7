#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-format and clang-tidy over the sources: clang_tools.py format SOURCE_DIR
                                                 clang_tools.py tidy SOURCE_DIR BUILD_DIR

Versions of these tools disagree with each other, so one version judges (VERSION). With any other,
or with none, the test is skipped in a loud line: exit code 77.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

import text

VERSION = 14
SKIP = 77
BATCH = 8
PARALLEL = 2


def find(tool):
    """The command of `tool` in the judging version, or None after a loud line."""
    seen = "it is not installed"
    for name in (f"{tool}-{VERSION}", tool):
        path = shutil.which(name)
        if path is None:
            continue
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
        found = re.search(r"version (\d+)", done.stdout)
        if found and int(found.group(1)) == VERSION:
            return path
        seen = f"found version {found.group(1) if found else 'unknown'}"
    print(f"SKIPPED: {tool} {VERSION} judges this, {seen}")
    return None


def run_batches(command, files):
    """Runs `command` with a few files at a time; (files that failed are in) its output."""
    batches = [files[at : at + BATCH] for at in range(0, len(files), BATCH)]

    def run(batch):
        done = subprocess.run([*command, *batch], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
        return [output for code, output in pool.map(run, batches) if code != 0]


def findings(outputs):
    """Lines "file:line:column: error: ...", each once."""
    found = set()
    for output in outputs:
        lines = output.split("\n")
        lines = [line for line in lines if re.search(r":\d+:\d+: (error|warning):", line)]
        found.update(lines or [output.strip()])
    return sorted(found)


def format_sources(root):
    tool = find("clang-format")
    if tool is None:
        return SKIP
    files = [os.path.join(root, path) for path in text.tracked(root) if path.endswith((".c", ".h"))]
    return report(findings(run_batches([tool, "--dry-run", "-Werror"], files)), root, len(files))


def tidy_sources(root, build):
    tool = find("clang-tidy")
    if tool is None:
        return SKIP
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        files = {os.path.realpath(os.path.join(one["directory"], one["file"]))
                 for one in json.load(file)}
    build = os.path.realpath(build) + os.sep
    files = sorted(one for one in files if one.endswith(".c") and not one.startswith(build))
    # gcc's flags stand in the compile commands; clang does not know all of them.
    command = [tool, "--quiet", "-p", build, "--extra-arg=-Wno-ignored-optimization-argument",
               "--extra-arg=-Wno-unknown-warning-option",
               "--extra-arg=-Wno-unused-command-line-argument"]
    return report(findings(run_batches(command, files)), root, len(files))


def report(found, root, count):
    for line in found:
        print(line.replace(root + os.sep, ""))
    print(f"{count} files, {len(found)} findings")
    return 1 if found else 0


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "format":
        return format_sources(os.path.realpath(sys.argv[2]))
    if len(sys.argv) == 4 and sys.argv[1] == "tidy":
        return tidy_sources(os.path.realpath(sys.argv[2]), sys.argv[3])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
