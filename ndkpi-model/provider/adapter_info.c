/* SPDX-License-Identifier: Apache-2.0 */
/* What the adapter tells of itself: limits as the device has them, cut by the settings. */
#include "adapter.h"

#define RNIC_VENDOR_OUI 0x02DE51u
#define RNIC_MAX_TRANSFER_BYTES (1u << 30)

static UCHAR PathMtuCode(ULONG Bytes) {
    UCHAR Code = 1;

    while (Code < 5 && (256u << Code) <= Bytes) {
        Code++;
    }
    return Code;
}

/*
 * The active frame size is the largest supported one up to the wanted one that fits the link; a
 * difference is logged (R-NDIS-29). Headers of an IPv6 WRITE with immediate: 84 bytes.
 */
static VOID FillPathMtu(PRNIC_ADAPTER Adapter) {
    ULONG Wanted = Adapter->Settings.RoceFrameBytes;
    ULONG Space = Adapter->MtuBytes;
    ULONG Bytes;

    if (Adapter->Settings.JumboPacketBytes > 14) {
        Space = min(Space, Adapter->Settings.JumboPacketBytes - 14);
    }
    Bytes = min(Wanted, Space > 84 ? Space - 84 : 256);
    Adapter->PathMtu = min(PathMtuCode(Bytes), Adapter->Caps.path_mtu_max);
    if (128u << Adapter->PathMtu != Wanted) {
        NdisWriteErrorLogEntry(Adapter->MiniportHandle, RNIC_LOG_FRAME_SIZE, 2, Wanted,
                               128u << Adapter->PathMtu);
    }
}

static ULONG FillFlags(PRNIC_ADAPTER Adapter) {
    const struct rnic_caps *Caps = &Adapter->Caps;
    const RNIC_SETTINGS *Settings = &Adapter->Settings;
    ULONG Flags = 0;

    if ((Caps->flags & RNIC_CAP_IN_ORDER_DMA) != 0) {
        Flags |= NDK_ADAPTER_FLAG_IN_ORDER_DMA_SUPPORTED;
    }
    if ((Caps->flags & RNIC_CAP_READ_SINK_REQUIRED) == 0) {
        Flags |= NDK_ADAPTER_FLAG_RDMA_READ_SINK_NOT_REQUIRED;
    }
    if ((Caps->flags & RNIC_CAP_READ_INVALIDATE) != 0) {
        Flags |= NDK_ADAPTER_FLAG_RDMA_READ_LOCAL_INVALIDATE_SUPPORTED;
    }
    if ((Caps->flags & RNIC_CAP_CQ_RESIZE) != 0 && Settings->CqResize != 0) {
        Flags |= NDK_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED;
    }
    if ((Caps->flags & RNIC_CAP_CQ_MODERATION) != 0 && Settings->CqModeration != 0) {
        Flags |= NDK_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED;
    }
    if (Settings->Loopback != 0) {
        Flags |= NDK_ADAPTER_FLAG_LOOPBACK_CONNECTIONS_SUPPORTED;
    }
    return Flags;
}

static VOID FillNdkInfo(PRNIC_ADAPTER Adapter) {
    const struct rnic_caps *Caps = &Adapter->Caps;
    const RNIC_SETTINGS *Settings = &Adapter->Settings;
    NDK_ADAPTER_INFO *Info = &Adapter->Info;
    ULONG64 Pages = min((ULONG64)Caps->mkey_page_count_max, (ULONG64)RNIC_DMA_LISTS_MAX);

    Info->Version.Major = (USHORT)Settings->NdkMajorMax;
    Info->Version.Minor =
        (USHORT)(Settings->NdkMajorMax == 2 ? Settings->NdkMinorMax2 : Settings->NdkMinorMax1);
    Info->VendorId = RNIC_VENDOR_OUI;
    Info->DeviceId = RNIC_DEVICE_ID;
    /* One page less: a region need not start on a page boundary. */
    Info->MaxRegistrationSize = (SIZE_T)min(Caps->mkey_bytes_max, (Pages - 1) << PAGE_SHIFT);
    Info->MaxWindowSize = (Caps->flags & RNIC_CAP_MW_TYPE_2) != 0 ? Info->MaxRegistrationSize : 0;
    Info->FRMRPageCount = Adapter->FrmrPageCountMax;
    Info->MaxInitiatorRequestSge = min(Caps->sge_count_max, Settings->MaxSge);
    Info->MaxReceiveRequestSge = min(Caps->sge_count_max, Settings->MaxSge);
    Info->MaxReadRequestSge = min(Caps->read_sge_count_max, Settings->MaxReadSge);
    Info->MaxReadRequestSge = min(Info->MaxReadRequestSge, Info->MaxInitiatorRequestSge);
    Info->MaxTransferLength = min(Caps->message_bytes_max, RNIC_MAX_TRANSFER_BYTES);
    Info->MaxInlineDataSize = min(Caps->inline_bytes_max, Settings->MaxInlineBytes);
    Info->MaxInboundReadLimit = min(Caps->reads_in_max, Settings->MaxReadLimit);
    Info->MaxOutboundReadLimit = min(Caps->reads_out_max, Settings->MaxReadLimit);
    Info->MaxReceiveQueueDepth = min(Caps->rq_entry_count_max, Settings->MaxQueueDepth);
    Info->MaxInitiatorQueueDepth = min(Caps->sq_entry_count_max, Settings->MaxQueueDepth);
    Info->MaxSrqDepth = 0;
    if ((Caps->flags & RNIC_CAP_SRQ) != 0) {
        Info->MaxSrqDepth = min(Caps->srq_entry_count_max, Settings->MaxSrqDepth);
    }
    Info->MaxCqDepth = min(Caps->cq_entry_count_max, Settings->MaxCqDepth);
    Info->LargeRequestThreshold = 64 * 1024;
    Info->MaxCallerData = RNIC_CM_REQ_PRIVATE_BYTES;
    /* With accept and with reject: what both messages can carry. */
    Info->MaxCalleeData = RNIC_CM_REJ_PRIVATE_BYTES;
    if (AdapterIsExact(Adapter)) {
        /* The length needs a byte. */
        Info->MaxCallerData--;
        Info->MaxCalleeData--;
    }
    Info->AdapterFlags = FillFlags(Adapter);
    Info->RdmaTechnology = (NDK_RDMA_TECHNOLOGY)Settings->Technology;
}

NTSTATUS AdapterFillInfo(PRNIC_ADAPTER Adapter) {
    const struct rnic_caps *Caps = &Adapter->Caps;
    const RNIC_SETTINGS *Settings = &Adapter->Settings;
    NDIS_NDK_CAPABILITIES *Capabilities = &Adapter->Capabilities;

    if (Capabilities->NdkInfo != NULL) {
        return STATUS_SUCCESS;
    }
    FillPathMtu(Adapter);
    Adapter->FrmrPageCountMax = min(Caps->fast_reg_page_count_max, Settings->FrmrPageCount);
    Adapter->TokenFlip = Settings->TokensEqual != 0 ? 0 : 0x80000000u;
    FillNdkInfo(Adapter);
    Capabilities->Header.Type = NDIS_OBJECT_TYPE_DEFAULT;
    Capabilities->Header.Revision = NDIS_NDK_CAPABILITIES_REVISION_1;
    Capabilities->Header.Size = NDIS_SIZEOF_NDK_CAPABILITIES_REVISION_1;
    /* The connection manager has a QP, a CQ and a PD of its own. */
    Capabilities->MaxQpCount = min(Caps->qp_count_max - 1, Settings->MaxQpCount);
    Capabilities->MaxCqCount = min(Caps->cq_count_max - 1, Settings->MaxCqCount);
    Capabilities->MaxInboundReadLimit = Caps->reads_in_total_max;
    Capabilities->MaxOutboundReadLimit = Caps->reads_out_total_max;
    Capabilities->MaxMrCount = min(Caps->mkey_count_max, Settings->MaxMrCount);
    Capabilities->MaxMwCount = min(Caps->mkey_count_max, Settings->MaxMwCount);
    if ((Caps->flags & RNIC_CAP_MW_TYPE_2) == 0) {
        Capabilities->MaxMwCount = 0;
    }
    Capabilities->MaxPdCount = min(Caps->pd_count_max - 1, Settings->MaxPdCount);
    Adapter->SrqCountMax = min(Caps->srq_count_max, Settings->MaxSrqCount);
    Capabilities->NdkInfo = &Adapter->Info;
    return STATUS_SUCCESS;
}
