#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""connect8 with drivers that `ndksim build-driver` made, against those of the project's own build:
built.py NDKSIM BENCH SOURCE_DIR DRIVER_DIR COMPILER [RUNS].

The same program loads each set in turn, several times over, and the best of each counts: what other
work of the machine adds is no driver's. Prints the ratios; judges nothing.
"""
import os
import re
import subprocess
import sys
import tempfile

ROUNDS = 5


def sources_of(path):
    """The sources of the driver in a CMakeLists.txt that lists them one a line."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^\s+(\w+\.c)$", file.read(), re.M)


def build(program, source, compiler, folder, *how):
    ping, base = f"{source}/consumers/ndkping", f"{source}/consumers/base"
    provider = f"{source}/ndkpi-model/provider"
    common = [f"{base}/{name}" for name in sorted(os.listdir(base)) if name.endswith(".c")]
    drivers = {
        "ndkping-client": ([ping, base], [f"{ping}/ping_client.c", f"{ping}/ping_link.c", *common]),
        "ndkping-server": ([ping, base], [f"{ping}/ping_server.c", f"{ping}/ping_link.c", *common]),
        "ndksim-rnic": ([f"{source}/fabric/rnic/hw/include"],
                        [f"{provider}/{name}" for name in
                         sources_of(f"{provider}/CMakeLists.txt")]),
    }
    for name, (includes, sources) in drivers.items():
        words = [word for one in includes for word in ("-I", one)]
        subprocess.run([program, "build-driver", "--compiler", compiler, *how, *words, "-o",
                        f"{folder}/{name}.so", *sources], check=True, stdout=subprocess.DEVNULL)


def runs_per_second(bench, scenario, drivers, runs):
    done = subprocess.run([bench, scenario, drivers, runs, "1"], check=True, capture_output=True,
                          text=True)
    return int(re.search(r"connect8: (\d+) runs/s", done.stdout).group(1))


def main():
    program, bench, source, own, compiler, *more = sys.argv[1:]
    runs = more[0] if more else "2000"
    scenario = f"{source}/tests/bench/connect8.json"
    with tempfile.TemporaryDirectory() as scratch:
        sets = {"own": own, "built": f"{scratch}/built", "instrumented": f"{scratch}/instrumented"}
        for name, how in (("built", []), ("instrumented", ["--instrument"])):
            os.mkdir(sets[name])
            build(program, source, compiler, sets[name], *how)
        best = dict.fromkeys(sets, 0)
        for _ in range(ROUNDS):
            for name, drivers in sets.items():
                few = runs if name != "instrumented" else str(max(1, int(runs) // 10))
                best[name] = max(best[name], runs_per_second(bench, scenario, drivers, few))
    for name, rate in best.items():
        print(f"connect8, drivers {name:<13} {rate:>8} runs/s  {rate / best['own']:.3f} of own")


if __name__ == "__main__":
    main()
