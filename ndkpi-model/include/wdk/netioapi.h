/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IP helper: interfaces, addresses, routes. The answers come from the scenario's topology. A table
 * that a call returns is freed by FreeMibTable.
 */
#ifndef NDKSIM_WDK_NETIOAPI_H
#define NDKSIM_WDK_NETIOAPI_H

#include "ifdef.h"
#include "ip2string.h"
#include "nldef.h"
#include "ntdef.h"
#include "ws2ipdef.h"

#define NETIOAPI_API NTSTATUS NTAPI

typedef struct _IP_ADDRESS_PREFIX {
    SOCKADDR_INET Prefix;
    UCHAR PrefixLength;
} IP_ADDRESS_PREFIX, *PIP_ADDRESS_PREFIX;

typedef struct _MIB_IPFORWARD_ROW2 {
    NET_LUID InterfaceLuid;
    NET_IFINDEX InterfaceIndex;
    IP_ADDRESS_PREFIX DestinationPrefix;
    SOCKADDR_INET NextHop;
    UCHAR SitePrefixLength;
    ULONG ValidLifetime;
    ULONG PreferredLifetime;
    ULONG Metric;
    NL_ROUTE_PROTOCOL Protocol;
    BOOLEAN Loopback;
    BOOLEAN AutoconfigureAddress;
    BOOLEAN Publish;
    BOOLEAN Immortal;
    ULONG Age;
    NL_ROUTE_ORIGIN Origin;
} MIB_IPFORWARD_ROW2, *PMIB_IPFORWARD_ROW2;

typedef struct _MIB_IPPATH_ROW {
    SOCKADDR_INET Source;
    SOCKADDR_INET Destination;
    NET_LUID InterfaceLuid;
    NET_IFINDEX InterfaceIndex;
    SOCKADDR_INET CurrentNextHop;
    ULONG PathMtu;
    ULONG RttMean;
    ULONG RttDeviation;
    union {
        ULONG LastReachable;
        ULONG LastUnreachable;
    };
    BOOLEAN IsReachable;
    ULONG64 LinkTransmitSpeed;
    ULONG64 LinkReceiveSpeed;
} MIB_IPPATH_ROW, *PMIB_IPPATH_ROW;

typedef struct _MIB_IPPATH_TABLE {
    ULONG NumEntries;
    MIB_IPPATH_ROW Table[ANYSIZE_ARRAY];
} MIB_IPPATH_TABLE, *PMIB_IPPATH_TABLE;

typedef struct _MIB_UNICASTIPADDRESS_ROW {
    SOCKADDR_INET Address;
    NET_LUID InterfaceLuid;
    NET_IFINDEX InterfaceIndex;
    NL_PREFIX_ORIGIN PrefixOrigin;
    NL_SUFFIX_ORIGIN SuffixOrigin;
    ULONG ValidLifetime;
    ULONG PreferredLifetime;
    UCHAR OnLinkPrefixLength;
    BOOLEAN SkipAsSource;
    NL_DAD_STATE DadState;
    SCOPE_ID ScopeId;
    LARGE_INTEGER CreationTimeStamp;
} MIB_UNICASTIPADDRESS_ROW, *PMIB_UNICASTIPADDRESS_ROW;

typedef struct _MIB_UNICASTIPADDRESS_TABLE {
    ULONG NumEntries;
    MIB_UNICASTIPADDRESS_ROW Table[ANYSIZE_ARRAY];
} MIB_UNICASTIPADDRESS_TABLE, *PMIB_UNICASTIPADDRESS_TABLE;

/* A neighbour: the physical address of an IP address on the link. */
typedef struct _MIB_IPNET_ROW2 {
    SOCKADDR_INET Address;
    NET_IFINDEX InterfaceIndex;
    NET_LUID InterfaceLuid;
    UCHAR PhysicalAddress[IF_MAX_PHYS_ADDRESS_LENGTH];
    ULONG PhysicalAddressLength;
    NL_NEIGHBOR_STATE State;
    union {
        struct {
            BOOLEAN IsRouter : 1;
            BOOLEAN IsUnreachable : 1;
        };
        UCHAR Flags;
    };
    union {
        ULONG LastReachable;
        ULONG LastUnreachable;
    } ReachabilityTime;
} MIB_IPNET_ROW2, *PMIB_IPNET_ROW2;

typedef struct _MIB_IPNET_TABLE2 {
    ULONG NumEntries;
    MIB_IPNET_ROW2 Table[ANYSIZE_ARRAY];
} MIB_IPNET_TABLE2, *PMIB_IPNET_TABLE2;

VOID NTAPI FreeMibTable(_In_ PVOID Memory);
NTSTATUS NTAPI ConvertInterfaceIndexToLuid(_In_ NET_IFINDEX InterfaceIndex,
                                           _Out_ PNET_LUID InterfaceLuid);
NTSTATUS NTAPI ConvertInterfaceLuidToIndex(_In_ const NET_LUID *InterfaceLuid,
                                           _Out_ PNET_IFINDEX InterfaceIndex);
NTSTATUS NTAPI ConvertInterfaceLuidToAlias(_In_ const NET_LUID *InterfaceLuid,
                                           _Out_writes_(Length) PWSTR InterfaceAlias,
                                           _In_ SIZE_T Length);
NTSTATUS NTAPI ConvertInterfaceAliasToLuid(_In_ const WCHAR *InterfaceAlias,
                                           _Out_ PNET_LUID InterfaceLuid);
NTSTATUS NTAPI GetUnicastIpAddressTable(_In_ ADDRESS_FAMILY Family,
                                        _Outptr_ PMIB_UNICASTIPADDRESS_TABLE *Table);
/* Every neighbour is known from the start: the topology gives them, no frame asks for them. */
NTSTATUS NTAPI GetIpNetTable2(_In_ ADDRESS_FAMILY Family, _Outptr_ PMIB_IPNET_TABLE2 *Table);
/* Row->Address and the interface are in; the rest is the answer. STATUS_NOT_FOUND: none. */
NTSTATUS NTAPI GetIpNetEntry2(_Inout_ PMIB_IPNET_ROW2 Row);
NTSTATUS NTAPI ResolveIpNetEntry2(_Inout_ PMIB_IPNET_ROW2 Row,
                                  _In_opt_ const SOCKADDR_INET *SourceAddress);
NTSTATUS NTAPI GetIpPathTable(_In_ ADDRESS_FAMILY Family, _Outptr_ PMIB_IPPATH_TABLE *Table);
NTSTATUS NTAPI GetBestRoute2(_In_opt_ NET_LUID *InterfaceLuid, _In_ NET_IFINDEX InterfaceIndex,
                             _In_opt_ const SOCKADDR_INET *SourceAddress,
                             _In_ const SOCKADDR_INET *DestinationAddress,
                             _In_ ULONG AddressSortOptions, _Out_ PMIB_IPFORWARD_ROW2 BestRoute,
                             _Out_ SOCKADDR_INET *BestSourceAddress);

#endif
