#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program among files, signals and other processes: host.py NDKSIM LIBRARY FAULTY."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM, LIBRARY, FAULTY = map(os.path.abspath, sys.argv[1:4])
QUICK = os.path.join(LIBRARY, "no-listener.json")
SECONDS_MAX = 100


class Host(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def program(self, *words, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.run([PROGRAM, *words], cwd=self.scratch.name, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=SECONDS_MAX, **options)

    def unmet(self):
        """A scenario whose expectation fails, on another line than in its record."""
        with open(self.path("unmet.json"), "w", encoding="utf-8") as file:
            json.dump({"extends": QUICK, "expect": [{"counter": "*.frames_out", "equals": 1}]},
                      file)
        return "unmet.json"

    def test_a_failed_expectation_recurs_on_replay(self):
        self.assertEqual(self.program("run", "-q", self.unmet(), "--record", "r").returncode, 1)
        done = self.program("replay", "-q", "r")
        self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)

    def test_a_failed_expectation_of_fuzzing_recurs_on_replay(self):
        self.program("fuzz", "-q", self.unmet(), "--runs", "1", "--jobs", "1", "--out", "kept")
        records = [name for name in os.listdir(self.path("kept")) if name.endswith(".ndkrun")]
        self.assertEqual(len(records), 1)
        self.assertEqual(self.program("replay", "-q", f"kept/{records[0]}").returncode, 1)

    def test_a_record_goes_through_a_link_and_leaves_it(self):
        os.symlink("behind", self.path("link"))
        self.assertEqual(self.program("run", "-q", QUICK, "--record", "link").returncode, 0)
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.program("replay", "-q", "behind").returncode, 0)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_standard_output_is_no_success(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = self.program("run", QUICK, stdout=full)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output: could not be written whole", done.stderr)

    def test_code_of_an_unloaded_driver_is_named(self):
        driver = {"as": "faulty", "load": FAULTY, "registry": {"Fault": 8}}
        with open(self.path("freed.json"), "w", encoding="utf-8") as file:
            json.dump({"nodes": {"one": {"drivers": [driver]}}}, file)
        for words in ([], ["--json"]):
            done = self.program("run", "-q", "freed.json", *words)
            self.assertEqual((done.returncode, done.stderr), (6, ""), done.stdout)
            self.assertIn("LeavePool", done.stdout)

    def test_an_interrupt_ends_a_run_of_several_scenarios(self):
        words = [PROGRAM, "run", os.path.join(LIBRARY, "quickstart.json"), QUICK, "--log", "log",
                 "--set", "nodes.client.drivers[0].registry.TotalBytesWrite=4294901760"]
        with subprocess.Popen(words, cwd=self.scratch.name, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while not os.path.exists(self.path("log-quickstart")) and process.poll() is None:
                pass
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual((process.returncode, errors), (130, ""))
        self.assertIn("interrupted: quickstart, seed 1", output)
        self.assertNotIn("no-listener", output)

    def test_a_driver_that_ends_the_process_is_a_finding_everywhere(self):
        driver = {"as": "faulty", "load": FAULTY, "registry": {"Fault": 11}}
        with open(self.path("ends.json"), "w", encoding="utf-8") as file:
            json.dump({"nodes": {"one": {"drivers": [driver]}}}, file)
        done = self.program("run", "ends.json", "--json", "--junit", "j.xml", "--record", "r")
        self.assertEqual((done.returncode, done.stderr), (6, ""))
        finding = json.loads(done.stdout)["findings"][0]
        self.assertEqual((finding["id"], finding["guilty"]), ("0x1E", "consumer faulty"))
        self.assertIn("called exit, which ends the process", finding["sentence"])
        self.assertIn("faulty.c:", finding["sites"][0]["frames"][0])
        failure = xml.etree.ElementTree.parse(self.path("j.xml")).find(".//failure")
        self.assertIn("called exit", failure.text)
        self.assertEqual(self.program("replay", "-q", "r").returncode, 6)
        for jobs in "12":
            done = self.program("fuzz", "ends.json", "-q", "--runs", "3", "--jobs", jobs, "--out",
                                "out" + jobs)
            self.assertEqual((done.returncode, done.stderr), (6, ""), done.stdout)
            kept = [name for name in os.listdir(self.path("out" + jobs))
                    if name.endswith(".ndkrun")]
            self.assertEqual(len(kept), 1, done.stdout)
            done = self.program("replay", f"out{jobs}/{kept[0]}")
            self.assertEqual((done.returncode, done.stderr), (6, ""))
            self.assertIn("called exit, which ends the process", done.stdout)

    def test_closed_descriptors_are_no_output(self):
        done = subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", PROGRAM, "fuzz", QUICK,
                               "--runs", "4", "--jobs", "1", "--out", "out"],
                              cwd=self.scratch.name, timeout=SECONDS_MAX, check=False)
        self.assertEqual(done.returncode, 2)

    def test_a_closed_standard_output_is_no_success(self):
        for words in (["run", "-q", "--json", QUICK], ["list", "faults"], ["--help"]):
            done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", PROGRAM, *words], text=True,
                                  cwd=self.scratch.name, timeout=SECONDS_MAX, check=False,
                                  stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("standard output: could not be written whole: Bad file", done.stderr)

    def test_the_last_line_tells_an_error_behind_a_verdict(self):
        os.mkdir(self.path("folder"))
        for words in (["run", "-q", QUICK, "--junit", "folder"],
                      ["run", "-q", QUICK, "--record", "folder"],
                      ["fuzz", QUICK, "--runs", "70", "--out", "kept", "--focus", "nobody"],
                      ["fuzz", QUICK, "--runs", "2", "--out", "kept", "--coverage", "folder"]):
            done = self.program(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertRegex(done.stdout, r"\nerror: [^\n]*: exit 2\n$")
            self.assertNotEqual(done.stderr, "")
            done = self.program(*words, "--json")
            json.loads(done.stdout)
            self.assertRegex(done.stderr, r"\nndksim: [^\n]*: exit 2\n$")
        done = self.program("run", "no-such.json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_a_debugger_prints_no_json(self):
        for words in (["run", QUICK], ["replay", "r.ndkrun"]):
            done = self.program(*words, "--gdb", "--json")
            self.assertEqual((done.returncode, json.loads(done.stdout)["exit"]), (2, 2))
            self.assertIn("--gdb --json: a debugger's output is no JSON", done.stderr)

    def test_a_driver_that_loops_over_kernel_calls_is_named_with_its_line(self):
        driver = {"as": "faulty", "load": FAULTY, "registry": {"Fault": 10}}
        with open(self.path("loops.json"), "w", encoding="utf-8") as file:
            json.dump({"nodes": {"one": {"drivers": [driver]}}}, file)
        done = self.program("run", "-q", "loops.json")
        self.assertEqual((done.returncode, done.stderr), (4, ""), done.stdout)
        self.assertIn("STUCK loop   loops, consumer faulty", done.stdout)
        self.assertIn("faulty loops: ", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^ loops .* LoopForEver faulty\.c:\d+")

    def test_lines_of_drivers_that_start_before_the_run_are_shown_and_logged(self):
        done = self.program("run", os.path.join(LIBRARY, "quickstart.json"), "--until", "50us",
                            "--set", 'prelude=["smb-server"]', "--set", "expect=[]",
                            "--log", "log.txt")
        first = done.stdout.split("\n")[0]
        self.assertRegex(first, r"^ *0\.\d{6}ms  smb-server   smb server: listening on ")
        with open(self.path("log.txt"), encoding="utf-8") as file:
            self.assertRegex(file.readline(),
                             r"^0\.\d{6}ms server\.cpu\d PASSIVE smb-server smb server: listening ")

    def test_every_list_is_an_array_for_programs(self):
        usage = self.program("list", "--help").stdout.split("\n")[0]
        lists = re.search(r"list (\S+) \[MODULE", usage).group(1).split("|")
        for name in lists:
            with self.subTest(name=name):
                lines = self.program("list", name).stdout.rstrip("\n").split("\n")
                rows = json.loads(self.program("list", name, "--json").stdout)
                self.assertGreaterEqual(len(rows), 2)
                self.assertLessEqual(len(rows), len(lines))
                self.assertGreaterEqual(len(lines), 2)
        shapes = [row for row in json.loads(self.program("list", "quirks", "--json").stdout)
                  if row["name"] == "AnswerShape"]
        self.assertEqual(shapes[0]["range"], "0 to 3")

    def test_fault_points_of_a_driver_are_listed_and_planned(self):
        points = os.path.join(os.path.dirname(FAULTY), "test_points.so")
        names = [line.split()[0] for line in
                 self.program("list", "faults", points).stdout.splitlines()]
        self.assertEqual(names, ["points.first", "points.other"])
        self.assertIn("provider.create_cq.", self.program("list", "faults").stdout)
        step = {"do": "ioctl", "driver": "mine", "device": "Points", "code": "0x222000",
                "expect_out": "02000000"}
        with open(self.path("planned.json"), "w", encoding="utf-8") as file:
            json.dump({"nodes": {"one": {"drivers": [{"as": "mine", "load": points}]}},
                       "faults": [{"point": "points.other", "on": "mine", "count": 2}],
                       "steps": [step]}, file)
        done = self.program("run", "-q", "planned.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)


    def test_files_behind_a_wrong_one_are_run_and_it_is_a_case(self):
        with open(self.path("wrong.json"), "w", encoding="utf-8") as file:
            file.write("{")
        with open(self.path("absent.json"), "w", encoding="utf-8") as file:
            json.dump({"nodes": {"one": {"drivers": [{"as": "a", "load": "./no.so"}]}}}, file)
        done = self.program("run", "-q", "wrong.json", "absent.json", QUICK, "gone.json", QUICK,
                            "--junit", "j.xml")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout.count("held: no-listener"), 2)
        suite = xml.etree.ElementTree.parse(self.path("j.xml")).getroot()
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")),
                         ("5", "0", "3"))
        self.assertEqual([case.find("error") is not None for case in suite],
                         [True, True, False, True, False])
        self.assertIn("wrong.json:1:", suite[0].find("error").text)
        self.assertIn("no such module", suite[1].find("error").text)
        done = self.program("run", "--json", "wrong.json", QUICK)
        first, second = json.loads(done.stdout)
        self.assertEqual((first["scenario"], first["exit"]), ("wrong.json", 2))
        self.assertEqual(second["exit"], 0)

    def test_cells_are_named_by_their_settings(self):
        with open(self.path("cells.json"), "w", encoding="utf-8") as file:
            json.dump({"extends": QUICK, "matrix": {"nodes.client.cpus": [1, 2],
                                                    "about": ["x"]}}, file)
        done = self.program("run", "-q", "cells.json")
        self.assertIn("held: cells[0: nodes.client.cpus=1, about=x], seed 1", done.stdout)
        self.assertIn("held: cells[1: nodes.client.cpus=2, about=x], seed 1", done.stdout)
        done = self.program("run", "--json", "cells.json")
        self.assertEqual([cell["cell"] for cell in json.loads(done.stdout)],
                         ["0: nodes.client.cpus=1, about=x", "1: nodes.client.cpus=2, about=x"])
        done = self.program("fuzz", "--json", "--runs", "2", "cells.json", "--jobs", "1")
        self.assertEqual([cell["cell"] for cell in json.loads(done.stdout)], [0, 1])

    def test_who_reads_no_more_ends_it_quietly(self):
        """As head does: the signal ends the program, its processes and nothing is said."""
        with open(self.path("cells.json"), "w", encoding="utf-8") as file:
            json.dump({"extends": QUICK, "matrix": {"nodes.client.cpus": [1, 2]}}, file)
        for words in (["run", "cells.json", "-q"], ["run", QUICK], ["list", "checks"],
                      ["fuzz", "-q", QUICK, "--runs", "4", "--jobs", "1"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = self.program(*words, stdout=writer)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""), words)

    def test_a_campaign_that_nobody_reads_of_stops_and_is_kept(self):
        for name, runs in (("a", 2), ("b", 1000000)):
            with open(self.path(name + ".json"), "w", encoding="utf-8") as file:
                json.dump({"extends": QUICK, "explore": {"runs": runs}}, file)
        with subprocess.Popen([PROGRAM, "fuzz", "a.json", "b.json", "--jobs", "1", "--out", "out"],
                              cwd=self.scratch.name, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            errors = process.stderr.read()
            process.wait(SECONDS_MAX)
        self.assertEqual((process.returncode, errors), (-signal.SIGPIPE, ""))
        self.assertTrue(os.path.exists(self.path("out/b.ndkcampaign")))

    def test_names_that_a_terminal_obeys_are_shown(self):
        """Of files, of options, in records: escapes, line ends, what is no UTF-8."""
        for name in (b"e\x1b[31m.json", b"n\nl.json", b"u\xff.json"):
            shutil.copy(QUICK, os.path.join(os.fsencode(self.scratch.name), name))
            for words in (["run"], ["run", "--json"], ["check"], ["fuzz", "--runs", "1"]):
                done = subprocess.run([os.fsencode(PROGRAM), *map(os.fsencode, words), name],
                                      cwd=self.scratch.name, capture_output=True, check=False,
                                      stdin=subprocess.DEVNULL, timeout=SECONDS_MAX)
                self.assertEqual(done.returncode, 0, done.stderr)
                said = (done.stdout + done.stderr).decode()  # which is UTF-8
                self.assertNotIn("\x1b", said)
                self.assertNotIn("n\nl", said)
        for words in (["\x1b[31m"], ["list", "\x1b[31m"], ["run", QUICK, "--log", "/\x1b/a"],
                      ["run", "--\x1b[31m"], ["run", QUICK, "--until", "\x1b[31m"]):
            done = self.program(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("\\x1b", done.stderr)
            self.assertNotIn("\x1b", done.stderr)

    def test_a_module_without_faults_or_settings_says_so(self):
        for what, words in (
                ("faults", "declares no fault points (NdksimFaultPoints of <ndksim.h>)"),
                ("quirks", "declares no settings (NdksimSettings of <ndksim.h>)")):
            done = self.program("list", what, "ndkping-server")
            self.assertEqual((done.returncode, done.stdout),
                             (0, f"ndkping-server {words}\n"), done.stderr)
            done = self.program("list", what, "ndkping-server", "--json")
            self.assertEqual((done.returncode, json.loads(done.stdout)), (0, []))

    def test_a_focus_near_a_name_says_which(self):
        done = self.program("fuzz", QUICK, "--runs", "3", "--jobs", "1", "--focus",
                            "smb-client.conector[*]")
        self.assertIn('; did you mean "smb-client.connector[*]"?', done.stderr)

    def test_a_focus_on_nothing_is_an_error_that_says_what_there_is(self):
        words = ["fuzz", QUICK, "--runs", "3", "--jobs", "1", "--focus"]
        done = self.program(*words, "nosuch*")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--focus nosuch*: nothing of that name was in 3 runs of no-listener",
                      done.stderr)
        self.assertIn(" client.cpu0 ", done.stderr)
        self.assertRegex(done.stderr, r"smb-client\.qp\[\*\]")
        for focus in ("smb-client.*", "none"):
            done = self.program(*words, focus)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.program(*words, "smb-client.*", "--strategy", "jitter")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the strategy jitter goes by all steps alike", done.stderr)

    def test_no_frame_is_lost_that_was_not_sent(self):
        """A port that is down refuses all: they were sent, and are lost."""
        with open(self.path("down.json"), "w", encoding="utf-8") as file:
            json.dump({"extends": os.path.join(LIBRARY, "rejected.json"), "expect": [],
                       "faults": [{"point": "link.down", "on": "*", "from": "0us"}]},
                      file)
        done = self.program("run", "down.json", "--set", "expect=[]")
        sent, lost = map(int, re.search(r"(?m)^wire     (\d+) frames?, .* sent, (\d+) frames? lost",
                                        done.stdout).groups())
        self.assertGreater(sent, 0)
        self.assertEqual(sent, lost)

    def test_what_drivers_print_has_its_place_in_the_log(self):
        for words in ([], ["--set", 'prelude=["smb-server"]']):
            self.program("run", "-q", os.path.join(LIBRARY, "rejected.json"), "--log", "log",
                         *words)
            with open(self.path("log"), encoding="utf-8") as file:
                text = file.read()
            self.assertRegex(text, r"(?m) smb-server smb server: listening on .* "
                                   r"\[\S+server_listen\.c:\d+ \(\w+\)\]$")
            self.assertNotIn("/../", text)

    def test_lists_name_what_runs_have(self):
        """Whatever a run has is of a kind that is listed; other lists say whose names they are."""
        with open(self.path("t.json"), "w", encoding="utf-8") as file:
            json.dump({"extends": os.path.join(LIBRARY, "rejected.json")}, file)
        self.program("run", "-q", "t.json", "--record", "r", "--trace", "trace")
        rows = json.loads(self.program("list", "objects", "--json").stdout)
        kinds = {re.sub(r"\[N\]|N$|\d+$", "", row["name"].rsplit(".", 1)[-1]) for row in rows
                 if "." in row["name"]}
        kinds |= set(re.findall(r"\w+", " ".join(row["about"] for row in rows)))
        with open(self.path("trace"), encoding="utf-8") as file:
            names = set(re.findall(r"\bsmb-client\.([a-z_]+)\[\d", file.read()))
        self.assertGreater(len(names), 5)
        self.assertLessEqual(names, kinds)
        classes = json.loads(self.program("list", "classes", "--json").stdout)
        self.assertIn("cm.rep", [row["name"] for row in classes])
        devices = json.loads(self.program("list", "devices", "--json").stdout)
        self.assertEqual([row for row in devices if "setting" not in row],
                         [{"device": "rnic", "version": devices[0]["version"],
                           "about": devices[0]["about"]}])
        done = self.program("list", "statuses", env={"NDKSIM_DATA_DIR": "/nowhere"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/statuses", done.stderr)

    def test_options_that_change_a_run_are_replayed(self):
        """Each makes the recorded run another one; without it the replay would not recur."""
        broken = os.path.join(LIBRARY, "field", "s01-faulty.json")
        for words in (["--until", "9ms"], ["--rule", "R-OWN-01=warn:known"], ["--keep-going"],
                      ["--blame", "provider"]):
            run = self.program("run", "-q", broken, "--set", "expect=[]", "--record", "r", *words)
            again = self.program("replay", "-q", "r")
            self.assertEqual((again.returncode, again.stderr), (run.returncode, ""), words)
            self.assertEqual(run.stdout.splitlines()[-1], again.stdout.splitlines()[-1], words)
        self.program("run", "-q", broken, "--set", "expect=[]", "--record", "r", "--rule",
                     "R-OWN-01=warn:known")
        done = self.program("replay", "-q", "r", "--rule", "R-OWN-01=error")
        self.assertEqual(done.returncode, 7)

    def test_a_record_is_replayed_from_anywhere_and_moves_with_its_scenario(self):
        os.makedirs(self.path("a/kept"))
        shutil.copy(FAULTY, self.path("a/mine.so"))
        driver = {"as": "mine", "load": "./mine.so", "registry": {"Fault": 7}}
        with open(self.path("a/s.json"), "w", encoding="utf-8") as file:
            json.dump({"nodes": {"one": {"drivers": [driver]}}}, file)
        done = self.program("run", "-q", "a/s.json", "--record", "a/kept/r")
        self.assertEqual(done.returncode, 6)
        self.assertEqual(self.program("replay", "-q", "a/kept/r").returncode, 6)
        os.rename(self.path("a"), self.path("b"))
        os.mkdir(self.path("c"))
        done = subprocess.run([PROGRAM, "replay", "-q", "../b/kept/r"], cwd=self.path("c"),
                              check=False, timeout=SECONDS_MAX, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (6, b""))
        os.remove(self.path("b/mine.so"))
        done = self.program("replay", "-q", "b/kept/r")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr,
                         r"^b/kept/r:\d+:\d+: .*cannot be loaded: .*b/.*mine\.so: no such")

    def test_a_record_that_could_not_be_written_is_not_offered(self):
        os.mkdir(self.path("taken"))
        done = self.program("run", QUICK, "--record", "taken")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stdout, r"(?m)^replay   ndksim run .*no-listener\.json --seed 1$")

    def test_control_characters_of_drivers_do_not_reach_the_terminal(self):
        steps = [{"log": "red \x1b[31m \u009b1m\x7f end"}]
        with open(self.path("red.json"), "w", encoding="utf-8") as file:
            json.dump({"nodes": {"one": {
                "adapters": {"nic0": {"addresses": ["10.0.0.1/24"]}},
                "drivers": [{"as": "a", "load": "script",
                             "script": {"threads": {"main": steps}}}]}}}, file)
        done = self.program("run", "red.json", "--log", "log")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("log"), encoding="utf-8") as file:
            for text in (done.stdout, file.read()):
                self.assertIn("red \\x1b[31m ", text)
                self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
