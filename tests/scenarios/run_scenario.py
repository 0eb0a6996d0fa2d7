#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs shipped scenarios and compares digests.

    run_scenario.py --program P --scenarios DIR --digests FILE NAME...   test
    ... --complete       test that the file names exactly the shipped scenarios
    ... --update         write the file anew (after a change that was meant to move digests)
"""
import argparse
import json
import os
import subprocess
import sys


def run(program, path, *options):
    done = subprocess.run([program, "run", path, "--json", *options], capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(f"{path}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    results = json.loads(done.stdout)
    return [cell["digest"] for cell in (results if isinstance(results, list) else [results])]


def names_of(library):
    names = []
    for folder, _, files in os.walk(library):
        for file in files:
            if file.endswith(".json"):
                names.append(os.path.relpath(os.path.join(folder, file), library)[:-5])
    return sorted(names)


def check(arguments, name, known):
    path = os.path.join(arguments.scenarios, name + ".json")
    first = run(arguments.program, path, "--twice")
    # Looking at the simulation's invariants on the way must find nothing and move no digest.
    second = run(arguments.program, path, "--checks", "64")
    if first != second:
        return f"{name}: two processes, two digests: {first} and {second}"
    if name not in known:
        return f"{name}: no digest is recorded; run with --update"
    if known[name] != first:
        return f"{name}: digest {first}, recorded {known[name]}"
    print(f"{name}: {' '.join(first)}")
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--scenarios", required=True)
    parser.add_argument("--digests", required=True)
    parser.add_argument("--complete", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    names = names_of(arguments.scenarios)
    if arguments.update:
        digests = {name: run(arguments.program, os.path.join(arguments.scenarios, name + ".json"))
                   for name in names}
        with open(arguments.digests, "w", encoding="utf-8") as file:
            json.dump(digests, file, indent=1, sort_keys=True)
            file.write("\n")
        print(f"{len(digests)} digests written")
        return 0
    with open(arguments.digests, encoding="utf-8") as file:
        known = json.load(file)
    if arguments.complete:
        if sorted(known) != names:
            print(f"recorded and shipped differ: {sorted(set(known) ^ set(names))}")
            return 1
        return 0
    wrong = [text for text in (check(arguments, name, known) for name in arguments.names) if text]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
