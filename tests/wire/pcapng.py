# SPDX-License-Identifier: Apache-2.0
"""A small pcapng reader and writer, independent of the simulator's own writer.

Reads what the simulator's captures hold: one or more sections, Ethernet interfaces, enhanced packet
blocks with comments and flags. Anything the format forbids raises PcapngError with the byte offset.
"""

import struct
from dataclasses import dataclass, field

SHB = 0x0A0D0D0A
IDB = 1
EPB = 6
MAGIC = 0x1A2B3C4D
LINKTYPE_ETHERNET = 1

OPT_END = 0
OPT_COMMENT = 1
OPT_IF_NAME = 2
OPT_IF_TSRESOL = 9
OPT_EPB_FLAGS = 2


class PcapngError(Exception):
    """The file is not valid pcapng."""


@dataclass
class Packet:
    number: int  # from 1, as tshark counts
    interface: str
    time_ns: int
    data: bytes
    original_bytes: int
    comments: list = field(default_factory=list)
    flags: int = 0


@dataclass
class Capture:
    interfaces: list = field(default_factory=list)  # names, over all sections, in order
    packets: list = field(default_factory=list)
    section_comments: list = field(default_factory=list)


@dataclass
class _Interface:
    name: str
    ticks_per_second: int


def _options(body, order, offset):
    """Yields (code, value) of an option list."""
    at = 0
    while at < len(body):
        if len(body) - at < 4:
            raise PcapngError(f"option header cut off at byte {offset + at}")
        code, length = struct.unpack_from(order + "HH", body, at)
        at += 4
        if code == OPT_END:
            return
        if at + length > len(body):
            raise PcapngError(f"option {code} exceeds its block at byte {offset + at}")
        yield code, body[at : at + length]
        at += (length + 3) & ~3


def _blocks(data):
    """Yields (type, body, byte order, offset of the body)."""
    at = 0
    order = None
    while at < len(data):
        if len(data) - at < 12:
            raise PcapngError(f"block cut off at byte {at}")
        if data[at : at + 4] == b"\x0a\x0d\x0d\x0a":
            if struct.unpack_from("<I", data, at + 8)[0] == MAGIC:
                order = "<"
            elif struct.unpack_from(">I", data, at + 8)[0] == MAGIC:
                order = ">"
            else:
                raise PcapngError(f"no byte-order magic at byte {at + 8}")
        if order is None:
            raise PcapngError("file does not begin with a section header block")
        kind, length = struct.unpack_from(order + "II", data, at)
        if length < 12 or length % 4 != 0:
            raise PcapngError(f"block length {length} is impossible at byte {at + 4}")
        if at + length > len(data):
            raise PcapngError(f"block cut off at byte {at}")
        if struct.unpack_from(order + "I", data, at + length - 4)[0] != length:
            raise PcapngError(f"trailing block length differs at byte {at + length - 4}")
        yield kind, data[at + 8 : at + length - 4], order, at + 8
        at += length


def _interface(body, order, offset, index):
    if len(body) < 8:
        raise PcapngError(f"interface block cut off at byte {offset}")
    linktype = struct.unpack_from(order + "H", body)[0]
    if linktype != LINKTYPE_ETHERNET:
        raise PcapngError(f"link type {linktype} is not Ethernet at byte {offset}")
    interface = _Interface(f"if{index}", 10**6)
    for code, value in _options(body[8:], order, offset + 8):
        if code == OPT_IF_NAME:
            interface.name = value.decode("utf-8")
        elif code == OPT_IF_TSRESOL and len(value) == 1:
            power = value[0] & 0x7F
            interface.ticks_per_second = 2**power if value[0] & 0x80 else 10**power
    return interface


def _packet(body, order, offset, interfaces, number):
    if len(body) < 20:
        raise PcapngError(f"packet block cut off at byte {offset}")
    index, high, low, captured, original = struct.unpack_from(order + "IIIII", body)
    if index >= len(interfaces):
        raise PcapngError(f"interface {index} is not described at byte {offset}")
    if 20 + captured > len(body):
        raise PcapngError(f"packet data exceeds its block at byte {offset}")
    interface = interfaces[index]
    packet = Packet(
        number,
        interface.name,
        ((high << 32) | low) * 10**9 // interface.ticks_per_second,
        body[20 : 20 + captured],
        original,
    )
    start = 20 + ((captured + 3) & ~3)
    for code, value in _options(body[start:], order, offset + start):
        if code == OPT_COMMENT:
            packet.comments.append(value.decode("utf-8"))
        elif code == OPT_EPB_FLAGS and len(value) == 4:
            packet.flags = struct.unpack(order + "I", value)[0]
    return packet


def parse(data):
    """Reads a whole capture from bytes."""
    capture = Capture()
    interfaces = []
    for kind, body, order, offset in _blocks(data):
        if kind == SHB:
            interfaces = []
            if len(body) < 16:
                raise PcapngError(f"section header cut off at byte {offset}")
            for code, value in _options(body[16:], order, offset + 16):
                if code == OPT_COMMENT:
                    capture.section_comments.append(value.decode("utf-8"))
        elif kind == IDB:
            interfaces.append(_interface(body, order, offset, len(interfaces)))
            if interfaces[-1].name not in capture.interfaces:
                capture.interfaces.append(interfaces[-1].name)
        elif kind == EPB:
            number = len(capture.packets) + 1
            capture.packets.append(_packet(body, order, offset, interfaces, number))
    if not data:
        raise PcapngError("file is empty")
    return capture


def read(path):
    """Reads a whole capture from a file."""
    with open(path, "rb") as file:
        return parse(file.read())


def _option(code, value):
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def _block(kind, body):
    length = 12 + len(body)
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def serialize(packets, interfaces=None):
    """The bytes of a capture. `interfaces` defaults to those of the packets, in order of use."""
    if interfaces is None:
        interfaces = list(dict.fromkeys(packet.interface for packet in packets))
    blocks = [_block(SHB, struct.pack("<IHHq", MAGIC, 1, 0, -1))]
    for name in interfaces:
        options = _option(OPT_IF_NAME, name.encode()) + _option(OPT_IF_TSRESOL, b"\x09")
        body = struct.pack("<HHI", LINKTYPE_ETHERNET, 0, 262144) + options + _option(OPT_END, b"")
        blocks.append(_block(IDB, body))
    for packet in packets:
        body = struct.pack(
            "<IIIII",
            interfaces.index(packet.interface),
            packet.time_ns >> 32,
            packet.time_ns & 0xFFFFFFFF,
            len(packet.data),
            packet.original_bytes,
        )
        body += packet.data + bytes(-len(packet.data) % 4)
        options = b"".join(_option(OPT_COMMENT, text.encode()) for text in packet.comments)
        if packet.flags:
            options += _option(OPT_EPB_FLAGS, struct.pack("<I", packet.flags))
        if options:
            body += options + _option(OPT_END, b"")
        blocks.append(_block(EPB, body))
    return b"".join(blocks)


def from_frames(frames, gap_ns=1000):
    """Packets of (interface, bytes) pairs, one every `gap_ns`."""
    return [
        Packet(number, interface, number * gap_ns, data, len(data))
        for number, (interface, data) in enumerate(frames, 1)
    ]


def write(path, packets, interfaces=None):
    with open(path, "wb") as file:
        file.write(serialize(packets, interfaces))
