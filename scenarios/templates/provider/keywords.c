/* SPDX-License-Identifier: Apache-2.0 */
/* What the registry says of the adapter. Values that are none are refused, with an event log entry.
 */
#include "provider.h"

#define FRAME_BYTES_MIN 256
#define FRAME_BYTES_MAX 4096
#define ETHERNET_HEADER_BYTES 14
#define ROCE_HEADER_BYTES 84 /* of a WRITE with immediate data over IPv6 */
#define LOG_FRAME_SIZE 0x60000001

static ULONG KeywordRead(NDIS_HANDLE Section, PCWSTR Name, ULONG Default) {
    PNDIS_CONFIGURATION_PARAMETER Found;
    NDIS_STRING Keyword;
    NDIS_STATUS Status;

    NdisInitUnicodeString(&Keyword, Name);
    NdisReadConfiguration(&Status, &Found, Section, &Keyword, NdisParameterInteger);
    return Status == NDIS_STATUS_SUCCESS ? Found->ParameterData.IntegerData : Default;
}

static NDIS_STATUS Refuse(PPROVIDER Provider, ULONG Value) {
    NdisWriteErrorLogEntry(Provider->Handle, NDIS_ERROR_CODE_UNSUPPORTED_CONFIGURATION, 1, Value);
    return NDIS_STATUS_FAILURE;
}

/* The largest size up to the wanted one that fits a packet; 0 for a size that there is not. */
static ULONG FrameFit(ULONG Wanted, ULONG JumboPacketBytes) {
    ULONG Bytes = Wanted;

    if (Wanted < FRAME_BYTES_MIN || Wanted > FRAME_BYTES_MAX || (Wanted & (Wanted - 1)) != 0) {
        return 0;
    }
    while (JumboPacketBytes != 0 && Bytes > FRAME_BYTES_MIN &&
           Bytes + ROCE_HEADER_BYTES + ETHERNET_HEADER_BYTES > JumboPacketBytes) {
        Bytes /= 2;
    }
    return Bytes;
}

/* NDK is off where *NetworkDirect is 0. The hardware has one transport, and no other is offered. */
NDIS_STATUS KeywordsRead(PPROVIDER Provider) {
    NDIS_CONFIGURATION_OBJECT Object = {0};
    NDIS_HANDLE Section;
    ULONG Technology, FrameBytes, JumboPacketBytes;

    Object.Header.Type = NDIS_OBJECT_TYPE_CONFIGURATION_OBJECT;
    Object.Header.Revision = NDIS_CONFIGURATION_OBJECT_REVISION_1;
    Object.Header.Size = NDIS_SIZEOF_CONFIGURATION_OBJECT_REVISION_1;
    Object.NdisHandle = Provider->Handle;
    if (NdisOpenConfigurationEx(&Object, &Section) != NDIS_STATUS_SUCCESS) {
        return NDIS_STATUS_FAILURE;
    }
    Provider->NdkEnabled = KeywordRead(Section, L"*NetworkDirect", 1) != 0;
    Technology = KeywordRead(Section, L"*NetworkDirectTechnology", NdkRoCEv2);
    FrameBytes = KeywordRead(Section, L"*NetworkDirectRoCEFrameSize", 1024);
    JumboPacketBytes = KeywordRead(Section, L"*JumboPacket", 0);
    NdisCloseConfiguration(Section);
    if (Technology != NdkRoCEv2) {
        return Refuse(Provider, Technology);
    }
    Provider->FrameBytes = FrameFit(FrameBytes, JumboPacketBytes);
    if (Provider->FrameBytes == 0) {
        return Refuse(Provider, FrameBytes);
    }
    if (Provider->FrameBytes != FrameBytes) {
        NdisWriteErrorLogEntry(Provider->Handle, LOG_FRAME_SIZE, 2, FrameBytes,
                               Provider->FrameBytes);
    }
    return NDIS_STATUS_SUCCESS;
}
