#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each driver here errs in one way, and the program says so as accidents.json does.

    run.py --program P --modules DIR [--build plain|asan] [--only NAME ...] [--what WHAT ...]
    run.py --program P --modules DIR --try NAME      print what comes of one

WHAT: verdicts, replays, fixed, built; all when absent. README.md says what is asked.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUGCHECK, GONE = 6, 7
IOCTL = 0x222000
BUILT = {"plain": ["null_extension", "wait_in_dpc", "double_free", "unload_timer", "irp_twice"],
         "asan": ["stack_canary", "freed_flag", "null_extension"]}


def read_accidents():
    with open(os.path.join(HERE, "accidents.json"), encoding="utf-8") as file:
        return json.load(file)


def scenario_of(accident, module):
    """Loads the driver, perhaps asks it something, and unloads it much later."""
    steps = [{"do": "load", "driver": "drv", "status": "any"}]
    if "ioctl" in accident:
        steps.append({"do": "ioctl", "driver": "drv", "code": IOCTL, "in": accident["ioctl"],
                      "then": True, "status": "any"})
    steps += accident.get("steps", [])
    if accident.get("unload", True):
        steps.append({"do": "unload", "driver": "drv", "at": accident.get("unload_at", "400ms"),
                      "status": "any"})
    driver = {"as": "drv", "load": module}
    if "registry" in accident:
        driver["registry"] = accident["registry"]
    return {"name": accident["driver"], "nodes": {"node": {"drivers": [driver]}}, "steps": steps,
            "end": accident.get("end", {})}


def places(accident, text):
    """The lines of the source that hold one of the texts, as file:line."""
    with open(os.path.join(HERE, accident["driver"] + ".c"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    found = set()
    for part in text.split("|"):
        here = {f"{accident['driver']}.c:{i + 1}" for i, line in enumerate(lines) if part in line}
        if not here:
            sys.exit(f"{accident['driver']}.c: no line has {part!r}")
        found |= here
    return found


def site_place(finding, what):
    """The driver's line that the first site of that kind names; of any kind: None."""
    for site in finding["sites"]:
        for frame in site["frames"] if what in (None, site["what"]) else ():
            match = re.match(r"(?:.*/)?([a-z_0-9]+\.c:\d+) ", frame)
            if match:
                return match[1]
    return None


def first_place(finding):
    return site_place(finding, None)


def wanted_of(accident, build, mode):
    """The row as it is in a mode of a build."""
    sanitised = accident.get("asan", {}) if build == "asan" else {}
    return {**accident, **sanitised, **accident.get(mode, {})}


def judge(wanted, result):
    """What is wrong with a result; empty when it is as the table says."""
    exit_code = wanted.get("exit", BUGCHECK)
    wrong = []
    if result["exit"] != exit_code:
        wrong.append(f"exit {result['exit']}, expected {exit_code}: {result['reason']}")
    if not result["findings"]:
        return wrong + ["nothing was found"]
    finding = result["findings"][0]
    for key, value in (("id", wanted["id"]), ("guilty", wanted.get("guilty", "consumer drv"))):
        if finding[key] != value:
            wrong.append(f"{key} {finding[key]!r}, expected {value!r}")
    if exit_code == BUGCHECK:
        if finding["name"] == "" or finding["name"] != wanted.get("name", finding["name"]):
            wrong.append(f"name {finding['name']!r}")
        if finding["meaning"] == "":
            wrong.append("no meaning")
    if wanted["says"] not in finding["sentence"]:
        wrong.append(f"says {finding['sentence']!r}, expected {wanted['says']!r}")
    if wanted["at"] is not None and first_place(finding) not in places(wanted, wanted["at"]):
        wrong.append(f"at {first_place(finding)}, "
                     f"expected {sorted(places(wanted, wanted['at']))}")
    for what in ("freed", "acquired", "made"):
        if what in wanted and site_place(finding, what) not in places(wanted, wanted[what]):
            wrong.append(f"{what} at {site_place(finding, what)}, "
                         f"expected {sorted(places(wanted, wanted[what]))}")
    for what in ("remedy", "parameters"):
        if what in wanted and finding[what] != wanted[what]:
            wrong.append(f"{what} {finding[what]!r}, expected {wanted[what]!r}")
    return wrong


def objects_of(text):
    """The JSON objects that a text holds, one behind the other."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while (at := text.find("{", at)) >= 0:
        one, at = decoder.raw_decode(text, at)
        found.append(one)
    return found


class Runner:
    def __init__(self, arguments, folder):
        self.program = arguments.program
        self.modules = os.path.abspath(arguments.modules)
        self.fixed = os.path.join(os.path.dirname(self.modules), "fixed")
        self.build = arguments.build
        self.folder = folder
        self.environment = dict(os.environ, NDKSIM_WATCHDOG_SECONDS="2")
        self.wrong = []
        self.count = 0

    def ndksim(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=False,
                              cwd=self.folder, env=self.environment)

    def say(self, label, wrong):
        self.count += 1
        if wrong:
            self.wrong.append(f"{label}: {'; '.join(wrong)}")

    def write(self, accident, modules, suffix=""):
        path = os.path.join(self.folder, accident["driver"] + suffix + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scenario_of(accident, os.path.join(modules, accident["driver"] + ".so")),
                      file)
        return path

    def modes(self, accident):
        """How this build runs it: plainly and with special pool, as far as it sees it so."""
        plain = "asan" if self.build == "asan" else "plain"
        builds = accident.get("builds", ["plain", "special", "asan"])
        modes = [mode for mode in (plain, "special") if mode in builds]
        return modes if not accident.get("slow") else modes[:1]

    def run_together(self, accidents, mode, modules, suffix=""):
        """One process for all; each run has its own below it. By name: the result."""
        paths = [self.write(one, modules, suffix) for one in accidents]
        words = ["--pool", "special"] if mode == "special" else []
        done = self.ndksim("run", *paths, "--json", *words)
        try:
            return {one["scenario"]: one for one in objects_of(done.stdout)}, done
        except ValueError as error:
            sys.exit(f"{mode}: {error}\n{done.stdout}\n{done.stderr}")

    def verdicts(self, accidents):
        for mode in ("plain", "asan", "special"):
            chosen = [one for one in accidents if mode in self.modes(one) and "runs" not in one]
            if not chosen:
                continue
            results, done = self.run_together(chosen, mode, self.modules)
            for one in chosen:
                result = results.get(one["driver"])
                wanted = wanted_of(one, self.build, mode)
                self.say(f"{one['driver']}, {mode}", judge(wanted, result) if result
                         else [f"no result\n{done.stderr[-2000:]}"])
        for one in accidents:
            if "runs" in one and self.modes(one):
                self.say(f"{one['driver']}, random", self.random(one))

    def random(self, accident):
        """Found within its number of random runs; the kept run says the same again."""
        out = os.path.join(self.folder, "out-" + accident["driver"])
        path = self.write(accident, self.modules)
        mode = self.modes(accident)[0]
        words = ["--pool", "special"] if mode == "special" else []
        done = self.ndksim("fuzz", *words, path, "-q", "--jobs", "1",
                           "--runs", str(accident["runs"]), "--out", out)
        kept = sorted(name for name in os.listdir(out) if name.endswith(".ndkrun")) \
            if os.path.isdir(out) else []
        if len(kept) != 1:
            return [f"{len(kept)} distinct failures\n{done.stdout}{done.stderr}"]
        again = self.ndksim("replay", os.path.join(out, kept[0]), "--json", *words)
        return judge(wanted_of(accident, self.build, mode), objects_of(again.stdout)[0])

    def record_of(self, accident):
        return os.path.join(self.folder, accident["driver"] + ".ndkrun")

    def replay(self, accident):
        """The recorded run says the same again: exit code and digest."""
        mode = self.modes(accident)[0]
        words = ["--pool", "special"] if mode == "special" else []
        record = self.record_of(accident)
        first = self.ndksim("run", self.write(accident, self.modules), "-q", "--record", record,
                            *words)
        again = self.ndksim("replay", record, "-q", *words)
        last = [(done.stdout.strip().split("\n") or [""])[-1] for done in (first, again)]
        digests = [re.findall(r"digest ([0-9a-f]{16})", line) for line in last]
        wanted = wanted_of(accident, self.build, mode).get("exit", BUGCHECK)
        wrong = []
        if (first.returncode, again.returncode) != (wanted, wanted):
            wrong.append(f"exit {first.returncode}, replayed {again.returncode}\n"
                         f"{again.stderr}")
        if digests[0] == [] or digests[0] != digests[1]:
            wrong.append(f"digests {digests}")
        if not wrong and os.path.exists(os.path.join(self.fixed, accident["driver"] + ".so")):
            gone = self.ndksim("replay", record, "-q", *words, "--driver",
                               "drv=" + os.path.join(self.fixed, accident["driver"] + ".so"))
            if gone.returncode != GONE:
                wrong.append(f"the fixed driver: exit {gone.returncode}\n"
                             f"{gone.stdout}{gone.stderr}")
        return wrong

    def replays(self, accidents):
        chosen = [one for one in accidents
                  if "runs" not in one and not one.get("slow") and self.modes(one)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for one, wrong in zip(chosen, pool.map(self.replay, chosen)):
                self.say(f"{one['driver']}, replay", wrong)

    def fixed_ones(self, accidents):
        """The twin that does not err: nothing is found, in any mode of the build."""
        chosen = [one for one in accidents
                  if os.path.exists(os.path.join(self.fixed, one["driver"] + ".so"))]
        results, done = self.run_together(chosen, "special", self.fixed, "-fixed")
        for one in chosen:
            result = results.get(one["driver"])
            if result is None:
                self.say(f"{one['driver']}, fixed", [f"no result\n{done.stderr[-2000:]}"])
            else:
                self.say(f"{one['driver']}, fixed",
                         [str(result["reason"])] if result["exit"] else [])

    def built(self, accidents):
        """A few by `ndksim build-driver`, for this build: the same verdict at the same line."""
        kind = ["--kind", "asan"] if self.build == "asan" else []
        modules = os.path.join(self.folder, "built")
        os.mkdir(modules)
        chosen = [one for one in accidents if one["driver"] in BUILT[self.build]]
        for one in chosen:
            name = one["driver"]
            done = self.ndksim("build-driver", *kind, "-o", os.path.join(modules, name + ".so"),
                               os.path.join(HERE, name + ".c"))
            if done.returncode != 0:
                self.say(f"{name}, built", [done.stdout + done.stderr])
        results, done = self.run_together(chosen, self.build, modules, "-built")
        for one in chosen:
            result = results.get(one["driver"])
            wanted = wanted_of(one, self.build, self.build)
            self.say(f"{one['driver']}, built", judge(wanted, result) if result
                     else [f"no result\n{done.stderr[-2000:]}"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--modules", required=True)
    parser.add_argument("--build", choices=["plain", "asan"], default="plain")
    parser.add_argument("--only", action="append")
    parser.add_argument("--what", action="append",
                        choices=["verdicts", "replays", "fixed", "built"])
    parser.add_argument("--try", dest="one")
    arguments = parser.parse_args()
    arguments.program = os.path.abspath(arguments.program)
    accidents = read_accidents()
    drivers = {name[:-2] for name in os.listdir(HERE) if name.endswith(".c")}
    named = {one["driver"] for one in accidents}
    with tempfile.TemporaryDirectory(prefix="ndksim-accidents-") as folder:
        runner = Runner(arguments, folder)
        if arguments.one:
            one = next(one for one in accidents if one["driver"] == arguments.one)
            done = runner.ndksim("run", runner.write(one, runner.modules), "--pool", "special")
            print(done.stdout + done.stderr)
            return 0
        for name in sorted(drivers ^ named):
            runner.say(name, ["it has no row in accidents.json, or the row no driver"])
        chosen = [one for one in accidents
                  if not arguments.only or one["driver"] in arguments.only]
        what = arguments.what or ["verdicts", "replays", "fixed", "built"]
        if "verdicts" in what:
            runner.verdicts(chosen)
        if "replays" in what:
            runner.replays(chosen)
        if "fixed" in what:
            runner.fixed_ones(chosen)
        if "built" in what:
            runner.built(chosen)
    for line in runner.wrong:
        print(f"FAILED {line}")
    print(f"{len(chosen)} drivers, {runner.count} judged, {len(runner.wrong)} wrong")
    return 1 if runner.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
