/* SPDX-License-Identifier: Apache-2.0 */
/* The listening side of the race; see race.h. */
#include "race.h"

#define ARRIVALS 64u

static KEVENT Stop;
static KEVENT Arrival;
static KSPIN_LOCK Lock;
static NDK_CONNECTOR *Arrived[ARRIVALS];
static ULONG ArrivedCount;
static BOOLEAN Running;

VOID RaceStop(VOID) {
    if (Running) {
        KeSetEvent(&Stop, IO_NO_INCREMENT, FALSE);
    }
}

static VOID RaceClosed(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
}

/* Some are closed or rejected at once, within the callback. */
static VOID RaceConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    PPAIR Pair = Context;
    KIRQL Irql;
    ULONG What;

    KeAcquireSpinLock(&Lock, &Irql);
    What = RaceRandom(Pair, 8);
    if (What > 1 && ArrivedCount < ARRIVALS) {
        Arrived[ArrivedCount++] = Connector;
        Connector = NULL;
    }
    KeReleaseSpinLock(&Lock, Irql);
    if (Connector == NULL) {
        KeSetEvent(&Arrival, IO_NO_INCREMENT, FALSE);
        return;
    }
    if (What == 1) {
        Connector->Dispatch->NdkReject(Connector, "no", 3);
    }
    Connector->Dispatch->NdkCloseConnector(&Connector->Header, RaceClosed, NULL);
}

static NDK_CONNECTOR *RaceTake(VOID) {
    NDK_CONNECTOR *Connector = NULL;
    KIRQL Irql;

    KeAcquireSpinLock(&Lock, &Irql);
    if (ArrivedCount != 0) {
        Connector = Arrived[--ArrivedCount];
    }
    KeReleaseSpinLock(&Lock, Irql);
    return Connector;
}

static VOID RaceAccept(PRACE_ATTEMPT Attempt) {
    NDK_CONNECTOR *Connector = Attempt->Connector;
    PPAIR Pair = Attempt->Pair;
    NTSTATUS Status;

    if (RaceRandom(Pair, 4) == 0) {
        RaceWait(Pair, &Stop);
    }
    if (RaceRandom(Pair, 8) == 0) {
        Connector->Dispatch->NdkReject(Connector, NULL, 0);
        return;
    }
    RaceRequestStart(&Attempt->Open);
    Status = RaceStartAccept(Attempt);
    if (RaceOutcome(Pair, &Attempt->Open, Status) == STATUS_SUCCESS) {
        NdksimCounter("accepted", 1);
        RacePlay(Attempt);
    }
}

/* Shortage is tried again; the address must be free. */
static VOID RaceListen(PPAIR Pair) {
    NTSTATUS Status;

    do {
        Status = SyncCreateListener(Pair->Rdma.Adapter, RaceConnectEvent, Pair, &Pair->Listener);
    } while (Status == STATUS_INSUFFICIENT_RESOURCES);
    PairMustSucceed(Status, "create a listener");
    do {
        Status = SyncListen(Pair->Listener, &Pair->Local.Plain, Pair->Local.Bytes);
    } while (Status == STATUS_INSUFFICIENT_RESOURCES);
    PairMustSucceed(Status, "listen on an address that is free again");
}

/* The listener's close waits for the connectors that came over it. */
static VOID RaceListenAgain(PPAIR Pair, BOOLEAN Again) {
    CLOSE_GROUP Group;
    NDK_CONNECTOR *Connector;

    CloseGroupInit(&Group);
    CloseGroupStart(&Group, &Pair->Listener->Header, Pair->Listener->Dispatch->NdkCloseListener);
    while ((Connector = RaceTake()) != NULL) {
        CloseGroupStart(&Group, &Connector->Header, Connector->Dispatch->NdkCloseConnector);
    }
    /* A callback that ran when the close was asked for may have stored one more. */
    for (;;) {
        LARGE_INTEGER Timeout;

        Timeout.QuadPart = -10000;
        if (KeWaitForSingleObject(&Arrival, Executive, KernelMode, FALSE, &Timeout) ==
            STATUS_TIMEOUT) {
            break;
        }
        while ((Connector = RaceTake()) != NULL) {
            CloseGroupStart(&Group, &Connector->Header, Connector->Dispatch->NdkCloseConnector);
        }
    }
    CloseGroupWait(&Group);
    if (Again) {
        RaceListen(Pair);
    }
}

static VOID RaceServe(PPAIR Pair) {
    PVOID Waits[] = {&Stop, &Arrival};
    NDK_CONNECTOR *Connector;

    while (KeWaitForMultipleObjects(2, Waits, WaitAny, Executive, KernelMode, FALSE, NULL, NULL) !=
           STATUS_WAIT_0) {
        while ((Connector = RaceTake()) != NULL) {
            PRACE_ATTEMPT Attempt = RaceNew(Pair, Connector);

            if (Attempt != NULL) {
                RaceAccept(Attempt);
                RaceEnd(Attempt);
            }
        }
        switch (RaceRandom(Pair, 8)) {
        case 0:
            Pair->Listener->Dispatch->NdkControlConnectEvents(Pair->Listener, TRUE);
            Pair->Listener->Dispatch->NdkControlConnectEvents(Pair->Listener, FALSE);
            break;
        case 1:
            RaceListenAgain(Pair, TRUE);
            break;
        default:
            break;
        }
    }
}

VOID RaceServer(PVOID Context) {
    PPAIR Pair = Context;

    KeInitializeEvent(&Stop, NotificationEvent, FALSE);
    KeInitializeEvent(&Arrival, SynchronizationEvent, FALSE);
    KeInitializeSpinLock(&Lock);
    Running = TRUE;
    PairOpen(Pair);
    RaceListen(Pair);
    NdksimCounter("listening", 1);
    RaceServe(Pair);
    RaceListenAgain(Pair, FALSE);
    PairClose(Pair);
    NdksimCounter("done", 1);
}
