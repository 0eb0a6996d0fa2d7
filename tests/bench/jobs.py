#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a second job brings: jobs.py NDKSIM SCENARIO [RUNS [TIMES]].

Runs a second of `fuzz --jobs 2` against the sum of two processes of one job each, side by side, in
turn, so that other load meets both alike. Prints each pair's ratio and their median, which is to
be at least 0.9 on a machine of two cores.
"""
import json
import statistics
import subprocess
import sys
import tempfile
import time


def start(program, scenario, runs, jobs, seed, folder):
    return subprocess.Popen([program, "fuzz", "-q", scenario, "--runs", str(runs), "--jobs",
                             str(jobs), "--seed", str(seed), "--json", "--out",
                             f"{folder}/{seed}"],
                            stdout=subprocess.PIPE, text=True)


def runs_per_second(program, scenario, plan, folder):
    begin = time.monotonic()
    processes = [start(program, scenario, *part, folder) for part in plan]
    runs = sum(json.loads(process.communicate()[0])["runs"] for process in processes)
    return runs / (time.monotonic() - begin)


def main():
    program, scenario = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 8192
    times = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(times):
            seed = 1 + turn * runs
            half = runs // 2
            plans = {"one": [(runs, 2, seed)],
                     "two": [(half, 1, seed), (half, 1, seed + half)]}
            # The other one first in each second turn: load that grows or falls meets both alike.
            speed = {name: runs_per_second(program, scenario, plans[name], folder)
                     for name in sorted(plans, reverse=turn % 2 == 1)}
            one, two = speed["one"], speed["two"]
            ratios.append(one / two)
            print(f"--jobs 2: {one:.0f} runs/s; two of one job: {two:.0f} runs/s; "
                  f"ratio {one / two:.3f}")
    print(f"jobs: median ratio {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
