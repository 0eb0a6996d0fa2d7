/* SPDX-License-Identifier: Apache-2.0 */
/* Actions that end a connection, gracefully or not; see cm_action.h. */
#include "adapter.h"
#include "cm_send.h"
#include "linger.h"

/* How often a disconnect looks whether the requests under way have ended. */
#define RNIC_DRAIN_TICK_100NS 1000u

VOID ActSendDreq(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    Connector->RetriesLeft = CmAdapter(Connector)->Settings.CmRetryCount;
    CmSendDreq(Connector);
    CmWaitForAnswer(Connector);
}

VOID ActResendDreq(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendDreq(Connector);
    CmWaitForAnswer(Connector);
}

VOID ActStartDraining(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    const RNIC_SETTINGS *Settings = &CmAdapter(Connector)->Settings;
    ULONG64 Limit = CmTimeoutOf((UCHAR)Settings->CmResponseTimeout) * (Settings->CmRetryCount + 1);

    UNREFERENCED_PARAMETER(Message);
    Connector->RetriesLeft = (ULONG)min(Limit / RNIC_DRAIN_TICK_100NS, (ULONG64)MAXULONG);
    CmWait(Connector, RNIC_DRAIN_TICK_100NS);
}

VOID ActDrainMore(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmWait(Connector, RNIC_DRAIN_TICK_100NS);
}

/* At most once per connection (R-DISC-07), and not to a consumer that is closing. */
static VOID RaiseEvent(PRNIC_CONNECTOR Connector, ULONG Reason) {
    if (!Connector->EventRaised) {
        Connector->EventRaised = TRUE;
        Connector->Reason = Reason;
        ConnectorUpcall(Connector, RNIC_UPCALL_EVENT);
    }
}

/* Requests that are under way go on until the local side disconnects, flushes or closes. */
VOID ActNotice(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    RaiseEvent(Connector, 0);
}

/* The disconnect completes when everything has been cancelled. */
static VOID FlushForDisconnect(PRNIC_CONNECTOR Connector, NTSTATUS Status) {
    Connector->EndStatus = Status;
    CmDown(Connector);
    QpSetPhase(Connector->Qp, QpFlushing);
    ConnectorToErr(Connector);
}

VOID ActGraceful(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    LingerWait(Connector, FALSE);
    FlushForDisconnect(Connector, STATUS_SUCCESS);
}

VOID ActGracefulAnswer(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    /* The peer's notice crossed ours: a consumer that must cope with that may be told, too. */
    if (Message != NULL && CmAdapter(Connector)->Settings.EventAfterDisconnect != 0) {
        RaiseEvent(Connector, 0);
    }
    CmSendDrep(Connector, FALSE);
    LingerWait(Connector, FALSE);
    FlushForDisconnect(Connector, STATUS_SUCCESS);
}

/* Who has answered a DREQ, or got his answered, need not be asked any more. */
VOID ActEndAborted(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    if (Message->Kind == CmDreq) {
        CmSendDrep(Connector, TRUE);
    }
    LingerWait(Connector, TRUE);
    Connector->Qp->AbortStatus = STATUS_CONNECTION_ABORTED;
    FlushForDisconnect(Connector, STATUS_CONNECTION_ABORTED);
}

VOID ActEndTimedOut(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    LingerWait(Connector, TRUE);
    FlushForDisconnect(Connector, STATUS_IO_TIMEOUT);
}

/* What did not end does not keep the connection up: the peer is told that it is over. */
VOID ActDrainTimedOut(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    LingerAsk(Connector, TRUE);
    FlushForDisconnect(Connector, STATUS_IO_TIMEOUT);
}

VOID ActEndBroken(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    LingerAsk(Connector, TRUE);
    FlushForDisconnect(Connector, STATUS_CONNECTION_ABORTED);
}

VOID ActEndForgotten(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    Connector->Qp->AbortStatus = STATUS_CONNECTION_ABORTED;
    ActEndBroken(Connector, Message);
}

/* With the knob the event comes first; the pump cancels the requests behind it (D-27). */
static VOID Break(PRNIC_CONNECTOR Connector) {
    AdapterCount(&CmAdapter(Connector)->Counters.ConnectionError);
    CmDown(Connector);
    QpSetPhase(Connector->Qp, QpFlushing);
    if (CmAdapter(Connector)->Settings.AbortEventFirst != 0) {
        RaiseEvent(Connector, Connector->Reason);
    } else {
        ConnectorToErr(Connector);
    }
}

VOID ActAbortedByPeer(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    Connector->Reason = RNIC_REASON_PEER_ABORTED;
    CmSendDrep(Connector, TRUE);
    LingerWait(Connector, TRUE);
    Connector->Qp->AbortStatus = STATUS_CONNECTION_ABORTED;
    Break(Connector);
}

VOID ActBroken(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    LingerAsk(Connector, TRUE);
    Break(Connector);
}

/* The peer has lost its state or uses its address anew: for us a reset (D-27). */
VOID ActForgotten(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    Connector->Reason = RNIC_REASON_PEER_FORGOT;
    Connector->Qp->AbortStatus = STATUS_CONNECTION_ABORTED;
    ActBroken(Connector, Message);
}

/* What was cancelled stands in the completion queues before the event (D-27). */
VOID ActFlushedBroken(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    QpAbortOver(Connector->Qp);
    RaiseEvent(Connector, Connector->Reason);
}

VOID ActDisconnectBroken(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    Connector->EndStatus = STATUS_CONNECTION_ABORTED;
    ConnectorToErr(Connector);
}

VOID ActFlushed(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    QpAbortOver(Connector->Qp);
    QpSetPhase(Connector->Qp, QpEnded);
    if (ConnectorIsBusy(Connector)) {
        ConnectorSettle(Connector, Connector->EndStatus);
    }
}

static VOID CloseFlushes(PRNIC_CONNECTOR Connector) {
    CmDown(Connector);
    QpSetPhase(Connector->Qp, QpEnded);
    ConnectorToErr(Connector);
    CmCancelRequest(Connector);
}

/* Closing instead of disconnecting is an abort, but for the knob (D-24). */
static BOOLEAN CloseIsAbort(PRNIC_CONNECTOR Connector) {
    return CmAdapter(Connector)->Settings.GracefulClose == 0 ||
           QpInitiatorPending(Connector->Qp) != 0;
}

VOID ActCloseConnected(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    LingerAsk(Connector, CloseIsAbort(Connector));
    CloseFlushes(Connector);
}

VOID ActCloseBroken(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    QpSetPhase(Connector->Qp, QpEnded);
    if (CmAdapter(Connector)->Settings.AbortEventFirst != 0) {
        ConnectorToErr(Connector);
    }
    CmCancelRequest(Connector);
}

/* The peer has given notice: this is our answer. */
VOID ActCloseNoticed(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    BOOLEAN Abort = CloseIsAbort(Connector);

    UNREFERENCED_PARAMETER(Message);
    CmSendDrep(Connector, Abort);
    LingerWait(Connector, Abort);
    CloseFlushes(Connector);
}
