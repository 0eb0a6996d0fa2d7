#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Families of scenarios from short recipes: generate.py RECIPE... -o DIR [--check | --list].

The same recipe gives the same bytes, whoever runs it, wherever. Files of a family that the recipe
no longer makes are removed; files that were not made by this program are left alone.

Exit code: 0 done, 1 --check found files that are not what the recipe makes, 2 a wrong recipe or
argument.
"""

import argparse
import json
import os
import sys

import family
import located
import recipe as recipes

MARK = "Made by scenarios/generate from family "


def text_of(scenario):
    """Two blanks a level; arrays and objects that fit in a line stay in one."""
    return _spread(scenario, 0) + "\n"


def _spread(value, level, used=0):
    flat = json.dumps(value, ensure_ascii=False)
    if level > 0 and len(flat) + 2 * level + used <= 98:
        return flat
    inner, outer = "  " * (level + 1), "  " * level
    if isinstance(value, dict) and value:
        members = []
        for key, one in value.items():
            head = f"{json.dumps(key, ensure_ascii=False)}: "
            members.append(f"{inner}{head}{_spread(one, level + 1, len(head) + 2)}")
        return "{\n" + ",\n".join(members) + f"\n{outer}}}"
    if isinstance(value, list) and value:
        parts = [f"{inner}{_spread(one, level + 1, 2)}" for one in value]
        return "[\n" + ",\n".join(parts) + f"\n{outer}]"
    return flat


def make(path):
    """(family name, {file name: text}) of a recipe."""
    recipe = recipes.read(path)
    files = {}
    for case in recipe.cases:
        files[f"{case.name}.json"] = text_of(family.scenario(recipe, case))
    return recipe.values["family"], files


def _old_files(folder, name):
    """Files in `folder` that this program made for the family."""
    if not os.path.isdir(folder):
        return []
    found = []
    for entry in sorted(os.listdir(folder)):
        if not entry.endswith(".json"):
            continue
        try:
            with open(os.path.join(folder, entry), encoding="utf-8") as file:
                head = file.read(65536)
        except (OSError, UnicodeDecodeError):
            continue
        if f"{MARK}{name}." in head:
            found.append(entry)
    return found


def _difference(wanted, found):
    for number, (one, other) in enumerate(zip(wanted.split("\n"), found.split("\n")), 1):
        if one != other:
            return f"line {number} is {other.strip()!r}, expected {one.strip()!r}"
    return "it has another length"


def check(folder, name, files):
    """What is not current, one line each."""
    wrong = []
    for file, wanted in files.items():
        path = os.path.join(folder, file)
        try:
            with open(path, encoding="utf-8", newline="") as stream:
                found = stream.read()
        except FileNotFoundError:
            wrong.append(f"{path}: is missing")
            continue
        except (OSError, UnicodeDecodeError) as error:
            wrong.append(f"{path}: cannot be read: {error}")
            continue
        if found != wanted:
            wrong.append(f"{path}: is not current: {_difference(wanted, found)}")
    for file in _old_files(folder, name):
        if file not in files:
            wrong.append(f"{os.path.join(folder, file)}: is no case of the recipe any more")
    return wrong


def write(folder, name, files):
    os.makedirs(folder, exist_ok=True)
    for file in _old_files(folder, name):
        if file not in files:
            os.unlink(os.path.join(folder, file))
    for file, text in files.items():
        path = os.path.join(folder, file)
        with open(f"{path}.part", "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        os.replace(f"{path}.part", path)


def _arguments(words):
    parser = argparse.ArgumentParser(description="makes families of scenarios from recipes")
    parser.add_argument("recipe", nargs="+")
    parser.add_argument("-o", "--out", metavar="DIR", help="where the scenarios go")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; say what is not current"
    )
    parser.add_argument("--list", action="store_true", help="write nothing; name the cases")
    options = parser.parse_args(words)
    if options.out is None and not options.list:
        parser.error("-o DIR is wanted (or --list)")
    return options


def _make_all(paths):
    made = []
    for path in paths:
        name, files = make(path)
        for other, _, _ in made:
            if other == name:
                raise located.LocatedError(path, None, None, f'a second family "{name}"')
        made.append((name, files, path))
    return made


def main(words=None):
    options = _arguments(words)
    wrong = []
    try:
        for name, files, path in _make_all(options.recipe):
            if options.list:
                print("\n".join(files))
            elif options.check:
                wrong += check(options.out, name, files)
            else:
                write(options.out, name, files)
                print(f"{path}: {len(files)} scenarios in {options.out}")
    except located.LocatedError as error:
        print(f"generate: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"generate: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    for line in wrong:
        print(f"generate: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
