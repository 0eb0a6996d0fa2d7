/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of CM actions: sending, and the bookkeeping of a connection. CM lock held. */
#ifndef PROVIDER_CM_SEND_H
#define PROVIDER_CM_SEND_H

#include "cm_action.h"

/* `Event` is the trace name of the message. */
VOID CmSend(PRNIC_CONNECTOR Connector, PCSTR Event, const UCHAR *Mad);
VOID CmSendRej(PRNIC_CONNECTOR Connector, RNIC_CM_ANSWERED Answered, USHORT Reason);
VOID CmSendReq(PRNIC_CONNECTOR Connector);
VOID CmSendRep(PRNIC_CONNECTOR Connector);
VOID CmSendRtu(PRNIC_CONNECTOR Connector);
VOID CmSendDreq(PRNIC_CONNECTOR Connector);
VOID CmSendDrep(PRNIC_CONNECTOR Connector, BOOLEAN Abort);

VOID CmWait(PRNIC_CONNECTOR Connector, ULONG64 After100ns);
VOID CmWaitForAnswer(PRNIC_CONNECTOR Connector);

/* The connection counts as active, or no longer. */
VOID CmUp(PRNIC_CONNECTOR Connector);
VOID CmDown(PRNIC_CONNECTOR Connector);

/* The pending request of a connector that is being closed. */
VOID CmCancelRequest(PRNIC_CONNECTOR Connector);

static inline PRNIC_ADAPTER CmAdapter(PRNIC_CONNECTOR Connector) {
    return Connector->Object.Owner;
}

#endif
