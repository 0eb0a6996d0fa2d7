/* SPDX-License-Identifier: Apache-2.0 */
/* Actions of the accepting side until the connection stands; see cm_action.h. */
#include "adapter.h"
#include "cm_send.h"
#include "linger.h"

VOID ActSendMra(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UCHAR Mad[RNIC_MAD_BYTES];

    UNREFERENCED_PARAMETER(Message);
    Connector->MraSent = TRUE;
    CmEncodeMra(Mad, &Connector->Ids, CmAnsweredReq,
                (UCHAR)CmAdapter(Connector)->Settings.CmServiceTimeout);
    CmSend(Connector, "cm.mra", Mad);
}

/* From RTR on the peer's first requests may arrive, before its RTU (B-23). */
VOID ActStartPassive(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    QpHoldReceives(Connector->Qp);
    ConnectorToRtr(Connector);
}

VOID ActSendRep(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    Connector->RetriesLeft = CmAdapter(Connector)->Settings.CmRetryCount;
    CmSendRep(Connector);
    CmWaitForAnswer(Connector);
}

VOID ActRejectReq(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRej(Connector, CmAnsweredReq, CmReasonConsumer);
    AdapterCount(&CmAdapter(Connector)->Counters.ConnectFailure);
}

/* H-17: whom the consumer never heard of did not fail. */
VOID ActRefuseReq(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRej(Connector, CmAnsweredReq, CmReasonInvalidServiceId);
    if (!Connector->Unheard) {
        AdapterCount(&CmAdapter(Connector)->Counters.ConnectFailure);
    }
}

static VOID AcceptEnds(PRNIC_CONNECTOR Connector) {
    AdapterCount(&CmAdapter(Connector)->Counters.ConnectFailure);
    QpSetPhase(Connector->Qp, QpEnded);
    ConnectorToErr(Connector);
}

VOID ActAcceptFailed(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRej(Connector, CmAnsweredReq, CmReasonNoResources);
    AcceptEnds(Connector);
    ConnectorSettle(Connector, STATUS_INSUFFICIENT_RESOURCES);
}

VOID ActAcceptAborted(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    if (Message == NULL) {
        CmSendRej(Connector, CmAnsweredOther, CmReasonConsumer);
    } else if (Message->Kind == CmDreq) {
        CmSendDrep(Connector, TRUE);
    }
    AcceptEnds(Connector);
    ConnectorSettle(Connector, STATUS_CONNECTION_ABORTED);
}

VOID ActAcceptTimedOut(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRej(Connector, CmAnsweredOther, CmReasonTimeout);
    AcceptEnds(Connector);
    ConnectorSettle(Connector, STATUS_IO_TIMEOUT);
}

VOID ActAcceptClosed(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRej(Connector, CmAnsweredOther, CmReasonConsumer);
    AcceptEnds(Connector);
    CmCancelRequest(Connector);
}

VOID ActStartSending(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    ConnectorToRts(Connector);
}

VOID ActFirstMessage(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    if (Connector->SendsHeld) {
        Connector->SendsHeld = FALSE;
        ConnectorToRts(Connector);
    }
}

VOID ActAccepted(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    QpSetPhase(Connector->Qp, QpConnected);
    CmUp(Connector);
    AdapterCount(&CmAdapter(Connector)->Counters.Accept);
    ConnectorSettle(Connector, STATUS_SUCCESS);
}

VOID ActAcceptedHeld(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    Connector->SendsHeld = TRUE;
    ActAccepted(Connector, Message);
}

/* The accept has succeeded whatever followed; the event comes after it (D-18, D-20). */
VOID ActAcceptedNotice(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    ActAccepted(Connector, Message);
    ActNotice(Connector, Message);
}

VOID ActAcceptedAborted(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    ActAccepted(Connector, NULL);
    ActAbortedByPeer(Connector, Message);
}

VOID ActAcceptedBroken(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    ActAccepted(Connector, NULL);
    ActBroken(Connector, Message);
}

VOID ActAcceptedForgotten(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    ActAccepted(Connector, NULL);
    ActForgotten(Connector, Message);
}
