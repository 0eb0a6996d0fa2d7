#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Device models that come as modules: devices.py NDKSIM LIBRARY FAULTY.

The good one copies memory by DMA (scenarios/templates/device); the others are wrong in one thing.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, LIBRARY, FAULTY = map(os.path.abspath, sys.argv[1:4])
MODULES = os.path.join(os.path.dirname(FAULTY), "devices")


def module(name):
    return os.path.join(MODULES, name + ".so")


def scenario(device, **more):
    return {"nodes": {"host": {"adapters": {"nic0": {
        "device": device, "driver": module("test_copier_driver"), "as": "copier",
        "addresses": ["10.0.0.1/24"]}}}},
        "steps": [{"do": "load", "driver": "copier"},
                  {"do": "unload", "driver": "copier", "then": True}], **more}


class Devices(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def ndksim(self, *words, code=0):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def write(self, content, name="copy.json"):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            json.dump(content, file)
        return name

    def refused(self, device):
        said = self.ndksim("check", self.write(scenario(device)), code=2)
        self.assertRegex(said, r"^copy\.json:1:\d+: \$\.nodes\.host\.adapters\.nic0\.device")
        return said

    def test_a_driver_runs_on_somebodys_device(self):
        held = scenario(
            {"load": module("test_copier"), "settings": {"latency": "3us"}},
            faults=[{"point": "copier.copy_fails", "on": "host.nic0", "nth": 2}],
            expect=[{"counter": "copier.copied", "equals": 4},
                    {"counter": "host.nic0.copies", "equals": 4},
                    {"counter": "host.nic0.failures", "equals": 1},
                    {"event": "copier.end", "object": "host.nic0", "at_least": 5}])
        self.ndksim("run", self.write(held), "--twice")
        self.assertRegex(self.ndksim("run", "copy.json", "-v"),
                         r"(?m)^device   host\.nic0: \S+, copier 1, build [0-9a-f]{16}$")

    def test_settings_are_used(self):
        times = []
        for latency in ("2us", "9us"):
            device = {"load": module("test_copier"), "settings": {"latency": latency}}
            said = self.ndksim("run", self.write(scenario(device)), "--json")
            times.append(json.loads(said)["results"][0]["time_ns"]
                         if "results" in json.loads(said) else json.loads(said)["time_ns"])
        self.assertGreater(times[1] - times[0], 4 * 6000)

    def test_campaigns_are_equal_for_any_jobs_and_records_replay(self):
        wrong = scenario(module("test_copier"),
                         faults=[{"point": "copier.copy_fails", "explore": "60%"}])
        self.write(wrong)
        kept = []
        for jobs in ("1", "2"):
            self.ndksim("fuzz", "copy.json", "--runs", "200", "--jobs", jobs, "--out", "o" + jobs,
                        "--strategy", "random", code=1)
            kept.append(sorted(os.listdir(os.path.join(self.folder, "o" + jobs))))
        self.assertEqual(kept[0], kept[1])
        record = os.path.join("o1", next(name for name in kept[0] if name.endswith(".ndkrun")))
        with open(os.path.join(self.folder, record), encoding="utf-8") as file:
            content = json.load(file)
        devices = [one for one in content["modules"] if "device" in one]
        self.assertEqual([one["device"] for one in devices], ["host.nic0"])
        self.assertEqual(devices[0]["module"], module("test_copier"))
        self.assertRegex(devices[0]["build"], "^[0-9a-f]{16}$")
        self.ndksim("replay", record, code=1)

    def test_an_adapter_gets_another_device(self):
        self.write(scenario("rnic"))
        # The driver finds no copier there.
        self.ndksim("run", "copy.json", code=1)
        self.ndksim("run", "copy.json", "--device", f"host.nic0={module('test_copier')}",
                    "--record", "r.ndkrun")
        self.ndksim("replay", "r.ndkrun")
        self.ndksim("replay", "r.ndkrun", "--device", "host.nic0=rnic", code=7)
        said = self.ndksim("run", "copy.json", "--device", "host.nic1=rnic", code=2)
        self.assertIn('there is no adapter "host.nic1"; did you mean "host.nic0"?', said)
        self.ndksim("run", "copy.json", "--device", "host.nic0", code=2)

    def test_lists_speak_of_modules(self):
        self.assertRegex(self.ndksim("list", "devices", module("test_copier")),
                         r"^copier +1 +Copies memory by DMA\.\ncopier +latency +a time, .*From GO")
        self.assertRegex(self.ndksim("list", "devices"), r"(?m)^rnic +qp_count_max +a power of two")
        self.assertRegex(self.ndksim("list", "faults", module("test_copier")),
                         r"^copier\.copy_fails +\S+ +A copy moves nothing")
        self.ndksim("list", "devices", FAULTY, code=2)

    def test_settings_are_checked(self):
        for settings, expected in (
                ({"latency": "0ns"}, "0 is out of bounds; expected a time, 1ns to 1000000000ns"),
                ({"latency": 5}, "expected a time, 1ns to 1000000000ns, got a whole number"),
                ({"latenzy": "5us"}, 'there is no setting "latenzy"; did you mean "latency"?')):
            said = self.refused({"load": module("test_copier"), "settings": settings})
            self.assertIn(expected, said)

    def test_modules_that_are_no_good_are_refused(self):
        for wrong, expected in (
                ("version", "is made for version 2 of the device interface, this program has 1"),
                ("layout", "was built with headers of another ndksim"),
                ("name", "it has no name of letters, digits, - and _"),
                ("setting", 'a setting needs a name of lower case letters'),
                ("event", 'an event needs a name such as "mydevice.dma" ("begin")'),
                ("fault", "a fault point needs a name"),
                ("create", 'device "wrong": a ring of 64 entries is no good'),
                ("bars", "no multiple of 4096 bytes")):
            self.assertIn(expected, self.refused(module("test_wrong_" + wrong)))
        self.assertIn("shows no ndksim_device_model: it is a driver", self.refused(FAULTY))
        self.assertIn("no such module", self.refused("./none.so"))
        self.assertIn('there is no device "none"; expected "rnic"', self.refused("none"))

    def test_what_a_model_says_of_itself_is_checked(self):
        self.write(scenario(module("test_wrong_check")))
        said = self.ndksim("run", "copy.json", code=134)
        self.assertIn("host.nic0: nothing holds", said)

    def test_an_accident_of_a_model_is_its_own(self):
        self.write(scenario(module("test_wrong_access")))
        said = self.ndksim("run", "copy.json", code=134)
        self.assertRegex(said, r"the device model \S+test_wrong_access\.so went wrong")
        self.assertIn("bar_read", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
