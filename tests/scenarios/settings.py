#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings of an adapter that bound something: what is reported, what works at the bound and what
comes beyond it: settings.py PROGRAM DRIVERS."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, DRIVERS = map(os.path.abspath, sys.argv[1:3])
REFUSED = "STATUS_NOT_SUPPORTED"
BEYOND = "off: what comes beyond the bound is what this is about"
ENDS = {"client": "10.0.0.1", "server": "10.0.0.2"}


def driver(name, threads, **more):
    return {"as": name, "load": "script", "script": {"threads": threads, **more}}


def pair(client, server, quirks, on_server=None, **more):
    """Two wired nodes; the quirks are both adapters'."""
    nodes = {name: {"adapters": {"nic0": {"addresses": [address + "/24"], "quirks": quirks}}}
             for name, address in ENDS.items()}
    nodes["client"]["drivers"] = [driver("init", {"main": client})]
    nodes["server"]["drivers"] = [driver("target", {"main": server}, **(on_server or {}))]
    if isinstance(quirks, tuple):
        for name, own in zip(ENDS, quirks):
            nodes[name]["adapters"]["nic0"]["quirks"] = own
    return {"nodes": nodes, "links": [{"between": ["client.nic0", "server.nic0"]}],
            "expect": [{"counter": "init.done", "equals": 1}], **more}


def alone(steps, quirks, **more):
    return {"nodes": {"host": {"adapters": {"nic0": {"addresses": ["10.0.0.1/24"],
                                                     "quirks": quirks}},
                               "drivers": [driver("init", {"main": steps})]}},
            "expect": [{"counter": "init.done", "equals": 1}], **more}


def reports(**info):
    return {"query_adapter_info": "adapter", "expect": info}


PD_CQ = [{"create_pd": "pd"}, {"create_cq": "cq"}]


class Settings(unittest.TestCase):
    def run_of(self, scenario, *words, code=0):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "input.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(scenario, file)
            done = subprocess.run([PROGRAM, *(words or ("run", "-q")), path], text=True,
                                  check=False, capture_output=True, timeout=100,
                                  env={**os.environ, "NDKSIM_DRIVER_DIR": DRIVERS})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def serve(self, *steps):
        return [{"setup": "all", "receive_depth": 8, "receive_sge": 2},
                *[{"receive": "qp", "bytes": "4KiB"}] * 4, {"serve": "listener"},
                {"wait": "accepted"}, *steps, {"wait": "disconnect conn"},
                {"disconnect": "conn", "status": "any"}]

    # ---- Queues and elements ----

    def test_queue_depth(self):
        for depth in (1, 5, 64):
            self.run_of(alone([
                reports(MaxReceiveQueueDepth=depth, MaxInitiatorQueueDepth=depth), *PD_CQ,
                {"create_qp": "q1", "receive_depth": depth + 1, "initiator_depth": 1,
                 "status": "STATUS_INVALID_PARAMETER"},
                {"create_qp": "q2", "receive_depth": 1, "initiator_depth": depth + 1,
                 "status": "STATUS_INVALID_PARAMETER"},
                {"create_qp": "qp", "receive_depth": depth, "initiator_depth": depth},
                {"setup": ["in"]},
                {"loop": depth, "steps": [{"receive": "qp", "bytes": 64}]},
                {"receive": "qp", "bytes": 64, "status": "STATUS_NO_MORE_ENTRIES"},
            ], {"MaxQueueDepth": depth}, rules={"R-POST-17": BEYOND}))

    def test_elements(self):
        for count in (1, 3, 32):
            self.run_of(pair([
                reports(MaxInitiatorRequestSge=count, MaxReceiveRequestSge=count,
                        MaxReadRequestSge=min(count, 4)), *PD_CQ,
                {"create_qp": "q1", "initiator_sge": count + 1,
                 "status": "STATUS_INVALID_PARAMETER"},
                {"create_qp": "q2", "receive_sge": count + 1,
                 "status": "STATUS_INVALID_PARAMETER"},
                {"setup": ["out"]}, {"create_qp": "qp", "initiator_sge": count},
                {"establish": "conn", "qp": "qp"},
                {"send": "qp", "bytes": 16, "repeat": count}, {"expect_result": "cq"},
                {"send": "qp", "bytes": 16, "repeat": count + 1, "status": "STATUS_DATA_OVERRUN"},
                {"disconnect": "conn"},
            ], [{"setup": ["pd", "cq", "in"]}, {"create_qp": "qp"},
                {"receive": "qp", "bytes": "4KiB"}, {"serve": "listener"}, {"wait": "accepted"},
                {"expect_result": "cq", "bytes": 16 * count}, {"wait": "disconnect conn"},
                {"disconnect": "conn"}],
                {"MaxSge": count}, rules={"R-POST-18": BEYOND}))

    def test_elements_of_reads(self):
        for count in (1, 2, 8):
            self.run_of(pair([
                reports(MaxReadRequestSge=count),
                {"setup": ["pd", "cq", "out", "in"]}, {"create_qp": "qp", "initiator_sge": 16},
                {"establish": "conn"},
                {"read": "qp", "bytes": 16, "repeat": count}, {"expect_result": "cq"},
                {"read": "qp", "bytes": 16, "repeat": count + 1, "status": "STATUS_DATA_OVERRUN"},
                {"disconnect": "conn"},
            ], self.serve(), {"MaxReadSge": count}, rules={"R-POST-18": BEYOND}))

    def test_inline_bytes(self):
        for count in (0, 1, 100, 256):
            at_bound = [{"send": "qp", "bytes": count, "flags": ["INLINE"]},
                        {"expect_result": "cq"}] if count else []
            self.run_of(pair([
                reports(MaxInlineDataSize=count), *PD_CQ, {"setup": ["out"]},
                {"create_qp": "q1", "inline_bytes": count + 1,
                 "status": "STATUS_INVALID_PARAMETER"},
                {"create_qp": "qp", "inline_bytes": count},
                {"establish": "conn", "qp": "qp"}, *at_bound,
                {"send": "qp", "bytes": count + 1, "flags": ["INLINE"],
                 "status": "STATUS_BUFFER_OVERFLOW"},
                {"disconnect": "conn"},
            ], self.serve(), {"MaxInlineBytes": count}, rules={"R-POST-15": BEYOND}))

    def test_fast_register_pages(self):
        for pages in (16, 20, 256):
            self.run_of(alone([
                reports(FRMRPageCount=pages), *PD_CQ,
                {"create_mr": "mr", "fast": True},
                {"initialize_fast_register_mr": "mr", "pages": pages + 1,
                 "status": "STATUS_IMPLEMENTATION_LIMIT"},
                {"initialize_fast_register_mr": "mr", "pages": pages},
            ], {"FrmrPageCount": pages}))

    # ---- Versions ----

    def test_versions(self):
        offered = {"1.0": "1.2", "1.1": "1.2", "1.2": "1.2", "2.0": "2.1", "2.1": "2.1"}
        for quirks, gone, others in (
                ({"NdkMajorMin": 2}, ("1.0", "1.1", "1.2"), {}),
                ({"NdkMajorMax": 1}, ("2.0", "2.1"), {}),
                ({"NdkMinorMax1": 1}, ("1.2",), {"1.0": "1.1", "1.1": "1.1"}),
                ({"NdkMinorMax2": 0}, ("2.1",), {"2.0": "2.0"}),
                ({"NdkMajorMin": 2, "NdkMinorMax2": 0}, ("1.0", "1.1", "1.2", "2.1"),
                 {"2.0": "2.0"})):
            steps = [{"wsk_register": "wsk"}, {"wsk_capture": "wsk"}, {"wsk_control": "wsk"}]
            for version, got in {**offered, **others}.items():
                if version in gone:
                    steps.append({"open_adapter": "a", "version": version, "status": REFUSED})
                    continue
                numbers = dict(zip(("VersionMajor", "VersionMinor"), map(int, got.split("."))))
                steps += [{"open_adapter": "a", "version": version, "expect": numbers},
                          {"query_adapter_info": "a", "expect": numbers}, {"close_adapter": "a"}]
            self.run_of(alone([*steps, {"wsk_release": "wsk"}, {"wsk_deregister": "wsk"}], quirks))

    def test_no_version_left(self):
        said = self.run_of(alone([], {"NdkMajorMin": 2, "NdkMajorMax": 1}), code=2)
        self.assertIn("NdkMajorMin is above NdkMajorMax: no version is left", said)
        self.assertIn("$.nodes.host.adapters.nic0: driver \"host-nic0\" did not start", said)

    # ---- The connection manager ----

    def test_service_time(self):
        """The peer that needs 40 ms for its answer is waited for as long as its MRA says."""
        for code, status in ((4, "STATUS_IO_TIMEOUT"), (16, "STATUS_SUCCESS")):
            patience = {"CmResponseTimeout": 8, "CmRetries": 3}
            self.run_of(pair(
                [*PD_CQ, {"create_qp": "qp"}, {"create_connector": "conn"}, {"sleep": "1ms"},
                 {"connect": "conn", "status": status},
                 *([{"complete_connect": "conn"}, {"disconnect": "conn", "status": "any"}]
                   if code == 16 else [])],
                [*PD_CQ, {"create_qp": "qp"},
                 {"create_listener": "listener", "connector": "conn"}, {"listen": "listener"},
                 {"wait": "connect listener"}, {"sleep": "40ms"},
                 {"accept": "conn", "status": "any"}],
                (patience, {**patience, "CmServiceTimeout": code})))

    def test_time_wait(self):
        """A repeated DREQ is answered as long as the connection's address is held."""
        for time_wait_ms, status in ((1, "STATUS_CONNECTION_ABORTED"), (60, "STATUS_SUCCESS")):
            self.run_of(pair(
                [{"setup": "all"}, {"establish": "conn"},
                 {"disconnect": "conn", "status": status}, {"sleep": "500ms"}],
                self.serve(),
                ({"CmResponseTimeout": 13, "CmRetries": 2},
                 {"CmResponseTimeout": 13, "CmRetries": 2, "CmTimewaitMs": time_wait_ms}),
                faults=[{"point": "frame.drop", "on": "server.nic0*", "class": "cm.drep",
                         "nth": 1}]))

    def test_neighbour_time(self):
        for wait_ms in (5, 250):
            self.run_of(alone([
                *PD_CQ, {"create_qp": "qp"}, {"create_connector": "conn"},
                {"connect": "conn", "to": "10.0.0.77:5445", "async": "asked"},
                {"expect_none": "asked", "for": f"{3 * wait_ms - 1}ms"},
                {"wait": "asked", "status": "STATUS_HOST_UNREACHABLE", "within": "2ms"},
            ], {"NeighbourTimeoutMs": wait_ms}))

    # ---- What they may not be ----

    def test_values_out_of_range(self):
        for name, wrong, least, most in (
                ("NdkMajorMin", (0, 3), 1, 2), ("NdkMajorMax", (0, 3), 1, 2),
                ("NdkMinorMax1", (0, 3), 1, 2), ("NdkMinorMax2", (2,), 0, 1),
                ("CmServiceTimeout", (0, 32), 1, 31), ("CmTimewaitMs", (600001,), 0, 600000),
                ("NeighbourTimeoutMs", (60001,), 0, 60000), ("MaxQueueDepth", (0, 65537), 1, 65536),
                ("MaxSge", (0, 63), 1, 62), ("MaxReadSge", (0, 63), 1, 62),
                ("MaxInlineBytes", (993,), 0, 992), ("FrmrPageCount", (15, 513), 16, 512)):
            for value in wrong:
                said = self.run_of(alone([], {name: value}), "check", code=2)
                self.assertIn(f"$.nodes.host.adapters.nic0.quirks.{name}", said)
                self.assertIn(f"{least}", said)
                self.assertIn(f"{most}", said)
            for value in (least, most):
                self.run_of(alone([], {name: value}), "check")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
