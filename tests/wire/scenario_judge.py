#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a shipped scenario with --pcap and --ports and has the capture judged:
scenario_judge.py NDKSIM LIBRARY NAME[/TAG].

What is expected of it stands in scenarios.txt. Exit code: 0 pass, 1 fail, 77 without tshark or when
scenarios.txt says skip.
"""
import glob
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import pcapng
import wire_judge

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ("clean", "lossy", "skip")
# Words of packet comments: a fault meant to break the frame.
EXCUSES = ("corrupt", "truncate")


@dataclass
class Line:
    kind: str = "lossy"
    sets: list = field(default_factory=list)
    expects: list = field(default_factory=list)
    reason: str = ""


def parse(text):
    """{name: Line} of scenarios.txt; ValueError with the number of a wrong line."""
    lines = {}
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        name, kind, options = words[0], words[1] if len(words) > 1 else "", words[2:]
        if kind not in KINDS or name in lines:
            raise ValueError(f"scenarios.txt:{number}: expected NAME[/TAG] {'|'.join(KINDS)} "
                             "[OPTION...], each name once")
        lines[name] = Line(kind)
        if kind == "skip":
            lines[name].reason = " ".join(options)
            continue
        for option in options:
            if "=" in option:
                lines[name].sets.append(option)
            elif option in ("cm", "smb-direct"):
                lines[name].expects.append(f"--expect-{option}")
            else:
                raise ValueError(f"scenarios.txt:{number}: {option} is no option")
    return lines


def find(library, name):
    """The file of NAME[/TAG], in the library or a folder of it."""
    name = f"{name.partition('/')[0]}.json"
    return (glob.glob(os.path.join(library, "**", name), recursive=True) or [name])[0]


def judge_capture(path, arguments):
    if not line_expects_frames(arguments) and not pcapng.read(path).packets:
        print(f"{path}: nothing crossed the wire")
        return 0
    return wire_judge.main([path, *arguments])


def line_expects_frames(arguments):
    return any(argument.startswith("--expect-") for argument in arguments)


def judge(program, scenario, line, folder):
    capture, ports = os.path.join(folder, "run.pcapng"), os.path.join(folder, "ports.json")
    command = [program, "run", "-q", scenario, "--pcap", capture, "--ports", ports]
    for change in line.sets:
        command += ["--set", change]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return 1
    print(done.stdout.strip().split("\n")[-1])
    arguments = list(line.expects)
    if line.kind == "lossy":
        arguments.append("--lossy")
        for word in EXCUSES:
            arguments += ["--excuse", word]
    # One capture for each cell of a matrix; then the statistics are the last cell's only.
    captures = sorted(name for name in os.listdir(folder) if name.endswith(".pcapng"))
    if len(captures) == 1:
        arguments += ["--stats", ports]
    codes = [judge_capture(os.path.join(folder, name), arguments) for name in captures]
    return max(codes, key=(0, wire_judge.SKIP, 1, 2).index, default=1)


def main():
    program, library, name = sys.argv[1:4]
    scenario = find(library, name)
    with open(os.path.join(HERE, "scenarios.txt"), encoding="utf-8") as file:
        line = parse(file.read())[name]
    if line.kind == "skip":
        print(f"SKIPPED: {name}: {line.reason}")
        return wire_judge.SKIP
    with tempfile.TemporaryDirectory() as folder:
        return judge(program, scenario, line, folder)


if __name__ == "__main__":
    sys.exit(main())
