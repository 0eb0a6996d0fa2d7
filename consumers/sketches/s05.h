/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S05: one driver is both ends, on two adapters. The connect waits for the accept; where does the
 * accept happen? Registry: LocalAddress, InterfaceIndex (listens), RemoteAddress, InterfaceIndex2
 * (connects from there).
 */
#ifndef SKETCHES_S05_H
#define SKETCHES_S05_H

#include "sketch.h"

typedef struct _S05 {
    RDMA_ADAPTER ClientRdma;
    RDMA_ADDRESS ClientAddress;
    NDK_LISTENER *Listener;
    SKETCH_END Server;
    SKETCH_END Client;
} S05, *PS05;

extern S05 Both;

/* Opens everything and listens; `Event` is told of the connect request. */
NTSTATUS S05Open(NDK_FN_CONNECT_EVENT_CALLBACK Event);
VOID S05Close(VOID);

#endif
