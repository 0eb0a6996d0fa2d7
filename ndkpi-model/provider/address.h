/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses: in one form inside the driver, as socket addresses for consumers. */
#ifndef PROVIDER_ADDRESS_H
#define PROVIDER_ADDRESS_H

#include "common.h"

/* IPv4 in mapped form, ::ffff:a.b.c.d; a GID of RoCE. */
typedef struct _RNIC_IP {
    UCHAR Bytes[16];
} RNIC_IP, *PRNIC_IP;

#define RNIC_ADDRESS_MAX 16u
#define RNIC_ADDRESS_OTHERS_MAX 32u

typedef struct _RNIC_ADDRESSES {
    RNIC_IP Ip[RNIC_ADDRESS_MAX]; /* the index is that in the device's table, too */
    UCHAR PrefixBits[RNIC_ADDRESS_MAX];
    ULONG Count;
    RNIC_IP Others[RNIC_ADDRESS_OTHERS_MAX]; /* of other adapters of this machine */
    ULONG OtherCount;
} RNIC_ADDRESSES;

static inline BOOLEAN IpEqual(const RNIC_IP *A, const RNIC_IP *B) {
    return RtlEqualMemory(A, B, sizeof(*A));
}
BOOLEAN IpIsV4(const RNIC_IP *Ip);
BOOLEAN IpIsWildcard(const RNIC_IP *Ip);

/* STATUS_INVALID_PARAMETER: no family that we know, or too short. Port in host order. */
NTSTATUS IpFromSockaddr(const struct sockaddr *Address, ULONG Length, PRNIC_IP Ip, PUSHORT Port);
VOID IpToInet(const RNIC_IP *Ip, USHORT Port, PSOCKADDR_INET Inet);
/* Answers an address query of a consumer (R-CONN-32). */
NTSTATUS IpToSockaddr(const RNIC_IP *Ip, USHORT Port, PSOCKADDR Address, PULONG Length);

/* Reads what the OS knows of this interface and tells the device. PASSIVE_LEVEL. */
NTSTATUS AddressStart(PRNIC_ADAPTER Adapter);
/* FALSE: not an address of this adapter. */
BOOLEAN AddressFind(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip, PUCHAR Index);
/* This adapter's, or another one's of this machine. */
BOOLEAN AddressIsOfThisNode(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip);
/* In the subnet of the own address with that index. */
BOOLEAN AddressIsOnLink(PRNIC_ADAPTER Adapter, UCHAR Index, const RNIC_IP *Ip);
/* TRUE: the device knows how to reach it. */
BOOLEAN AddressIsReachable(PRNIC_ADAPTER Adapter, const RNIC_IP *Ip);

#endif
