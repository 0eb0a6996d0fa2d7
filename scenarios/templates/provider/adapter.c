/* SPDX-License-Identifier: Apache-2.0 */
/* The NDK adapter: opened, asked what it can do, closed. What is not here yet says so. */
#include "provider.h"

#define MINOR_MAX 2

NTSTATUS NoExtension(NDK_OBJECT_HEADER *pNdkObject, GUID *Id, NDK_VERSION Version,
                     NDK_EXTENSION_INTERFACE *pInterface) {
    UNREFERENCED_PARAMETER(pNdkObject);
    UNREFERENCED_PARAMETER(Id);
    UNREFERENCED_PARAMETER(Version);
    UNREFERENCED_PARAMETER(pInterface);
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS QueryInfo(NDK_ADAPTER *pNdkAdapter, NDK_ADAPTER_INFO *pInfo, ULONG *pBufferSize) {
    POPENED Opened = CONTAINING_RECORD(pNdkAdapter, OPENED, Ndk);
    BOOLEAN Fits = pInfo != NULL && *pBufferSize >= sizeof(*pInfo);

    *pBufferSize = sizeof(*pInfo);
    if (!Fits) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    *pInfo = Opened->Provider->Info;
    pInfo->Version = pNdkAdapter->Header.Version;
    return STATUS_SUCCESS;
}

VOID AdapterFillInfo(PPROVIDER Provider) {
    const HAL_LIMITS *Limits = &Provider->Hal.Limits;
    NDK_ADAPTER_INFO *Info = &Provider->Info;

    Info->VendorId = Limits->VendorId;
    Info->DeviceId = Limits->DeviceId;
    Info->MaxRegistrationSize = Limits->MessageBytes;
    Info->MaxWindowSize = Limits->MessageBytes;
    Info->FRMRPageCount = Limits->FastRegisterPages;
    Info->MaxInitiatorRequestSge = Limits->SgeCount;
    Info->MaxReceiveRequestSge = Limits->SgeCount;
    Info->MaxReadRequestSge = Limits->ReadSgeCount;
    Info->MaxTransferLength = Limits->MessageBytes;
    Info->MaxInlineDataSize = Limits->InlineBytes;
    Info->MaxInboundReadLimit = Limits->ReadsIn;
    Info->MaxOutboundReadLimit = Limits->ReadsOut;
    Info->MaxReceiveQueueDepth = Limits->RqDepth;
    Info->MaxInitiatorQueueDepth = Limits->SqDepth;
    Info->MaxSrqDepth = Limits->SrqDepth;
    Info->MaxCqDepth = Limits->CqDepth;
    Info->RdmaTechnology = NdkRoCEv2;
}

/* ---- Not yet ---- */

static NTSTATUS NoPd(NDK_ADAPTER *pNdkAdapter, NDK_FN_CREATE_COMPLETION CreateCompletion,
                     PVOID RequestContext, NDK_PD **ppNdkPd) {
    UNREFERENCED_PARAMETER(pNdkAdapter);
    UNREFERENCED_PARAMETER(CreateCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(ppNdkPd);
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS NoSharedEndpoint(NDK_ADAPTER *pNdkAdapter, const struct sockaddr *pAddress,
                                 ULONG AddressLength, NDK_FN_CREATE_COMPLETION CreateCompletion,
                                 PVOID RequestContext, NDK_SHARED_ENDPOINT **ppNdkSharedEndpoint) {
    UNREFERENCED_PARAMETER(pNdkAdapter);
    UNREFERENCED_PARAMETER(pAddress);
    UNREFERENCED_PARAMETER(AddressLength);
    UNREFERENCED_PARAMETER(CreateCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(ppNdkSharedEndpoint);
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS NoConnector(NDK_ADAPTER *pNdkAdapter, NDK_FN_CREATE_COMPLETION CreateCompletion,
                            PVOID RequestContext, NDK_CONNECTOR **ppNdkConnector) {
    UNREFERENCED_PARAMETER(pNdkAdapter);
    UNREFERENCED_PARAMETER(CreateCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(ppNdkConnector);
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS NoListener(NDK_ADAPTER *pNdkAdapter, NDK_FN_CONNECT_EVENT_CALLBACK ConnectEvent,
                           PVOID ConnectEventContext, NDK_FN_CREATE_COMPLETION CreateCompletion,
                           PVOID RequestContext, NDK_LISTENER **ppNdkListener) {
    UNREFERENCED_PARAMETER(pNdkAdapter);
    UNREFERENCED_PARAMETER(ConnectEvent);
    UNREFERENCED_PARAMETER(ConnectEventContext);
    UNREFERENCED_PARAMETER(CreateCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(ppNdkListener);
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS NoLam(NDK_ADAPTER *pNdkAdapter, MDL *Mdl, SIZE_T Length,
                      NDK_FN_REQUEST_COMPLETION RequestCompletion, PVOID RequestContext,
                      NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM, ULONG *pLAMSize, ULONG *pFBO) {
    UNREFERENCED_PARAMETER(pNdkAdapter);
    UNREFERENCED_PARAMETER(Mdl);
    UNREFERENCED_PARAMETER(Length);
    UNREFERENCED_PARAMETER(RequestCompletion);
    UNREFERENCED_PARAMETER(RequestContext);
    UNREFERENCED_PARAMETER(pNdkLAM);
    UNREFERENCED_PARAMETER(pLAMSize);
    UNREFERENCED_PARAMETER(pFBO);
    return STATUS_NOT_SUPPORTED;
}

static VOID NoLamRelease(NDK_ADAPTER *pNdkAdapter, NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM) {
    UNREFERENCED_PARAMETER(pNdkAdapter);
    UNREFERENCED_PARAMETER(pNdkLAM);
}

static const NDK_ADAPTER_DISPATCH Dispatch = {
    .NdkQueryExtension = NoExtension,
    .NdkQueryAdapterInfo = QueryInfo,
    .NdkCreateCq = CqCreate,
    .NdkCreatePd = NoPd,
    .NdkCreateSharedEndpoint = NoSharedEndpoint,
    .NdkCreateConnector = NoConnector,
    .NdkCreateListener = NoListener,
    .NdkBuildLAM = NoLam,
    .NdkReleaseLAM = NoLamRelease,
};

/* ---- Life ---- */

NDIS_STATUS AdapterOpen(NDIS_HANDLE Context, NDIS_OPEN_NDK_ADAPTER_PARAMETERS *Parameters,
                        NDK_ADAPTER **ppNdkAdapter) {
    PPROVIDER Provider = Context;
    POPENED Opened;

    if (!Provider->NdkEnabled) {
        return NDIS_STATUS_ADAPTER_NOT_READY;
    }
    if (Parameters->Version.Major != 1 || Parameters->Version.Minor > MINOR_MAX) {
        return NDIS_STATUS_BAD_VERSION;
    }
    Opened = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Opened), PROVIDER_TAG);
    if (Opened == NULL) {
        return NDIS_STATUS_RESOURCES;
    }
    Opened->Ndk.Header.ObjectType = NdkObjectTypeAdapter;
    Opened->Ndk.Header.Version.Major = 1;
    Opened->Ndk.Header.Version.Minor = MINOR_MAX;
    Opened->Ndk.Dispatch = &Dispatch;
    Opened->Provider = Provider;
    Opened->Count = 1;
    KeInitializeEvent(&Opened->Closed, NotificationEvent, FALSE);
    *ppNdkAdapter = &Opened->Ndk;
    return NDIS_STATUS_SUCCESS;
}

VOID OpenedPut(POPENED Opened) {
    if (InterlockedDecrement(&Opened->Count) == 0) {
        KeSetEvent(&Opened->Closed, IO_NO_INCREMENT, FALSE);
    }
}

/* Returns when all that was made through it is closed and every callback has returned. */
VOID AdapterClose(NDIS_HANDLE Context, NDK_ADAPTER *pNdkAdapter) {
    POPENED Opened = CONTAINING_RECORD(pNdkAdapter, OPENED, Ndk);

    UNREFERENCED_PARAMETER(Context);
    OpenedPut(Opened);
    KeWaitForSingleObject(&Opened->Closed, Executive, KernelMode, FALSE, NULL);
    ExFreePoolWithTag(Opened, PROVIDER_TAG);
}
