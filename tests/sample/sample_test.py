#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The RDMA sample, built without an edit and run: sample_test.py NDKSIM FOLDER.

Its DriverEntry connects two adapters of one host, sends, reads, writes, compares, and returns
STATUS_SUCCESS when all is well. Interface indexes, addresses and port are those in its source; it
posts receives only once its accept has completed, so the adapters retry RNR for ever (7).

It is held under NDK 1.1 and 1.2, when answers come as the provider chooses and when all come
inline.
It does not survive a pending or early answer of NdkBuildLAM: it gives no context and asserts one.
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

SURVIVED, NOT_SURVIVED = (0, 1), (2, 3)  # answer shapes
ASSERTION = "assertion failed: ctx"


def adapter(index, address, minor, shape):
    return {"interface_index": index, "addresses": [address],
            "quirks": {"RnrRetryCount": 7, "NdkMajorMax": 1, "NdkMinorMax1": minor,
                       "AnswerShape": shape}}


def scenario(module, minor, shape):
    return {
        "nodes": {"host": {
            "adapters": {"nic0": adapter(12, "10.0.0.1/24", minor, shape),
                         "nic1": adapter(15, "10.0.0.2/24", minor, shape)},
            "drivers": [{"as": "sample", "load": module}]}},
        "links": [{"between": ["host.nic0", "host.nic1"], "delay": "1us"}],
    }


def run(*words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    return done.returncode, done.stdout


def judge(program, scratch, module, minor, shape):
    path = os.path.join(scratch, "sample.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario(module, minor, shape), file)
    code, said = run(program, "run", path, "--keep-going", "--twice")
    wanted = 0 if shape in SURVIVED else 6
    if code != wanted or (shape in NOT_SURVIVED and ASSERTION not in said):
        sys.exit(f"NDK 1.{minor}, answer shape {shape}: exit {code}, expected {wanted}\n{said}")
    findings = [line for line in said.splitlines() if line.startswith("WARNING")]
    return said.splitlines()[-1].rsplit(" ", 1)[1], findings


def main():
    program, folder = sys.argv[1:]
    if not folder:
        print("SKIPPED: -DNDKSIM_SAMPLE_DIR= names no folder; nothing of the sample was tried")
        sys.exit(77)
    sources = sorted(glob.glob(os.path.join(folder, "*.c")))
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    if not sources or not compilers:
        sys.exit(f"{folder}: no sources, or no compiler")
    digests = {}
    with tempfile.TemporaryDirectory() as scratch:
        for compiler in compilers:
            module = os.path.join(scratch, f"sample-{compiler}.so")
            code, said = run(program, "build-driver", "--compiler", compiler, "-o", module,
                             *sources)
            if code != 0:
                sys.exit(said)
            for minor in (1, 2):
                for shape in SURVIVED + NOT_SURVIVED:
                    digest, findings = judge(program, scratch, module, minor, shape)
                    print(f"{compiler} NDK 1.{minor} shape {shape}: {digest} {findings}")
                    if digests.setdefault((minor, shape), digest) != digest:
                        sys.exit("the compilers' modules give different digests")


if __name__ == "__main__":
    main()
