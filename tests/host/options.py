#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each common option with each command that runs scenarios: options.py NDKSIM LIBRARY FAULTY.

One table: option -> what must come of it. A check is given the command and must see the option's
effect, not just its acceptance. An option that two of the commands take and the table does not hold
fails the test.
"""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM, LIBRARY, FAULTY = map(os.path.abspath, sys.argv[1:4])
BROKEN = os.path.join(LIBRARY, "field", "s01-faulty.json")
CORRECT = os.path.join(LIBRARY, "field", "s01-correct.json")
COMMANDS = ("run", "fuzz", "replay")
SECONDS_MAX = 100
RUNS = ["--runs", "12", "--jobs", "2"]


class Options(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def program(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX)

    def words(self, command, scenario="broken.json"):
        """A command line whose run fails: a rule is broken."""
        with open(CORRECT, encoding="utf-8") as file:
            faults = json.load(file)["faults"]
        faults.append({"point": "link.delay", "class": "cm.req", "value": "100ns",
                       "probability": "50%"})
        self.write("broken.json", {"extends": BROKEN, "expect": [], "faults": faults})
        if command == "run":
            return ["run", scenario]
        if command == "fuzz":
            return ["fuzz", scenario, *RUNS]
        record = os.path.splitext(scenario)[0] + ".ndkrun"
        if not os.path.exists(self.path(record)):
            self.program("run", "-q", scenario, "--record", record)
        return ["replay", record]

    def do(self, command, *options, scenario="broken.json"):
        return self.program(*self.words(command, scenario), *options)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, scenario):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(scenario, file)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def last(self, done):
        return done.stdout.rstrip("\n").split("\n")[-1]

    # What must come of each option.

    def seed(self, command):
        """Other draws, other digests."""
        plain, other = self.do(command, "--json"), self.do(command, "--json", "--seed", "77")
        self.assertEqual(json.loads(other.stdout)["seed"], 77)
        member = "events" if command == "fuzz" else "digest"
        self.assertNotEqual(json.loads(plain.stdout)[member], json.loads(other.stdout)[member])

    def set(self, command):
        self.assertIn(": renamed, seed", self.last(self.do(command, "--set", "name=renamed")))

    def rule(self, command):
        plain = self.do(command)
        self.assertEqual(plain.returncode, 3)
        done = self.do(command, "--rule", "R-OWN-01=warn:it is known")
        self.assertNotEqual(done.returncode, 3, done.stdout)

    def blame(self, command):
        """It is the consumer's fault: with providers alone in view it is a warning."""
        self.assertEqual(self.do(command, "--blame", "consumer").returncode, 3)
        done = self.do(command, "--blame", "provider")
        self.assertNotEqual(done.returncode, 3, done.stdout)

    def driver(self, command):
        """The correct driver in the place of the faulty one."""
        done = self.do(command, "--driver", "init=s01-correct",
                       *(["--seed", "77"] if command == "run" else []))
        self.assertEqual(done.returncode, 7 if command == "replay" else 0, done.stdout)

    def device(self, command):
        """The built-in device for itself changes nothing; one that is not there is missed."""
        self.assertEqual(self.do(command, "--device", "client.nic0=rnic").returncode, 3)
        done = self.do(command, "--device", "client.nic0=./none.so")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("none.so: no such module", done.stderr)

    def log(self, command):
        self.do(command, "--log", "log.txt")
        self.assertRegex(self.read("log.txt"), rb"(?m)^\d+\.\d{6}ms \S+\.cpu\d PASSIVE target ")
        self.assertRegex(self.read("log.txt"),
                         rb"(?m)^\d+\.\d{6}ms \S+\.cpu\d PASSIVE \S+ NdkConnect of "
                         rb"init\.connector\[0\] is called \(request \d+\) "
                         rb"\[\S+\.c:\d+ \(\w+\)\]$")
        self.assertNotIn(b" ndk.", self.read("log.txt"))

    def trace(self, command):
        self.do(command, "--trace", "trace.txt")
        trace = self.read("trace.txt")
        self.assertIn(b" ndk.connect.done init.connector[0] ", trace)
        self.assertGreater(trace.count(b"\n"), 300)

    def pcap(self, command):
        self.do(command, "--pcap", "all.pcapng", "--pcap", "server.nic0:after=one.pcapng")
        for name in ("all.pcapng", "one.pcapng"):
            capture = self.read(name)
            self.assertEqual(capture[:4], b"\x0a\x0d\x0d\x0a", name)
            self.assertRegex(capture, rb"scenario broken, seed \d+ digest=[0-9a-f]{16}")
        self.assertIn(b"client.nic0.port0", self.read("all.pcapng"))
        self.assertNotIn(b"client.nic0.port0", self.read("one.pcapng"))

    def ports(self, command):
        self.do(command, "--ports", "ports.json")
        ports = json.loads(self.read("ports.json"))
        self.assertGreater(ports["client.nic0.port0"]["frames_out"], 0)

    def junit(self, command):
        self.do(command, "--junit", "junit.xml")
        suite = xml.etree.ElementTree.fromstring(self.read("junit.xml"))
        cases = suite.findall("testcase")
        self.assertEqual(len(cases), 2 if command == "fuzz" else 1)
        self.assertEqual(cases[0].get("name"), "broken")
        for case in cases:
            self.assertEqual(case.find("failure").get("type"), "rule broken")
        self.assertIn("init.connector[0]", cases[-1].find("failure").text)

    def json(self, command):
        result = json.loads(self.do(command, "--json", "--log", "log.txt").stdout)
        self.assertEqual((result["scenario"], result["exit"]), ("broken", 3))
        found = result["failures" if command == "fuzz" else "findings"]
        self.assertIn("init.connector[0]", found[0]["sentence"])
        if command != "fuzz":
            self.assertEqual((found[0]["rule"] != "", found[0]["story"] != []), (True, True))
            self.assertTrue(result["replay"].startswith("ndksim " + command))
        self.assertEqual(json.dumps(result), json.dumps(json.loads(
            self.do(command, "--json", "--log", "log.txt").stdout)), "two are not the same")

    def until(self, command):
        """Before the rule is broken."""
        done = self.do(command, "--until", "9ms")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, "(?m)^note     .*--until")
        if command != "fuzz":
            time = re.search(r", (\d+)\.\d+ms, digest", self.last(done)).group(1)
            self.assertLessEqual(int(time), 9)
        self.assertRegex(self.last(done), "^held so far: ")
        done = self.do(command, "--until", "9ms", "--json", "--junit", "cut.xml")
        result = json.loads(done.stdout)
        self.assertEqual(result["verdict"], "held so far")
        if command == "fuzz":
            self.assertEqual(result["runs_cut"], 12)
        else:
            self.assertIn("whether the work ends", result["not_judged"])
        self.assertIn(b"not judged", self.read("cut.xml"))

    def checks(self, command):
        """Nothing changes, but the time it takes: so the option's bounds must do."""
        member = "events" if command == "fuzz" else "digest"
        plain, checked = self.do(command, "--json"), self.do(command, "--json", "--checks", "1")
        self.assertEqual(checked.stdout, plain.stdout)
        self.assertIn(member, json.loads(checked.stdout))
        self.assertEqual(self.do(command, "--checks", "0").returncode, 2)

    def pool(self, command):
        """A plain read of freed pool, which only special pool sees."""
        driver = {"as": "faulty", "load": FAULTY, "registry": {"Fault": 9}}
        self.write("freed.json", {"nodes": {"one": {"drivers": [driver]}}})
        if command != "fuzz":  # which has it in a share of its runs
            self.assertEqual(self.do(command, scenario="freed.json").returncode, 0)
        done = self.do(command, "--pool", "special", scenario="freed.json")
        self.assertEqual(done.returncode, 7 if command == "replay" else 6, done.stdout)
        self.assertNotIn("SIGSEGV", done.stderr)

    def keep_going(self, command):
        """The run goes on behind the finding, into the unload."""
        if command == "fuzz":
            events = [json.loads(self.do(command, "--json", *more).stdout)["events"]
                      for more in ([], ["--keep-going"])]
        else:
            events = [int(re.search(r"(\d+) events", self.last(self.do(command, *more))).group(1))
                      for more in ([], ["--keep-going"])]
        self.assertGreater(events[1], events[0])

    def verbose(self, command):
        for option in ("-v", "--verbose"):
            plain, more = self.do(command).stdout, self.do(command, option).stdout
            pattern = r"(?m)^fault    .* fired in \d+ runs?$" if command == "fuzz" \
                else r"(?m)^driver   init on client: s01-faulty, build [0-9a-f]{16}$"
            self.assertNotRegex(plain, pattern)
            self.assertRegex(more, pattern)

    def quiet(self, command):
        """No lines of drivers; in fuzz no line about files, and no progress on a terminal."""
        pattern = r"(?m)^files    " if command == "fuzz" else r"(?m)^ +\d+\.\d{6}ms  target "
        self.assertRegex(self.do(command, "--log", "log.txt").stdout, pattern)
        for option in ("-q", "--quiet"):
            done = self.do(command, option, "--log", "log.txt")
            self.assertEqual(done.returncode, 3)
            self.assertNotRegex(done.stdout, pattern)
        if command == "fuzz":
            self.assertIn(b"distinct orders", self.on_terminal(command))
            self.assertEqual(b"", self.on_terminal(command, "-q"))

    def on_terminal(self, command, *options):
        """What a terminal gets as standard error, of a campaign of some seconds."""
        try:
            parent, child = pty.openpty()
        except OSError as error:
            self.skipTest(f"this machine has no terminals to give: {error}")
        words = self.words(command)[:2] + ["--time", "2s", *options]
        with subprocess.Popen([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=child) as process:
            os.close(child)
            seen = b""
            while True:
                try:
                    piece = os.read(parent, 4096)
                except OSError:
                    piece = b""
                if not piece:
                    break
                seen += piece
            process.wait(SECONDS_MAX)
        os.close(parent)
        return seen

    def test_every_common_option_has_its_effect_in_every_command(self):
        for command in COMMANDS:
            for option, check in COMMON.items():
                with self.subTest(command=command, option=option):
                    check(self, command)

    def test_the_table_holds_every_option_that_commands_share(self):
        listed = {}
        for command in COMMANDS:
            for line in self.program(command, "--help").stdout.split("\n"):
                for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", line):
                    listed.setdefault(option, []).append(command)
        shared = {option for option, commands in listed.items() if len(commands) > 1}
        # A campaign's failures are annotated when their records are run again (regress).
        # The debugger's are tried by tests/build-driver/kinds.py.
        self.assertEqual(shared - {"--help", "--annotate", "--gdb", "--break"}, set(COMMON))
        for option in COMMON:
            self.assertEqual(listed[option], list(COMMANDS), option)


COMMON = {
    "--seed": Options.seed, "--set": Options.set, "--rule": Options.rule,
    "--device": Options.device, "--driver": Options.driver, "--log": Options.log,
    "--trace": Options.trace, "--pcap": Options.pcap, "--ports": Options.ports,
    "--junit": Options.junit,
    "--json": Options.json, "--until": Options.until, "--pool": Options.pool,
    "--checks": Options.checks,
    "--keep-going": Options.keep_going, "--blame": Options.blame,
    "--verbose": Options.verbose, "--quiet": Options.quiet,
}


class Several(unittest.TestCase):
    """Files of commands that run several scenarios or cells."""

    setUp, program, path = Options.setUp, Options.program, Options.path
    write, read = Options.write, Options.read

    def test_each_scenario_and_cell_has_files_of_its_own(self):
        base = os.path.join(LIBRARY, "no-listener.json")
        self.write("one.json", {"extends": base})
        self.write("two.json", {"extends": base, "matrix": {"nodes.client.cpus": [1, 2]}})
        self.write("three.json", {"extends": base})
        for command, third, more in (("run", "one.json", ["--record", "kept.ndkrun"]),
                                     ("fuzz", "three.json", ["--runs", "2"])):
            done = self.program(command, "-q", "one.json", "two.json", third, *more,
                                "--pcap", f"{command}.pcapng", "--coverage=c.json"
                                if command == "fuzz" else "--log=l.txt")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        suffixes = ("-one", "-two-0", "-two-1", "-one-2")
        for suffix in suffixes:
            self.assertGreater(len(self.read(f"run{suffix}.pcapng")), 1000)
            self.assertGreater(len(self.read(f"l{suffix}.txt")), 100)
            self.assertIn(b"smb-direct-client", self.read(f"kept{suffix}.ndkrun"))
        for suffix in (*suffixes[:3], "-three"):
            self.assertEqual(json.loads(self.read(f"c{suffix}.json"))["runs"], 2)
        self.assertEqual(len(os.listdir(self.folder)), 3 + 4 * len(suffixes) + 1)

    def test_a_campaign_that_fails_nowhere_writes_no_file_and_says_so(self):
        base = os.path.join(LIBRARY, "no-listener.json")
        done = self.program("fuzz", base, "--runs", "3", "--log", "log.txt")
        self.assertEqual(done.returncode, 0)
        self.assertIn("files    no run failed, none is written: --log log.txt\n", done.stdout)
        self.assertFalse(os.path.exists(self.path("log.txt")))

    def test_junit_has_a_case_for_each_cell(self):
        base = os.path.join(LIBRARY, "no-listener.json")
        self.write("two.json", {"extends": base, "matrix": {"nodes.client.cpus": [1, 2]}})
        for command in (["run"], ["fuzz", "--runs", "3"]):
            self.program(*command, "two.json", "--junit", "junit.xml")
            suite = xml.etree.ElementTree.fromstring(self.read("junit.xml"))
            names = [case.get("name") for case in suite.findall("testcase")]
            self.assertEqual(names, ["two[0: nodes.client.cpus=1]", "two[1: nodes.client.cpus=2]"])

    def test_cells_go_on_behind_an_accident(self):
        driver = {"as": "faulty", "load": FAULTY, "registry": {"Fault": 7}}
        self.write("cells.json", {"nodes": {"one": {"drivers": [driver]}}, "matrix": {
            "nodes.one.drivers[0].registry.Fault": [7, 0, 7]}})
        for more in ([], ["--twice"]):
            done = self.program("run", "-q", "cells.json", "--junit", "junit.xml", *more)
            self.assertEqual((done.returncode, done.stderr), (6, ""), done.stdout)
            suite = xml.etree.ElementTree.fromstring(self.read("junit.xml"))
            failed = [case.find("failure") is not None for case in suite.findall("testcase")]
            self.assertEqual(failed, [True, False, True])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
