#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule has a case that keeps it and, where a driver can break it, one that breaks it.

    run.py --program P --drivers DIR [--modules DIR] [--area life] [--rule R-CQ-07 ...] [--jobs N]
    run.py --program P --missing      list what is missing, judge nothing
    run.py --program P --complete     fail if anything is missing
    run.py --program P --page docs/checks.md [--update]

README.md says where cases stand and what is asked of them.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CONFORM = os.path.join(HERE, "..", "..", "scenarios", "conform")
HELD, RULE_BROKEN = 0, 3


def area_of(rule):
    return rule["area"].removeprefix("R-").lower()


def kept_cases(rule):
    return sorted(glob.glob(os.path.join(HERE, rule["id"], "kept.json")) +
                  glob.glob(os.path.join(HERE, rule["id"], "kept-*.json")))


def broken_cases(rule):
    return sorted(glob.glob(os.path.join(HERE, rule["id"], "broken.json")) +
                  glob.glob(os.path.join(HERE, rule["id"], "broken-*.json")))


def conform_cases(rule):
    return sorted(glob.glob(os.path.join(CONFORM, rule["id"] + ".json")) +
                  glob.glob(os.path.join(CONFORM, rule["id"] + "-*.json")))


def faulty_cases(area):
    """faulty/<area>-<what>.json: a driver as somebody errs, found by random runs."""
    return sorted(glob.glob(os.path.join(HERE, "faulty", (area or "*") + "-*.json")))


def expectations(path):
    """Those of the file, or of what it extends."""
    with open(path, encoding="utf-8") as file:
        scenario = json.load(file)
    if "expect" not in scenario and "extends" in scenario:
        return expectations(os.path.join(os.path.dirname(path), scenario["extends"]))
    return scenario.get("expect", [])


def variant_tables():
    """variants/<area>.json: rule -> variant, where it is not breaks-<rule>."""
    table = {}
    for path in sorted(glob.glob(os.path.join(HERE, "variants", "*.json"))):
        with open(path, encoding="utf-8") as file:
            for rule, variant in json.load(file).items():
                if rule in table:
                    sys.exit(f"{path}: {rule} has a variant already, {table[rule]}")
                table[rule] = variant
    return table


def planted():
    """The variants that variants/<area>.cmake makes, read from their text."""
    names = set()
    for path in glob.glob(os.path.join(HERE, "variants", "*.cmake")):
        with open(path, encoding="utf-8") as file:
            names.update(re.findall(r"^\s*ndksim_add_variant\(\s*(\S+)", file.read(), re.M))
    return names


def missing_of(rule, variants, names):
    """What the rule lacks, as words."""
    lacks = []
    if rule["missing"]:
        lacks.append("watcher")
    if not kept_cases(rule) and not conform_cases(rule):
        lacks.append("kept case" if rule["held"] != "tested" else "conformance case")
    if rule["held"] == "watched" and not broken_cases(rule):
        lacks.append("broken case")
    if rule["held"] == "tested" and not variants_of(rule, variants, names):
        lacks.append("variant")
    return lacks


def variants_of(rule, variants, names):
    """breaks-<rule> or what the tables say, and breaks-<rule>-<what>: each breaks another part."""
    first = "breaks-" + rule["id"].lower()
    return [name for name in sorted(names)
            if name == variants.get(rule["id"], first) or name.startswith(first + "-")]


class Runner:
    def __init__(self, arguments, modules):
        self.program = arguments.program
        self.environment = dict(os.environ, NDKSIM_DRIVER_DIR=modules)

    def ndksim(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=False,
                              env=self.environment)

    def result(self, path):
        """Exit code, the JSON result (None if there is none), and all that was printed."""
        done = self.ndksim("run", path, "--json")
        try:
            result = json.loads(done.stdout[:done.stdout.rindex("\n}\n") + 3])
        except ValueError:
            result = None
        return done.returncode, result, done.stdout + done.stderr

    def judge_kept(self, path):
        code, result, said = self.result(path)
        if result is None or code != HELD:
            return f"exit {code}\n{said}"
        if result["findings"]:
            return f"findings: {[finding['id'] for finding in result['findings']]}"
        return None

    def judge_broken(self, rule, path):
        """The expected finding, by its id or that of what it is seen as, and nothing else."""
        ids = {rule["id"], rule.get("seen_as", rule["id"])}
        wanted = [one for one in expectations(path) if "finding" in one]
        if len(wanted) != 1 or wanted[0]["finding"] not in ids or "guilty" not in wanted[0]:
            return f"expects no finding of {sorted(ids)} with its guilty side"
        side = wanted[0]["guilty"].split()[0]
        if rule["bound"] not in ("both", side):
            return f"blames a {side}, the rule binds {rule['bound']}s"
        code, result, said = self.result(path)
        if result is None or code != HELD:
            return f"exit {code}\n{said}"
        found = {finding["id"] for finding in result["findings"]}
        if found - ids:
            return f"also found: {sorted(found - ids)}"
        return None

    def judge_faulty(self, path):
        """What is expected is found within the scenario's number of runs, and nothing else."""
        with tempfile.TemporaryDirectory(prefix="ndksim-faulty-") as out:
            done = self.ndksim("fuzz", path, "-q", "--jobs", "1", "--out", out)
        if not any("finding" in one for one in expectations(path)):
            return "expects no finding"
        return None if done.returncode == HELD else f"exit {done.returncode}\n{done.stdout}" + \
            done.stderr

    def conform(self, module, rule):
        done = self.ndksim("conform", "--driver", module, "--rule", rule["id"], "--jobs", "1",
                           "--json")
        try:
            return done.returncode, json.loads(done.stdout)["rules"][0], done.stdout + done.stderr
        except ValueError:
            return done.returncode, None, done.stdout + done.stderr

    def judge_conform(self, rule):
        code, result, said = self.conform("ndksim-rnic", rule)
        if code != HELD or result["state"] != "kept":
            return f"exit {code}\n{said}"
        lost = [one["file"] for one in result["cases"] if one["state"] != "kept"]
        return f"not reached: {lost}" if lost else None

    def judge_variant(self, rule, variant):
        code, result, said = self.conform(variant, rule)
        if code != RULE_BROKEN or result["state"] != "broken":
            return f"exit {code}\n{said}"
        return None


def tasks_of(runner, rule, variants, names):
    """(label, function) of everything that there is for a rule."""
    tasks = [(path, lambda path=path: runner.judge_kept(path)) for path in kept_cases(rule)]
    tasks += [(path, lambda path=path: runner.judge_broken(rule, path))
              for path in broken_cases(rule)]
    if conform_cases(rule):
        tasks.append((f"{rule['id']}: the reference provider",
                      lambda: runner.judge_conform(rule)))
    if rule["held"] == "tested":
        tasks += [(f"{rule['id']}: {variant}",
                   lambda variant=variant: runner.judge_variant(rule, variant))
                  for variant in variants_of(rule, variants, names)]
    return tasks


def strays(rules):
    """Cases of rules that do not exist, and kinds of cases that a rule cannot have."""
    known = {rule["id"]: rule for rule in rules}
    wrong = []
    for path in sorted(glob.glob(os.path.join(HERE, "R-*"))):
        name = os.path.basename(path)
        if name not in known:
            wrong.append(f"{path}: there is no rule {name}")
        for case in os.listdir(path):
            if not re.fullmatch(r"(kept|broken)(-[a-z0-9-]+)?\.json", case):
                wrong.append(f"{path}/{case}: expected kept*.json or broken*.json")
            elif case.startswith("broken") and known.get(name, {}).get("held") != "watched":
                wrong.append(f"{path}/{case}: {name} is not watched")
    for path in sorted(glob.glob(os.path.join(CONFORM, "*.json"))):
        match = re.fullmatch(r"(R-[A-Z]+-\d\d)(-[a-z0-9-]+)?\.json", os.path.basename(path))
        if not match or known.get(match[1], {"bound": "consumer"})["bound"] == "consumer":
            wrong.append(f"{path}: its name begins with no rule of providers")
    for rule in variant_tables():
        if rule not in known:
            wrong.append(f"variants: there is no rule {rule}")
    return wrong


def farm(folder, sources):
    """One folder of modules: what is shipped, and what was built for these tests."""
    for source in sources:
        for path in glob.glob(os.path.join(source, "*.so")) if source else []:
            os.symlink(os.path.abspath(path), os.path.join(folder, os.path.basename(path)))


def run(arguments, rules):
    variants, names = variant_tables(), planted()
    folder = tempfile.mkdtemp(prefix="ndksim-rules-")
    failed = [(text, "") for text in strays(rules)]
    try:
        farm(folder, (arguments.drivers, arguments.modules))
        runner = Runner(arguments, folder)
        chosen = [rule for rule in rules
                  if (not arguments.area or area_of(rule) == arguments.area) and
                  (not arguments.rule or rule["id"] in arguments.rule)]
        tasks = [task for rule in chosen for task in tasks_of(runner, rule, variants, names)]
        if not arguments.rule:
            tasks += [(path, lambda path=path: runner.judge_faulty(path))
                      for path in faulty_cases(arguments.area)]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for (label, _), wrong in zip(tasks, pool.map(lambda task: task[1](), tasks)):
                if wrong is not None:
                    failed.append((label, wrong))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for label, wrong in failed:
        print(f"FAILED {os.path.relpath(label) if label.startswith('/') else label}: {wrong}")
    print(f"{len(chosen)} rules, {len(tasks)} cases, {len(failed)} wrong")
    return 1 if failed else 0


def say_missing(rules, judge):
    variants, names = variant_tables(), planted()
    count = 0
    for rule in rules:
        lacks = missing_of(rule, variants, names)
        if lacks:
            count += 1
            print(f"{rule['id']:<12} {rule['held']:<12} {', '.join(lacks)}")
    print(f"{len(rules)} rules, {count} lack something")
    return 1 if judge and count else 0


def check_page(arguments):
    said = subprocess.run([arguments.program, "list", "checks"], capture_output=True, text=True,
                          check=True).stdout
    if arguments.update:
        with open(arguments.page, "w", encoding="utf-8") as file:
            file.write(said)
    with open(arguments.page, encoding="utf-8") as file:
        if file.read() == said:
            return 0
    print(f"{arguments.page} is old: tests/rules/run.py --program NDKSIM --page FILE --update")
    return 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--drivers", help="where the shipped drivers are")
    parser.add_argument("--modules", help="where variants and faulty drivers are")
    parser.add_argument("--area")
    parser.add_argument("--rule", action="append")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--complete", action="store_true")
    parser.add_argument("--page", help="docs/checks.md: is it what the program says?")
    parser.add_argument("--update", action="store_true", help="with --page: write it")
    arguments = parser.parse_args()
    if arguments.page:
        return check_page(arguments)
    listed = subprocess.run([arguments.program, "list", "rules", "--json"], capture_output=True,
                            text=True, check=True)
    rules = json.loads(listed.stdout)
    if arguments.missing or arguments.complete:
        if arguments.area:
            rules = [rule for rule in rules if area_of(rule) == arguments.area]
        return say_missing(rules, arguments.complete)
    if arguments.drivers is None:
        arguments.drivers = os.path.join(os.path.dirname(os.path.abspath(arguments.program)),
                                         "drivers")
    if arguments.modules is None:
        arguments.modules = os.path.join(os.path.dirname(os.path.abspath(arguments.program)),
                                         "tests", "rules", "modules")
    return run(arguments, rules)


if __name__ == "__main__":
    sys.exit(main())
