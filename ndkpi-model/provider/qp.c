/* SPDX-License-Identifier: Apache-2.0 */
/* Queue pairs: creation, look-up by number, end; see qp.h. */
#include "adapter.h"

#define RNIC_QP_RIGHTS (RNIC_RIGHT_REMOTE_READ | RNIC_RIGHT_REMOTE_WRITE)

static BOOLEAN QpRetire(PRNIC_OBJECT Object, BOOLEAN Polled);
static VOID QpRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS QpClass = {
    .Type = NdkObjectTypeQp,
    .Name = "qp",
    .Retire = QpRetire,
    .Release = QpRelease,
};

static PRNIC_QP QpOfObject(PRNIC_OBJECT Object) {
    return CONTAINING_RECORD(Object, RNIC_QP, Object);
}

PRNIC_QP QpFind(PRNIC_ADAPTER Adapter, ULONG Qpn) {
    PLIST_ENTRY Bucket = &Adapter->QpTable[Qpn % RNIC_TABLE_BUCKETS];
    PRNIC_QP Found = NULL;
    PLIST_ENTRY Entry;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    for (Entry = Bucket->Flink; Entry != Bucket; Entry = Entry->Flink) {
        PRNIC_QP Qp = CONTAINING_RECORD(Entry, RNIC_QP, TableLink);

        if (Qp->Qpn == Qpn) {
            Found = ObjectTryGet(&Qp->Object, RefHardware) ? Qp : NULL;
            break;
        }
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Found;
}

static VOID CqAttach(PRNIC_CQ Cq, PRNIC_QP_LINK Link, PRNIC_QP Qp) {
    KLOCK_QUEUE_HANDLE Lock;

    Link->Qp = Qp;
    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    InsertTailList(&Cq->Qps, &Link->Link);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

/* What the QP completed stays in the queue, with its contexts. */
static VOID CqDetach(PRNIC_CQ Cq, PRNIC_QP_LINK Link) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    CqResolve(Cq);
    RemoveEntryList(&Link->Link);
    Cq->LastQp = NULL;
    KeReleaseInStackQueuedSpinLock(&Lock);
}

/* The device knows the QP: completions and events find it from now on. */
static VOID QpPublish(PRNIC_QP Qp) {
    PRNIC_ADAPTER Adapter = Qp->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;

    CqAttach(Qp->ReceiveCq, &Qp->ReceiveLink, Qp);
    if (Qp->InitiatorCq != Qp->ReceiveCq) {
        CqAttach(Qp->InitiatorCq, &Qp->InitiatorLink, Qp);
    }
    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    InsertHeadList(&Adapter->QpTable[Qp->Qpn % RNIC_TABLE_BUCKETS], &Qp->TableLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID QpUnpublish(PRNIC_QP Qp) {
    PRNIC_ADAPTER Adapter = Qp->Object.Owner;
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Adapter->TableLock, &Lock);
    RemoveEntryList(&Qp->TableLink);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID QpLeaveCqs(PRNIC_QP Qp) {
    QpReleaseReceives(Qp);
    WindowsQpEnd(Qp);
    CqDetach(Qp->ReceiveCq, &Qp->ReceiveLink);
    if (Qp->InitiatorCq != Qp->ReceiveCq) {
        CqDetach(Qp->InitiatorCq, &Qp->InitiatorLink);
    }
}

static NTSTATUS QueueInit(PRNIC_ADAPTER Adapter, PRNIC_QUEUE Queue, ULONG Depth, ULONG SgeMax,
                          ULONG EntryBytes, UCHAR StrideLog2Min) {
    ULONG Entries = 1;

    KeInitializeSpinLock(&Queue->Lock);
    Queue->Depth = Depth;
    Queue->SgeMax = SgeMax;
    while (Entries < Depth) {
        Entries <<= 1;
    }
    Queue->Mask = Entries - 1;
    Queue->StrideLog2 = StrideLog2Min;
    while ((1u << Queue->StrideLog2) < EntryBytes) {
        Queue->StrideLog2++;
    }
    Queue->Contexts = PoolGet(Entries * sizeof(PVOID));
    if (Queue->Contexts == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    return DmaGet(Adapter, Entries << Queue->StrideLog2, &Queue->Ring);
}

static VOID QueueDeinit(PRNIC_ADAPTER Adapter, PRNIC_QUEUE Queue) {
    PoolPut(Queue->Contexts);
    DmaPut(Adapter, &Queue->Ring);
}

typedef struct _RNIC_QP_SIZES {
    ULONG ReceiveDepth;
    ULONG InitiatorDepth;
    ULONG ReceiveSge;
    ULONG InitiatorSge;
    ULONG InlineBytes;
} RNIC_QP_SIZES;

static BOOLEAN QpSizesFit(PRNIC_ADAPTER Adapter, const RNIC_QP_SIZES *Sizes) {
    const NDK_ADAPTER_INFO *Info = &Adapter->Info;

    return Sizes->ReceiveDepth != 0 && Sizes->ReceiveDepth <= Info->MaxReceiveQueueDepth &&
           Sizes->InitiatorDepth != 0 && Sizes->InitiatorDepth <= Info->MaxInitiatorQueueDepth &&
           Sizes->ReceiveSge <= Info->MaxReceiveRequestSge &&
           Sizes->InitiatorSge <= Info->MaxInitiatorRequestSge &&
           Sizes->InlineBytes <= Info->MaxInlineDataSize;
}

static NTSTATUS QpGetMemory(PRNIC_QP Qp, const RNIC_QP_SIZES *Sizes) {
    PRNIC_ADAPTER Adapter = Qp->Object.Owner;
    ULONG Payload = Sizes->InitiatorSge * (ULONG)sizeof(struct rnic_sge);
    NTSTATUS Status;

    if (!AdapterCountUp(&Adapter->QpCount, Adapter->Capabilities.MaxQpCount)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Qp->Counted = TRUE;
    Qp->InlineBytes = Sizes->InlineBytes;
    Qp->ReadSgeMax = min(Sizes->InitiatorSge, Adapter->Info.MaxReadRequestSge);
    Payload = max(Payload, Sizes->InlineBytes);
    Status = QueueInit(Adapter, &Qp->Sq, Sizes->InitiatorDepth, Sizes->InitiatorSge,
                       RNIC_WQE_DATA_OFFSET + Payload, 6);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = QueueInit(Adapter, &Qp->Rq, Sizes->ReceiveDepth, Sizes->ReceiveSge,
                       RNIC_RECEIVE_DATA_OFFSET + Sizes->ReceiveSge * sizeof(struct rnic_sge), 4);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    return DmaGet(Adapter, sizeof(ULONG), &Qp->Record);
}

static VOID QpCreateCommand(PRNIC_QP Qp) {
    struct rnic_qp_create *Create = &Qp->Command.In.Qp;

    CommandInit(&Qp->Command, RNIC_CMD_CREATE_QP, 0);
    Qp->Command.InBytes = sizeof(*Create);
    DmaPages(&Qp->Sq.Ring, &Create->sq_pages);
    DmaPages(&Qp->Rq.Ring, &Create->rq_pages);
    Create->type = RNIC_QP_RC;
    Create->pdn = Qp->Pd->Pdn;
    Create->send_cqn = Qp->InitiatorCq->Cqn;
    Create->receive_cqn = Qp->ReceiveCq->Cqn;
    Create->sq_entry_count_log2 = Log2(Qp->Sq.Mask + 1);
    Create->rq_entry_count_log2 = Log2(Qp->Rq.Mask + 1);
    Create->sq_stride_log2 = Qp->Sq.StrideLog2;
    Create->rq_stride_log2 = Qp->Rq.StrideLog2;
    Create->sq_sge_count_max = Qp->Sq.SgeMax;
    Create->rq_sge_count_max = Qp->Rq.SgeMax;
    Create->read_sge_count_max = Qp->ReadSgeMax;
    Create->sq_finished_record = Qp->Record.Address;
}

static VOID QpInitCommand(PRNIC_QP Qp) {
    struct rnic_qp_attributes *Attributes = &Qp->Command.In.Attributes;

    CommandInit(&Qp->Command, RNIC_CMD_MODIFY_QP, Qp->Qpn);
    Qp->Command.InBytes = sizeof(*Attributes);
    Attributes->mask = RNIC_ATTR_STATE | RNIC_ATTR_RIGHTS | RNIC_ATTR_PKEY;
    Attributes->state = RNIC_QPS_INIT;
    Attributes->rights = RNIC_QP_RIGHTS;
    Attributes->pkey = 0xFFFF;
}

/* The device has answered the creation; what comes next is the step to INIT. */
static NTSTATUS QpCreateEnd(PRNIC_QP Qp) {
    NTSTATUS Status = CommandNtStatus(Qp->Command.Status);

    if (NT_SUCCESS(Status)) {
        Qp->Qpn = Qp->Command.Number;
        Qp->Created = TRUE;
        QpPublish(Qp);
        QpInitCommand(Qp);
    }
    return Status;
}

static VOID QpInitDone(PRNIC_COMMAND Command) {
    PRNIC_QP Qp = Command->Context;

    RequestComplete(&Qp->Object.Request, CommandNtStatus(Command->Status));
}

static VOID QpCreateDone(PRNIC_COMMAND Command) {
    PRNIC_QP Qp = Command->Context;
    NTSTATUS Status = QpCreateEnd(Qp);

    if (NT_SUCCESS(Status)) {
        CommandSubmit(Qp->Object.Owner, &Qp->Command, QpInitDone, Qp);
    } else {
        RequestComplete(&Qp->Object.Request, Status);
    }
}

static NTSTATUS QpCreatePolled(PRNIC_QP Qp) {
    NTSTATUS Status;

    CommandPolled(Qp->Object.Owner, &Qp->Command, NULL, 0);
    Status = QpCreateEnd(Qp);
    if (NT_SUCCESS(Status)) {
        Status = CommandNtStatus(CommandPolled(Qp->Object.Owner, &Qp->Command, NULL, 0));
    }
    return Status;
}

static PRNIC_QP QpNew(PRNIC_PD Pd, PRNIC_CQ ReceiveCq, PRNIC_CQ InitiatorCq, PVOID Context) {
    PRNIC_QP Qp = PoolGet(sizeof(*Qp));

    if (Qp == NULL) {
        return NULL;
    }
    ObjectInit(&Qp->Object, Pd->Object.Owner, &QpClass, Pd->Object.Ndk.Header.Version);
    Qp->Object.Ndk.Qp.Dispatch = &QpDispatch;
    Qp->Pd = Pd;
    Qp->ReceiveCq = ReceiveCq;
    Qp->InitiatorCq = InitiatorCq;
    Qp->Context = Context;
    InitializeListHead(&Qp->Windows);
    ObjectGet(&Pd->Object, RefSuccessor);
    ObjectGet(&ReceiveCq->Object, RefSuccessor);
    ObjectGet(&InitiatorCq->Object, RefSuccessor);
    return Qp;
}

NTSTATUS NdkCreateQp(NDK_PD *pNdkPd, NDK_CQ *pReceiveCq, NDK_CQ *pInitiatorCq, PVOID QPContext,
                     ULONG ReceiveQueueDepth, ULONG InitiatorQueueDepth, ULONG MaxReceiveRequestSge,
                     ULONG MaxInitiatorRequestSge, ULONG InlineDataSize,
                     NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                     NDK_QP **ppNdkQp) {
    PRNIC_PD Pd = PdOf(pNdkPd);
    PRNIC_CQ ReceiveCq = CqOf(pReceiveCq);
    PRNIC_CQ InitiatorCq = CqOf(pInitiatorCq);
    PRNIC_ADAPTER Adapter = Pd->Object.Owner;
    const RNIC_QP_SIZES Sizes = {ReceiveQueueDepth, InitiatorQueueDepth, MaxReceiveRequestSge,
                                 MaxInitiatorRequestSge, InlineDataSize};
    PRNIC_QP Qp;
    RNIC_SHAPE Shape;
    NTSTATUS Status;

    if (!QpSizesFit(Adapter, &Sizes) || ReceiveCq->Open != Pd->Open ||
        InitiatorCq->Open != Pd->Open) {
        return STATUS_INVALID_PARAMETER;
    }
    Qp = QpNew(Pd, ReceiveCq, InitiatorCq, QPContext);
    if (Qp == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Shape = AnswerChoose(Adapter, pNdkPd, "answer.create_qp", ShapePending);
    RequestBeginCreate(&Qp->Object.Request, &Qp->Object, Shape, CreateCompletion, RequestContext);
    Status = AnswerFault(pNdkPd, "provider.create_qp.insufficient_resources")
                 ? STATUS_INSUFFICIENT_RESOURCES
                 : QpGetMemory(Qp, &Sizes);
    if (!NT_SUCCESS(Status)) {
        return RequestAnswerCreate(&Qp->Object.Request, Status, (PVOID *)ppNdkQp);
    }
    QpCreateCommand(Qp);
    if (Shape == ShapePending) {
        CommandSubmit(Adapter, &Qp->Command, QpCreateDone, Qp);
        return STATUS_PENDING;
    }
    Status = QpCreatePolled(Qp);
    return RequestAnswerCreate(&Qp->Object.Request, Status, (PVOID *)ppNdkQp);
}

static VOID QpDestroyDone(PRNIC_COMMAND Command) {
    PRNIC_QP Qp = Command->Context;

    QpLeaveCqs(Qp);
    ObjectRetired(&Qp->Object);
}

static VOID QpErrorDone(PRNIC_COMMAND Command) {
    UNREFERENCED_PARAMETER(Command);
}

/* What is pending is cancelled into the queues, then the device forgets the QP. */
static BOOLEAN QpRetire(PRNIC_OBJECT Object, BOOLEAN Polled) {
    PRNIC_QP Qp = QpOfObject(Object);
    PRNIC_ADAPTER Adapter = Object->Owner;

    if (!Qp->Created) {
        return TRUE;
    }
    QpUnpublish(Qp);
    QpSetPhase(Qp, QpEnded);
    QpErrorCommand(Qp, &Qp->FlushCommand);
    CommandInit(&Qp->Command, RNIC_CMD_DESTROY_QP, Qp->Qpn);
    if (Polled) {
        CommandPolled(Adapter, &Qp->FlushCommand, NULL, 0);
        CommandPolled(Adapter, &Qp->Command, NULL, 0);
        QpLeaveCqs(Qp);
        return TRUE;
    }
    CommandSubmit(Adapter, &Qp->FlushCommand, QpErrorDone, Qp);
    CommandSubmit(Adapter, &Qp->Command, QpDestroyDone, Qp);
    return FALSE;
}

static VOID QpFreePageLists(PRNIC_QP Qp) {
    ULONG i;

    if (Qp->PageLists != NULL) {
        for (i = 0; i <= Qp->Sq.Mask; i++) {
            DmaPut(Qp->Object.Owner, &Qp->PageLists[i]);
        }
        PoolPut(Qp->PageLists);
    }
}

static VOID QpRelease(PRNIC_OBJECT Object) {
    PRNIC_QP Qp = QpOfObject(Object);
    PRNIC_ADAPTER Adapter = Object->Owner;
    PRNIC_PD Pd = Qp->Pd;
    PRNIC_CQ ReceiveCq = Qp->ReceiveCq;
    PRNIC_CQ InitiatorCq = Qp->InitiatorCq;

    NT_ASSERT(Qp->Connector == NULL);
    if (Qp->Counted) {
        InterlockedDecrement(&Adapter->QpCount);
    }
    QpFreePageLists(Qp);
    QueueDeinit(Adapter, &Qp->Sq);
    QueueDeinit(Adapter, &Qp->Rq);
    DmaPut(Adapter, &Qp->Record);
    PoolPut(Qp);
    ObjectPut(&ReceiveCq->Object, RefSuccessor);
    ObjectPut(&InitiatorCq->Object, RefSuccessor);
    ObjectPut(&Pd->Object, RefSuccessor);
}

const NDK_QP_DISPATCH QpDispatch = {
    .NdkCloseQp = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkFlush = NdkFlush,
    .NdkSend = NdkSend,
    .NdkReceive = NdkReceive,
    .NdkBind = NdkBind,
    .NdkFastRegister = NdkFastRegister,
    .NdkInvalidate = NdkInvalidate,
    .NdkRead = NdkRead,
    .NdkWrite = NdkWrite,
    .NdkSendAndInvalidate = NdkSendAndInvalidate,
};
