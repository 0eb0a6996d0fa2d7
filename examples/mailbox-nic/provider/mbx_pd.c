/* SPDX-License-Identifier: Apache-2.0 */
/* Protection domains, with what they refuse: windows and shared receive queues. */
#include "mbx.h"

static const MBX_CLASS PdClass = {.Type = NdkObjectTypePd, .DestroyOpcode = MBX_DESTROY_PD};

static VOID PdCreated(PMBX_OBJECT Object) {
    CONTAINING_RECORD(Object, MBX_PD, Object)->PrivilegedToken = Object->Command.Value;
}

static VOID NdkGetPrivilegedMemoryRegionToken(NDK_PD *pNdkPd, UINT32 *pToken) {
    *pToken = PdOf(pNdkPd)->PrivilegedToken;
}

static NTSTATUS NdkCreateMw(NDK_PD *pNdkPd, NDK_FN_CREATE_COMPLETION CreateCompletion,
                            PVOID RequestContext, NDK_MW **ppNdkMw) {
    UNREFERENCED_PARAMETER(pNdkPd);
    UNREFERENCED_PARAMETER(CreateCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(ppNdkMw);
    return STATUS_NOT_SUPPORTED;
}

/* MaxSrqDepth is 0, and any depth is more than that. */
static NTSTATUS NdkCreateSrq(NDK_PD *pNdkPd, ULONG SrqDepth, ULONG MaxReceiveRequestSge,
                             ULONG NotifyThreshold,
                             NDK_FN_SRQ_NOTIFICATION_CALLBACK SrqNotification,
                             PVOID SrqNotificationContext, GROUP_AFFINITY *Affinity,
                             NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                             NDK_SRQ **ppNdkSrq) {
    UNREFERENCED_PARAMETER(pNdkPd);
    UNREFERENCED_PARAMETER(SrqDepth);
    UNREFERENCED_PARAMETER(MaxReceiveRequestSge);
    UNREFERENCED_PARAMETER(NotifyThreshold);
    UNREFERENCED_PARAMETER(SrqNotification);
    UNREFERENCED_PARAMETER(SrqNotificationContext);
    UNREFERENCED_PARAMETER(Affinity);
    UNREFERENCED_PARAMETER(CreateCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(ppNdkSrq);
    return STATUS_INVALID_PARAMETER;
}

static NTSTATUS NdkCreateQpWithSrq(NDK_PD *pNdkPd, NDK_CQ *pReceiveCq, NDK_CQ *pInitiatorCq,
                                   NDK_SRQ *pSrq, PVOID QPContext, ULONG InitiatorQueueDepth,
                                   ULONG MaxInitiatorRequestSge, ULONG InlineDataSize,
                                   NDK_FN_CREATE_COMPLETION CreateCompletion, PVOID RequestContext,
                                   NDK_QP **ppNdkQp) {
    UNREFERENCED_PARAMETER(pNdkPd);
    UNREFERENCED_PARAMETER(pReceiveCq);
    UNREFERENCED_PARAMETER(pInitiatorCq);
    UNREFERENCED_PARAMETER(pSrq);
    UNREFERENCED_PARAMETER(QPContext);
    UNREFERENCED_PARAMETER(InitiatorQueueDepth);
    UNREFERENCED_PARAMETER(MaxInitiatorRequestSge);
    UNREFERENCED_PARAMETER(InlineDataSize);
    UNREFERENCED_PARAMETER(CreateCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(ppNdkQp);
    return STATUS_NOT_SUPPORTED;
}

static const NDK_PD_DISPATCH PdDispatch = {
    .NdkClosePd = NdkCloseObject,
    .NdkQueryExtension = NdkQueryExtension,
    .NdkCreateMr = NdkCreateMr,
    .NdkCreateMw = NdkCreateMw,
    .NdkCreateSrq = NdkCreateSrq,
    .NdkCreateQp = NdkCreateQp,
    .NdkCreateQpWithSrq = NdkCreateQpWithSrq,
    .NdkGetPrivilegedMemoryRegionToken = NdkGetPrivilegedMemoryRegionToken,
};

NTSTATUS NdkCreatePd(NDK_ADAPTER *pNdkAdapter, NDK_FN_CREATE_COMPLETION CreateCompletion,
                     PVOID RequestContext, NDK_PD **ppNdkPd) {
    PMBX_OBJECT Open = CONTAINING_RECORD(pNdkAdapter, MBX_OBJECT, Ndk.Adapter);
    PMBX_PD Pd = (PMBX_PD)ObjectNew(Open->Adapter, &PdClass, sizeof(*Pd), Open);

    UNREFERENCED_PARAMETER(ppNdkPd);
    if (Pd == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Pd->Object.Ndk.Pd.Dispatch = &PdDispatch;
    Pd->Object.Created = PdCreated;
    CommandInit(&Pd->Object.Command, MBX_CREATE_PD, 0, NULL);
    return ObjectCreate(&Pd->Object, &Open->Adapter->Others, CreateCompletion, RequestContext);
}
