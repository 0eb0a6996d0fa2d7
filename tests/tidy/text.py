#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A test over the text of the repository: text.py SOURCE_DIR.

Each check yields (file, line, what). The rules are those of CONTRIBUTING.md: licence lines, line
lengths, rooms of third-party headers, calls that only one host has, calls that break determinism.
"""
import os
import re
import subprocess
import sys

MODEL = ("sim/", "fabric/", "ndkpi-model/")
DRIVERS = ("ndkpi-model/provider/", "consumers/", "examples/mailbox-nic/provider/",
           "tests/drivers/", "scenarios/templates/")
LINE_MAX = 100

LINUX_ONLY = re.compile(
    r"\b(epoll_\w+|memfd_create|mremap|signalfd|timerfd_\w+|eventfd|pipe2|accept4|prctl|"
    r"gettid|dl_iterate_phdr|process_vm_\w+|MAP_FIXED_NOREPLACE|MAP_POPULATE|MAP_NORESERVE|"
    r"sched_setaffinity|pthread_setaffinity_np|getrandom|sendmmsg|recvmmsg|"
    r"program_invocation_\w+|/proc/|REG_RIP|REG_ERR|gregs|"
    r"posix_fallocate|fallocate|copy_file_range|explicit_bzero|strchrnul|mempcpy|"
    r"qsort_r|secure_getenv|malloc_usable_size)\b")
UNSEEN_TIME = re.compile(
    r"\b(time|clock|gettimeofday|clock_gettime|rand|random|srand|arc4random|drand48)\s*\(")
FLOATING = re.compile(r"\b(float|double)\b")
HEAP = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|free|strdup|alloca)\s*\(")
HEADERS = {
    "uv.h": lambda p: p.startswith(("sim/host", "tests/bench/")),
    "jansson.h": lambda p: p.startswith("scenarios/"),
    "cmocka.h": lambda p: p.startswith("tests/"),
}
KERNEL_CALL = r"(?:Ke|Ex|Mm|Io|Rtl|Zw|Ps|Ob|Ndis|Wsk|Interlocked|Ndksim|Ndk)[A-Z]\w*\s*\("


def tracked(root):
    out = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others",
                          "--exclude-standard"], check=True, capture_output=True, text=True)
    return [p for p in out.stdout.split("\n") if p and os.path.exists(os.path.join(root, p))]


def strip_comments(text):
    """Blanks comments and string contents, keeping the line structure."""
    def blank(match):
        found = match.group(0)
        if found.startswith("/"):
            return re.sub(r"[^\n]", " ", found)
        return found[0] + found[0]
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text,
                  flags=re.S)


def licence(path, text):
    if path == "LICENSE" or path.endswith((".json", ".md", ".hex", ".txt", ".pcapng", ".bin")):
        return
    if os.path.basename(path) in ("preferences", "heuristic_protos"):
        return
    if path.startswith(("tests/bad-input/", "tests/bad-outcome/")):
        return
    head = "\n".join(text.split("\n")[:2])
    if head.count("SPDX-License-Identifier: Apache-2.0") != 1:
        yield 1, "no SPDX line (or more than one)"


def line_length(path, text):
    if not path.endswith((".c", ".h", ".S", ".py", ".cmake")):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LINE_MAX:
            yield number, f"line of {len(line)} characters, {LINE_MAX} at most"
        if line.rstrip() != line:
            yield number, "white space at the end of a line"


def model_calls(path, text):
    if not path.endswith((".c", ".h")):
        return
    code = strip_comments(text)
    host = path.startswith("sim/host") or path == "sim/include/sim/host.h"
    for number, line in enumerate(code.split("\n"), 1):
        if not path.endswith("host_linux.c") and LINUX_ONLY.search(line):
            call = LINUX_ONLY.search(line).group(0)
            yield number, f"Linux only: {call} (belongs in host_linux.c)"
        if path.startswith(MODEL) and not host:
            if UNSEEN_TIME.search(line):
                yield number, f"not deterministic: {UNSEEN_TIME.search(line).group(0)}"
            if FLOATING.search(line):
                yield number, "floating point in the model"


def includes(path, text):
    if not path.endswith((".c", ".h")):
        return
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r"\s*#\s*include\s*[<\"]([^>\"]+)", line)
        if match and match.group(1) in HEADERS and not HEADERS[match.group(1)](path):
            yield number, f"{match.group(1)} is not for this room"


def own_typedefs(path, text):
    if not path.startswith(("sim/", "fabric/", "scenarios/")) or not path.endswith((".c", ".h")):
        return
    if path.startswith(DRIVERS):
        return
    for number, line in enumerate(strip_comments(text).split("\n"), 1):
        if re.match(r"\s*typedef\s+(struct|enum|union)\b", line):
            yield number, "typedef of a structure of ours"


def arguments(code, start):
    """The argument texts of the call whose '(' is at start."""
    depth, parts, current = 0, [], []
    for char in code[start:]:
        if char in "([{":
            depth += 1
            if depth == 1:
                continue
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                break
        if char == "," and depth == 1:
            parts.append("".join(current))
            current = []
        else:
            current.append(char)
    parts.append("".join(current))
    return parts


def calls_in_arguments(path, text):
    """Compilers evaluate arguments in different orders: two kernel calls there are two worlds."""
    if not path.startswith(DRIVERS) or not path.endswith((".c", ".h")):
        return
    code = strip_comments(text)
    for match in re.finditer(r"\b\w+\s*\(", code):
        before = code[:match.start()].rstrip()
        if before.endswith(("if", "while", "for", "switch", "return")):
            continue
        if match.group(0).split("(")[0].strip() in ("if", "while", "for", "switch", "return"):
            continue
        parts = arguments(code, match.end() - 1)
        calling = sum(1 for part in parts if re.search(r"\b" + KERNEL_CALL, part) or
                      re.search(r"->\s*Ndk\w+\s*\(", part))
        if calling >= 2:
            yield code.count("\n", 0, match.start()) + 1, "two kernel calls in one call's arguments"


def marks(path, text):
    if not path.endswith((".c", ".h", ".py", ".cmake", ".sh", "CMakeLists.txt", "Makefile")):
        return
    if path == "tests/tidy/text.py":
        return
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line):
            yield number, "mark of unfinished work"


CHECKS = (licence, line_length, model_calls, includes, own_typedefs, calls_in_arguments, marks)


def check_file(path, text):
    for check in CHECKS:
        for number, what in check(path, text):
            yield f"{path}:{number}: {what}"


def main():
    root = os.path.abspath(sys.argv[1])
    found, files = [], 0
    for path in tracked(root):
        try:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
        except UnicodeDecodeError:
            continue
        files += 1
        found += sorted(set(check_file(path, text)))
    for line in found:
        print(line)
    print(f"{files} files read, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
