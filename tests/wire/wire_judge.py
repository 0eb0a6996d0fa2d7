#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges one capture from outside: tshark, capinfos, editcap, and a decoder of our own.

Always: the ICRC of every frame, no bad IP or UDP checksum, every frame decoded as InfiniBand or MAC
control, tshark's opcode counts equal to our own and to the sending ports' statistics (--stats), and
capinfos and editcap accept the file. Without --lossy also: nothing malformed, no expert item of
severity warning or more. Retransmissions confuse tshark's SMB Direct reassembly, so with --lossy
only the CM messages must be free of malformed items.

Statistics: {"ports": {"<interface>": {"frames": N, "bytes": N, "opcodes": {"4": N, ...}}}}, or what
net_statistics_write prints: no "ports" around it, "opcode_out" for what a port made itself, and
"class_out", whose sum is its frames. The interfaces of the capture are compared; one the statistics
do not name is an error.

Exit code: 0 pass, 1 fail, 2 usage or unreadable input, 77 tshark cannot be had (a loud line says
so; our own checks have passed then).
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import icrc_check
import pcapng

PROFILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tshark-profile")
SKIP = 77
# Severities count in steps: note is 0x400000. Comments (0x100000) and the like are no fault.
SEVERITY_WARNING = 0x600000
OPCODE_UD_SEND_ONLY = 0x64
MGMT_CLASS_CM = 0x07
CM_NAMES = {
    0x10: "REQ",
    0x11: "MRA",
    0x12: "REJ",
    0x13: "REP",
    0x14: "RTU",
    0x15: "DREQ",
    0x16: "DREP",
}
FIELDS = (
    "frame.number",
    "frame.interface_name",
    "frame.len",
    "frame.protocols",
    "_ws.malformed",
    "_ws.expert.severity",
    "ip.checksum.status",
    "udp.checksum.status",
    "infiniband.bth.opcode",
    "infiniband.mad.mgmtclass",
    "infiniband.mad.attributeid",
    "smb_direct.negotiate_request",
    "smb_direct.negotiate_response",
    "smb_direct.data_message",
)


class Verdict:
    """Collects what is wrong; prints at most a few examples of one kind."""

    EXAMPLES_MAX = 5

    def __init__(self, path):
        self.path = path
        self.failures = 0
        self.kinds = {}

    def fail(self, kind, detail=""):
        self.failures += 1
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if self.kinds[kind] <= self.EXAMPLES_MAX:
            print(f"wire_judge: {self.path}: {kind}{': ' if detail else ''}{detail}")

    def finish(self):
        for kind, count in self.kinds.items():
            if count > self.EXAMPLES_MAX:
                print(f"wire_judge: {self.path}: {kind}: {count} times in all")
        print(f"wire_judge: {'FAIL' if self.failures else 'PASS'} {self.path}")
        return 1 if self.failures else 0


def _environment():
    """Nothing of the user's own profile may change the verdict."""
    kept = ("PATH", "HOME", "TMPDIR", "SYSTEMROOT")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment.update(LC_ALL="C", TZ="UTC", WIRESHARK_CONFIG_DIR=PROFILE)
    return environment


def _run(command):
    return subprocess.run(
        command, env=_environment(), capture_output=True, text=True, errors="replace", check=False
    )


def _numbers(text):
    return [int(part, 0) for part in text.split(",") if part]


def run_tshark(tshark, path, verdict):
    """One dict per frame, of the FIELDS, or None when tshark refused the file."""
    command = [tshark, "-r", path, "-T", "fields", "-E", "separator=/t"]
    command += ["-E", "occurrence=a", "-E", "aggregator=,"]
    for field in FIELDS:
        command += ["-e", field]
    result = _run(command)
    if result.returncode != 0:
        verdict.fail(f"tshark answers {result.returncode}", result.stderr.strip()[-300:])
        return None
    rows = []
    for line in result.stdout.splitlines():
        values = line.split("\t")
        rows.append(dict(zip(FIELDS, values + [""] * (len(FIELDS) - len(values)))))
    return rows


def _judge_checksums(row, number, verdict):
    for field in ("ip.checksum.status", "udp.checksum.status"):
        if any(value in ("0", "Bad") for value in row[field].split(",")):
            verdict.fail(f"bad {field.split('.')[0]} checksum", f"frame {number}")


def _judge_cm(row, number, verdict):
    """A UD SEND must be a CM message."""
    if _numbers(row["infiniband.mad.mgmtclass"]) != [MGMT_CLASS_CM]:
        verdict.fail("UD SEND is not decoded as a CM datagram", f"frame {number}")
    elif any(value not in CM_NAMES for value in _numbers(row["infiniband.mad.attributeid"])):
        verdict.fail("CM message of an unexpected kind", f"frame {number}")


def judge_row(row, lossy, verdict):
    number = row["frame.number"]
    opcodes = _numbers(row["infiniband.bth.opcode"])
    is_cm = OPCODE_UD_SEND_ONLY in opcodes
    _judge_checksums(row, number, verdict)
    if not opcodes and ":macc" not in row["frame.protocols"]:
        verdict.fail("neither InfiniBand nor MAC control", f"frame {number}")
    if is_cm:
        _judge_cm(row, number, verdict)
    if row["_ws.malformed"] and (is_cm or not lossy):
        verdict.fail("malformed", f"frame {number}: {row['frame.protocols']}")
    severities = _numbers(row["_ws.expert.severity"])
    if not lossy and any(value >= SEVERITY_WARNING for value in severities):
        verdict.fail("expert item of severity warning or more", f"frame {number}")


def count_rows(rows):
    """Per interface: frames, bytes, opcodes; and over all: CM and SMB Direct messages."""
    ports = {}
    messages = {}
    for row in rows:
        port = ports.setdefault(
            row["frame.interface_name"], {"frames": 0, "bytes": 0, "opcodes": {}}
        )
        port["frames"] += 1
        port["bytes"] += int(row["frame.len"])
        for opcode in _numbers(row["infiniband.bth.opcode"]):
            port["opcodes"][opcode] = port["opcodes"].get(opcode, 0) + 1
        names = [CM_NAMES.get(value) for value in _numbers(row["infiniband.mad.attributeid"])]
        names += [field for field in FIELDS if field.startswith("smb_direct.") and row[field]]
        if ":smb_direct" in row["frame.protocols"]:
            names.append("smb_direct")
        for name in names:
            messages[name] = messages.get(name, 0) + 1
    return ports, messages


def count_packets(packets):
    """The same by our own decoder, without the messages."""
    ports = {}
    for packet in packets:
        port = ports.setdefault(packet.interface, {"frames": 0, "bytes": 0, "opcodes": {}})
        port["frames"] += 1
        port["bytes"] += packet.original_bytes
        frame = icrc_check.find(packet.data)
        if isinstance(frame, icrc_check.Frame):
            port["opcodes"][frame.opcode] = port["opcodes"].get(frame.opcode, 0) + 1
    return ports


def _difference(name, expected, found):
    keys = sorted(set(expected) | set(found))
    return ", ".join(
        f"{name} {key}: {expected.get(key, 0)} expected, {found.get(key, 0)} found"
        for key in keys
        if expected.get(key, 0) != found.get(key, 0)
    )


def judge_statistics(capture, ports, statistics, verdict):
    for interface in capture.interfaces:
        found = ports.get(interface, {"frames": 0, "bytes": 0, "opcodes": {}})
        expected = statistics.get(interface)
        if expected is None:
            verdict.fail("interface without statistics", interface)
            continue
        for name in ("frames", "bytes"):
            if name in expected and expected[name] != found[name]:
                verdict.fail(
                    f"{name} differ from the port's statistics",
                    f"{interface}: {expected[name]} expected, {found[name]} found",
                )
        difference = _difference("opcode", expected["opcodes"], found["opcodes"])
        if difference:
            verdict.fail(
                "opcode counts differ from the port's statistics", f"{interface}: {difference}"
            )


def judge_tools(path, capture, verdict):
    """capinfos counts the same, editcap copies all."""
    for tool in ("capinfos", "editcap"):
        if shutil.which(tool) is None:
            verdict.fail(f"{tool} is not installed beside tshark")
            return
    result = _run(["capinfos", "-Tmrc", path])
    if result.returncode != 0:
        verdict.fail(f"capinfos answers {result.returncode}", result.stderr.strip()[-300:])
    elif result.stdout.strip().rsplit(",", 1)[-1] != str(len(capture.packets)):
        verdict.fail("capinfos counts otherwise", result.stdout.strip())
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy.pcapng")
        result = _run(["editcap", "-F", "pcapng", path, copy])
        if result.returncode != 0:
            verdict.fail(f"editcap answers {result.returncode}", result.stderr.strip()[-300:])
        elif [p.data for p in pcapng.read(copy).packets] != [p.data for p in capture.packets]:
            verdict.fail("editcap's copy has other frames")


def judge_own(capture, excuses, verdict):
    """What needs no tshark."""
    result = icrc_check.check_capture(capture, excuses)
    for packet, reason in result.wrong:
        verdict.fail(f"ICRC {reason}", f"frame {packet.number} on {packet.interface}")
    if result.good == 0:
        verdict.fail("no frame with a right ICRC")
    print(
        f"wire_judge: {verdict.path}: {len(capture.packets)} frames, ICRC {result.good} good, "
        f"{len(result.wrong)} bad, {result.excused} excused"
    )


def judge_tshark(tshark, options, capture, verdict):
    rows = run_tshark(tshark, options.capture, verdict)
    if rows is None:
        return
    if len(rows) != len(capture.packets):
        verdict.fail("tshark counts otherwise", f"{len(rows)} for {len(capture.packets)} frames")
        return
    judged = [
        (row, packet)
        for row, packet in zip(rows, capture.packets)
        if not icrc_check.is_excused(packet, options.excuse)
    ]
    for row, _ in judged:
        judge_row(row, options.lossy, verdict)
    ports, messages = count_rows([row for row, _ in judged])
    own_ports = count_packets([packet for _, packet in judged])
    for interface, port in ports.items():
        opcodes = " ".join(f"{key}:{value}" for key, value in sorted(port["opcodes"].items()))
        print(f"wire_judge: {verdict.path}: {interface}: {port['frames']} frames, {opcodes}")
        difference = _difference("opcode", own_ports[interface]["opcodes"], port["opcodes"])
        if difference:
            verdict.fail("tshark's opcodes differ from ours", f"{interface}: {difference}")
    counts = " ".join(f"{name}:{count}" for name, count in sorted(messages.items()))
    print(f"wire_judge: {verdict.path}: {counts or 'no CM, no SMB Direct'}")
    if options.expect_cm and not all(messages.get(name) for name in ("REQ", "REP", "RTU")):
        verdict.fail("no whole CM handshake")
    if options.expect_smb_direct and not all(
        messages.get(field) for field in FIELDS if field.startswith("smb_direct.")
    ):
        verdict.fail("no SMB Direct negotiation and data")
    judge_tools(options.capture, capture, verdict)


def read_statistics(path):
    """Both shapes as interface -> {"frames": N, "bytes": N, "opcodes": {4: N}}, what is known."""
    with open(path, encoding="utf-8") as file:
        ports = json.load(file)
    if isinstance(ports, dict):
        ports = ports.get("ports", ports)
    if not isinstance(ports, dict) or not all(isinstance(port, dict) for port in ports.values()):
        raise ValueError(f"{path}: not an object of ports")
    result = {}
    for interface, port in ports.items():
        known = {name: port[name] for name in ("frames", "bytes") if name in port}
        if "class_out" in port:
            known.setdefault("frames", sum(port["class_out"].values()))
        opcodes = port.get("opcodes", port.get("opcode_out"))
        if opcodes is None:
            raise ValueError(f"{path}: {interface} has no opcodes")
        # "other": frames without an opcode of ours.
        known["opcodes"] = {int(key): n for key, n in opcodes.items() if key != "other"}
        result[interface] = known
    return result


def _arguments(arguments):
    parser = argparse.ArgumentParser(description="judges a capture by tshark and by our own checks")
    parser.add_argument("capture")
    parser.add_argument("--stats", metavar="FILE", help="JSON of the sending ports' statistics")
    parser.add_argument("--lossy", action="store_true", help="retransmissions are to be expected")
    parser.add_argument(
        "--excuse",
        action="append",
        default=[],
        metavar="WORD",
        help="a frame with this word in a comment was broken on purpose (repeatable)",
    )
    parser.add_argument("--expect-cm", action="store_true", help="a CM handshake must be seen")
    parser.add_argument(
        "--expect-smb-direct", action="store_true", help="negotiation and data must be seen"
    )
    parser.add_argument("--tshark", default="tshark", help="program to run")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = _arguments(arguments)
    statistics = None
    try:
        capture = pcapng.read(options.capture)
        if options.stats:
            statistics = read_statistics(options.stats)
    except (OSError, ValueError, pcapng.PcapngError) as error:
        print(f"wire_judge: {options.capture}: {error}", file=sys.stderr)
        return 2
    verdict = Verdict(options.capture)
    judge_own(capture, options.excuse, verdict)
    if statistics is not None:
        judge_statistics(capture, count_packets(capture.packets), statistics, verdict)
    tshark = shutil.which(options.tshark)
    if tshark is not None:
        judge_tshark(tshark, options, capture, verdict)
    elif not verdict.failures:
        print(f"wire_judge: SKIP {options.capture}: NOT JUDGED, {options.tshark} is not installed")
        return SKIP
    return verdict.finish()


if __name__ == "__main__":
    sys.exit(main())
