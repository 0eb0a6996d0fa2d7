#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The test of sizes can fail, and does not where it should not."""
import unittest

import sizes


def function(count, head="static int f(int a) {"):
    """A function of `count` lines."""
    return head + "\n" + "    a++;\n" * (count - 1 - head.count("\n") - 1) + "}\n"


class Sizes(unittest.TestCase):
    def found(self, body, path="sim/x.c"):
        return list(sizes.check_file(path, body))

    def measured(self, body):
        return list(sizes.functions(body.split("\n")))

    def test_a_long_file_is_found(self):
        self.assertEqual(self.found("int x;\n" * 600), [])
        self.assertEqual(self.found("int x;\n" * 601),
                         ["sim/x.c:1: file of 601 lines, 600 at most"])

    def test_a_long_function_is_found_with_its_name(self):
        self.assertEqual(self.found(function(70)), [])
        self.assertEqual(self.found("int y;\n\n" + function(71)),
                         ["sim/x.c:3: function f of 71 lines, 70 at most"])

    def test_a_head_of_several_lines_counts(self):
        head = "struct a *function_with_a_long_name(struct b *b,\n                        int c) {"
        self.assertEqual(self.measured(function(10, head)), [(1, 10, "function_with_a_long_name")])

    def test_tables_and_types_are_no_functions(self):
        table = "static const int table[] = {\n" + "    1,\n" * 99 + "};\n"
        kind = "struct a {\n" + "    int b;\n" * 99 + "};\n"
        call = "static const struct a list[COUNT(x)] = {\n" + "    {1},\n" * 99 + "};\n"
        self.assertEqual(self.found(table + kind + call), [])

    def test_a_function_after_a_table_is_measured(self):
        body = "enum a {\n    B,\n};\n\n" + function(5)
        self.assertEqual(self.measured(body), [(5, 5, "f")])

    def test_comments_do_not_confuse(self):
        body = "/* f(a) { */\nint x;\n" + function(4, "int g(void) {")
        self.assertEqual([name for _, _, name in self.measured(sizes.text.strip_comments(body))],
                         ["g"])

    def test_headers_that_follow_documents_are_exempt(self):
        self.assertEqual(self.found("int x;\n" * 900, "ndkpi-model/include/wdk/a.h"), [])


if __name__ == "__main__":
    unittest.main()
