/* SPDX-License-Identifier: Apache-2.0 */
/* Life of a connection: allocation, NDK objects, the end, counters; see smbd.h. */
#include "smbd_path.h"

static VOID ConnectionInit(PSMBD_CONNECTION Connection) {
    KeInitializeEvent(&Connection->End, NotificationEvent, FALSE);
    KeInitializeEvent(&Connection->Kick, SynchronizationEvent, FALSE);
    KeInitializeEvent(&Connection->Hello, NotificationEvent, FALSE);
    KeInitializeEvent(&Connection->Drained, NotificationEvent, FALSE);
    KeInitializeSpinLock(&Connection->Lock);
    ExInitializeRundownProtection(&Connection->ReceiveCqUse);
    ExInitializeRundownProtection(&Connection->InitiatorCqUse);
    ExInitializeRundownProtection(&Connection->TimerUse);
    InitializeListHead(&Connection->FreeSends);
    InitializeListHead(&Connection->FreeReceives);
    InitializeListHead(&Connection->FreeTransferOps);
    InitializeListHead(&Connection->Outbound);
    InitializeListHead(&Connection->Transfers);
    InitializeListHead(&Connection->Inbound);
    InitializeListHead(&Connection->Finished);
}

PSMBD_CONNECTION SmbdAllocate(PSMBD_TRANSPORT Transport, ULONG Number, BOOLEAN IsServer) {
    PSMBD_CONNECTION Connection;

    PAGED_CODE();
    Connection = ExAllocatePoolZero(NonPagedPoolNx, sizeof(*Connection), SMBD_POOL_TAG);
    if (Connection == NULL) {
        return NULL;
    }
    Connection->Transport = Transport;
    Connection->Number = Number;
    Connection->IsServer = IsServer;
    Connection->Limits = Transport->Limits;
    ConnectionInit(Connection);
    StreamInit(&Connection->Stream, Transport->IsStrict);
    return Connection;
}

static NTSTATUS ConnectionArrays(PSMBD_CONNECTION Connection) {
    PSMBD_TRANSPORT Transport = Connection->Transport;
    ULONG Index;

    Connection->SendBuffers = ExAllocatePoolZero(
        NonPagedPoolNx, Transport->SendBufferCount * sizeof(SMBD_BUFFER), SMBD_POOL_TAG);
    Connection->ReceiveBuffers = ExAllocatePoolZero(
        NonPagedPoolNx, Connection->Limits.ReceiveCreditMax * sizeof(SMBD_BUFFER), SMBD_POOL_TAG);
    Connection->TransferOps =
        ExAllocatePoolZero(NonPagedPoolNx, Transport->RdmaDepth * sizeof(SMBD_OP), SMBD_POOL_TAG);
    if (Connection->SendBuffers == NULL || Connection->ReceiveBuffers == NULL ||
        Connection->TransferOps == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    for (Index = 0; Index < Transport->RdmaDepth; Index++) {
        Connection->TransferOps[Index].Kind = OpTransfer;
        InsertTailList(&Connection->FreeTransferOps, &Connection->TransferOps[Index].Link);
    }
    return STATUS_SUCCESS;
}

/* The hello buffer and the send buffers, in one registration. */
static NTSTATUS ConnectionSendBuffers(PSMBD_CONNECTION Connection) {
    ULONG Stride = (ULONG)ALIGN_UP_BY(Connection->Limits.MaxSendSize, 64);
    ULONG Count = Connection->Transport->SendBufferCount;
    NTSTATUS Status;
    ULONG Index;

    Status = RegionCreate(&Connection->SendRegion, Connection->Pd, NULL,
                          SMBD_HELLO_BYTES + Count * Stride, NDK_MR_FLAG_ALLOW_LOCAL_WRITE);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Connection->HelloBuffer.Op.Kind = OpHello;
    Connection->HelloBuffer.Data = Connection->SendRegion.Buffer;
    for (Index = 0; Index < Count; Index++) {
        PSMBD_BUFFER Buffer = &Connection->SendBuffers[Index];

        Buffer->Op.Kind = OpSend;
        Buffer->Data = Connection->SendRegion.Buffer + SMBD_HELLO_BYTES + Index * Stride;
        InsertTailList(&Connection->FreeSends, &Buffer->Op.Link);
    }
    return STATUS_SUCCESS;
}

NTSTATUS SmbdOpenReceives(PSMBD_CONNECTION Connection) {
    ULONG Stride = (ULONG)ALIGN_UP_BY(Connection->Limits.MaxReceiveSize, 64);
    ULONG Count = Connection->Credits.ReceiveMax;
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status;
    ULONG Index;

    PAGED_CODE();
    Status = RegionCreate(&Connection->ReceiveRegion, Connection->Pd, NULL, Count * Stride,
                          NDK_MR_FLAG_ALLOW_LOCAL_WRITE);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    for (Index = 0; Index < Count; Index++) {
        PSMBD_BUFFER Buffer = &Connection->ReceiveBuffers[Index];

        Buffer->Op.Kind = OpReceive;
        Buffer->Data = Connection->ReceiveRegion.Buffer + Index * Stride;
        InsertTailList(&Connection->FreeReceives, &Buffer->Op.Link);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    return STATUS_SUCCESS;
}

static NTSTATUS ConnectionQp(PSMBD_CONNECTION Connection) {
    PSMBD_TRANSPORT Transport = Connection->Transport;
    NDK_ADAPTER_INFO *Info = &Transport->Rdma.Info;
    SYNC_QP_SIZES Sizes;

    Sizes.ReceiveDepth = Connection->Limits.ReceiveCreditMax + 1u;
    Sizes.InitiatorDepth = Connection->InitiatorDepth;
    Sizes.ReceiveSge = 1;
    Sizes.InitiatorSge = 1;
    Sizes.InlineBytes = 0;
    NT_ASSERT(Sizes.ReceiveDepth <= Info->MaxReceiveQueueDepth);
    return SyncCreateQp(Connection->Pd, Connection->ReceiveCq, Connection->InitiatorCq, Connection,
                        &Sizes, &Connection->Qp);
}

static VOID ConnectionSize(PSMBD_CONNECTION Connection) {
    PSMBD_TRANSPORT Transport = Connection->Transport;
    NDK_ADAPTER_INFO *Info = &Transport->Rdma.Info;
    ULONG Receives = min(Info->MaxReceiveQueueDepth, Info->MaxCqDepth) - 1;
    ULONG Initiator =
        Transport->SendBufferCount + Transport->RdmaDepth + 2 * Transport->RequestCount + 2;

    Connection->Limits.ReceiveCreditMax =
        (USHORT)min(Connection->Limits.ReceiveCreditMax, Receives);
    Initiator = min(Initiator, Info->MaxInitiatorQueueDepth);
    Connection->InitiatorDepth = min(Initiator, Info->MaxCqDepth);
    Connection->Credits.ReceiveMax = Connection->Limits.ReceiveCreditMax;
}

NTSTATUS SmbdOpen(PSMBD_CONNECTION Connection) {
    NDK_ADAPTER *Adapter = Connection->Transport->Rdma.Adapter;
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status;

    PAGED_CODE();
    ConnectionSize(Connection);
    Status = ConnectionArrays(Connection);
    if (NT_SUCCESS(Status)) {
        Status = SyncCreatePd(Adapter, &Connection->Pd);
    }
    /* Armed before a QP uses it: nothing can complete yet, so no notification meets this call. */
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateCq(Adapter, Connection->Limits.ReceiveCreditMax + 1u, SmbdReceiveNotify,
                              Connection, &Connection->ReceiveCq);
    }
    if (NT_SUCCESS(Status)) {
        Connection->ReceiveCq->Dispatch->NdkArmCq(Connection->ReceiveCq, NDK_CQ_NOTIFY_ANY);
        Status = SyncCreateCq(Adapter, Connection->InitiatorDepth, SmbdInitiatorNotify, Connection,
                              &Connection->InitiatorCq);
    }
    if (NT_SUCCESS(Status)) {
        Connection->InitiatorCq->Dispatch->NdkArmCq(Connection->InitiatorCq, NDK_CQ_NOTIFY_ANY);
        Status = ConnectionQp(Connection);
    }
    if (NT_SUCCESS(Status)) {
        Status = ConnectionSendBuffers(Connection);
    }
    if (NT_SUCCESS(Status)) {
        KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
        Status = SmbdPostHelloLocked(Connection);
        KeReleaseInStackQueuedSpinLock(&Handle);
    }
    return Status;
}

static VOID ConnectionFreeInbound(PSMBD_CONNECTION Connection) {
    while (!IsListEmpty(&Connection->Inbound)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Connection->Inbound);

        StreamReturn(&Connection->Stream, CONTAINING_RECORD(Entry, SMBD_INBOUND, Link));
    }
    StreamDeinit(&Connection->Stream);
}

VOID SmbdFree(PSMBD_CONNECTION Connection) {
    PAGED_CODE();
    NT_ASSERT(Connection->Qp == NULL && Connection->ReceiveCq == NULL && Connection->Pd == NULL);
    if (Connection->Path != NULL) {
        SmbdPathDestroy(Connection->Path);
    }
    SmbdCountersFlush(Connection);
    ConnectionFreeInbound(Connection);
    RegionFree(&Connection->SendRegion);
    RegionFree(&Connection->ReceiveRegion);
    if (Connection->SendBuffers != NULL) {
        ExFreePoolWithTag(Connection->SendBuffers, SMBD_POOL_TAG);
    }
    if (Connection->ReceiveBuffers != NULL) {
        ExFreePoolWithTag(Connection->ReceiveBuffers, SMBD_POOL_TAG);
    }
    if (Connection->TransferOps != NULL) {
        ExFreePoolWithTag(Connection->TransferOps, SMBD_POOL_TAG);
    }
    ExFreePoolWithTag(Connection, SMBD_POOL_TAG);
}

VOID SmbdEndLocked(PSMBD_CONNECTION Connection, NTSTATUS Status, PCSTR Reason) {
    if (Connection->State == SmbdEnded) {
        return;
    }
    Connection->State = SmbdEnded;
    Connection->EndStatus = Status;
    Connection->EndReason = Reason;
    KeSetEvent(&Connection->End, IO_NO_INCREMENT, FALSE);
}

VOID SmbdEnd(PSMBD_CONNECTION Connection, NTSTATUS Status, PCSTR Reason) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    SmbdEndLocked(Connection, Status, Reason);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

NTSTATUS SmbdAddMr(PSMBD_CONNECTION Connection, NDK_MR *Mr, PRDMA_REGION Region, PCSTR Label) {
    PSMBD_MR Entry;

    if (Connection->MrCount == SMBD_MR_MAX) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Entry = &Connection->Mrs[Connection->MrCount];
    Entry->Mr = Mr;
    Entry->Region = Region;
    Entry->Label = Label;
    Connection->MrCount++;
    return STATUS_SUCCESS;
}

VOID SmbdRemoveMr(PSMBD_CONNECTION Connection, const NDK_MR *Mr) {
    ULONG Index;

    for (Index = 0; Index < Connection->MrCount; Index++) {
        if (Connection->Mrs[Index].Mr == Mr) {
            Connection->MrCount--;
            Connection->Mrs[Index] = Connection->Mrs[Connection->MrCount];
            return;
        }
    }
}

VOID SmbdCountersPublish(PSMBD_TRANSPORT Transport) {
    SMBD_COUNTERS Now;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Transport->CounterLock, &Handle);
    Now = Transport->Counters;
    /* Published under the lock: a later value never goes out before an earlier one. */
    NdksimCounter("connections", Now.Connections);
    NdksimCounter("negotiated", Now.Negotiated);
    NdksimCounter("bytes_written", Now.BytesWritten);
    NdksimCounter("bytes_read", Now.BytesRead);
    NdksimCounter("messages", Now.Messages);
    NdksimCounter("credits_granted", Now.CreditsGranted);
    NdksimCounter("receives_posted", Now.ReceivesPosted);
    NdksimCounter("keepalives", Now.Keepalives);
    NdksimCounter("disconnects", Now.Disconnects);
    NdksimCounter("checksum_errors", Now.ChecksumErrors);
    NdksimCounter("timeouts", Now.Timeouts);
    NdksimCounter("duplicates", Now.Duplicates);
    NdksimCounter("credits_over", Now.CreditsOver);
    NdksimCounter("paths_up", (ULONG64)Transport->PathsUp);
    NdksimCounter("failed", Now.Failed);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

VOID SmbdCountersFlush(PSMBD_CONNECTION Connection) {
    PSMBD_TRANSPORT Transport = Connection->Transport;
    SMBD_COUNTERS Delta;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    Delta = Connection->Counters;
    RtlZeroMemory(&Connection->Counters, sizeof(Connection->Counters));
    KeReleaseInStackQueuedSpinLock(&Handle);
    KeAcquireInStackQueuedSpinLock(&Transport->CounterLock, &Handle);
    Transport->Counters.Connections += Delta.Connections;
    Transport->Counters.Negotiated += Delta.Negotiated;
    Transport->Counters.BytesWritten += Delta.BytesWritten;
    Transport->Counters.BytesRead += Delta.BytesRead;
    Transport->Counters.Messages += Delta.Messages;
    Transport->Counters.CreditsGranted += Delta.CreditsGranted;
    Transport->Counters.ReceivesPosted += Delta.ReceivesPosted;
    Transport->Counters.Keepalives += Delta.Keepalives;
    Transport->Counters.Disconnects += Delta.Disconnects;
    Transport->Counters.ChecksumErrors += Delta.ChecksumErrors;
    Transport->Counters.Timeouts += Delta.Timeouts;
    Transport->Counters.Duplicates += Delta.Duplicates;
    Transport->Counters.CreditsOver += Delta.CreditsOver;
    Transport->Counters.Failed += Delta.Failed;
    KeReleaseInStackQueuedSpinLock(&Handle);
    SmbdCountersPublish(Transport);
}
