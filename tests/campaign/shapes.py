#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fuzzing with one answer shape forced: all inline, all pending, callback first.

    shapes.py --program P --scenarios DIR --out DIR [--runs N] [--jobs N] [--seed N]
              [--strategy S] [NAME...]

Each named scenario of DIR (all when none is named) of correct drivers runs N times with each shape
on every adapter of the reference provider. An adapter that has a shape already keeps it. Whatever
is found fails this: the drivers are correct, and so must be what judges them. The strategy is the
sparse one: scripts that count on a peer's pace do not end as they expect where a side is starved.
"""
import argparse
import json
import os
import subprocess
import sys

SHAPES = {1: "inline", 2: "pending", 3: "callback first"}
KEY = "AnswerShape"


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def merged(path):
    """What a scenario says of nodes and expectations, with what it extends."""
    data = read(path)
    base = data.get("extends")
    if base is None:
        return data.get("nodes", {}), data.get("expect", [])
    nodes, expect = merged(os.path.join(os.path.dirname(path), base))
    for name, node in data.get("nodes", {}).items():
        adapters = {**nodes.get(name, {}).get("adapters", {}), **node.get("adapters", {})}
        nodes[name] = {**nodes.get(name, {}), **node, "adapters": adapters}
    return nodes, data.get("expect", expect)


def is_faulty(name, expect):
    return "faulty" in name or any({"finding", "bugcheck", "verdict"} & set(one) for one in expect)


def has_shape(adapter, path):
    text = json.dumps(adapter.get("quirks", {}))
    return KEY in text or f"quirks.{KEY}" in json.dumps(read(path).get("matrix", {}))


def settings(nodes, path, shape):
    for name, node in nodes.items():
        for adapter, members in node.get("adapters", {}).items():
            if "driver" not in members and not has_shape(members, path):
                yield f"nodes.{name}.adapters.{adapter}.quirks.{KEY}={shape}"


def library(folder):
    for base, _, files in os.walk(folder):
        for name in files:
            if name.endswith(".json"):
                yield os.path.relpath(os.path.join(base, name), folder)[:-len(".json")]


def fuzz(arguments, name, path, nodes, shape):
    out = os.path.join(arguments.out, name.replace("/", "."), f"shape-{shape}")
    os.makedirs(out, exist_ok=True)
    command = [arguments.program, "fuzz", path, "--runs", str(arguments.runs),
               "--jobs", str(arguments.jobs), "--seed", str(arguments.seed), "--out", out,
               "--strategy", arguments.strategy]
    for setting in settings(nodes, path, shape):
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    last = (done.stdout.strip().splitlines() or [""])[-1]
    print(f"{name}, {SHAPES[shape]}: exit {done.returncode}; {last}", flush=True)
    if done.returncode != 0:
        print(done.stdout + done.stderr, flush=True)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--scenarios", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strategy", default="sparse")
    parser.add_argument("--shape", type=int, action="append", choices=SHAPES)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    failed = 0
    for name in sorted(arguments.names or library(arguments.scenarios)):
        path = os.path.join(arguments.scenarios, name + ".json")
        nodes, expect = merged(path)
        if is_faulty(name, expect):
            continue
        for shape in arguments.shape or SHAPES:
            if any(True for _ in settings(nodes, path, shape)):
                failed += not fuzz(arguments, name, path, nodes, shape)
    if failed:
        sys.exit(f"{failed} campaigns failed")


if __name__ == "__main__":
    main()
