#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `ndksim conform` says of providers that are not whole: conform.py NDKSIM LIBRARY FAULTY.

The provider that `ndksim init --provider` makes, as it is and with one change.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
HELD, USAGE, RULE = 0, 2, 3
SECONDS_MAX = 200

SCRATCH = tempfile.TemporaryDirectory()


def program(*words):
    return subprocess.run([PROGRAM, *words], cwd=SCRATCH.name, text=True, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX)


def setUpModule():
    done = program("init", "--provider", "skeleton")
    assert done.returncode == 0, done.stderr
    build("skeleton.so")


def build(name):
    sources = sorted(glob.glob(os.path.join(SCRATCH.name, "skeleton", "*.c")))
    done = program("build-driver", "-o", name, *sources)
    assert done.returncode == 0, done.stdout + done.stderr


def build_changed(name, file, old, new):
    path = os.path.join(SCRATCH.name, "skeleton", file)
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    assert old in text, old
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text.replace(old, new, 1))
    build(name)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


class Skeleton(unittest.TestCase):
    def conform(self, module, *words):
        done = program("conform", "--driver", f"./{module}", "--json", *words)
        return done.returncode, json.loads(done.stdout)

    def test_what_it_does_not_have_is_not_reached_and_only_what_was_seen_broken_is_broken(self):
        code, result = self.conform("skeleton.so")
        broken = [rule["id"] for rule in result["rules"] if rule["state"] == "broken"]
        self.assertEqual((code, broken), (RULE, ["R-NDIS-03"]))
        self.assertGreater(result["totals"]["kept"], 20)
        reasons = [case["reason"] for rule in result["rules"] for case in rule["cases"]
                   if rule["state"] == "not_reached" and case["state"] == "not_reached"]
        self.assertGreater(len(reasons), 200)
        self.assertNotIn("", reasons)
        self.assertIn("this provider answers that it does not support ndk.create_pd", reasons)

    def test_its_keywords_are_read(self):
        for rule in ("R-NDIS-28", "R-NDIS-29", "R-NDIS-38", "R-ADPT-05"):
            code, result = self.conform("skeleton.so", "--rule", rule)
            self.assertEqual((code, result["rules"][0]["state"]), (HELD, "kept"), rule)

    def test_a_breach_of_another_rule_first_is_told_of_that_rule(self):
        code, result = self.conform("skeleton.so", "--rule", "R-NDIS-09", "--rule", "R-NDIS-03")
        states = {rule["id"]: rule for rule in result["rules"]}
        self.assertEqual(code, RULE)
        self.assertEqual(states["R-NDIS-03"]["state"], "broken")
        self.assertEqual(states["R-NDIS-09"]["state"], "not_reached")
        self.assertIn("another rule was broken first: R-NDIS-03",
                      states["R-NDIS-09"]["cases"][0]["reason"])

    def test_what_is_there_and_wrong_is_broken(self):
        build_changed("wrong.so", "keywords.c", "if (Technology != NdkRoCEv2)", "if (0)")
        code, result = self.conform("wrong.so", "--rule", "R-NDIS-28")
        self.assertEqual((code, result["rules"][0]["state"]), (RULE, "broken"))

    def test_a_capability_that_it_does_not_have_is_needed(self):
        code, result = self.conform("skeleton.so", "--rule", "R-MOD-03")
        self.assertEqual((code, result["rules"][0]["state"]), (HELD, "not_reached"))
        self.assertIn("needs interrupt moderation", result["rules"][0]["cases"][0]["reason"])


class NotStarting(unittest.TestCase):
    """A module whose DriverEntry goes wrong is told in a line, and no rule is judged."""

    ENTRY = """#include <ntddk.h>
DRIVER_INITIALIZE DriverEntry;
NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(DriverObject);
    UNREFERENCED_PARAMETER(RegistryPath);
    %s
    return STATUS_NOT_FOUND;
}
"""

    def judge(self, statement, said):
        with open(os.path.join(SCRATCH.name, "entry.c"), "w", encoding="utf-8") as stream:
            stream.write(self.ENTRY % statement)
        done = program("build-driver", "-o", "entry.so", "entry.c")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = program("conform", "--driver", "./entry.so")
        self.assertEqual((done.returncode, done.stdout), (USAGE, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("--driver ./entry.so: it does not start: " + said, done.stderr)

    def test_a_crash(self):
        self.judge("*(volatile int *)16 = 1;",
                   "0x7E, provider host-nic0: a driver wrote to a NULL pointer, offset 0x10")

    def test_a_leak(self):
        self.judge("(VOID) ExAllocatePool2(POOL_FLAG_NON_PAGED, 8, 'xtcR');",
                   "0xC4, provider host-nic0: host-nic0 failed to load and left 1 pool block")


class Json(unittest.TestCase):
    def test_exit_and_totals_are_those_of_the_text(self):
        words = ["conform", "--driver", "./skeleton.so", "--rule", "R-NDIS-03", "--rule",
                 "R-NDIS-09", "--rule", "R-NDIS-28"]
        said, done = program(*words), program(*words, "--json")
        result = json.loads(done.stdout)
        self.assertEqual((said.returncode, done.returncode, result["exit"], result["verdict"]),
                         (RULE, RULE, RULE, "rule broken"))
        totals = result["totals"]
        self.assertEqual((totals["rules"], totals["kept"], totals["broken"],
                          totals["not_reached"]), (3, 1, 1, 1))
        self.assertTrue(re.search(r"3 rules, \d+ cases: 1 kept, 1 broken, 1 not reached",
                                  said.stdout), said.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
