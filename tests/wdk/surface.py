#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Makes docs/wdk.md: each name that the wdk headers declare, with how far it does what Windows' does.

    surface.py --headers DIR --page docs/wdk.md [--update] [--program ndksim --nm nm]

The names come from the headers, the judgement from status.txt beside this file. It fails when a
function, macro or type has no status, when a status is of no name, when a name of trees.txt (what
public drivers call) is not complete, when the page is another, or when the program does not export
a function that the headers declare.
"""
import argparse
import ctypes
import os
import subprocess
import sys
import textwrap

import headers as declared

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH = 98
KINDS = {"function": "function", "inline": "function", "macro": "macro", "type": "type",
         "variable": "variable"}
# Of the C run-time: the host's, not the program's.
HOST_HEADERS = ("wdm/crt.h",)


class Status:
    """status.txt: [header], then `complete`, `simplified`, `constants` or `macros` sections."""

    def __init__(self, path):
        self.simplified = {}  # (header, name) -> how
        self.complete = set()
        self.blankets = {}  # (header, kind) -> how
        self.absent = []  # (title, why, names)
        self.abouts = {}
        with open(path, encoding="utf-8") as stream:
            self.read(stream)

    def read(self, stream):
        header = section = None
        for number, line in enumerate(stream, 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            if text.startswith("[absent: "):
                header, section = None, "absent"
                self.absent.append((text[len("[absent: "):-1], [], []))
            elif text.startswith("["):
                header, section = text[1:-1], None
            elif section == "absent":
                where = 1 if text.startswith("> ") else 2
                self.absent[-1][where].extend([text[2:]] if where == 1 else text.split())
            elif text in ("complete", "simplified"):
                section = text
            elif text.startswith(("constants: ", "macros: ")):
                kind, how = text.split(": ", 1)
                self.blankets[header, kind[:-1]] = how
            elif section == "complete":
                self.complete.update((header, name) for name in text.split())
            elif section == "simplified":
                name, how = text.split(": ", 1)
                self.simplified[header, name] = how
            else:
                raise ValueError("status.txt:%d: what is this?" % number)

    def of(self, header, name, kind):
        """'complete', how it is simplified, or None."""
        if (header, name) in self.simplified:
            return self.simplified[header, name]
        if (header, name) in self.complete:
            return "complete"
        if kind == "constant":
            return self.blankets.get((header, "constant"))
        if kind == "macro":
            return self.blankets.get((header, "macro"))
        return None


def judged(names, status):
    """[(header, name, kind, status)] of all but constants; pointers to a type stand with it."""
    return [(header, name, kind, status.of(header, name, kind))
            for header, entries in names.items() for name, kind in entries
            if kind in KINDS]


def complaints(names, status):
    known = {(header, name) for header, entries in names.items() for name, _ in entries}
    for header, name, kind, how in judged(names, status):
        if how is None:
            yield "%s: %s %s has no status: say in status.txt how complete it is" % (
                header, kind, name)
    for header, entries in names.items():
        if any(kind == "constant" for _, kind in entries) and not status.of(header, "", "constant"):
            yield "%s: its constants have no status" % header
    for header, name in sorted(status.complete | set(status.simplified)):
        if (header, name) not in known:
            yield "status.txt: %s declares no %s" % (header, name)
    for header, name in sorted(status.complete & set(status.simplified)):
        yield "status.txt: %s: %s is both" % (header, name)
    there = {name for _, name in known}
    for title, _, absent in status.absent:
        for name in absent:
            if name in there:
                yield "status.txt: %s (%s) is declared, not absent" % (name, title)


def tree_complaints(names, status):
    """Each name of trees.txt is declared and complete; a name of the language is in brackets."""
    where = {name: (header, kind) for header, entries in names.items() for name, kind in entries}
    with open(os.path.join(HERE, "trees.txt"), encoding="utf-8") as stream:
        wanted = [name for line in stream if not line.startswith("#") for name in line.split()]
    for name in wanted:
        if name.startswith("("):
            continue
        if name not in where:
            yield "trees.txt: %s is not declared" % name
            continue
        header, kind = where[name]
        kind = kind.split()[0]
        base = name
        for entry, entry_kind in names[header]:
            if entry == name and entry_kind.startswith("type of "):
                base = entry_kind[len("type of "):]
        if status.of(header, base, kind) != "complete":
            yield "trees.txt: %s is not complete" % name


def export_complaints(names, program, nm):
    output = subprocess.run([nm, "-D" if sys.platform == "linux" else "-g", "--defined-only",
                             program], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in output.splitlines() if line.split()}
    prefix = "_" if sys.platform == "darwin" else ""
    host = ctypes.CDLL(None)
    for header, entries in names.items():
        for name, kind in entries:
            if kind not in ("function", "variable") or prefix + name in exported:
                continue
            if header in HOST_HEADERS and hasattr(host, name):
                continue
            yield "%s: the program does not export %s" % (header, name)


def wrapped(text):
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def code(name):
    return "`%s`" % name


def page_head(rows, names, status):
    simplified = [row for row in rows if row[3] != "complete"]
    functions = [row for row in rows if row[2] in ("function", "inline")]
    yield "# WDK names\n"
    yield wrapped(
        "What a driver may use here, and how far it does what it does on Windows. Made by "
        "`tests/wdk/surface.py` from the headers and `tests/wdk/status.txt`; the test `wdk.page` "
        "says when it is stale. *Complete* means the documented behaviour as far as a driver can "
        "see it, over simulated CPUs and virtual time, with misuse told by Windows' bugcheck "
        "codes; *simplified* says what is less; what is absent is listed at the end, and "
        "`ndksim build-driver` says so in one line for each name.") + "\n"
    yield wrapped(
        "%d functions, of which %d are simplified; %d macros, %d types (pointers to a type stand "
        "with it), %d constants. Layouts and values are proven against a real WDK by "
        "`layout-check.c`: see below." % (
            len(functions), sum(row[3] != "complete" for row in functions),
            sum(row[2] == "macro" for row in rows), sum(row[2] == "type" for row in rows),
            sum(kind == "constant" for entries in names.values() for _, kind in entries))) + "\n"
    yield "## Is the layout Windows'?\n"
    yield wrapped(
        "`layout-check.c` (in `share/ndksim`; in the sources `ndkpi-model/layout/`) states "
        "sizes, offsets and values as static assertions, 64-bit only. It holds when it compiles: "
        "add it to a driver project of yours, or `cl /c /kernel /D_AMD64_` (`/D_ARM64_`) with the "
        "kit's include folders; here the same text holds against these headers, which the test "
        "`wdk.layout` compiles. `/DLAYOUT_CHECK_NDIS=0` and `/DLAYOUT_CHECK_NETIO=0` leave out "
        "the headers that a project has not. A line that fails names what differs: tell us.") + "\n"
    yield "## Simplified\n"
    yield "| Name | Header | What is less |\n|---|---|---|"
    groups = {}
    for header, name, kind, how in simplified:
        if (header, name) in status.simplified:
            groups.setdefault((header, how), []).append(code(name))
    for (header, how), together in groups.items():
        yield "| %s | `%s` | %s |" % (" ".join(together), header, how)
    yield ""


def page_absent(status):
    yield "## Absent\n"
    for title, why, names in status.absent:
        yield wrapped("**%s.** %s" % (title, " ".join(why))) + "\n"
        if names:
            yield wrapped(" ".join(code(name) for name in names)) + "\n"


def page_headers(rows, names, status):
    yield "## Header by header\n"
    for header, entries in names.items():
        mine = [row for row in rows if row[0] == header]
        constants = [name for name, kind in entries if kind == "constant"]
        if not entries:
            continue
        yield "### `%s`\n" % header
        blanket = status.of(header, "", "macro")
        if blanket and all(row[2] == "macro" for row in mine) and mine:
            yield wrapped("%d macros, %s: %s" % (
                len(mine), blanket, " ".join(code(row[1]) for row in mine))) + "\n"
            mine = []
        if mine:
            yield "| Name | Kind | |\n|---|---|---|"
            for _, name, kind, how in mine:
                yield "| %s | %s | %s |" % (
                    code(name), KINDS[kind], how if how == "complete" else "simplified: " + how)
            yield ""
        if constants:
            yield wrapped("%d constants, %s: %s" % (
                len(constants), status.of(header, "", "constant"),
                " ".join(code(name) for name in constants))) + "\n"


def page(names, status):
    rows = judged(names, status)
    parts = [*page_head(rows, names, status), *page_absent(status),
             *page_headers(rows, names, status)]
    return "\n".join(parts).rstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--headers", required=True)
    parser.add_argument("--page", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--program")
    parser.add_argument("--nm", default="nm")
    args = parser.parse_args()
    names = declared.names_of(args.headers)
    status = Status(os.path.join(HERE, "status.txt"))
    found = [*complaints(names, status), *tree_complaints(names, status)]
    if args.program:
        found += export_complaints(names, args.program, args.nm)
    for complaint in found:
        print(complaint)
    if found:
        return 1
    text = page(names, status)
    if args.update:
        with open(args.page, "w", encoding="utf-8") as stream:
            stream.write(text)
        return 0
    with open(args.page, encoding="utf-8") as stream:
        if stream.read() != text:
            print("%s is stale: run this again with --update" % args.page)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
