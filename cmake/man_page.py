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
    """Yields (option, sentence); a long option has its sentence on the next line."""
    for option, sentence in re.findall(r"^  (-(?:\S| (?! ))+)(?:\n? {2,}|$)(.*)$", help_text, re.M):
        yield option, sentence


def usage_of(help_text):
    """Its operands with alternatives under one name, and these."""
    usage = help_text.split("\n", 1)[0].partition("usage: ndksim ")[2]
    words = next((word for word in usage.split() if word.count("|") > 2), "")
    return usage.replace(words, "WHAT") if words else usage, words.split("|") if words else []


def exit_codes(help_text):
    words = help_text[help_text.index("\nexit:") + len("\nexit:") :]
    for entry in re.split(r", (?=\d)", re.sub(r"\s+", " ", words).strip()):
        code, _, meaning = entry.partition(" ")
        yield code, meaning


def page(program):
    help_text = ask(program, "--help")
    version = ask(program, "--version").split()[1]
    about = help_text.split("\n", 1)[0].partition(": ")[2]
    names = re.findall(r"^  ([a-z-]+) ", help_text.split("commands:")[1], re.M)
    yield f'.TH NDKSIM 1 "" "ndksim {version}" "User Commands"'
    yield f".SH NAME\nndksim \\- {escape(about)}"
    yield ".SH SYNOPSIS"
    helps = [ask(program, name, "--help") for name in names]
    for text in helps:
        name, _, operands = usage_of(text)[0].partition(" ")
        yield f".B ndksim {escape(name)}\n{escape(operands)}\n.br"
    yield ".SH COMMANDS"
    for text in helps:
        usage, alternatives = usage_of(text)
        yield f".SS {escape(usage)}\n{escape(text.split(chr(10))[1])}"
        if alternatives:
            yield f".PP\nWHAT is one of {escape(', '.join(alternatives))}."
        for option, sentence in option_lines(text.partition("options:")[2]):
            yield f".TP\n.B {escape(option)}\n{escape(sentence)}"
        if "\nexit:" in text:
            codes = "; ".join(f"{code} {meaning}" for code, meaning in exit_codes(text))
            yield f".PP\nExit status: {escape(codes)}."
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
