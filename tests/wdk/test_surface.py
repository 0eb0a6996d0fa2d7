#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the judge of names see what is wrong?"""
import io
import unittest

import headers as declared
import layout
import surface

TEXT = """
#define VALUE 3
#define Macro(x) ((x) + 1)
#define Other Function
typedef struct _THING { ULONG A; union { ULONG B; PVOID C; }; struct { ULONG X; } D; } THING,
    *PTHING;
typedef NTSTATUS(WSKAPI *PFN_CALL)(_In_ PVOID A, _In_ ULONG B);
typedef VOID ROUTINE(_In_ PVOID A);
typedef enum _KIND { KindOne, KindTwo = 4 } KIND;
_IRQL_requires_max_(DISPATCH_LEVEL) VOID NTAPI Function(_In_ PTHING Thing,
                                                        _In_reads_(2) PVOID More[]);
FORCEINLINE VOID Inline(VOID) {
    if (1) {
    }
}
extern POBJECT_TYPE *Variable;
"""


def status_of(text):
    status = surface.Status.__new__(surface.Status)
    status.simplified, status.complete, status.blankets = {}, set(), {}
    status.absent, status.abouts = [], {}
    status.read(io.StringIO(text))
    return status


GOOD = """
[a.h]
constants: complete
complete
  Macro Other THING PFN_CALL ROUTINE KIND Function Inline
simplified
  Variable: never changes
[absent: Others]
> Not here.
  Elsewhere
"""


class Names(unittest.TestCase):
    def names(self):
        return {"a.h": declared.names_of_text(TEXT)}

    def test_each_kind_of_name_is_found(self):
        self.assertEqual(declared.names_of_text(TEXT), [
            ("VALUE", "constant"), ("Macro", "macro"), ("Other", "macro"), ("THING", "type"),
            ("PTHING", "type of THING"), ("PFN_CALL", "type"), ("ROUTINE", "type"),
            ("KindOne", "constant"), ("KindTwo", "constant"), ("KIND", "type"),
            ("Function", "function"), ("Inline", "inline"), ("Variable", "variable")])

    def test_a_whole_list_has_no_complaint(self):
        self.assertEqual(list(surface.complaints(self.names(), status_of(GOOD))), [])

    def test_a_name_without_status_is_told(self):
        for name in ("Macro", "THING", "Function", "Inline"):
            found = list(surface.complaints(self.names(), status_of(GOOD.replace(name, "", 1))))
            self.assertEqual(len(found), 1)
            self.assertIn(name + " has no status", found[0])

    def test_constants_need_a_word_too(self):
        text = GOOD.replace("constants: complete", "")
        self.assertIn("constants", list(surface.complaints(self.names(), status_of(text)))[0])

    def test_a_status_of_nothing_is_told(self):
        text = GOOD.replace("Inline", "Inline Gone")
        self.assertIn("declares no Gone", list(surface.complaints(self.names(),
                                                                  status_of(text)))[0])

    def test_what_is_declared_is_not_absent(self):
        text = GOOD.replace("Elsewhere", "Function")
        self.assertIn("not absent", list(surface.complaints(self.names(), status_of(text)))[0])

    def test_the_page_names_what_is_simplified_and_absent(self):
        page = surface.page(self.names(), status_of(GOOD))
        self.assertIn("| `Variable` | `a.h` | never changes |", page)
        self.assertIn("**Others.** Not here.", page)
        self.assertIn("| `Function` | function | complete |", page)

    def test_members_of_nameless_parts_are_members(self):
        self.assertEqual(layout.structures(TEXT), [("THING", ["A", "B", "C", "D"])])


if __name__ == "__main__":
    unittest.main()
