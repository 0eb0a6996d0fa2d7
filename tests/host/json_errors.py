#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrong input with --json is JSON with the reason: json_errors.py NDKSIM LIBRARY FAULTY."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

PROGRAM, LIBRARY = map(os.path.abspath, sys.argv[1:3])
HELD, EXPECTATION, USAGE = 0, 1, 2
SECONDS_MAX = 200

SCRATCH = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(SCRATCH.name, name)


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text if isinstance(text, str) else json.dumps(text))
    return name


def program(*words):
    return subprocess.run([PROGRAM, *words], cwd=SCRATCH.name, text=True, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX)


class WrongInput(unittest.TestCase):
    def error(self, *words):
        done = program(*words, "--json")
        result = json.loads(done.stdout)
        result = result[0] if isinstance(result, list) else result
        self.assertEqual((done.returncode, result["exit"]), (USAGE, USAGE), done.stdout)
        return result

    def test_every_command_says_why(self):
        write("cut.ndkrun", "{")
        write("wrong.json", '{"nodes": 1}')
        for words, reason in (
                (["run", "wrong.json"], "$.nodes"), (["run", "none.json"], "No such file"),
                (["fuzz", "wrong.json"], "$.nodes"), (["replay", "cut.ndkrun"], "cut.ndkrun:1"),
                (["replay", "none.ndkrun"], "No such file"),
                (["explain", "cut.ndkrun"], "cut.ndkrun:1"), (["dump", "none.ndkrun"], "none"),
                (["diff", "none.ndkrun", "cut.ndkrun"], "none"),
                (["likelihood", "none.ndkrun"], "none"), (["conform"], "--driver MODULE"),
                (["conform", "--driver", "./none.so"], "./none.so"),
                (["conform", "--driver", "ndksim-rnic", "--rule", "R-CQ-O7"], "R-CQ-07"),
                (["run", "--sed", "1"], "--seed"), (["run"], "usage: ndksim run"),
                (["list", "nothing"], "nothing"), (["rum", "x"], "run")):
            self.assertIn(reason, self.error(*words)["reason"], words)

    def test_regress_has_the_reason_of_each_record(self):
        os.mkdir(path("records"))
        os.mkdir(path("empty"))
        write("records/cut.ndkrun", "{")
        self.assertIn("cut.ndkrun:1", self.error("regress", "records")["text"])
        self.assertIn("no record", self.error("regress", "empty")["text"])
        self.assertIn("No such file", self.error("regress", "nowhere")["text"])


class Check(unittest.TestCase):
    def test_each_error_has_its_place(self):
        write("rat.json", '{"nodes": {"one": {"cpu": 1,\n "cpuz": 2}}}')
        done = program("check", "--json", "rat.json",
                       os.path.join(LIBRARY, "no-listener.json"))
        wrong, good = json.loads(done.stdout)
        self.assertEqual((done.returncode, wrong["exit"], good["exit"]), (USAGE, USAGE, HELD))
        self.assertEqual((wrong["good"], good["good"], good["errors"]), (False, True, []))
        self.assertEqual([(one["file"], one["line"], one["path"]) for one in wrong["errors"]],
                         [("rat.json", 1, "$.nodes.one.cpu"), ("rat.json", 2, "$.nodes.one.cpuz")])
        self.assertIn("did you mean", wrong["errors"][0]["text"])

    def test_one_file_is_one_object(self):
        done = program("check", "--json", os.path.join(LIBRARY, "no-listener.json"))
        self.assertEqual((done.returncode, json.loads(done.stdout)["exit"]), (HELD, HELD))


class NotLoaded(unittest.TestCase):
    def test_drivers_that_did_not_load_are_told_everywhere(self):
        write("wrong.json", {"nodes": {"one": {"drivers": [
            {"as": "init", "load": "ndkping-client", "registry": {"LocalAddress": "nonsense"}}]}}})
        words = "driver init did not load: STATUS_"
        for command, more in (("run", []), ("fuzz", ["--runs", "2", "--out", "out"])):
            done = program(command, "-q", "wrong.json", "--junit", "junit.xml", "--json", *more)
            result = json.loads(done.stdout)
            one = result["failures"][0] if command == "fuzz" else result
            self.assertEqual(done.returncode, EXPECTATION, done.stdout)
            self.assertEqual(one["not_loaded"][0]["driver"], "init")
            self.assertTrue(one["not_loaded"][0]["status"].startswith("STATUS_"))
            texts = [case.text for case in xml.parse(path("junit.xml")).iter("failure")]
            self.assertTrue(any(words in text for text in texts), texts)
        merged = json.loads(program("merge", "out", "--json").stdout)
        self.assertEqual(merged["failures"][0]["not_loaded"][0]["driver"], "init")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
