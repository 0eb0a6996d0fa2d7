#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds small Windows sources with `ndksim build-driver`: run.py NDKSIM COMPILER [CASE...].

A case is a folder: its files, and case.json with
  arguments  behind `build-driver`; "-o drv.so" is added when a module comes of it
  exit       0 unless given
  says       lines that must be among what it printed, in this order; "{compiler}" is the compiler
  never      texts that must not be in it
  log        lines that the module's log must have when a node loads it, in this order
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def in_order(wanted, lines):
    """The first wanted text that no line behind that of the one before has; None when all are."""
    at = 0
    for text in wanted:
        while at < len(lines) and text not in lines[at]:
            at += 1
        if at == len(lines):
            return text
        at += 1
    return None


def run(words, folder):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


def log_of(program, folder):
    scenario = {"nodes": {"host": {"drivers": [{"as": "drv", "load": "./drv.so"}]}}}
    with open(os.path.join(folder, "load.json"), "w", encoding="utf-8") as file:
        json.dump(scenario, file)
    code, said = run([program, "run", "load.json", "--log", "log.txt"], folder)
    if code != 0:
        return None, said
    with open(os.path.join(folder, "log.txt"), encoding="utf-8") as file:
        return file.read().splitlines(), said


def judge(program, compiler, name, folder):
    with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
        case = json.load(file)
    wanted = case.get("exit", 0)
    words = [program, "build-driver", "--compiler", compiler, *case["arguments"]]
    if "log" in case:
        words += ["-o", "drv.so"]
    code, said = run(words, folder)
    if code != wanted:
        return f"exit {code}, expected {wanted}\n{said}"
    missing = in_order(case.get("says", []), said.splitlines())
    if missing is not None:
        return f"nothing (or not in this order) of: {missing}\n{said}"
    for text in case.get("never", []):
        if text in said:
            return f"it says: {text}\n{said}"
    if "log" in case:
        lines, said = log_of(program, folder)
        if lines is None:
            return f"the module does not run\n{said}"
        missing = in_order(case["log"], lines)
        if missing is not None:
            return f"nothing in the log of: {missing}\n" + "\n".join(lines)
    leftover = [entry for entry in os.listdir(folder) if entry.startswith("ndksim-build-")]
    return f"left behind: {leftover}" if leftover else None


def main():
    program, compiler, *chosen = sys.argv[1:]
    cases = os.path.join(HERE, "cases")
    names = chosen or sorted(os.listdir(cases))
    failed = 0
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(scratch, name)
            shutil.copytree(os.path.join(cases, name), folder)
            os.environ["TMPDIR"] = scratch
            wrong = judge(program, compiler, name, folder)
        if wrong:
            failed += 1
            print(f"{name}: {wrong}")
    print(f"{len(names)} cases, {failed} failed")
    sys.exit(1 if failed or not names else 0)


if __name__ == "__main__":
    main()
