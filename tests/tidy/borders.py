#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Borders of the house: borders.py SOURCE_DIR BUILD_DIR.

For each module, takes the compile command of one of its sources and compiles a file that includes
nothing but one header. What the module may include must compile; what it may not must fail, and
must fail because the header cannot be found.
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile

# module folder -> (headers it may include, headers it must not reach)
BORDERS = {
    "sim/": (["sim/run.h"],
             ["wire/roce.h", "net/link.h", "rnic/device.h", "ntddk.h", "krn/node.h"]),
    "fabric/wire/": (["wire/roce.h"],
                     ["sim/run.h", "net/link.h", "rnic/device.h", "ntddk.h", "krn/node.h"]),
    "fabric/net/": (["sim/run.h", "wire/roce.h", "net/link.h"],
                    ["rnic/device.h", "rnic_hw/rnic.h", "ntddk.h", "krn/node.h"]),
    "fabric/rnic/": (["sim/run.h", "wire/roce.h", "net/link.h", "device/device.h",
                      "rnic_hw/rnic.h"],
                     ["ntddk.h", "ndkpi.h", "krn/node.h", "vrf/verifier.h"]),
    "ndkpi-model/kernel/": (["sim/run.h", "ntddk.h", "krn/node.h"],
                            ["wire/roce.h", "net/link.h", "rnic/device.h", "rnic_hw/rnic.h",
                             "device/device.h", "vrf/verifier.h"]),
    "ndkpi-model/verifier/": (["sim/run.h", "ntddk.h", "ndkpi.h", "krn/node.h", "vrf/verifier.h"],
                              ["wire/roce.h", "net/link.h", "rnic/device.h", "rnic_hw/rnic.h"]),
    "ndkpi-model/provider/": (["ntddk.h", "ndis.h", "ndkpi.h", "rnic_hw/rnic.h"],
                              ["sim/run.h", "wire/roce.h", "net/link.h", "rnic/device.h",
                               "device/device.h", "krn/node.h"]),
    "consumers/ndkping/": (["ntddk.h", "ndkpi.h", "wskndk.h"],
                           ["sim/run.h", "wire/roce.h", "rnic_hw/rnic.h", "krn/node.h"]),
    "consumers/script/": (["ntddk.h", "ndkpi.h", "wskndk.h", "script_program/program.h"],
                          ["sim/run.h", "wire/roce.h", "rnic_hw/rnic.h", "krn/node.h"]),
    "consumers/smb-direct/": (["ntddk.h", "ndkpi.h", "wskndk.h"],
                              ["sim/run.h", "wire/roce.h", "rnic_hw/rnic.h", "krn/node.h"]),
    "scenarios/": (["script_program/program.h", "sim/run.h", "net/link.h", "rnic/device.h",
                    "krn/node.h", "vrf/verifier.h"],
                   []),
}


def command_of(commands, root, folder):
    for command in sorted(commands, key=lambda c: c["file"]):
        if os.path.relpath(command["file"], root).startswith(folder):
            return command
    return None


def compiles(command, header, scratch):
    source = os.path.join(scratch, "border.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(f"#include <{header}>\nextern int ndksim_border;\n")
    words = [w for w in shlex.split(command["command"])
             if not w.endswith((".c", ".o")) and w not in ("-o", "-c", "-MD")]
    words = [w for i, w in enumerate(words)
             if w not in ("-MT", "-MF") and not (i and words[i - 1] in ("-MT", "-MF"))]
    if os.path.basename(words[0]) == "ccache":
        words = words[1:]
    done = subprocess.run([*words, "-fsyntax-only", source], cwd=command["directory"],
                          capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def main():
    root, build = os.path.abspath(sys.argv[1]), sys.argv[2]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    wrong, tried = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder, (allowed, forbidden) in BORDERS.items():
            command = command_of(commands, root, folder)
            if command is None:
                wrong.append(f"{folder}: no source of it is compiled")
                continue
            for header in allowed:
                tried += 1
                good, text = compiles(command, header, scratch)
                if not good:
                    wrong.append(f"{folder}: <{header}> should compile:\n{text}")
            for header in forbidden:
                tried += 1
                good, text = compiles(command, header, scratch)
                if good:
                    wrong.append(f"{folder}: <{header}> is the wrong way and compiles")
                elif "No such file" not in text and "file not found" not in text:
                    wrong.append(f"{folder}: <{header}> fails for another reason:\n{text}")
    for line in wrong:
        print(line)
    print(f"{tried} includes tried, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
