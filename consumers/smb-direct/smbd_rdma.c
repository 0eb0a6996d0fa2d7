/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bulk data. Server: a transfer is cut into pieces that fit one descriptor and one request, a
 * bounded number of them under way. Client: fast registration and its end. DISPATCH_LEVEL.
 */
#include "smbd.h"

static ULONG TransferPieceBytes(PSMBD_CONNECTION Connection, const SMBD_TRANSFER *Transfer) {
    PSMBD_TRANSPORT Transport = Connection->Transport;
    ULONG Bytes = Transfer->Descriptors[Transfer->Descriptor].Length - Transfer->Offset;

    Bytes = min(Bytes, Transfer->Bytes - Transfer->Started);
    Bytes = min(Bytes, Transport->Rdma.Info.MaxTransferLength);
    return min(Bytes, Transport->PieceBytes);
}

static NTSTATUS TransferPost(PSMBD_CONNECTION Connection, const SMBD_TRANSFER *Transfer,
                             PSMBD_OP Op, ULONG Bytes) {
    const SMBD_DESCRIPTOR *Descriptor = &Transfer->Descriptors[Transfer->Descriptor];
    ULONG64 Remote = Descriptor->Offset + Transfer->Offset;
    NDK_QP *Qp = Connection->Qp;
    NDK_SGE Sge;

    Sge.VirtualAddress = Transfer->Local + Transfer->Started;
    Sge.Length = Bytes;
    Sge.MemoryRegionToken = Transfer->LocalToken;
    if (Transfer->IsWrite) {
        return Qp->Dispatch->NdkWrite(Qp, Op, &Sge, 1, Remote, Descriptor->Token, 0);
    }
    return Qp->Dispatch->NdkRead(Qp, Op, &Sge, 1, Remote, Descriptor->Token, 0);
}

static VOID TransferAdvance(PSMBD_TRANSFER Transfer, ULONG Bytes) {
    Transfer->Started += Bytes;
    Transfer->Offset += Bytes;
    while (Transfer->Descriptor < Transfer->DescriptorCount &&
           Transfer->Offset == Transfer->Descriptors[Transfer->Descriptor].Length) {
        Transfer->Descriptor++;
        Transfer->Offset = 0;
    }
}

static VOID TransferFinishLocked(PSMBD_CONNECTION Connection, PSMBD_TRANSFER Transfer) {
    InsertTailList(&Connection->Finished, &Transfer->Link);
    KeSetEvent(&Connection->Kick, IO_NO_INCREMENT, FALSE);
}

/* Starts one piece of the first transfer. FALSE: nothing to start now. */
BOOLEAN SmbdPumpTransferLocked(PSMBD_CONNECTION Connection) {
    PSMBD_TRANSFER Transfer;
    ULONG Bytes;
    PSMBD_OP Op;

    /* One slot stays free for a message: it may be the grant that the peer waits for. */
    if (IsListEmpty(&Connection->Transfers) || IsListEmpty(&Connection->FreeTransferOps) ||
        Connection->InitiatorOut + 1 >= Connection->InitiatorDepth) {
        return FALSE;
    }
    Transfer = CONTAINING_RECORD(Connection->Transfers.Flink, SMBD_TRANSFER, Link);
    Op = CONTAINING_RECORD(RemoveHeadList(&Connection->FreeTransferOps), SMBD_OP, Link);
    Op->Owner = Transfer;
    Op->IsBusy = TRUE;
    Bytes = TransferPieceBytes(Connection, Transfer);
    if (!SmbdPostLocked(Connection, Op, TransferPost(Connection, Transfer, Op, Bytes))) {
        InsertHeadList(&Connection->FreeTransferOps, &Op->Link);
        return FALSE;
    }
    Transfer->Outstanding++;
    TransferAdvance(Transfer, Bytes);
    if (Transfer->Started == Transfer->Bytes) {
        RemoveEntryList(&Transfer->Link);
        InitializeListHead(&Transfer->Link);
        if (Transfer->Then != NULL) {
            SmbdQueueLocked(Connection, Transfer->Then);
        }
    }
    return TRUE;
}

VOID SmbdQueueTransfer(PSMBD_CONNECTION Connection, PSMBD_TRANSFER Transfer) {
    KLOCK_QUEUE_HANDLE Handle;

    Transfer->Descriptor = 0;
    Transfer->Offset = 0;
    Transfer->Started = 0;
    Transfer->Outstanding = 0;
    Transfer->Status = STATUS_SUCCESS;
    TransferAdvance(Transfer, 0);
    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    if (Connection->State == SmbdEstablished) {
        InsertTailList(&Connection->Transfers, &Transfer->Link);
        SmbdPumpLocked(Connection);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

VOID SmbdTransferCompletedLocked(PSMBD_CONNECTION Connection, PSMBD_OP Op, NTSTATUS Status) {
    PSMBD_TRANSFER Transfer = Op->Owner;

    InsertTailList(&Connection->FreeTransferOps, &Op->Link);
    Transfer->Outstanding--;
    if (NT_SUCCESS(Transfer->Status)) {
        Transfer->Status = Status;
    }
    if (Transfer->Outstanding == 0 && Transfer->Started == Transfer->Bytes) {
        TransferFinishLocked(Connection, Transfer);
    }
}

PSMBD_TRANSFER SmbdTakeFinished(PSMBD_CONNECTION Connection) {
    PSMBD_TRANSFER Transfer = NULL;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    if (!IsListEmpty(&Connection->Finished)) {
        Transfer = CONTAINING_RECORD(RemoveHeadList(&Connection->Finished), SMBD_TRANSFER, Link);
        InitializeListHead(&Transfer->Link);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    return Transfer;
}

/* The request that follows ends the chain: the caller has checked that there is room for both. */
BOOLEAN SmbdRegisterLocked(PSMBD_CONNECTION Connection, PSMBD_REGISTRATION Registration) {
    ULONG Flags = Registration->Flags;
    NDK_MR *Mr = Registration->Mr;
    NTSTATUS Status;

    if (Connection->Transport->Rdma.HasVersion12) {
        Flags |= NDK_OP_FLAG_DEFER;
    }
    Registration->Register.IsBusy = TRUE;
    Status = Connection->Qp->Dispatch->NdkFastRegister(
        Connection->Qp, &Registration->Register, Mr, Registration->Lam->AdapterPageCount,
        Registration->Lam->AdapterPageArray, Registration->FirstByteOffset, Registration->Bytes,
        Registration->Base, Flags);
    if (!SmbdPostLocked(Connection, &Registration->Register, Status)) {
        return FALSE;
    }
    Registration->IsValid = TRUE;
    /* Read each time: it may change with each registration. */
    Registration->Token = Mr->Dispatch->NdkGetRemoteTokenFromMr(Mr);
    return TRUE;
}

VOID SmbdInvalidate(PSMBD_CONNECTION Connection, PSMBD_REGISTRATION Registration) {
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    if (Connection->State == SmbdEstablished && !Registration->Invalidate.IsBusy) {
        if (Connection->InitiatorOut == Connection->InitiatorDepth) {
            /* The thread tries again when it is kicked. */
            Connection->SlotWanted = TRUE;
        } else {
            Registration->Invalidate.IsBusy = TRUE;
            Status = Connection->Qp->Dispatch->NdkInvalidate(
                Connection->Qp, &Registration->Invalidate, &Registration->Mr->Header, 0);
            SmbdPostLocked(Connection, &Registration->Invalidate, Status);
        }
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}
