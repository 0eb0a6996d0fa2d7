#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One planted bug: it is found, its record replays, the correct driver clears it.

    run_variant.py --program P --modules DIR --scenarios DIR --table FILE --out DIR NAME

The campaign ends where it has found the bug. One job and two jobs must find the same there.
"""
import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys

GONE = 7
SEED = 1


def fail(text):
    sys.exit(f"FAILED: {text}")


def campaign_of(folder):
    """What was written; of a matrix all cells' campaigns, one behind the other."""
    whole = {"runs": 0, "failures": [], "claims": []}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".ndkcampaign"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                one = json.load(file)
            for failure in one["failures"]:
                failure["first_run"] += whole["runs"]
            whole["failures"] += one["failures"]
            whole["runs"] += one["runs"]
            whole["claims"].append(one["claim"])
    return whole


class Variant:
    def __init__(self, arguments):
        with open(arguments.table, encoding="utf-8") as file:
            self.row = json.load(file)["variants"][arguments.name]
        self.arguments = arguments
        self.judged = {}  # whether a failure is the expected one, by signature
        self.scenario = self.find_scenario()
        self.out = os.path.join(arguments.out, arguments.name)
        self.need_modules()

    def modules(self):
        """(option, who, the module with the bug, the correct one)"""
        for option, members in (("--driver", "drivers"), ("--device", "devices")):
            for who, (bug, correct) in self.row.get(members, {}).items():
                yield option, who, bug, correct

    def need_modules(self):
        folder = self.arguments.modules
        build = os.path.relpath(os.path.join(folder, *[os.pardir] * 3))
        for _, _, bug, _ in self.modules():
            path = os.path.join(folder, bug + ".so")
            if not os.path.exists(path):
                fail(f"{path} is not there. The planted bugs are built with the tests:\n"
                     f"    cmake -S . -B {build} -DNDKSIM_TESTS=ON && cmake --build {build}")

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
        for option, who, bug, correct in self.modules():
            module = correct if suffix is None else \
                os.path.join(self.arguments.modules, bug + suffix + ".so")
            options += [option, f"{who}={module}"]
        return options

    def ndksim(self, *words):
        return subprocess.run([self.arguments.program, *words], capture_output=True, text=True,
                              check=False)

    def fuzz(self, folder, seed, runs, *options, enough=1):
        """Campaign of the bug's modules, up to so many distinct failures: what it printed, and
        what it wrote into the folder."""
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        done = self.ndksim("fuzz", self.scenario, "--seed", str(seed), "--runs", str(runs),
                           "--stop-after", str(enough), "--out", folder, *options,
                           *self.drivers(""))
        if done.returncode not in (0, 1, 3, 4, 6):
            fail(f"fuzz: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout, campaign_of(folder)

    def replay(self, record, *options):
        done = self.ndksim("replay", record, "--json", *options)
        try:
            return done.returncode, json.loads(done.stdout[:done.stdout.rindex("}") + 1])
        except ValueError:
            fail(f"replay {record}: exit {done.returncode}\n{done.stdout}{done.stderr}")

    def is_expected(self, result):
        # A warning that came before says nothing of the bug.
        errors = [one for one in result["findings"] if one["severity"] != "warn"]
        if self.row["id"] == "expectation":
            return not errors and self.row["says"] in result["reason"]
        findings = errors or result["findings"]
        return bool(findings) and findings[0]["id"] == self.row["id"] and \
            re.fullmatch(self.row["guilty"], findings[0]["guilty"]) is not None and \
            self.row.get("says", "") in findings[0]["sentence"]

    def is_right(self, folder, failure):
        """Whether a failure of a campaign is the expected one; others may be there."""
        signature = failure["signature"]
        if signature not in self.judged:
            right = False
            if failure["record"]:
                _, result = self.replay(os.path.join(folder, failure["record"]))
                right = self.is_expected(result)
            if not right:
                print(f"also found: {failure['record']}: {failure['sentence']}", flush=True)
            self.judged[signature] = right
        return self.judged[signature]

    def first(self, folder, seed, runs, *options):
        """As fuzz does, up to the first failure that is the expected one, and that failure; None
        where there is none."""
        for enough in itertools.count(1):
            said, campaign = self.fuzz(folder, seed, runs, *options, enough=enough)
            for one in campaign["failures"]:
                if self.is_right(folder, one):
                    return said, one
            if len(campaign["failures"]) < enough:
                return said, None

    def find(self, jobs=2):
        """What the campaign said but for its speed, and the record of the bug."""
        folder = os.path.join(self.out, f"jobs-{jobs}")
        said, one = self.first(folder, SEED, self.row["runs"], "--jobs", str(jobs))
        if one is None:
            fail(f"not found within {self.row['runs']} runs")
        said = re.sub(r", \d+ runs/s", "", said).replace(folder, "")
        return said, os.path.join(folder, one["record"])

    def check(self, said, path):
        said_alone, _ = self.find(jobs=1)
        if said_alone != said:
            fail(f"one job and two jobs differ:\n{said_alone}\n{said}")
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
    parser.add_argument("name")
    arguments = parser.parse_args()
    variant = Variant(arguments)
    said, path = variant.find()
    print(said, end="")
    variant.check(said, path)


if __name__ == "__main__":
    main()
