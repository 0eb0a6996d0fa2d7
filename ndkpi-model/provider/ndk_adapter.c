/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, closing and querying an NDK adapter; see ndk_adapter.h. */
#include "adapter.h"

static VOID OpenRelease(PRNIC_OBJECT Object);

static const RNIC_OBJECT_CLASS OpenClass = {
    .Type = NdkObjectTypeAdapter,
    .Name = "adapter",
    .Release = OpenRelease,
};

/* The highest minor of the wanted major is what one gets (H-01). */
static BOOLEAN VersionChoose(PRNIC_ADAPTER Adapter, NDK_VERSION Wanted, NDK_VERSION *Chosen) {
    const RNIC_SETTINGS *Settings = &Adapter->Settings;

    if (Wanted.Major < Settings->NdkMajorMin || Wanted.Major > Settings->NdkMajorMax) {
        return FALSE;
    }
    Chosen->Major = Wanted.Major;
    Chosen->Minor = (USHORT)(Wanted.Major == 2 ? Settings->NdkMinorMax2 : Settings->NdkMinorMax1);
    return Wanted.Minor <= Chosen->Minor;
}

/* RdmaTechnology is not in the headers that 1.1 came with. */
static ULONG InfoBytes(PRNIC_OPEN Open) {
    return ObjectKnows(&Open->Object, 1, 2) ? (ULONG)sizeof(NDK_ADAPTER_INFO)
                                            : (ULONG)FIELD_OFFSET(NDK_ADAPTER_INFO, RdmaTechnology);
}

static NTSTATUS NdkQueryAdapterInfo(NDK_ADAPTER *pNdkAdapter, NDK_ADAPTER_INFO *pInfo,
                                    ULONG *pBufferSize) {
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);
    ULONG Bytes = InfoBytes(Open);
    BOOLEAN Fits = pInfo != NULL && *pBufferSize >= Bytes;

    PAGED_CODE();
    *pBufferSize = Bytes;
    if (!Fits) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    RtlCopyMemory(pInfo, &Open->Object.Owner->Info, Bytes);
    pInfo->Version = Open->Object.Ndk.Header.Version;
    if (!ObjectKnows(&Open->Object, 1, 2)) {
        pInfo->AdapterFlags &= ~(ULONG)NDK_ADAPTER_FLAG_RDMA_READ_LOCAL_INVALIDATE_SUPPORTED;
    }
    return STATUS_SUCCESS;
}

static const NDK_ADAPTER_DISPATCH AdapterDispatch = {
    .NdkQueryExtension = NdkQueryExtension,
    .NdkQueryAdapterInfo = NdkQueryAdapterInfo,
    .NdkCreateCq = NdkCreateCq,
    .NdkCreatePd = NdkCreatePd,
    .NdkCreateSharedEndpoint = NdkCreateSharedEndpoint,
    .NdkCreateConnector = NdkCreateConnector,
    .NdkCreateListener = NdkCreateListener,
    .NdkBuildLAM = NdkBuildLam,
    .NdkReleaseLAM = NdkReleaseLam,
};

NDIS_STATUS OpenNdkAdapter(NDIS_HANDLE MiniportAdapterContext,
                           NDIS_OPEN_NDK_ADAPTER_PARAMETERS *Parameters,
                           NDK_ADAPTER **ppNdkAdapter) {
    PRNIC_ADAPTER Adapter = MiniportAdapterContext;
    NDK_VERSION Version;
    PRNIC_OPEN Open;

    PAGED_CODE();
    if (!VersionChoose(Adapter, Parameters->Version, &Version)) {
        return NDIS_STATUS_BAD_VERSION;
    }
    InterlockedIncrement(&Adapter->OpenCount);
    if (ReadNoFence(&Adapter->Enabled) == 0) {
        InterlockedDecrement(&Adapter->OpenCount);
        return NDIS_STATUS_ADAPTER_NOT_READY;
    }
    Open = AnswerFault(NULL, "provider.open.resources") ? NULL : PoolGet(sizeof(*Open));
    if (Open == NULL) {
        InterlockedDecrement(&Adapter->OpenCount);
        return NDIS_STATUS_RESOURCES;
    }
    ObjectInit(&Open->Object, Adapter, &OpenClass, Version);
    Open->Object.Ndk.Adapter.Dispatch = &AdapterDispatch;
    KeInitializeEvent(&Open->Closed, NotificationEvent, FALSE);
    *ppNdkAdapter = &Open->Object.Ndk.Adapter;
    return NDIS_STATUS_SUCCESS;
}

static VOID OpenRelease(PRNIC_OBJECT Object) {
    PRNIC_OPEN Open = CONTAINING_RECORD(Object, RNIC_OPEN, Object);

    KeSetEvent(&Open->Closed, IO_NO_INCREMENT, FALSE);
}

/* Blocks until all that was made through it is closed, close completions included (R-LIFE-28). */
VOID CloseNdkAdapter(NDIS_HANDLE MiniportAdapterContext, NDK_ADAPTER *pNdkAdapter) {
    PRNIC_ADAPTER Adapter = MiniportAdapterContext;
    PRNIC_OPEN Open = OpenOf(pNdkAdapter);

    PAGED_CODE();
    ObjectTraceHolders(&Open->Object);
    Open->Object.State = ObjectClosing;
    ObjectPut(&Open->Object, RefConsumer);
    KeWaitForSingleObject(&Open->Closed, Executive, KernelMode, FALSE, NULL);
    if (Open->LamCount != 0) {
        NdksimTrace("lam.leaked", NULL, (ULONG)Open->LamCount, 0);
    }
    PoolPut(Open);
    InterlockedDecrement(&Adapter->OpenCount);
}
