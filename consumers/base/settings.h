/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver's parameters: addresses as text below its Parameters key. PASSIVE_LEVEL. Numbers come
 * from NdksimRegistryUlong.
 */
#ifndef CONSUMERS_BASE_SETTINGS_H
#define CONSUMERS_BASE_SETTINGS_H

#include <ntddk.h>
#include <ws2ipdef.h>

#include "ndksim.h"

typedef struct _RDMA_ADDRESS {
    union {
        SOCKADDR_INET Inet;
        SOCKADDR Plain;
    };
    ULONG Bytes; /* 0: not set */
} RDMA_ADDRESS, *PRDMA_ADDRESS;

/* "10.0.0.1" or "fd00::1". An absent value is success, with Bytes 0. */
NTSTATUS SettingsAddress(PUNICODE_STRING RegistryPath, PCWSTR Name, USHORT Port,
                         PRDMA_ADDRESS Address);

#define ADDRESS_TEXT_CHARS 64
/* "10.0.0.1:445", "[fd00::1]:445". Returns Text, which has room for ADDRESS_TEXT_CHARS. */
PSTR AddressText(const RDMA_ADDRESS *Address, PSTR Text);

#endif
