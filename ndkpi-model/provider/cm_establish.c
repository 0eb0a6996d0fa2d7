/* SPDX-License-Identifier: Apache-2.0 */
/* Actions of the connecting side until the connection stands; see cm_action.h. */
#include "adapter.h"
#include "cm_send.h"
#include "linger.h"

VOID ActIgnore(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Connector);
    UNREFERENCED_PARAMETER(Message);
}

VOID ActResolve(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmWait(Connector, Connector->TryWait100ns);
}

VOID ActSendReq(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    Connector->RetriesLeft = CmAdapter(Connector)->Settings.CmRetryCount;
    CmSendReq(Connector);
    CmWaitForAnswer(Connector);
}

VOID ActResend(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    if (Connector->IsPassive) {
        CmSendRep(Connector);
    } else {
        CmSendReq(Connector);
    }
    CmWaitForAnswer(Connector);
}

VOID ActExtend(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    ULONG64 Answer = CmTimeoutOf((UCHAR)CmAdapter(Connector)->Settings.CmResponseTimeout);

    CmWait(Connector, Answer + CmTimeoutOf(Message->ResponseTimeout));
}

VOID ActTakeRep(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    Connector->Ids.RemoteId = Message->LocalId;
    Connector->PeerQpn = Message->Qpn;
    Connector->PeerPsn = Message->Psn;
    Connector->PeerRnrRetry = Message->RnrRetryCount;
    Connector->InboundLimit = min(Connector->InboundLimit, Message->InitiatorDepth);
    Connector->OutboundLimit = min(Connector->OutboundLimit, Message->ResponderResources);
    ConnectorSettle(Connector, STATUS_SUCCESS);
}

/* A shared endpoint counts connections, not attempts (R-SHEP-04). */
static VOID ConnectFailed(PRNIC_CONNECTOR Connector, NTSTATUS Status) {
    AdapterCount(&CmAdapter(Connector)->Counters.ConnectFailure);
    if (Connector->Endpoint->Kind == EndpointShared) {
        EndpointLeave(Connector);
    }
    ConnectorSettle(Connector, Status);
}

VOID ActUnreachable(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    ConnectFailed(Connector, STATUS_HOST_UNREACHABLE);
}

VOID ActResolveClosed(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    AdapterCount(&CmAdapter(Connector)->Counters.ConnectFailure);
    CmCancelRequest(Connector);
}

VOID ActMraRep(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    const RNIC_SETTINGS *Settings = &CmAdapter(Connector)->Settings;
    UCHAR Mad[RNIC_MAD_BYTES];

    UNREFERENCED_PARAMETER(Message);
    if (Settings->CmMraRep != 0) {
        CmEncodeMra(Mad, &Connector->Ids, CmAnsweredRep, (UCHAR)Settings->CmServiceTimeout);
        CmSend(Connector, "cm.mra", Mad);
    }
}

VOID ActRefused(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    Connector->InboundLimit = 0;
    Connector->OutboundLimit = 0;
    /* The peer has a connection with this address still, and we know of it (D-37). */
    ConnectFailed(Connector, Message->Reason == CmReasonStale && LingerHasTuple(Connector)
                                 ? STATUS_ADDRESS_ALREADY_EXISTS
                                 : STATUS_CONNECTION_REFUSED);
}

/* The peer may have heard us although we do not hear it. */
VOID ActConnectTimedOut(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRej(Connector, CmAnsweredReq, CmReasonTimeout);
    ConnectFailed(Connector, STATUS_IO_TIMEOUT);
}

VOID ActConnectClosed(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRej(Connector, CmAnsweredReq, CmReasonTimeout);
    AdapterCount(&CmAdapter(Connector)->Counters.ConnectFailure);
    CmCancelRequest(Connector);
}

VOID ActRejectRep(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRej(Connector, CmAnsweredRep, CmReasonConsumer);
    AdapterCount(&CmAdapter(Connector)->Counters.ConnectFailure);
}

VOID ActPeerAbandoned(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    if (Message != NULL && Message->Kind == CmDreq) {
        CmSendDrep(Connector, TRUE);
    }
    Connector->PeerAbandoned = TRUE;
    AdapterCount(&CmAdapter(Connector)->Counters.ConnectFailure);
}

VOID ActStartActive(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    ConnectorToRtr(Connector);
    ConnectorToRts(Connector);
}

VOID ActConnected(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    QpSetPhase(Connector->Qp, QpConnected);
    CmSendRtu(Connector);
    CmUp(Connector);
    AdapterCount(&CmAdapter(Connector)->Counters.Connect);
    ConnectorSettle(Connector, STATUS_SUCCESS);
}

static VOID CompleteEnds(PRNIC_CONNECTOR Connector) {
    AdapterCount(&CmAdapter(Connector)->Counters.ConnectFailure);
    QpSetPhase(Connector->Qp, QpEnded);
    ConnectorToErr(Connector);
}

VOID ActCompleteFailed(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRej(Connector, CmAnsweredRep, CmReasonNoResources);
    CompleteEnds(Connector);
    ConnectorSettle(Connector, STATUS_INSUFFICIENT_RESOURCES);
}

VOID ActCompleteAborted(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    if (Message != NULL && Message->Kind == CmDreq) {
        CmSendDrep(Connector, TRUE);
    }
    CompleteEnds(Connector);
    ConnectorSettle(Connector, STATUS_CONNECTION_ABORTED);
}

VOID ActCompleteClosed(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRej(Connector, CmAnsweredRep, CmReasonConsumer);
    CompleteEnds(Connector);
    CmCancelRequest(Connector);
}

VOID ActResendRtu(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendRtu(Connector);
}
