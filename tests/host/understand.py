#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From a recorded failure to its cause: understand.py NDKSIM LIBRARY FAULTY.

shrink, explain, dump, diff, likelihood, replay --bisect: what they say, their exit codes, and what
they answer to wrong input.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, LIBRARY, FAULTY = map(os.path.abspath, sys.argv[1:4])
BROKEN = os.path.join(LIBRARY, "field", "s01-faulty.json")
CORRECT = os.path.join(LIBRARY, "field", "s01-correct.json")
RACE = os.path.join(LIBRARY, "teardown-race.json")
SECONDS_MAX = 200

SCRATCH = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(SCRATCH.name, name)


def program(*words, cwd=None):
    return subprocess.run([PROGRAM, *words], cwd=cwd or SCRATCH.name, text=True, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX)


def write(name, value):
    with open(path(name), "w", encoding="utf-8") as file:
        json.dump(value, file)
    return name


def read(name):
    with open(path(name), encoding="utf-8") as file:
        return json.load(file)


def records(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(path(folder))
                  if name.endswith(".ndkrun"))


def setUpModule():
    """A failure that needs a fault and a number, recorded among many random decisions."""
    with open(CORRECT, encoding="utf-8") as file:
        faults = json.load(file)["faults"]
    faults.append({"point": "link.delay", "class": "cm.req", "value": "137us", "explore": "50%"})
    write("broken.json", {"extends": BROKEN, "expect": [], "faults": faults,
                          "explore": {"steps": "5%"}})
    done = program("fuzz", "-q", "broken.json", "--runs", "6", "--jobs", "1", "--out", "found",
                   "--strategy", "sparse")
    assert done.returncode == 3, done.stdout + done.stderr
    os.rename(path(records("found")[0]), path("broken.ndkrun"))
    done = program("run", "-q", os.path.join(LIBRARY, "no-listener.json"), "--record",
                   "held.ndkrun")
    assert done.returncode == 0, done.stdout + done.stderr
    done = program("shrink", "broken.ndkrun")
    assert done.returncode == 0, done.stdout + done.stderr


class Shrink(unittest.TestCase):
    def test_what_is_left_is_little_and_recurs_with_the_same_failure(self):
        big, small = read("broken.ndkrun"), read("broken-small.ndkrun")
        self.assertLess(len(small["deviations"]), len(big["deviations"]))
        self.assertLessEqual(len(small["deviations"]), 3)
        self.assertEqual((small["signature"], small["exit"]), (big["signature"], big["exit"]))
        for one in small["deviations"]:
            self.assertNotEqual(one["words"], "")
            self.assertNotEqual(one["other_order"], "")
        self.assertEqual(program("replay", "-q", "broken-small.ndkrun").returncode, 3)

    def test_faults_that_do_nothing_for_it_go(self):
        names = [one["point"] for one in read("broken-small.ndkrun")["scenario"]["faults"]]
        self.assertNotIn("link.delay", names)

    def test_shrinking_again_gives_the_same(self):
        done = program("shrink", "broken.ndkrun", "-o", "again.ndkrun")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read("again.ndkrun"), read("broken-small.ndkrun"))

    def test_what_is_said_names_the_record_and_what_was_cut(self):
        done = program("shrink", "broken.ndkrun", "-o", "said.ndkrun")
        self.assertRegex(done.stdout, r"(?m)^because  ")
        self.assertRegex(done.stdout, r"(?m)^shrunk   \d+ of \d+ decisions?.*; \d+ trials?$")
        self.assertRegex(done.stdout, r"(?m)^replay   ndksim replay said\.ndkrun$")
        self.assertIn("rule broken: broken, seed", done.stdout.splitlines()[-1])

    def test_json_has_the_decisions(self):
        done = program("shrink", "broken.ndkrun", "-o", "json.ndkrun", "--json")
        result = json.loads(done.stdout)
        self.assertEqual(len(result["decisions"]), len(read("json.ndkrun")["deviations"]))
        self.assertEqual(result["replay"], "ndksim replay json.ndkrun")

    def test_a_limit_of_trials_leaves_the_best_so_far(self):
        done = program("shrink", "broken.ndkrun", "-o", "limit.ndkrun", "--runs", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stopped at the limit: the best so far", done.stdout)
        self.assertEqual(program("replay", "-q", "limit.ndkrun").returncode, 3)

    def test_an_interrupt_leaves_the_best_so_far(self):
        write("slow.json", {"extends": RACE, "expect": [
            {"counter": "smb-client.nothing_of_that_name", "equals": 1}]})
        program("fuzz", "-q", "slow.json", "--runs", "1", "--jobs", "1", "--out", "slow",
                "--strategy", "sparse")
        record = records("slow")[0]
        with subprocess.Popen([PROGRAM, "shrink", record, "-o", "cut.ndkrun"], cwd=SCRATCH.name,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL) as process:
            time.sleep(0.4)
            process.send_signal(signal.SIGINT)
            said, errors = process.communicate(timeout=SECONDS_MAX)
        # It may have been done already, or not have begun: nothing is lost either way.
        self.assertIn(process.returncode, (0, 130), said + errors)
        if os.path.exists(path("cut.ndkrun")):
            self.assertEqual(program("replay", "-q", "cut.ndkrun").returncode, 1)
        self.assertEqual(program("replay", "-q", record).returncode, 1)

    def test_a_failure_that_is_gone_is_7(self):
        done = program("shrink", "broken.ndkrun", "-o", "gone.ndkrun", "--driver",
                       "init=s01-correct")
        self.assertEqual(done.returncode, 7)
        self.assertIn("the recorded failure did not recur", done.stderr)
        self.assertFalse(os.path.exists(path("gone.ndkrun")))

    def test_a_run_that_held_has_nothing_to_shrink(self):
        done = program("shrink", "held.ndkrun")
        self.assertEqual(done.returncode, 2)
        self.assertIn("held.ndkrun: the recorded run held", done.stderr)

    def test_a_place_that_cannot_be_written_is_told(self):
        done = program("shrink", "broken.ndkrun", "-o", "no-such-folder/a.ndkrun")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--output no-such-folder/a.ndkrun: there is no folder no-such-folder",
                      done.stderr)


class Explain(unittest.TestCase):
    def test_the_failure_is_told_in_order_with_sources_and_the_drivers_lines(self):
        done = program("explain", "broken-small.ndkrun")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"NdkConnect of init\.connector\[0\] is called +\w+\.c:\d+")
        self.assertRegex(done.stdout, r"(?m)^\| .* target ")
        self.assertRegex(done.stdout, r"(?m)^rule     ")
        self.assertRegex(done.stdout, r"(?m)^correct  ")
        times = [float(one) for one in re.findall(r"(?m)^[ *] +(\d+\.\d{6}) ", done.stdout)]
        self.assertGreater(len(times), 3)

    def test_an_object_is_followed(self):
        done = program("explain", "broken-small.ndkrun", "--object", "init.connector[0]")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("NdkCreateConnector", done.stdout)
        self.assertIn("CM REQ of init.connector[0]", done.stdout)

    def test_a_request_is_followed_to_the_other_node_and_back(self):
        told = program("explain", "broken-small.ndkrun", "--object", "init.connector[0]").stdout
        self.assertIn("NdkConnect", told)
        for request in range(1, 40):
            done = program("explain", "broken-small.ndkrun", "--request", str(request))
            if "NdkConnect of init" in done.stdout:
                break
        self.assertIn("NdkConnect init.connector[0] init.qp[0] completes", done.stdout)
        self.assertIn(" server", done.stdout)

    def test_what_is_not_there_is_told(self):
        for words, said in ((["--object", "nobody"], "nothing of that name was in the run"),
                            (["--request", "99999"], "no request of that number"),
                            (["--request", "0"], "at least 1")):
            done = program("explain", "broken-small.ndkrun", *words)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(said, done.stderr)
        for words in ([], ["broken-small.ndkrun", "--rule", "R-OWN-01"]):
            done = program("explain", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("a recorded run or --rule ID is wanted", done.stderr)

    def test_a_failure_that_is_gone_is_7(self):
        done = program("explain", "broken.ndkrun", "--driver", "init=s01-correct")
        self.assertEqual(done.returncode, 7, done.stdout)


    def test_both_sides_and_where_they_stood_are_told(self):
        done = program("explain", "broken-small.ndkrun")
        self.assertRegex(done.stdout, r"(?m)^sides    client: .*init")
        self.assertRegex(done.stdout, r"(?m)^ +server: .*target")
        self.assertRegex(done.stdout, r"(?m)^\| .*  \w+\.c:\d+$")
        self.assertNotRegex(done.stdout, r"goes from state \d")

    def test_an_expectation_has_a_story_too(self):
        write("unmet.json", {"extends": CORRECT, "expect": [
            {"counter": "init.nothing_of_that_name", "equals": 1}]})
        program("run", "-q", "unmet.json", "--record", "unmet.ndkrun")
        done = program("explain", "unmet.ndkrun")
        self.assertRegex(done.stdout, r"(?m)^EXPECTATION .*nothing_of_that_name")
        self.assertRegex(done.stdout, r"(?m)^ .* Ndk\w+ init\.")

    def test_what_explains_is_json_as_the_page_says(self):
        """The members of docs/json.md and those that are printed are the same."""
        page = os.path.join(os.path.dirname(LIBRARY), "..", "docs", "json.md")
        with open(page, encoding="utf-8") as file:
            tables = re.split(r"(?m)^## ", file.read())
        told = {part.split("\n")[0]: set(re.findall(r"(?m)^\| `(\w+)` ", part)) for part in tables}
        for command, words in (("explain", []), ("dump", []), ("likelihood", ["--runs", "1"]),
                               ("diff", ["broken.ndkrun"])):
            with self.subTest(command=command):
                done = program(command, "broken-small.ndkrun", *words, "--json")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assertEqual(set(json.loads(done.stdout)), told[command])
        done = program("explain", "broken-small.ndkrun", "--object", "init.qp*", "--json")
        story = json.loads(done.stdout)["story"]
        self.assertEqual({line["kind"] for line in story} - {"driver"}, {"event"})
        rules = json.loads(program("explain", "--rule", "R-OWN-01", "--json").stdout)
        self.assertEqual([one["id"] for one in rules], ["R-OWN-01"])
        named = json.loads(program("dump", "broken-small.ndkrun", "init.qp[0]", "--json").stdout)
        self.assertEqual(named["init.qp[0]"][0]["object"], "init.qp[0]")

    def test_paths_are_told_as_seen_from_here_and_once(self):
        os.makedirs(path("deep/er"), exist_ok=True)
        write("deep/unmet.json", {"extends": "../unmet.json"})
        write("unmet.json", {"extends": CORRECT, "expect": [
            {"counter": "init.nothing_of_that_name", "equals": 1}]})
        program("run", "-q", "deep/unmet.json", "--record", "deep/er/r.ndkrun")
        done = program("regress", "./deep/../deep/er/")
        self.assertEqual(done.stdout.count("deep/er/r.ndkrun"), 1, done.stdout)
        self.assertNotIn("..", done.stdout.split("recorded")[0])
        self.assertIn("1 record, 1 failed", done.stdout)


class Wire(unittest.TestCase):
    def test_a_posted_request_is_seen_on_its_way_through_the_device(self):
        program("run", "-q", os.path.join(LIBRARY, "script-pair.json"), "--record", "pair.ndkrun",
                "--log", "pair.log")
        with open(path("pair.log"), encoding="utf-8") as file:
            log = file.read()
        for call, leaves in (("NdkSend", "SEND"), ("NdkWrite", "WRITE"), ("NdkRead", "READ")):
            serial = re.search(rf"{call} init\.qp\[0\] answers STATUS_SUCCESS \(request (\d+)\)",
                               log).group(1)
            said = program("explain", "pair.ndkrun", "--request", serial).stdout
            order = ["the doorbell of client.nic0.qp[", f"{call} init.qp[0] answers",
                     "takes up a work request", "sends a packet",
                     f"{leaves} leaves client.nic0.port0", "a packet reaches server.nic0.qp[",
                     "a packet reaches client.nic0.qp[", "a completion of client.nic0.qp[",
                     "a result of init.qp[0] is read"]
            places = [said.find(words) for words in order]
            self.assertNotIn(-1, places, said)
            self.assertEqual(places, sorted(places), said)


class Fuzz(unittest.TestCase):
    def test_verbose_fuzzing_reports_each_distinct_failure(self):
        done = program("fuzz", "-v", "broken.json", "--runs", "6", "--jobs", "1", "--out", "told")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len(re.findall(r"(?m)^RULE R-OWN-01 ", done.stdout)), 1)
        self.assertRegex(done.stdout, r"(?m)^story    \d+ of \d+ events, ms")
        quiet = program("fuzz", "broken.json", "--runs", "6", "--jobs", "1", "--out", "told")
        self.assertNotIn("story ", quiet.stdout)


class Dump(unittest.TestCase):
    def dump(self, *words):
        return program("dump", "broken-small.ndkrun", *words)

    def test_the_world_at_a_moment(self):
        done = self.dump("--at", "30us")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^time       0\.03\d+ms, step \d+, event \d+, phase work\n")
        for part in (r"irql       client\.cpu0 +\w+", r"stack      init\.thread\[0\] waits",
                     r"lock       ", r"pool       client: \d+ blocks",
                     r"object     init\.connector\[0\] "):
            self.assertRegex(done.stdout, "(?m)^" + part)
        self.assertRegex(done.stdout, r"(?m)^             SketchMain s01_faulty\.c:\d+$")

    def test_parts_and_objects_by_name(self):
        done = self.dump("--at", "30us", "qp[0]", "pool")
        self.assertRegex(done.stdout, r"(?m)^object     init\.qp\[0\] ")
        self.assertRegex(done.stdout, r"(?m)^             pool#\d+, tag .{4}, \d+ bytes, of init,")
        self.assertNotIn("stack ", done.stdout)

    def test_without_a_moment_it_is_the_end(self):
        done = self.dump("irql")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("lies in a stack frame", done.stdout.splitlines()[0])

    def test_the_thread_that_made_the_finding_has_its_stack(self):
        done = self.dump("stacks")
        self.assertRegex(done.stdout, r"(?m)^stack      \S+ was stopped by a finding at \w+ since "
                                      r"\S+ms.*\n             \w+ \w+\.c:\d+$")
        stopped = [one for one in json.loads(self.dump("stacks", "--json").stdout)["stacks"]
                   if one["state"] == "was stopped by a finding"]
        self.assertEqual([len(one["frames"]) > 0 for one in stopped], [True])
        self.assertNotIn("left behind", done.stdout)

    def test_steps_back_are_steps_before(self):
        at = int(re.search(r"step (\d+)", self.dump("--at", "30us", "irql").stdout)[1])
        back = self.dump("--at", "30us", "--back", "7", "irql")
        self.assertEqual(back.returncode, 0, back.stderr)
        self.assertEqual(int(re.search(r"step (\d+)", back.stdout)[1]), at - 7)
        same = self.dump("--step", str(at - 7), "irql")
        self.assertEqual(same.stdout, back.stdout)

    def test_wrong_input_is_told(self):
        for words, said in (
                (["--at", "900s"], "the run has ended before that: at "),
                (["--at", "soon"], "--at soon: "),
                (["--step", "999999999"], "the run has ended before that"),
                (["--at", "30us", "--step", "4"], "--at and --step name a moment each"),
                (["--at", "30us", "--back", "99999999"], "steps have been made by then"),
                (["--at", "30us", "qp[77]"], 'nothing is called "qp[77]" then'),
                (["--at", "30us", "stakcs"], 'did you mean "stacks"?')):
            done = self.dump(*words)
            self.assertEqual(done.returncode, 2, (words, done.stdout))
            self.assertIn(said, done.stderr)

    def test_a_debugger_that_is_not_there_is_told(self):
        done = subprocess.run([PROGRAM, "dump", "broken-small.ndkrun", "--gdb"], cwd=SCRATCH.name,
                              env={"PATH": path("nowhere")}, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"ndksim: --gdb: (gdb|lldb) cannot be started: ")


class Diff(unittest.TestCase):
    def test_the_decision_where_two_runs_part(self):
        with_one = read("broken-small.ndkrun")
        with_one["deviations"] = []
        write("none.ndkrun", with_one)
        record = "broken.ndkrun"
        done = program("diff", record, "none.ndkrun")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^the first 0 decisions are the same, of \d+ and 0$")
        self.assertRegex(done.stdout, r"(?m)^\* decision 1: ")
        self.assertIn("* that decision is the quiet one here", done.stdout)
        self.assertEqual(len(re.findall(r"(?m)^  ends: ", done.stdout)), 2)

    def test_equal_records_are_equal(self):
        done = program("diff", "broken.ndkrun", "broken.ndkrun")
        self.assertEqual(done.returncode, 0)
        self.assertIn("decisions are the same, and so are the digests", done.stdout)

    def test_records_of_other_drivers_are_refused(self):
        done = program("diff", "broken.ndkrun", "held.ndkrun")
        self.assertEqual(done.returncode, 2)
        self.assertIn("they are of scenarios with other drivers", done.stderr)


class Likelihood(unittest.TestCase):
    def test_probabilities_along_the_run(self):
        done = program("likelihood", "broken-small.ndkrun", "--runs", "6")
        self.assertEqual(done.returncode, 0, done.stderr)
        points = re.findall(r"(?m)^ +(\d+\.\d{6})ms +(\d+) ppm  (\d+) of 6", done.stdout)
        self.assertEqual(len(points), len(read("broken-small.ndkrun")["deviations"]) + 1)
        for _, ppm, hits in points:
            self.assertEqual(int(ppm), int(hits) * 1000000 // 6)
        self.assertRegex(done.stdout, r"(?m)^jump     ")
        again = program("likelihood", "broken-small.ndkrun", "--runs", "6")
        self.assertEqual(again.stdout, done.stdout)

    def test_points_of_a_record_with_many_decisions_are_even(self):
        many = len(read("broken.ndkrun")["deviations"]) > 24
        done = program("likelihood", "broken.ndkrun", "--runs", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        points = re.findall(r"(?m)^ +\d+\.\d{6}ms ", done.stdout)
        self.assertTrue(points)
        if many:
            self.assertEqual(len(points), 16)

    def test_wrong_input_is_told(self):
        done = program("likelihood", "held.ndkrun")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the recorded run held", done.stderr)
        done = program("likelihood", "broken.ndkrun", "--driver", "init=s01-correct")
        self.assertEqual(done.returncode, 7, done.stdout)


class NoRecord(unittest.TestCase):
    def test_every_command_refuses_what_is_no_record(self):
        for command in ("shrink", "explain", "dump", "likelihood"):
            done = program(command, "broken.json")
            self.assertEqual(done.returncode, 2, command)
            self.assertIn('broken.json:1:1: $: "ndkrun" is missing', done.stderr)
            done = program(command, "nowhere.ndkrun")
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("nowhere.ndkrun: ", done.stderr)
        done = program("diff", "broken.ndkrun", "broken.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn('"ndkrun" is missing', done.stderr)


class Bisect(unittest.TestCase):
    def test_exit_codes(self):
        self.assertEqual(program("replay", "-q", "--bisect", "broken.ndkrun").returncode, 1)
        good = program("replay", "-q", "--bisect", "broken.ndkrun", "--driver",
                       "init=s01-correct")
        self.assertEqual(good.returncode, 0, good.stdout)
        skip = program("replay", "-q", "--bisect", "broken.ndkrun", "--driver", "init=nothing")
        self.assertEqual(skip.returncode, 125, skip.stderr)

    def test_a_run_that_holds_is_good_whatever_its_record_says(self):
        scenario = os.path.join(LIBRARY, "no-listener.json")
        self.assertEqual(program("run", "-q", scenario, "--record", "held.ndkrun").returncode, 0)
        self.assertEqual(program("replay", "-q", "--bisect", "held.ndkrun").returncode, 0)
        cut = program("replay", "-q", "--bisect", "held.ndkrun", "--until", "1us")
        self.assertEqual(cut.returncode, 125)
        self.assertIn("--until ends the run before it can be told", cut.stderr)

    def test_git_finds_the_commit(self):
        """Ten revisions of a "driver"; from the seventh on it is the faulty one; one is broken."""
        folder = path("repository")
        os.mkdir(folder)

        def git(*words):
            return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", *words],
                                  cwd=folder, text=True, check=True, capture_output=True).stdout
        git("init", "-q")
        for number in range(1, 11):
            module = "nothing" if number == 5 else "s01-faulty" if number >= 7 else "s01-correct"
            with open(os.path.join(folder, "module"), "w", encoding="utf-8") as file:
                file.write(f"{module}\n{number}\n")
            git("add", "module")
            git("commit", "-q", "-m", f"revision {number}")
        git("bisect", "start", "HEAD", "HEAD~9")
        said = git("bisect", "run", "sh", "-c",
                   f'"{PROGRAM}" replay -q --bisect "{path("broken.ndkrun")}" '
                   '--driver init=$(head -1 module)')
        self.assertRegex(said, r"is the first bad commit(.|\n)*revision 7")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
