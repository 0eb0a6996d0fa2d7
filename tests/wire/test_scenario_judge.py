#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The list of judged scenarios is read as its head says."""
import os
import unittest

import scenario_judge


class List(unittest.TestCase):
    def test_kinds_and_options_are_read(self):
        lines = scenario_judge.parse("# x\n\na clean cm nodes.a.cpus=1\nb skip too long\n")
        self.assertEqual(lines["a"].kind, "clean")
        self.assertEqual(lines["a"].expects, ["--expect-cm"])
        self.assertEqual(lines["a"].sets, ["nodes.a.cpus=1"])
        self.assertEqual(lines["b"].reason, "too long")

    def test_wrong_lines_are_named(self):
        for text in ("a\n", "a dirty\n", "a clean\na lossy\n", "a clean what\n"):
            with self.assertRaisesRegex(ValueError, r"scenarios.txt:\d"):
                scenario_judge.parse(text)

    def test_every_line_has_its_scenario(self):
        library = os.path.join(scenario_judge.HERE, "..", "..", "scenarios", "library")
        with open(os.path.join(scenario_judge.HERE, "scenarios.txt"), encoding="utf-8") as file:
            for name in scenario_judge.parse(file.read()):
                self.assertTrue(os.path.exists(scenario_judge.find(library, name)), name)


if __name__ == "__main__":
    unittest.main()
