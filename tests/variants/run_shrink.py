#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Planted bugs, found and shrunk.

    run_shrink.py --program P --modules DIR --scenarios DIR --table FILE --out DIR [NAME...]

Each named row of variants.json (all when none is named) is found as run_variant.py does, then its
record is shrunk: to so few named decisions, with the same failure on replay, of rows that have
`changed` also when two independent initialisations of the driver are swapped, and without it with
the correct driver. At least nine of ten must end with 15 decisions or fewer; a single one must.
"""
import argparse
import json
import os
import sys
import time

from run_variant import GONE, Variant, fail

DECISIONS_MAX = 15


def shrink(variant):
    """How many decisions are left, and how long it took."""
    _, record = variant.find()
    small = os.path.join(variant.out, "small.ndkrun")
    with open(record, encoding="utf-8") as file:
        big = json.load(file)
    start = time.monotonic()
    done = variant.ndksim("shrink", record, "-o", small)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        fail(f"{variant.arguments.name}: shrink: exit {done.returncode}\n"
             f"{done.stdout}{done.stderr}")
    with open(small, encoding="utf-8") as file:
        left = json.load(file)
    if (left["signature"], left["exit"]) != (big["signature"], big["exit"]):
        fail(f"{variant.arguments.name}: another failure is left: {left['sentence']}")
    for one in left["deviations"]:
        if len(left["deviations"]) <= DECISIONS_MAX and not (one["words"] and one["other_order"]):
            fail(f"{variant.arguments.name}: a decision without words: {one}")
    replay(variant, small, left)
    print(f"{variant.arguments.name}: {len(left['deviations'])} of {len(big['deviations'])} "
          f"decisions, {left['events']} of {big['events']} events, {seconds:.1f} s")
    return len(left["deviations"])


def replay(variant, small, left):
    there = {module.get("driver") or module.get("device") for module in left["modules"]}
    for suffix, expected in (("", left["exit"]), ("-changed", left["exit"]), (None, GONE)):
        if suffix == "-changed" and not variant.row.get("changed"):
            continue  # its modules are not built
        options = variant.drivers(suffix) if suffix != "" else []
        # Drivers and devices that were cut are not there to be replaced.
        kept = [word for pair in zip(options[::2], options[1::2])
                if pair[1].split("=")[0] in there for word in pair]
        code, result = variant.replay(small, *kept)
        if code != expected:
            fail(f"{variant.arguments.name}: replay {suffix}: exit {code}, expected {expected}\n"
                 f"{result['reason']}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("--program", "--modules", "--scenarios", "--table", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    with open(arguments.table, encoding="utf-8") as file:
        names = arguments.names or list(json.load(file)["variants"])
    small = 0
    for name in names:
        arguments.name = name
        small += shrink(Variant(arguments)) <= DECISIONS_MAX
    print(f"{small} of {len(names)} end with {DECISIONS_MAX} decisions or fewer")
    if small * 10 < len(names) * 9:
        fail("too few")


if __name__ == "__main__":
    sys.exit(main())
