#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One planted bug: it is found, its record replays, the correct driver clears it.

    run_variant.py --program P --modules DIR --scenarios DIR --table FILE --out DIR NAME
    ... --measure    say after how many runs it was found first, and check nothing else

Runs are taken in rounds, so that a test ends with the round that has found the bug. In that round
one and two jobs must find the same.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

ROUND = 50
GONE = 7


def fail(text):
    sys.exit(f"FAILED: {text}")


class Variant:
    def __init__(self, arguments):
        with open(arguments.table, encoding="utf-8") as file:
            self.row = json.load(file)["variants"][arguments.name]
        self.arguments = arguments
        self.scenario = self.find_scenario()
        self.out = os.path.join(arguments.out, arguments.name)

    def find_scenario(self):
        """A shipped one, or one of scenarios/ beside the table."""
        own = os.path.join(os.path.dirname(self.arguments.table), "scenarios")
        for folder in (own, self.arguments.scenarios):
            path = os.path.join(folder, self.row["scenario"] + ".json")
            if os.path.exists(path):
                return path
        return fail(f"there is no scenario {self.row['scenario']}")

    def drivers(self, suffix):
        """Options that load the bug's modules ("", "-changed") or the correct ones (None)."""
        options = []
        for driver, (bug, correct) in self.row["drivers"].items():
            module = correct if suffix is None else \
                os.path.join(self.arguments.modules, bug + suffix + ".so")
            options += ["--driver", f"{driver}={module}"]
        return options

    def ndksim(self, *words):
        return subprocess.run([self.arguments.program, *words], capture_output=True, text=True,
                              check=False)

    def fuzz(self, seed, runs, jobs):
        """Kept records of a round by name, and what was printed but for the speed."""
        folder = os.path.join(self.out, f"jobs-{jobs}")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        done = self.ndksim("fuzz", self.scenario, "--seed", str(seed), "--runs", str(runs),
                           "--jobs", str(jobs), "--out", folder, *self.drivers(""))
        if done.returncode not in (0, 1, 3, 4, 6):
            fail(f"fuzz: exit {done.returncode}\n{done.stdout}{done.stderr}")
        said = re.sub(r", \d+ runs/s", "", done.stdout).replace(folder, "")
        records = [name for name in sorted(os.listdir(folder)) if name.endswith(".ndkrun")]
        return {name: os.path.join(folder, name) for name in records}, said

    def replay(self, record, *options):
        done = self.ndksim("replay", record, "--json", *options)
        try:
            return done.returncode, json.loads(done.stdout[:done.stdout.rindex("}") + 1])
        except ValueError:
            fail(f"replay {record}: exit {done.returncode}\n{done.stdout}{done.stderr}")

    def is_expected(self, result):
        findings = result["findings"]
        if self.row["id"] == "expectation":
            return not findings and self.row["says"] in result["reason"]
        return bool(findings) and findings[0]["id"] == self.row["id"] and \
            re.fullmatch(self.row["guilty"], findings[0]["guilty"]) is not None and \
            self.row.get("says", "") in findings[0]["sentence"]

    def expected_of(self, records):
        """The first record with the expected diagnosis; others may be there."""
        for name, path in records.items():
            _, result = self.replay(path)
            if self.is_expected(result):
                return name
            print(f"also found: {name}: {result['reason']}")
        return None

    def find(self):
        for first in range(0, self.row["runs"], ROUND):
            seed, runs = first + 1, min(ROUND, self.row["runs"] - first)
            records, said = self.fuzz(seed, runs, 2)
            name = self.expected_of(records)
            if name is not None:
                print(said, end="")
                return seed, runs, name, said
        return fail(f"not found within {self.row['runs']} runs")

    def check(self, seed, runs, name, said):
        records, said_alone = self.fuzz(seed, runs, 1)
        if said_alone != said:
            fail(f"one job and two jobs differ:\n{said_alone}\n{said}")
        path = records[name]
        with open(path, encoding="utf-8") as file:
            recorded = json.load(file)
        if recorded["exit"] != self.row["exit"]:
            fail(f"recorded exit {recorded['exit']}, expected {self.row['exit']}")
        for suffix in ("", "-changed") if self.row.get("changed") else ("",):
            options = self.drivers(suffix) if suffix else []
            code, result = self.replay(path, *options)
            if code != recorded["exit"] or result["digest"] != recorded["digest"]:
                fail(f"replay{suffix}: exit {code}, digest {result['digest']}; recorded "
                     f"{recorded['exit']}, {recorded['digest']}")
            if not self.is_expected(result):
                fail(f"replay{suffix}: {result['findings']}")
        code, result = self.replay(path, *self.drivers(None))
        if code != GONE:
            fail(f"with the correct driver: exit {code}\n{result}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--program", "--modules", "--scenarios", "--table", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("name")
    arguments = parser.parse_args()
    variant = Variant(arguments)
    found = variant.find()
    if not arguments.measure:
        variant.check(*found)


if __name__ == "__main__":
    main()
