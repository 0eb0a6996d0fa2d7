/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts of the race, and its connecting side; see race.h. */
#include "race.h"

#define RACE_TAG 'ecaR'

ULONG RaceRandom(PPAIR Pair, ULONG Below) {
    Pair->Seed = Pair->Seed * 1664525u + 1013904223u;
    return (Pair->Seed >> 8) % Below;
}

VOID RaceRequested(PVOID Context, NTSTATUS Status) {
    PRACE_REQUEST Request = Context;

    NdksimRequire(InterlockedDecrement(&Request->Owed) == 0, "one completion per request");
    Request->Status = Status;
    KeSetEvent(&Request->Done, IO_NO_INCREMENT, FALSE);
}

VOID RaceRequestStart(PRACE_REQUEST Request) {
    KeInitializeEvent(&Request->Done, NotificationEvent, FALSE);
    Request->Owed = 1;
    Request->Status = STATUS_PENDING;
}

VOID RaceWait(PPAIR Pair, PKEVENT Event) {
    static const ULONG Microseconds[] = {0, 1, 3, 10, 30, 100, 1000, 20000, 6000000};
    LARGE_INTEGER Timeout;
    ULONG Choice = RaceRandom(Pair, RTL_NUMBER_OF(Microseconds));

    Timeout.QuadPart = -10LL * Microseconds[Choice];
    KeWaitForSingleObject(Event, Executive, KernelMode, FALSE, &Timeout);
}

NTSTATUS RaceOutcome(PPAIR Pair, PRACE_REQUEST Request, NTSTATUS Status) {
    if (Status != STATUS_PENDING) {
        InterlockedDecrement(&Request->Owed);
        return Status;
    }
    RaceWait(Pair, &Request->Done);
    return Request->Status;
}

VOID RaceDisconnected(PVOID Context) {
    PRACE_ATTEMPT Attempt = Context;

    NdksimRequire(!Attempt->Closed, "no event after the close");
    NdksimRequire(InterlockedIncrement(&Attempt->Events) == 1, "one event per connection");
    KeSetEvent(&Attempt->Event, IO_NO_INCREMENT, FALSE);
}

VOID RaceDisconnectedEx(PVOID Context, ULONG Reason) {
    NdksimRequire(Reason <= 2 || (Reason & ~0xFFu) == 0x100, "a reason that is documented");
    RaceDisconnected(Context);
}

static VOID RaceNotified(PVOID Context, NTSTATUS Status) {
    PRACE_ATTEMPT Attempt = Context;
    KIRQL Irql;

    UNREFERENCED_PARAMETER(Status);
    NdksimRequire(!Attempt->Closed, "no notification after the close");
    InterlockedIncrement(&Attempt->Notifications);
    KeAcquireSpinLock(&Attempt->ArmLock, &Irql);
    if (!Attempt->ArmOver) {
        Attempt->Cq->Dispatch->NdkArmCq(Attempt->Cq, NDK_CQ_NOTIFY_ANY);
    }
    KeReleaseSpinLock(&Attempt->ArmLock, Irql);
}

/* Nobody arms a CQ whose close was asked for. */
static VOID RaceArmOver(PRACE_ATTEMPT Attempt) {
    KIRQL Irql;

    KeAcquireSpinLock(&Attempt->ArmLock, &Irql);
    Attempt->ArmOver = TRUE;
    KeReleaseSpinLock(&Attempt->ArmLock, Irql);
}

static NTSTATUS RaceMake(PRACE_ATTEMPT Attempt) {
    const SYNC_QP_SIZES Sizes = {PAIR_DEPTH, PAIR_DEPTH, 1, 1, 32};
    PPAIR Pair = Attempt->Pair;
    NTSTATUS Status =
        SyncCreateCq(Pair->Rdma.Adapter, 4 * PAIR_DEPTH, RaceNotified, Attempt, &Attempt->Cq);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = SyncCreateQp(Pair->Pd, Attempt->Cq, Attempt->Cq, Attempt, &Sizes, &Attempt->Qp);
    if (!NT_SUCCESS(Status)) {
        SyncClose(&Attempt->Cq->Header, Attempt->Cq->Dispatch->NdkCloseCq);
    }
    return Status;
}

PRACE_ATTEMPT RaceNew(PPAIR Pair, NDK_CONNECTOR *Connector) {
    PRACE_ATTEMPT Attempt = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Attempt), RACE_TAG);

    if (Attempt != NULL) {
        Attempt->Pair = Pair;
        Attempt->Connector = Connector;
        KeInitializeEvent(&Attempt->Event, NotificationEvent, FALSE);
        KeInitializeSpinLock(&Attempt->ArmLock);
    }
    if (Attempt == NULL || !NT_SUCCESS(RaceMake(Attempt))) {
        if (Attempt != NULL) {
            ExFreePoolWithTag(Attempt, RACE_TAG);
        }
        SyncClose(&Connector->Header, Connector->Dispatch->NdkCloseConnector);
        return NULL;
    }
    if (RaceRandom(Pair, 2) == 0) {
        Attempt->Cq->Dispatch->NdkArmCq(Attempt->Cq, RaceRandom(Pair, 3));
    }
    return Attempt;
}

static VOID RaceResults(NDK_CQ *Cq, BOOLEAN Newer) {
    NDK_RESULT_EX Extended[4];
    NDK_RESULT Results[4];

    if (Newer) {
        Cq->Dispatch->NdkGetCqResultsEx(Cq, Extended, 4);
    } else {
        Cq->Dispatch->NdkGetCqResults(Cq, Results, 4);
    }
}

static VOID RacePost(PRACE_ATTEMPT Attempt) {
    PPAIR Pair = Attempt->Pair;
    NDK_SGE Sge = {{Pair->Messages.Buffer}, PAIR_MESSAGE_BYTES, Pair->Messages.LocalToken};
    NDK_QP *Qp = Attempt->Qp;
    BOOLEAN Newer = Pair->Rdma.HasVersion12;

    switch (RaceRandom(Pair, 5)) {
    case 0:
        Qp->Dispatch->NdkSend(Qp, NULL, &Sge, 1, RaceRandom(Pair, 2));
        break;
    case 1:
        Qp->Dispatch->NdkSend(Qp, NULL, &Sge, 1, Newer ? NDK_OP_FLAG_DEFER : 0);
        break;
    case 2:
        Qp->Dispatch->NdkReceive(Qp, NULL, &Sge, 1);
        break;
    case 3:
        RaceResults(Attempt->Cq, Newer);
        break;
    default:
        if (RaceRandom(Pair, 8) == 0) {
            Qp->Dispatch->NdkFlush(Qp);
        }
        break;
    }
}

VOID RacePlay(PRACE_ATTEMPT Attempt) {
    PPAIR Pair = Attempt->Pair;
    ULONG Turns = RaceRandom(Pair, 12);

    while (Turns-- != 0) {
        RacePost(Attempt);
    }
    if (RaceRandom(Pair, 3) == 0) {
        RaceWait(Pair, &Attempt->Event);
    }
    if (RaceRandom(Pair, 2) == 0) {
        NTSTATUS Status;

        RaceRequestStart(&Attempt->Disconnect);
        Status = Attempt->Connector->Dispatch->NdkDisconnect(Attempt->Connector, RaceRequested,
                                                             &Attempt->Disconnect);
        RaceOutcome(Pair, &Attempt->Disconnect, Status);
    }
}

VOID RaceEnd(PRACE_ATTEMPT Attempt) {
    NDK_OBJECT_HEADER *Objects[] = {&Attempt->Cq->Header, &Attempt->Qp->Header,
                                    &Attempt->Connector->Header};
    const NDK_FN_CLOSE_OBJECT Close[] = {Attempt->Cq->Dispatch->NdkCloseCq,
                                         Attempt->Qp->Dispatch->NdkCloseQp,
                                         Attempt->Connector->Dispatch->NdkCloseConnector};
    ULONG First = RaceRandom(Attempt->Pair, 3);
    ULONG Step = 1 + RaceRandom(Attempt->Pair, 2);
    CLOSE_GROUP Group;
    ULONG i;

    RaceArmOver(Attempt);
    CloseGroupInit(&Group);
    for (i = 0; i < 3; i++) {
        ULONG Index = (First + i * Step) % 3;

        CloseGroupStart(&Group, Objects[Index], Close[Index]);
    }
    CloseGroupWait(&Group);
    Attempt->Closed = TRUE;
    NdksimRequire(Attempt->Open.Owed == 0 && Attempt->Complete.Owed == 0 &&
                      Attempt->Disconnect.Owed == 0,
                  "every request is completed before its object is closed");
    ExFreePoolWithTag(Attempt, RACE_TAG);
}

static VOID RaceConnect(PRACE_ATTEMPT Attempt) {
    PPAIR Pair = Attempt->Pair;
    NDK_CONNECTOR *Connector = Attempt->Connector;
    NTSTATUS Status;

    RaceRequestStart(&Attempt->Open);
    Status = RaceStartConnect(Attempt);
    if (RaceOutcome(Pair, &Attempt->Open, Status) != STATUS_SUCCESS) {
        return;
    }
    if (RaceRandom(Pair, 8) == 0) {
        Connector->Dispatch->NdkReject(Connector, NULL, 0);
        return;
    }
    RaceRequestStart(&Attempt->Complete);
    Status = RaceStartComplete(Attempt);
    if (RaceOutcome(Pair, &Attempt->Complete, Status) == STATUS_SUCCESS) {
        NdksimCounter("connected", 1);
        RacePlay(Attempt);
    }
}

VOID RaceClient(PVOID Context) {
    PPAIR Pair = Context;
    ULONG i;

    PairOpen(Pair);
    NdksimCounter("open", 1);
    for (i = 0; i < Pair->Rounds; i++) {
        NDK_CONNECTOR *Connector;
        PRACE_ATTEMPT Attempt;

        if (!NT_SUCCESS(SyncCreateConnector(Pair->Rdma.Adapter, &Connector))) {
            continue;
        }
        Attempt = RaceNew(Pair, Connector);
        if (Attempt != NULL) {
            RaceConnect(Attempt);
            RaceEnd(Attempt);
        }
        RaceSettleShared(Pair, i + 1 == Pair->Rounds);
    }
    PairClose(Pair);
    NdksimCounter("done", 1);
}
