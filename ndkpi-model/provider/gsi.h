/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QP1: the datagrams of the connection manager. Receives are posted once and again after use; a
 * datagram that finds the send ring full is lost, which the retries of the CM make good.
 */
#ifndef PROVIDER_GSI_H
#define PROVIDER_GSI_H

#include "address.h"
#include "command.h"
#include "dma.h"

#define RNIC_MAD_BYTES 256u
#define RNIC_GSI_QPN 1u
#define RNIC_GSI_SENDS_LOG2 4u
#define RNIC_GSI_SENDS (1u << RNIC_GSI_SENDS_LOG2)
#define RNIC_GSI_RECEIVES_LOG2 5u /* entries of the ring */
#define RNIC_GSI_RECEIVES 24u     /* posted: their buffers fill two pages */

typedef struct _RNIC_GSI {
    KSPIN_LOCK Lock; /* of the send ring */
    BOOLEAN Ready;
    BOOLEAN QpMade;
    BOOLEAN CqMade;
    BOOLEAN PdMade;
    ULONG Pdn;
    ULONG PrivilegedKey;
    ULONG Cqn;
    RNIC_DMA CqRing;
    RNIC_DMA SqRing;
    RNIC_DMA RqRing;
    RNIC_DMA SendBuffers;
    RNIC_DMA ReceiveBuffers;
    RNIC_DMA Record; /* finished sends, then the consumer index of the CQ */
    ULONG SendProducer;
    ULONG ReceiveProducer;
    ULONG CqConsumer;
} RNIC_GSI;

VOID GsiInit(PRNIC_ADAPTER Adapter);
/* PASSIVE_LEVEL. */
NTSTATUS GsiStart(PRNIC_ADAPTER Adapter);
VOID GsiStop(PRNIC_ADAPTER Adapter);

/* Copies the MAD and sends it to QP1 of `To`. IRQL <= DISPATCH_LEVEL. */
VOID GsiSend(PRNIC_ADAPTER Adapter, UCHAR AddressIndex, const RNIC_IP *To, const UCHAR *Mad);

/* Takes what has come; from the DPC of the first event queue. */
VOID GsiEvent(PRNIC_ADAPTER Adapter);

#endif
