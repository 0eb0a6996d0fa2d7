#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs into a scratch prefix and builds a driver against it:
install_test.py CMAKE BUILD CC LIBDIR.

The driver's project is a copy of tests/install/project, so nothing of the source tree is at hand.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

FILES = (
    "bin/ndksim",
    "lib/ndksim/drivers/ndksim-rnic.so",
    "include/ndksim/wdk/ntddk.h",
    "include/ndksim/wdk/ndkpi.h",
    "include/ndksim/wdk/crt/string.h",
    "include/ndksim/sim/bus.h",
    "include/ndksim/device/device.h",
    "include/ndksim/net/port.h",
    "include/ndksim/rnic_hw/rnic.h",
    "{libdir}/cmake/ndksim/ndksimConfig.cmake",
    "share/ndksim/schema.json",
    "share/ndksim/layout-check.c",
    "share/ndksim/library/quickstart.json",
    "share/man/man1/ndksim.1",
)


def run(*command, code=0, **options):
    """What it printed, errors too."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != code:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}, expected {code}\n"
                 f"{done.stdout}")
    return done.stdout


def check_man_page(program, page):
    """Every command stands in the page twice, every option of it, with what it does, below it."""
    with open(page, encoding="utf-8") as file:
        text = file.read().replace(r"\-", "-")
    for line in run(program, "--help").split("commands:")[1].split("\n"):
        name = line.split()[0] if line.startswith("  ") and line.split() else None
        if name is None or not name.replace("-", "").isalpha():
            continue
        synopsis, commands = text.split(".SH SYNOPSIS")[1].split(".SH COMMANDS")
        usage, sentence = run(program, name, "--help").split("\n")[:2]
        if f".B ndksim {name}\n" not in synopsis or f".SS {name} " not in commands:
            sys.exit(f"{page}: {name} is not in SYNOPSIS and COMMANDS")
        section = commands.split(f".SS {name} ")[1].split("\n.SS ")[0].split("\n.SH ")[0]
        if len(usage) < 60 and f"{name} {section.split(chr(10))[0]}" not in usage:
            sys.exit(f"{page}: {section.split(chr(10))[0]}, not {usage}")
        if sentence.replace("'", r"\(aq") not in section:
            sys.exit(f"{page}: {name} without {sentence}")
        for option in run(program, name, "--help").split("options:")[1].split("\n"):
            words = option.split()
            if not words or not words[0].startswith("-"):
                continue
            entry = section.partition(f".B {words[0]}")[2].split("\n.TP")[0].split("\n")
            if len(entry) < 2 or not entry[1] or len(entry[0]) > 40:
                sys.exit(f"{page}: nothing about {words[0]} of {name}: {entry}")
    if shutil.which("man") and sys.platform.startswith("linux"):
        shown = run("man", "-l", page, env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        if "EXIT STATUS" not in shown:
            sys.exit(f"{page}: man shows it without its exit codes")


def check_scenarios(program, prefix, environment):
    """All that is installed is good, where it stands; bases are so by what extends them."""
    data = os.path.join(prefix, "share", "ndksim")
    scenarios = [path for path in glob.glob(f"{data}/*/**/*.json", recursive=True)
                 if f"{os.sep}base{os.sep}" not in path and f"{data}/templates" not in path]
    for wanted in ("R-ADPT-14/kept", "R-ADPT-16/kept", "R-NDIS-33/kept", "R-OWN-14/kept"):
        if f"{data}/rules/{wanted}.json" not in scenarios:
            sys.exit(f"rules/{wanted}.json is not installed")
    run(program, "check", "-q", *sorted(scenarios), env=environment)
    said = run(program, "conform", "--driver", "ndksim-rnic", env=environment)
    if " 0 broken, 0 not reached" not in said:
        sys.exit(f"conform in the prefix:\n{said}")


def check_conformance(program, module, environment):
    """A provider that has no version 2 and no fault points is tried on every rule all the same."""
    said = run(program, "conform", "--driver", module, "--rule", "R-LIFE-34", "--rule",
               "R-ADPT-08", "--rule", "R-CMPL-12", env=environment)
    for wanted in ("there is no fault point \"provider.create_pd",
                   " 1 kept, 0 broken, 2 not reached"):
        if wanted not in said:
            sys.exit(f"conform of a small provider, no {wanted}:\n{said}")


def check_template(cmake, compiler, prefix, made, kind, environment):
    """What init makes builds and passes at once, with CMake and with build-driver."""
    program, name = os.path.join(prefix, "bin", "ndksim"), os.path.basename(made).replace("-", "_")
    run(program, "init", f"--{kind}", made, env=environment)
    run(program, "init", made, code=2, env=environment)
    run(cmake, "-S", made, "-B", f"{made}/build", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={compiler}")
    run(cmake, "--build", f"{made}/build")
    run(os.path.join(os.path.dirname(cmake), "ctest"), "--test-dir", f"{made}/build",
        env=environment)
    with open(os.path.join(made, "README.md"), encoding="utf-8") as file:
        words = [line.split("`") for line in file if "ndksim build-driver" in line]
    for line in words:
        command = next(one for one in line if "build-driver" in one).split()
        run(program, *command[1:], "--compiler", compiler, cwd=made, env=environment)
    if kind == "provider":
        check_conformance(program, f"{made}/build/{name}.so", environment)
    scenario = next(iter(sorted(glob.glob(f"{made}/*.json"))))
    if not words or name not in run(program, "check", "--verbose", scenario, env=environment):
        sys.exit(f"{scenario} does not name {name}")


def speaks(program, project, environment, module, *, traced="STATUS_DATA_ERROR"):
    shown = run(program, "run", f"{project}/hello.json", "--driver", f"hello={module}", "--log",
                f"{project}/log.txt", env=environment)
    with open(f"{project}/log.txt", encoding="utf-8") as file:
        log = file.read()
    if "hello from another project" not in shown or f"traced {traced}" not in log:
        sys.exit(f"{module} did not speak:\n{shown}{log}")


def check_project(cmake, program, project, compiler, environment):
    """CMake's drivers are prepared as build-driver's are, and again when a source has changed."""
    build = f"{project}/build"
    said = run(cmake, "--build", build)
    for wanted in ("hello.c:33: warning: \"long\" has 32 bits on Windows",
                   "hello.c:33: warning: 1UL has 32 bits"):
        if wanted not in said:
            sys.exit(f"no warning as {wanted}:\n{said}")
    speaks(program, project, environment, f"{build}/hello.so")
    speaks(program, project, environment, f"{build}/hello-touched.so")
    said = run(cmake, "--build", build)
    if "Preparing" in said or "Building" in said:
        sys.exit(f"nothing had changed, and it was built again:\n{said}")
    with open(f"{project}/hello.c", encoding="utf-8") as file:
        text = file.read()
    with open(f"{project}/hello.c", "w", encoding="utf-8") as file:
        file.write(text.replace("Sub\\Words.H", "SUB\\WORDS.h").replace("1UL", "1"))
    said = run(cmake, "--build", build)
    if "1UL" in said or "Preparing" not in said:
        sys.exit(f"a changed source was not prepared again:\n{said}")
    speaks(program, project, environment, f"{build}/hello.so")
    run(program, "build-driver", "--compiler", compiler, "-I", f"{project}/inc", "-D", "GREETING=3",
        "-o", f"{build}/by-hand.so", f"{project}/hello.c", env=environment)
    speaks(program, project, environment, f"{build}/by-hand.so")


def main():
    cmake, build, compiler, libdir = sys.argv[1:]
    folders = ("NDKSIM_DRIVER_DIR", "NDKSIM_DATA_DIR")
    environment = {key: value for key, value in os.environ.items() if key not in folders}
    with tempfile.TemporaryDirectory() as scratch:
        prefix, project = os.path.join(scratch, "prefix"), os.path.join(scratch, "project")
        run(cmake, "--install", build, "--prefix", prefix)
        for name in FILES:
            if not os.path.exists(os.path.join(prefix, name.format(libdir=libdir))):
                sys.exit(f"{name} is not installed")
        program = os.path.join(prefix, "bin", "ndksim")
        check_man_page(program, os.path.join(prefix, "share/man/man1/ndksim.1"))

        check_scenarios(program, prefix, environment)
        said = run(program, "conform", "--driver", "ndksim-rnic", "--rule", "R-LIFE-05", "--rule",
                   "R-LIFE-24", env=environment)
        if "2 rules, 2 cases: 2 kept" not in said:
            sys.exit(f"conform finds no cases in the prefix:\n{said}")
        said = run(program, "list", "statuses", env=environment)
        if "NdkConnect " not in said or "connected.json" not in said:
            sys.exit(f"list statuses finds no scenarios in the prefix:\n{said}")

        shutil.copytree(os.path.join(HERE, "project"), project)
        run(cmake, "-S", project, "-B", f"{project}/build", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_C_COMPILER={compiler}")
        check_project(cmake, program, project, compiler, environment)
        for kind in ("consumer", "provider", "device"):
            check_template(cmake, compiler, prefix, os.path.join(scratch, f"my-{kind}"), kind,
                           environment)
    print("installed, checked, built against, run")


if __name__ == "__main__":
    main()
