# SPDX-License-Identifier: Apache-2.0
"""The ICRC checker against known answers and against damage."""

import contextlib
import io
import os
import tempfile
import unittest

import icrc_check
import pcapng
import vectors


def run(packets, *arguments):
    """Exit code and output of the program over one capture."""
    output = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "capture.pcapng")
        pcapng.write(path, packets)
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = icrc_check.main([path, *arguments])
    return code, output.getvalue()


def flipped(frame, at):
    return frame[:at] + bytes([frame[at] ^ 0x01]) + frame[at + 1 :]


class Vectors(unittest.TestCase):
    def test_every_known_frame_is_good(self):
        self.assertEqual(len(vectors.frames()), 10)
        for name, frame in vectors.frames().items():
            with self.subTest(name):
                self.assertEqual(icrc_check.check(frame), icrc_check.GOOD)

    def test_a_flipped_payload_bit_is_bad_in_every_known_frame(self):
        for name, frame in vectors.frames().items():
            with self.subTest(name):
                self.assertEqual(icrc_check.check(flipped(frame, -6)), icrc_check.BAD)
                self.assertEqual(icrc_check.check(flipped(frame, -1)), icrc_check.BAD)

    def test_ethernet_padding_is_outside(self):
        for name, frame in vectors.frames().items():
            with self.subTest(name):
                self.assertEqual(icrc_check.check(frame + bytes(7)), icrc_check.GOOD)

    def test_a_cut_frame_is_never_good(self):
        for name, frame in vectors.frames().items():
            for length in range(len(frame)):
                with self.subTest(name, length=length):
                    self.assertNotEqual(icrc_check.check(frame[:length]), icrc_check.GOOD)

    def test_other_frames_are_not_judged(self):
        arp = vectors.MACS + bytes.fromhex("0806") + bytes(46)
        self.assertEqual(icrc_check.check(arp), icrc_check.OTHER)
        dns = bytearray(vectors.frames()["cnp over IPv4"])
        dns[36:38] = (53).to_bytes(2, "big")
        self.assertEqual(icrc_check.check(bytes(dns)), icrc_check.OTHER)


class Program(unittest.TestCase):
    def test_good_captures_exit_0(self):
        code, output = run(vectors.capture())
        self.assertEqual(code, 0, output)
        self.assertIn("10 good, 0 bad, 0 excused, 0 other", output)

    def test_a_bad_frame_is_named_and_exits_1(self):
        packets = vectors.capture()
        packets[2].data = flipped(packets[2].data, -3)
        code, output = run(packets)
        self.assertEqual(code, 1)
        self.assertIn("9 good, 1 bad", output)
        self.assertIn("frame 3 on a.nic[0]: wrong ICRC", output)

    def test_a_bad_frame_with_the_right_comment_is_excused(self):
        packets = vectors.capture()
        packets[2].data = flipped(packets[2].data, -3)
        packets[2].comments = ["fault corrupt[0]"]
        self.assertEqual(run(packets, "--excuse", "drop")[0], 1)
        code, output = run(packets, "--excuse", "corrupt")
        self.assertEqual(code, 0)
        self.assertIn("9 good, 0 bad, 1 excused", output)

    def test_nothing_to_check_is_an_error_unless_allowed(self):
        self.assertEqual(run([])[0], 1)
        self.assertEqual(run([], "--allow-empty")[0], 0)

    def test_unreadable_files_exit_2(self):
        with contextlib.redirect_stderr(io.StringIO()) as output:
            self.assertEqual(icrc_check.main([os.path.join(os.sep, "no", "such", "file")]), 2)
        self.assertIn("no", output.getvalue())


if __name__ == "__main__":
    unittest.main()
