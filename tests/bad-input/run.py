#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong input, case by case: run.py NDKSIM FOLDER [--accept] [CASE...].

A case is a folder in FOLDER (tests/bad-input, tests/bad-outcome). Its files are copied to a scratch
folder, where the program runs:

  input.json    what is wrong, unless `args` names something else
  make.py       makes files that are no good in a repository (huge, binary), run there first
  args          the words after `ndksim`, one a line; `check input.json` when absent
  expected.txt  what standard error must be, to the letter
  only          "linux" or "darwin": elsewhere the words are others, and the case is left out
  exit          the exit code; 2 when absent. With another code than 2, expected.txt is what the
                lines of standard output that begin with EXPECTATION must be. PROGRAM stands
                for the program's folder.

No case may take more than SECONDS_MAX or MEMORY_MAX. --accept writes expected.txt from what the
program says: read it before you commit it.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

SECONDS_MAX = 60
MEMORY_MAX = 2 << 30
CASE_COUNT_MIN = {"bad-input": 40, "bad-outcome": 5}


def lines_of(path, otherwise):
    if not os.path.exists(path):
        return otherwise
    with open(path, encoding="utf-8") as file:
        return [line for line in file.read().split("\n") if line]


def run_case(program, folder):
    """(exit code, what is compared with expected.txt)"""
    with tempfile.TemporaryDirectory() as scratch:
        work = os.path.join(scratch, "case")
        shutil.copytree(folder, work)
        if os.path.exists(os.path.join(work, "make.py")):
            subprocess.run([sys.executable, "-B", "make.py"], cwd=work, check=True)
        words = lines_of(os.path.join(folder, "args"), ["check", "input.json"])
        try:
            done = subprocess.run([program, *words], cwd=work, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=SECONDS_MAX, check=False)
        except subprocess.TimeoutExpired:
            return None, f"took more than {SECONDS_MAX} s"
    errors, output = (
        text.decode("utf-8", "backslashreplace").replace(os.path.dirname(program), "PROGRAM")
        for text in (done.stderr, done.stdout)
    )
    if done.returncode == 1:
        kept = [line for line in output.split("\n") if line.startswith("EXPECTATION")]
        return done.returncode, "".join(f"{line}\n" for line in kept)
    return done.returncode, errors


def judge(program, folder, accept):
    """What is wrong with the case, "" for nothing."""
    wanted_code = int(lines_of(os.path.join(folder, "exit"), ["2"])[0])
    code, text = run_case(program, folder)
    path = os.path.join(folder, "expected.txt")
    if accept:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    wanted = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            wanted = file.read()
    if code != wanted_code:
        return f"exit {code}, expected {wanted_code}\n{text}"
    if text != wanted:
        return f"says\n{text}expected\n{wanted}"
    return "" if wanted else "says nothing"


def main():
    words = [word for word in sys.argv[1:] if word != "--accept"]
    accept = "--accept" in sys.argv[1:]
    if len(words) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    program, root = os.path.abspath(words[0]), os.path.abspath(words[1])
    cases = words[2:] or sorted(
        name for name in os.listdir(root)
        if os.path.isdir(os.path.join(root, name)) and not name.startswith(("_", "."))
        and sys.platform in lines_of(os.path.join(root, name, "only"), [sys.platform])
    )
    wrong = 0
    for case in cases:
        text = judge(program, os.path.join(root, case), accept)
        if text:
            wrong += 1
            print(f"{case}: {text}")
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(f"{len(cases)} cases, {wrong} wrong, {memory >> 20} MiB at the most")
    if memory > MEMORY_MAX:
        print(f"a case took more than {MEMORY_MAX >> 20} MiB")
        return 1
    if len(words) == 2 and len(cases) < CASE_COUNT_MIN[os.path.basename(root)]:
        print("fewer cases than there were: are they lost?")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
