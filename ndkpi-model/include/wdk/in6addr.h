/* SPDX-License-Identifier: Apache-2.0 */
/* IPv6 address. */
#ifndef NDKSIM_WDK_IN6ADDR_H
#define NDKSIM_WDK_IN6ADDR_H

#include "ntdef.h"

typedef struct in6_addr {
    union {
        UCHAR Byte[16];
        USHORT Word[8];
    } u;
} IN6_ADDR, *PIN6_ADDR, *LPIN6_ADDR;

#define in_addr6 in6_addr
#define _S6_un u
#define _S6_u8 Byte
#define s6_addr _S6_un._S6_u8
#define s6_bytes u.Byte
#define s6_words u.Word

#endif
