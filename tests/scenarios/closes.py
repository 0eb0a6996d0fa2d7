#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a campaign of teardown-race must have seen of closes: every order of two kinds of objects,
and every state in which a connector can be closed.

    closes.py --program P --scenario FILE --provider DIR --out DIR [--runs N]

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
# Not by this provider and this scenario.
NEVER = {"MraRepRcvd": "our active side answers a REP without asking for time",
         "Resolving": "everybody's peer is there"}
# State: about how many runs see it once. Asked for when there are five times as many.
RARE = {"MraReqRcvd": 60, "DreqRcvd": 12, "Establishing": 250, "DrainingRcvd": 700,
        # One command of the device, behind a DREQ that has overtaken its RTU.
        "EstablishingDreq": 20000}


def provider_states(folder):
    with open(os.path.join(folder, "cm.h"), encoding="utf-8") as file:
        names = re.search(r"#define RNIC_CM_STATES\(X\)(.*?)\n\n", file.read(), re.S).group(1)
    names = re.findall(r"X\((\w+)\)", names)
    with open(os.path.join(folder, "cm_table.c"), encoding="utf-8") as file:
        closes = re.findall(r"(?:GO|STAY)\((\w+), Close\b", file.read())
    return {name: names.index(name) for name in closes}


def missing_of(seen, folder, runs):
    orders = [f"{a} before {b}" for a, b in itertools.permutations(KINDS, 2)] + TWICE
    for name in orders:
        if name not in seen.get("close_order", {}):
            yield f"close order: {name}"
    for name in KNOWN_TO_CONSUMER:
        if name not in seen.get("connector_at_close", {}):
            yield f"connector at close: {name}"
    for name, number in provider_states(folder).items():
        if name not in NEVER and runs >= 5 * RARE.get(name, 1) and \
                str(number) not in seen.get("provider_connector_at_close", {}):
            yield f"provider's connector at close: {name} ({number})"


def main():
    parser = argparse.ArgumentParser()
    for option in ("--program", "--scenario", "--provider", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("--runs", type=int, default=300)
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    path = os.path.join(arguments.out, "coverage.json")
    done = subprocess.run([arguments.program, "fuzz", arguments.scenario, "--runs",
                           str(arguments.runs), "--out", arguments.out, "--coverage", path],
                          capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(f"fuzz: exit {done.returncode}\n{done.stderr}")
    with open(path, encoding="utf-8") as file:
        seen = json.load(file)
    if seen["runs"] != arguments.runs:
        sys.exit(f"{seen['runs']} runs in {path}")
    missing = list(missing_of(seen, arguments.provider, arguments.runs))
    if missing:
        sys.exit("not seen:\n  " + "\n  ".join(missing))


if __name__ == "__main__":
    main()
