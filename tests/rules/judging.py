#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How findings become a verdict: judging.py PROGRAM DRIVERS MODULES."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

PROGRAM, DRIVERS, MODULES = map(os.path.abspath, sys.argv[1:4])
HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "..", "..", "scenarios", "library")
REMOVAL = os.path.join(LIBRARY, "surprise-removal-under-load.json")
HELD, EXPECTATION, USAGE, RULE, STUCK, BUGCHECK = 0, 1, 2, 3, 4, 6

# A registration that is a byte longer than its MDLs: a breach each (R-MEM-05), which is refused.
FLOOD = [{"create_pd": "small"}, {"allocate": "m", "bytes": 8192}, {"create_mr": "mr"},
         {"loop": 400, "steps": [{"register_mr": "mr", "memory": "m", "bytes": 8193,
                                  "status": "any"}]}]
# The close of a PD that has a QP waits for ever.
HELD_UP = [{"create_pd": "pd"}, {"create_cq": "cq"}, {"create_qp": "qp", "pd": "pd"},
           {"close": "pd", "misuse": True}]


def one_node(steps, **more):
    return {"nodes": {"host": {
        "adapters": {"nic0": {"addresses": ["10.0.0.1/24"]}},
        "drivers": [{"as": "init", "load": "script", "script": {"threads": {"main": steps}}}]}},
        **more}


class Judging(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        modules = os.path.join(self.folder, "modules")
        os.mkdir(modules)
        for folder in (DRIVERS, MODULES):
            for path in glob.glob(os.path.join(folder, "*.so")):
                os.symlink(path, os.path.join(modules, os.path.basename(path)))
        self.environment = {**os.environ, "NDKSIM_DRIVER_DIR": modules}

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=250,
                              env=self.environment)

    def run_of(self, scenario, *words, command="run"):
        with open(self.path("input.json"), "w", encoding="utf-8") as file:
            json.dump(scenario, file)
        return self.program(command, "-q", "input.json", *words)

    def json_of(self, scenario, *words):
        return json.loads(self.run_of(scenario, "--json", *words).stdout)

    # ---- What random orders showed of the reference provider ----

    def test_a_cq_that_has_failed_never_notifies_as_healthy_again(self):
        done = self.program("fuzz", "-q", os.path.join(LIBRARY, "script-arm.json"), "--runs", "60",
                            "--jobs", "1", "--out", "out",
                            "--set", 'faults=[{"point":"rnic.cq_fail","nth":6}]')
        self.assertEqual(done.returncode, EXPECTATION, done.stderr)  # the script wants its results
        self.assertNotIn("healthy", done.stdout)

    # ---- What a fault of the scenario took ----

    def test_what_a_lost_doorbell_took_is_no_drivers_breach(self):
        race = os.path.join(LIBRARY, "teardown-race.json")
        done = self.program("fuzz", race, "--runs", "50", "--jobs", "2", "--out", "out", "--json",
                            "--set", 'faults=[{"point":"rnic.doorbell_lost","nth":2}]')
        failures = json.loads(done.stdout)["failures"]
        self.assertEqual((done.returncode, {one["verdict"] for one in failures}),
                         (STUCK, {"stuck"}))
        said = [self.program("replay", one["record"]).stdout for one in failures]
        arms = [text for text in said if "WARNING R-CQ-07" in text]
        self.assertTrue(arms, said)
        self.assertIn("excused since the scenario's fault rnic.doorbell_lost, last at", arms[0])
        self.assertIn("the scenario's fault rnic.doorbell_lost took what somebody may wait for",
                      arms[0])

    def test_a_connect_whose_completion_a_lost_doorbell_took_is_not_forgotten(self):
        done = self.program("run", os.path.join(LIBRARY, "power-cycle.json"), "--json", "--set",
                            'faults=[{"point":"rnic.doorbell_lost","probability":"5%"}]')
        result = json.loads(done.stdout)
        self.assertEqual(done.returncode, STUCK, result["findings"])
        late = [one for one in result["findings"] if one["id"] == "R-CONN-10"]
        self.assertEqual({one["severity"] for one in late}, {"warn"}, result["findings"])

    # ---- What the wire took ----

    def test_nobody_owes_word_of_an_end_that_the_wire_took(self):
        scenario = os.path.join(HERE, "R-DISC-06", "kept.json")
        for what in ('steps=[{"do":"link_down","link":"wire","at":"500us"}]',
                     'faults=[{"point":"link.down","from":"500us"}]'):
            result = json.loads(self.program("run", scenario, "--json", "--set", what).stdout)
            self.assertEqual((result["exit"], [one["id"] for one in result["findings"]]),
                             (STUCK, ["stuck"]), what)

    def test_a_frame_lost_before_the_end_excuses_nothing(self):
        scenario = os.path.join(HERE, "R-DISC-06", "broken.json")
        done = self.program("run", scenario, "--json", "--set",
                            'faults=[{"point":"link.drop","nth":1}]')
        self.assertEqual([one["id"] for one in json.loads(done.stdout)["findings"]], ["R-DISC-06"])

    # ---- More findings than there is place for ----

    def test_what_is_not_shown_is_counted_everywhere(self):
        done = self.run_of(one_node(FLOOD), "--keep-going", "--junit", "out.xml")
        self.assertEqual(done.returncode, RULE, done.stderr)
        hidden = int(re.search(r"^note +(\d+) more findings are not shown$", done.stdout,
                               re.M).group(1))
        result = self.json_of(one_node(FLOOD), "--keep-going")
        self.assertEqual(result["findings_not_shown"], hidden)
        self.assertGreater(hidden, 100)
        self.assertEqual(len(result["findings"]) + hidden, 400)
        self.assertIn(f"{hidden} more findings are not shown",
                      xml.parse(self.path("out.xml")).find(".//system-out").text)

    def test_an_error_behind_a_flood_of_warnings_is_the_verdict(self):
        result = self.json_of(one_node(FLOOD + HELD_UP), "--rule", "R-MEM-05=warn:known")
        self.assertEqual((result["exit"], result["findings"][-1]["id"]), (RULE, "R-OWN-08"))
        self.assertEqual(result["signature"], result["findings"][-1]["signature"])

    def test_an_error_behind_a_flood_of_expected_ones_is_the_verdict(self):
        scenario = one_node(FLOOD + HELD_UP, expect=[{"finding": "R-MEM-05"}])
        result = self.json_of(scenario, "--keep-going")
        self.assertEqual((result["exit"], result["findings"][-1]["id"]), (RULE, "R-OWN-08"))

    def test_an_expected_finding_counts_where_it_is_not_shown(self):
        scenario = one_node(FLOOD + HELD_UP,
                            expect=[{"finding": "R-OWN-08"}, {"finding": "R-MEM-05"}])
        self.assertEqual(self.json_of(scenario, "--rule", "R-OWN-08=warn:known",
                                      "--keep-going")["exit"], STUCK)

    # ---- Standstill ----

    def test_a_warning_does_not_take_the_place_of_stuck(self):
        expect = [{"counter": "init.done", "equals": 1}]
        for words in (["--rule", "R-OWN-08=warn:known"], ["--rule", "R-OWN-08=off:known"],
                      ["--blame", "provider"]):
            done = self.run_of(one_node(HELD_UP, expect=expect), *words)
            self.assertEqual(done.returncode, STUCK, done.stdout)
            self.assertEqual("off" not in words[1], "WARNING R-OWN-08" in done.stdout)
            self.assertIn("STUCK   ", done.stdout)
            self.assertIn('EXPECTATION input.json:1: "init.done" is 0, expected 1', done.stdout)
        self.assertEqual(self.run_of(one_node(HELD_UP), "--blame", "consumer").returncode, RULE)

    def test_the_close_that_came_too_early_is_a_place_of_the_finding(self):
        steps = [{"create_pd": "pd"}, {"create_cq": "cq"}, {"create_qp": "qp", "pd": "pd"},
                 {"close": "cq", "misuse": True}]
        result = self.json_of(one_node(steps))
        finding = result["findings"][-1]
        self.assertEqual((finding["id"], [one["what"] for one in finding["sites"]]),
                         ("R-OWN-08", ["made", "waits", "called"]))
        self.assertIn("init.qp[0] before init.cq[0]", finding["remedy"])
        self.assertEqual(finding["objects"], ["init.qp[0]", "init.cq[0]"])
        said = self.run_of(one_node(steps), "--annotate", "github").stdout
        close = finding["sites"][-1]["frames"][0].split(" ")[0]
        file, line = os.path.basename(close).split(":")
        self.assertRegex(said, f"::error file=[^,]*{file},line={line},title=rule broken R-OWN-08")

    def test_the_call_that_a_close_runs_into_is_named_with_its_place(self):
        case = {"extends": os.path.join(HERE, "R-LIFE-13", "broken.json"), "expect": []}
        finding = self.json_of(case)["findings"][-1]
        self.assertIn("another call on it is running: arm_cq", finding["sentence"])
        running, called = finding["sites"]
        self.assertEqual((running["what"], called["what"]), ("running", "called"))
        self.assertNotEqual(running["actor"], called["actor"])
        self.assertIn("(StepArmCq)", running["frames"][0])

    def test_at_a_limit_it_is_told_who_holds_up_a_close(self):
        done = self.run_of({
            "nodes": {"host": {
                "adapters": {"nic0": {"addresses": ["10.0.0.1/24"]}},
                "drivers": [{"as": "init", "load": "script", "script": {"threads": {"main": [
                    {"setup": "all"}, {"close": "cq", "async": "closed"},
                    {"loop": 1000, "steps": [{"sleep": "1ms"}]}]}}}]}},
            "end": {"limit": "50ms"}})
        self.assertEqual(done.returncode, STUCK, done.stderr)
        self.assertRegex(done.stdout, r"close_cq of init\.cq\[0\] \(request \d+\) since .* ms, "
                                      r"held up by init\.qp\[0\], which is open")

    # ---- Drivers that did not load ----

    def test_a_driver_that_did_not_load_is_told_first_and_is_part_of_the_failure(self):
        scenario = {
            "nodes": {
                "client": {"adapters": {"nic0": {"addresses": ["10.0.0.1/24"]}},
                           "drivers": [{"as": "init", "load": "ndkping-client"}]},
                "server": {"adapters": {"nic0": {"addresses": ["10.0.0.2/24"]}},
                           "drivers": [{"as": "target", "load": "script",
                                        "script": {"threads": {"main": [
                                            {"setup": "all"}, {"receive": "qp", "bytes": 64},
                                            {"serve": "listener"}, {"wait": "accepted"}]}}}]}},
            "links": [{"between": ["client.nic0", "server.nic0"]}]}
        done = self.run_of(scenario, "--record", "stuck.ndkrun")
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, STUCK, done.stderr)
        self.assertIn("the work of target alone is not done", lines[1])
        self.assertRegex(lines[2], r"^load +driver init did not load: STATUS_INVALID_PARAMETER")
        self.assertRegex(done.stdout, r"(?m)^owed     provider server-nic0: ")
        self.assertNotIn("\n owed", done.stdout)
        result = self.json_of(scenario)
        self.assertEqual([(one["driver"], one["status"]) for one in result["not_loaded"]],
                         [("init", "STATUS_INVALID_PARAMETER (0xC000000D)")])
        shrunk = self.program("shrink", "stuck.ndkrun", "-o", "small.ndkrun")
        self.assertIn("driver init did not load", shrunk.stdout)
        main = scenario["nodes"]["server"]["drivers"][0]["script"]["threads"]["main"]
        main[-1] = {"wait": "accepted", "within": "1ms"}
        done = self.run_of(scenario)
        self.assertEqual(done.returncode, EXPECTATION, done.stdout)
        self.assertRegex(done.stdout.splitlines()[2], "^load +driver init did not load: STATUS_")

    # ---- What follows from what was let pass ----

    def broken_by(self, side):
        for path in sorted(glob.glob(os.path.join(HERE, "R-*", "broken*.json"))):
            with open(path, encoding="utf-8") as file:
                expect = json.load(file).get("expect", [])
            if any(entry.get("guilty", "").startswith(side) for entry in expect):
                yield path

    def let_pass(self, side, other):
        """Cases that `side` breaks, where only the other one counts: no rule of that is broken."""
        count = 0
        for path in self.broken_by(side):
            done = self.run_of({"extends": path, "expect": []}, "--blame", other)
            if "did not start" in done.stderr:
                continue  # nothing can come of such a one
            self.assertNotIn("\nRULE ", "\n" + done.stdout, path)
            self.assertIn(done.returncode, (HELD, EXPECTATION, STUCK, BUGCHECK),
                          f"{path}\n{done.stdout}{done.stderr}")
            if done.returncode != BUGCHECK:
                self.assertIn("WARNING ", done.stdout, path)
            count += 1
        self.assertGreater(count, 50)

    def test_providers_are_not_blamed_for_what_consumers_did(self):
        self.let_pass("consumer", "provider")

    def test_consumers_are_not_blamed_for_what_providers_did(self):
        self.let_pass("provider", "consumer")

    def test_a_bugcheck_names_whose_code_it_was_and_who_had_called(self):
        case = {"extends": os.path.join(HERE, "R-LIFE-13", "broken.json"), "expect": []}
        result = self.json_of(case, "--blame", "provider")
        last = result["findings"][-1]
        self.assertEqual((result["exit"], last["guilty"]), (BUGCHECK, "provider host-nic0"))
        self.assertIn("inside a call of consumer init", last["detail"])
        self.assertIn("let pass before: R-LIFE-13 of the consumer at init.cq[0]", last["detail"])
        self.assertNotEqual(last["remedy"], "")
        self.assertEqual(last["name"], "PAGE_FAULT_IN_NONPAGED_AREA")

    def test_the_guilty_one_is_the_module_whose_code_went_wrong(self):
        done = self.program("conform", "--driver", "breaks-r-mem-03", "--rule", "R-MEM-03")
        self.assertEqual(done.returncode, RULE, done.stderr)
        self.assertIn("0x50, provider client-nic0: a driver read from", done.stdout)

    def test_a_rule_of_loading_can_be_a_warning(self):
        case = os.path.join(HERE, "R-NDIS-30", "broken.json")
        result = self.json_of({"extends": case, "expect": []}, "--blame", "consumer")
        self.assertEqual({one["severity"] for one in result["findings"]
                          if one["id"] == "R-NDIS-30"}, {"warn"})
        self.assertNotEqual(result["exit"], RULE)

    # ---- What goes on with objects that it has closed ----

    KINDS = {"adapter": (1, 9), "qp": (2, 11), "cq": (3, 7), "mr": (4, 7), "mw": (5, 3),
             "pd": (6, 8), "shared_endpoint": (7, 3), "connector": (8, 13), "listener": (9, 5),
             "srq": (10, 4)}

    def go_on(self, kind, use, shape, *words, **more):
        scenario = {"nodes": {"host": {
            "adapters": {"nic0": {"addresses": ["10.0.0.1/24"], "quirks": {"AnswerShape": shape}}},
            "drivers": [{"as": "drv", "load": "own-closed",
                         "registry": {"InterfaceIndex": 1, "LocalAddress": "10.0.0.1",
                                      "Kind": self.KINDS[kind][0], "Use": use, **more}}]}}}
        return self.json_of(scenario, *words)

    def judge_closed(self, one, kind, called):
        """It names the object, the guilty driver and both places."""
        name = f"drv.{kind}[{1 if kind in ('pd', 'cq') else 0}]"
        self.assertEqual((one["id"], one["guilty"]), ("R-OWN-10", "consumer drv"), kind)
        self.assertEqual(one["objects"][0].split()[0], name)
        self.assertIn(name, one["sentence"])
        self.assertEqual(one["sites"][0]["what"], "closed")
        self.assertIn("AdapterShut" if kind == "adapter" else "CloseFirst",
                      json.dumps(one["sites"][0]))
        self.assertIn(one["sites"][1]["what"], ("called", "used"))
        self.assertIn(called, json.dumps(one["sites"][1]))

    # ---- What a consumer hands over is its own fault ----

    # Functions without a pointer, by their places.
    PLAIN = {"cq": (3, 5), "mr": (5, 6), "mw": (2,), "listener": (4,), "pd": (), "qp": (2,)}
    # Those that take other objects: NULL is one fault more.
    OBJECTS = {"connector": (2, 3, 5, 12), "qp": (5, 6, 7)}

    def test_bad_pointers_are_told_at_the_call(self):
        for kind, (_, functions) in self.KINDS.items():
            for index in range(functions):
                if index in self.PLAIN.get(kind, ()):
                    continue
                nulls = (0,) if index in self.OBJECTS.get(kind, ()) else ()
                for bad in nulls + (1 + index % 3,):
                    found = self.go_on(kind, 3, 1, Index=index, Bad=bad)["findings"]
                    self.assertEqual(len(found), 1, (kind, index, bad, found))
                    self.assertIn(found[0]["id"], ("R-OWN-10", "R-OWN-21", "R-OWN-02", "R-OWN-03"),
                                  (kind, index, bad, found))
                    self.assertEqual(found[0]["guilty"], "consumer drv", (kind, index, bad))
                    self.assertIn("UseBadly", json.dumps(found[0]["sites"]), (kind, index, bad))

    def test_who_frees_an_object_is_told_at_the_free(self):
        for kind in self.KINDS:
            found = self.go_on(kind, 4, 1)["findings"]
            self.assertEqual([(one["id"], one["guilty"]) for one in found],
                             [("0xC2", "consumer drv")], kind)
            self.assertRegex(found[0]["sentence"], "was allocated by host-nic0, not by drv", kind)

    def test_an_adapter_is_closed_under_a_call(self):
        scenario = one_node([{"create_pd": "pd", "status": "any"},
                             {"create_cq": "cq", "status": "any"}])
        script = scenario["nodes"]["host"]["drivers"][0]["script"]
        script["threads"]["t2"] = [{"close_adapter": "adapter"}]
        script["unload"] = "at_once"
        done = self.run_of(scenario, "--runs", "100", "--jobs", "2", "--json", command="fuzz")
        self.assertIn("is closed while another call on it is running", done.stdout)
        self.assertIn("whose close was asked for", done.stdout)
        self.assertNotIn('"provider ', done.stdout)

    def test_a_wrong_length_is_its_giver_s(self):
        path = os.path.join(LIBRARY, "field", "s04-faulty.json")
        for words in ((), ("--pool", "special")):
            done = self.program("run", "-q", path, *words)
            self.assertEqual(done.returncode, HELD, done.stdout)

    def test_steps_that_cannot_be_done_are_failed_steps(self):
        for step, says in (({"send": "qp", "sge": 100, "status": "any"}, "has room for 64"),
                           ({"wait": "srq it", "within": "1us", "give_up": True}, "is no object"),
                           ({"flush": "qp", "via": "mw", "misuse": True}, "HELD")):
            steps = [{"setup": "all"}, {"create_mw": "mw"}, step]
            found = self.json_of(one_node(steps))["findings"]
            if says == "HELD":
                self.assertEqual(found[0]["guilty"], "consumer init", found)
            else:
                self.assertIn(says, found[0]["sentence"], found)
                self.assertEqual(found[0]["id"], "require", found)

    def test_all_functions_of_closed_objects_are_calls_of_theirs(self):
        count = 0
        for kind, (_, functions) in self.KINDS.items():
            found = self.go_on(kind, 1, 1, "--keep-going")["findings"]
            of_it = [one for one in found if one["id"] == "R-OWN-10"]
            self.assertEqual(len(of_it), functions, kind)
            self.assertEqual(len({one["sentence"] for one in of_it}), functions, kind)
            for one in of_it:
                self.judge_closed(one, kind, "UseClosed")
            self.assertEqual(["R-WSK-05"] if kind == "adapter" else [],
                             [one["id"] for one in found if one["exit"] == RULE][functions:])
            count += functions
        self.assertEqual(count, 70)

    def test_what_is_closed_twice_is_named_in_every_shape(self):
        for kind in self.KINDS:
            for use, shape in ((0, 1), (0, 2), (1, 3)):
                result = self.go_on(kind, use, shape)
                self.assertEqual((result["exit"], len(result["findings"])), (RULE, 1), kind)
                one = result["findings"][0]
                if kind == "adapter" and use == 0:
                    self.assertEqual(one["id"], "R-WSK-05")
                    self.assertIn("drv.adapter[0]", one["sentence"])
                    self.assertEqual([site["what"] for site in one["sites"]], ["closed", "called"])
                else:
                    self.judge_closed(one, kind, "UseClosed" if use == 1 else "CloseAgain")

    def test_closed_objects_out_of_reach_are_named_too(self):
        for kind in self.KINDS:
            one = self.go_on(kind, 2, 1, "--pool", "special")["findings"][0]
            self.judge_closed(one, kind, "UseClosed")

    # ---- Data races ----

    def test_a_race_is_told_once_by_the_name_of_its_variable(self):
        scenario = {"nodes": {"host": {"cpus": 3, "drivers": [
            {"as": "drv", "load": "race-variables"}]}}}
        for seed in range(1, 6):
            result = self.json_of(scenario, "--keep-going", "--seed", str(seed))
            names = sorted(one["objects"][0] for one in result["findings"])
            self.assertEqual(names, ["drv.Calls", "drv.Pair+0x4", "drv.Table+0x8"])
            for one in result["findings"]:
                self.assertEqual((one["id"], one["guilty"]), ("R-OWN-20", "consumer drv"))

    # ---- What providers need not offer ----

    def conform(self, driver, *rules):
        """Exit code, and the state of each rule."""
        words = [word for rule in rules for word in ("--rule", rule)]
        done = self.program("conform", "--driver", driver, "--jobs", "1", "--json", *words)
        return done.returncode, {one["id"]: one for one in json.loads(done.stdout)["rules"]}

    def test_versions_that_are_not_offered_break_nothing(self):
        opens = [f"R-ADPT-{n:02}" for n in range(1, 8)]
        for driver, lacks in (("offers-ndk-1-1", ("R-ADPT-04", "R-POST-29", "R-CONN-34")),
                              ("offers-ndk-1-2", ("R-CONN-34",)),
                              ("offers-ndk-2-0", ("R-ADPT-04", "R-CONN-34"))):
            code, rules = self.conform(driver, *opens, "R-POST-29", "R-CONN-34", "R-NDIS-36")
            self.assertEqual(code, HELD, rules)
            for name, one in rules.items():
                self.assertEqual(one["state"], "not_reached" if name in lacks else "kept",
                                 f"{driver}: {one}")
                for case in one["cases"]:
                    self.assertEqual(case["reason"] != "", case["state"] != "kept", case)

    def test_other_technologies_break_nothing(self):
        of_technology = ("R-NDIS-19", "R-NDIS-20", "R-NDIS-28", "R-NDIS-29", "R-NDIS-38")
        for driver, lacks in (("has-ndkiwarp", ("R-NDIS-29",)),
                              ("has-ndkinfiniband", ("R-NDIS-19", "R-NDIS-20", "R-NDIS-29")),
                              ("has-ndkroce", ("R-NDIS-19", "R-NDIS-20"))):
            code, rules = self.conform(driver, *of_technology)
            self.assertEqual(code, HELD, rules)
            for name, one in rules.items():
                self.assertEqual(one["state"], "not_reached" if name in lacks else "kept",
                                 f"{driver}: {one}")

    # ---- The device goes ----

    def removal(self, steps):
        return {"extends": REMOVAL, "steps": steps,
                "expect": [{"event": "bus.removed", "equals": 1},
                           {"counter": "smb-*.failed", "equals": 0}]}

    def test_a_removal_overtakes_what_is_under_way(self):
        adapter = {"do": "pnp", "adapter": "server.nic0"}
        first = [{**adapter, "action": action, "at": "400us", "status": "any"}
                 for action in ("disable", "power_down", "reset", "restart")]
        first.append({"do": "oid", "adapter": "server.nic0", "oid": "OID_NDK_SET_STATE",
                      "set": False, "at": "400us", "status": "any"})
        for step in first:
            scenario = self.removal([
                step, {**adapter, "action": "surprise_remove", "at": "405us"},
                {**adapter, "action": "insert", "then": True, "delay": "10ms"}])
            done = self.run_of(scenario, "--runs", "6", "--jobs", "2", command="fuzz")
            self.assertEqual(done.returncode, HELD, f"{step}\n{done.stdout}{done.stderr}")

    def test_a_shutdown_blames_nobody(self):
        scenario = self.removal([{"do": "pnp", "adapter": "server.nic0", "action": "shutdown",
                                  "at": "400us"}])
        scenario["expect"] = [{"counter": "smb-client.done", "equals": 1}]
        done = self.run_of(scenario, "--runs", "20", "--jobs", "2", command="fuzz")
        self.assertEqual(done.returncode, HELD, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
