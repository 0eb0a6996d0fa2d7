/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6 socket address and the union of both families. */
#ifndef NDKSIM_WDK_WS2IPDEF_H
#define NDKSIM_WDK_WS2IPDEF_H

#include "in6addr.h"
#include "ws2def.h"

typedef struct sockaddr_in6 {
    ADDRESS_FAMILY sin6_family;
    USHORT sin6_port;
    ULONG sin6_flowinfo;
    IN6_ADDR sin6_addr;
    union {
        ULONG sin6_scope_id;
        SCOPE_ID sin6_scope_struct;
    };
} SOCKADDR_IN6_LH, *PSOCKADDR_IN6_LH, SOCKADDR_IN6, *PSOCKADDR_IN6;
typedef const SOCKADDR_IN6 *PCSOCKADDR_IN6;

typedef union _SOCKADDR_INET {
    SOCKADDR_IN Ipv4;
    SOCKADDR_IN6 Ipv6;
    ADDRESS_FAMILY si_family;
} SOCKADDR_INET, *PSOCKADDR_INET;

#define INET_ADDRSTRLEN 22
#define INET6_ADDRSTRLEN 65

FORCEINLINE BOOLEAN IN6_ADDR_EQUAL(_In_ const IN6_ADDR *x, _In_ const IN6_ADDR *y) {
    return (BOOLEAN)(__builtin_memcmp(x, y, sizeof(IN6_ADDR)) == 0);
}

FORCEINLINE BOOLEAN IN4_ADDR_EQUAL(_In_ const IN_ADDR *a, _In_ const IN_ADDR *b) {
    return (BOOLEAN)(a->s_addr == b->s_addr);
}

FORCEINLINE BOOLEAN IN6_IS_ADDR_UNSPECIFIED(_In_ const IN6_ADDR *a) {
    return (BOOLEAN)((a->s6_words[0] | a->s6_words[1] | a->s6_words[2] | a->s6_words[3] |
                      a->s6_words[4] | a->s6_words[5] | a->s6_words[6] | a->s6_words[7]) == 0);
}

FORCEINLINE BOOLEAN IN6_IS_ADDR_LINKLOCAL(_In_ const IN6_ADDR *a) {
    return (BOOLEAN)((a->s6_bytes[0] == 0xfe) && ((a->s6_bytes[1] & 0xc0) == 0x80));
}

FORCEINLINE BOOLEAN IN6_IS_ADDR_MULTICAST(_In_ const IN6_ADDR *a) {
    return (BOOLEAN)(a->s6_bytes[0] == 0xff);
}

FORCEINLINE BOOLEAN IN6_IS_ADDR_V4MAPPED(_In_ const IN6_ADDR *a) {
    return (BOOLEAN)((a->s6_words[0] | a->s6_words[1] | a->s6_words[2] | a->s6_words[3] |
                      a->s6_words[4]) == 0 &&
                     a->s6_words[5] == 0xffff);
}

#endif
