/* SPDX-License-Identifier: Apache-2.0 */
/* Shared receive queues: creation, look-up by number, end; see srq.h. */
#include "adapter.h"

static BOOLEAN SrqRetire(PRNIC_OBJECT Object, BOOLEAN Polled);
static VOID SrqRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS SrqClass = {
    .Type = NdkObjectTypeSrq,
    .Name = "srq",
    .Retire = SrqRetire,
    .Release = SrqRelease,
};

static const NDK_SRQ_DISPATCH SrqDispatch = {
    .NdkCloseSrq = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkModifySrq = NdkModifySrq,
    .NdkSrqReceive = NdkSrqReceive,
};

static PRNIC_SRQ SrqOfObject(PRNIC_OBJECT Object) {
    return CONTAINING_RECORD(Object, RNIC_SRQ, Object);
}

static VOID SrqTableAdd(PRNIC_SRQ Srq) {
    PRNIC_ADAPTER Adapter = Srq->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    InsertHeadList(&Adapter->SrqTable[Srq->Srqn % RNIC_TABLE_BUCKETS], &Srq->TableLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID SrqTableRemove(PRNIC_SRQ Srq) {
    PRNIC_ADAPTER Adapter = Srq->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    RemoveEntryList(&Srq->TableLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

PRNIC_SRQ SrqFind(PRNIC_ADAPTER Adapter, ULONG Srqn) {
    PLIST_ENTRY Bucket = &Adapter->SrqTable[Srqn % RNIC_TABLE_BUCKETS];
    PRNIC_SRQ Found = NULL;
    PLIST_ENTRY Entry;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    for (Entry = Bucket->Flink; Entry != Bucket; Entry = Entry->Flink) {
        PRNIC_SRQ Srq = CONTAINING_RECORD(Entry, RNIC_SRQ, TableLink);

        if (Srq->Srqn == Srqn) {
            Found = ObjectTryGet(&Srq->Object, RefCallback) ? Srq : NULL;
            break;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Found;
}

NTSTATUS SrqRingGet(PRNIC_SRQ Srq, ULONG Depth, PRNIC_SRQ_RING Ring) {
    ULONG Entries = 1u << Log2(Depth);

    Ring->Mask = Entries - 1;
    return DmaGet(Srq->Object.Owner, Entries << Srq->StrideLog2, &Ring->Dma);
}

static NTSTATUS SrqGetMemory(PRNIC_SRQ Srq) {
    PRNIC_ADAPTER Adapter = Srq->Object.Owner;
    NTSTATUS Status;

    if (!AdapterCountUp(&Adapter->SrqCount, Adapter->SrqCountMax)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Srq->Counted = TRUE;
    Status = EqFitObjects(Adapter);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Srq->StrideLog2 = Log2(RNIC_RECEIVE_DATA_OFFSET + Srq->SgeMax * (ULONG)sizeof(struct rnic_sge));
    Status = SrqSlotsGrow(Srq, Srq->Depth);
    return NT_SUCCESS(Status) ? SrqRingGet(Srq, Srq->Depth, &Srq->Ring) : Status;
}

static VOID SrqCreateFill(const RNIC_COMMAND *Command, PVOID Input) {
    const RNIC_SRQ *Srq = CONTAINING_RECORD(Command, RNIC_SRQ, Command);
    struct rnic_srq_create *Create = Input;

    DmaPages(&Srq->Ring.Dma, &Create->pages);
    Create->pdn = Srq->Pd->Pdn;
    Create->limit = Srq->Armed ? Srq->Threshold : 0;
    Create->entry_count_log2 = Log2(Srq->Ring.Mask + 1);
    Create->stride_log2 = Srq->StrideLog2;
    Create->sge_count_max = Srq->SgeMax;
}

static VOID SrqCreateCommand(PRNIC_SRQ Srq, ULONG Threshold) {
    CommandInit(&Srq->Command, RNIC_CMD_CREATE_SRQ, 0);
    Srq->Command.InBytes = sizeof(struct rnic_srq_create);
    Srq->Command.Data.Fill = SrqCreateFill;
    Srq->Threshold = Threshold;
}

/* The device has answered the creation. */
static NTSTATUS SrqCreateEnd(PRNIC_SRQ Srq) {
    NTSTATUS Status = CommandNtStatus(Srq->Command.Status);

    if (NT_SUCCESS(Status)) {
        Srq->Srqn = Srq->Command.Number;
        Srq->Created = TRUE;
        SrqTableAdd(Srq);
    }
    return Status;
}

static VOID SrqCreateDone(PRNIC_COMMAND Command) {
    PRNIC_SRQ Srq = Command->Context;
    NTSTATUS Status = SrqCreateEnd(Srq);

    RequestComplete(&Srq->Object.Request, Status);
}

static PRNIC_SRQ SrqNew(PRNIC_PD Pd, ULONG Depth, ULONG SgeMax, const GROUP_AFFINITY *Affinity) {
    PRNIC_SRQ Srq = PoolGet(sizeof(*Srq));

    if (Srq == NULL) {
        return NULL;
    }
    ObjectInit(&Srq->Object, Pd->Object.Owner, &SrqClass, Pd->Object.Ndk.Header.Version);
    Srq->Object.Ndk.Srq.Dispatch = &SrqDispatch;
    Srq->Pd = Pd;
    Srq->Depth = Depth;
    Srq->SgeMax = SgeMax;
    ObjectGet(&Pd->Object, RefSuccessor);
    KeInitializeSpinLock(&Srq->Lock);
    KeInitializeSpinLock(&Srq->SlotLock);
    InitializeListHead(&Srq->Qps);
    TurnsInit(&Srq->Turns, &Srq->Lock);
    SrqNotifyInit(Srq, Affinity);
    return Srq;
}

NTSTATUS NdkCreateSrq(NDK_PD *pNdkPd, ULONG SrqDepth, ULONG MaxReceiveRequestSge,
                      ULONG NotifyThreshold, NDK_FN_SRQ_NOTIFICATION_CALLBACK SrqNotification,
                      PVOID SrqNotificationContext, GROUP_AFFINITY *Affinity,
                      NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                      NDK_SRQ **ppNdkSrq) {
    PRNIC_PD Pd = PdOf(pNdkPd);
    PRNIC_ADAPTER Adapter = Pd->Object.Owner;
    PRNIC_SRQ Srq;
    RNIC_SHAPE Shape;
    NTSTATUS Status;

    if (SrqDepth == 0 || SrqDepth > Adapter->Info.MaxSrqDepth ||
        MaxReceiveRequestSge > Adapter->Info.MaxReceiveRequestSge) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!ObjectIsOpen(&Pd->Object)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    Srq = SrqNew(Pd, SrqDepth, MaxReceiveRequestSge, Affinity);
    if (Srq == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Srq->Notification = SrqNotification;
    Srq->NotificationContext = SrqNotificationContext;
    Srq->Armed = SrqNotification != NULL && NotifyThreshold != 0;
    Shape = AnswerChoose(Adapter, pNdkPd, "answer.create_srq", ShapePending);
    RequestBeginCreate(&Srq->Object.Request, &Srq->Object, Shape, CreateCompletion, RequestContext);
    Status = AnswerFault(pNdkPd, "provider.create_srq.insufficient_resources")
                 ? STATUS_INSUFFICIENT_RESOURCES
                 : SrqGetMemory(Srq);
    if (!NT_SUCCESS(Status)) {
        return RequestAnswerCreate(&Srq->Object.Request, Status, (PVOID *)ppNdkSrq);
    }
    SrqCreateCommand(Srq, NotifyThreshold);
    if (Shape == ShapePending) {
        CommandSubmit(Adapter, &Srq->Command, SrqCreateDone, Srq);
        return STATUS_PENDING;
    }
    CommandPolled(Adapter, &Srq->Command, NULL, 0);
    Status = SrqCreateEnd(Srq);
    return RequestAnswerCreate(&Srq->Object.Request, Status, (PVOID *)ppNdkSrq);
}

static VOID SrqDestroyDone(PRNIC_COMMAND Command) {
    PRNIC_SRQ Srq = Command->Context;

    if (!CommandGivenAgain(Srq->Object.Owner, Command)) {
        ObjectRetired(&Srq->Object);
    }
}

/* Receives that nobody took are dropped: there is no queue to report them to (B-06). */
static BOOLEAN SrqRetire(PRNIC_OBJECT Object, BOOLEAN Polled) {
    PRNIC_SRQ Srq = SrqOfObject(Object);

    if (!Srq->Created) {
        return TRUE;
    }
    SrqTableRemove(Srq);
    CommandInit(&Srq->Command, RNIC_CMD_DESTROY_SRQ, Srq->Srqn);
    if (Polled) {
        CommandPolledFirmly(Object->Owner, &Srq->Command);
        return TRUE;
    }
    CommandSubmit(Object->Owner, &Srq->Command, SrqDestroyDone, Srq);
    return FALSE;
}

static VOID SrqRelease(PRNIC_OBJECT Object) {
    PRNIC_SRQ Srq = SrqOfObject(Object);
    PRNIC_ADAPTER Adapter = Object->Owner;
    PRNIC_PD Pd = Srq->Pd;

    NT_ASSERT(IsListEmpty(&Srq->Qps) && !Srq->Moving);
    if (Srq->Counted) {
        InterlockedDecrement(&Adapter->SrqCount);
    }
    DmaPut(Adapter, &Srq->Ring.Dma);
    PoolPut(Srq->Slots);
    PoolPut(Srq);
    ObjectPut(&Pd->Object, RefSuccessor);
}
