#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps that are asked of a driver's device: open, ioctl, close; structures, handles, cancelling.

    steps.py NDKSIM LIBRARY FAULTY
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, LIBRARY, FAULTY = map(os.path.abspath, sys.argv[1:4])
GAUGE = os.path.join(os.path.dirname(FAULTY), "test_gauge.so")
STRUCTURES = {
    "REQUEST": [{"name": "Kind", "type": "uchar"}, {"name": "Factor", "type": "ulong"},
                {"name": "Name", "type": "wchar", "count": 5},
                {"name": "Value", "type": "ulong64"}],
    "ANSWER": [{"name": "Creates", "type": "ushort"}, {"name": "Cleanups", "type": "ushort"},
               {"name": "Closes", "type": "ulong"}, {"name": "Product", "type": "ulong64"},
               {"name": "Name", "type": "wchar", "count": 5}],
}
ASK = {"do": "ioctl", "driver": "drv", "code": "0x222000",
       "in_struct": {"REQUEST": {"Kind": 5, "Factor": 3, "Name": "gauge", "Value": 1 << 40}},
       "out": 32}


class Devices(unittest.TestCase):
    def run_steps(self, *steps):
        with tempfile.TemporaryDirectory(prefix="ndksim-devices-") as folder:
            path = os.path.join(folder, "devices.json")
            first = {"do": "load", "driver": "drv"}
            rest = [{"then": True, **step} if "at" not in step else step for step in steps]
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"nodes": {"one": {"drivers": [{"as": "drv", "load": GAUGE}]}},
                           "structures": STRUCTURES, "steps": [first, *rest]}, file)
            return subprocess.run([PROGRAM, "run", "-q", path], capture_output=True, text=True,
                                  check=False)

    def holds(self, *steps):
        done = self.run_steps(*steps)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def fails(self, text, *steps):
        done = self.run_steps(*steps)
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
        self.assertIn(text, done.stdout)

    def test_structures_have_the_layout_of_the_driver(self):
        product = {"Product": 3 * (1 << 40) + 5, "Name": "gauge"}
        self.holds({**ASK, "expect_struct": {"ANSWER": product}})
        self.fails("byte 8 of the output (32 bytes) is 0x05, not 0x04",
                   {**ASK, "expect_struct": {"ANSWER": {**product, "Product": 3 * (1 << 40) + 4}}})
        self.fails("byte 24 of the output (32 bytes) is 0x65, not 0x00",
                   {**ASK, "expect_struct": {"ANSWER": {"Name": "gaug"}}})

    def test_without_a_handle_each_request_opens_and_closes(self):
        self.holds({**ASK, "expect_struct": {"ANSWER": {"Creates": 1, "Cleanups": 0, "Closes": 0}}},
                   {**ASK, "expect_struct": {"ANSWER": {"Creates": 2, "Cleanups": 1, "Closes": 1}}})

    def test_a_handle_stays_open_until_it_is_closed(self):
        opening = {"do": "open", "driver": "drv", "handle": "first"}
        asked = {**ASK, "handle": "first"}
        self.holds(opening,
                   {**asked, "expect_struct": {"ANSWER": {"Creates": 1, "Cleanups": 0}}},
                   {**opening, "handle": "second", "device": "Gauge0"},
                   {**asked, "expect_struct": {"ANSWER": {"Creates": 2, "Cleanups": 0}}},
                   {"do": "close", "handle": "first"},
                   {**ASK, "handle": "second",
                    "expect_struct": {"ANSWER": {"Cleanups": 1, "Closes": 1}}},
                   {"do": "close", "handle": "second"})

    def test_a_closed_handle_is_none(self):
        self.holds({"do": "open", "driver": "drv", "handle": "h"},
                   {"do": "close", "handle": "h"},
                   {**ASK, "handle": "h", "status": "STATUS_INVALID_HANDLE"},
                   {"do": "close", "handle": "h", "status": "STATUS_INVALID_HANDLE"})

    def test_a_device_that_is_not_there_opens_no_handle(self):
        self.holds({"do": "open", "driver": "drv", "device": "Nothing", "handle": "h",
                    "status": "STATUS_OBJECT_NAME_NOT_FOUND"},
                   {**ASK, "handle": "h", "status": "STATUS_INVALID_HANDLE"})

    def test_a_pending_request_is_cancelled(self):
        pending = {"do": "ioctl", "driver": "drv", "code": "0x222004"}
        self.holds({**pending, "cancel_after": "3ms", "status": "STATUS_CANCELLED"})
        done = self.run_steps(pending)
        self.assertEqual(done.returncode, 4, done.stdout)

    def test_a_request_that_ended_in_time_is_not_cancelled(self):
        self.holds({**ASK, "cancel_after": "3ms"})

    def test_a_driver_is_loaded_again_and_asked_again(self):
        self.holds({**ASK, "expect_struct": {"ANSWER": {"Creates": 1}}},
                   {"do": "unload", "driver": "drv"}, {"do": "load", "driver": "drv"},
                   {**ASK, "expect_struct": {"ANSWER": {"Creates": 1}}})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
