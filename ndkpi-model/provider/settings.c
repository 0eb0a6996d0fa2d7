/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what an administrator may set; see settings.h. */
#include "adapter.h"

typedef struct _RNIC_SETTING {
    PCWSTR Name;
    ULONG Offset;
    ULONG Default;
    ULONG Min;
    ULONG Max;
} RNIC_SETTING;

#define SETTING(name, member, value, min, max)                                                     \
    { name, FIELD_OFFSET(RNIC_SETTINGS, member), value, min, max }

static const RNIC_SETTING Table[] = {
    SETTING(L"*NetworkDirect", NetworkDirect, 1, 0, 1),
    SETTING(L"*NetworkDirectTechnology", Technology, NdkRoCEv2, NdkiWarp, NdkRoCEv2),
    SETTING(L"*NetworkDirectRoCEFrameSize", RoceFrameBytes, 1024, 256, 4096),
    SETTING(L"*JumboPacket", JumboPacketBytes, 0, 1514, 65535),
    SETTING(L"NdkMajorMin", NdkMajorMin, 1, 1, 2),
    SETTING(L"NdkMajorMax", NdkMajorMax, 2, 1, 2),
    SETTING(L"NdkMinorMax1", NdkMinorMax1, 2, 1, 2),
    SETTING(L"NdkMinorMax2", NdkMinorMax2, 1, 0, 1),
    SETTING(L"AnswerShape", AnswerShape, 0, 0, 3),
    SETTING(L"AnswerWaits", AnswerWaits, 0, 0, 1),
    SETTING(L"CmResponseTimeout", CmResponseTimeout, 20, 1, 31),
    SETTING(L"CmRetries", CmRetryCount, 15, 0, 15),
    SETTING(L"CmServiceTimeout", CmServiceTimeout, 24, 1, 31),
    SETTING(L"CmTimewaitMs", CmTimewaitMs, 0, 0, 600000),
    SETTING(L"CmBacklog", CmBacklog, 64, 1, 65536),
    SETTING(L"CmMraRep", CmMraRep, 0, 0, 1),
    SETTING(L"NeighbourTimeoutMs", NeighbourTimeoutMs, 1000, 0, 60000),
    SETTING(L"Loopback", Loopback, 1, 0, 1),
    SETTING(L"QosPort", QosPort, 0, 0, 65535),
    SETTING(L"QosPriority", QosPriority, 0, 0, 7),
    SETTING(L"PortFirst", PortFirst, 49152, 1, 65535),
    SETTING(L"PortLast", PortLast, 65535, 1, 65535),
    SETTING(L"AckTimeout", AckTimeout, 14, 0, 31),
    SETTING(L"RetryCount", RetryCount, 7, 0, 7),
    SETTING(L"RnrRetryCount", RnrRetryCount, 0, 0, 7),
    SETTING(L"RnrTimer", RnrTimer, 12, 0, 31),
    SETTING(L"StrictSlots", StrictSlots, 0, 0, 1),
    SETTING(L"TokenRotates", TokenRotates, 0, 0, 1),
    SETTING(L"TokensEqual", TokensEqual, 0, 0, 1),
    SETTING(L"LamPends", LamPends, 0, 0, 1),
    SETTING(L"WindowsReadFreely", WindowsReadFreely, 0, 0, 1),
    SETTING(L"ReceiveBeforeAccept", ReceiveBeforeAccept, 0, 0, 1),
    SETTING(L"ArmFiresOnOld", ArmFiresOnOld, 0, 0, 1),
    SETTING(L"ArmInline", ArmInline, 0, 0, 1),
    SETTING(L"DeferHolds", DeferHolds, 1, 0, 2),
    SETTING(L"PrivateDataExact", PrivateDataExact, 0, 0, 1),
    SETTING(L"EventAfterDisconnect", EventAfterDisconnect, 0, 0, 1),
    SETTING(L"GracefulClose", GracefulClose, 0, 0, 1),
    SETTING(L"DisconnectAborts", DisconnectAborts, 0, 0, 1),
    SETTING(L"DisconnectReasons", DisconnectReasons, 1, 0, 1),
    SETTING(L"AbortEventFirst", AbortEventFirst, 0, 0, 1),
    SETTING(L"ConnectEventsOverlap", ConnectEventsOverlap, 0, 0, 1),
    SETTING(L"PostsFailEarly", PostsFailEarly, 0, 0, 1),
    SETTING(L"FlushOrder", FlushOrder, 0, 0, 2),
    SETTING(L"HoldersExtension", HoldersExtension, 0, 0, 1),
    SETTING(L"MaxQpCount", MaxQpCount, 4096, 1, 65536),
    SETTING(L"MaxCqCount", MaxCqCount, 256, 1, 65536),
    SETTING(L"MaxMrCount", MaxMrCount, 65536, 1, 0x7FFFFF),
    SETTING(L"MaxMwCount", MaxMwCount, 65536, 1, 0x7FFFFF),
    SETTING(L"MaxPdCount", MaxPdCount, 1024, 1, 65536),
    SETTING(L"MaxQueueDepth", MaxQueueDepth, 4096, 1, 65536),
    SETTING(L"MaxCqDepth", MaxCqDepth, 65536, 1, 1u << 20),
    SETTING(L"MaxSrqCount", MaxSrqCount, 256, 1, 65536),
    SETTING(L"MaxSrqDepth", MaxSrqDepth, 4096, 0, 65536),
    SETTING(L"CqResize", CqResize, 1, 0, 1),
    SETTING(L"CqModeration", CqModeration, 1, 0, 1),
    SETTING(L"MaxSge", MaxSge, 32, 1, 62),
    SETTING(L"MaxReadSge", MaxReadSge, 4, 1, 62),
    SETTING(L"MaxInlineBytes", MaxInlineBytes, 256, 0, 992),
    SETTING(L"MaxReadLimit", MaxReadLimit, 16, 1, 255),
    SETTING(L"FrmrPageCount", FrmrPageCount, 256, 16, 512),
};

static BOOLEAN SettingIsStandard(const RNIC_SETTING *Setting) {
    return Setting->Name[0] == L'*';
}

/* FALSE: a standardised keyword is there and has a value that it may not have. */
static BOOLEAN SettingRead(NDIS_HANDLE Configuration, const RNIC_SETTING *Setting, PULONG Value) {
    NDIS_STRING Keyword;
    PNDIS_CONFIGURATION_PARAMETER Parameter;
    NDIS_STATUS Status;

    *Value = Setting->Default;
    NdisInitUnicodeString(&Keyword, Setting->Name);
    NdisReadConfiguration(&Status, &Parameter, Configuration, &Keyword, NdisParameterInteger);
    if (Status != NDIS_STATUS_SUCCESS && SettingIsStandard(Setting)) {
        /* No number, or nothing at all. */
        NdisReadConfiguration(&Status, &Parameter, Configuration, &Keyword, NdisParameterString);
        if (Status == NDIS_STATUS_SUCCESS) {
            return FALSE;
        }
    }
    *Value = Status == NDIS_STATUS_SUCCESS ? Parameter->ParameterData.IntegerData
                                           : NdksimRegistryUlong(Setting->Name, Setting->Default);
    if (*Value == Setting->Default || (*Value >= Setting->Min && *Value <= Setting->Max)) {
        return TRUE;
    }
    *Value = Setting->Default;
    return !SettingIsStandard(Setting);
}

static BOOLEAN SettingsAreGood(const RNIC_SETTINGS *Settings) {
    ULONG Frame = Settings->RoceFrameBytes;

    /* One transport is in force, and it is one that this device has (R-NDIS-28, R-NDIS-38). */
    return (Settings->Technology == NdkRoCEv2 || Settings->Technology == NdkiWarp) &&
           (Frame & (Frame - 1)) == 0;
}

NTSTATUS SettingsRead(PRNIC_ADAPTER Adapter) {
    NDIS_CONFIGURATION_OBJECT Object;
    NDIS_HANDLE Configuration;
    BOOLEAN Good = TRUE;
    NDIS_STATUS Status;
    ULONG i;

    RtlZeroMemory(&Object, sizeof(Object));
    Object.Header.Type = NDIS_OBJECT_TYPE_CONFIGURATION_OBJECT;
    Object.Header.Revision = NDIS_CONFIGURATION_OBJECT_REVISION_1;
    Object.Header.Size = NDIS_SIZEOF_CONFIGURATION_OBJECT_REVISION_1;
    Object.NdisHandle = Adapter->MiniportHandle;
    Status = NdisOpenConfigurationEx(&Object, &Configuration);
    if (Status != NDIS_STATUS_SUCCESS) {
        return STATUS_UNSUCCESSFUL;
    }
    for (i = 0; i < RTL_NUMBER_OF(Table) && Good; i++) {
        Good = SettingRead(Configuration, &Table[i],
                           (PULONG)((PUCHAR)&Adapter->Settings + Table[i].Offset));
    }
    NdisCloseConfiguration(Configuration);
    if (!Good || !SettingsAreGood(&Adapter->Settings)) {
        NdisWriteErrorLogEntry(Adapter->MiniportHandle, NDIS_ERROR_CODE_UNSUPPORTED_CONFIGURATION,
                               1, Good ? Adapter->Settings.Technology : i);
        return STATUS_NOT_SUPPORTED;
    }
    if (Adapter->Settings.PortLast < Adapter->Settings.PortFirst) {
        Adapter->Settings.PortLast = Adapter->Settings.PortFirst;
    }
    return STATUS_SUCCESS;
}
