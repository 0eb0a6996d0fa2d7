#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""--pcap with several taps in several files: taps.py NDKSIM LIBRARY.

A client and a server at a switch; one of the links loses frames. What each tap holds must agree
with the ports' own counters and with the other taps, frame by frame; capinfos accepts each file.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import pcapng

PROGRAM, LIBRARY = map(os.path.abspath, sys.argv[1:3])
CLIENT, SERVER = "client.nic0.port0", "server.nic0.port0"


def node(address, name, module, **registry):
    driver = {"as": name, "load": module, "registry": {"LocalAddress": address, **registry}}
    return {"adapters": {"nic0": {"addresses": [address + "/24"]}}, "drivers": [driver]}


SCENARIO = {
    "name": "taps",
    "nodes": {
        "client": node("10.0.0.1", "init", "ndkping-client", RemoteAddress="10.0.0.2"),
        "server": node("10.0.0.2", "target", "ndkping-server"),
    },
    "switches": {"sw0": {}},
    "links": [{"name": "near", "between": ["client.nic0", "sw0"]},
              {"name": "far", "between": ["server.nic0", "sw0"]}],
    "faults": [{"point": "link.drop", "on": "far", "class": "read.*", "probability": "10%"}],
}


class Taps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        with open(os.path.join(cls.scratch.name, "taps.json"), "w", encoding="utf-8") as file:
            json.dump(SCENARIO, file)

    def run_with(self, *taps):
        """Captures by file name, and the ports' counters."""
        words = [PROGRAM, "run", "-q", "taps.json", "--ports", "ports.json"]
        for tap in taps:
            words += ["--pcap", tap]
        done = subprocess.run(words, cwd=self.scratch.name, text=True, capture_output=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.digest = re.search("digest ([0-9a-f]{16})", done.stdout).group(1)
        captures = {}
        for name in {re.sub("^[^=/]*=", "", tap) for tap in taps}:
            path = os.path.join(self.scratch.name, name)
            captures[name] = pcapng.read(path)
            self.assertIn("digest=" + self.digest, captures[name].section_comments[0])
            if shutil.which("capinfos"):
                subprocess.run(["capinfos", path], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(self.scratch.name, "ports.json"), encoding="utf-8") as file:
            return captures, json.load(file)

    def counts(self, capture):
        counts = {}
        for packet in capture.packets:
            key = (packet.interface, "in" if packet.flags & 3 == 1 else "out")
            counts[key] = counts.get(key, 0) + 1
        return counts

    def made(self, ports, name):
        """What the port's device made, whether or not it arrived."""
        return sum(ports[name]["opcode_out"].values())

    def test_without_a_tap_each_frame_is_seen_once_where_it_was_made(self):
        captures, ports = self.run_with("all")
        self.assertEqual(self.counts(captures["all"]), {
            (CLIENT, "out"): self.made(ports, CLIENT), (SERVER, "out"): self.made(ports, SERVER)})

    def test_an_adapter_is_seen_both_ways(self):
        captures, ports = self.run_with("client.nic0=both", "client.nic0.port0:before=out",
                                        "client.*:after=in")
        made, arrived = self.made(ports, CLIENT), ports[CLIENT]["frames_in"]
        self.assertEqual(self.counts(captures["both"]),
                         {(CLIENT, "out"): made, (CLIENT, "in"): arrived})
        self.assertEqual(self.counts(captures["out"]), {(CLIENT, "out"): made})
        self.assertEqual(self.counts(captures["in"]), {(CLIENT, "in"): arrived})
        self.assertEqual(captures["both"].interfaces, [CLIENT])

    def test_a_link_before_and_after_its_faults(self):
        captures, ports = self.run_with("far=plain", "far:before=before", "far:after=after")
        before, after = captures["before"].packets, captures["after"].packets
        lost = [packet for packet in before if any("drop" in text for text in packet.comments)]
        self.assertGreater(len(lost), 0)
        self.assertEqual(len(before) - len(lost), len(after))
        self.assertEqual(ports[SERVER]["frames_in"],
                         sum(packet.interface == SERVER for packet in after))
        self.assertEqual([packet.data for packet in captures["plain"].packets],
                         [packet.data for packet in before])

    def test_a_file_given_again_gets_another_tap(self):
        captures, _ = self.run_with("client.nic0:before=two", "server.nic0:before=two",
                                    "client.nic0:before=one", "server.nic0:before=other")
        self.assertEqual(captures["two"].interfaces, [CLIENT, SERVER])
        self.assertEqual(self.counts(captures["two"]),
                         self.counts(captures["one"]) | self.counts(captures["other"]))

    def test_a_switch_is_all_its_ports_both_ways(self):
        captures, ports = self.run_with("sw0=sw", "sw0.port0:after=port")
        counts = self.counts(captures["sw"])
        self.assertEqual(set(counts), {(f"sw0.port{number}", way) for number in (0, 1)
                                       for way in ("in", "out")})
        for (port, way), count in counts.items():
            if way == "in":
                self.assertEqual(count, ports[port]["frames_in"])
        self.assertEqual(self.counts(captures["port"]),
                         {("sw0.port0", "in"): ports["sw0.port0"]["frames_in"]})

    def test_taps_change_nothing(self):
        self.run_with("all")
        digest = self.digest
        self.run_with("sw0=a", "far:after=b", "client.nic0=c")
        self.assertEqual(self.digest, digest)

    def test_a_file_with_an_equals_sign_has_a_folder(self):
        captures, _ = self.run_with("./a=b")
        self.assertTrue(os.path.exists(os.path.join(self.scratch.name, "a=b")))
        self.assertEqual(captures["./a=b"].interfaces, [CLIENT, SERVER])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
