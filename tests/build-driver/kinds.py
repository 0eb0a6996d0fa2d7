#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `ndksim build-driver` makes besides a plain module: kinds.py NDKSIM WHAT [RACES].

  coverage    counts of lines over many runs, nodes and workers are exact: gcov, llvm-cov
  twin        a sanitised module is handed to the sanitised program
  builds      a record replays on another compiler's module and behind an unrelated change, and is
              gone (exit 7) with the bug
  instrument  data races are found, ordered sharing is not one, records are of one build
  gdb         breakpoints by file and line in each copy of a module; simulated threads
"""
import glob
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = 1500


class Work:
    """A folder with the drivers' sources, and the program."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        for path in glob.glob(os.path.join(HERE, "drivers", "*")):
            shutil.copy(path, folder)

    def run(self, *words, code=0, **more):
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, timeout=300, **more)
        if done.returncode != code:
            sys.exit(f"{' '.join(words)}: exit {done.returncode}, expected {code}\n{done.stdout}")
        return done.stdout

    def ndksim(self, *words, code=0, **more):
        return self.run(self.program, *words, code=code, **more)

    def build(self, compiler, source, *words):
        self.ndksim("build-driver", "--compiler", compiler, "-o", "drv.so", *words, source)

    def records(self, out):
        return sorted(glob.glob(os.path.join(self.folder, out, "*.ndkrun")))


def wants(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"nothing of: {part}\n{text}")


def compilers():
    found = [one for one in ("gcc", "clang") if shutil.which(one)]
    for one in {"gcc", "clang"} - set(found):
        print(f"SKIPPED: no {one} here")
    return found


# ---- Coverage ----

def counts_of_gcov(work):
    work.run("gcov", "-o", glob.glob(f"{work.folder}/drv.coverage/counted.c.0.gcda")[0],
             "counted.c")
    with open(os.path.join(work.folder, "counted.c.gcov"), encoding="utf-8") as file:
        return {int(line): int(count) for count, line in
                re.findall(r"^ *(\d+)\*?: *(\d+):", file.read(), re.M)}


def counts_of_llvm(work):
    files = glob.glob(os.path.join(work.folder, "drv.coverage", "*.profraw"))
    work.run("llvm-profdata", "merge", "-o", "all.profdata", *files)
    said = work.run("llvm-cov", "export", "-format=lcov", "-instr-profile=all.profdata", "drv.so")
    return {int(line): int(count) for line, count in re.findall(r"^DA:(\d+),(\d+)", said, re.M)}


def check_coverage(work):
    loads = 3 * (RUNS + 1)
    with open(os.path.join(work.folder, "counted.c"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    expected = {"five times in each load": 6 * loads, "once in each unload": loads,
                "once in each load": loads, "five in each": 5 * loads}
    for compiler, tools, counts_of in (("gcc", ["gcov"], counts_of_gcov),
                                       ("clang", ["llvm-profdata", "llvm-cov"], counts_of_llvm)):
        missing = [one for one in [compiler, *tools] if not shutil.which(one)]
        if missing:
            print(f"SKIPPED: coverage with {compiler}: no {', '.join(missing)} here")
            continue
        shutil.rmtree(os.path.join(work.folder, "drv.coverage"), ignore_errors=True)
        work.build(compiler, "counted.c", "--kind", "coverage")
        work.ndksim("run", "counted.json")
        work.ndksim("fuzz", "counted.json", "--runs", str(RUNS), "--jobs", "2")
        counts = counts_of(work)
        for text, count in expected.items():
            line = next(i for i, one in enumerate(lines, 1) if text in one)
            if counts.get(line) != count:
                sys.exit(f"{compiler}: line {line} ({text}): {counts.get(line)}, expected {count}")
        print(f"coverage with {compiler}: exact over {RUNS} runs of three copies by two workers")


# ---- The sanitised twin ----

def check_twin(work):
    work.build("gcc" if shutil.which("gcc") else "clang", "atomic.c", "--kind", "asan")
    said = work.ndksim("run", "one.json", code=2)
    wants(said, "drv.so is built with AddressSanitizer", "ndksim-asan", "NDKSIM_ASAN")
    twin = os.path.join(work.folder, "twin")
    with open(twin, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\necho "twin: $@"\nexit 6\n')
    os.chmod(twin, os.stat(twin).st_mode | stat.S_IXUSR)
    there = {**os.environ, "NDKSIM_ASAN": twin}
    wants(work.ndksim("run", "one.json", "--seed", "3", code=6, env=there),
          "twin: run one.json --seed 3")
    with open(os.path.join(work.folder, "more.json"), "w", encoding="utf-8") as file:
        file.write('{"extends": "./one.json"}\n')
    wants(work.ndksim("fuzz", "more.json", code=6, env=there), "twin: fuzz more.json")
    os.rename(os.path.join(work.folder, "drv.so"), os.path.join(work.folder, "asan.so"))
    work.build("gcc" if shutil.which("gcc") else "clang", "atomic.c")
    work.ndksim("run", "one.json", env=there)
    wants(work.ndksim("run", "one.json", "--driver", "drv=./asan.so", code=6, env=there), "twin:")
    print("the sanitised module goes to the sanitised program")


# ---- Records and builds ----

def check_builds(work):
    found = compilers()
    work.build(found[0], "last.c")
    work.ndksim("fuzz", "one.json", "--runs", "300", "--jobs", "1", "--out", "out", code=6)
    record = work.records("out")[0]
    work.ndksim("replay", record, code=6)
    for compiler in found:
        work.build(compiler, "last.c", "--kind", "debug")
        work.ndksim("replay", record, code=6)
        work.build(compiler, "last.c", "-D", "OTHERWISE")
        wants(work.ndksim("replay", record, code=6), "bugcheck: one")
        work.build(compiler, "last.c", "-D", "FIXED")
        wants(work.ndksim("replay", record, code=7), "did not recur")
    print(f"a record of {found[0]} replays on builds of {', '.join(found)}; fixed, it is gone")


# ---- Instrumented modules ----

def check_instrument(work, races):
    for path in glob.glob(os.path.join(races, "race-*.c")):
        shutil.copy(path, work.folder)
    for compiler in compilers():
        work.build(compiler, "race-plain.c", "--instrument")
        said = work.ndksim("run", "one.json", code=3)
        wants(said, "RULE R-OWN-20", "and nothing orders the two", "race-plain.c:19")
        if said != work.ndksim("run", "one.json", code=3):
            sys.exit("two runs of one seed say different things")
        work.ndksim("run", "one.json", "--twice", "--rule", "R-OWN-20=warn:known")
        out = f"out-{compiler}"
        work.ndksim("fuzz", "one.json", "--runs", "40", "--jobs", "1", "--out", out, code=3)
        record = work.records(out)[0]
        with open(record, encoding="utf-8") as file:
            wants(file.read(), '"instrumented": true')
        work.ndksim("replay", record, code=3)
        work.build(compiler, "race-plain.c", "--instrument", "-D", "ANOTHER=1", "--kind", "debug")
        wants(work.ndksim("replay", record, code=2), "instrumented build of drv")
        for source in ("race-ordered.c", "atomic.c"):
            work.build(compiler, source, "--instrument")
            work.ndksim("fuzz", "one.json", "--runs", "300", "--jobs", "2", "--out",
                        f"{out}-{source}")
    print("races are found, what is ordered is none, records are of one build")


# ---- Debugger ----

def check_gdb(work):
    if not shutil.which("gdb"):
        print("SKIPPED: no gdb here")
        return
    work.build(compilers()[0], "atomic.c", "--kind", "debug")
    with open(os.path.join(work.folder, "two.json"), "w", encoding="utf-8") as file:
        file.write('{"nodes": {"a": {"drivers": [{"as": "one", "load": "./drv.so"}]},'
                   ' "b": {"drivers": [{"as": "two", "load": "./drv.so"}]}}}\n')
    with open(os.path.join(work.folder, "atomic.c"), encoding="utf-8") as file:
        line = next(i for i, one in enumerate(file, 1) if "Shared.Value++" in one)
    work.ndksim("run", "two.json", "--record", "two.ndkrun")
    commands = ["ndksim tasks", "bt 2", "ndksim bt all", "print Shared.Count"]
    script = os.path.join(work.folder, "commands")
    with open(script, "w", encoding="utf-8") as file:
        for _ in range(12):
            file.write("\n".join(commands) + "\ncontinue\n")
        file.write("kill\nquit\n")
    said = work.ndksim("replay", "two.ndkrun", "--gdb", "--break", f"atomic.c:{line}",
                       stdin=open(script, encoding="utf-8"))
    wants(said, f"atomic.c:{line}", "one.thread[0]", "two.thread[0]", "b.cpu0")
    stops = set(re.findall(r"\* \d+ +(\w+)\.thread\[\d\]", said))
    if stops != {"one", "two"}:
        sys.exit(f"it stopped in {stops or 'no copy'}, expected both nodes'\n{said}")
    # Each thread that does not run has a stack of its own, too.
    if not re.search(r"(?m)^(?:\(gdb\))? +\d+ +\w+\.\w+\[\d\] .* ready\n#0 +0x", said):
        sys.exit(f"no stack of a thread that does not run\n{said}")
    print("gdb stops in each node's copy and shows simulated threads")


def main():
    program, what, *more = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        globals()[f"check_{what}"](Work(os.path.abspath(program), folder), *more)


if __name__ == "__main__":
    main()
