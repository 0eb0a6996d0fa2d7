/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Send side: fragments of queued messages, empty messages for credits and keepalive, and the
 * initiator CQ's notification. DISPATCH_LEVEL, under the connection's lock.
 *
 * Messages go out in order, one fragment after the other. An empty message may slip between two
 * fragments only when the queue is empty, so it never does here; a peer's may.
 */
#include "smbd.h"

#define RESULTS_AT_ONCE 8

/* Accounts for a post. FALSE: it failed, and the connection has ended. */
BOOLEAN SmbdPostLocked(PSMBD_CONNECTION Connection, PSMBD_OP Op, NTSTATUS Status) {
    if (Status != STATUS_SUCCESS) {
        Op->IsBusy = FALSE;
        SmbdEndLocked(Connection, Status, "posting a request failed");
        return FALSE;
    }
    Connection->InitiatorOut++;
    return TRUE;
}

static BOOLEAN SendPost(PSMBD_CONNECTION Connection, PSMBD_BUFFER Buffer, ULONG Bytes,
                        const SMBD_OUTBOUND *Invalidating) {
    NDK_QP *Qp = Connection->Qp;
    NTSTATUS Status;
    NDK_SGE Sge;

    Sge.VirtualAddress = Buffer->Data;
    Sge.Length = Bytes;
    Sge.MemoryRegionToken = Connection->SendRegion.LocalToken;
    Buffer->Op.IsBusy = TRUE;
    if (Invalidating != NULL) {
        Status = Qp->Dispatch->NdkSendAndInvalidate(Qp, &Buffer->Op, &Sge, 1, 0,
                                                    Invalidating->RemoteToken);
    } else {
        Status = Qp->Dispatch->NdkSend(Qp, &Buffer->Op, &Sge, 1, 0);
    }
    if (!SmbdPostLocked(Connection, &Buffer->Op, Status)) {
        InsertHeadList(&Connection->FreeSends, &Buffer->Op.Link);
        return FALSE;
    }
    return TRUE;
}

static PSMBD_BUFFER SendTakeBuffer(PSMBD_CONNECTION Connection) {
    PLIST_ENTRY Entry = RemoveHeadList(&Connection->FreeSends);

    return CONTAINING_RECORD(Entry, SMBD_BUFFER, Op.Link);
}

NTSTATUS SmbdSendHelloLocked(PSMBD_CONNECTION Connection, const UCHAR *Message, ULONG Bytes) {
    PSMBD_BUFFER Buffer;

    if (Connection->State == SmbdEnded) {
        return Connection->EndStatus;
    }
    NT_ASSERT(!IsListEmpty(&Connection->FreeSends));
    Buffer = SendTakeBuffer(Connection);
    RtlCopyMemory(Buffer->Data, Message, Bytes);
    SendPost(Connection, Buffer, Bytes, NULL);
    return Connection->State == SmbdEnded ? Connection->EndStatus : STATUS_SUCCESS;
}

/* A grant is counted against all receives that were ever posted, whoever knows of their use. */
VOID SmbdCountGrant(PSMBD_CONNECTION Connection, ULONG Grant) {
    LONG Over;

    Connection->GrantedEver += Grant;
    Over = (LONG)(Connection->GrantedEver - Connection->PostedEver);
    if (Over > (LONG)Connection->GrantedOver) {
        Connection->Counters.CreditsOver += (ULONG)Over - Connection->GrantedOver;
        Connection->GrantedOver = (ULONG)Over;
    }
}

static VOID SendFillHeader(PSMBD_CONNECTION Connection, PSMBD_HEADER Header) {
    RtlZeroMemory(Header, sizeof(*Header));
    Header->CreditsRequested = Connection->Limits.SendCreditTarget;
    Header->CreditsGranted = CreditsSpend(&Connection->Credits);
    Connection->Counters.CreditsGranted += Header->CreditsGranted;
    SmbdCountGrant(Connection, Header->CreditsGranted);
    if (Connection->KeepaliveWanted) {
        Header->Flags = SMBD_FLAG_RESPONSE_REQUESTED;
        Connection->KeepaliveWanted = FALSE;
        Connection->Counters.Keepalives++;
    }
    /* Any message is an answer. */
    Connection->ResponseOwed = FALSE;
}

static VOID SendCopy(PUCHAR To, const SMBD_OUTBOUND *Outbound, ULONG Bytes) {
    ULONG From = Outbound->Sent;

    if (From < Outbound->HeadBytes) {
        ULONG Part = min(Outbound->HeadBytes - From, Bytes);

        RtlCopyMemory(To, Outbound->Head + From, Part);
        To += Part;
        From += Part;
        Bytes -= Part;
    }
    if (Bytes != 0) {
        RtlCopyMemory(To, Outbound->Tail + (From - Outbound->HeadBytes), Bytes);
    }
}

/* One fragment of the first queued message. FALSE: it has to wait, or the connection has ended. */
static BOOLEAN SendFragment(PSMBD_CONNECTION Connection) {
    PSMBD_OUTBOUND Outbound = CONTAINING_RECORD(Connection->Outbound.Flink, SMBD_OUTBOUND, Link);
    BOOLEAN Registers = Outbound->Register != NULL && Outbound->Sent == 0;
    ULONG Slots = Registers ? 2 : 1;
    PSMBD_BUFFER Buffer;
    SMBD_HEADER Header;
    ULONG Left;

    if (!CreditsMaySend(&Connection->Credits) || IsListEmpty(&Connection->FreeSends) ||
        Connection->InitiatorOut + Slots > Connection->InitiatorDepth) {
        return FALSE;
    }
    if (Registers && !SmbdRegisterLocked(Connection, Outbound->Register)) {
        return FALSE;
    }
    if (Registers && Outbound->Prepare != NULL) {
        Outbound->Prepare(Outbound);
    }
    Buffer = SendTakeBuffer(Connection);
    SendFillHeader(Connection, &Header);
    Left = Outbound->HeadBytes + Outbound->TailBytes - Outbound->Sent;
    Header.DataOffset = SMBD_DATA_OFFSET;
    Header.DataLength = min(Left, Connection->Limits.MaxSendSize - SMBD_DATA_OFFSET);
    Header.RemainingDataLength = Left - Header.DataLength;
    WirePutHeader(Buffer->Data, &Header);
    SendCopy(Buffer->Data + SMBD_DATA_OFFSET, Outbound, Header.DataLength);
    Outbound->Sent += Header.DataLength;
    if (!SendPost(Connection, Buffer, SMBD_DATA_OFFSET + Header.DataLength,
                  Outbound->Invalidates && Header.RemainingDataLength == 0 ? Outbound : NULL)) {
        return FALSE;
    }
    if (Header.RemainingDataLength == 0) {
        RemoveEntryList(&Outbound->Link);
        Outbound->IsQueued = FALSE;
        if (Outbound->Posted != NULL) {
            Outbound->Posted(Outbound);
        }
    }
    return TRUE;
}

static VOID SendEmpty(PSMBD_CONNECTION Connection) {
    PSMBD_BUFFER Buffer;
    SMBD_HEADER Header;

    if (!Connection->KeepaliveWanted && !Connection->ResponseOwed &&
        !CreditsPromptly(&Connection->Credits)) {
        return;
    }
    if (!CreditsMaySend(&Connection->Credits) || IsListEmpty(&Connection->FreeSends) ||
        Connection->InitiatorOut == Connection->InitiatorDepth) {
        return;
    }
    Buffer = SendTakeBuffer(Connection);
    SendFillHeader(Connection, &Header);
    WirePutHeader(Buffer->Data, &Header);
    SendPost(Connection, Buffer, SMBD_HEADER_BYTES, NULL);
}

VOID SmbdPumpLocked(PSMBD_CONNECTION Connection) {
    while (Connection->State == SmbdEstablished && SmbdPumpTransferLocked(Connection)) {
    }
    while (Connection->State == SmbdEstablished && !IsListEmpty(&Connection->Outbound)) {
        if (!SendFragment(Connection)) {
            return;
        }
    }
    if (Connection->State == SmbdEstablished) {
        SendEmpty(Connection);
    }
}

VOID SmbdQueueLocked(PSMBD_CONNECTION Connection, PSMBD_OUTBOUND Outbound) {
    ULONG64 Bytes = (ULONG64)Outbound->HeadBytes + Outbound->TailBytes;

    if (Bytes > Connection->Limits.MaxFragmentedSendSize) {
        SmbdEndLocked(Connection, STATUS_INVALID_BUFFER_SIZE, "message is too long for the peer");
    }
    if (Connection->State != SmbdEstablished) {
        return;
    }
    NT_ASSERT(!Outbound->IsQueued);
    Outbound->IsQueued = TRUE;
    Outbound->Sent = 0;
    InsertTailList(&Connection->Outbound, &Outbound->Link);
}

VOID SmbdQueue(PSMBD_CONNECTION Connection, PSMBD_OUTBOUND Outbound) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    SmbdQueueLocked(Connection, Outbound);
    SmbdPumpLocked(Connection);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

static VOID InitiatorCompleted(PSMBD_CONNECTION Connection, const NDK_RESULT_EX *Result) {
    PSMBD_OP Op = Result->RequestContext;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    NT_ASSERT(Op->IsBusy && Connection->InitiatorOut != 0);
    Op->IsBusy = FALSE;
    Connection->InitiatorOut--;
    if (Result->Status != STATUS_SUCCESS) {
        SmbdEndLocked(Connection, Result->Status, "a request failed");
    }
    switch (Op->Kind) {
    case OpSend:
        InsertTailList(&Connection->FreeSends, &Op->Link);
        break;
    case OpTransfer:
        SmbdTransferCompletedLocked(Connection, Op, Result->Status);
        break;
    case OpInvalidate:
        ((PSMBD_REGISTRATION)Op->Owner)->IsValid = FALSE;
        KeSetEvent(&Connection->Kick, IO_NO_INCREMENT, FALSE);
        break;
    default:
        NT_ASSERT(Op->Kind == OpRegister);
        KeSetEvent(&Connection->Kick, IO_NO_INCREMENT, FALSE);
        break;
    }
    if (Connection->SlotWanted) {
        Connection->SlotWanted = FALSE;
        KeSetEvent(&Connection->Kick, IO_NO_INCREMENT, FALSE);
    }
    SmbdPumpLocked(Connection);
    SmbdDrainCheckLocked(Connection);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

VOID SmbdInitiatorNotify(PVOID Context, NTSTATUS CqStatus) {
    PSMBD_CONNECTION Connection = Context;
    NDK_RESULT_EX Results[RESULTS_AT_ONCE];
    NDK_CQ *Cq = Connection->InitiatorCq;
    ULONG Count;
    ULONG Index;

    if (!ExAcquireRundownProtection(&Connection->InitiatorCqUse)) {
        return;
    }
    if (CqStatus != STATUS_SUCCESS) {
        KLOCK_QUEUE_HANDLE Handle;

        KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
        Connection->CqFailed = TRUE;
        SmbdEndLocked(Connection, CqStatus, "initiator CQ failed");
        SmbdDrainCheckLocked(Connection);
        KeReleaseInStackQueuedSpinLock(&Handle);
        ExReleaseRundownProtection(&Connection->InitiatorCqUse);
        return;
    }
    do {
        Count = SmbdPoll(Cq, Connection->Transport->Rdma.HasVersion12, Results, RESULTS_AT_ONCE);
        for (Index = 0; Index < Count; Index++) {
            InitiatorCompleted(Connection, &Results[Index]);
        }
    } while (Count != 0);
    Cq->Dispatch->NdkArmCq(Cq, NDK_CQ_NOTIFY_ANY);
    ExReleaseRundownProtection(&Connection->InitiatorCqUse);
}
