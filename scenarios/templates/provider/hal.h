/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that touches the hardware: registers, memory that the device reaches, commands. The rest of
 * the provider knows none of <rnic_hw/rnic.h>; another device means another hal.c.
 */
#ifndef HAL_H
#define HAL_H

#include <ndis.h>

/* Memory that the CPU and the device share; whole pages, zeroed. */
typedef struct _HAL_MEMORY {
    PVOID Base; /* NULL: none */
    NDIS_PHYSICAL_ADDRESS Address;
    ULONG Bytes;
} HAL_MEMORY, *PHAL_MEMORY;

typedef struct _HAL_LIMITS {
    UINT32 VendorId;
    UINT32 DeviceId;
    ULONG CqDepth;
    ULONG SqDepth;
    ULONG RqDepth;
    ULONG SrqDepth;
    ULONG SgeCount;
    ULONG ReadSgeCount;
    ULONG InlineBytes;
    ULONG MessageBytes;
    ULONG FastRegisterPages;
    ULONG ReadsIn;
    ULONG ReadsOut;
} HAL_LIMITS, *PHAL_LIMITS;

typedef struct _HAL {
    NDIS_HANDLE Handle;
    PUCHAR Registers;
    ULONG RegisterBytes;
    HAL_MEMORY Mailbox; /* a page: the command and its structures */
    HAL_MEMORY Events;
    KMUTEX Lock; /* of the mailbox */
    ULONG EventQueue;
    BOOLEAN IsUp;
    HAL_LIMITS Limits;
} HAL, *PHAL;

typedef struct _HAL_CQ {
    HAL_MEMORY Ring;
    ULONG Number;
} HAL_CQ, *PHAL_CQ;

/* All at PASSIVE_LEVEL. HalClose takes a HAL of which HalOpen failed, too. */
NTSTATUS HalOpen(PHAL Hal, NDIS_HANDLE Handle, PCM_PARTIAL_RESOURCE_DESCRIPTOR Bar);
VOID HalClose(PHAL Hal);
NTSTATUS HalCqCreate(PHAL Hal, ULONG Depth, PHAL_CQ Cq);
VOID HalCqDestroy(PHAL Hal, PHAL_CQ Cq);

#endif
