/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receive side: the receive CQ's notification, the rules of a received message, credits for it, and
 * the receive that is posted in its place. DISPATCH_LEVEL.
 */
#include "smbd.h"

#define RESULTS_AT_ONCE 8

ULONG SmbdPoll(NDK_CQ *Cq, BOOLEAN HasVersion12, NDK_RESULT_EX *Results, ULONG Count) {
    NDK_RESULT Plain[RESULTS_AT_ONCE];
    ULONG Index;
    ULONG Got;

    if (HasVersion12) {
        return Cq->Dispatch->NdkGetCqResultsEx(Cq, Results, Count);
    }
    Got = Cq->Dispatch->NdkGetCqResults(Cq, Plain, min(Count, RESULTS_AT_ONCE));
    for (Index = 0; Index < Got; Index++) {
        RtlZeroMemory(&Results[Index], sizeof(Results[Index]));
        Results[Index].Status = Plain[Index].Status;
        Results[Index].BytesTransferred = Plain[Index].BytesTransferred;
        Results[Index].QPContext = Plain[Index].QPContext;
        Results[Index].RequestContext = Plain[Index].RequestContext;
    }
    return Got;
}

VOID SmbdDrainCheckLocked(PSMBD_CONNECTION Connection) {
    BOOLEAN IsDrained = Connection->InitiatorOut == 0 &&
                        (!Connection->DrainReceives || Connection->ReceivesOut == 0);

    if (Connection->IsDraining && (IsDrained || Connection->CqFailed)) {
        KeSetEvent(&Connection->Drained, IO_NO_INCREMENT, FALSE);
    }
}

static NTSTATUS ReceivePostLocked(PSMBD_CONNECTION Connection, PSMBD_BUFFER Buffer, ULONG Bytes,
                                  UINT32 Token) {
    NDK_SGE Sge;
    NTSTATUS Status;

    Sge.VirtualAddress = Buffer->Data;
    Sge.Length = Bytes;
    Sge.MemoryRegionToken = Token;
    Buffer->Op.IsBusy = TRUE;
    Status = Connection->Qp->Dispatch->NdkReceive(Connection->Qp, &Buffer->Op, &Sge, 1);
    if (Status != STATUS_SUCCESS) {
        Buffer->Op.IsBusy = FALSE;
        return Status;
    }
    Connection->ReceivesOut++;
    Connection->Counters.ReceivesPosted++;
    return STATUS_SUCCESS;
}

NTSTATUS SmbdPostHelloLocked(PSMBD_CONNECTION Connection) {
    NTSTATUS Status;

    Status = ReceivePostLocked(Connection, &Connection->HelloBuffer, SMBD_HELLO_BYTES,
                               Connection->SendRegion.LocalToken);
    if (Status == STATUS_SUCCESS && Connection->State == SmbdIdle) {
        Connection->State = SmbdNegotiating;
    }
    return Status;
}

VOID SmbdPostReceivesLocked(PSMBD_CONNECTION Connection) {
    while (Connection->Credits.Posted < Connection->Credits.Target &&
           !IsListEmpty(&Connection->FreeReceives)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Connection->FreeReceives);
        PSMBD_BUFFER Buffer = CONTAINING_RECORD(Entry, SMBD_BUFFER, Op.Link);
        NTSTATUS Status;

        Status = ReceivePostLocked(Connection, Buffer, Connection->Limits.MaxReceiveSize,
                                   Connection->ReceiveRegion.LocalToken);
        if (Status != STATUS_SUCCESS) {
            InsertHeadList(&Connection->FreeReceives, Entry);
            SmbdEndLocked(Connection, Status, "posting a receive failed");
            return;
        }
        Connection->Credits.Posted++;
        Connection->PostedEver++;
    }
}

static VOID ReceiveHelloLocked(PSMBD_CONNECTION Connection, const NDK_RESULT_EX *Result) {
    if (Result->Status != STATUS_SUCCESS) {
        SmbdEndLocked(Connection, Result->Status, "connection broke before the negotiation");
    } else if (Connection->State == SmbdNegotiating) {
        Connection->HelloLength = Result->BytesTransferred;
        KeSetEvent(&Connection->Hello, IO_NO_INCREMENT, FALSE);
    }
}

/* The rules of a data transfer message, in the order of the specification. NULL: all kept. */
static PCSTR ReceiveMessageLocked(PSMBD_CONNECTION Connection, const UCHAR *Data,
                                  const NDK_RESULT_EX *Result) {
    PSMBD_INBOUND Whole = NULL;
    UINT32 Invalidated = 0;
    SMBD_HEADER Header;
    PCSTR Reason;

    Reason = CheckData(Data, Result->BytesTransferred, &Connection->Limits, &Header);
    if (Reason != NULL) {
        return Reason;
    }
    if (!CreditsReceived(&Connection->Credits, Header.CreditsGranted, Header.CreditsRequested)) {
        return "peer sent without a credit";
    }
    Connection->LastReceive = KeQueryInterruptTime();
    if (Connection->KeepaliveOutstanding) {
        /* The thread waits for the answer's limit; the idle timer's may be nearer now. */
        KeSetEvent(&Connection->Kick, IO_NO_INCREMENT, FALSE);
    }
    Connection->KeepaliveOutstanding = FALSE;
    Connection->KeepaliveWanted = FALSE;
    if ((Header.Flags & SMBD_FLAG_RESPONSE_REQUESTED) != 0) {
        Connection->ResponseOwed = TRUE;
    }
    if (Result->Type == NdkOperationTypeReceiveAndInvalidate) {
        Invalidated = (UINT32)Result->TypeSpecificCompletionOutput;
    }
    Reason =
        StreamFragment(&Connection->Stream, &Header, Data + Header.DataOffset, Invalidated, &Whole);
    if (Whole != NULL) {
        if (Connection->Arrived != NULL) {
            Connection->Arrived(Connection, Whole);
        }
        InsertTailList(&Connection->Inbound, &Whole->Link);
        KeSetEvent(&Connection->Kick, IO_NO_INCREMENT, FALSE);
    }
    return Reason;
}

static VOID ReceiveDataLocked(PSMBD_CONNECTION Connection, PSMBD_BUFFER Buffer,
                              const NDK_RESULT_EX *Result) {
    PCSTR Reason;

    NT_ASSERT(Connection->Credits.Posted != 0);
    Connection->Credits.Posted--;
    InsertTailList(&Connection->FreeReceives, &Buffer->Op.Link);
    if (Connection->State == SmbdEnded) {
        return;
    }
    if (Result->Status != STATUS_SUCCESS) {
        SmbdEndLocked(Connection, Result->Status, "a receive failed");
        return;
    }
    if (Connection->State != SmbdEstablished) {
        SmbdEndLocked(Connection, STATUS_INVALID_NETWORK_RESPONSE, "data before the negotiation");
        return;
    }
    Reason = ReceiveMessageLocked(Connection, Buffer->Data, Result);
    if (Reason != NULL) {
        SmbdEndLocked(Connection, STATUS_INVALID_NETWORK_RESPONSE, Reason);
        return;
    }
    SmbdPostReceivesLocked(Connection);
    SmbdPumpLocked(Connection);
}

static VOID ReceiveCompleted(PSMBD_CONNECTION Connection, const NDK_RESULT_EX *Result) {
    PSMBD_BUFFER Buffer = Result->RequestContext;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    NT_ASSERT(Buffer->Op.IsBusy);
    Buffer->Op.IsBusy = FALSE;
    Connection->ReceivesOut--;
    if (Buffer->Op.Kind == OpHello) {
        ReceiveHelloLocked(Connection, Result);
    } else {
        ReceiveDataLocked(Connection, Buffer, Result);
    }
    SmbdDrainCheckLocked(Connection);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

VOID SmbdReceiveNotify(PVOID Context, NTSTATUS CqStatus) {
    PSMBD_CONNECTION Connection = Context;
    NDK_RESULT_EX Results[RESULTS_AT_ONCE];
    NDK_CQ *Cq = Connection->ReceiveCq;
    ULONG Count;
    ULONG Index;

    if (!ExAcquireRundownProtection(&Connection->ReceiveCqUse)) {
        return;
    }
    if (CqStatus != STATUS_SUCCESS) {
        KLOCK_QUEUE_HANDLE Handle;

        KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
        Connection->CqFailed = TRUE;
        SmbdEndLocked(Connection, CqStatus, "receive CQ failed");
        SmbdDrainCheckLocked(Connection);
        KeReleaseInStackQueuedSpinLock(&Handle);
        ExReleaseRundownProtection(&Connection->ReceiveCqUse);
        return;
    }
    do {
        Count = SmbdPoll(Cq, Connection->Transport->Rdma.HasVersion12, Results, RESULTS_AT_ONCE);
        for (Index = 0; Index < Count; Index++) {
            ReceiveCompleted(Connection, &Results[Index]);
        }
    } while (Count != 0);
    Cq->Dispatch->NdkArmCq(Cq, NDK_CQ_NOTIFY_ANY);
    ExReleaseRundownProtection(&Connection->ReceiveCqUse);
}

PSMBD_INBOUND SmbdTakeInbound(PSMBD_CONNECTION Connection) {
    PSMBD_INBOUND Inbound = NULL;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    if (!IsListEmpty(&Connection->Inbound)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Connection->Inbound);

        Inbound = CONTAINING_RECORD(Entry, SMBD_INBOUND, Link);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    return Inbound;
}

VOID SmbdReturnInbound(PSMBD_CONNECTION Connection, PSMBD_INBOUND Inbound) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    StreamReturn(&Connection->Stream, Inbound);
    KeReleaseInStackQueuedSpinLock(&Handle);
}
