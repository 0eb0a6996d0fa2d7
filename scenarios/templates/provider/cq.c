/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion queues. NDK may ask for them at DISPATCH_LEVEL, the hardware wants PASSIVE_LEVEL: a
 * work item makes and unmakes them, and its routine calls back.
 *
 *   CREATING --made--> OPEN --close--> CLOSING --> gone           CREATING --refused--> gone
 */
#include "provider.h"

typedef struct _CQ {
    NDK_CQ Ndk;
    POPENED Opened;
    HAL_CQ Hal;
    ULONG Depth;
    PIO_WORKITEM Work;
    NDK_FN_CREATE_COMPLETION Created; /* of the request that runs */
    NDK_FN_CLOSE_COMPLETION Closed;
    PVOID Context;
} CQ, *PCQ;

static IO_WORKITEM_ROUTINE_EX CreateWork;
static IO_WORKITEM_ROUTINE_EX CloseWork;

static VOID CqFree(PCQ Cq) {
    POPENED Opened = Cq->Opened;

    IoFreeWorkItem(Cq->Work);
    ExFreePoolWithTag(Cq, PROVIDER_TAG);
    OpenedPut(Opened);
}

static VOID CreateWork(PVOID IoObject, PVOID Context, PIO_WORKITEM WorkItem) {
    PCQ Cq = Context;
    NTSTATUS Status = HalCqCreate(&Cq->Opened->Provider->Hal, Cq->Depth, &Cq->Hal);

    UNREFERENCED_PARAMETER(IoObject);
    UNREFERENCED_PARAMETER(WorkItem);
    if (NT_SUCCESS(Status)) {
        /* It may be closed inside the callback already. */
        Cq->Created(Cq->Context, STATUS_SUCCESS, &Cq->Ndk.Header);
    } else {
        Cq->Created(Cq->Context, Status, NULL);
        CqFree(Cq);
    }
}

static VOID CloseWork(PVOID IoObject, PVOID Context, PIO_WORKITEM WorkItem) {
    PCQ Cq = Context;

    UNREFERENCED_PARAMETER(IoObject);
    UNREFERENCED_PARAMETER(WorkItem);
    HalCqDestroy(&Cq->Opened->Provider->Hal, &Cq->Hal);
    Cq->Closed(Cq->Context);
    CqFree(Cq);
}

static NTSTATUS CqClose(NDK_OBJECT_HEADER *pNdkObject, NDK_FN_CLOSE_COMPLETION CloseCompletion,
                        PVOID RequestContext) {
    PCQ Cq = CONTAINING_RECORD(pNdkObject, CQ, Ndk.Header);

    Cq->Closed = CloseCompletion;
    Cq->Context = RequestContext;
    IoQueueWorkItemEx(Cq->Work, CloseWork, DelayedWorkQueue, Cq);
    return STATUS_PENDING;
}

/* No QP completes into it yet: there is nothing to be told and nothing to be had. */

static VOID CqArm(NDK_CQ *pNdkCq, ULONG Type) {
    UNREFERENCED_PARAMETER(pNdkCq);
    UNREFERENCED_PARAMETER(Type);
}

static ULONG CqResults(NDK_CQ *pNdkCq, NDK_RESULT *Results, ULONG nResults) {
    UNREFERENCED_PARAMETER(pNdkCq);
    UNREFERENCED_PARAMETER(Results);
    UNREFERENCED_PARAMETER(nResults);
    return 0;
}

static ULONG CqResultsEx(NDK_CQ *pNdkCq, NDK_RESULT_EX *Results, ULONG nResults) {
    UNREFERENCED_PARAMETER(pNdkCq);
    UNREFERENCED_PARAMETER(Results);
    UNREFERENCED_PARAMETER(nResults);
    return 0;
}

static NTSTATUS CqResize(NDK_CQ *pNdkCq, ULONG CqDepth, NDK_FN_REQUEST_COMPLETION Completion,
                         PVOID RequestContext) {
    UNREFERENCED_PARAMETER(pNdkCq);
    UNREFERENCED_PARAMETER(CqDepth);
    UNREFERENCED_PARAMETER(Completion);
    UNREFERENCED_PARAMETER(RequestContext);
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS CqModerate(NDK_CQ *pNdkCq, ULONG Interval, ULONG Count) {
    UNREFERENCED_PARAMETER(pNdkCq);
    UNREFERENCED_PARAMETER(Interval);
    UNREFERENCED_PARAMETER(Count);
    return STATUS_NOT_SUPPORTED;
}

static const NDK_CQ_DISPATCH Dispatch = {
    .NdkCloseCq = CqClose,
    .NdkQueryExtension = NoExtension,
    .NdkResizeCq = CqResize,
    .NdkArmCq = CqArm,
    .NdkGetCqResults = CqResults,
    .NdkControlCqInterruptModeration = CqModerate,
    .NdkGetCqResultsEx = CqResultsEx,
};

NTSTATUS CqCreate(NDK_ADAPTER *pNdkAdapter, ULONG CqDepth,
                  NDK_FN_CQ_NOTIFICATION_CALLBACK CqNotification, PVOID CqNotificationContext,
                  GROUP_AFFINITY *Affinity, NDK_FN_CREATE_COMPLETION CreateCompletion,
                  PVOID RequestContext, NDK_CQ **ppNdkCq) {
    POPENED Opened = CONTAINING_RECORD(pNdkAdapter, OPENED, Ndk);
    PCQ Cq;

    UNREFERENCED_PARAMETER(CqNotification);
    UNREFERENCED_PARAMETER(CqNotificationContext);
    UNREFERENCED_PARAMETER(Affinity);
    UNREFERENCED_PARAMETER(ppNdkCq);
    if (CqDepth == 0 || CqDepth > Opened->Provider->Info.MaxCqDepth) {
        return STATUS_INVALID_PARAMETER;
    }
    Cq = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Cq), PROVIDER_TAG);
    if (Cq == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Cq->Work = IoAllocateWorkItem((PDEVICE_OBJECT)(PVOID)DriverObjectOfProvider);
    if (Cq->Work == NULL) {
        ExFreePoolWithTag(Cq, PROVIDER_TAG);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Cq->Ndk.Header.ObjectType = NdkObjectTypeCq;
    Cq->Ndk.Header.Version = pNdkAdapter->Header.Version;
    Cq->Ndk.Dispatch = &Dispatch;
    Cq->Opened = Opened;
    Cq->Depth = CqDepth;
    Cq->Created = CreateCompletion;
    Cq->Context = RequestContext;
    InterlockedIncrement(&Opened->Count);
    IoQueueWorkItemEx(Cq->Work, CreateWork, DelayedWorkQueue, Cq);
    return STATUS_PENDING;
}
