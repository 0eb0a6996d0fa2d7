/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting from an address or a shared endpoint, plain and extended calls; see race.h. */
#include "race.h"

static NDK_SHARED_ENDPOINT *Shared;
static CLOSE_GROUP Closing;
static BOOLEAN IsClosing;

/* NULL: something is short. */
static VOID SharedOpen(PPAIR Pair) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Pair->Rdma.Adapter->Dispatch->NdkCreateSharedEndpoint(
        Pair->Rdma.Adapter, &Pair->Local.Plain, Pair->Local.Bytes, SyncCreated, &Wait, &Shared);
    if (Status == STATUS_PENDING) {
        Status = SyncFinish(&Wait, Status);
        Shared = CONTAINING_RECORD(Wait.Object, NDK_SHARED_ENDPOINT, Header);
    }
    if (Status != STATUS_SUCCESS) {
        NdksimRequire(Status == STATUS_INSUFFICIENT_RESOURCES, "a free ephemeral port");
        Shared = NULL;
    }
}

/* The connectors that use it are open still. */
static VOID SharedClose(VOID) {
    if (Shared != NULL) {
        CloseGroupInit(&Closing);
        IsClosing = TRUE;
        CloseGroupStart(&Closing, &Shared->Header, Shared->Dispatch->NdkCloseSharedEndpoint);
        Shared = NULL;
    }
}

VOID RaceSettleShared(PPAIR Pair, BOOLEAN Last) {
    if (Last || RaceRandom(Pair, 4) == 0) {
        SharedClose();
    }
    if (IsClosing) {
        CloseGroupWait(&Closing);
        IsClosing = FALSE;
    }
}

static NTSTATUS ConnectShared(PRACE_ATTEMPT Attempt) {
    PPAIR Pair = Attempt->Pair;
    NTSTATUS Status;

    Status = Attempt->Connector->Dispatch->NdkConnectWithSharedEndpoint(
        Attempt->Connector, Attempt->Qp, Shared, &Pair->Peer.Plain, Pair->Peer.Bytes, 4, 4, NULL, 0,
        RaceRequested, &Attempt->Open);
    if (RaceRandom(Pair, 4) == 0) {
        SharedClose();
    }
    return Status;
}

NTSTATUS RaceStartConnect(PRACE_ATTEMPT Attempt) {
    PPAIR Pair = Attempt->Pair;

    if (Pair->Shared != 0 && Shared == NULL) {
        SharedOpen(Pair);
    }
    if (Shared != NULL) {
        return ConnectShared(Attempt);
    }
    return Attempt->Connector->Dispatch->NdkConnect(
        Attempt->Connector, Attempt->Qp, &Pair->Local.Plain, Pair->Local.Bytes, &Pair->Peer.Plain,
        Pair->Peer.Bytes, 4, 4, NULL, 0, RaceRequested, &Attempt->Open);
}

static BOOLEAN Extends(PPAIR Pair) {
    return Pair->Extended != 0 && RaceRandom(Pair, 2) == 0;
}

NTSTATUS RaceStartComplete(PRACE_ATTEMPT Attempt) {
    NDK_CONNECTOR *Connector = Attempt->Connector;

    if (Extends(Attempt->Pair)) {
        return Connector->Dispatch->NdkCompleteConnectEx(Connector, RaceDisconnectedEx, Attempt,
                                                         RaceRequested, &Attempt->Complete);
    }
    return Connector->Dispatch->NdkCompleteConnect(Connector, RaceDisconnected, Attempt,
                                                   RaceRequested, &Attempt->Complete);
}

NTSTATUS RaceStartAccept(PRACE_ATTEMPT Attempt) {
    NDK_CONNECTOR *Connector = Attempt->Connector;

    if (Extends(Attempt->Pair)) {
        return Connector->Dispatch->NdkAcceptEx(Connector, Attempt->Qp, 4, 4, NULL, 0,
                                                RaceDisconnectedEx, Attempt, RaceRequested,
                                                &Attempt->Open);
    }
    return Connector->Dispatch->NdkAccept(Connector, Attempt->Qp, 4, 4, NULL, 0, RaceDisconnected,
                                          Attempt, RaceRequested, &Attempt->Open);
}
