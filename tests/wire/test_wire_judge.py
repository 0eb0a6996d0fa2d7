# SPDX-License-Identifier: Apache-2.0
"""The judge over a conversation made by fabric/wire's encoders, and over damaged copies of it.

Exits 77 after its other tests when tshark cannot be had.
"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import icrc_check
import pcapng
import vectors
import wire_judge

SHAPES = (("v4", "plain"), ("v4", "vlan"), ("v6", "plain"), ("v6", "vlan"))
HAVE_TSHARK = shutil.which("tshark") is not None
needs_tshark = unittest.skipUnless(HAVE_TSHARK, "tshark is not installed")


def conversation(version="v4", tag="plain"):
    """Packets and statistics that the encoders printed."""
    program = os.environ.get("WIRE_FRAMES", "wire_frames")
    output = subprocess.run(
        [program, version, tag], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    frames = [(line.split()[0], bytes.fromhex(line.split()[1])) for line in output[:-1]]
    return pcapng.from_frames(frames), json.loads(output[-1])


def judge(packets, *arguments, statistics=None):
    """Exit code and output."""
    output = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "capture.pcapng")
        pcapng.write(path, packets)
        arguments = list(arguments)
        if statistics is not None:
            arguments += ["--stats", os.path.join(folder, "stats.json")]
            with open(arguments[-1], "w", encoding="utf-8") as file:
                json.dump(statistics, file)
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = wire_judge.main([path, *arguments])
    return code, output.getvalue()


def find_opcode(packets, opcode):
    """The first packet of an opcode."""
    for packet in packets:
        frame = icrc_check.find(packet.data)
        if isinstance(frame, icrc_check.Frame) and frame.opcode == opcode:
            return packet
    raise AssertionError(f"no packet of opcode {opcode}")


def reseal(data):
    """The frame with a right ICRC again."""
    frame = icrc_check.find(data)
    return data[: -len(frame.network)] + frame.network[:-4] + icrc_check.compute(frame)


@needs_tshark
class Conversations(unittest.TestCase):
    def test_every_shape_passes_with_its_statistics(self):
        for shape in SHAPES:
            with self.subTest(shape):
                packets, statistics = conversation(*shape)
                code, output = judge(
                    packets, "--expect-cm", "--expect-smb-direct", statistics=statistics
                )
                self.assertEqual(code, 0, output)
                self.assertIn("REJ:2 REP:1 REQ:3 RTU:1 smb_direct:8", output)

    def test_comments_are_no_fault(self):
        packets, statistics = conversation()
        for packet in packets:
            packet.comments = ["fault delay[0]: 3 us"]
        code, output = judge(packets, statistics=statistics)
        self.assertEqual(code, 0, output)

    def test_missing_handshake_is_noticed_when_expected(self):
        packets, _ = conversation()
        packets = pcapng.from_frames([("a", packet.data) for packet in packets[8:12]])
        self.assertEqual(judge(packets)[0], 0)
        self.assertIn("no whole CM handshake", judge(packets, "--expect-cm")[1])
        self.assertIn("no SMB Direct", judge(packets, "--expect-smb-direct")[1])


@needs_tshark
class Damage(unittest.TestCase):
    def fails(self, packets, text, *arguments):
        code, output = judge(packets, *arguments)
        self.assertEqual(code, 1, output)
        self.assertIn(text, output)

    def test_wrong_ipv4_checksum(self):
        packets, _ = conversation("v4")
        data = bytearray(packets[9].data)
        data[22] -= 1  # TTL: outside the ICRC
        packets[9].data = bytes(data)
        self.fails(packets, "bad ip checksum: frame 10")
        self.fails(packets, "bad ip checksum: frame 10", "--lossy")

    def test_wrong_udp_checksum(self):
        packets, _ = conversation("v6")
        data = bytearray(packets[9].data)
        data[60] ^= 1
        packets[9].data = bytes(data)
        self.fails(packets, "bad udp checksum: frame 10")

    def test_absent_udp_checksum_over_ipv6(self):
        packets, _ = conversation("v6")
        packets[9].data = packets[9].data[:60] + b"\0\0" + packets[9].data[62:]
        self.fails(packets, "severity warning or more: frame 10")

    def test_wrong_icrc(self):
        packets, _ = conversation("v4")
        packets[9].data = packets[9].data[:-1] + bytes([packets[9].data[-1] ^ 1])
        self.fails(packets, "ICRC bad: frame 10")
        self.fails(packets, "ICRC bad: frame 10", "--lossy")

    def test_malformed_packet(self):
        packets, _ = conversation("v4")
        ack = find_opcode(packets, 17)
        data = bytearray(ack.data)
        data[42] = 10  # a WRITE needs more headers than an ACK has
        ack.data = reseal(bytes(data))
        self.fails(packets, f"malformed: frame {ack.number}")

    def test_foreign_frames(self):
        packets, _ = conversation()
        packets[9].data = vectors.MACS + bytes.fromhex("0806") + bytes(46)
        self.fails(packets, "neither InfiniBand nor MAC control: frame 10")

    def test_datagram_that_is_no_cm_message(self):
        packets, _ = conversation()
        data = bytearray(packets[0].data)
        data[42 + 12 + 8 + 1] = 0x81
        packets[0].data = reseal(bytes(data))
        self.fails(packets, "UD SEND is not decoded as a CM datagram: frame 1", "--lossy")

    def test_frames_broken_on_purpose_are_excused(self):
        packets, _ = conversation("v6")
        data = bytearray(packets[9].data)
        data[-1] ^= 1
        packets[9].data = bytes(data)
        packets[9].comments = ["fault corrupt[0]"]
        self.fails(packets, "bad udp checksum: frame 10", "--lossy")
        code, output = judge(packets, "--lossy", "--excuse", "corrupt")
        self.assertEqual(code, 0, output)


class Retransmissions(unittest.TestCase):
    @needs_tshark
    def test_lossy_allows_a_repeated_fragment(self):
        packets, statistics = conversation()
        frames = [(packet.interface, packet.data) for packet in packets]
        frames.insert(17, frames[16])
        packets = pcapng.from_frames(frames)
        port = statistics["ports"][packets[16].interface]
        port["frames"] += 1
        port["bytes"] += len(frames[16][1])
        port["opcodes"]["4"] += 1
        code, output = judge(packets, "--lossy", statistics=statistics)
        self.assertEqual(code, 0, output)


class Statistics(unittest.TestCase):
    """These need no tshark, but run it when it is there."""

    def fails(self, statistics, text, packets=None):
        code, output = judge(packets or conversation()[0], statistics=statistics)
        self.assertEqual(code, 1, output)
        self.assertIn(text, output)

    def test_one_packet_too_few_is_noticed(self):
        packets, statistics = conversation()
        self.fails(statistics, "frames differ", packets[:-1])

    def test_other_opcodes_are_noticed(self):
        _, statistics = conversation()
        opcodes = statistics["ports"]["server.nic[0]"]["opcodes"]
        opcodes["17"] -= 1
        opcodes["2"] = 1
        self.fails(
            statistics, "server.nic[0]: opcode 2: 1 expected, 0 found, opcode 17: 8 expected, 9"
        )

    def test_other_bytes_are_noticed(self):
        _, statistics = conversation()
        statistics["ports"]["client.nic[0]"]["bytes"] += 1
        self.fails(statistics, "bytes differ")

    def test_statistics_as_net_prints_them_are_read(self):
        packets, statistics = conversation()
        printed = {}
        for name, port in statistics["ports"].items():
            count = sum(port["opcodes"].values())
            printed[name] = {
                "frames_out": 1,
                "opcode_out": dict(port["opcodes"], other=port["frames"] - count),
                "class_out": {"cm": 5, "data": port["frames"] - 5},
            }
        code, output = judge(packets, statistics=printed)
        self.assertIn(code, (0, wire_judge.SKIP), output)
        printed["client.nic[0]"]["class_out"]["cm"] += 1
        self.fails(printed, "frames differ")
        printed["client.nic[0]"]["opcode_out"]["4"] += 1
        self.fails(printed, "opcode counts differ")

    def test_an_unknown_interface_is_noticed(self):
        _, statistics = conversation()
        del statistics["ports"]["client.nic[0]"]
        self.fails(statistics, "interface without statistics: client.nic[0]")


class Usage(unittest.TestCase):
    def test_without_tshark_it_says_so_and_exits_77(self):
        code, output = judge(conversation()[0], "--tshark", "no-such-program")
        self.assertEqual(code, 77)
        self.assertIn("SKIP", output)
        self.assertIn("NOT JUDGED", output)
        self.assertNotIn("PASS", output)

    def test_without_tshark_our_own_checks_still_fail(self):
        packets, _ = conversation()
        packets[0].data = packets[0].data[:-1] + b"\0"
        code, output = judge(packets, "--tshark", "no-such-program")
        self.assertEqual(code, 1)
        self.assertIn("FAIL", output)

    def test_an_empty_capture_fails(self):
        self.assertIn("no frame with a right ICRC", judge([])[1])

    def test_statistics_of_another_shape_exit_2(self):
        self.assertEqual(judge(conversation()[0], statistics=[])[0], 2)
        self.assertEqual(judge(conversation()[0], statistics={"ports": 3})[0], 2)
        self.assertEqual(judge(conversation()[0], statistics={"a": {}})[0], 2)

    def test_a_cut_file_exits_2(self):
        data = pcapng.serialize(conversation()[0])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cut.pcapng")
            with open(path, "wb") as file:
                file.write(data[:-10])
            with contextlib.redirect_stderr(io.StringIO()):
                self.assertEqual(wire_judge.main([path]), 2)


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    if not outcome.wasSuccessful():
        sys.exit(1)
    if not HAVE_TSHARK:
        print("SKIP: tshark is not installed; NO CAPTURE WAS JUDGED by it")
        sys.exit(77)
