#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A routine of the wrong type is a finding of the build: build_warnings.py COMPILER SOURCE_DIR.

Compiles s02_mismatch.c as a driver is compiled and expects both warnings.
"""
import os
import re
import subprocess
import sys


def main():
    compiler, source = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    wdk = os.path.join(source, "ndkpi-model", "include", "wdk")
    run = subprocess.run(
        [compiler, "-fsyntax-only", "-std=gnu11", "-fshort-wchar", "-Wno-multichar", "-Wall",
         "-Wextra", "-Wcast-function-type", "-I" + os.path.join(wdk, "crt"), "-I" + wdk,
         os.path.join(here, "s02_mismatch.c")],
        capture_output=True, text=True, check=False)
    found = set(re.findall(r"\[-W(?:error=)?([a-z-]+?)(?:-strict|-mismatch)?\]", run.stderr))
    wanted = [{"incompatible-pointer-types", "incompatible-function-pointer-types"},
              {"cast-function-type"}]
    missing = [names for names in wanted if not names & found]
    if missing:
        print(run.stderr)
        sys.exit(f"no warning of {missing}")
    print("both warnings: " + ", ".join(sorted(found)))


if __name__ == "__main__":
    main()
