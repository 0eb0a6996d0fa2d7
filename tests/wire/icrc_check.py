#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the invariant CRC of every RoCE frame in pcapng captures.

tshark does not verify the ICRC, so this does, with nothing from the simulator: own pcapng reader,
zlib's CRC-32. RoCEv2 over IPv4 and IPv6, RoCE v1, with or without VLAN tags.

Exit code: 0 all right, 1 a wrong ICRC (or no RoCE frame at all), 2 a file cannot be read.
"""

import argparse
import sys
import zlib
from dataclasses import dataclass, field

import pcapng

ETHERTYPE_IPV4 = 0x0800
ETHERTYPE_IPV6 = 0x86DD
ETHERTYPE_VLAN = 0x8100
ETHERTYPE_ROCE_V1 = 0x8915
PORT_ROCE = 4791
BTH_BYTES = 12
ICRC_BYTES = 4

GOOD = "good"
BAD = "bad"
CUT = "cut"  # too short to be judged
OTHER = "other"  # not RoCE


@dataclass
class Frame:
    """Where the parts of a RoCE frame are. `network` ends with the ICRC."""

    network: bytes
    bth: int  # offset of BTH in `network`

    @property
    def opcode(self):
        return self.network[self.bth]


def _find_ipv4(packet):
    header_bytes = (packet[0] & 0x0F) * 4
    total = int.from_bytes(packet[2:4], "big")
    if packet[9] != 17 or int.from_bytes(packet[header_bytes + 2 : header_bytes + 4], "big") != (
        PORT_ROCE
    ):
        return None
    return total, header_bytes + 8


def _find_ipv6(packet, udp):
    total = 40 + int.from_bytes(packet[4:6], "big")
    if not udp:
        return (total, 40) if packet[6] == 0x1B else None
    if packet[6] != 17 or int.from_bytes(packet[42:44], "big") != PORT_ROCE:
        return None
    return total, 48


def find(frame):
    """The RoCE part of an Ethernet frame: a Frame, None (not RoCE) or CUT."""
    if len(frame) < 14:
        return CUT
    at = 12
    ethertype = int.from_bytes(frame[at : at + 2], "big")
    while ethertype == ETHERTYPE_VLAN:
        at += 4
        ethertype = int.from_bytes(frame[at : at + 2], "big")
    packet = frame[at + 2 :]
    if ethertype not in (ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_ROCE_V1):
        return None
    if len(packet) < (28 if ethertype == ETHERTYPE_IPV4 else 48):
        return CUT
    if ethertype == ETHERTYPE_IPV4:
        found = _find_ipv4(packet)
    else:
        found = _find_ipv6(packet, ethertype == ETHERTYPE_IPV6)
    if found is None:
        return None
    total, bth = found
    if total > len(packet) or bth + BTH_BYTES + ICRC_BYTES > total:
        return CUT
    return Frame(packet[:total], bth)


def compute(frame):
    """The ICRC of a Frame as it stands on the wire: four bytes."""
    masked = bytearray(frame.network[:-ICRC_BYTES])
    if masked[0] >> 4 == 4:
        masked[1] = masked[8] = masked[10] = masked[11] = 0xFF
        udp = frame.bth - 8
    else:
        masked[0] |= 0x0F
        masked[1:4] = b"\xff\xff\xff"
        masked[7] = 0xFF
        udp = 40 if masked[6] == 17 else None
    if udp is not None:
        masked[udp + 6 : udp + 8] = b"\xff\xff"
    masked[frame.bth + 4] = 0xFF
    return zlib.crc32(b"\xff" * 8 + bytes(masked)).to_bytes(4, "little")


def check(data):
    """GOOD, BAD, CUT or OTHER for one Ethernet frame."""
    frame = find(data)
    if frame is None:
        return OTHER
    if frame is CUT:
        return CUT
    return GOOD if compute(frame) == frame.network[-ICRC_BYTES:] else BAD


@dataclass
class Result:
    good: int = 0
    other: int = 0
    excused: int = 0
    wrong: list = field(default_factory=list)  # (packet, BAD or CUT)


def is_excused(packet, words):
    """True when a comment says that a fault meant to break this frame."""
    return any(word in comment for comment in packet.comments for word in words)


def check_capture(capture, excuses=()):
    result = Result()
    for packet in capture.packets:
        verdict = check(packet.data)
        if verdict == GOOD:
            result.good += 1
        elif verdict == OTHER:
            result.other += 1
        elif is_excused(packet, excuses):
            result.excused += 1
        else:
            result.wrong.append((packet, verdict))
    return result


def main(arguments=None):
    parser = argparse.ArgumentParser(description="checks the ICRC of every RoCE frame in captures")
    parser.add_argument("capture", nargs="+")
    parser.add_argument(
        "--excuse",
        action="append",
        default=[],
        metavar="WORD",
        help="a frame with this word in a comment may be wrong (repeatable)",
    )
    parser.add_argument("--allow-empty", action="store_true", help="no RoCE frame is no error")
    options = parser.parse_args(arguments)
    code = 0
    for path in options.capture:
        try:
            result = check_capture(pcapng.read(path), options.excuse)
        except (OSError, pcapng.PcapngError) as error:
            print(f"icrc_check: {path}: {error}", file=sys.stderr)
            return 2
        print(
            f"icrc_check: {path}: {result.good} good, {len(result.wrong)} bad, "
            f"{result.excused} excused, {result.other} other frames"
        )
        for packet, verdict in result.wrong[:10]:
            reason = "wrong ICRC" if verdict == BAD else "too short for its headers"
            print(f"icrc_check: {path}: frame {packet.number} on {packet.interface}: {reason}")
        if result.wrong:
            code = 1
        if result.good + result.excused == 0 and not options.allow_empty:
            print(f"icrc_check: {path}: no RoCE frame to check")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
