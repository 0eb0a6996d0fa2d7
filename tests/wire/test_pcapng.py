# SPDX-License-Identifier: Apache-2.0
"""The pcapng reader: what it reads, and what it refuses."""

import struct
import unittest

import pcapng
import vectors


def _sample():
    packets = pcapng.from_frames([("a", b"\x01" * 61), ("b", b"\x02" * 64)])
    packets[1].comments = ["fault drop[0]", "second"]
    packets[1].flags = 2
    return packets


class Reading(unittest.TestCase):
    def test_what_was_written_is_read(self):
        capture = pcapng.parse(pcapng.serialize(_sample()))
        self.assertEqual(capture.interfaces, ["a", "b"])
        self.assertEqual(capture.packets, _sample())

    def test_interfaces_without_packets_are_listed(self):
        capture = pcapng.parse(pcapng.serialize(_sample(), ["b", "a", "c"]))
        self.assertEqual(capture.interfaces, ["b", "a", "c"])

    def test_microsecond_stamps_are_the_default(self):
        data = struct.pack("<IIIHHqI", pcapng.SHB, 28, pcapng.MAGIC, 1, 0, -1, 28)
        data += struct.pack("<IIHHII", pcapng.IDB, 20, 1, 0, 0, 20)
        data += struct.pack("<IIIIIII4sI", pcapng.EPB, 36, 0, 0, 7, 1, 1, b"x", 36)
        packet = pcapng.parse(data).packets[0]
        self.assertEqual((packet.time_ns, packet.data), (7000, b"x"))

    def test_big_endian_sections_are_read(self):
        data = struct.pack(">IIIHHqI", pcapng.SHB, 28, pcapng.MAGIC, 1, 0, -1, 28)
        data += struct.pack(">IIHHII", pcapng.IDB, 20, 1, 0, 0, 20)
        self.assertEqual(pcapng.parse(data).interfaces, ["if0"])

    def test_unknown_blocks_are_passed_over(self):
        data = pcapng.serialize(_sample()) + struct.pack("<III", 0x0BAD, 12, 12)
        self.assertEqual(len(pcapng.parse(data).packets), 2)


class Refusing(unittest.TestCase):
    def refuse(self, data, text):
        with self.assertRaises(pcapng.PcapngError) as caught:
            pcapng.parse(bytes(data))
        self.assertIn(text, str(caught.exception))

    def test_every_truncation_inside_a_block_is_refused(self):
        data = pcapng.serialize(vectors.capture())
        ends = {0}
        at = 0
        while at < len(data):
            at += struct.unpack_from("<I", data, at + 4)[0]
            ends.add(at)
        for length in range(len(data)):
            if length in ends and length > 0:
                pcapng.parse(data[:length])
            else:
                with self.assertRaises(pcapng.PcapngError):
                    pcapng.parse(data[:length])

    def test_wrong_trailing_length_is_refused(self):
        data = bytearray(pcapng.serialize(_sample()))
        data[-4] ^= 4
        self.refuse(data, "trailing block length")

    def test_impossible_lengths_are_refused(self):
        data = bytearray(pcapng.serialize(_sample()))
        data[4] += 1
        self.refuse(data, "impossible")

    def test_no_section_header_is_refused(self):
        self.refuse(struct.pack("<IIHHII", pcapng.IDB, 20, 1, 0, 0, 20), "section header")

    def test_other_link_types_are_refused(self):
        data = struct.pack("<IIIHHqI", pcapng.SHB, 28, pcapng.MAGIC, 1, 0, -1, 28)
        data += struct.pack("<IIHHII", pcapng.IDB, 20, 113, 0, 0, 20)
        self.refuse(data, "not Ethernet")

    def test_undescribed_interfaces_are_refused(self):
        data = struct.pack("<IIIHHqI", pcapng.SHB, 28, pcapng.MAGIC, 1, 0, -1, 28)
        data += struct.pack("<IIIIIIII", pcapng.EPB, 32, 0, 0, 7, 0, 0, 32)
        self.refuse(data, "not described")


if __name__ == "__main__":
    unittest.main()
