#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each fault point crossed with each scenario of correct drivers.

    faults.py --program P --scenarios DIR --out DIR [--jobs N] [--seed N] [--seconds N]
              [--when WHEN ...] [NAME...]

WHEN: first (the first occurrence), often (one of twenty), later (the first after 100 us); all when
absent. A run takes at most --seconds (60). Under a fault expectations may be missed and things may
stand still; but no correct driver breaks a rule or runs into a bugcheck, and nothing dies. Scripts
and sketches do what their scenario says, and do not see an adapter go: what they leave open then
is counted, and fails nothing. Scenarios of what fails are left in --out.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

WHEN = {"first": {"nth": 1, "count": 1}, "often": {"probability": "5%"},
        "later": {"from": "100us", "count": 1}}
VALUES = {"delay_ns": "200us", "frames": 3}
ATTENTIVE = {"smb-direct-client", "smb-direct-server", "ndkping-client", "ndkping-server"}
LEFT_OPEN = {"R-NDIS-14", "R-DISC-16"}
GOOD = {0: "held", 1: "expectation", 4: "stuck"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def merged(path, member, empty):
    """A member of a scenario, of what it extends where it says nothing of it."""
    data = read(path)
    if member in data or "extends" not in data:
        return data.get(member, empty)
    return merged(os.path.join(os.path.dirname(path), data["extends"]), member, empty)


def fault_points(program):
    """By name: its value, or None."""
    done = subprocess.run([program, "list", "faults"], capture_output=True, text=True, check=True)
    points = {}
    for line in done.stdout.splitlines():
        value = re.search(r"Value: (\w+)", line)
        if line.strip() and not line.startswith("points."):
            points.setdefault(line.split()[0], value[1] if value else None)
    return points


def scenarios(folder):
    for base, _, files in os.walk(folder):
        for name in files:
            if name.endswith(".json"):
                path = os.path.join(base, name)
                name = os.path.relpath(path, folder)[:-len(".json")]
                expects = merged(path, "expect", [])
                if "faulty" not in name and "misuse" not in name and not any(
                        {"finding", "bugcheck", "verdict"} & set(one) for one in expects):
                    yield name, path


def loads(path):
    """By the name that a scenario gives a driver: the module."""
    found = {}
    for node in merged(path, "nodes", {}).values():
        for driver in node.get("drivers", []):
            found[driver["as"]] = driver["load"]
    return found


class Crossing:
    def __init__(self, options):
        self.options = options
        self.program = os.path.abspath(options.program)
        self.counts = collections.Counter()
        self.failed = []

    def run(self, path):
        words = [self.program, "run", path, "--json", "-q", "--seed", str(self.options.seed)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False,
                                  timeout=self.options.seconds)
        except subprocess.TimeoutExpired:
            return None, []
        try:
            results = json.loads(done.stdout)
        except ValueError:
            return done.returncode, []
        results = results if isinstance(results, list) else [results]
        return done.returncode, [one for result in results for one in result["findings"]
                                 if one["severity"] == "error"]

    def is_left_open(self, path, finding):
        load = loads(path).get(finding["guilty"].partition(" ")[2])
        return finding["id"] in LEFT_OPEN and load is not None and load not in ATTENTIVE

    def cross(self, name, path, point, value, when):
        fault = {"point": point, **WHEN[when]}
        if value in VALUES:
            fault["value"] = VALUES[value]
        file = os.path.join(self.options.out,
                            f"{name.replace('/', '.')}--{point}--{when}.json")
        with open(file, "w", encoding="utf-8") as stream:
            json.dump({"extends": os.path.abspath(path),
                       "faults": merged(path, "faults", []) + [fault]}, stream)
        code, findings = self.run(file)
        if code in GOOD:
            self.counts[GOOD[code]] += 1
        elif findings and all(self.is_left_open(path, one) for one in findings):
            self.counts["left open"] += 1
        else:
            self.counts["failed"] += 1
            said = findings[0]["sentence"] if findings else "no result"
            said = f"no end within {self.options.seconds} s" if code is None else said
            self.failed.append(f"{file}: exit {code}: {said}")
            return
        os.unlink(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--scenarios", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--when", action="append", choices=sorted(WHEN))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    crossing = Crossing(options)
    points = fault_points(crossing.program)
    chosen = sorted((name, path) for name, path in scenarios(options.scenarios)
                    if not options.names or name in options.names)
    if not chosen:
        sys.exit("faults.py: no such scenario")
    tasks = [(name, path, point, value, when) for name, path in chosen
             for point, value in points.items() for when in options.when or WHEN]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for _ in pool.map(lambda task: crossing.cross(*task), tasks):
            pass
    for line in crossing.failed:
        print(f"FAILED {line}")
    print(f"{len(chosen)} scenarios, {len(points)} faults, {len(tasks)} runs: "
          + ", ".join(f"{count} {what}" for what, count in sorted(crossing.counts.items())))
    sys.exit(1 if crossing.failed else 0)


if __name__ == "__main__":
    main()
