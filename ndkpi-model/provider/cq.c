/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues: creation, look-up by number, end; see cq.h. */
#include "adapter.h"

static BOOLEAN CqRetire(PRNIC_OBJECT Object, BOOLEAN Polled);
static VOID CqRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS CqClass = {
    .Type = NdkObjectTypeCq,
    .Name = "cq",
    .Retire = CqRetire,
    .Release = CqRelease,
};

static PRNIC_CQ CqOfObject(PRNIC_OBJECT Object) {
    return CONTAINING_RECORD(Object, RNIC_CQ, Object);
}

static VOID CqTableAdd(PRNIC_CQ Cq) {
    PRNIC_ADAPTER Adapter = Cq->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    InsertHeadList(&Adapter->CqTable[Cq->Cqn % RNIC_TABLE_BUCKETS], &Cq->TableLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID CqTableRemove(PRNIC_CQ Cq) {
    PRNIC_ADAPTER Adapter = Cq->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    RemoveEntryList(&Cq->TableLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

PRNIC_CQ CqFind(PRNIC_ADAPTER Adapter, ULONG Cqn) {
    PLIST_ENTRY Bucket = &Adapter->CqTable[Cqn % RNIC_TABLE_BUCKETS];
    PRNIC_CQ Found = NULL;
    PLIST_ENTRY Entry;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    for (Entry = Bucket->Flink; Entry != Bucket; Entry = Entry->Flink) {
        PRNIC_CQ Cq = CONTAINING_RECORD(Entry, RNIC_CQ, TableLink);

        if (Cq->Cqn == Cqn) {
            Found = ObjectTryGet(&Cq->Object, RefCallback) ? Cq : NULL;
            break;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Found;
}

static NTSTATUS CqGetMemory(PRNIC_CQ Cq, ULONG CqDepth, const GROUP_AFFINITY *Affinity) {
    PRNIC_ADAPTER Adapter = Cq->Object.Owner;
    NTSTATUS Status;

    if (!AdapterCountUp(&Adapter->CqCount, Adapter->Capabilities.MaxCqCount)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Cq->Counted = TRUE;
    Cq->Eq = EqTakeForCq(Adapter, Affinity);
    if (Cq->Eq == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Cq->Depth = CqDepth;
    Cq->EntryLog2 = Log2(CqDepth);
    Status = DmaGet(Adapter, RNIC_CQE_BYTES << Cq->EntryLog2, &Cq->Ring);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    return DmaGet(Adapter, sizeof(ULONG), &Cq->Record);
}

static VOID CqCreateFill(const RNIC_COMMAND *Command, PVOID Input) {
    const RNIC_CQ *Cq = CONTAINING_RECORD(Command, RNIC_CQ, Command);
    struct rnic_cq_create *Create = Input;

    DmaPages(&Cq->Ring, &Create->pages);
    Create->entry_count_log2 = Cq->EntryLog2;
    Create->entry_limit = Cq->Depth;
    Create->eqn = Cq->Eq->Eqn;
    Create->consumer_record = Cq->Record.Address;
}

static VOID CqCreateCommand(PRNIC_CQ Cq) {
    CommandInit(&Cq->Command, RNIC_CMD_CREATE_CQ, 0);
    Cq->Command.InBytes = sizeof(struct rnic_cq_create);
    Cq->Command.Data.Fill = CqCreateFill;
}

/* The device has answered the creation. */
static NTSTATUS CqCreateEnd(PRNIC_CQ Cq) {
    NTSTATUS Status = CommandNtStatus(Cq->Command.Status);

    if (NT_SUCCESS(Status)) {
        Cq->Cqn = Cq->Command.Number;
        Cq->Created = TRUE;
        CqTableAdd(Cq);
    }
    return Status;
}

static VOID CqCreateDone(PRNIC_COMMAND Command) {
    PRNIC_CQ Cq = Command->Context;
    NTSTATUS Status = CqCreateEnd(Cq);

    RequestComplete(&Cq->Object.Request, Status);
}

static PRNIC_CQ CqNew(PRNIC_OPEN Open) {
    PRNIC_CQ Cq = PoolGet(sizeof(*Cq));

    if (Cq == NULL) {
        return NULL;
    }
    ObjectInit(&Cq->Object, Open->Object.Owner, &CqClass, Open->Object.Ndk.Header.Version);
    Cq->Object.Ndk.Cq.Dispatch = &CqDispatch;
    Cq->Open = Open;
    ObjectGet(&Open->Object, RefSuccessor);
    KeInitializeSpinLock(&Cq->Lock);
    TurnsInit(&Cq->Resizes, &Cq->Lock);
    InitializeListHead(&Cq->Qps);
    Cq->Armed = RNIC_CQ_UNARMED;
    CqKickInit(Cq);
    return Cq;
}

NTSTATUS NdkCreateCq(NDK_ADAPTER *pNdkAdapter, ULONG CqDepth,
                     NDK_FN_CQ_NOTIFICATION_CALLBACK CqNotification, PVOID CqNotificationContext,
                     GROUP_AFFINITY *Affinity, NDK_FN_CREATE_COMPLETION CreateCompletion,
                     PVOID RequestContext, NDK_CQ **ppNdkCq) {
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);
    PRNIC_ADAPTER Adapter = Open->Object.Owner;
    PRNIC_CQ Cq;
    RNIC_SHAPE Shape;
    NTSTATUS Status;

    if (CqDepth == 0 || CqDepth > Adapter->Info.MaxCqDepth) {
        return STATUS_INVALID_PARAMETER;
    }
    Cq = CqNew(Open);
    if (Cq == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Cq->Notification = CqNotification;
    Cq->NotificationContext = CqNotificationContext;
    Shape = AnswerChoose(Adapter, pNdkAdapter, "answer.create_cq", ShapePending);
    RequestBeginCreate(&Cq->Object.Request, &Cq->Object, Shape, CreateCompletion, RequestContext);
    Status = AnswerFault(pNdkAdapter, "provider.create_cq.insufficient_resources")
                 ? STATUS_INSUFFICIENT_RESOURCES
                 : CqGetMemory(Cq, CqDepth, Affinity);
    if (!NT_SUCCESS(Status)) {
        return RequestAnswerCreate(&Cq->Object.Request, Status, (PVOID *)ppNdkCq);
    }
    CqCreateCommand(Cq);
    if (Shape == ShapePending) {
        CommandSubmit(Adapter, &Cq->Command, CqCreateDone, Cq);
        return STATUS_PENDING;
    }
    CommandPolled(Adapter, &Cq->Command, NULL, 0);
    Status = CqCreateEnd(Cq);
    return RequestAnswerCreate(&Cq->Object.Request, Status, (PVOID *)ppNdkCq);
}

static VOID CqDestroyDone(PRNIC_COMMAND Command) {
    PRNIC_CQ Cq = Command->Context;

    if (!CommandGivenAgain(Cq->Object.Owner, Command)) {
        ObjectRetired(&Cq->Object);
    }
}

static BOOLEAN CqRetire(PRNIC_OBJECT Object, BOOLEAN Polled) {
    PRNIC_CQ Cq = CqOfObject(Object);

    if (!Cq->Created) {
        return TRUE;
    }
    CqTableRemove(Cq);
    CommandInit(&Cq->Command, RNIC_CMD_DESTROY_CQ, Cq->Cqn);
    if (Polled) {
        CommandPolledFirmly(Object->Owner, &Cq->Command);
        return TRUE;
    }
    CommandSubmit(Object->Owner, &Cq->Command, CqDestroyDone, Cq);
    return FALSE;
}

static VOID CqRelease(PRNIC_OBJECT Object) {
    PRNIC_CQ Cq = CqOfObject(Object);
    PRNIC_ADAPTER Adapter = Object->Owner;
    PRNIC_OPEN Open = Cq->Open;

    NT_ASSERT(IsListEmpty(&Cq->Qps));
    if (Cq->Eq != NULL) {
        EqGiveBack(Adapter, Cq->Eq);
    }
    if (Cq->Counted) {
        InterlockedDecrement(&Adapter->CqCount);
    }
    DmaPut(Adapter, &Cq->Ring);
    DmaPut(Adapter, &Cq->Record);
    PoolPut(Cq);
    ObjectPut(&Open->Object, RefSuccessor);
}

const NDK_CQ_DISPATCH CqDispatch = {
    .NdkCloseCq = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkResizeCq = NdkResizeCq,
    .NdkArmCq = NdkArmCq,
    .NdkGetCqResults = NdkGetCqResults,
    .NdkControlCqInterruptModeration = NdkControlCqInterruptModeration,
    .NdkGetCqResultsEx = NdkGetCqResultsEx,
};
