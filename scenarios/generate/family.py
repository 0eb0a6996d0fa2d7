# SPDX-License-Identifier: Apache-2.0
"""From a case of a recipe to a scenario: a dict in the order in which it is written."""

import copy
import re

SERVER = "server"
SWITCH = "switch"


SIZES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def amount(value):
    """Registry values are numbers: "64KiB" becomes one, any other text stays."""
    found = re.fullmatch(r"(\d+)(B|KiB|MiB|GiB)", value) if isinstance(value, str) else None
    return int(found.group(1)) * SIZES[found.group(2)] if found else value


def client_name(index):
    return f"client{index}"


def address(version, host):
    """Host 1 is the server, the clients follow."""
    return f"10.0.0.{host}/24" if version == "v4" else f"fd00::{host:x}/64"


def _bare(text):
    return text.partition("/")[0]


def _client_version(ip, index):
    return ("v4", "v6")[index % 2] if ip == "both" else ip


def _addresses(ip, host):
    versions = ("v4", "v6") if ip == "both" else (ip,)
    return [address(version, host) for version in versions]


def _registry(template, words):
    """"@server" and the like become values; a value whose word is absent is left out."""
    registry = {}
    for key, value in template.items():
        if isinstance(value, str) and value.startswith("@"):
            if value[1:] not in words:
                continue
            value = words[value[1:]]
        registry[key] = value
    return registry


def _driver(consumer, role, name, words, workload):
    registry = _registry(consumer[role].get("registry", {}), words)
    for word, value in workload.items():
        entry = consumer["workload"][word]
        if role in entry.get("roles", ("client",)):
            registry[entry["value"]] = amount(value)
    driver = {"as": name, "load": consumer[role]["load"]}
    if registry:
        driver["registry"] = registry
    if "script" in consumer[role]:
        texts = {f"@{word}": value for word, value in words.items()}
        driver["script"] = _fill(consumer[role]["script"], texts)
    return driver


def _node(values, host, driver):
    node = {} if values["cpus"] == 2 else {"cpus": values["cpus"]}
    node["adapters"] = {"nic0": {"addresses": _addresses(values["ip"], host)}}
    node["drivers"] = [driver]
    return node


def _nodes(recipe, values):
    consumer, workload, count = recipe.consumer, values["workload"], values["clients"]
    server_words = {"clients": count}
    for word, text in zip(("listen", "listen2"), _addresses(values["ip"], 1)):
        server_words[word] = _bare(text)
    server = _driver(consumer, "server", "target", server_words, workload)
    nodes = {SERVER: _node(values, 1, server)}
    for index in range(count):
        version = _client_version(values["ip"], index)
        words = {
            "server": _bare(address(version, 1)),
            "local": _bare(address(version, index + 2)),
            "index": index,
        }
        name = "init" if count == 1 else f"init{index}"
        driver = _driver(consumer, "client", name, words, workload)
        nodes[client_name(index)] = _node(values, index + 2, driver)
    return nodes


def _links(values):
    """(links, name of the last client's link)"""
    names = [SERVER, *(client_name(index) for index in range(values["clients"]))]
    far = f"{names[-1]}-link"
    if values["topology"] == "pair":
        ends = [f"{names[-1]}.nic0", f"{SERVER}.nic0"]
        return [{"name": far, "between": ends, **values["link"]}], far
    return [
        {"name": f"{name}-link", "between": [f"{name}.nic0", SWITCH], **values["link"]}
        for name in names
    ], far


def _fill(value, words):
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, list):
        return [_fill(one, words) for one in value]
    if isinstance(value, dict):
        return {key: _fill(one, words) for key, one in value.items()}
    return value


def _disturbances(recipe, values, far):
    client = client_name(values["clients"] - 1)
    words = {"@far": far, "@switch": SWITCH, "@client": f"{client}.nic0"}
    faults, steps = [], []
    for name in values["faults"]:
        entry = _fill(recipe.menu[name], words)
        faults += entry.get("faults", [])
        steps += entry.get("steps", [])
    return faults, steps


def _expectations(recipe, values):
    count = values["clients"]
    names = ["init"] if count == 1 else [f"init{index}" for index in range(count)]
    expect = []
    for template in recipe.consumer.get("expect", []):
        for name in names:
            expect.append(
                {
                    key: value.replace("@client", name) if isinstance(value, str) else value
                    for key, value in template.items()
                }
            )
    return expect + copy.deepcopy(recipe.values.get("expect", []))


def _about(recipe, case):
    about = recipe.values.get("about", [])
    lines = [about] if isinstance(about, str) else list(about)
    tags = f" Case: {', '.join(case.tags)}." if case.tags else ""
    return [*lines, f"Made by scenarios/generate from family {recipe.values['family']}.{tags}"]


def scenario(recipe, case):
    """The scenario of one case."""
    values = case.values
    links, far = _links(values)
    faults, steps = _disturbances(recipe, values, far)
    result = {"about": _about(recipe, case), "name": case.name}
    if "matrix" in recipe.values:
        result["matrix"] = recipe.values["matrix"]
    result["nodes"] = _nodes(recipe, values)
    if values["topology"] == "star":
        result["switches"] = {SWITCH: {}}
    result["links"] = links
    for key, value in (("steps", steps), ("faults", faults)):
        if value:
            result[key] = value
    expect = _expectations(recipe, values)
    if expect:
        result["expect"] = expect
    for key in ("rules", "explore", "end"):
        if key in recipe.values:
            result[key] = recipe.values[key]
    return result
