/* SPDX-License-Identifier: Apache-2.0 */
/* Creation of queue pairs, with a receive queue of their own or with a shared one; see qp.h. */
#include "adapter.h"

#define RNIC_QP_RIGHTS (RNIC_RIGHT_REMOTE_READ | RNIC_RIGHT_REMOTE_WRITE)

static ULONG EntriesOf(ULONG Depth) {
    ULONG Entries = 1;

    while (Entries < Depth) {
        Entries <<= 1;
    }
    return Entries;
}

static NTSTATUS QueueInit(PRNIC_ADAPTER Adapter, PRNIC_QUEUE Queue, ULONG Depth, ULONG SgeMax,
                          ULONG EntryBytes, UCHAR StrideLog2Min) {
    ULONG Entries = EntriesOf(Depth);

    Queue->Depth = Depth;
    Queue->SgeMax = SgeMax;
    Queue->Mask = Entries - 1;
    Queue->StrideLog2 = StrideLog2Min;
    while ((1u << Queue->StrideLog2) < EntryBytes) {
        Queue->StrideLog2++;
    }
    return DmaGet(Adapter, Entries << Queue->StrideLog2, &Queue->Ring);
}

typedef struct _RNIC_QP_SIZES {
    ULONG ReceiveDepth; /* of the QP's own queue; not with an SRQ */
    ULONG ReceiveSge;
    ULONG InitiatorDepth;
    ULONG InitiatorSge;
    ULONG InlineBytes;
} RNIC_QP_SIZES;

/* What a new QP stands on. */
typedef struct _RNIC_QP_BASE {
    PRNIC_PD Pd;
    PRNIC_CQ ReceiveCq;
    PRNIC_CQ InitiatorCq;
    PRNIC_SRQ Srq; /* or NULL */
    PVOID Context;
} RNIC_QP_BASE;

static BOOLEAN InitiatorSizesFit(PRNIC_ADAPTER Adapter, const RNIC_QP_SIZES *Sizes) {
    const NDK_ADAPTER_INFO *Info = &Adapter->Info;

    return Sizes->InitiatorDepth != 0 && Sizes->InitiatorDepth <= Info->MaxInitiatorQueueDepth &&
           Sizes->InitiatorSge <= Info->MaxInitiatorRequestSge &&
           Sizes->InlineBytes <= Info->MaxInlineDataSize;
}

static BOOLEAN ReceiveSizesFit(PRNIC_ADAPTER Adapter, const RNIC_QP_SIZES *Sizes) {
    const NDK_ADAPTER_INFO *Info = &Adapter->Info;

    return Sizes->ReceiveDepth != 0 && Sizes->ReceiveDepth <= Info->MaxReceiveQueueDepth &&
           Sizes->ReceiveSge <= Info->MaxReceiveRequestSge;
}

static BOOLEAN CqIsUsable(PRNIC_CQ Cq) {
    return ObjectIsOpen(&Cq->Object) && NT_SUCCESS(Cq->FaultStatus);
}

/* All of one adapter object and PD, and none that is closing or has failed. */
static NTSTATUS QpBaseCheck(const RNIC_QP_BASE *Base) {
    if (Base->ReceiveCq->Open != Base->Pd->Open || Base->InitiatorCq->Open != Base->Pd->Open ||
        (Base->Srq != NULL && Base->Srq->Pd != Base->Pd)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!ObjectIsOpen(&Base->Pd->Object) || !CqIsUsable(Base->ReceiveCq) ||
        !CqIsUsable(Base->InitiatorCq)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    if (Base->Srq != NULL && (!ObjectIsOpen(&Base->Srq->Object) || Base->Srq->Failed)) {
        return STATUS_INVALID_DEVICE_STATE;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS QpGetMemory(PRNIC_QP Qp, const RNIC_QP_SIZES *Sizes) {
    PRNIC_ADAPTER Adapter = Qp->Object.Owner;
    ULONG SgeMax = max(Sizes->InitiatorSge, Adapter->Info.MaxReadRequestSge);
    ULONG Payload = max(SgeMax * (ULONG)sizeof(struct rnic_sge), Sizes->InlineBytes);
    NTSTATUS Status;

    if (!AdapterCountUp(&Adapter->QpCount, Adapter->Capabilities.MaxQpCount)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Qp->Counted = TRUE;
    Status = EqFitObjects(Adapter);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Qp->InlineBytes = Sizes->InlineBytes;
    /* For reads it stands in the place of the QP's own limit (R-POST-18). */
    Qp->ReadSgeMax = Adapter->Info.MaxReadRequestSge;
    Status = QueueInit(Adapter, &Qp->Sq, Sizes->InitiatorDepth, Sizes->InitiatorSge,
                       RNIC_WQE_DATA_OFFSET + Payload, 6);
    if (NT_SUCCESS(Status) && Qp->Srq == NULL) {
        Status =
            QueueInit(Adapter, &Qp->Rq, Sizes->ReceiveDepth, Sizes->ReceiveSge,
                      RNIC_RECEIVE_DATA_OFFSET + Sizes->ReceiveSge * sizeof(struct rnic_sge), 4);
    }
    return NT_SUCCESS(Status) ? DmaGet(Adapter, sizeof(ULONG), &Qp->Record) : Status;
}

static VOID QpCreateFill(const RNIC_COMMAND *Command, PVOID Input) {
    static const ULONG FlushFlags[] = {0, RNIC_QP_FLAG_FLUSH_RECEIVES_FIRST,
                                       RNIC_QP_FLAG_FLUSH_IN_TURN};
    const RNIC_QP *Qp = CONTAINING_RECORD(Command, RNIC_QP, Command);
    struct rnic_qp_create *Create = Input;

    DmaPages(&Qp->Sq.Ring, &Create->sq_pages);
    Create->type = RNIC_QP_RC;
    Create->flags = FlushFlags[Qp->Object.Owner->Settings.FlushOrder]; /* B-02 */
    Create->pdn = Qp->Pd->Pdn;
    Create->send_cqn = Qp->InitiatorCq->Cqn;
    Create->receive_cqn = Qp->ReceiveCq->Cqn;
    Create->sq_entry_count_log2 = Log2(Qp->Sq.Mask + 1);
    Create->sq_stride_log2 = Qp->Sq.StrideLog2;
    Create->sq_sge_count_max = Qp->Sq.SgeMax;
    Create->read_sge_count_max = Qp->ReadSgeMax;
    Create->sq_finished_record = Qp->Record.Address;
    if (Qp->Srq != NULL) {
        Create->flags |= RNIC_QP_FLAG_SRQ;
        Create->srqn = Qp->Srq->Srqn;
        return;
    }
    DmaPages(&Qp->Rq.Ring, &Create->rq_pages);
    Create->rq_entry_count_log2 = Log2(Qp->Rq.Mask + 1);
    Create->rq_stride_log2 = Qp->Rq.StrideLog2;
    Create->rq_sge_count_max = Qp->Rq.SgeMax;
}

static VOID QpCreateCommand(PRNIC_QP Qp) {
    CommandInit(&Qp->Command, RNIC_CMD_CREATE_QP, 0);
    Qp->Command.InBytes = sizeof(struct rnic_qp_create);
    Qp->Command.Data.Fill = QpCreateFill;
}

static VOID QpInitFill(const RNIC_COMMAND *Command, PVOID Input) {
    struct rnic_qp_attributes *Attributes = Input;

    UNREFERENCED_PARAMETER(Command);
    Attributes->mask = RNIC_ATTR_STATE | RNIC_ATTR_RIGHTS | RNIC_ATTR_PKEY;
    Attributes->state = RNIC_QPS_INIT;
    Attributes->rights = RNIC_QP_RIGHTS;
    Attributes->pkey = 0xFFFF;
}

static VOID QpInitCommand(PRNIC_QP Qp) {
    CommandInit(&Qp->Command, RNIC_CMD_MODIFY_QP, Qp->Qpn);
    Qp->Command.InBytes = sizeof(struct rnic_qp_attributes);
    Qp->Command.Data.Fill = QpInitFill;
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

/* The contexts of its requests lie behind it. */
static PRNIC_QP QpNew(const RNIC_QP_BASE *Base, const RNIC_QP_SIZES *Sizes) {
    ULONG Sends = EntriesOf(Sizes->InitiatorDepth);
    ULONG Receives = Base->Srq == NULL ? EntriesOf(Sizes->ReceiveDepth) : 0;
    PRNIC_QP Qp = PoolGet(sizeof(*Qp) + (Sends + Receives) * sizeof(PVOID));

    if (Qp == NULL) {
        return NULL;
    }
    Qp->Sq.Contexts = (PVOID *)(Qp + 1);
    Qp->Rq.Contexts = Qp->Sq.Contexts + Sends;
    ObjectInit(&Qp->Object, Base->Pd->Object.Owner, &QpClass, Base->Pd->Object.Ndk.Header.Version);
    Qp->Object.Ndk.Qp.Dispatch = &QpDispatch;
    Qp->Pd = Base->Pd;
    Qp->ReceiveCq = Base->ReceiveCq;
    Qp->InitiatorCq = Base->InitiatorCq;
    Qp->Srq = Base->Srq;
    Qp->Context = Base->Context;
    InitializeListHead(&Qp->Windows);
    KeInitializeSpinLock(&Qp->Sq.Lock);
    KeInitializeSpinLock(&Qp->Rq.Lock);
    ObjectGet(&Qp->Pd->Object, RefSuccessor);
    ObjectGet(&Qp->ReceiveCq->Object, RefSuccessor);
    ObjectGet(&Qp->InitiatorCq->Object, RefSuccessor);
    if (Qp->Srq != NULL) {
        ObjectGet(&Qp->Srq->Object, RefSuccessor);
    }
    return Qp;
}

/* `Qp` has its request; `Failure` is what a fault wants it to come to. */
static NTSTATUS QpCreate(PRNIC_QP Qp, const RNIC_QP_SIZES *Sizes, NTSTATUS Failure,
                         NDK_QP **ppNdkQp) {
    PRNIC_REQUEST Request = &Qp->Object.Request;
    NTSTATUS Status = NT_SUCCESS(Failure) ? QpGetMemory(Qp, Sizes) : Failure;

    if (!NT_SUCCESS(Status)) {
        return RequestAnswerCreate(Request, Status, (PVOID *)ppNdkQp);
    }
    QpCreateCommand(Qp);
    if (Request->Shape == ShapePending) {
        CommandSubmit(Qp->Object.Owner, &Qp->Command, QpCreateDone, Qp);
        return STATUS_PENDING;
    }
    Status = QpCreatePolled(Qp);
    return RequestAnswerCreate(Request, Status, (PVOID *)ppNdkQp);
}

NTSTATUS NdkCreateQp(NDK_PD *pNdkPd, NDK_CQ *pReceiveCq, NDK_CQ *pInitiatorCq, PVOID QPContext,
                     ULONG ReceiveQueueDepth, ULONG InitiatorQueueDepth, ULONG MaxReceiveRequestSge,
                     ULONG MaxInitiatorRequestSge, ULONG InlineDataSize,
                     NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                     NDK_QP **ppNdkQp) {
    const RNIC_QP_BASE Base = {PdOf(pNdkPd), CqOf(pReceiveCq), CqOf(pInitiatorCq), NULL, QPContext};
    const RNIC_QP_SIZES Sizes = {ReceiveQueueDepth, MaxReceiveRequestSge, InitiatorQueueDepth,
                                 MaxInitiatorRequestSge, InlineDataSize};
    PRNIC_ADAPTER Adapter = Base.Pd->Object.Owner;
    NTSTATUS Status = QpBaseCheck(&Base);
    PRNIC_QP Qp;
    RNIC_SHAPE Shape;

    if (!InitiatorSizesFit(Adapter, &Sizes) || !ReceiveSizesFit(Adapter, &Sizes)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Qp = QpNew(&Base, &Sizes);
    if (Qp == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Shape = AnswerChoose(Adapter, pNdkPd, "answer.create_qp", ShapePending);
    RequestBeginCreate(&Qp->Object.Request, &Qp->Object, Shape, CreateCompletion, RequestContext);
    if (AnswerFault(pNdkPd, "provider.create_qp.insufficient_resources")) {
        Status = STATUS_INSUFFICIENT_RESOURCES;
    }
    return QpCreate(Qp, &Sizes, Status, ppNdkQp);
}

NTSTATUS NdkCreateQpWithSrq(NDK_PD *pNdkPd, NDK_CQ *pReceiveCq, NDK_CQ *pInitiatorCq, NDK_SRQ *pSrq,
                            PVOID QPContext, ULONG InitiatorQueueDepth,
                            ULONG MaxInitiatorRequestSge, ULONG InlineDataSize,
                            NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                            NDK_QP **ppNdkQp) {
    const RNIC_QP_BASE Base = {PdOf(pNdkPd), CqOf(pReceiveCq), CqOf(pInitiatorCq), SrqOf(pSrq),
                               QPContext};
    const RNIC_QP_SIZES Sizes = {0, 0, InitiatorQueueDepth, MaxInitiatorRequestSge, InlineDataSize};
    PRNIC_ADAPTER Adapter = Base.Pd->Object.Owner;
    NTSTATUS Status = QpBaseCheck(&Base);
    PRNIC_QP Qp;
    RNIC_SHAPE Shape;

    if (!InitiatorSizesFit(Adapter, &Sizes)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Qp = QpNew(&Base, &Sizes);
    if (Qp == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Shape = AnswerChoose(Adapter, pNdkPd, "answer.create_qp_with_srq", ShapePending);
    RequestBeginCreate(&Qp->Object.Request, &Qp->Object, Shape, CreateCompletion, RequestContext);
    if (AnswerFault(pNdkPd, "provider.create_qp_with_srq.insufficient_resources")) {
        Status = STATUS_INSUFFICIENT_RESOURCES;
    }
    return QpCreate(Qp, &Sizes, Status, ppNdkQp);
}
