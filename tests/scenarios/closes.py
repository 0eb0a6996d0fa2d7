#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What campaigns of the teardown family must have seen of closes: every order of two kinds of
objects, and every state in which a connector can be closed.

    closes.py --program P --scenario FILE [--scenario FILE...] --provider DIR --out DIR [--runs N]

The provider's states are those whose cell for a close stands in its transition table, so that a new
state is asked for as soon as it is there.
"""
import argparse
import itertools
import json
import os
import re
import subprocess
import sys

KINDS = ["connector", "cq", "listener", "mr", "pd", "qp"]
TWICE = ["cq before cq", "mr before mr"]
KNOWN_TO_CONSUMER = [
    "connecting", "connect done", "connect failed", "completing", "complete failed", "connected",
    "offered", "accepting", "accept failed", "disconnecting", "disconnect failed",
    "peer disconnected",
]
def provider_states(folder):
    with open(os.path.join(folder, "cm.h"), encoding="utf-8") as file:
        names = re.search(r"#define RNIC_CM_STATES\(X\)(.*?)\n\n", file.read(), re.S).group(1)
    names = re.findall(r"X\((\w+)\)", names)
    with open(os.path.join(folder, "cm_table.c"), encoding="utf-8") as file:
        closes = re.findall(r"(?:GO|STAY)\((\w+), Close\b", file.read())
    return {name: names.index(name) for name in closes}


def missing_of(seen, folder):
    orders = [f"{a} before {b}" for a, b in itertools.permutations(KINDS, 2)] + TWICE
    for name in orders:
        if name not in seen.get("close_order", {}):
            yield f"close order: {name}"
    for name in KNOWN_TO_CONSUMER:
        if name not in seen.get("connector_at_close", {}):
            yield f"connector at close: {name}"
    for name, number in provider_states(folder).items():
        if str(number) not in seen.get("provider_connector_at_close", {}):
            yield f"provider's connector at close: {name} ({number})"


def campaign(arguments, scenario):
    path = os.path.join(arguments.out, "coverage.json")
    done = subprocess.run([arguments.program, "fuzz", scenario, "--runs", str(arguments.runs),
                           "--out", arguments.out, "--coverage", path],
                          capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(f"fuzz: exit {done.returncode}\n{done.stderr}")
    with open(path, encoding="utf-8") as file:
        seen = json.load(file)
    if seen["runs"] != arguments.runs:
        sys.exit(f"{seen['runs']} runs in {path}")
    return seen


def main():
    parser = argparse.ArgumentParser()
    for option in ("--program", "--provider", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("--scenario", action="append", required=True)
    parser.add_argument("--runs", type=int, default=300)
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    seen = {}
    for scenario in arguments.scenario:
        for kind, counts in campaign(arguments, scenario).items():
            if isinstance(counts, dict):
                seen.setdefault(kind, {}).update(counts)
    missing = list(missing_of(seen, arguments.provider))
    if missing:
        sys.exit("not seen:\n  " + "\n  ".join(missing))


if __name__ == "__main__":
    main()
