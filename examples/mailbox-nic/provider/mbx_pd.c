/* SPDX-License-Identifier: Apache-2.0 */
/* Protection domains, with what they refuse: windows and shared receive queues. */
#include "mbx.h"

static const MBX_CLASS PdClass = {.Type = NdkObjectTypePd,
                                  .CreateFault = "provider.create_pd.insufficient_resources",
                                  .DestroyOpcode = MBX_DESTROY_PD};

static VOID PdCreated(PMBX_OBJECT Object) {
    CONTAINING_RECORD(Object, MBX_PD, Object)->PrivilegedToken = Object->Command.Value;
}

static VOID MbxGetPrivilegedMemoryRegionToken(NDK_PD *PdHandle, UINT32 *pToken) {
    *pToken = PdOf(PdHandle)->PrivilegedToken;
}

static NTSTATUS MbxCreateMw(NDK_PD *PdHandle, NDK_FN_CREATE_COMPLETION OnMade, PVOID Caller,
                            NDK_MW **Made) {
    UNREFERENCED_PARAMETER(PdHandle);
    UNREFERENCED_PARAMETER(OnMade);
    UNREFERENCED_PARAMETER(Caller);
    UNREFERENCED_PARAMETER(Made);
    return STATUS_NOT_SUPPORTED;
}

/* MaxSrqDepth is 0, and any depth is more than that. */
static NTSTATUS MbxCreateSrq(NDK_PD *PdHandle, ULONG SrqDepth, ULONG ReceiveSges,
                             ULONG NotifyThreshold,
                             NDK_FN_SRQ_NOTIFICATION_CALLBACK SrqNotification,
                             PVOID SrqNotificationContext, GROUP_AFFINITY *Affinity,
                             NDK_FN_CREATE_COMPLETION OnMade, PVOID Caller, NDK_SRQ **Made) {
    UNREFERENCED_PARAMETER(PdHandle);
    UNREFERENCED_PARAMETER(SrqDepth);
    UNREFERENCED_PARAMETER(ReceiveSges);
    UNREFERENCED_PARAMETER(NotifyThreshold);
    UNREFERENCED_PARAMETER(SrqNotification);
    UNREFERENCED_PARAMETER(SrqNotificationContext);
    UNREFERENCED_PARAMETER(Affinity);
    UNREFERENCED_PARAMETER(OnMade);
    UNREFERENCED_PARAMETER(Caller);
    UNREFERENCED_PARAMETER(Made);
    return STATUS_INVALID_PARAMETER;
}

static NTSTATUS MbxCreateQpWithSrq(NDK_PD *PdHandle, NDK_CQ *ReceiveHandle, NDK_CQ *InitiatorHandle,
                                   NDK_SRQ *pSrq, PVOID ForResults, ULONG SendDepth, ULONG SendSges,
                                   ULONG InlineRoom, NDK_FN_CREATE_COMPLETION OnMade, PVOID Caller,
                                   NDK_QP **Made) {
    UNREFERENCED_PARAMETER(PdHandle);
    UNREFERENCED_PARAMETER(ReceiveHandle);
    UNREFERENCED_PARAMETER(InitiatorHandle);
    UNREFERENCED_PARAMETER(pSrq);
    UNREFERENCED_PARAMETER(ForResults);
    UNREFERENCED_PARAMETER(SendDepth);
    UNREFERENCED_PARAMETER(SendSges);
    UNREFERENCED_PARAMETER(InlineRoom);
    UNREFERENCED_PARAMETER(OnMade);
    UNREFERENCED_PARAMETER(Caller);
    UNREFERENCED_PARAMETER(Made);
    return STATUS_NOT_SUPPORTED;
}

static const NDK_PD_DISPATCH PdDispatch = {
    .NdkClosePd = MbxCloseObject,
    .NdkQueryExtension = MbxQueryExtension,
    .NdkCreateMr = MbxCreateMr,
    .NdkCreateMw = MbxCreateMw,
    .NdkCreateSrq = MbxCreateSrq,
    .NdkCreateQp = MbxCreateQp,
    .NdkCreateQpWithSrq = MbxCreateQpWithSrq,
    .NdkGetPrivilegedMemoryRegionToken = MbxGetPrivilegedMemoryRegionToken,
};

NTSTATUS MbxCreatePd(NDK_ADAPTER *AdapterHandle, NDK_FN_CREATE_COMPLETION OnMade, PVOID Caller,
                     NDK_PD **Made) {
    PMBX_OBJECT Open = CONTAINING_RECORD(AdapterHandle, MBX_OBJECT, Ndk.Adapter);
    PMBX_PD Pd = (PMBX_PD)ObjectNew(Open->Adapter, &PdClass, sizeof(*Pd), Open);

    UNREFERENCED_PARAMETER(Made);
    if (Pd == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Pd->Object.Ndk.Pd.Dispatch = &PdDispatch;
    Pd->Object.Created = PdCreated;
    CommandInit(&Pd->Object.Command, MBX_CREATE_PD, 0, NULL);
    return ObjectCreate(&Pd->Object, &Open->Adapter->Others, OnMade, Caller);
}
