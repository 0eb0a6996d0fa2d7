#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drivers of one file each, built without a flag and run: run.py NDKSIM COMPILER.

The pair must exchange all messages, the bench must answer, twice the same; and neither fails in
some tens of random runs.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = "30"


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit("%s: exit %d\n%s" % (" ".join(words), done.returncode, done.stdout))
    return done.stdout


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def main():
    program, compiler = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for name in ("initiator", "target", "bench"):
            run(program, "build-driver", "--compiler", compiler, "-o", name + ".so",
                os.path.join(HERE, name + ".c"))
        for name in ("pair", "bench"):
            with open(name + ".json", "w", encoding="utf-8") as stream:
                stream.write(read(os.path.join(HERE, name + ".json")))
        run(program, "run", "pair.json", "--twice", "--log", "pair.log")
        log = read("pair.log")
        for line in ("6 of 6 came back, status 00000000", "1 sessions, 6 messages"):
            if line not in log:
                sys.exit("nothing in the log of: %s\n%s" % (line, log))
        run(program, "run", "bench.json", "--twice", "--files", "files")
        table = read(os.path.join("files", "host", "C", "bench.csv"))
        if not re.fullmatch(r"512,[1-9]\d*,00000000\n", table):
            sys.exit("bench.csv is: " + table)
        run(program, "fuzz", "pair.json", "bench.json", "--runs", RUNS, "--jobs", "1")
    print("three drivers, all is well")


if __name__ == "__main__":
    main()
