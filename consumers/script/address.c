/* SPDX-License-Identifier: Apache-2.0 */
/* Socket addresses from arguments. */
#include "script.h"

static VOID Spread(PUCHAR Bytes, ULONG64 High, ULONG64 Low) {
    ULONG Index;

    for (Index = 0; Index < 8; Index++) {
        Bytes[Index] = (UCHAR)(High >> (56 - 8 * Index));
        Bytes[8 + Index] = (UCHAR)(Low >> (56 - 8 * Index));
    }
}

static ULONG64 Element(CONST ARG *List, ULONG Member) {
    CONST ARG *Arg = ArgElement(List, Member);

    return Arg != NULL ? ArgValue(Arg) : 0;
}

VOID AddressOf(CONST ARG *Arg, PADDRESS Address) {
    USHORT Port = (USHORT)Element(Arg, SCRIPT_ELEMENT_PORT);
    UCHAR Bytes[16];

    RtlZeroMemory(Address, sizeof(*Address));
    if (Arg == NULL) {
        return;
    }
    Spread(Bytes, Element(Arg, SCRIPT_ELEMENT_HIGH), Element(Arg, SCRIPT_ELEMENT_LOW));
    if (Element(Arg, SCRIPT_ELEMENT_FAMILY) == 4) {
        Address->Inet.Ipv4.sin_family = AF_INET;
        Address->Inet.Ipv4.sin_port = RtlUshortByteSwap(Port);
        RtlCopyMemory(&Address->Inet.Ipv4.sin_addr, Bytes, 4);
        Address->Bytes = sizeof(SOCKADDR_IN);
        return;
    }
    Address->Inet.Ipv6.sin6_family = AF_INET6;
    Address->Inet.Ipv6.sin6_port = RtlUshortByteSwap(Port);
    RtlCopyMemory(&Address->Inet.Ipv6.sin6_addr, Bytes, 16);
    Address->Bytes = sizeof(SOCKADDR_IN6);
}
