#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of scenarios/generate: what it makes, that it makes the same again, what it refuses."""

import contextlib
import hashlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GENERATE = os.path.join(ROOT, "scenarios", "generate")
RECIPES = os.path.join(GENERATE, "recipes")
sys.path.insert(0, GENERATE)

import generate
import located
import schema_check

BARE = {"family": "f", "consumer": "ndkping"}


def shipped():
    return [os.path.join(RECIPES, name) for name in sorted(os.listdir(RECIPES))]


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.out = os.path.join(self.folder, "out")

    def put(self, value, name="recipe.json"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(value if isinstance(value, str) else json.dumps(value))
        return path

    def run_main(self, *words):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = generate.main(list(words))
        return code, output.getvalue(), errors.getvalue().replace(f"{self.folder}/", "")

    def make(self, recipe):
        return {name: json.loads(text) for name, text in generate.make(self.put(recipe))[1].items()}

    def one(self, recipe):
        scenarios = self.make({**BARE, **recipe})
        self.assertEqual(len(scenarios), 1)
        return next(iter(scenarios.values()))


class Scenarios(Folder):
    def test_every_shipped_recipe_makes_valid_scenarios(self):
        with open(os.path.join(ROOT, "scenarios", "schema.json"), encoding="utf-8") as file:
            schema = json.load(file)
        count = 0
        for path in shipped():
            for name, text in generate.make(path)[1].items():
                self.assertEqual(list(schema_check.errors(schema, schema, json.loads(text))), [],
                                 name)
                self.assertLessEqual(max(map(len, text.split("\n"))), 100, name)
                count += 1
        self.assertGreater(count, 20)

    def loads(self, path):
        """Shipped drivers that a recipe's scenarios load."""
        return {driver["load"] for text in generate.make(path)[1].values()
                for node in json.loads(text)["nodes"].values() for driver in node["drivers"]}

    def test_the_program_finds_them_good_and_they_hold(self):
        program = os.environ.get("NDKSIM")
        if not program:
            self.skipTest("there is no program yet")
        drivers = subprocess.run([program, "list", "drivers"], capture_output=True, text=True,
                                 check=True).stdout.split()
        for path in shipped():
            if not self.loads(path) <= set(drivers):
                self.skipTest(f"{self.loads(path) - set(drivers)} are not built")
            self.assertEqual(self.run_main(path, "-o", self.out)[0], 0)
        files = [os.path.join(self.out, name) for name in sorted(os.listdir(self.out))]
        most = 32  # a command takes 64 operands
        for command in ("check", "run"):
            for at in range(0, len(files), most):
                done = subprocess.run([program, command, "-q", *files[at:at + most]],
                                      capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_pair_is_one_link_between_two_adapters(self):
        scenario = self.one({"topology": "pair"})
        self.assertEqual(list(scenario["nodes"]), ["server", "client0"])
        self.assertEqual([link["between"] for link in scenario["links"]],
                         [["client0.nic0", "server.nic0"]])
        self.assertNotIn("switches", scenario)

    def test_a_star_has_a_link_for_each_node(self):
        scenario = self.one({"clients": 3, "link": {"rate": "25Gbps"}})
        self.assertEqual(len(scenario["links"]), 4)
        self.assertTrue(all(link["rate"] == "25Gbps" for link in scenario["links"]))
        addresses = [node["adapters"]["nic0"]["addresses"] for node in scenario["nodes"].values()]
        self.assertEqual(addresses[0], ["10.0.0.1/24"])
        self.assertEqual(len({str(one) for one in addresses}), 4)

    def test_both_ip_versions_take_turns(self):
        scenario = self.one({"consumer": "smb-direct", "clients": 2, "ip": "both"})
        drivers = [node["drivers"][0]["registry"] for node in scenario["nodes"].values()]
        self.assertEqual(drivers[0], {"LocalAddress": "10.0.0.1", "LocalAddress2": "fd00::1"})
        self.assertEqual([one["RemoteAddress"] for one in drivers[1:]], ["10.0.0.1", "fd00::1"])

    def test_faults_of_the_menu_find_the_last_client(self):
        scenario = self.one({"clients": 2, "faults": ["flap", "partition", "loss"]})
        self.assertEqual(scenario["steps"][0]["link"], "client1-link")
        self.assertEqual(scenario["steps"][1]["apart"], ["client1.nic0"])
        self.assertEqual(scenario["faults"][0]["point"], "link.drop")

    def test_a_recipe_brings_its_own_menu_and_consumer(self):
        scenario = self.one({
            "consumer": {
                "server": {"load": "./s.so"},
                "client": {"load": "./c.so", "registry": {"To": "@server", "N": "@index"}},
                "workload": {"size": {"value": "Size", "roles": ["server", "client"]}},
                "expect": [{"counter": "@client.reads", "at_least": 1}],
            },
            "workload": {"size": "2KiB"},
            "menu": {"cut": {"steps": [{"do": "link_down", "link": "@far", "at": "1ms"}]}},
            "faults": ["cut"],
        })
        drivers = [node["drivers"][0] for node in scenario["nodes"].values()]
        self.assertEqual(drivers[0], {"as": "target", "load": "./s.so", "registry": {"Size": 2048}})
        self.assertEqual(drivers[1]["registry"], {"To": "10.0.0.1", "N": 0, "Size": 2048})
        self.assertEqual(scenario["expect"], [{"counter": "init.reads", "at_least": 1}])
        self.assertEqual(scenario["steps"][0]["link"], "client0-link")

    def test_impossible_combinations_are_left_out(self):
        names = list(self.make({**BARE, "vary": {"topology": ["pair", "star"], "clients": [1, 2],
                                                 "faults": [[], ["partition"]]}}))
        self.assertEqual(names, ["f-pair-c1-clean.json", "f-star-c1-clean.json",
                                 "f-star-c1-partition.json", "f-star-c2-clean.json",
                                 "f-star-c2-partition.json"])

    def test_a_sample_is_part_of_the_whole_and_follows_its_seed(self):
        recipe = {**BARE, "vary": {"clients": list(range(1, 16)), "ip": ["v4", "v6"]}}
        whole = set(self.make(recipe))
        picks = [tuple(self.make({**recipe, "sample": {"count": 9, "seed": seed}}))
                 for seed in (1, 1, 2)]
        self.assertEqual(picks[0], picks[1])
        self.assertNotEqual(picks[0], picks[2])
        self.assertTrue(set(picks[0]) < whole and len(picks[0]) == 9)


class Bytes(Folder):
    def test_the_bytes_are_the_same_every_time(self):
        digests = set()
        for seed in ("0", "1", "random"):
            out = os.path.join(self.folder, seed)
            subprocess.run([sys.executable, os.path.join(GENERATE, "generate.py"), *shipped(),
                            "-o", out], check=True, capture_output=True,
                           env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C"})
            digest = hashlib.sha256()
            for name in sorted(os.listdir(out)):
                with open(os.path.join(out, name), "rb") as file:
                    digest.update(name.encode() + file.read())
            digests.add(digest.hexdigest())
        self.assertEqual(len(digests), 1)

    def test_check_is_silent_when_all_is_current(self):
        path = self.put({**BARE, "vary": {"ip": ["v4", "v6"]}})
        self.assertEqual(self.run_main(path, "-o", self.out)[0], 0)
        self.assertEqual(self.run_main(path, "-o", self.out, "--check"), (0, "", ""))

    def test_check_names_what_is_missing_changed_or_left_over(self):
        path = self.put({**BARE, "vary": {"clients": [1, 2, 3]}})
        self.run_main(path, "-o", self.out)
        with open(os.path.join(self.out, "f-c2.json"), encoding="utf-8") as file:
            last = len(file.read().split("\n"))
        os.unlink(os.path.join(self.out, "f-c1.json"))
        with open(os.path.join(self.out, "f-c2.json"), "a", encoding="utf-8") as file:
            file.write("x")
        self.put({**BARE, "vary": {"clients": [1, 2]}})
        code, _, errors = self.run_main(path, "-o", self.out, "--check")
        self.assertEqual(code, 1)
        self.assertEqual(errors.split("\n"), [
            "generate: out/f-c1.json: is missing",
            f"generate: out/f-c2.json: is not current: line {last} is 'x', expected ''",
            "generate: out/f-c3.json: is no case of the recipe any more",
            ""])

    def test_writing_removes_own_cases_only(self):
        path = self.put({**BARE, "vary": {"clients": [1, 2]}})
        self.run_main(path, "-o", self.out)
        with open(os.path.join(self.out, "f-mine.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        self.put({**BARE, "vary": {"clients": [1]}})
        self.run_main(path, "-o", self.out)
        self.assertEqual(sorted(os.listdir(self.out)), ["f-c1.json", "f-mine.json"])

    def test_list_writes_nothing(self):
        path = self.put({**BARE, "vary": {"clients": [1, 2]}})
        self.assertEqual(self.run_main(path, "--list"), (0, "f-c1.json\nf-c2.json\n", ""))
        self.assertFalse(os.path.exists(self.out))


class Errors(Folder):
    def refused(self, recipe, wanted):
        code, _, errors = self.run_main(self.put(recipe), "-o", self.out)
        self.assertEqual((code, errors), (2, f"generate: {wanted}\n"))
        self.assertFalse(os.path.exists(self.out))

    def test_unknown_words_get_the_nearest_known_one(self):
        start = '{"family": "f", "consumer": "ndkping",\n '
        for text, wanted in (
            ('"clints": 1}', '2:2: $.clints: there is no member "clints"; did you mean "clients"?'),
            ('"ip": "v5"}', '2:8: $.ip: there is no IP version "v5"; expected one of both, v4, v6'),
            ('"faults": ["los"]}', '2:13: $.faults[0]: there is no fault menu entry "los"; did you '
                                   'mean "loss"?'),
            ('"topology": "ring"}', '2:14: $.topology: there is no topology "ring"; expected one '
                                    'of pair, star'),
            ('"link": {"speed": 1}}', '2:11: $.link.speed: there is no link member "speed"; '
                                      'expected one of delay, jitter, mtu, queue, rate'),
            ('"workload": {"round": 1}}', '2:15: $.workload.round: there is no workload word '
                                          '"round"; did you mean "rounds"?'),
            ('"vary": {"clientz": [1]}}', '2:11: $.vary.clientz: there is no member that can vary '
                                          '"clientz"; did you mean "clients"?'),
        ):
            self.refused(start + text, f"recipe.json:{wanted}")
        self.refused('{"family": "f", "consumer": "ndkpin"}',
                     'recipe.json:1:29: $.consumer: there is no consumer "ndkpin"; did you mean '
                     '"ndkping"?')

    def refused_at(self, recipe, mark, wanted):
        """The error stands where `mark` stands last in the recipe's text."""
        column = json.dumps(recipe).rindex(mark) + 1
        self.refused(recipe, f"recipe.json:1:{column}: {wanted}")

    def test_wrong_values_are_placed(self):
        for recipe, mark, wanted in (
            ([], "[", "$: expected an object"),
            ({"family": "f"}, "{", '$: "consumer" is missing'),
            ({**BARE, "ip": "both"}, '"both"',
             "$.ip: this consumer's server listens on one address; v4 or v6"),
            ({**BARE, "clients": "2"}, '"2"', "$.clients: expected a whole number"),
            ({**BARE, "clients": True}, "true", "$.clients: expected a whole number"),
            ({**BARE, "clients": 99}, "99", "$.clients: 99 is out of range; 1 to 15"),
            ({**BARE, "family": "A b"}, '"A b"',
             '$.family: "A b" is no name: small letters, digits and -'),
            ({**BARE, "faults": ["loss", "loss"]}, "[", "$.faults: names an entry twice"),
            ({**BARE, "vary": {"ip": []}}, "[",
             "$.vary.ip: expected an array of the values it takes"),
            ({**BARE, "vary": {"clients": [1, 1]}}, "1]",
             '$.vary.clients[1]: two values would be called "c1"'),
            ({**BARE, "vary": {"clients": [1, [2]]}}, "[2",
             "$.vary.clients[1]: expected a whole number"),
            ({**BARE, "vary": {"ip.x": ["v4"]}}, "[",
             '$.vary["ip.x"]: "ip" has no parts that can vary'),
            ({**BARE, "sample": {"count": 1}}, '{"count',
             '$.sample: expected "seed", a whole number'),
            ({**BARE, "sample": {"count": 2, "seed": 1}}, "2,",
             "$.sample.count: 2 is out of range; 1 to 1"),
            ({**BARE, "consumer": {"server": {}}}, "{}",
             '$.consumer.server: "server" needs a "load", the name of a module'),
        ):
            self.refused_at(recipe, mark, wanted)
        self.refused({**BARE, "topology": "pair", "clients": 2},
                     "recipe.json:1:1: $: makes no case: a pair has one client and no faults of a "
                     "switch")

    def test_too_many_cases_are_refused_before_they_are_made(self):
        axis = [f"{n}us" for n in range(200)]
        self.refused_at({**BARE, "vary": {"link.delay": axis, "link.jitter": axis}},
                        '"link.jitter"', '$.vary["link.jitter"]: makes more than 10000 cases')

    def test_what_is_no_json_is_placed(self):
        for text, wanted in (
            ("", ":1:1: not valid JSON: a value is wanted"),
            ('{"a": 1,\n "a": 2}', ':2:2: not valid JSON: the key "a" stands here twice'),
            ('{"a": 1,}', ":1:9: not valid JSON: a key in double quotes is wanted"),
            ('{"a" 1}', ':1:6: not valid JSON: ":" is wanted after a key'),
            ('{"a": tru}', ':1:7: not valid JSON: "tru" is no value'),
            ("[" * 100000, ":1:66: not valid JSON: nested more than 64 deep"),
            ('{"a": "\n"}', ":1:7: not valid JSON: invalid control character at"),
            ("{} {}", ":1:4: not valid JSON: text after the end of the value"),
        ):
            self.refused(text, f"recipe.json{wanted}")

    def test_files_that_cannot_be_read_are_named(self):
        code, _, errors = self.run_main(os.path.join(self.folder, "no.json"), "-o", self.out)
        self.assertEqual((code, errors),
                         (2, "generate: no.json: cannot be read: No such file or directory\n"))
        path = os.path.join(self.folder, "bytes.json")
        with open(path, "wb") as file:
            file.write(b'{"a": "\xff"}')
        code, _, errors = self.run_main(path, "-o", self.out)
        self.assertEqual((code, errors), (2, "generate: bytes.json: not UTF-8 at byte 7\n"))

    def test_two_recipes_of_one_family_are_refused(self):
        one, two = self.put(BARE, "one.json"), self.put(BARE, "two.json")
        code, _, errors = self.run_main(one, two, "-o", self.out)
        self.assertEqual((code, errors), (2, 'generate: two.json: a second family "f"\n'))


class Places(unittest.TestCase):
    def test_values_and_keys_have_their_offsets(self):
        document = located.Document("x", '{"a": [1,\n {"b": null}]}')
        self.assertEqual(document.root, {"a": [1, {"b": None}]})
        self.assertEqual(str(document.error(("a", 1, "b"), "w")), "x:2:8: $.a[1].b: w")
        self.assertEqual(str(document.error(("a", 1, "b"), "w", True)), "x:2:3: $.a[1].b: w")


if __name__ == "__main__":
    unittest.main()
