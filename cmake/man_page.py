#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The man page from what the program says of itself: man_page.py NDKSIM OUTPUT."""
import re
import subprocess
import sys

TAIL = r"""
.SH ENVIRONMENT
.TP
.B NDKSIM_DRIVER_DIR
Where shipped drivers are looked for, instead of beside the program.
.TP
.B NDKSIM_DATA_DIR
Where the cases of conform are looked for, instead of in share/ndksim.
.TP
.B NDKSIM_WATCHDOG_SECONDS
CPU time without a schedule point after which a driver loops; 10 when absent.
.SH FILES
.TP
.I share/ndksim/schema.json
What a scenario may say, with descriptions; editors use it through \fB$schema\fR.
.TP
.I share/ndksim/library/
Shipped scenarios.
.TP
.I share/ndksim/conform/, share/ndksim/rules/
Cases of rules.
.TP
.I lib/ndksim/drivers/
Shipped drivers, by the names that scenarios load.
.TP
.I *.ndkrun
A recorded run: scenario with all changes, seed, drivers' builds, decisions, digest.
"""


def ask(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def escape(text):
    return text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")


def option_lines(help_text):
    """Yields (option, sentence) from the lines of a command's help."""
    for line in help_text.split("\n"):
        found = re.match(r"  (-\S.*?)(?:  +|$)(.*)", line)
        if found:
            yield found.group(1), found.group(2)


def exit_codes(help_text):
    words = help_text[help_text.index("\nexit:") + len("\nexit:") :]
    for entry in re.sub(r"\s+", " ", words).strip().split(", "):
        code, _, meaning = entry.partition(" ")
        yield code, meaning


def page(program):
    help_text = ask(program, "--help")
    version = ask(program, "--version").split()[1]
    about = help_text.split("\n", 1)[0].partition(": ")[2]
    commands = re.findall(r"^  (\w+) +(\S+) +(.*)$", help_text.split("commands:")[1], re.M)
    yield f'.TH NDKSIM 1 "" "ndksim {version}" "User Commands"'
    yield f".SH NAME\nndksim \\- {escape(about)}"
    yield ".SH SYNOPSIS"
    for name, operands, _ in commands:
        yield f".B ndksim {escape(name)}\n{escape(operands)}\n[options]\n.br"
    yield ".SH COMMANDS"
    for name, _, sentence in commands:
        usage = ask(program, name, "--help").split("\n", 1)[0].partition("usage: ndksim ")[2]
        yield f".SS {escape(usage)}\n{escape(sentence)}"
        for option, text in option_lines(ask(program, name, "--help")):
            yield f".TP\n.B {escape(option)}\n{escape(text)}"
    yield ".SH EXIT STATUS"
    for code, meaning in exit_codes(help_text):
        yield f".TP\n.B {code}\n{escape(meaning)}"
    yield TAIL.strip()


def main():
    text = '.\\" SPDX-License-Identifier: Apache-2.0\n' + "\n".join(page(sys.argv[1])) + "\n"
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
