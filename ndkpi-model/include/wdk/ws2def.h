/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Socket addresses with Windows' numbers: AF_INET6 is 23, whatever the host says. Ports and
 * addresses are in network byte order.
 */
#ifndef NDKSIM_WDK_WS2DEF_H
#define NDKSIM_WDK_WS2DEF_H

#include "inaddr.h"
#include "ntdef.h"

typedef USHORT ADDRESS_FAMILY;

#define AF_UNSPEC 0
#define AF_UNIX 1
#define AF_INET 2
#define AF_NETBIOS 17
#define AF_INET6 23
#define PF_UNSPEC AF_UNSPEC
#define PF_INET AF_INET
#define PF_INET6 AF_INET6

#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOCK_RAW 3
#define SOL_SOCKET 0xffff
#define SO_REUSEADDR 0x0004
#define SO_KEEPALIVE 0x0008
#define SO_EXCLUSIVEADDRUSE ((int)(~SO_REUSEADDR))

typedef enum {
    IPPROTO_HOPOPTS = 0,
    IPPROTO_ICMP = 1,
    IPPROTO_IPV4 = 4,
    IPPROTO_TCP = 6,
    IPPROTO_UDP = 17,
    IPPROTO_IPV6 = 41,
    IPPROTO_ICMPV6 = 58,
    IPPROTO_NONE = 59,
    IPPROTO_RAW = 255,
    IPPROTO_MAX = 256
} IPPROTO,
    *PIPROTO;

#define INADDR_ANY (ULONG)0x00000000
#define INADDR_LOOPBACK 0x7f000001
#define INADDR_BROADCAST (ULONG)0xffffffff
#define INADDR_NONE 0xffffffff

typedef struct sockaddr {
    ADDRESS_FAMILY sa_family;
    CHAR sa_data[14];
} SOCKADDR, *PSOCKADDR, *LPSOCKADDR;
typedef const SOCKADDR *PCSOCKADDR;

typedef struct sockaddr_in {
    ADDRESS_FAMILY sin_family;
    USHORT sin_port;
    IN_ADDR sin_addr;
    CHAR sin_zero[8];
} SOCKADDR_IN, *PSOCKADDR_IN;

#define _SS_MAXSIZE 128
#define _SS_ALIGNSIZE 8
typedef struct sockaddr_storage {
    ADDRESS_FAMILY ss_family;
    CHAR __ss_pad1[6];
    LONGLONG __ss_align;
    CHAR __ss_pad2[_SS_MAXSIZE - 16];
} SOCKADDR_STORAGE, *PSOCKADDR_STORAGE, *LPSOCKADDR_STORAGE;

typedef enum {
    ScopeLevelInterface = 1,
    ScopeLevelLink = 2,
    ScopeLevelSubnet = 3,
    ScopeLevelAdmin = 4,
    ScopeLevelSite = 5,
    ScopeLevelOrganization = 8,
    ScopeLevelGlobal = 14,
    ScopeLevelCount = 16
} SCOPE_LEVEL;

typedef struct {
    union {
        struct {
            ULONG Zone : 28;
            ULONG Level : 4;
        };
        ULONG Value;
    };
} SCOPE_ID, *PSCOPE_ID;

#define IN_MULTICAST(i) (((LONG)(i)&0xf0000000) == 0xe0000000)

#endif
