/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: listen, connect, accept, and what follows. */
#include "script.h"

#define CONNECTOR(Slot) ((NDK_CONNECTOR *)(PVOID)(Slot)->Object)
#define TABLE(Slot) ((CONST NDK_CONNECTOR_DISPATCH *)StepTable(Run, Step, Slot))

#define TRIES_DEFAULT 200u
#define TRIES_PER_PAUSE 4u
#define PAUSE_DOUBLINGS 10u

typedef struct _PRIVATE {
    UCHAR Data[SCRIPT_PRIVATE_MAX];
    ULONG Bytes;
    PVOID Pointer; /* NULL: none */
} PRIVATE, *PPRIVATE;

static VOID PrivateData(CONST STEP *Step, PPRIVATE Private) {
    CONST ARG *Arg = ArgFind(Step, SCRIPT_MEMBER_PRIVATE_DATA);
    CONST ARG *Bytes = ArgElement(Arg, SCRIPT_ELEMENT_BYTES);

    Private->Bytes = Bytes != NULL ? (ULONG)ArgValue(Bytes) : 0;
    Private->Pointer = NULL;
    if (Arg != NULL && Arg->kind == SCRIPT_ARG_LIST) {
        PatternFill(Arg, Private->Data, min(Private->Bytes, sizeof(Private->Data)));
        Private->Pointer = Private->Data;
    }
}

static NTSTATUS Listen(PRUN Run, CONST STEP *Step, PCALL Call) {
    ADDRESS Address;

    AddressOf(ArgFind(Step, SCRIPT_MEMBER_ADDRESS), &Address);
    return ((CONST NDK_LISTENER_DISPATCH *)StepTable(Run, Step, Call->Slot))
        ->NdkListen((NDK_LISTENER *)(PVOID)Call->Slot->Object, &Address.Plain,
                    (ULONG)StepNumber(Step, SCRIPT_MEMBER_ADDRESS_BYTES, Address.Bytes),
                    Call->Requested, Call->Context);
}

BOOLEAN StepListen(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallRequests, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT), Listen);
}

BOOLEAN StepControlConnectEvents(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);

    if (Slot != NULL) {
        ((CONST NDK_LISTENER_DISPATCH *)StepTable(Run, Step, Slot))
            ->NdkControlConnectEvents((NDK_LISTENER *)(PVOID)Slot->Object,
                                      StepFlag(Step, SCRIPT_MEMBER_PAUSE, TRUE));
    }
    return Slot != NULL;
}

static ULONG Limit(CONST STEP *Step, ULONG Member) {
    return (ULONG)StepNumber(Step, Member, 4);
}

static NTSTATUS Connect(PRUN Run, CONST STEP *Step, PCALL Call) {
    NDK_QP *Qp = SlotObject(Run, Step, SCRIPT_MEMBER_QP);
    ADDRESS From;
    ADDRESS To;
    PRIVATE Private;

    AddressOf(ArgFind(Step, SCRIPT_MEMBER_FROM), &From);
    AddressOf(ArgFind(Step, SCRIPT_MEMBER_TO), &To);
    PrivateData(Step, &Private);
    return TABLE(Call->Slot)
        ->NdkConnect(CONNECTOR(Call->Slot), Qp, &From.Plain, From.Bytes, &To.Plain,
                     (ULONG)StepNumber(Step, SCRIPT_MEMBER_ADDRESS_BYTES, To.Bytes),
                     Limit(Step, SCRIPT_MEMBER_INBOUND_READS),
                     Limit(Step, SCRIPT_MEMBER_OUTBOUND_READS), Private.Pointer, Private.Bytes,
                     Call->Requested, Call->Context);
}

/* The attempt "may be retried", with the same connector and QP. */
static BOOLEAN IsRetriable(NTSTATUS Status) {
    return Status == STATUS_CONNECTION_REFUSED || Status == STATUS_IO_TIMEOUT ||
           Status == STATUS_NETWORK_UNREACHABLE || Status == STATUS_HOST_UNREACHABLE;
}

/*
 * The n-th pause. Pauses grow beyond the time for which a peer may be kept from running: however
 * slow it gets, it is there in the end.
 */
static ULONG64 Pause(CONST STEP *Step, ULONG64 Try) {
    ULONG64 Doublings = (Try - 1) / TRIES_PER_PAUSE;

    return StepNumber(Step, SCRIPT_MEMBER_RETRY, 0)
           << (Doublings < PAUSE_DOUBLINGS ? Doublings : PAUSE_DOUBLINGS);
}

static BOOLEAN ConnectStep(PRUN Run, CONST STEP *Step, CALL_ROUTINE *Routine) {
    ULONG64 Tries = StepHas(Step, SCRIPT_MEMBER_RETRY)
                        ? StepNumber(Step, SCRIPT_MEMBER_TRIES, TRIES_DEFAULT)
                        : 1;
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    ULONG64 Try;

    for (Try = 1; Slot != NULL && Try < Tries && Run->CanWait; Try++) {
        NTSTATUS Status;

        Run->IsTrying = TRUE;
        if (CallStep(Run, Step, CallRequests, Slot, Routine)) {
            Run->IsTrying = FALSE;
            return TRUE;
        }
        Run->IsTrying = FALSE;
        Status = (NTSTATUS)Script.Labels[Step->label].Done.Value;
        if (!IsRetriable(Status)) {
            return StatusCheck(Step, "outcome", Status);
        }
        SleepNs(Pause(Step, Try));
    }
    return CallStep(Run, Step, CallRequests, Slot, Routine);
}

BOOLEAN StepConnect(PRUN Run, CONST STEP *Step) {
    return ConnectStep(Run, Step, Connect);
}

static NTSTATUS ConnectShared(PRUN Run, CONST STEP *Step, PCALL Call) {
    NDK_QP *Qp = SlotObject(Run, Step, SCRIPT_MEMBER_QP);
    NDK_SHARED_ENDPOINT *Endpoint = SlotObject(Run, Step, SCRIPT_MEMBER_ENDPOINT);
    ADDRESS To;
    PRIVATE Private;

    AddressOf(ArgFind(Step, SCRIPT_MEMBER_TO), &To);
    PrivateData(Step, &Private);
    return TABLE(Call->Slot)
        ->NdkConnectWithSharedEndpoint(
            CONNECTOR(Call->Slot), Qp, Endpoint, &To.Plain,
            (ULONG)StepNumber(Step, SCRIPT_MEMBER_ADDRESS_BYTES, To.Bytes),
            Limit(Step, SCRIPT_MEMBER_INBOUND_READS), Limit(Step, SCRIPT_MEMBER_OUTBOUND_READS),
            Private.Pointer, Private.Bytes, Call->Requested, Call->Context);
}

BOOLEAN StepConnectWithSharedEndpoint(PRUN Run, CONST STEP *Step) {
    return ConnectStep(Run, Step, ConnectShared);
}

static BOOLEAN WantsEvent(CONST STEP *Step) {
    return !StepIsNothing(Step, SCRIPT_MEMBER_DISCONNECT_EVENT);
}

static NTSTATUS CompleteConnect(PRUN Run, CONST STEP *Step, PCALL Call) {
    return TABLE(Call->Slot)
        ->NdkCompleteConnect(CONNECTOR(Call->Slot), WantsEvent(Step) ? DisconnectEvent : NULL,
                             Call->Slot, Call->Requested, Call->Context);
}

BOOLEAN StepCompleteConnect(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallRequests, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT),
                    CompleteConnect);
}

static NTSTATUS CompleteConnectEx(PRUN Run, CONST STEP *Step, PCALL Call) {
    return TABLE(Call->Slot)
        ->NdkCompleteConnectEx(CONNECTOR(Call->Slot), WantsEvent(Step) ? DisconnectEventEx : NULL,
                               Call->Slot, Call->Requested, Call->Context);
}

BOOLEAN StepCompleteConnectEx(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallRequests, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT),
                    CompleteConnectEx);
}

static NTSTATUS Accept(PRUN Run, CONST STEP *Step, PCALL Call) {
    NDK_QP *Qp = SlotObject(Run, Step, SCRIPT_MEMBER_QP);
    PRIVATE Private;

    PrivateData(Step, &Private);
    return TABLE(Call->Slot)
        ->NdkAccept(CONNECTOR(Call->Slot), Qp, Limit(Step, SCRIPT_MEMBER_INBOUND_READS),
                    Limit(Step, SCRIPT_MEMBER_OUTBOUND_READS), Private.Pointer, Private.Bytes,
                    WantsEvent(Step) ? DisconnectEvent : NULL, Call->Slot, Call->Requested,
                    Call->Context);
}

BOOLEAN StepAccept(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallRequests, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT), Accept);
}

static NTSTATUS AcceptEx(PRUN Run, CONST STEP *Step, PCALL Call) {
    NDK_QP *Qp = SlotObject(Run, Step, SCRIPT_MEMBER_QP);
    PRIVATE Private;

    PrivateData(Step, &Private);
    return TABLE(Call->Slot)
        ->NdkAcceptEx(CONNECTOR(Call->Slot), Qp, Limit(Step, SCRIPT_MEMBER_INBOUND_READS),
                      Limit(Step, SCRIPT_MEMBER_OUTBOUND_READS), Private.Pointer, Private.Bytes,
                      WantsEvent(Step) ? DisconnectEventEx : NULL, Call->Slot, Call->Requested,
                      Call->Context);
}

BOOLEAN StepAcceptEx(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallRequests, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT), AcceptEx);
}

BOOLEAN StepReject(PRUN Run, CONST STEP *Step) {
    PSLOT Slot = StepObject(Run, Step, SCRIPT_MEMBER_OBJECT);
    PRIVATE Private;

    if (Slot == NULL) {
        return FALSE;
    }
    PrivateData(Step, &Private);
    return StatusCheck(Step, "outcome",
                       TABLE(Slot)->NdkReject(CONNECTOR(Slot), Private.Pointer, Private.Bytes));
}

static NTSTATUS Disconnect(PRUN Run, CONST STEP *Step, PCALL Call) {
    UNREFERENCED_PARAMETER(Step);
    return TABLE(Call->Slot)->NdkDisconnect(CONNECTOR(Call->Slot), Call->Requested, Call->Context);
}

BOOLEAN StepDisconnect(PRUN Run, CONST STEP *Step) {
    return CallStep(Run, Step, CallRequests, StepObject(Run, Step, SCRIPT_MEMBER_OBJECT),
                    Disconnect);
}
