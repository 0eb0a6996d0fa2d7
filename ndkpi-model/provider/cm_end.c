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

VOID ActEndBroken(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    LingerAsk(Connector);
    FlushForDisconnect(Connector, STATUS_CONNECTION_ABORTED);
}

static VOID Break(PRNIC_CONNECTOR Connector) {
    AdapterCount(&CmAdapter(Connector)->Counters.ConnectionError);
    CmDown(Connector);
    QpSetPhase(Connector->Qp, QpFlushing);
    ConnectorToErr(Connector);
}

VOID ActAbortedByPeer(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    CmSendDrep(Connector, TRUE);
    LingerWait(Connector, TRUE);
    Connector->Qp->AbortStatus = STATUS_CONNECTION_ABORTED;
    Break(Connector);
}

VOID ActBroken(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    LingerAsk(Connector);
    Break(Connector);
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

VOID ActCloseConnected(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    LingerAsk(Connector);
    CloseFlushes(Connector);
}

VOID ActCloseBroken(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    UNREFERENCED_PARAMETER(Message);
    QpSetPhase(Connector->Qp, QpEnded);
    CmCancelRequest(Connector);
}

/* The peer has given notice; closing instead of disconnecting is an abort all the same (D-24). */
VOID ActCloseNoticed(PRNIC_CONNECTOR Connector, const RNIC_CM_MESSAGE *Message) {
    BOOLEAN Graceful =
        CmAdapter(Connector)->Settings.GracefulClose != 0 && QpInitiatorPending(Connector->Qp) == 0;

    UNREFERENCED_PARAMETER(Message);
    CmSendDrep(Connector, !Graceful);
    LingerWait(Connector, !Graceful);
    CloseFlushes(Connector);
}
