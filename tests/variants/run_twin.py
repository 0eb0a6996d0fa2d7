#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The depth of a planted bug, proved in its small twin.

    run_twin.py --program P --modules DIR --scenarios DIR --table FILE --out DIR [NAME...]

Each named row that has a twin (all that have one, when none is named) is searched there with one
delay less than its depth, to the end: every such order is tried, and nothing may be found. The twin
has at most 200 choice points in quiet order.
"""
import argparse
import json
import os
import re
import sys
import time

from run_variant import Variant, fail

CHOICES_MAX = 200


class Twin(Variant):
    def find_scenario(self):
        folder = os.path.join(os.path.dirname(self.arguments.table), "twins")
        path = os.path.join(folder, self.row.get("twin", self.arguments.name) + ".json")
        return path if os.path.exists(path) else None

    def until(self):
        """Where the search ends: what comes behind has nothing to do with the bug."""
        return ["--until", self.row["until"]] if "until" in self.row else []

    def choices(self):
        done = self.ndksim("run", self.scenario, "--json", *self.until())
        result = json.loads(done.stdout[:done.stdout.rindex("}") + 1])
        if result["exit"] != 0 or result["choices"] > CHOICES_MAX:
            fail(f"{self.scenario}: exit {result['exit']}, {result['choices']} choices")
        return result["choices"]

    def prove(self):
        delays = self.row["depth"] - 1
        folder = os.path.join(self.out, "twin")
        start = time.monotonic()
        said, campaign = self.fuzz(folder, 1, 1 << 40, "--strategy", f"delay-all:{delays}",
                                   *self.until())
        seconds = time.monotonic() - start
        if campaign["failures"]:
            fail(f"{self.arguments.name}: found with {delays} delays:\n{said}")
        if not re.search(rf"complete for at most {delays} ", "".join(campaign["claims"])):
            fail(f"{self.arguments.name}: the search did not end\n{said}")
        print(f"{self.arguments.name}: depth {self.row['depth']}: {self.choices()} choice points, "
              f"{campaign['runs']} runs with at most {delays} delays find nothing, {seconds:.1f} s",
              flush=True)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--program", "--modules", "--scenarios", "--table", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    with open(arguments.table, encoding="utf-8") as file:
        rows = json.load(file)["variants"]
    for name in arguments.names or rows:
        arguments.name = name
        twin = Twin(arguments)
        if twin.scenario is not None and isinstance(rows[name]["depth"], int):
            twin.prove()
        elif arguments.names:
            fail(f"{name} has no twin, or its depth is not known")


if __name__ == "__main__":
    sys.exit(main())
