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

/* clang-format off */
/* Keyword, member, value when absent, least, greatest, what it does. */
#define SETTINGS(X) \
    X("*NetworkDirect", NetworkDirect, 1, 0, 1, "0: NDK cannot be enabled.") \
    X("*NetworkDirectTechnology", Technology, NdkRoCEv2, NdkiWarp, NdkRoCEv2, \
      "Transport as NDK_RDMA_TECHNOLOGY: 4 RoCEv2, 1 iWARP over the same frames.") \
    X("*NetworkDirectRoCEFrameSize", RoceFrameBytes, 1024, 256, 4096, \
      "Wanted path MTU, a power of two, in bytes.") \
    X("*JumboPacket", JumboPacketBytes, 0, 1514, 65535, \
      "Largest frame in bytes; 0: not limited by it.") \
    X("NdkMajorMin", NdkMajorMin, 1, 1, 2, "Lowest major version of NDKPI that is offered.") \
    X("NdkMajorMax", NdkMajorMax, 2, 1, 2, "Highest major version of NDKPI that is offered.") \
    X("NdkMinorMax1", NdkMinorMax1, 2, 1, 2, "Highest minor version of major 1.") \
    X("NdkMinorMax2", NdkMinorMax2, 1, 0, 1, "Highest minor version of major 2.") \
    X("AnswerShape", AnswerShape, 0, 0, 3, \
      "How calls answer: 0 chosen, 1 all inline, 2 all pending, 3 callback before the return.") \
    X("AnswerWaits", AnswerWaits, 0, 0, 1, \
      "Calls at PASSIVE_LEVEL wait for outcomes that the network has.") \
    X("CmResponseTimeout", CmResponseTimeout, 20, 1, 31, \
      "Wait for an answer of the peer, as code n of 4.096 us * 2^n.") \
    X("CmRetries", CmRetryCount, 15, 0, 15, "Repetitions of a CM request without an answer.") \
    X("CmServiceTimeout", CmServiceTimeout, 24, 1, 31, "Code that our MRA carries.") \
    X("CmTimewaitMs", CmTimewaitMs, 0, 0, 600000, \
      "Milliseconds that an ended connection holds its address; 0: until no DREQ can come.") \
    X("CmBacklog", CmBacklog, 64, 1, 65536, \
      "Connect requests that a listener holds when its consumer states no backlog.") \
    X("CmMraRep", CmMraRep, 0, 0, 1, "Answer a repeated REP with an MRA.") \
    X("NeighbourTimeoutMs", NeighbourTimeoutMs, 1000, 0, 60000, \
      "Milliseconds that each of three questions for an unknown neighbour waits.") \
    X("Loopback", Loopback, 1, 0, 1, "Connections within this machine work.") \
    X("QosPort", QosPort, 0, 0, 65535, \
      "NetworkDirect port of the QoS condition; 0: there is none.") \
    X("QosPriority", QosPriority, 0, 0, 7, "Priority of what the QoS condition matches.") \
    X("PortFirst", PortFirst, 49152, 1, 65535, "First ephemeral port.") \
    X("PortLast", PortLast, 65535, 1, 65535, "Last ephemeral port.") \
    X("AckTimeout", AckTimeout, 14, 0, 31, \
      "Wait for an acknowledgement, as code n of 4.096 us * 2^n; 0: for ever.") \
    X("RetryCount", RetryCount, 7, 0, 7, "Repetitions of a request without an acknowledgement.") \
    X("RnrRetryCount", RnrRetryCount, 0, 0, 7, \
      "Repetitions of a request that met no receive; 7: for ever.") \
    X("RnrTimer", RnrTimer, 12, 0, 31, \
      "Pause that is asked of a peer that met no receive, as the code of the RNR NAK.") \
    X("StrictSlots", StrictSlots, 0, 0, 1, \
      "A slot of a queue is free only when its completion is retrieved.") \
    X("TokenRotates", TokenRotates, 0, 0, 1, \
      "The low 8 bits of a token change with each fast-register.") \
    X("TokensEqual", TokensEqual, 0, 0, 1, "Local and remote tokens are the same.") \
    X("LamPends", LamPends, 0, 0, 1, "Mappings are answered later.") \
    X("WindowsReadFreely", WindowsReadFreely, 0, 0, 1, \
      "A read window needs no remote read of its region.") \
    X("ReceiveBeforeAccept", ReceiveBeforeAccept, 0, 0, 1, \
      "Receives may be seen before the accept completes.") \
    X("ArmFiresOnOld", ArmFiresOnOld, 0, 0, 1, \
      "An arm is met by completions that were there before.") \
    X("ErrorsMeetFailures", ErrorsMeetFailures, 0, 0, 1, \
      "Requests that failed meet an arm of type ERRORS.") \
    X("ArmInline", ArmInline, 0, 0, 1, "An arm that is met calls back within the call.") \
    X("DeferHolds", DeferHolds, 1, 0, 2, \
      "DEFER keeps a request until a plain one: 0 never, 1 always, 2 chosen at each request.") \
    X("PrivateDataExact", PrivateDataExact, 0, 0, 1, \
      "Report the length of private data without its trailing zeros.") \
    X("EventAfterDisconnect", EventAfterDisconnect, 0, 0, 1, \
      "Report a notice that crossed the local disconnect.") \
    X("GracefulClose", GracefulClose, 0, 0, 1, \
      "Closing a drained connection counts as a disconnect.") \
    X("DisconnectAborts", DisconnectAborts, 0, 0, 1, \
      "A disconnect does not wait for requests that are under way.") \
    X("DisconnectReasons", DisconnectReasons, 1, 0, 1, "The extended event tells why.") \
    X("AbortEventFirst", AbortEventFirst, 0, 0, 1, \
      "The event of an abort comes before what it cancels.") \
    X("ConnectEventsOverlap", ConnectEventsOverlap, 0, 0, 1, \
      "Connect callbacks of one listener may overlap.") \
    X("PostsFailEarly", PostsFailEarly, 0, 0, 1, \
      "Posts to a failed QP fail, and no longer when it has ended.") \
    X("FlushOrder", FlushOrder, 0, 0, 2, \
      "Flushed first: 0 the initiator queue, 1 the receive queue, 2 in turn.") \
    X("HoldersExtension", HoldersExtension, 0, 0, 1, \
      "NdkQueryExtension knows the extension of ndksim_holders.h.") \
    X("MaxQpCount", MaxQpCount, 4096, 1, 65536, "Queue pairs at most.") \
    X("MaxCqCount", MaxCqCount, 256, 1, 65536, "Completion queues at most.") \
    X("MaxMrCount", MaxMrCount, 65536, 1, 0x7FFFFF, "Memory regions at most.") \
    X("MaxMwCount", MaxMwCount, 65536, 1, 0x7FFFFF, "Memory windows at most.") \
    X("MaxPdCount", MaxPdCount, 1024, 1, 65536, "Protection domains at most.") \
    X("MaxQueueDepth", MaxQueueDepth, 4096, 1, 65536, "Requests in a queue at most.") \
    X("MaxCqDepth", MaxCqDepth, 65536, 1, 1u << 20, "Completions in a CQ at most.") \
    X("MaxSrqCount", MaxSrqCount, 256, 1, 65536, "Shared receive queues at most.") \
    X("MaxSrqDepth", MaxSrqDepth, 4096, 0, 65536, \
      "Requests in a shared receive queue at most; 0: there are none.") \
    X("CqResize", CqResize, 1, 0, 1, "CQ resize is offered.") \
    X("CqModeration", CqModeration, 1, 0, 1, "CQ interrupt moderation is offered.") \
    X("MaxSge", MaxSge, 32, 1, 62, "Elements in a request at most.") \
    X("MaxReadSge", MaxReadSge, 4, 1, 62, "Elements in a read request at most.") \
    X("MaxInlineBytes", MaxInlineBytes, 256, 0, 992, "Bytes of an inline request at most.") \
    X("MaxReadLimit", MaxReadLimit, 16, 1, 255, "Read requests under way at most.") \
    X("FrmrPageCount", FrmrPageCount, 256, 16, 512, "Pages in a fast-register at most.")
/* clang-format on */

#define READ(name, member, value, min, max, about)                                                 \
    {L"" name, FIELD_OFFSET(RNIC_SETTINGS, member), value, min, max},
#define DECLARE(name, member, value, min, max, about) {name, about, value, min, max},

static const RNIC_SETTING Table[] = {SETTINGS(READ)};
const NDKSIM_SETTING NdksimSettings[] = {SETTINGS(DECLARE){NULL, NULL, 0, 0, 0}};

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

/* What is wrong with values that are in their ranges, for the event log; NULL: nothing. */
static PCSTR SettingsWrong(const RNIC_SETTINGS *Settings) {
    ULONG Frame = Settings->RoceFrameBytes;

    /* One transport is in force, and it is one that this device has (R-NDIS-28, R-NDIS-38). */
    if (!(Settings->Technology == NdkRoCEv2 || Settings->Technology == NdkiWarp)) {
        return "*NetworkDirectTechnology is a transport that the device does not have";
    }
    if ((Frame & (Frame - 1)) != 0) {
        return "*NetworkDirectRoCEFrameSize is no power of two";
    }
    return Settings->NdkMajorMin > Settings->NdkMajorMax
               ? "NdkMajorMin is above NdkMajorMax: no version is left"
               : NULL;
}

static NTSTATUS SettingsRefuse(PRNIC_ADAPTER Adapter, ULONG Value, PCSTR Why) {
    DbgPrint("%s\n", Why);
    NdisWriteErrorLogEntry(Adapter->MiniportHandle, NDIS_ERROR_CODE_UNSUPPORTED_CONFIGURATION, 1,
                           Value);
    return STATUS_NOT_SUPPORTED;
}

NTSTATUS SettingsRead(PRNIC_ADAPTER Adapter) {
    NDIS_CONFIGURATION_OBJECT Object;
    NDIS_HANDLE Configuration;
    NDIS_STATUS Status;
    PCSTR Why;
    ULONG i = 0;

    RtlZeroMemory(&Object, sizeof(Object));
    Object.Header.Type = NDIS_OBJECT_TYPE_CONFIGURATION_OBJECT;
    Object.Header.Revision = NDIS_CONFIGURATION_OBJECT_REVISION_1;
    Object.Header.Size = NDIS_SIZEOF_CONFIGURATION_OBJECT_REVISION_1;
    Object.NdisHandle = Adapter->MiniportHandle;
    Status = NdisOpenConfigurationEx(&Object, &Configuration);
    if (Status != NDIS_STATUS_SUCCESS) {
        return STATUS_UNSUCCESSFUL;
    }
    while (i < RTL_NUMBER_OF(Table) &&
           SettingRead(Configuration, &Table[i],
                       (PULONG)((PUCHAR)&Adapter->Settings + Table[i].Offset))) {
        i++;
    }
    NdisCloseConfiguration(Configuration);
    if (i < RTL_NUMBER_OF(Table)) {
        DbgPrint("%ws: its value is not from %u to %u\n", Table[i].Name, Table[i].Min,
                 Table[i].Max);
        return SettingsRefuse(Adapter, i + 1, "a keyword has a value that it may not have");
    }
    Why = SettingsWrong(&Adapter->Settings);
    if (Why != NULL) {
        return SettingsRefuse(Adapter, Adapter->Settings.Technology, Why);
    }
    if (Adapter->Settings.PortLast < Adapter->Settings.PortFirst) {
        Adapter->Settings.PortLast = Adapter->Settings.PortFirst;
    }
    return STATUS_SUCCESS;
}
