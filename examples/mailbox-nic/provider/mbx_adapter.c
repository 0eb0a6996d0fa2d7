/* SPDX-License-Identifier: Apache-2.0 */
/* An NDK adapter: opened, asked, closed; and logical address mappings, which are page lists. */
#include "mbx.h"

#define MBX_VENDOR_OUI 0x02DE51u
#define MBX_QUEUE_DEPTH_MAX 1024u
#define MBX_CQ_DEPTH_MAX 16384u
#define MBX_REGION_PAGES_MAX 4096u
#define MBX_OBJECTS_MAX 4000u /* of the device's 4096 of a kind */

static const MBX_CLASS OpenClass = {.Type = NdkObjectTypeAdapter};

static PMBX_OPEN OpenOf(NDK_ADAPTER *AdapterHandle) {
    return CONTAINING_RECORD(AdapterHandle, MBX_OPEN, Object.Ndk.Adapter);
}

/* What the device can do. Windows, SRQs and moderation it has not. */
VOID AdapterFillInfo(PMBX_ADAPTER Adapter) {
    NDK_ADAPTER_INFO *Info = &Adapter->Info;
    NDIS_NDK_CAPABILITIES *Capabilities = &Adapter->Capabilities;

    Info->Version.Major = 2;
    Info->Version.Minor = 1;
    Info->VendorId = MBX_VENDOR_OUI;
    Info->DeviceId = MBX_DEVICE_ID;
    /* One page less: a region need not begin on a page. */
    Info->MaxRegistrationSize = (SIZE_T)(MBX_REGION_PAGES_MAX - 1) << PAGE_SHIFT;
    Info->FRMRPageCount = MBX_FAST_PAGE_COUNT_MAX;
    Info->MaxInitiatorRequestSge = MBX_SGE_COUNT_MAX;
    Info->MaxReceiveRequestSge = MBX_SGE_COUNT_MAX;
    Info->MaxReadRequestSge = MBX_SGE_COUNT_MAX;
    Info->MaxTransferLength = MBX_MESSAGE_BYTES_MAX;
    Info->MaxInlineDataSize = MBX_INLINE_BYTES_MAX;
    Info->MaxInboundReadLimit = MBX_READS_MAX;
    Info->MaxOutboundReadLimit = MBX_READS_MAX;
    Info->MaxReceiveQueueDepth = MBX_QUEUE_DEPTH_MAX;
    Info->MaxInitiatorQueueDepth = MBX_QUEUE_DEPTH_MAX;
    Info->MaxCqDepth = MBX_CQ_DEPTH_MAX;
    Info->LargeRequestThreshold = 64 * 1024;
    Info->MaxCallerData = MBX_PRIVATE_BYTES;
    Info->MaxCalleeData = MBX_PRIVATE_BYTES;
    Info->AdapterFlags = NDK_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED |
                         NDK_ADAPTER_FLAG_RDMA_READ_SINK_NOT_REQUIRED |
                         NDK_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED;
    if (Adapter->Settings.Loopback != 0) {
        Info->AdapterFlags |= NDK_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED;
    }
    Info->RdmaTechnology = NdkRoCE;
    Capabilities->Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Capabilities->Header.Revision = NDIS_NDK_CAPABILITIES_REVISION_1;
    Capabilities->Header.Size = NDIS_SIZEOF_NDK_CAPABILITIES_REVISION_1;
    Capabilities->MaxQpCount = Capabilities->MaxCqCount = MBX_OBJECTS_MAX;
    Capabilities->MaxMrCount = Capabilities->MaxPdCount = MBX_OBJECTS_MAX / 2;
    Capabilities->NdkInfo = Info;
}

/* RdmaTechnology is not in the headers that 1.1 came with. */
static NTSTATUS MbxQueryAdapterInfo(NDK_ADAPTER *AdapterHandle, NDK_ADAPTER_INFO *Into,
                                    ULONG *Bytes) {
    const MBX_OBJECT *Open = &OpenOf(AdapterHandle)->Object;
    const ULONG Room = Into != NULL ? *Bytes : 0;

    PAGED_CODE();
    *Bytes = FIELD_OFFSET(NDK_ADAPTER_INFO, RdmaTechnology);
    if (ObjectKnows(Open, 1, 2)) {
        *Bytes = sizeof(NDK_ADAPTER_INFO);
    }
    if (Room >= *Bytes) {
        RtlCopyMemory(Into, &Open->Adapter->Info, *Bytes);
        Into->Version = Open->Ndk.Header.Version;
        return STATUS_SUCCESS;
    }
    return STATUS_BUFFER_TOO_SMALL;
}

/* ---- Logical addresses are physical ones; a mapping takes nothing that must be given back ---- */

static NTSTATUS MbxBuildLam(NDK_ADAPTER *AdapterHandle, MDL *Mdl, SIZE_T Length,
                            NDK_FN_REQUEST_COMPLETION OnDone, PVOID Caller,
                            NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM, ULONG *pLAMSize, ULONG *pFBO) {
    ULONG Pages;
    ULONG Bytes;
    BOOLEAN Fits;

    UNREFERENCED_PARAMETER(AdapterHandle);
    UNREFERENCED_PARAMETER(OnDone);
    UNREFERENCED_PARAMETER(Caller);
    if (Length == 0 || !NT_SUCCESS(MdlPages(Mdl, Length, NULL))) {
        return STATUS_INVALID_PARAMETER;
    }
    Pages = MdlPageCount(Mdl, Length);
    Bytes = FIELD_OFFSET(NDK_LOGICAL_ADDRESS_MAPPING, AdapterPageArray) +
            Pages * (ULONG)sizeof(NDK_LOGICAL_ADDRESS);
    Fits = pNdkLAM != NULL && *pLAMSize >= Bytes;
    *pLAMSize = Bytes;
    if (!Fits) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    *pFBO = MmGetMdlByteOffset(Mdl);
    pNdkLAM->AdapterContext = NULL;
    pNdkLAM->AdapterPageCount = Pages;
    return MdlPages(Mdl, Length, (ULONG64 *)pNdkLAM->AdapterPageArray);
}

C_ASSERT(sizeof(NDK_LOGICAL_ADDRESS) == sizeof(ULONG64));

static VOID MbxReleaseLam(NDK_ADAPTER *AdapterHandle, NDK_LOGICAL_ADDRESS_MAPPING *pNdkLAM) {
    UNREFERENCED_PARAMETER(AdapterHandle);
    UNREFERENCED_PARAMETER(pNdkLAM);
}

static NTSTATUS MbxCreateSharedEndpoint(NDK_ADAPTER *AdapterHandle, const struct sockaddr *pAddress,
                                        ULONG AddressLength, NDK_FN_CREATE_COMPLETION OnMade,
                                        PVOID Caller, NDK_SHARED_ENDPOINT **Made) {
    UNREFERENCED_PARAMETER(AdapterHandle);
    UNREFERENCED_PARAMETER(pAddress);
    UNREFERENCED_PARAMETER(AddressLength);
    UNREFERENCED_PARAMETER(OnMade);
    UNREFERENCED_PARAMETER(Caller);
    UNREFERENCED_PARAMETER(Made);
    return STATUS_NOT_SUPPORTED;
}

static const NDK_ADAPTER_DISPATCH AdapterDispatch = {
    .NdkQueryExtension = MbxQueryExtension,
    .NdkQueryAdapterInfo = MbxQueryAdapterInfo,
    .NdkCreateCq = MbxCreateCq,
    .NdkCreatePd = MbxCreatePd,
    .NdkCreateSharedEndpoint = MbxCreateSharedEndpoint,
    .NdkCreateConnector = MbxCreateConnector,
    .NdkCreateListener = MbxCreateListener,
    .NdkBuildLAM = MbxBuildLam,
    .NdkReleaseLAM = MbxReleaseLam,
};

/* ---- Open and close ---- */

/* Majors 1 and 2, of each its highest minor, whatever lower one was asked for. */
static BOOLEAN VersionChoose(NDK_VERSION Wanted, NDK_VERSION *Chosen) {
    Chosen->Major = Wanted.Major;
    Chosen->Minor = Wanted.Major == 2 ? 1 : 2;
    return (Wanted.Major == 1 || Wanted.Major == 2) && Wanted.Minor <= Chosen->Minor;
}

NDIS_STATUS OpenNdkAdapter(NDIS_HANDLE Miniport, NDIS_OPEN_NDK_ADAPTER_PARAMETERS *Parameters,
                           NDK_ADAPTER **Made) {
    PMBX_ADAPTER Adapter = Miniport;
    NDK_VERSION Version;
    PMBX_OPEN Open;

    PAGED_CODE();
    if (!VersionChoose(Parameters->Version, &Version)) {
        return NDIS_STATUS_BAD_VERSION;
    }
    if (ReadNoFence(&Adapter->Enabled) == 0) {
        return NDIS_STATUS_ADAPTER_NOT_READY;
    }
    Open = (PMBX_OPEN)ObjectNew(Adapter, &OpenClass, sizeof(*Open), NULL);
    if (Open == NULL) {
        return NDIS_STATUS_RESOURCES;
    }
    Open->Object.Ndk.Header.Version = Version;
    Open->Object.Ndk.Adapter.Dispatch = &AdapterDispatch;
    *Made = &Open->Object.Ndk.Adapter;
    return NDIS_STATUS_SUCCESS;
}

/* The last reference is gone with the close completion of the last object below. */
static VOID OpenClosed(PVOID Context) {
    KeSetEvent(Context, IO_NO_INCREMENT, FALSE);
}

VOID CloseNdkAdapter(NDIS_HANDLE Miniport, NDK_ADAPTER *AdapterHandle) {
    PMBX_OPEN Open = OpenOf(AdapterHandle);
    KEVENT Closed;

    UNREFERENCED_PARAMETER(Miniport);
    PAGED_CODE();
    KeInitializeEvent(&Closed, NotificationEvent, FALSE);
    MbxCloseObject(&Open->Object.Ndk.Header, OpenClosed, &Closed);
    KeWaitForSingleObject(&Closed, Executive, KernelMode, FALSE, NULL);
}
