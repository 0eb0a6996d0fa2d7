# SPDX-License-Identifier: Apache-2.0
"""Every status that the interface lists for a function is brought about by a shipped scenario.

The scenarios in scenarios/statuses declare what they bring about ("shows"). Each of them must hold,
and what it declares must be seen in the trace of its runs: the call and its status, the completion
and its status, the request and its result.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

CALL = re.compile(r" ndk\.([a-z_]+?)(\.done)? .*?\b(STATUS_[A-Z_]+) (\d+) <")
OF_TRACE = {
    "get_listener_address": "NdkGetListenerLocalAddress",
    "get_endpoint_address": "NdkGetSharedEndpointLocalAddress",
    "build_lam": "NdkBuildLAM",
}
# The trace has no status of these; their scenarios must ask for it in a step.
STEPS = {
    "NdkGetListenerLocalAddress": "get_local_address",
    "NdkGetSharedEndpointLocalAddress": "get_local_address",
    "WskCaptureProviderNPI": "wsk_capture",
    "WskControlClient": "wsk_control",
    "WskOpenNdkAdapter": "open_adapter",
    "WskRegister": "wsk_register",
}
UNTRACED = {
    "NdkGetConnectionData", "NdkGetLocalAddress", "NdkGetPeerAddress", "NdkGetListenerLocalAddress",
    "NdkGetSharedEndpointLocalAddress", "NdkQueryAdapterInfo", "NdkQueryExtension", "NdkReject",
    "NdkControlCqInterruptModeration", "WskCaptureProviderNPI", "WskControlClient",
    "WskOpenNdkAdapter", "WskRegister",
}


def function_of(name):
    return OF_TRACE.get(name, "Ndk" + "".join(word.capitalize() for word in name.split("_")))


def verb_of(function):
    words = re.sub(r"(?<!^)(?=[A-Z])", "_", function.removeprefix("Ndk")).lower()
    return STEPS.get(function, words)


def seen_in(trace):
    """Triples of function, status, route."""
    seen, posted = set(), {}
    for line in trace.splitlines():
        found = CALL.search(line)
        if not found:
            continue
        name, done, status, number = found.groups()
        if name == "result":
            seen.add((posted.get(number), status, "result"))
            continue
        if not done:
            posted[number] = function_of(name)
        seen.add((function_of(name), status, "pending" if done else "inline"))
    return seen


def steps_of(value):
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from steps_of(one)


def asked_for(scenario, function, status):
    verb = verb_of(function)
    return any(verb in step and step.get("status", "STATUS_SUCCESS") == status
               for step in steps_of(scenario))


def declared(scenario):
    return {(function, status, route) for function, routes in scenario.get("shows", {}).items()
            for route, statuses in routes.items() for status in statuses}


def try_one(program, path):
    """What is wrong with a scenario; none when it shows what it says."""
    scenario = json.loads(path.read_text())
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "run", path, "--quiet", "--trace", f"{folder}/trace"],
                              capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return [f"{path.name}: exit {done.returncode}\n{done.stdout}{done.stderr}"]
        seen = set().union(*(seen_in(file.read_text()) for file in pathlib.Path(folder).iterdir()))
    wrong = []
    for triple in sorted(declared(scenario)):
        is_there = (asked_for(scenario, *triple[:2]) if triple[0] in UNTRACED else triple in seen)
        if not is_there:
            wrong.append(f"{path.name}: says that it shows {' '.join(triple)}, but does not")
    return wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--scenarios", required=True, type=pathlib.Path)
    options = arguments.parse_args()
    listed = json.loads(subprocess.run([options.program, "list", "statuses", "--json"], check=True,
                                       capture_output=True, text=True).stdout)
    wrong = [f"no scenario shows {row['function']} {row['status']} {row['route']}"
             for row in listed if row["scenario"] is None]
    paths = sorted(options.scenarios.glob("*.json"))
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda path: try_one(options.program, path), paths):
            wrong += found
    print("\n".join(wrong) if wrong else
          f"{len(paths)} scenarios show {len(listed)} statuses on their routes")
    sys.exit(1 if wrong or not paths else 0)


if __name__ == "__main__":
    main()
