#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compile check for macOS on Linux: macos_check.py ZIG.

Takes the compile commands of a fresh configure, replaces the host's headers by zig's macOS ones and
compiles every source for arm64 and x86-64. Sources for Darwin only, which no Linux build compiles,
get the flags of a neighbour in their folder.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

TARGETS = ("aarch64-macos", "x86_64-macos")
ROOMS = ("sim/", "fabric/", "ndkpi-model/", "scenarios/", "consumers/")
# The module that is linked: the client of ndkping.
DRIVER = ("consumers/ndkping/", "consumers/base/")
NOT_IN_DRIVER = ("consumers/ndkping/ping_server.c",)
KEPT = ("-I", "-D", "-std=", "-fshort-wchar", "-isystem", "-W")


def portable_headers(into):
    """Copies the installed headers of libuv and jansson, which are portable."""
    for name in ("uv.h", "uv", "jansson.h", "jansson_config.h"):
        for root in ("/usr/include", "/usr/include/x86_64-linux-gnu"):
            source = os.path.join(root, name)
            if os.path.isdir(source):
                shutil.copytree(source, os.path.join(into, name), dirs_exist_ok=True)
            elif os.path.exists(source):
                shutil.copy(source, into)


def flags_of(command):
    words = shlex.split(command)
    flags, skip = [], False
    for index, word in enumerate(words):
        if skip:
            skip = False
            continue
        if word in ("-isystem", "-I", "-D"):
            if not words[index + 1].startswith("/usr/include"):
                flags += [word, words[index + 1]]
            skip = True
        elif word.startswith(KEPT) and not word.startswith(("-I/usr/include", "-Wl,", "-Werror")):
            flags.append(word)
    return flags


def collect(root, commands):
    by_source = {os.path.relpath(c["file"], root): flags_of(c["command"]) for c in commands}
    by_folder = {}
    for source, flags in by_source.items():
        by_folder.setdefault(os.path.dirname(source), flags)
    work = {}
    tracked = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others",
                              "--exclude-standard"],
                             check=True, capture_output=True, text=True).stdout.split()
    for source in tracked:
        if not source.startswith(ROOMS) or not source.endswith((".c", ".S")):
            continue
        if os.path.basename(source).startswith("host_linux"):
            continue
        flags = by_source.get(source) or by_folder.get(os.path.dirname(source))
        if flags is not None:
            work[source] = [f for f in flags if not f.startswith("-DNDKSIM_HOST_LINUX")]
    return work


def main():
    zig = sys.argv[1]
    root = os.getcwd()
    with tempfile.TemporaryDirectory() as scratch:
        build = os.path.join(scratch, "build")
        subprocess.run(["cmake", "-G", "Ninja", "-S", root, "-B", build, "-DNDKSIM_TESTS=OFF"],
                       check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
            commands = json.load(file)
        headers = os.path.join(scratch, "headers")
        os.mkdir(headers)
        portable_headers(headers)
        work = collect(root, commands)
        failures = []

        def compile_one(task):
            target, source = task
            output = os.path.join(scratch, f"{target}-{source.replace('/', '_')}.o")
            command = [zig, "cc", "-target", target, "-c", source, "-o", output, *work[source],
                       "-I", headers, "-D_DARWIN_C_SOURCE", "-Wno-unused-command-line-argument"]
            done = subprocess.run(command, cwd=root, capture_output=True, text=True,
                                  env=dict(os.environ,
                                           ZIG_GLOBAL_CACHE_DIR=os.path.join(scratch, "cache"),
                                           ZIG_LOCAL_CACHE_DIR=os.path.join(scratch, "cache")))
            if done.returncode != 0:
                failures.append((target, source, done.stderr))
            return target, source, output

        tasks = [(t, s) for t in TARGETS for s in sorted(work)]
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
            objects = list(pool.map(compile_one, tasks))
        for target in TARGETS:
            drivers = [o for t, s, o in objects
                       if t == target and s.startswith(DRIVER) and s not in NOT_IN_DRIVER and
                       os.path.exists(o)]
            pure = [o for t, s, o in objects
                    if t == target and s.startswith("fabric/wire/") and os.path.exists(o)]
            for label, parts in (("driver module", drivers), ("pure library", pure)):
                if not parts:
                    continue
                done = subprocess.run([zig, "cc", "-target", target, "-shared", "-undefined",
                                       "dynamic_lookup", "-o", os.path.join(scratch, "linked"),
                                       *parts], capture_output=True, text=True,
                                      env=dict(os.environ, ZIG_GLOBAL_CACHE_DIR=os.path.join(
                                          scratch, "cache")))
                if done.returncode != 0:
                    failures.append((target, label, done.stderr))
        for target, source, text in sorted(failures):
            print(f"{target}: {source}\n{text}")
        print(f"macos-check: {len(tasks)} compilations over {len(work)} sources, "
              f"{len(failures)} failed")
        return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
