#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Campaigns of fuzz: rounds and jobs, shards, merge, known failures, records, what goes wrong.

campaign.py NDKSIM LIBRARY FAULTY
"""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, LIBRARY, FAULTY = map(os.path.abspath, sys.argv[1:4])
BROKEN = os.path.join(LIBRARY, "field", "s01-faulty.json")
CLEAN = os.path.join(LIBRARY, "no-listener.json")
FAIL = ["--set", "expect=[]"]
QUICK = os.path.join(LIBRARY, "quickstart.json")
POWER_CYCLE = os.path.join(LIBRARY, "power-cycle.json")
# Of QUICK: a run is not done within a minute.
ENDLESS = ["--set", "nodes.client.drivers[0].registry.TotalBytesWrite=4294901760"]
SECONDS_MAX = 100


class Campaign(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, *words, **options):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX,
                              **options)

    def fuzz(self, *words, scenario=BROKEN, **options):
        set_words = FAIL if scenario == BROKEN else []
        return self.program("fuzz", scenario, *set_words, *words, **options)

    def files(self, folder):
        return sorted(os.listdir(self.path(folder)))

    def campaign(self, folder, name):
        with open(self.path(os.path.join(folder, name)), encoding="utf-8") as file:
            return json.load(file)

    # Jobs and rounds.

    def test_jobs_change_nothing(self):
        said = set()
        for jobs in "123":
            done = self.fuzz("--runs", "400", "--jobs", jobs, "--json", "--out", "kept",
                             "--coverage", f"{jobs}.json")
            self.assertEqual((done.returncode, done.stderr), (3, ""))
            with open(self.path(f"{jobs}.json"), encoding="utf-8") as file:
                said.add(done.stdout + file.read())
        self.assertEqual(len(said), 1)

    def test_a_time_limit_says_where_it_stopped(self):
        done = self.fuzz("--time", "300ms", "--jobs", "2", "--out", "kept", scenario=CLEAN)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        stopped = re.search(r"(?m)^stopped  by --time after (\d+) runs?, .*--runs (\d+) does",
                            done.stdout)
        self.assertTrue(stopped, done.stdout)
        again = self.fuzz("--runs", stopped[2], "--jobs", "1", "--json", "--out", "again",
                          scenario=CLEAN)
        self.assertEqual(str(json.loads(again.stdout)["runs"]), stopped[1])
        first, second = (self.campaign(folder, "no-listener.ndkcampaign")
                         for folder in ("kept", "again"))
        self.assertEqual(first, second)

    UNFINISHED = (r"unfinished run 0 \(seed 7\) after \d+\.\d s; "
                  r"--seed 7 --runs 1 comes to it again\n")

    def test_a_run_that_does_not_end_is_cut_short_by_the_time(self):
        done = self.fuzz("--time", "100ms", "--seed", "7", "--jobs", "1", "--out", "kept",
                         *ENDLESS, scenario=QUICK)
        self.assertEqual((done.returncode, done.stderr), (130, ""))
        self.assertRegex(done.stdout, r"(?m)^interrupted by --time after 0 runs; what was found is "
                         r"kept\n" + self.UNFINISHED)
        self.assertTrue(self.campaign("kept", "quickstart.ndkcampaign")["interrupted"])

    def test_an_interrupt_names_the_run_that_does_not_end(self):
        with self.start("--seed", "7", "--jobs", "1", "--out", "kept", *ENDLESS,
                        scenario=QUICK) as process:
            time.sleep(2)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual((process.returncode, errors), (130, ""))
        self.assertRegex(output, r"(?m)^interrupted after 0 runs; what was found is kept\n" +
                         self.UNFINISHED)

    def test_clients_wait_for_an_adapter_that_goes_slowly(self):
        registry = "nodes.client.drivers[0].registry"
        shape = 'adapters.nic0.quirks={"AnswerShape": 0}'
        settings = [f"{registry}.TotalBytesWrite=131072", f"{registry}.TotalBytesRead=131072",
                    f"{registry}.IoSize=32768", f"nodes.client.{shape}", f"nodes.server.{shape}",
                    "expect=[]", 'faults=[{"point": "rnic.cq_overrun", "nth": 4}]']
        done = self.fuzz("--runs", "30", "--jobs", "1", "--out", "kept", scenario=POWER_CYCLE,
                         *(word for one in settings for word in ("--set", one)))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    # Folders and files that are written.

    def test_folders_are_made_with_those_above_them(self):
        done = self.fuzz("--runs", "2", "--out", "new/deep/kept", "--coverage",
                         "new/deep/kept/coverage.json", scenario=CLEAN)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.files("new/deep/kept"),
                         ["coverage.json", "no-listener.ndkcampaign", "no-listener.orders"])
        done = self.program("merge", "new/deep/kept", "-o", "other/deep/sum/")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("no-listener.ndkcampaign", self.files("other/deep/sum"))
        done = self.program("run", CLEAN, "-q", "--files", "third/deep/files")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(os.path.isdir(self.path("third/deep/files")))

    def test_a_folder_that_cannot_be_made_is_told_before_any_run(self):
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        done = self.fuzz("--runs", "100000", "--out", "file/deep/kept")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "ndksim: --out file: Not a directory\n")

    def test_a_file_in_no_folder_is_told_before_any_run(self):
        for option in ("--log", "--trace", "--pcap", "--ports", "--junit", "--coverage",
                       "--coverage-report"):
            with self.subTest(option=option):
                done = self.fuzz("--runs", "100000", option, "new/deep/file", scenario=CLEAN)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr, f"ndksim: {option} new/deep/file: there is no "
                                              "folder new/deep\n")
        self.assertEqual(self.files("."), [])

    CAMPAIGN = "s01-faulty.ndkcampaign"

    def test_it_stops_at_the_first_failure(self):
        done = self.fuzz("--runs", "400", "--jobs", "2", "--stop-after", "1", "--out", "kept")
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        stopped = re.search(r"(?m)^stopped  by --stop-after after (\d+) runs?", done.stdout)
        self.assertTrue(stopped, done.stdout)
        (one,) = self.campaign("kept", self.CAMPAIGN)["failures"]
        self.assertEqual(int(stopped[1]), one["first_run"] + 1)
        self.fuzz("--runs", "400", "--stop-after", "9", "--known", "kept", "--out", "all")
        self.assertEqual(self.campaign("all", self.CAMPAIGN)["runs"], 400)

    # The certificate.

    def test_a_clean_campaign_ends_with_its_bound(self):
        done = self.fuzz("--runs", "100", "--jobs", "2", scenario=CLEAN)
        self.assertIn("less than 1 in 21 (99 % confidence, 100 runs)", done.stdout)
        done = self.fuzz("--runs", "100", "--jobs", "2", "--json", scenario=CLEAN)
        self.assertEqual(json.loads(done.stdout)["bound"],
                         {"confidence_percent": 99, "less_than_one_in": 21})
        done = self.fuzz("--runs", "100", "--jobs", "2", "--json")
        self.assertIsNone(json.loads(done.stdout)["bound"])

    # Exhaustive strategies.

    def test_an_exhaustive_strategy_says_whether_it_tried_all(self):
        for words, ending in (
                (["dfs:3"], "complete for the first 3 choices of a run"),
                (["dfs:3", "--runs", "8"], "complete for the first 3 choices of a run"),
                (["dfs:3", "--runs", "7"],
                 "cut short at 7 runs, not complete for the first 3 choices of a run"),
                (["delay-all:1", "--set", "explore={\"runs\": 6}"],
                 "cut short at 6 runs, which the scenario asks for (--runs N: more), "
                 "not complete for at most 1 delay"),
                (["sweep", "--stop-after", "1", "--runs", "2"],
                 "cut short at 2 runs, not complete for at most 1 failure in a run")):
            with self.subTest(words=words):
                done = self.fuzz("--strategy", *words, "--out", "kept", scenario=CLEAN)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"deviations per run, {ending}", done.stdout.splitlines()[-1])
                done = self.program("merge", "kept", "--json")
                self.assertEqual(json.loads(done.stdout)["exhaustive"], ending)
        done = self.fuzz("--strategy", "dfs:3", "--out", "kept")
        self.assertEqual(done.returncode, 3)
        self.assertIn(", complete for the first 3 choices of a run", done.stdout)
        done = self.fuzz("--runs", "3", "--out", "kept", scenario=CLEAN)
        self.assertNotIn("complete", done.stdout)

    def test_under_sweep_who_reports_a_failure_and_goes_is_right(self):
        with open(os.path.join(LIBRARY, "..", "..", "README.md"), encoding="utf-8") as file:
            blocks = re.findall(r"(?s)```json\n(.*?)```", file.read())
        (scenario,) = (json.loads(one) for one in blocks if "\"nodes\"" in one)
        with open(self.path("readme.json"), "w", encoding="utf-8") as file:
            json.dump(scenario, file)
        sweep = ["--strategy", "sweep", "--out", "kept"]
        done = self.fuzz(*sweep, scenario="readme.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertRegex(done.stdout, r"(?m)^held: .* 0 failed .*complete for at most 1 failure in")
        expect = {"counter": "init.failed", "equals": 0, "in": "every"}
        done = self.fuzz(*sweep, "--set", f"expect={json.dumps([expect])}", scenario="readme.json")
        self.assertEqual(done.returncode, 1)
        (failure,) = (one for one in self.campaign("kept", "readme.ndkcampaign")["failures"]
                      if "\"init.failed\" is 1, expected 0" in one["sentence"])
        record = os.path.join("kept", failure["record"])
        self.assertEqual(self.program("replay", "-q", record).returncode, 1)
        wrong = {"counter": "init.failed", "equals": 0, "in": "some"}
        done = self.program("check", "readme.json", "--set", f"expect={json.dumps([wrong])}")
        self.assertEqual(done.returncode, 2)
        self.assertIn("\"some\" goes with \"finding\"", done.stderr)

    # Shards and merge.

    def shards(self, *words, scenario=BROKEN):
        folders = [f"shard{i}" for i in (1, 2, 3)]
        for i, folder in enumerate(folders, 1):
            self.fuzz("--runs", "100", "--shard", f"{i}/3", "--jobs", "1", "--out", folder, *words,
                      scenario=scenario)
        return folders

    def test_shards_add_up(self):
        folders = self.shards("--coverage", "c.json")
        done = self.program("merge", *folders, "-o", "sum", "--json", "--coverage", "sum.json")
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        parts = [self.campaign(folder, f"s01-faulty.{i}of3.ndkcampaign")
                 for i, folder in enumerate(folders, 1)]
        total = json.loads(done.stdout)
        for member in ("runs", "failed", "events", "deviations"):
            self.assertEqual(total[member], sum(part[member] for part in parts), member)
        self.assertEqual(total["runs"], 100)
        self.assertEqual(len(total["failures"]),
                         len({one["signature"] for part in parts for one in part["failures"]}))
        self.assertEqual(self.program("replay", "-q", total["failures"][0]["record"]).returncode, 3)
        with open(self.path("sum.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["runs"], 100)
        again = self.program("merge", "sum", "--json")
        self.assertEqual(json.loads(again.stdout)["runs"], 100)

    def test_the_order_of_merging_changes_nothing(self):
        folders = self.shards()
        said = {self.program("merge", *order, "--json").stdout.replace("shard", "")
                for order in (folders, folders[::-1])}
        self.assertEqual(len(said), 1)

    def test_what_the_whole_is_to_show_is_asked_of_the_sum(self):
        fault = {"point": "link.drop", "class": "cm.rep", "nth": 77}
        with open(self.path("never.json"), "w", encoding="utf-8") as file:
            json.dump({"extends": CLEAN, "faults": [fault]}, file)
        done = [self.fuzz("--runs", "4", "--shard", f"{i}/2", "--jobs", "1", "--out", f"{i}",
                          scenario="never.json") for i in (1, 2)]
        self.assertEqual([one.returncode for one in done], [0, 0])
        half, whole = self.program("merge", "1"), self.program("merge", "1", "2")
        self.assertEqual((half.returncode, whole.returncode), (0, 1))
        self.assertIn("when all shards are there", half.stdout)
        self.assertIn("the fault \"link.drop\" never fired in 4 runs", whole.stdout)

    def test_runs_count_once(self):
        self.fuzz("--runs", "30", "--out", "a")
        self.fuzz("--runs", "10", "--seed", "25", "--out", "b")
        done = self.program("merge", "a", "b")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("b/s01-faulty.ndkcampaign: cannot be added to the campaign of a: seed 25 is "
                      "in both", done.stderr)

    def test_other_scenarios_and_builds_are_refused(self):
        self.fuzz("--runs", "5", "--out", "a")
        for words, said in ((["--set", "about=other"], "another scenario of the name s01-faulty"),
                            (["--driver", "init=s01-correct"], "other builds"),
                            (["--blame", "consumer"], "its options were \" --blame consumer\"")):
            with self.subTest(words=words):
                self.fuzz("--runs", "5", "--seed", "100", "--out", "b", *words)
                done = self.program("merge", "a", "b")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(said, done.stderr)
        self.fuzz("--runs", "5", "--out", "c", scenario=CLEAN)
        done = self.program("merge", "a", "c")
        self.assertEqual(done.returncode, 2)
        self.assertIn("1 of 2 folders have a campaign of the scenario s01-faulty", done.stderr)

    def test_what_is_no_campaign_is_refused_with_its_place(self):
        os.mkdir(self.path("empty"))
        os.mkdir(self.path("bad"))
        with open(self.path("bad/x.ndkcampaign"), "w", encoding="utf-8") as file:
            file.write("{\"ndkcampaign\": 99}\n")
        for folder, said in (("empty", "merge empty: there is no campaign in it"),
                             ("none", "merge none: No such file or directory"),
                             ("bad", "bad/x.ndkcampaign:1:17: $.ndkcampaign: format 99")):
            done = self.program("merge", folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)
        for shard in ("0/3", "4/3", "1", "x/y", "1/0"):
            done = self.fuzz("--shard", shard)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--shard {shard}: expected I/N", done.stderr)

    # Known failures.

    def test_known_failures_are_counted_and_do_not_fail(self):
        self.fuzz("--runs", "20", "--out", "first")
        done = self.fuzz("--runs", "20", "--out", "second", "--known", "first", "--junit", "j.xml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^known, rule broken: ")
        self.assertRegex(done.stdout, r" (\d+) failed \(1 distinct\), \1 of them known")
        with open(self.path("j.xml"), encoding="utf-8") as file:
            self.assertIn("<skipped message=\"known: ", file.read())
        os.mkdir(self.path("none"))
        self.assertEqual(self.fuzz("--runs", "20", "--known", "none").returncode, 3)

    def test_a_folder_of_known_failures_must_be_one(self):
        os.mkdir(self.path("bad"))
        with open(self.path("bad/x.ndkrun"), "w", encoding="utf-8") as file:
            file.write("{}\n")
        for folder, said in (("bad", "bad/x.ndkrun:1:1"), ("nothing", "--known nothing: No such")):
            done = self.fuzz("--runs", "5", "--known", folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)

    # Kept records.

    def keep(self):
        """Two records: of a broken rule, and of a run that held."""
        os.mkdir(self.path("kept"))
        self.program("run", "-q", BROKEN, *FAIL, "--record", "kept/b.ndkrun")
        self.program("run", "-q", CLEAN, "--record", "kept/a.ndkrun")

    def test_kept_records_run_again_by_name(self):
        self.keep()
        done = self.program("regress", "kept", "--junit", "j.xml", "--annotate", "github")
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertEqual(re.findall(r"(?m)^(held|rule broken): (\S+?):?(?: |$)", done.stdout),
                         [("held", "kept/a.ndkrun"), ("rule broken", "kept/b.ndkrun")])
        self.assertRegex(done.stdout, r"(?m)^::error file=\S+\.c,line=\d+,title=rule broken "
                                      r"R-OWN-01%2C consumer init::the context of connect")
        self.assertIn("2 records, 1 failed", done.stdout)
        with open(self.path("j.xml"), encoding="utf-8") as file:
            junit = file.read()
        self.assertIn("tests=\"2\" failures=\"1\"", junit)
        self.assertIn("name=\"kept/b.ndkrun\"", junit)

    def test_a_failure_that_is_gone_is_said(self):
        self.keep()
        os.remove(self.path("kept/a.ndkrun"))
        done = self.program("regress", "kept", "--json", "--driver", "init=s01-correct",
                            "--annotate", "github")
        self.assertEqual(done.returncode, 7, done.stdout + done.stderr)
        said = {one["record"]: one["verdict"] for one in json.loads(done.stdout)}
        self.assertEqual(said["kept/b.ndkrun"], "did not recur")
        self.assertIn("::error file=kept/b.ndkrun,title=did not recur::", done.stderr)

    def test_a_record_that_cannot_be_run_stops_no_other(self):
        self.keep()
        with open(self.path("kept/aa.ndkrun"), "w", encoding="utf-8") as file:
            file.write("{\"ndkrun\": 1}\n")
        done = self.program("regress", "kept")
        self.assertEqual(done.returncode, 2)
        self.assertIn("kept/aa.ndkrun:1:1", done.stderr)
        self.assertIn("rule broken: kept/b.ndkrun", done.stdout)
        self.assertEqual(self.program("regress", "nowhere").returncode, 2)

    def test_a_run_is_annotated_at_its_place(self):
        done = self.program("run", "-q", BROKEN, *FAIL, "--annotate", "github")
        self.assertRegex(done.stdout, r"(?m)^::error file=\S+\.c,line=\d+,title=rule broken R-OWN")
        with open(self.path("unmet.json"), "w", encoding="utf-8") as file:
            json.dump({"extends": CLEAN, "expect": [{"counter": "*.frames_out", "equals": 1}]},
                      file)
        done = self.program("run", "-q", "unmet.json", "--annotate", "github")
        self.assertRegex(done.stdout, r"(?m)^::error file=unmet.json,line=1,title=expectation")
        self.assertEqual(self.program("run", CLEAN, "--annotate", "gitlab").returncode, 2)

    # Robustness.

    def start(self, *words, scenario=BROKEN):
        set_words = FAIL if scenario == BROKEN else []
        return subprocess.Popen([PROGRAM, "fuzz", scenario, *set_words, *words], cwd=self.folder,
                                text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def wait_for(self, folder, suffix):
        for _ in range(SECONDS_MAX * 100):
            if os.path.isdir(self.path(folder)) and \
                    any(name.endswith(suffix) for name in self.files(folder)):
                return
            time.sleep(0.01)
        self.fail(f"nothing in {folder}")

    def test_an_interrupt_loses_nothing(self):
        with self.start("--runs", "1000000000", "--jobs", "2", "--out", "kept") as process:
            self.wait_for("kept", ".ndkrun")
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual((process.returncode, errors), (130, ""))
        self.assertRegex(output, r"(?m)^interrupted after \d+ runs?; what was found is kept$")
        record = re.search(r"ndksim replay (\S+)", output)[1]
        self.assertEqual(self.program("replay", "-q", record).returncode, 3)
        self.assertEqual([name for name in os.listdir(self.path("kept")) if name[0] == "."], [])
        self.assertTrue(self.campaign("kept", "s01-faulty.ndkcampaign")["interrupted"])

    def children(self, process):
        done = subprocess.run(["ps", "-A", "-o", "pid=", "-o", "ppid="], text=True, check=True,
                              capture_output=True)
        pairs = [line.split() for line in done.stdout.splitlines()]
        return [int(pid) for pid, parent in pairs if int(parent) == process.pid]

    def test_a_killed_worker_is_replaced_and_its_run_done_again(self):
        words = ["--runs", "3000", "--jobs", "2", "--json"]
        with self.start(*words, "--out", "kept") as process:
            self.wait_for("kept", ".ndkrun")
            os.kill(self.children(process)[0], signal.SIGKILL)
            output, errors = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(process.returncode, 3)
        self.assertIn("killed from outside, 1 time; their runs were done again", errors)
        quiet = self.fuzz(*words, "--out", "kept")
        self.assertEqual(output, quiet.stdout)

    def test_workers_that_are_killed_again_and_again_lose_nothing(self):
        words = ["--runs", "6000", "--jobs", "2", "--json"]
        with self.start(*words, "--out", "kept") as process:
            for _ in range(30):
                for worker in self.children(process):
                    try:
                        os.kill(worker, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
            output, errors = process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(process.returncode, 3, errors)
        self.assertRegex(errors, r"^ndksim: worker processes were killed from outside, \d+ times?; "
                                 r"their runs were done again\n$")
        self.assertEqual(output, self.fuzz(*words, "--out", "quiet").stdout
                         .replace("quiet/", "kept/"))

    def test_more_signals_than_one_lose_nothing(self):
        for numbers in ((signal.SIGINT, signal.SIGINT),
                        (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)):
            with self.start("--runs", "1000000000", "--jobs", "2", "--out", "kept") as process:
                self.wait_for("kept", ".ndkrun")
                workers = self.children(process)
                for number in numbers:
                    process.send_signal(number)
                    time.sleep(0.02)
                output, errors = process.communicate(timeout=SECONDS_MAX)
            self.assertEqual((process.returncode, errors), (130, ""))
            self.assertRegex(output, r"(?m)^interrupted after \d+ runs?; what was found is kept$")
            self.assertIn("ndksim replay kept/s01-faulty-", output)
            for worker in workers:
                self.assertRaises(ProcessLookupError, os.kill, worker, 0)
            for name in self.files("kept"):
                os.remove(self.path(os.path.join("kept", name)))

    def test_a_broken_pipe_by_signal_ends_it_as_one_that_breaks(self):
        with self.start("--runs", "1000000000", "--jobs", "2", "--out", "kept") as process:
            self.wait_for("kept", ".ndkrun")
            process.send_signal(signal.SIGPIPE)
            process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(process.returncode, -signal.SIGPIPE)
        self.assertTrue(self.campaign("kept", "s01-faulty.ndkcampaign")["interrupted"])

    def test_one_campaign_writes_in_a_place_at_a_time(self):
        with self.start("--runs", "1000000000", "--jobs", "1", "--out", "kept") as process:
            self.wait_for("kept", ".ndkrun")
            done = self.fuzz("--runs", "5", "--out", "kept")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, "ndksim: kept/s01-faulty.ndkcampaign: another campaign "
                                          "writes here; give this one its own --out\n")
            other = self.fuzz("--runs", "5", "--out", "kept", scenario=CLEAN)
            self.assertEqual((other.returncode, other.stderr), (0, ""))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=SECONDS_MAX)
        self.assertEqual(process.returncode, 130)
        self.assertEqual([name for name in self.files("kept") if name[0] == "."], [])

    def test_a_merge_takes_its_place_too_and_says_an_error_last(self):
        self.fuzz("--runs", "20", "--out", "part")
        with self.start("--runs", "1000000000", "--jobs", "1", "--out", "kept") as process:
            self.wait_for("kept", ".ndkrun")
            done = self.program("merge", "part", "-o", "kept")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("kept/s01-faulty.ndkcampaign: another campaign writes here", done.stderr)
            self.assertIn("\nerror: not all that was asked for was done", done.stdout)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=SECONDS_MAX)
        self.assertEqual([name for name in self.files("part") if name[0] == "."], [])

    def test_who_reads_no_more_leaves_no_lock_behind(self):
        with self.start("--runs", "40", "--jobs", "1", "--out", "kept") as process:
            process.stdout.close()
            process.wait(timeout=SECONDS_MAX)
        self.assertEqual(process.returncode, -signal.SIGPIPE)
        self.assertEqual([name for name in self.files("kept") if name[0] == "."], [])

    def test_a_campaigns_own_folder_may_be_what_is_known(self):
        first = self.fuzz("--runs", "20", "--out", "kept")
        self.assertEqual(first.returncode, 3, first.stderr)
        before = {name: self.campaign("kept", name) for name in self.files("kept")
                  if name.endswith(".ndkrun")}
        again = self.fuzz("--runs", "20", "--seed", "1000", "--known", "kept", "--out", "kept")
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertIn("known", again.stdout)
        self.assertEqual({name: self.campaign("kept", name) for name in before}, before)

    def test_a_killed_campaign_leaves_the_place_free(self):
        with self.start("--runs", "1000000000", "--jobs", "1", "--out", "kept") as process:
            self.wait_for("kept", ".ndkrun")
            process.kill()
            process.communicate(timeout=SECONDS_MAX)
        done = self.fuzz("--runs", "5", "--out", "kept")
        self.assertEqual((done.returncode, done.stderr), (3, ""))

    def test_a_campaign_in_the_place_of_another_says_so_and_keeps_its_records(self):
        self.fuzz("--runs", "20", "--out", "kept")
        records = [name for name in self.files("kept") if name.endswith(".ndkrun")]
        done = self.fuzz("--runs", "20", "--driver", "init=s01-correct", "--out", "kept")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("kept     kept/s01-faulty.ndkcampaign, in place of the campaign that was "
                      "there\n", done.stdout)
        self.assertEqual([name for name in self.files("kept") if name.endswith(".ndkrun")], records)

    def test_a_scenario_twice_in_a_command_is_an_error(self):
        done = self.program("fuzz", CLEAN, BROKEN, CLEAN, "--runs", "5", "--out", "kept")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, f"ndksim: fuzz {CLEAN}: that scenario is named twice\n")
        with open(self.path("no-listener.json"), "w", encoding="utf-8") as file:
            json.dump({"extends": CLEAN, "name": "no-listener"}, file)
        done = self.program("fuzz", CLEAN, "no-listener.json", "--runs", "5", "--out", "kept")
        self.assertEqual(done.returncode, 2)
        self.assertIn("this command has written that campaign already", done.stderr)
        self.assertRegex(done.stdout, r"\nerror: [^\n]*: exit 2\n$")

    def fill_disk(self):
        """In the process that becomes the program: what it writes there goes to a full disk."""
        os.mkdir(self.path("kept"))
        names = [f".s01-faulty-{os.getpid()}-{index}.candidate" for index in range(50)]
        for name in [*names, "s01-faulty.ndkcampaign", "no-listener.ndkcampaign"]:
            os.symlink("/dev/full", self.path(os.path.join("kept", name)))

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk_loses_no_finding(self):
        done = self.fuzz("--runs", "50", "--jobs", "2", "--out", "kept", preexec_fn=self.fill_disk)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("the failing run 0 (seed 1) could not be kept: No space left", done.stderr)
        self.assertIn("the campaign could not be kept: No space left", done.stderr)
        self.assertIn("first run 0 (seed 1)", done.stdout)
        self.assertEqual([name for name in self.files("kept") if name.endswith("candidate")], [])
        done = self.fuzz("--runs", "50", "--jobs", "2", "--out", "kept", scenario=CLEAN)
        self.assertEqual(done.returncode, 2, done.stdout)

    def test_a_limit_on_files_is_an_error_and_no_death(self):
        done = self.program("run", CLEAN, "--trace", "trace", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (600, 600)))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertNotEqual(done.stderr, "")

    def test_a_folder_that_takes_nothing_is_said_before_any_run(self):
        os.mkdir(self.path("kept"), 0o555)
        os.chmod(self.folder, 0o755)
        options = {"preexec_fn": lambda: os.setuid(65534)} if os.geteuid() == 0 else {}
        try:
            done = self.fuzz("--runs", "5", "--out", "kept", **options)
        except PermissionError:
            self.skipTest("nobody may run the program")
        if "cannot open" in done.stderr or done.returncode == 127:
            self.skipTest("nobody may read the program's files")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--out kept: Permission denied", done.stderr)
        open(self.path("file"), "w", encoding="utf-8").close()
        done = self.fuzz("--runs", "5", "--out", "file")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--out file: Not a directory", done.stderr)

    def test_names_of_scenarios_become_names_of_files(self):
        done = self.fuzz("--runs", "5", "--set", "name=../a/b" + "c" * 300, "--out", "kept")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertTrue(all(name.startswith("_._a_b") for name in self.files("kept")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
