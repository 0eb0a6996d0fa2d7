#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Makes ndkpi-model/layout/layout-check.c, which users compile against their own kit.

    layout.py --headers DIR --check FILE --cc CC [--update]

Which structures and values go in is decided here, by header: every structure of the NDK headers,
and of the others those that drivers look into. Sizes, offsets and values are measured with a
compiler. It fails when the file is another, which is when it is not complete or not true.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import headers as declared

# Section, its switch, the headers of the kit, ours to take from.
SECTIONS = (
    ("NDK", None, ("ntddk.h", "ndkpi.h", "ndkinfo.h", "wsk.h", "wskndk.h"),
     ("ndkinfo.h", "ndk/types.h", "ndk/functions.h", "ndk/connections.h", "ndkpi.h", "wskndk.h",
      "wsk.h", "wsk/sockets.h")),
    ("Kernel", None, ("ntddk.h",),
     ("ntdef.h", "ntstatus.h", "devioctl.h", "wdm/ke.h", "wdm/ex.h", "wdm/mm.h", "wdm/hal.h",
      "wdm/io_types.h", "wdm/io.h", "wdm/io_queue.h", "wdm/ps.h", "wdm/rtl.h", "wdm/zw.h")),
    ("IP helper", "LAYOUT_CHECK_NETIO", ("netioapi.h",),
     ("inaddr.h", "in6addr.h", "ws2def.h", "ws2ipdef.h", "ifdef.h", "nldef.h", "netioapi.h")),
    ("NDIS", "LAYOUT_CHECK_NDIS", ("ndis.h", "ndisndk.h"),
     ("ntddndis.h", "ndisndk.h", "ndis/types.h", "ndis/miniport.h", "ndis/hardware.h",
      "ndis/oid.h")),
)
# Drivers embed these and look at no member.
SIZE_ONLY = {
    "DISPATCHER_HEADER", "KSEMAPHORE", "KMUTANT", "KTIMER", "KWAIT_BLOCK", "KDPC", "FAST_MUTEX",
    "SLIST_HEADER", "GENERAL_LOOKASIDE", "GENERAL_LOOKASIDE_POOL", "WSK_REGISTRATION",
    "KDEVICE_QUEUE", "KSPIN_LOCK_QUEUE", "EX_RUNDOWN_REF", "IO_REMOVE_LOCK_DBG_BLOCK",
    "IO_CSQ_IRP_CONTEXT", "PROCESSOR_NUMBER", "NDIS_SPIN_LOCK", "NDIS_EVENT",
}
# Not a kit's, or built differently with its switches.
LEFT_OUT = {"IO_REMOVE_LOCK", "WSK_SOCKET", "DRIVER_EXTENSION", "KLOCK_QUEUE_HANDLE"}
# Values that every kit has, besides all of the NDK section and all enumerators.
VALUES = re.compile(
    r"(STATUS|MDL|IRP_MJ|SL|IRP|DO|POOL_FLAG|FILE|KEY|REG|OBJ|METHOD|AF|NDIS|OID|"
    r"RTL_QUERY_REGISTRY|RTL_REGISTRY|CmResourceType|IF_TYPE|SO|IPPROTO|NDK|WSK|SOCK)_\w+|"
    r"(PASSIVE|APC|DISPATCH)_LEVEL|PAGE_SIZE|PAGE_SHIFT")


def structures(text):
    """[(type name, [members of the first level])]; a struct _X without typedef is X elsewhere."""
    found = []
    for declaration in declared.declarations(declared.macros_of(
            declared.without_comments(text))[1]):
        match = re.match(r"\s*(?:typedef\s+(?:struct|union)\b[^{;]*|struct\s+_(\w+)\s*)\{",
                         declaration)
        if not match:
            continue
        depth, end = 0, 0
        for end in range(match.end() - 1, len(declaration)):
            depth += {"{": 1, "}": -1}.get(declaration[end], 0)
            if depth == 0:
                break
        body, tail = declaration[match.end():end], declaration[end + 1:]
        names = re.findall(r"\w+", re.sub(r"DECLSPEC_\w+(\([^)]*\))?", "", tail.split(",")[0]))
        if match.group(1) or names:
            found.append((match.group(1) or names[-1], list(members(body))))
    return found


def members(body):
    """Names at the first level, those of nameless structures and unions included; no bit fields."""
    depth, start = 0, 0
    for i, char in enumerate(body):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char != ";" or depth != 0:
            continue
        part, start = body[start:i], i + 1
        if "{" in part:
            inner, tail = part[part.index("{") + 1:part.rindex("}")], part[part.rindex("}") + 1:]
            names = re.findall(r"\w+", tail)
            yield from names[:1] if names else members(inner)
            continue
        if re.search(r"\w\s*:\s*\w", part):
            continue
        pointer = re.search(r"\(\s*\w*\s*\*\s*(?:volatile\s+)?(\w+)\s*\)", part)
        for piece in [pointer.group(1)] if pointer else part.split(","):
            words = re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", piece))
            words = [word for word in words if not word.startswith("_NDKSIM")]
            if words:
                yield words[-1]


class Probe:
    """Asks the compiler, all at once; what it cannot say is no constant."""

    def __init__(self, folder, cc):
        self.folder = folder
        self.cc = [cc, "-std=gnu11", "-w", "-fshort-wchar", "-fmax-errors=0", "-I", folder,
                   "-I", os.path.join(folder, "crt")]
        if "clang" in subprocess.run([cc, "--version"], check=True, capture_output=True,
                                     text=True).stdout:
            self.cc[self.cc.index("-fmax-errors=0")] = "-ferror-limit=0"

    def source(self, lines):
        includes = "".join("#include <%s>\n" % header for header in (
            "ntddk.h", "ndis.h", "ndisndk.h", "wsk.h", "wskndk.h", "ndkpi.h", "netioapi.h"))
        return includes + "int printf(const char *, ...);\n#line 1 \"probe\"\n" + "".join(lines)

    def constants(self, names):
        """Those of the names that are integer constants."""
        while True:
            lines = ["static const long long probe_%d = (long long)(%s);\n" % pair
                     for pair in enumerate(names)]
            run = subprocess.run(self.cc + ["-fsyntax-only", "-x", "c", "-"],
                                 input=self.source(lines), capture_output=True, text=True)
            if run.returncode == 0:
                return names
            wrong = {int(line) - 1 for line in re.findall(r"probe:(\d+):\d+: error", run.stderr)}
            if not wrong:
                raise ValueError(run.stderr)
            names = [name for i, name in enumerate(names) if i not in wrong]

    def run(self, expressions):
        lines = ["int main(void) {\n"]
        lines += ["printf(\"%%lld\\n\", (long long)(%s));\n" % text for text in expressions]
        lines += ["return 0;\n}\n"]
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "p.c"), os.path.join(folder, "p")
            with open(source, "w", encoding="utf-8") as stream:
                stream.write(self.source(lines))
            subprocess.run(self.cc + ["-O0", source, "-o", program], check=True)
            return [int(text) for text in subprocess.run(
                [program], check=True, capture_output=True, text=True).stdout.split()]


def rows(items):
    """Macro uses, as many a line as fit."""
    line = ""
    for item in items:
        if line and len(line) + 1 + len(item) > 100:
            yield line
            line = ""
        line += (" " if line else "") + item
    if line:
        yield line


def value_text(value):
    if -10 < value < 10:
        return "%d" % value
    return "0x%X" % (value & 0xFFFFFFFF if value < 0 else value)


def section(probe, folder, names, title, ours):
    found, values = [], []
    for header in ours:
        with open(os.path.join(folder, header), encoding="utf-8") as stream:
            text = stream.read()
        found += structures(text)
        enums = {name for part in declared.declarations(declared.macros_of(
            declared.without_comments(text))[1]) for name in declared.enumerators(part)}
        values += [name for name, kind in names[header] if kind == "constant" and (
            name in enums or title == "NDK" or VALUES.fullmatch(name))]
    found = [(name, []) if name in SIZE_ONLY else (name, of) for name, of in found
             if name not in LEFT_OUT]
    values = probe.constants(values)
    asked = []
    for name, of in found:
        asked += ["sizeof(%s)" % name] + ["offsetof(%s, %s)" % (name, member) for member in of]
    answers = iter(probe.run(asked + values))
    lines = []
    for name, of in found:
        lines.append("S(%s, %d);" % (name, next(answers)))
        lines += rows(["O(%s, %s, %d);" % (name, member, next(answers)) for member in of])
    if values:
        lines.append("")
        lines += rows(["V(%s, %s);" % (name, value_text(next(answers))) for name in values])
    return lines


HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the layout of your kit the one that ndksim has? Compile this file against either: it holds
 * when it compiles. 64-bit only. Made by tests/wdk/layout.py; docs/wdk.md says how to use it.
 *
 *   S(type, bytes);   O(type, member, offset);   V(name, value);
 */
/* clang-format off */
#define S(type, bytes) C_ASSERT(sizeof(type) == (bytes))
#define O(type, member, offset) C_ASSERT(FIELD_OFFSET(type, member) == (offset))
#define V(name, value) C_ASSERT((ULONG)(name) == (ULONG)(value))
"""


def whole(folder, cc):
    names = declared.names_of(folder)
    probe = Probe(folder, cc)
    text = HEAD
    for title, switch, theirs, ours in SECTIONS:
        text += "\n/* %s */\n" % title
        if switch:
            text += "#ifndef %s\n#define %s 1\n#endif\n#if %s\n" % (switch, switch, switch)
        text += "".join("#include <%s>\n" % header for header in theirs)
        if title == "NDK":
            text += "C_ASSERT(sizeof(PVOID) == 8);\n"
        text += "\n" + "\n".join(section(probe, folder, names, title, ours)) + "\n"
        text += "#endif\n" if switch else ""
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--headers", required=True)
    parser.add_argument("--check", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    text = whole(args.headers, args.cc)
    subprocess.run([args.cc, "-std=gnu11", "-fshort-wchar", "-Werror", "-Wno-multichar",
                    "-fsyntax-only", "-I", args.headers, "-I", os.path.join(args.headers, "crt"),
                    "-x", "c", "-"], input=text, check=True, text=True)
    if args.update:
        with open(args.check, "w", encoding="utf-8") as stream:
            stream.write(text)
        return 0
    with open(args.check, encoding="utf-8") as stream:
        if stream.read() != text:
            print("%s is not what the headers say: if they are right, --update" % args.check)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
