#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mailbox NIC by the user's door; see --help.

Builds device and provider with `ndksim build-driver`, with each compiler; then, with what the last
one made: the example's own scenario, `ndksim conform` for what claims.txt claims, the scenarios of
the library that the provider supports (SUPPORTED), random runs of one of them (RACES). A scenario
of the library that is in neither of the two lists is an error: somebody must decide.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

SUPPORTED = [
    "abrupt-peer", "disable-under-load", "driver-reload", "keepalives", "many-connections",
    "partition-heal", "power-cycle", "quickstart", "reconnect-storm", "request-limit",
    "script-arm", "script-choose", "script-handlers", "script-misuse", "script-pair",
    "script-shapes", "second-path", "sessions", "smbd-bad-data", "smbd-bad-negotiation",
    "smbd-silent-client", "stop-while-starting", "surprise-removal-under-load", "teardown-race",
]

# Why others do not run on this hardware.
UNSUPPORTED = {
    "device-reset": "waits for an event of the other provider",
    "keyword-restart": "sets RoCE v2 and a frame size",
    "lossy-long-fat": "sets a limit of the other device",
    "no-listener": "counts frames of the other device's kind",
    "rejected": "counts frames of the other device's kind",
    "script-memory": "binds a memory window",
    "script-wsk": "expects RoCE v2",
    "teardown-handshake": "drops frames of the other device's kind",
}

RACES = {"teardown-race": 40}


def say(text):
    print(text, flush=True)


def call(words, folder):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


def build(options, compiler):
    sources = {kind: sorted(glob.glob(os.path.join(options.example, kind, "*.c")))
               for kind in ("device", "provider")}
    include = ["-I", os.path.join(options.example, "include"), "--compiler", compiler]
    wrong = []
    for kind, words, name in (("device", ["--device"], "mailbox-nic-device.so"),
                              ("provider", [], "mailbox-nic.so")):
        code, said = call([options.program, "build-driver", *words, "-o",
                           os.path.join(options.out, name), *include, *sources[kind]], options.out)
        say(f"build {kind} with {os.path.basename(compiler)}: exit {code}")
        if code != 0 or "warning" in said.replace("0 warnings", ""):
            wrong.append(f"{kind}, {compiler}: exit {code}\n{said}")
    return wrong


def overrides(options, scenario):
    """--driver and --device for every adapter of a scenario, or of the one that it extends."""
    with open(scenario, encoding="utf-8") as file:
        written = json.load(file)
    if "nodes" not in written:
        return overrides(options, os.path.join(os.path.dirname(scenario), written["extends"]))
    nodes = written["nodes"]
    words = []
    for node, what in nodes.items():
        for adapter in what.get("adapters", {}):
            words += ["--driver", f"{node}.{node}-{adapter}={options.out}/mailbox-nic.so",
                      "--device", f"{node}.{adapter}={options.out}/mailbox-nic-device.so"]
    return words


def run_one(options, name, runs):
    scenario = os.path.join(options.scenarios, name + ".json")
    words = [options.program, "run", scenario, "--quiet"]
    if runs is not None:
        words = [options.program, "fuzz", scenario, "--runs", str(runs), "--jobs", "2", "--quiet",
                 "--out", os.path.join(options.out, "found")]
    code, said = call(words + overrides(options, scenario), options.out)
    say(f"{words[1]} {name}: exit {code}")
    return [] if code == 0 else [f"{' '.join(words)}: exit {code}\n{said}"]


def undecided(options):
    """Scenarios of the library that nobody has put into a list."""
    names = [os.path.basename(path)[:-5]
             for path in glob.glob(os.path.join(options.scenarios, "*.json"))]
    return [f"{name}: neither supported nor unsupported" for name in sorted(names)
            if name not in SUPPORTED and name not in UNSUPPORTED]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("program", "example", "scenarios", "out"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--compilers", nargs="+", required=True)
    options = parser.parse_args()
    for name in ("program", "example", "scenarios", "out"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(os.path.join(options.out, "build"))

    wrong = undecided(options)
    for compiler in options.compilers:
        wrong += build(options, compiler)
    if not wrong:
        for name in ("mailbox-nic.so", "mailbox-nic-device.so"):
            shutil.copy(os.path.join(options.out, name), os.path.join(options.out, "build"))
        shutil.copy(os.path.join(options.example, "ping.json"), options.out)
        code, said = call([options.program, "run", "ping.json"], options.out)
        say(f"run ping: exit {code}")
        wrong += [] if code == 0 else [said]
        code, said = call([options.program, "conform", "--driver", "./mailbox-nic.so", "--device",
                           "./mailbox-nic-device.so", "--claims",
                           os.path.join(options.example, "claims.txt"), "--jobs", "2"],
                          options.out)
        say(said.splitlines()[-1] if said else "conform said nothing")
        wrong += [] if code == 0 else [f"conform: exit {code}\n{said}"]
        for name in SUPPORTED:
            wrong += run_one(options, name, None)
        for name, runs in RACES.items():
            wrong += run_one(options, name, runs)
    for text in wrong:
        print(text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
