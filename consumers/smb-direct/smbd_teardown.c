/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three ways to take a connection down, each ending with every NDK object of it closed. Nothing is
 * posted any more: SmbdEnd came first. PASSIVE_LEVEL.
 *
 *   orderly  all requests done, disconnect, receives flushed; then connector, QP, MRs, CQs, PD,
 * each closed and waited for abrupt   connector closed with traffic under way, the rest behind it,
 * all waited for at the end any      what comes first, and the order of the closes, are the
 * chooser's
 *
 * Memory that requests may use is freed by SmbdFree, after this.
 */
#include "smbd_path.h"

#define CLOSE_MAX (SMBD_MR_MAX + 7u)

typedef struct _CLOSING {
    NDK_OBJECT_HEADER *Object;
    NDK_FN_CLOSE_OBJECT Close;
    PEX_RUNDOWN_REF Use; /* NULL: used under the connection's lock or by this thread only */
    PCSTR Label;
} CLOSING, *PCLOSING;

typedef struct _CLOSINGS {
    ULONG Count;
    CLOSING Entries[CLOSE_MAX];
    PCSTR Labels[CLOSE_MAX];
} CLOSINGS, *PCLOSINGS;

/* NdkDisconnect with all initiator requests done; else a flush, so that receives come back. */
static VOID Disconnect(PSMBD_CONNECTION Connection) {
    NTSTATUS Status = STATUS_CONNECTION_INVALID;

    SmbdDrain(Connection, FALSE);
    if (Connection->IsConnected) {
        Status = SyncDisconnect(Connection->Connector);
        Connection->Counters.Disconnects++;
        DbgPrint("%s: connection %u: disconnected (0x%08X)\n", Connection->Transport->Name,
                 Connection->Number, Status);
    }
    if (Status != STATUS_SUCCESS && Connection->Qp != NULL) {
        Connection->Qp->Dispatch->NdkFlush(Connection->Qp);
    }
}

static VOID TeardownMrs(PSMBD_CONNECTION Connection) {
    while (Connection->MrCount != 0) {
        PSMBD_MR Entry = &Connection->Mrs[Connection->MrCount - 1];

        if (Entry->Region != NULL) {
            RegionDeregister(Entry->Region);
            Entry->Region->Mr = NULL;
        }
        SyncClose(&Entry->Mr->Header, Entry->Mr->Dispatch->NdkCloseMr);
        Connection->MrCount--;
    }
    RegionClose(&Connection->ReceiveRegion);
    RegionClose(&Connection->SendRegion);
}

static VOID TeardownInOrder(PSMBD_CONNECTION Connection) {
    Disconnect(Connection);
    SmbdDrain(Connection, TRUE);
    if (Connection->Connector != NULL) {
        SyncClose(&Connection->Connector->Header,
                  Connection->Connector->Dispatch->NdkCloseConnector);
    }
    if (Connection->Qp != NULL) {
        SyncClose(&Connection->Qp->Header, Connection->Qp->Dispatch->NdkCloseQp);
    }
    TeardownMrs(Connection);
    if (Connection->ReceiveCq != NULL) {
        ExWaitForRundownProtectionRelease(&Connection->ReceiveCqUse);
        SyncClose(&Connection->ReceiveCq->Header, Connection->ReceiveCq->Dispatch->NdkCloseCq);
    }
    if (Connection->InitiatorCq != NULL) {
        ExWaitForRundownProtectionRelease(&Connection->InitiatorCqUse);
        SyncClose(&Connection->InitiatorCq->Header, Connection->InitiatorCq->Dispatch->NdkCloseCq);
    }
    if (Connection->Pd != NULL) {
        SyncClose(&Connection->Pd->Header, Connection->Pd->Dispatch->NdkClosePd);
    }
}

static VOID ClosingAdd(PCLOSINGS List, NDK_OBJECT_HEADER *Object, NDK_FN_CLOSE_OBJECT Close,
                       PEX_RUNDOWN_REF Use, PCSTR Label) {
    PCLOSING Entry = &List->Entries[List->Count];

    NT_ASSERT(List->Count < CLOSE_MAX);
    Entry->Object = Object;
    Entry->Close = Close;
    Entry->Use = Use;
    Entry->Label = Label;
    List->Count++;
}

static VOID ClosingAddMr(PCLOSINGS List, NDK_MR *Mr, PCSTR Label) {
    if (Mr != NULL) {
        ClosingAdd(List, &Mr->Header, Mr->Dispatch->NdkCloseMr, NULL, Label);
    }
}

/* All objects, in the order of an abrupt teardown. */
static VOID ClosingCollect(PSMBD_CONNECTION Connection, PCLOSINGS List) {
    ULONG Index;

    if (Connection->Connector != NULL) {
        ClosingAdd(List, &Connection->Connector->Header,
                   Connection->Connector->Dispatch->NdkCloseConnector, NULL, "connector");
    }
    if (Connection->Qp != NULL) {
        ClosingAdd(List, &Connection->Qp->Header, Connection->Qp->Dispatch->NdkCloseQp, NULL, "qp");
    }
    for (Index = 0; Index < Connection->MrCount; Index++) {
        ClosingAddMr(List, Connection->Mrs[Index].Mr, Connection->Mrs[Index].Label);
    }
    ClosingAddMr(List, Connection->ReceiveRegion.Mr, "mr-receive");
    ClosingAddMr(List, Connection->SendRegion.Mr, "mr-send");
    if (Connection->ReceiveCq != NULL) {
        ClosingAdd(List, &Connection->ReceiveCq->Header,
                   Connection->ReceiveCq->Dispatch->NdkCloseCq, &Connection->ReceiveCqUse,
                   "cq-receive");
    }
    if (Connection->InitiatorCq != NULL) {
        ClosingAdd(List, &Connection->InitiatorCq->Header,
                   Connection->InitiatorCq->Dispatch->NdkCloseCq, &Connection->InitiatorCqUse,
                   "cq-initiator");
    }
    if (Connection->Pd != NULL) {
        ClosingAdd(List, &Connection->Pd->Header, Connection->Pd->Dispatch->NdkClosePd, NULL, "pd");
    }
}

/* Which object goes next: an index of the list. */
static ULONG ClosingChoose(PCLOSINGS List, BOOLEAN IsFree) {
    ULONG Index;

    if (!IsFree || List->Count == 1) {
        return 0;
    }
    for (Index = 0; Index < List->Count; Index++) {
        List->Labels[Index] = List->Entries[Index].Label;
    }
    return NdksimChoose("teardown.order", NULL, List->Labels, List->Count);
}

static VOID ClosingRun(PCLOSINGS List, BOOLEAN IsFree, PCLOSE_GROUP Group) {
    while (List->Count != 0) {
        ULONG Next = ClosingChoose(List, IsFree);
        CLOSING Entry = List->Entries[Next];

        List->Count--;
        RtlMoveMemory(&List->Entries[Next], &List->Entries[Next + 1],
                      (List->Count - Next) * sizeof(CLOSING));
        if (Entry.Use != NULL) {
            /* No notification of ours touches the queue once its close has begun. */
            ExWaitForRundownProtectionRelease(Entry.Use);
        }
        CloseGroupStart(Group, Entry.Object, Entry.Close);
    }
}

static BOOLEAN TeardownChoose(PCSTR Topic) {
    static const PCSTR Labels[] = {"no", "yes"};

    return NdksimChoose(Topic, NULL, Labels, RTL_NUMBER_OF(Labels)) != 0;
}

/* What comes before the closes; never waited for. */
static VOID TeardownPrelude(PSMBD_CONNECTION Connection) {
    BOOLEAN Flushes = TeardownChoose("teardown.flush");
    BOOLEAN Disconnects = TeardownChoose("teardown.disconnect");
    NTSTATUS Status;

    if (Flushes && Connection->Qp != NULL) {
        Connection->Qp->Dispatch->NdkFlush(Connection->Qp);
    }
    if (Disconnects && Connection->IsConnected) {
        SyncInit(&Connection->Connecting);
        Status = Connection->Connector->Dispatch->NdkDisconnect(
            Connection->Connector, SyncRequested, &Connection->Connecting);
        Connection->Counters.Disconnects++;
        UNREFERENCED_PARAMETER(Status);
    }
}

/* The closes meet the connection in any of its states, not only in the one in which it ended. */
static VOID TeardownPause(VOID) {
    static const PCSTR Labels[] = {"at-once", "4us", "8us", "12us", "16us", "40us"};
    static const LONGLONG Ticks[] = {0, 40, 80, 120, 160, 400};
    ULONG Answer = NdksimChoose("teardown.pause", NULL, Labels, RTL_NUMBER_OF(Labels));
    LARGE_INTEGER Pause;

    if (Answer != 0) {
        Pause.QuadPart = -Ticks[Answer];
        KeDelayExecutionThread(KernelMode, FALSE, &Pause);
    }
}

static VOID TeardownAtOnce(PSMBD_CONNECTION Connection, BOOLEAN IsFree) {
    CLOSE_GROUP Group;
    PCLOSINGS List;

    List = ExAllocatePoolZero(NonPagedPoolNx, sizeof(*List), SMBD_POOL_TAG);
    if (List == NULL) {
        TeardownInOrder(Connection);
        return;
    }
    if (IsFree) {
        TeardownPrelude(Connection);
        TeardownPause();
    }
    ClosingCollect(Connection, List);
    CloseGroupInit(&Group);
    ClosingRun(List, IsFree, &Group);
    CloseGroupWait(&Group);
    ExFreePoolWithTag(List, SMBD_POOL_TAG);
}

VOID SmbdEndAlive(PSMBD_CONNECTION Connection, NTSTATUS Status, PCSTR Reason) {
    static const PCSTR Labels[] = {"end-first", "close-first"};
    NDK_CONNECTOR *Connector = Connection->Connector;
    ULONG Answer = 0;

    PAGED_CODE();
    if (Connection->Transport->Teardown == TeardownAny && Connection->IsConnected) {
        Answer = NdksimChoose("teardown.alive", Connector, Labels, RTL_NUMBER_OF(Labels));
    }
    if (Answer != 0) {
        CloseGroupInit(&Connection->Early);
        Connection->IsEarly = TRUE;
        Connection->IsConnected = FALSE;
        Connection->Connector = NULL;
        CloseGroupStart(&Connection->Early, &Connector->Header,
                        Connector->Dispatch->NdkCloseConnector);
    }
    SmbdEnd(Connection, Status, Reason);
}

VOID SmbdTeardown(PSMBD_CONNECTION Connection, SMBD_TEARDOWN Mode) {
    ULONG Index;

    PAGED_CODE();
    NT_ASSERT(SmbdHasEnded(Connection));
    if (Connection->Path != NULL) {
        SmbdPathStop(Connection->Path);
    }
    if (Mode == TeardownOrderly) {
        TeardownInOrder(Connection);
    } else {
        TeardownAtOnce(Connection, Mode == TeardownAny);
    }
    if (Connection->IsEarly) {
        CloseGroupWait(&Connection->Early);
    }
    for (Index = 0; Index < Connection->MrCount; Index++) {
        if (Connection->Mrs[Index].Region != NULL) {
            Connection->Mrs[Index].Region->Mr = NULL;
            Connection->Mrs[Index].Region->IsRegistered = FALSE;
        }
    }
    Connection->MrCount = 0;
    Connection->ReceiveRegion.Mr = NULL;
    Connection->SendRegion.Mr = NULL;
    Connection->Connector = NULL;
    Connection->Qp = NULL;
    Connection->ReceiveCq = NULL;
    Connection->InitiatorCq = NULL;
    Connection->Pd = NULL;
}
