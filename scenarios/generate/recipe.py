# SPDX-License-Identifier: Apache-2.0
"""Recipes: what they may say, checked, and the cases that one makes.

A recipe is a JSON object (README.md has all of it):

  family     name of the family: the files are FAMILY-<tags>.json
  consumer   "ndkping", "smb-direct", or an object like those of consumers.json
  topology   "pair" (a link between two adapters) or "star" (all on one switch)
  clients    how many, with one server; a pair has one
  ip         "v4", "v6" or "both" (clients take turns)
  cpus       of each node
  link       members of every link: rate, delay, mtu, queue, jitter
  workload   amounts by the consumer's own words
  faults     names of the fault menu, applied together
  menu       more entries of the fault menu
  vary       any of the above (a dotted path) to the values it takes: every combination is a case
  sample     {"count", "seed"}: only so many of the combinations
  matrix, expect, rules, explore, end: go into each scenario as they are
"""

import difflib
import hashlib
import itertools
import json
import os
import re
from dataclasses import dataclass, field

import located

CASE_COUNT_MAX = 10000
CLIENT_COUNT_MAX = 15
PASSED_ON = {"matrix": dict, "expect": list, "rules": dict, "explore": dict, "end": dict}
LINK_KEYS = ("rate", "delay", "mtu", "queue", "jitter")
HERE = os.path.dirname(os.path.abspath(__file__))

DEFAULTS = {
    "topology": "star",
    "clients": 1,
    "ip": "v4",
    "cpus": 2,
    "link": {},
    "workload": {},
    "faults": [],
}
KINDS = {
    "about": (str, list),
    "family": str,
    "consumer": (str, dict),
    "topology": str,
    "clients": int,
    "ip": str,
    "cpus": int,
    "link": dict,
    "workload": dict,
    "faults": list,
    "menu": dict,
    "vary": dict,
    "sample": dict,
    **PASSED_ON,
}
KIND_NAMES = {
    str: "a string",
    list: "an array",
    dict: "an object",
    int: "a whole number",
    bool: "a boolean",
}

# Entries: {"about", "faults", "steps", "star"}. "@far" is the link of the last client, "@client"
# its adapter and "@switch" the switch, once the case is known.
MENU = {
    "loss": {"faults": [{"point": "link.drop", "probability": "0.1%"}]},
    "heavy-loss": {"faults": [{"point": "link.drop", "probability": "2%"}]},
    "duplicate": {"faults": [{"point": "link.duplicate", "probability": "0.5%", "value": "10us"}]},
    "reorder": {"faults": [{"point": "link.reorder", "probability": "0.5%", "value": 3}]},
    "corrupt": {"faults": [{"point": "link.corrupt", "probability": "0.1%"}]},
    "delay": {"faults": [{"point": "link.delay", "probability": "1%", "value": "200us"}]},
    "flap": {"steps": [{"do": "link_down", "link": "@far", "at": "2ms", "for": "5ms"}]},
    "partition": {
        "star": True,
        "steps": [
            {
                "do": "partition",
                "switch": "@switch",
                "apart": ["@client"],
                "at": "2ms",
                "for": "5ms",
            }
        ],
    },
    "slow": {"steps": [{"do": "link_rate", "link": "@far", "rate": "1Gbps", "at": "1ms"}]},
}


@dataclass
class Case:
    """One scenario to be: every choice made."""

    name: str
    values: dict
    tags: list


@dataclass
class Recipe:
    document: located.Document
    values: dict
    consumer: dict
    menu: dict
    axes: list  # (path text, values, tags)
    cases: list = field(default_factory=list)

    def error(self, path, what, of_key=False):
        return self.document.error(path, what, of_key)


def nearest(word, words):
    found = difflib.get_close_matches(str(word), [str(one) for one in words], 1)
    return f'; did you mean "{found[0]}"?' if found else ""


def _is_kind(value, kinds):
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    return isinstance(value, kinds) and not isinstance(value, bool)


def _kind_text(kinds):
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    return " or ".join(KIND_NAMES[kind] for kind in kinds)


def _known(recipe, path, word, words, what, of_key=False):
    if word not in words:
        hint = nearest(word, words) or f"; expected one of {', '.join(sorted(words))}"
        raise recipe.error(path, f'there is no {what} "{word}"{hint}', of_key)


def _check_range(recipe, path, value, least, most):
    if not least <= value <= most:
        raise recipe.error(path, f"{value} is out of range; {least} to {most}")


def _check_value(recipe, name, value, path):
    """A value of a recipe or of an axis, `name` being its dotted path."""
    first, _, rest = name.partition(".")
    if rest:
        if first == "link":
            _known(recipe, path, rest, LINK_KEYS, "link member")
        elif first == "workload":
            _known(recipe, path, rest, recipe.consumer["workload"], "workload word", True)
        else:
            raise recipe.error(path, f'"{first}" has no parts that can vary', True)
        return
    if not _is_kind(value, KINDS[name]):
        raise recipe.error(path, f"expected {_kind_text(KINDS[name])}")
    if name in ("clients", "cpus"):
        _check_range(recipe, path, value, 1, CLIENT_COUNT_MAX if name == "clients" else 16)
    elif name == "ip":
        _known(recipe, path, value, ("v4", "v6", "both"), "IP version")
        if value == "both" and not recipe.consumer.get("both", True):
            raise recipe.error(path, "this consumer's server listens on one address; v4 or v6")
    elif name == "topology":
        _known(recipe, path, value, ("pair", "star"), "topology")
    elif name == "link":
        for key in value:
            _known(recipe, (*path, key), key, LINK_KEYS, "link member", True)
    elif name == "workload":
        for key in value:
            _known(recipe, (*path, key), key, recipe.consumer["workload"], "workload word", True)
    elif name == "faults":
        for index, entry in enumerate(value):
            _known(recipe, (*path, index), entry, recipe.menu, "fault menu entry")
        if len(set(value)) < len(value):
            raise recipe.error(path, "names an entry twice")


def _check_consumer(recipe, consumer):
    members = {"server": dict, "client": dict, "workload": dict, "expect": list, "about": str}
    members["both"] = bool
    for key, value in consumer.items():
        path = ("consumer", key)
        _known(recipe, path, key, members, "member", True)
        if not isinstance(value, members[key]):
            raise recipe.error(path, f"expected {KIND_NAMES[members[key]]}")
    for role in ("server", "client"):
        path = ("consumer", role) if role in consumer else ("consumer",)
        if not isinstance(consumer.get(role, {}).get("load"), str):
            raise recipe.error(path, f'"{role}" needs a "load", the name of a module')
        if not isinstance(consumer[role].get("registry", {}), dict):
            raise recipe.error((*path, "registry"), "expected an object")
    for word, entry in consumer.get("workload", {}).items():
        if not isinstance(entry, dict) or not isinstance(entry.get("value"), str):
            path = ("consumer", "workload", word)
            raise recipe.error(path, 'expected {"value": the registry value it sets}')
    for index, entry in enumerate(consumer.get("expect", [])):
        if not isinstance(entry, dict):
            raise recipe.error(("consumer", "expect", index), "expected an object")


def _read_consumer(recipe):
    with open(os.path.join(HERE, "consumers.json"), encoding="utf-8") as file:
        shipped = {key: one for key, one in json.load(file).items() if key != "about"}
    named = recipe.values["consumer"]
    if isinstance(named, str):
        _known(recipe, ("consumer",), named, shipped, "consumer")
        return shipped[named]
    _check_consumer(recipe, named)
    return {"workload": {}, **named}


def _read_menu(recipe):
    menu = dict(MENU)
    for name, entry in recipe.values.get("menu", {}).items():
        path = ("menu", name)
        if not re.fullmatch(r"[a-z0-9-]{1,32}", name):
            raise recipe.error(path, f'"{name}" is no name: small letters, digits and -', True)
        if not isinstance(entry, dict):
            raise recipe.error(path, "expected an object")
        for key in entry:
            _known(recipe, (*path, key), key, ("about", "faults", "steps", "star"), "member", True)
        for key in ("faults", "steps"):
            if not isinstance(entry.get(key, []), list):
                raise recipe.error((*path, key), "expected an array")
        menu[name] = entry
    return menu


def _tag(value):
    """A value as a part of a file's name."""
    if isinstance(value, list):
        return "+".join(_tag(one) for one in value) or "clean"
    if isinstance(value, dict):
        return "+".join(f"{key}{_tag(one)}" for key, one in sorted(value.items())) or "none"
    return re.sub(r"[^A-Za-z0-9.]+", "", str(value).replace("%", "pc"))


def _axis_prefix(name):
    return {"clients": "c", "cpus": "cpu"}.get(name, "")


def _read_axes(recipe):
    axes = []
    for name, values in recipe.values.get("vary", {}).items():
        path = ("vary", name)
        first = name.partition(".")[0]
        _known(recipe, path, first, tuple(DEFAULTS), "member that can vary", True)
        if not isinstance(values, list) or not values:
            raise recipe.error(path, "expected an array of the values it takes")
        for index, value in enumerate(values):
            _check_value(recipe, name, value, (*path, index))
        tags = [_axis_prefix(name) + _tag(value) for value in values]
        for index, tag in enumerate(tags):
            if tag in tags[:index]:
                raise recipe.error((*path, index), f'two values would be called "{tag}"')
        axes.append((name, values, tags))
    return axes


def _put(values, name, value):
    first, _, rest = name.partition(".")
    values[first] = {**values[first], rest: value} if rest else value


def _sample(recipe, cases):
    """`count` cases, chosen by a hash of their names: the same wherever it runs."""
    sample = recipe.values.get("sample")
    if sample is None:
        return cases
    for key in ("count", "seed"):
        if not _is_kind(sample.get(key), int):
            raise recipe.error(("sample",), f'expected "{key}", a whole number')
    for key in sample:
        _known(recipe, ("sample", key), key, ("count", "seed"), "member", True)
    _check_range(recipe, ("sample", "count"), sample["count"], 1, len(cases))

    def rank(case):
        return hashlib.sha256(f"{sample['seed']} {case.name}".encode()).digest()

    chosen = {case.name for case in sorted(cases, key=rank)[: sample["count"]]}
    return [case for case in cases if case.name in chosen]


def _is_possible(recipe, values):
    """Combinations that make no sense are left out: faults of a switch in a pair, and the like."""
    if values["topology"] == "star":
        return True
    return values["clients"] == 1 and not any(
        recipe.menu[name].get("star") for name in values["faults"]
    )


def _make_cases(recipe):
    total = 1
    for name, values, _ in recipe.axes:
        total *= len(values)
        if total > CASE_COUNT_MAX:
            raise recipe.error(("vary", name), f"makes more than {CASE_COUNT_MAX} cases", True)
    base = {key: recipe.values.get(key, default) for key, default in DEFAULTS.items()}
    cases = []
    for choice in itertools.product(*(range(len(values)) for _, values, _ in recipe.axes)):
        values, tags = dict(base), []
        for (name, options, names), index in zip(recipe.axes, choice):
            _put(values, name, options[index])
            tags.append(names[index])
        if _is_possible(recipe, values):
            cases.append(Case("-".join([recipe.values["family"], *tags]), values, tags))
    if not cases:
        raise recipe.error((), "makes no case: a pair has one client and no faults of a switch")
    return _sample(recipe, cases)


def read(path):
    """The Recipe of a file, its cases made; located.LocatedError when anything is wrong."""
    document = located.read(path)
    recipe = Recipe(document, document.root, {}, {}, [])
    if not isinstance(document.root, dict):
        raise recipe.error((), "expected an object")
    for key in document.root:
        _known(recipe, (key,), key, KINDS, "member", True)
    for key in ("family", "consumer"):
        if key not in document.root:
            raise recipe.error((), f'"{key}" is missing')
    for key, value in document.root.items():
        if not _is_kind(value, KINDS[key]):
            raise recipe.error((key,), f"expected {_kind_text(KINDS[key])}")
    family = document.root["family"]
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,31}", family):
        raise recipe.error(("family",), f'"{family}" is no name: small letters, digits and -')
    recipe.consumer = _read_consumer(recipe)
    recipe.menu = _read_menu(recipe)
    for name in DEFAULTS:
        if name in document.root:
            _check_value(recipe, name, document.root[name], (name,))
    recipe.axes = _read_axes(recipe)
    recipe.cases = _make_cases(recipe)
    return recipe
