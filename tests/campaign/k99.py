#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How soon each planted bug is found, by each strategy.

    k99.py --program P --modules DIR --scenarios DIR --table FILE --work DIR --out FILE
           [--campaigns N] [--cap N] [--runs-max N] [--jobs N] [--strategy S]... [--record]
           [--print] [NAME...]

For each row of the table and each strategy: N campaigns (30; CAMPAIGNS=299), each with seeds of
its own, each ended by the first failure that is the expected one, or cut off after --cap runs. When
the campaigns of a row and strategy have made --runs-max runs, no more are begun. The default
strategy is also measured with `--focus none` on rows of depth 3 and more, or made to be so
deep.

FILE gets all figures as JSON, and after each campaign what is there so far: when it is there at
the start, what it says of the same program, modules and scenario is not done again, so that Ctrl-C
loses nothing. `--print` makes no run and prints its table. `--record` writes K99 and the number of
runs of `make test` into the table of variants.

Seconds are processor time of `ndksim fuzz` from its start to its end, all of its processes, so that
they are those of an idle core. How K99, its intervals and the ratios are made: statistics99.py.
"""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import re
import statistics
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "variants")]

from run_variant import Variant  # noqa: E402
from statistics99 import k99, ratio  # noqa: E402

DEFAULT = "portfolio"
UNFOCUSED = "portfolio, no focus"
STRATEGIES = (DEFAULT, "random", "jitter", "pct", UNFOCUSED)
OPTIONS = {UNFOCUSED: ["--strategy", "portfolio", "--focus", "none"]}
SEEDS_EACH = 1000000
K99_MAX, K99_MEDIAN_MAX, DEEP_RATIO_MIN = 1500, 150, 8
RUNS_IN_TEST_MAX = 2000


class Timed(Variant):
    """Adds up the processor time of its campaigns."""

    def __init__(self, arguments):
        super().__init__(arguments)
        self.seconds = 0.0

    def ndksim(self, *words):
        if words[0] != "fuzz":
            return super().ndksim(*words)
        out = os.path.join(words[words.index("--out") + 1] + ".said")
        with open(out, "w+", encoding="utf-8") as said:
            pid = os.posix_spawn(self.arguments.program, [self.arguments.program, *words],
                                 os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, said.fileno(), 1),
                                                           (os.POSIX_SPAWN_DUP2, said.fileno(), 2)])
            _, status, usage = os.wait4(pid, 0)
            self.seconds += usage.ru_utime + usage.ru_stime
            said.seek(0)
            text = said.read()
        return Done(os.waitstatus_to_exitcode(status), text)


class Done:
    def __init__(self, returncode, stdout):
        self.returncode, self.stdout, self.stderr = returncode, stdout, ""


class Cell:
    """One row with one strategy."""

    def __init__(self, arguments, name, strategy, kept):
        own = argparse.Namespace(**vars(arguments), name=name)
        own.out = os.path.join(arguments.work, strategy.replace(", ", "-").replace(":", "-"))
        self.arguments, self.name, self.strategy = arguments, name, strategy
        self.variant = Timed(own)
        self.of = of_files(self.variant)
        self.campaigns = kept["campaigns"] if kept and kept["of"] == self.of else []

    def is_done(self):
        return len(self.campaigns) >= self.arguments.campaigns or \
            sum(one["runs"] for one in self.campaigns) >= self.arguments.runs_max

    def step(self):
        """One campaign."""
        number = len(self.campaigns)
        folder = os.path.join(self.variant.out, str(number))
        seed = 1 + (1 + number) * SEEDS_EACH
        options = OPTIONS.get(self.strategy, ["--strategy", self.strategy])
        self.variant.seconds = 0.0
        _, one = self.variant.first(folder, seed, self.arguments.cap, "--jobs", "1", *options)
        runs = one["first_run"] + 1 if one else self.arguments.cap
        self.campaigns.append({"seed": seed, "runs": runs, "found": one is not None,
                               "seconds": round(self.variant.seconds, 3)})

    def figures(self):
        found = sum(one["found"] for one in self.campaigns)
        runs = sum(one["runs"] for one in self.campaigns)
        middle, low, high = k99(found, runs, found < len(self.campaigns))
        return {"variant": self.name, "strategy": self.strategy, "of": self.of,
                "campaigns": self.campaigns, "found": found, "runs": runs,
                "k99": finite(middle), "k99_low": finite(low), "k99_high": finite(high),
                "longest": max((one["runs"] for one in self.campaigns), default=0),
                "seconds": statistics.median(one["seconds"] for one in self.campaigns)
                if self.campaigns else None}


def finite(value):
    return None if math.isinf(value) else round(value, 1)


def of_files(variant):
    """A hash of all that the figures depend on."""
    digest = hashlib.sha256()
    modules = sorted({bug for _, _, bug, _ in variant.modules()})
    for path in (variant.arguments.program, variant.scenario,
                 *(os.path.join(variant.arguments.modules, bug + ".so") for bug in modules)):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:16]


# ---- Measuring ----

def read_kept(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {(one["variant"], one["strategy"]): one for one in json.load(file)["cells"]}


def write(path, kept):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump({"cells": [kept[key] for key in sorted(kept)]}, file, indent=1)
        file.write("\n")
    os.replace(path + ".new", path)


def wanted(rows, arguments):
    for strategy in arguments.strategy or STRATEGIES:
        for name in arguments.names or rows:
            if strategy != UNFOCUSED or is_deep(rows[name]):
                yield name, strategy


def is_deep(row):
    return row["depth"] == "unknown" and row["shape"] == "windows in a row" or \
        isinstance(row["depth"], int) and row["depth"] >= 3


def measure(rows, kept, arguments):
    lock = threading.Lock()
    ends = threading.Event()

    def run(name, strategy):
        cell = Cell(arguments, name, strategy, kept.get((name, strategy)))
        while not cell.is_done() and not ends.is_set():
            cell.step()
            with lock:
                kept[name, strategy] = cell.figures()
                write(arguments.out, kept)
        with lock:
            if cell.campaigns:
                kept[name, strategy] = cell.figures()
                print(line_of(kept[name, strategy]), flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        cells = [pool.submit(run, *one) for one in wanted(rows, arguments)]
        try:
            for cell in cells:
                cell.result()
        except BaseException:
            ends.set()
            pool.shutdown(cancel_futures=True)
            raise
    write(arguments.out, kept)


# ---- Printing ----

def number(value):
    if value is None or math.isinf(value):
        return "-"
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def line_of(one):
    return f"{one['variant']}, {one['strategy']}: K99 {number(one['k99'])} " \
        f"({number(one['k99_low'])} to {number(one['k99_high'])}), {one['found']} of " \
        f"{len(one['campaigns'])} campaigns, {one['runs']} runs, {one['seconds']:.2f} s"


def of_counts(one):
    return one["found"], one["runs"], one["found"] < len(one["campaigns"])


def times(one, other):
    """Of two cells: how many times as many runs the other needs."""
    middle, low, high = ratio(of_counts(one), of_counts(other))
    if middle is None:
        return f"> {number(low)}" if low > 0 else f"< {number(high)}"
    return f"{number(middle)} ({number(low)} to {number(high)})"


def table(rows, kept):
    there = [one for one in STRATEGIES if any(key[1] == one for key in kept)]
    others = [one for one in there if one != DEFAULT]
    yield "K99 (95 %), campaigns that found it, longest campaign, median seconds; then how many " \
        "times as many runs each other strategy needs (95 %)."
    yield ""
    yield "| variant | shape, depth | " + DEFAULT + " | found | longest | s | " + \
        " | ".join(others) + " |"
    yield "|---|---|---:|---:|---:|---:|" + "---:|" * len(others)
    for name, row in rows.items():
        one = kept.get((name, DEFAULT))
        if one is None:
            continue
        ratios = [times(one, kept[name, other]) if (name, other) in kept else ""
                  for other in others]
        yield f"| {name} | {row['shape']}, {row['depth']} | {number(one['k99'])} " \
            f"({number(one['k99_low'])} to {number(one['k99_high'])}) | {one['found']} of " \
            f"{len(one['campaigns'])} | {one['longest']:,} | {one['seconds']:.2f} | " + \
            " | ".join(ratios) + " |"


def of_default(rows, kept):
    return {name: kept[name, DEFAULT] for name in rows if (name, DEFAULT) in kept}


def summary(rows, kept):
    """Sentences, and whether all that must hold does."""
    known = of_default(rows, kept)
    values = [math.inf if one["k99"] is None else one["k99"] for one in known.values()]
    if not values:
        return ["no campaign yet"], True
    middle, most = statistics.median(values), max(values)
    holds = most <= K99_MAX and middle <= K99_MEDIAN_MAX
    lines = [f"{DEFAULT}: {len(values)} variants, K99 at the median {number(middle)} (at most "
             f"{K99_MEDIAN_MAX} is wanted), at most {number(most)} ({K99_MAX})"]
    for other in STRATEGIES[1:]:
        pairs = [(known[name], kept[name, other]) for name in known if (name, other) in kept]
        if not pairs:
            continue
        middles = [least_ratio(*pair) for pair in pairs]
        losses = sum(ratio(of_counts(one), of_counts(two))[2] < 1 for one, two in pairs)
        wins = sum(ratio(of_counts(one), of_counts(two))[1] > 1 for one, two in pairs)
        never = sum(two["found"] == 0 for _, two in pairs)
        middle = statistics.median(middles)
        lines.append(f"{other}: {len(pairs)} variants, at the median {middle:.1f} times as many "
                     f"runs; more for certain on {wins}, fewer on {losses}, never found {never}")
        if other == UNFOCUSED:
            holds = holds and middle >= DEEP_RATIO_MIN
    return lines, holds


def least_ratio(one, other):
    middle, low, _ = ratio(of_counts(one), of_counts(other))
    return low if middle is None else middle


# ---- The table of variants ----

def record(path, known):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for name, one in known.items():
        if one["k99"] is None:
            continue
        value = max(1, math.ceil(one["k99"]))
        start = text.index(f'  "{name}": {{')
        end = text.index("\n  }", start)
        row = re.sub(r'\n +"k99": \d+,', "", text[start:end])
        row = re.sub(r'"runs": \d+,', f'"k99": {value},\n   "runs": '
                     f'{min(5 * value, RUNS_IN_TEST_MAX)},', row)
        text = text[:start] + row + text[end:]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def options():
    parser = argparse.ArgumentParser()
    for option in ("--program", "--modules", "--scenarios", "--table", "--work", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("--campaigns", type=int, default=int(os.environ.get("CAMPAIGNS", "30")))
    parser.add_argument("--cap", type=int, default=5000)
    parser.add_argument("--runs-max", type=int, default=50000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--strategy", action="append", choices=STRATEGIES)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def main():
    arguments = options()
    with open(arguments.table, encoding="utf-8") as file:
        rows = json.load(file)["variants"]
    kept = read_kept(arguments.out)
    if not arguments.only_print:
        try:
            measure(rows, kept, arguments)
        except KeyboardInterrupt:
            print(f"interrupted; {arguments.out} has what was done", file=sys.stderr)
            return 130
    print("\n".join(table(rows, kept)) + "\n")
    lines, holds = summary(rows, kept)
    print("\n".join(lines))
    if arguments.record:
        record(arguments.table, of_default(rows, kept))
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
