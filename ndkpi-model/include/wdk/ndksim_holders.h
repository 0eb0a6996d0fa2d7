/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A private extension of the reference provider, had by NdkQueryExtension from any of its objects
 * when its adapter has the keyword "HoldersExtension" 1: what keeps the object from ending. A
 * consumer that waits for a close may tell what it waits for; a test may count.
 */
#ifndef NDKSIM_WDK_NDKSIM_HOLDERS_H
#define NDKSIM_WDK_NDKSIM_HOLDERS_H

#include "ndkpi.h"

/* For a variable: static const GUID Id = NDKSIM_HOLDERS_EXTENSION; */
#define NDKSIM_HOLDERS_EXTENSION                                                                   \
    {                                                                                              \
        0x5b1f3a62, 0x9c0d, 0x4e7e, {                                                              \
            0x8a, 0x21, 0x6e, 0x64, 0x6b, 0x73, 0x69, 0x6d                                         \
        }                                                                                          \
    }

/* Any minor up to it is served. */
#define NDKSIM_HOLDERS_MAJOR 1
#define NDKSIM_HOLDERS_MINOR 1

typedef struct _NDKSIM_HOLDERS {
    ULONG Consumer;   /* 1 until the close is asked for */
    ULONG Successors; /* objects that rely on it */
    ULONG Requests;   /* that were not completed */
    ULONG Callbacks;  /* running, or about to */
    ULONG Hardware;   /* uses by the device and by queues of the provider */
} NDKSIM_HOLDERS;

typedef struct _NDKSIM_HOLDERS_DISPATCH {
    /* IRQL <= DISPATCH_LEVEL; a snapshot. */
    VOID (*NdksimGetHolders)(_In_ NDK_OBJECT_HEADER *pNdkObject, _Out_ NDKSIM_HOLDERS *pHolders);
} NDKSIM_HOLDERS_DISPATCH;

#endif
