/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion queues. The device writes entries and gives one event for an arm that is met; what an
 * arm means, and that notifications come once each, is decided here.
 */
#include "mbx.h"

static VOID CqFree(PMBX_OBJECT Object) {
    SharedFree(&CONTAINING_RECORD(Object, MBX_CQ, Object)->Ring);
}

static const MBX_CLASS CqClass = {.Type = NdkObjectTypeCq,
                                  .CreateFault = "provider.create_cq.insufficient_resources",
                                  .DestroyOpcode = MBX_DESTROY_CQ,
                                  .Free = CqFree};

/* ---- Entries ---- */

static volatile struct mbx_completion *CqEntry(PMBX_CQ Cq, ULONG Index) {
    return (volatile struct mbx_completion *)Cq->Ring.Va + (Index & (Cq->EntryCount - 1));
}

/* Under the lock: looks at what has come. */
static VOID CqScan(PMBX_CQ Cq) {
    for (; CqEntry(Cq, Cq->Seen)->sequence == Cq->Seen + 1; Cq->Seen++) {
        if (CqEntry(Cq, Cq->Seen)->status != MBX_DONE ||
            (CqEntry(Cq, Cq->Seen)->flags & MBX_COMPLETION_SOLICITED) != 0) {
            Cq->Solicited = Cq->Seen + 1;
            Cq->HasSolicited = TRUE;
        }
    }
}

VOID CqPut(PMBX_CQ Cq, struct mbx_completion *Completion) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    CqScan(Cq);
    if (Cq->Seen - Cq->Consumed < Cq->EntryCount && ReadNoFence(&Cq->Failed) == 0) {
        Completion->sequence = Cq->Seen + 1;
        *(struct mbx_completion *)CqEntry(Cq, Cq->Seen) = *Completion;
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static NTSTATUS ResultStatus(ULONG Status) {
    static const NTSTATUS Map[] = {
        [MBX_DONE] = STATUS_SUCCESS,
        [MBX_FLUSHED] = STATUS_CANCELLED,
        [MBX_LOCAL_ACCESS] = STATUS_ACCESS_VIOLATION,
        [MBX_LOCAL_STATE] = STATUS_INVALID_DEVICE_REQUEST,
        [MBX_TOO_LONG] = STATUS_BUFFER_OVERFLOW,
        [MBX_REMOTE] = STATUS_REMOTE_RESOURCES,
        [MBX_PEER_LOST] = STATUS_IO_TIMEOUT,
        [MBX_PEER_ABORTED] = STATUS_CONNECTION_ABORTED,
    };

    return Status < RTL_NUMBER_OF(Map) ? Map[Status] : STATUS_INTERNAL_ERROR;
}

static NDK_OPERATION_TYPE ResultType(ULONG Opcode) {
    static const NDK_OPERATION_TYPE Map[] = {
        [MBX_WORK_SEND] = NdkOperationTypeSend,
        [MBX_WORK_SEND_INVALIDATE] = NdkOperationTypeSend,
        [MBX_WORK_WRITE] = NdkOperationTypeWrite,
        [MBX_WORK_READ] = NdkOperationTypeRead,
        [MBX_WORK_FAST_REGISTER] = NdkOperationTypeFastRegister,
        [MBX_WORK_INVALIDATE] = NdkOperationTypeInvalidate,
        [MBX_WORK_RECEIVE] = NdkOperationTypeReceive,
        [MBX_WORK_RECEIVE_INVALIDATE] = NdkOperationTypeReceiveAndInvalidate,
    };

    return Opcode < RTL_NUMBER_OF(Map) ? Map[Opcode] : (NDK_OPERATION_TYPE)0;
}

static VOID ResultFill(const struct mbx_completion *Entry, NDK_RESULT_EX *Result) {
    Result->Status = ResultStatus(Entry->status);
    Result->BytesTransferred = Entry->bytes;
    Result->QPContext = (PVOID)(ULONG_PTR)Entry->qp_cookie;
    Result->RequestContext = (PVOID)(ULONG_PTR)Entry->cookie;
    Result->Type = ResultType(Entry->opcode);
    Result->ProviderErrorCode = Entry->status;
    Result->TypeSpecificCompletionOutput = Entry->token;
}

/* Under the lock. Both words while a resize is under way: the device reads the one or the other. */
static VOID CqConsumerWrite(PMBX_CQ Cq) {
    *Cq->Consumer = Cq->Consumed;
    if (Cq->NextConsumer != NULL) {
        *Cq->NextConsumer = Cq->Consumed;
    }
}

/* FALSE: it is empty. */
static BOOLEAN CqTake(PMBX_CQ Cq, NDK_RESULT_EX *Result) {
    if (Cq->Consumed == Cq->Seen) {
        return FALSE;
    }
    ResultFill((const struct mbx_completion *)CqEntry(Cq, Cq->Consumed), Result);
    Cq->Consumed++;
    return TRUE;
}

static ULONG MbxGetCqResultsEx(NDK_CQ *CqHandle, NDK_RESULT_EX *Results, ULONG nResults) {
    PMBX_CQ Cq = CqOf(CqHandle);
    KLOCK_QUEUE_HANDLE Lock;
    ULONG Count = 0;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    CqScan(Cq);
    while (Count < nResults && CqTake(Cq, &Results[Count])) {
        Count++;
    }
    CqConsumerWrite(Cq);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Count;
}

static ULONG MbxGetCqResults(NDK_CQ *CqHandle, NDK_RESULT *Results, ULONG nResults) {
    PMBX_CQ Cq = CqOf(CqHandle);
    KLOCK_QUEUE_HANDLE Lock;
    NDK_RESULT_EX Result;
    ULONG Count = 0;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    CqScan(Cq);
    while (Count < nResults && CqTake(Cq, &Result)) {
        Results[Count].Status = Result.Status;
        Results[Count].BytesTransferred = Result.BytesTransferred;
        Results[Count].QPContext = Result.QPContext;
        Results[Count].RequestContext = Result.RequestContext;
        Count++;
    }
    CqConsumerWrite(Cq);
    KeReleaseInStackQueuedSpinLock(&Lock);
    return Count;
}

/* ---- Arms and notifications ---- */

/* Under the lock. */
static BOOLEAN CqArmIsMet(const MBX_CQ *Cq) {
    if (Cq->Armed == ArmNone) {
        return FALSE;
    }
    if (ReadNoFence(&Cq->Failed) != 0 && !Cq->FailureTold) {
        return TRUE;
    }
    return (Cq->Armed == ArmAny && (LONG)(Cq->Seen - Cq->Notified) > 0) ||
           (Cq->Armed == ArmSolicited && Cq->HasSolicited &&
            (LONG)(Cq->Solicited - Cq->Notified) > 0);
}

/* Under the lock. The device tells of failures without being asked. */
static VOID CqArmDevice(PMBX_CQ Cq) {
    if (Cq->Armed == ArmAny || Cq->Armed == ArmSolicited) {
        DoorbellRing(Cq->Object.Adapter,
                     Cq->Armed == ArmAny ? MBX_DOORBELL_ARM_ANY : MBX_DOORBELL_ARM_SOLICITED,
                     Cq->Object.Number, Cq->Notified);
    }
}

/* In the DPC. An event may be older than the arm that stands: then the device is asked again. */
VOID CqEvent(PMBX_CQ Cq) {
    NTSTATUS Status = STATUS_SUCCESS;
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Met;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    CqScan(Cq);
    Met = CqArmIsMet(Cq);
    if (Met) {
        Cq->Armed = ArmNone;
        Cq->Notified = Cq->Seen;
        if (ReadNoFence(&Cq->Failed) != 0 && !Cq->FailureTold) {
            Cq->FailureTold = TRUE;
            Status = STATUS_BUFFER_OVERFLOW;
        }
    } else {
        CqArmDevice(Cq);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Met && Cq->Notification != NULL && ReadNoFence(&Cq->Object.Closing) == 0) {
        Cq->Notification(Cq->NotificationContext, Status);
    }
}

static VOID CqLook(PMBX_DEFERRED Deferred) {
    PMBX_CQ Cq = CONTAINING_RECORD(Deferred, MBX_CQ, Look);
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    Cq->LookQueued = FALSE;
    KeReleaseInStackQueuedSpinLock(&Lock);
    CqEvent(Cq);
    ObjectPut(&Cq->Object);
}

/* An overrun is all that can happen to a CQ. */
VOID CqFail(PMBX_CQ Cq) {
    if (InterlockedExchange(&Cq->Failed, 1) == 0) {
        InterlockedIncrement64((volatile LONG64 *)&Cq->Object.Adapter->Counters.CQError);
        CqEvent(Cq);
    }
}

static MBX_ARM ArmOf(ULONG Type) {
    switch (Type) {
    case NDK_CQ_NOTIFY_ANY:
        return ArmAny;
    case NDK_CQ_NOTIFY_SOLICITED:
        return ArmSolicited;
    case NDK_CQ_NOTIFY_ERRORS:
        return ArmErrors;
    default:
        return ArmNone;
    }
}

/* Two arms are the wider of them. One that is met already is the DPC's: never called from here. */
static VOID MbxArmCq(NDK_CQ *CqHandle, ULONG Type) {
    PMBX_CQ Cq = CqOf(CqHandle);
    KLOCK_QUEUE_HANDLE Lock;
    BOOLEAN Look;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    Cq->Armed = max(Cq->Armed, ArmOf(Type));
    CqScan(Cq);
    Look = CqArmIsMet(Cq) && !Cq->LookQueued;
    if (Look) {
        Cq->LookQueued = TRUE;
        ObjectGet(&Cq->Object);
    } else {
        CqArmDevice(Cq);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Look) {
        Defer(Cq->Object.Adapter, &Cq->Look);
    }
}

static NTSTATUS MbxControlCqInterruptModeration(NDK_CQ *CqHandle, ULONG ModerationInterval,
                                                ULONG ModerationCount) {
    UNREFERENCED_PARAMETER(CqHandle);
    UNREFERENCED_PARAMETER(ModerationInterval);
    UNREFERENCED_PARAMETER(ModerationCount);
    return STATUS_NOT_SUPPORTED;
}

/* ---- Creation and resize ---- */

static ULONG EntryCountFor(ULONG Depth) {
    ULONG Count = 1;

    while (Count < Depth) {
        Count *= 2;
    }
    return Count;
}

/* The ring, and the consumer's index behind it. */
static NTSTATUS RingAllocate(ULONG Depth, PMBX_SHARED Ring, struct mbx_cq_body *Body) {
    ULONG Count = EntryCountFor(Depth);
    NTSTATUS Status = SharedAllocate(Ring, Count * sizeof(struct mbx_completion) + sizeof(ULONG64));

    Body->ring = Ring->Address;
    Body->consumer = Ring->Address + Count * sizeof(struct mbx_completion);
    Body->entry_count = Count;
    Body->depth = Depth;
    return Status;
}

static PULONG RingConsumer(const MBX_SHARED *Ring, ULONG EntryCount) {
    return (PULONG)((struct mbx_completion *)Ring->Va + EntryCount);
}

/* The device has moved what was in the old ring. */
static NTSTATUS ResizeAnswered(PMBX_REQUEST Request) {
    PMBX_CQ Cq = CONTAINING_RECORD(Request->Object, MBX_CQ, Object);
    const struct mbx_cq_body *Body = &Request->Command.Data.body.cq;
    KLOCK_QUEUE_HANDLE Lock;
    MBX_SHARED Old;

    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    Cq->NextConsumer = NULL;
    if (Request->Command.Status == MBX_OK) {
        Old = Cq->Ring;
        Cq->Ring = Request->Shared;
        Request->Shared = Old;
        Cq->EntryCount = Body->entry_count;
        Cq->Depth = Body->depth;
        Cq->Consumer = RingConsumer(&Cq->Ring, Cq->EntryCount);
        CqConsumerWrite(Cq);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    return CommandNtStatus(Request->Command.Status);
}

/* One at a time. */
static NTSTATUS MbxResizeCq(NDK_CQ *CqHandle, ULONG CqDepth, NDK_FN_REQUEST_COMPLETION OnDone,
                            PVOID Caller) {
    PMBX_CQ Cq = CqOf(CqHandle);
    KLOCK_QUEUE_HANDLE Lock;
    PMBX_REQUEST Request;
    BOOLEAN Busy;

    if (CqDepth == 0 || CqDepth > Cq->Object.Adapter->Info.MaxCqDepth) {
        return STATUS_INVALID_PARAMETER;
    }
    Request = RequestNew(&Cq->Object, MBX_RESIZE_CQ, ResizeAnswered, OnDone, Caller);
    if (Request == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    if (!NT_SUCCESS(RingAllocate(CqDepth, &Request->Shared, &Request->Command.Data.body.cq))) {
        RequestFree(Request);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    KeAcquireInStackQueuedSpinLock(&Cq->Lock, &Lock);
    Busy = Cq->NextConsumer != NULL;
    if (!Busy) {
        Cq->NextConsumer =
            RingConsumer(&Request->Shared, Request->Command.Data.body.cq.entry_count);
        CqConsumerWrite(Cq);
    }
    KeReleaseInStackQueuedSpinLock(&Lock);
    if (Busy) {
        RequestFree(Request);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    return RequestPost(Request);
}

static const NDK_CQ_DISPATCH CqDispatch = {
    .NdkCloseCq = MbxCloseObject,
    .NdkQueryExtension = MbxQueryExtension,
    .NdkResizeCq = MbxResizeCq,
    .NdkArmCq = MbxArmCq,
    .NdkGetCqResults = MbxGetCqResults,
    .NdkControlCqInterruptModeration = MbxControlCqInterruptModeration,
    .NdkGetCqResultsEx = MbxGetCqResultsEx,
};

/* The affinity is a wish that a device with one interrupt cannot fulfil. */
NTSTATUS MbxCreateCq(NDK_ADAPTER *AdapterHandle, ULONG CqDepth,
                     NDK_FN_CQ_NOTIFICATION_CALLBACK OnNotify, PVOID NotifyContext,
                     GROUP_AFFINITY *Affinity, NDK_FN_CREATE_COMPLETION OnMade, PVOID Caller,
                     NDK_CQ **Made) {
    PMBX_OBJECT Open = CONTAINING_RECORD(AdapterHandle, MBX_OBJECT, Ndk.Adapter);
    PMBX_ADAPTER Adapter = Open->Adapter;
    PMBX_CQ Cq;

    UNREFERENCED_PARAMETER(Affinity);
    UNREFERENCED_PARAMETER(Made);
    if (CqDepth == 0 || CqDepth > Adapter->Info.MaxCqDepth) {
        return STATUS_INVALID_PARAMETER;
    }
    Cq = (PMBX_CQ)ObjectNew(Adapter, &CqClass, sizeof(*Cq), Open);
    if (Cq == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    KeInitializeSpinLock(&Cq->Lock);
    Cq->Object.Ndk.Cq.Dispatch = &CqDispatch;
    Cq->Notification = OnNotify;
    Cq->NotificationContext = NotifyContext;
    Cq->Look.Routine = CqLook;
    CommandInit(&Cq->Object.Command, MBX_CREATE_CQ, 0, NULL);
    if (!NT_SUCCESS(RingAllocate(CqDepth, &Cq->Ring, &Cq->Object.Command.Data.body.cq))) {
        ObjectPut(&Cq->Object);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Cq->Depth = CqDepth;
    Cq->EntryCount = Cq->Object.Command.Data.body.cq.entry_count;
    Cq->Consumer = RingConsumer(&Cq->Ring, Cq->EntryCount);
    return ObjectCreate(&Cq->Object, &Adapter->Cqs, OnMade, Caller);
}
