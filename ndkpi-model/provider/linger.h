/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of a connection when its connector need not or cannot go on with it:
 *
 *   Asking   a DREQ, mostly an abortive one, is repeated until its DREP comes or the retries are
 * used up Timewait late messages of the old connection are known as such: a DREQ gets its DREP
 * again, a copy of the REQ starts nothing
 *
 * Under the CM lock.
 */
#ifndef PROVIDER_LINGER_H
#define PROVIDER_LINGER_H

#include "cm.h"

typedef struct _RNIC_LINGER {
    LIST_ENTRY Link;
    LIST_ENTRY AgeLink;
    PRNIC_ADAPTER Adapter;
    RNIC_CM_TIMER Timer;
    BOOLEAN Asking;
    BOOLEAN Abort; /* answers say that we aborted */
    UCHAR AddressIndex;
    RNIC_IP Peer;
    RNIC_CM_IDS Ids;
    ULONG PeerQpn;
    ULONG PeerPsn;
    USHORT LocalPort;
    USHORT PeerPort;
    ULONG RetriesLeft;
} RNIC_LINGER, *PRNIC_LINGER;

/* Sends the first DREQ. Without memory that one message must do. */
VOID LingerAsk(PRNIC_CONNECTOR Connector, BOOLEAN Abort);
VOID LingerWait(PRNIC_CONNECTOR Connector, BOOLEAN Abort);

/* There was a connection between the addresses of `Connector` not long ago. */
BOOLEAN LingerHasTuple(const RNIC_CONNECTOR *Connector);

/* TRUE: the message was about an old connection and has been dealt with. */
BOOLEAN LingerReceive(PRNIC_ADAPTER Adapter, const RNIC_IP *From, const RNIC_CM_MESSAGE *Message);

VOID LingerStart(PRNIC_ADAPTER Adapter);
/* Forgets all. */
VOID LingerStop(PRNIC_ADAPTER Adapter);

#endif
