# SPDX-License-Identifier: Apache-2.0
"""Frames with a known ICRC, and small captures made of them. For the tests alone."""

import pcapng

# Captured on hardware: Ethernet header to ICRC.
CAPTURED = {
    "cnp over IPv4": (
        "e41d2dab2bc27cfe90643b32080045c2003c718c4000401191610a0011010a001201000012b700280000"
        "8100ffff40000118000000000000000000000000000000000000000082fd002a"
    ),
    "write over RoCE v1": (
        "7cfe90753cd87cfe90753cd889156020000000281b4000000000000000000000ffff0f00000200000000"
        "000000000000ffff0f0000020a70ffff0000010a80a788bc000055d4c0726000000047b3000000050000"
        "000001000000e3d856bb"
    ),
    "ack over RoCE v1": (
        "7cfe90753cd87cfe90753cd889156020000000141b4000000000000000000000ffff0f00000200000000"
        "000000000000ffff0f0000021140ffff0000010900a788c00000000525f0c038"
    ),
}

_UC_UDP_BTH_PAYLOAD = (
    "c00012b7002c0000" "2460ffff000000d300cf1710" "4630818be28935d90e9a95505401be885e500000"
)
# Published for unreliable-connection packets, without an Ethernet header.
PUBLISHED = {
    "uc send over IPv4": (
        0x0800,
        "45010040047840004011b4d5c0a80007c0a80007" + _UC_UDP_BTH_PAYLOAD + "78f353f3",
    ),
    "uc send over IPv6": (
        0x86DD,
        "6e21face002c11ff" "20220000000000000000000000001023" "20230000000000000000000000001024"
        + _UC_UDP_BTH_PAYLOAD
        + "3e5b743b",
    ),
}

MACS = bytes.fromhex("02000000000b02000000000a")


def tagged(frame, vlan_id=100, priority=3):
    """The frame with an 802.1Q tag."""
    tag = b"\x81\x00" + (priority << 13 | vlan_id).to_bytes(2, "big")
    return frame[:12] + tag + frame[12:]


def frames():
    """name -> whole Ethernet frame, each also with a tag."""
    result = {name: bytes.fromhex(text) for name, text in CAPTURED.items()}
    for name, (ethertype, text) in PUBLISHED.items():
        result[name] = MACS + ethertype.to_bytes(2, "big") + bytes.fromhex(text)
    for name in list(result):
        result[name + ", tagged"] = tagged(result[name])
    return result


def capture(names=None):
    """A capture of those frames (all by default) on one interface."""
    every = frames()
    return pcapng.from_frames([("a.nic[0]", every[name]) for name in names or every])
