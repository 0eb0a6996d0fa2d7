/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transitions of the connection manager. An event in a state without an entry is a bug of this
 * driver and stops the machine. The states are drawn in cm.h.
 */
#include "adapter.h"
#include "cm_action.h"

typedef struct _RNIC_CM_CELL {
    UCHAR Next;
    RNIC_CM_ACTION *Action;
} RNIC_CM_CELL;

#define GO(from, event, to, action) [Cm##from][Ev##event] = {Cm##to, action}
#define STAY(state, event) [Cm##state][Ev##event] = {Cm##state, ActIgnore}
/* Messages that are late, doubled or out of order, and may be. */
#define LATE_REQUEST(state) STAY(state, ReqAgain), STAY(state, Rtu), STAY(state, RtuHeld)
/* Ends of commands are told on several processors, in any order. */
#define LATE_MODIFY(state) STAY(state, RtrDone), STAY(state, RtsDone)
#define LATE_ANSWER(state) STAY(state, Mra), STAY(state, Drep), STAY(state, DrepAbort)
/* What the device may still tell when nobody waits for it. */
#define LATE_DEVICE(state)                                                                         \
    STAY(state, RtrDone), STAY(state, RtsDone), STAY(state, ModifyFailed), STAY(state, QpError),   \
        STAY(state, CommEst)

/* clang-format off */
static const RNIC_CM_CELL Transition[CmStateCount][EvCount] = {
    GO(Idle, Connect, ReqSent, ActSendReq),
    GO(Idle, ConnectNobody, Resolving, ActResolve),
    GO(Idle, Close, Ended, ActIgnore),
    LATE_DEVICE(Idle), STAY(Idle, ErrDone),

    GO(Resolving, Timeout, Resolving, ActResolve),
    GO(Resolving, TimedOut, Idle, ActUnreachable),
    GO(Resolving, Close, Ended, ActResolveClosed),
    LATE_DEVICE(Resolving), STAY(Resolving, ErrDone),

    GO(ReqSent, Mra, MraReqRcvd, ActExtend),
    GO(ReqSent, Rep, RepRcvd, ActTakeRep),
    GO(ReqSent, Rej, Idle, ActRefused),
    GO(ReqSent, Timeout, ReqSent, ActResend),
    GO(ReqSent, TimedOut, Idle, ActConnectTimedOut),
    GO(ReqSent, Close, Ended, ActConnectClosed),
    LATE_DEVICE(ReqSent), LATE_REQUEST(ReqSent), STAY(ReqSent, ErrDone),
    STAY(ReqSent, Stale), STAY(ReqSent, Dreq), STAY(ReqSent, DreqAbort),
    STAY(ReqSent, Drep), STAY(ReqSent, DrepAbort),

    GO(MraReqRcvd, Mra, MraReqRcvd, ActExtend),
    GO(MraReqRcvd, Rep, RepRcvd, ActTakeRep),
    GO(MraReqRcvd, Rej, Idle, ActRefused),
    GO(MraReqRcvd, Timeout, ReqSent, ActResend),
    GO(MraReqRcvd, TimedOut, Idle, ActConnectTimedOut),
    GO(MraReqRcvd, Close, Ended, ActConnectClosed),
    LATE_DEVICE(MraReqRcvd), LATE_REQUEST(MraReqRcvd), STAY(MraReqRcvd, ErrDone),
    STAY(MraReqRcvd, Stale), STAY(MraReqRcvd, Dreq), STAY(MraReqRcvd, DreqAbort),
    STAY(MraReqRcvd, Drep), STAY(MraReqRcvd, DrepAbort),

    GO(RepRcvd, CompleteConnect, Completing, ActStartActive),
    GO(RepRcvd, Reject, Ended, ActRejectRep),
    GO(RepRcvd, Close, Ended, ActRejectRep),
    GO(RepRcvd, Rej, Ended, ActPeerAbandoned),
    GO(RepRcvd, Dreq, Ended, ActPeerAbandoned),
    GO(RepRcvd, DreqAbort, Ended, ActPeerAbandoned),
    GO(RepRcvd, Stale, Ended, ActPeerAbandoned),
    GO(RepRcvd, Rep, RepRcvd, ActMraRep),
    LATE_DEVICE(RepRcvd), LATE_REQUEST(RepRcvd), LATE_ANSWER(RepRcvd),
    STAY(RepRcvd, ErrDone),

    STAY(Completing, RtrDone),
    GO(Completing, RtsDone, Established, ActConnected),
    GO(Completing, ModifyFailed, Ended, ActCompleteFailed),
    GO(Completing, Rej, Ended, ActCompleteAborted),
    GO(Completing, Dreq, Ended, ActCompleteAborted),
    GO(Completing, DreqAbort, Ended, ActCompleteAborted),
    GO(Completing, Stale, Ended, ActCompleteAborted),
    GO(Completing, QpError, Ended, ActCompleteAborted),
    GO(Completing, Close, Ended, ActCompleteClosed),
    STAY(Completing, CommEst), STAY(Completing, Rep), STAY(Completing, ErrDone),
    LATE_REQUEST(Completing), LATE_ANSWER(Completing),

    GO(ReqRcvd, ReqAgain, MraReqSent, ActSendMra),
    GO(ReqRcvd, Accept, Accepting, ActStartPassive),
    GO(ReqRcvd, Reject, Ended, ActRejectReq),
    GO(ReqRcvd, Refuse, Ended, ActRefuseReq),
    GO(ReqRcvd, Close, Ended, ActRejectReq),
    GO(ReqRcvd, Rej, Ended, ActPeerAbandoned),
    GO(ReqRcvd, Stale, Ended, ActPeerAbandoned),
    GO(ReqRcvd, Dreq, Ended, ActPeerAbandoned),
    GO(ReqRcvd, DreqAbort, Ended, ActPeerAbandoned),
    STAY(ReqRcvd, Rtu), STAY(ReqRcvd, RtuHeld), STAY(ReqRcvd, Rep), LATE_ANSWER(ReqRcvd),

    GO(MraReqSent, ReqAgain, MraReqSent, ActSendMra),
    GO(MraReqSent, Accept, Accepting, ActStartPassive),
    GO(MraReqSent, Reject, Ended, ActRejectReq),
    GO(MraReqSent, Refuse, Ended, ActRefuseReq),
    GO(MraReqSent, Close, Ended, ActRejectReq),
    GO(MraReqSent, Rej, Ended, ActPeerAbandoned),
    GO(MraReqSent, Stale, Ended, ActPeerAbandoned),
    GO(MraReqSent, Dreq, Ended, ActPeerAbandoned),
    GO(MraReqSent, DreqAbort, Ended, ActPeerAbandoned),
    STAY(MraReqSent, Rtu), STAY(MraReqSent, RtuHeld), STAY(MraReqSent, Rep),
    LATE_ANSWER(MraReqSent),

    GO(Accepting, RtrDone, RepSent, ActSendRep),
    GO(Accepting, ModifyFailed, Ended, ActAcceptFailed),
    GO(Accepting, QpError, Ended, ActAcceptFailed),
    GO(Accepting, Rej, Ended, ActAcceptAborted),
    GO(Accepting, Stale, Ended, ActAcceptAborted),
    GO(Accepting, Dreq, Ended, ActAcceptAborted),
    GO(Accepting, DreqAbort, Ended, ActAcceptAborted),
    GO(Accepting, Close, Ended, ActAcceptClosed),
    LATE_REQUEST(Accepting), LATE_ANSWER(Accepting), STAY(Accepting, Rep),
    STAY(Accepting, CommEst),

    GO(RepSent, Rtu, Establishing, ActStartSending),
    GO(RepSent, RtuHeld, Established, ActAcceptedHeld),
    GO(RepSent, CommEst, Establishing, ActStartSending),
    GO(RepSent, Mra, MraRepRcvd, ActExtend),
    GO(RepSent, ReqAgain, RepSent, ActResend),
    GO(RepSent, Timeout, RepSent, ActResend),
    GO(RepSent, TimedOut, Ended, ActAcceptTimedOut),
    GO(RepSent, Rej, Ended, ActAcceptAborted),
    GO(RepSent, Stale, Ended, ActAcceptAborted),
    GO(RepSent, QpError, Ended, ActAcceptAborted),
    GO(RepSent, Dreq, EstablishingDreq, ActStartSending),
    GO(RepSent, DreqAbort, Breaking, ActAcceptedAborted),
    GO(RepSent, Close, Ended, ActAcceptClosed),
    STAY(RepSent, Rep), STAY(RepSent, Drep), STAY(RepSent, DrepAbort),

    GO(MraRepRcvd, Rtu, Establishing, ActStartSending),
    GO(MraRepRcvd, RtuHeld, Established, ActAcceptedHeld),
    GO(MraRepRcvd, CommEst, Establishing, ActStartSending),
    GO(MraRepRcvd, Mra, MraRepRcvd, ActExtend),
    GO(MraRepRcvd, ReqAgain, RepSent, ActResend),
    GO(MraRepRcvd, Timeout, RepSent, ActResend),
    GO(MraRepRcvd, TimedOut, Ended, ActAcceptTimedOut),
    GO(MraRepRcvd, Rej, Ended, ActAcceptAborted),
    GO(MraRepRcvd, Stale, Ended, ActAcceptAborted),
    GO(MraRepRcvd, QpError, Ended, ActAcceptAborted),
    GO(MraRepRcvd, Dreq, EstablishingDreq, ActStartSending),
    GO(MraRepRcvd, DreqAbort, Breaking, ActAcceptedAborted),
    GO(MraRepRcvd, Close, Ended, ActAcceptClosed),
    STAY(MraRepRcvd, Rep), STAY(MraRepRcvd, Drep), STAY(MraRepRcvd, DrepAbort),

    GO(Establishing, RtsDone, Established, ActAccepted),
    GO(Establishing, ModifyFailed, Breaking, ActAcceptedBroken),
    GO(Establishing, QpError, Breaking, ActAcceptedBroken),
    GO(Establishing, Rej, Breaking, ActAcceptedForgotten),
    GO(Establishing, Stale, Breaking, ActAcceptedForgotten),
    GO(Establishing, Dreq, EstablishingDreq, ActIgnore),
    GO(Establishing, DreqAbort, Breaking, ActAcceptedAborted),
    GO(Establishing, Close, Ended, ActCloseConnected),
    LATE_REQUEST(Establishing), LATE_ANSWER(Establishing), STAY(Establishing, CommEst),
    STAY(Establishing, Rep),

    GO(EstablishingDreq, RtsDone, DreqRcvd, ActAcceptedNotice),
    GO(EstablishingDreq, ModifyFailed, Breaking, ActAcceptedBroken),
    GO(EstablishingDreq, QpError, Breaking, ActAcceptedBroken),
    GO(EstablishingDreq, Rej, Breaking, ActAcceptedForgotten),
    GO(EstablishingDreq, Stale, Breaking, ActAcceptedForgotten),
    GO(EstablishingDreq, DreqAbort, Breaking, ActAcceptedAborted),
    GO(EstablishingDreq, Close, Ended, ActCloseNoticed),
    LATE_REQUEST(EstablishingDreq), LATE_ANSWER(EstablishingDreq),
    STAY(EstablishingDreq, CommEst), STAY(EstablishingDreq, Dreq), STAY(EstablishingDreq, Rep),

    GO(Established, Rep, Established, ActResendRtu),
    GO(Established, Disconnect, DreqSent, ActSendDreq),
    GO(Established, DisconnectBusy, Draining, ActStartDraining),
    GO(Established, Dreq, DreqRcvd, ActNotice),
    GO(Established, DreqAbort, Breaking, ActAbortedByPeer),
    GO(Established, Rej, Breaking, ActForgotten),
    GO(Established, Stale, Breaking, ActForgotten),
    GO(Established, QpError, Breaking, ActBroken),
    GO(Established, ModifyFailed, Breaking, ActBroken),
    GO(Established, CommEst, Established, ActFirstMessage),
    GO(Established, Close, Ended, ActCloseConnected),
    LATE_REQUEST(Established), LATE_ANSWER(Established), LATE_MODIFY(Established),

    GO(Draining, Rep, Draining, ActResendRtu),
    GO(Draining, Timeout, Draining, ActDrainMore),
    GO(Draining, TimedOut, Flushing, ActDrainTimedOut),
    GO(Draining, Drained, DreqSent, ActSendDreq),
    GO(Draining, Dreq, DrainingRcvd, ActIgnore),
    GO(Draining, DreqAbort, Flushing, ActEndAborted),
    GO(Draining, Rej, Flushing, ActEndForgotten),
    GO(Draining, Stale, Flushing, ActEndForgotten),
    GO(Draining, QpError, Flushing, ActEndBroken),
    GO(Draining, ModifyFailed, Flushing, ActEndBroken),
    GO(Draining, Close, Ended, ActCloseConnected),
    LATE_REQUEST(Draining), LATE_ANSWER(Draining), STAY(Draining, CommEst), LATE_MODIFY(Draining),

    GO(DrainingRcvd, Timeout, DrainingRcvd, ActDrainMore),
    GO(DrainingRcvd, TimedOut, Flushing, ActDrainTimedOut),
    GO(DrainingRcvd, Drained, Flushing, ActGracefulAnswer),
    GO(DrainingRcvd, DreqAbort, Flushing, ActEndAborted),
    GO(DrainingRcvd, Rej, Flushing, ActEndForgotten),
    GO(DrainingRcvd, Stale, Flushing, ActEndForgotten),
    GO(DrainingRcvd, QpError, Flushing, ActEndBroken),
    GO(DrainingRcvd, ModifyFailed, Flushing, ActEndBroken),
    GO(DrainingRcvd, Close, Ended, ActCloseNoticed),
    STAY(DrainingRcvd, Dreq), STAY(DrainingRcvd, Rep), STAY(DrainingRcvd, CommEst),
    LATE_MODIFY(DrainingRcvd),
    LATE_REQUEST(DrainingRcvd), LATE_ANSWER(DrainingRcvd),

    GO(DreqSent, Rep, DreqSent, ActResendRtu),
    GO(DreqSent, Drep, Flushing, ActGraceful),
    GO(DreqSent, DrepAbort, Flushing, ActEndAborted),
    GO(DreqSent, Dreq, Flushing, ActGracefulAnswer),
    GO(DreqSent, DreqAbort, Flushing, ActEndAborted),
    GO(DreqSent, Rej, Flushing, ActEndForgotten),
    GO(DreqSent, Stale, Flushing, ActEndForgotten),
    GO(DreqSent, QpError, Flushing, ActEndBroken),
    GO(DreqSent, ModifyFailed, Flushing, ActEndBroken),
    GO(DreqSent, Timeout, DreqSent, ActResendDreq),
    GO(DreqSent, TimedOut, Flushing, ActEndTimedOut),
    GO(DreqSent, Close, Ended, ActCloseConnected),
    STAY(DreqSent, CommEst), LATE_MODIFY(DreqSent), STAY(DreqSent, Mra), LATE_REQUEST(DreqSent),

    GO(DreqRcvd, Disconnect, Flushing, ActGracefulAnswer),
    GO(DreqRcvd, DisconnectBusy, DrainingRcvd, ActStartDraining),
    GO(DreqRcvd, DreqAbort, Breaking, ActAbortedByPeer),
    GO(DreqRcvd, Rej, Breaking, ActForgotten),
    GO(DreqRcvd, Stale, Breaking, ActForgotten),
    GO(DreqRcvd, QpError, Breaking, ActBroken),
    GO(DreqRcvd, ModifyFailed, Breaking, ActBroken),
    GO(DreqRcvd, Close, Ended, ActCloseNoticed),
    STAY(DreqRcvd, Dreq), STAY(DreqRcvd, Rep), STAY(DreqRcvd, CommEst),
    LATE_MODIFY(DreqRcvd),
    LATE_REQUEST(DreqRcvd), LATE_ANSWER(DreqRcvd),

    GO(Breaking, ErrDone, Broken, ActFlushedBroken),
    GO(Breaking, Disconnect, Flushing, ActDisconnectBroken),
    GO(Breaking, DisconnectBusy, Flushing, ActDisconnectBroken),
    GO(Breaking, Close, Ended, ActCloseBroken),
    LATE_DEVICE(Breaking),

    GO(Broken, Disconnect, Flushing, ActDisconnectBroken),
    GO(Broken, DisconnectBusy, Flushing, ActDisconnectBroken),
    GO(Broken, Close, Ended, ActCloseBroken),
    LATE_DEVICE(Broken), STAY(Broken, ErrDone),

    GO(Flushing, ErrDone, Ended, ActFlushed),
    STAY(Flushing, Close), LATE_DEVICE(Flushing),

    STAY(Ended, Close), STAY(Ended, Refuse), LATE_DEVICE(Ended), STAY(Ended, ErrDone),
};
/* clang-format on */

static const PCSTR StateName[CmStateCount] = {
#define STATE_TEXT(name) #name,
    RNIC_CM_STATES(STATE_TEXT)};

static const PCSTR EventName[EvCount] = {
#define EVENT_TEXT(name) #name,
    RNIC_CM_EVENTS(EVENT_TEXT)};

/* Only these wait for a timer; only in these is the connector known to the peer's messages. */
static const BOOLEAN IsTimed[CmStateCount] = {
    [CmReqSent] = TRUE,  [CmMraReqRcvd] = TRUE,   [CmRepSent] = TRUE,  [CmMraRepRcvd] = TRUE,
    [CmDraining] = TRUE, [CmDrainingRcvd] = TRUE, [CmDreqSent] = TRUE, [CmResolving] = TRUE,
};
static const BOOLEAN IsOver[CmStateCount] = {
    [CmIdle] = TRUE,     [CmBreaking] = TRUE, [CmBroken] = TRUE,
    [CmFlushing] = TRUE, [CmEnded] = TRUE,    [CmResolving] = TRUE,
};

PCSTR CmStateName(RNIC_CM_STATE State) {
    return State < CmStateCount ? StateName[State] : "?";
}

PCSTR CmEventName(RNIC_CM_EVENT Event) {
    return Event < EvCount ? EventName[Event] : "?";
}

static BOOLEAN MayFollow(ULONG From, ULONG To) {
    for (ULONG Event = 0; Event < EvCount; Event++) {
        if (Transition[From][Event].Action != NULL && Transition[From][Event].Next == To) {
            return TRUE;
        }
    }
    return FALSE;
}

const NDKSIM_MACHINE NdksimMachines[] = {
    {"connector", "connector.state", CmStateCount, StateName, MayFollow},
    {NULL, NULL, 0, NULL, NULL},
};

VOID CmStep(PRNIC_CONNECTOR Connector, RNIC_CM_EVENT Event, const RNIC_CM_MESSAGE *Message) {
    RNIC_CM_STATE From = (RNIC_CM_STATE)Connector->State;
    const RNIC_CM_CELL *Cell = &Transition[From][Event];

    if (Cell->Action == NULL) {
        DbgPrint("ndksim-rnic: event %s in state %s\n", CmEventName(Event), CmStateName(From));
        NT_ASSERT(Cell->Action != NULL);
        return;
    }
    Connector->State = Cell->Next;
    if (Cell->Next != From) {
        NdksimTrace("connector.state", &Connector->Object.Ndk.Header, From, Cell->Next);
    }
    if (!IsTimed[Cell->Next]) {
        CmTimerCancel(&Connector->Timer);
    }
    if (IsOver[Cell->Next]) {
        CmLeave(Connector);
    }
    Cell->Action(Connector, Message);
}
