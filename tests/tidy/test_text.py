#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The text test can fail: each rule is broken once on purpose."""
import unittest

import text

SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"


class Rules(unittest.TestCase):
    def found(self, path, body):
        return "\n".join(text.check_file(path, SPDX + body))

    def test_a_clean_file_passes(self):
        self.assertEqual(self.found("sim/world.c", "int x;\n"), "")

    def test_a_missing_licence_line_is_found(self):
        self.assertIn("no SPDX", "\n".join(text.check_file("sim/world.c", "int x;\n")))

    def test_long_lines_are_found(self):
        self.assertIn("line of 120", self.found("sim/world.c", "x" * 120 + "\n"))

    def test_linux_only_calls_are_found_outside_host_linux(self):
        self.assertIn("Linux only", self.found("sim/world.c", "int f = memfd_create(0, 0);\n"))
        self.assertEqual(self.found("sim/host_linux.c", "int f = memfd_create(0, 0);\n"), "")

    def test_clocks_are_found_in_the_model(self):
        self.assertIn("not deterministic", self.found("fabric/net/link.c", "x = rand();\n"))

    def test_floating_point_is_found_in_the_model(self):
        self.assertIn("floating", self.found("fabric/net/link.c", "double x;\n"))

    def test_words_in_comments_are_no_findings(self):
        self.assertEqual(self.found("fabric/net/link.c", "/* double rand() */\n"), "")

    def test_foreign_headers_are_found(self):
        self.assertIn("uv.h", self.found("fabric/net/link.c", "#include <uv.h>\n"))
        self.assertIn("cmocka.h", self.found("sim/world.c", "#include <cmocka.h>\n"))

    def test_typedefs_of_ours_are_found(self):
        self.assertIn("typedef", self.found("sim/world.c", "typedef struct a b;\n"))

    def test_two_kernel_calls_in_arguments_are_found(self):
        body = "Use(KeGetCurrentIrql(), IoAllocateMdl(a, b));\n"
        self.assertIn("two kernel calls", self.found("consumers/ndkping/main.c", body))
        self.assertEqual(self.found("consumers/ndkping/main.c", "Use(KeGetCurrentIrql(), b);\n"),
                         "")

    def test_marks_are_found(self):
        self.assertIn("mark", self.found("sim/world.c", "int x; /* TO" + "DO */\n"))


if __name__ == "__main__":
    unittest.main()
