#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fixed corpus twice: bytes decide the run, nothing else does, and none are the quiet run.

    run_files.py PROGRAM CORPUS
"""

import os
import subprocess
import sys


def main() -> int:
    program, corpus = sys.argv[1:]
    files = [os.path.join(corpus, name) for name in sorted(os.listdir(corpus))]
    done = subprocess.run([program] + files + files, stdout=subprocess.PIPE, text=True, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != 2 * len(files):
        print(f"exit {done.returncode} after {len(lines)} runs")
        return 1
    if lines[:len(files)] != lines[len(files):]:
        print("the same bytes gave another run")
        return 1
    deviations = {os.path.basename(path): int(line.split(" deviations")[0].split()[-1])
                  for path, line in zip(files, lines)}
    digests = {line.split()[-1] for line in lines}
    if deviations["quiet"] != 0 or min(deviations["few"], deviations["many"]) == 0:
        print(f"deviations: {deviations}")
        return 1
    if len(digests) != len(files):
        print("different bytes gave the same run")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
