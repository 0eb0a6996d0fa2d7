/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CM messages as bytes (IBTA 12.6): a MAD header of 24 bytes and 232 bytes of message, big-endian.
 * Private data has a fixed length per message; REQ carries the IP header (annex A11) in front of
 * the consumer's. The starting PSN in REQ and REP is the one that the sender expects.
 *
 * DREQ and DREP carry one word of our own in their private data: whether it is an abort. Where
 * lengths are exact (D-08), the last byte of the consumer's field is one more than its length; 0,
 * as of somebody who does not tell, leaves the field as it is.
 */
#include "adapter.h"

#define MAD_TRANSACTION 8u
#define MAD_ATTRIBUTE 16u
#define MAD_DATA 24u
#define MAD_CLASS_CM 0x07u
#define MAD_CLASS_VERSION 2u
#define MAD_METHOD_SEND 0x03u

#define IP_HEADER_BYTES 36u
#define PRIVATE_REQ 140u
#define PRIVATE_REJ 84u
#define PRIVATE_REP 36u
#define PRIVATE_DREQ 12u
#define PRIVATE_DREP 8u
#define LID_ROCE 0xFFFFu
#define PKEY_DEFAULT 0xFFFFu
#define RNR_RETRY_FOREVER 7u
#define HOP_LIMIT 64u
#define RATE_2_5_GBPS 2u
#define SERVICE_ID_TCP 0x01060000ull
#define ABORT_WORD 0x41424F52u /* "ABOR" */

static VOID Put16(PUCHAR To, ULONG Value) {
    To[0] = (UCHAR)(Value >> 8);
    To[1] = (UCHAR)Value;
}

static VOID Put24(PUCHAR To, ULONG Value) {
    To[0] = (UCHAR)(Value >> 16);
    Put16(To + 1, Value);
}

static VOID Put32(PUCHAR To, ULONG Value) {
    Put16(To, Value >> 16);
    Put16(To + 2, Value);
}

static VOID Put64(PUCHAR To, ULONG64 Value) {
    Put32(To, (ULONG)(Value >> 32));
    Put32(To + 4, (ULONG)Value);
}

static USHORT Get16(const UCHAR *From) {
    return (USHORT)(From[0] << 8 | From[1]);
}

static ULONG Get24(const UCHAR *From) {
    return (ULONG)From[0] << 16 | Get16(From + 1);
}

static ULONG Get32(const UCHAR *From) {
    return (ULONG)Get16(From) << 16 | Get16(From + 2);
}

static ULONG64 Get64(const UCHAR *From) {
    return (ULONG64)Get32(From) << 32 | Get32(From + 4);
}

/* The header and both ids; returns where the message's fields begin. */
static PUCHAR PutHeader(PUCHAR Mad, RNIC_CM_KIND Kind, const RNIC_CM_IDS *Ids) {
    RtlZeroMemory(Mad, RNIC_MAD_BYTES);
    Mad[0] = 1;
    Mad[1] = MAD_CLASS_CM;
    Mad[2] = MAD_CLASS_VERSION;
    Mad[3] = MAD_METHOD_SEND;
    Put64(Mad + MAD_TRANSACTION, Ids->TransactionId);
    Put16(Mad + MAD_ATTRIBUTE, Kind);
    Put32(Mad + MAD_DATA, Ids->LocalId);
    if (Kind != CmReq) {
        Put32(Mad + MAD_DATA + 4, Ids->RemoteId);
    }
    return Mad + MAD_DATA;
}

static VOID PutPath(PUCHAR Data, PRNIC_CONNECTOR Connector) {
    const RNIC_SETTINGS *Settings = &Connector->Object.Owner->Settings;

    Put16(Data + 52, LID_ROCE);
    Put16(Data + 54, LID_ROCE);
    RtlCopyMemory(Data + 56, Connector->LocalIp.Bytes, 16);
    RtlCopyMemory(Data + 72, Connector->PeerIp.Bytes, 16);
    Data[91] = RATE_2_5_GBPS;
    Data[93] = HOP_LIMIT;
    Data[95] = (UCHAR)(Settings->AckTimeout << 3);
}

static VOID PutIp(PUCHAR To, const RNIC_IP *Ip) {
    if (IpIsV4(Ip)) {
        RtlCopyMemory(To + 12, Ip->Bytes + 12, 4);
    } else {
        RtlCopyMemory(To, Ip->Bytes, 16);
    }
}

static VOID PutIpHeader(PUCHAR To, PRNIC_CONNECTOR Connector) {
    To[1] = IpIsV4(&Connector->LocalIp) ? 0x40 : 0x60;
    Put16(To + 2, Connector->LocalPort);
    PutIp(To + 4, &Connector->LocalIp);
    PutIp(To + 20, &Connector->PeerIp);
}

/* How many of the field's bytes the consumer gave, which lie there already. */
static VOID PutPrivateCount(PRNIC_ADAPTER Adapter, PUCHAR To, ULONG Field, ULONG Bytes) {
    if (AdapterIsExact(Adapter)) {
        To[Field - 1] = (UCHAR)(Bytes + 1);
    }
}

static VOID PutTold(PRNIC_CONNECTOR Connector, PUCHAR To, ULONG Field) {
    CmPrivateCopy(&Connector->Told, To, Field);
    PutPrivateCount(Connector->Object.Owner, To, Field, Connector->Told.Count);
}

static VOID GetPrivate(PRNIC_ADAPTER Adapter, const UCHAR *From, ULONG Field,
                       PRNIC_CM_MESSAGE Message) {
    ULONG Told = From[Field - 1];

    Message->Private = From;
    Message->PrivateBytes = Field;
    if (AdapterIsExact(Adapter) && Told != 0 && Told <= Field) {
        Message->PrivateBytes = Told - 1;
    }
}

/*
 * Before an empty SRQ the peer waits as long as it takes (B-20). iWARP has no RNR: a send that
 * finds no receive ends the stream (B-19).
 */
static ULONG RnrRetryCount(PRNIC_CONNECTOR Connector) {
    PRNIC_ADAPTER Adapter = Connector->Object.Owner;

    if (Connector->Qp->Srq != NULL) {
        return RNR_RETRY_FOREVER;
    }
    return AdapterIsIwarp(Adapter) ? 0 : Adapter->Settings.RnrRetryCount;
}

VOID CmEncodeReq(PRNIC_CONNECTOR Connector, PUCHAR Mad) {
    const RNIC_SETTINGS *Settings = &Connector->Object.Owner->Settings;
    PUCHAR Data = PutHeader(Mad, CmReq, &Connector->Ids);
    UCHAR Timeout = (UCHAR)(Settings->CmResponseTimeout << 3);

    Put64(Data + 8, SERVICE_ID_TCP | Connector->PeerPort);
    Put64(Data + 16, Connector->Object.Owner->Cm.CaGuid);
    Put24(Data + 32, Connector->Qp->Qpn);
    Data[35] = Connector->InboundLimit;
    Data[39] = Connector->OutboundLimit;
    Data[43] = Timeout;
    Put24(Data + 44, Connector->LocalPsn);
    Data[47] = Timeout | (UCHAR)Settings->RetryCount;
    Put16(Data + 48, PKEY_DEFAULT);
    Data[50] = (UCHAR)(Connector->PathMtu << 4 | RnrRetryCount(Connector));
    Data[51] = (UCHAR)(Settings->CmRetryCount << 4 | (Connector->Qp->Srq != NULL) << 3);
    PutPath(Data, Connector);
    PutIpHeader(Data + PRIVATE_REQ, Connector);
    PutTold(Connector, Data + PRIVATE_REQ + IP_HEADER_BYTES, RNIC_CM_REQ_PRIVATE_BYTES);
}

VOID CmEncodeRep(PRNIC_CONNECTOR Connector, PUCHAR Mad) {
    PRNIC_ADAPTER Adapter = Connector->Object.Owner;
    PUCHAR Data = PutHeader(Mad, CmRep, &Connector->Ids);

    Put24(Data + 12, Connector->Qp->Qpn);
    Put24(Data + 20, Connector->LocalPsn);
    Data[24] = Connector->InboundLimit;
    Data[25] = Connector->OutboundLimit;
    Data[26] = (UCHAR)(Adapter->Caps.ack_delay << 3);
    Data[27] = (UCHAR)(RnrRetryCount(Connector) << 5 | (Connector->Qp->Srq != NULL) << 4);
    Put64(Data + 28, Adapter->Cm.CaGuid);
    PutTold(Connector, Data + PRIVATE_REP, RNIC_CM_REP_PRIVATE_BYTES);
}

VOID CmEncodeMra(PUCHAR Mad, const RNIC_CM_IDS *Ids, RNIC_CM_ANSWERED Answered, UCHAR Timeout) {
    PUCHAR Data = PutHeader(Mad, CmMra, Ids);

    Data[8] = (UCHAR)(Answered << 6);
    Data[9] = (UCHAR)(Timeout << 3);
}

VOID CmEncodeRtu(PUCHAR Mad, const RNIC_CM_IDS *Ids) {
    PutHeader(Mad, CmRtu, Ids);
}

VOID CmEncodeDreq(PUCHAR Mad, const RNIC_CM_IDS *Ids, ULONG RemoteQpn, BOOLEAN Abort) {
    PUCHAR Data = PutHeader(Mad, CmDreq, Ids);

    Put24(Data + 8, RemoteQpn);
    Put32(Data + PRIVATE_DREQ, Abort ? ABORT_WORD : 0);
}

VOID CmEncodeDrep(PUCHAR Mad, const RNIC_CM_IDS *Ids, BOOLEAN Abort) {
    PUCHAR Data = PutHeader(Mad, CmDrep, Ids);

    Put32(Data + PRIVATE_DREP, Abort ? ABORT_WORD : 0);
}

VOID CmEncodeRej(PRNIC_ADAPTER Adapter, PUCHAR Mad, const RNIC_CM_IDS *Ids,
                 RNIC_CM_ANSWERED Answered, USHORT Reason, const UCHAR *Private, ULONG Bytes) {
    PUCHAR Data = PutHeader(Mad, CmRej, Ids);

    Data[8] = (UCHAR)(Answered << 6);
    Put16(Data + 10, Reason);
    if (Reason == CmReasonTimeout) {
        Data[9] = sizeof(Adapter->Cm.CaGuid) << 1;
        Put64(Data + 12, Adapter->Cm.CaGuid);
    }
    if (Bytes != 0) {
        RtlCopyMemory(Data + PRIVATE_REJ, Private, Bytes);
    }
    PutPrivateCount(Adapter, Data + PRIVATE_REJ, RNIC_CM_REJ_PRIVATE_BYTES, Bytes);
}

static VOID GetIp(const UCHAR *From, BOOLEAN V4, PRNIC_IP Ip) {
    RtlCopyMemory(Ip->Bytes, From, 16);
    if (V4) {
        Ip->Bytes[10] = Ip->Bytes[11] = 0xFF;
    }
}

static BOOLEAN DecodeReq(PRNIC_ADAPTER Adapter, const UCHAR *Data, PRNIC_CM_MESSAGE Message) {
    const UCHAR *Header = Data + PRIVATE_REQ;
    BOOLEAN V4 = Header[1] == 0x40;

    Message->RemoteId = 0;
    Message->ServiceId = Get64(Data + 8);
    Message->Qpn = Get24(Data + 32);
    Message->ResponderResources = Data[35];
    Message->InitiatorDepth = Data[39];
    Message->TransportType = (Data[43] >> 1) & 3;
    Message->Psn = Get24(Data + 44);
    Message->ResponseTimeout = Data[47] >> 3;
    Message->PathMtu = Data[50] >> 4;
    Message->RnrRetryCount = Data[50] & 7;
    Message->SourcePort = Get16(Header + 2);
    GetIp(Header + 4, V4, &Message->Source);
    GetIp(Header + 20, V4, &Message->Destination);
    GetPrivate(Adapter, Header + IP_HEADER_BYTES, RNIC_CM_REQ_PRIVATE_BYTES, Message);
    return Header[0] == 0 && (V4 || Header[1] == 0x60);
}

static VOID DecodeRep(PRNIC_ADAPTER Adapter, const UCHAR *Data, PRNIC_CM_MESSAGE Message) {
    Message->Qpn = Get24(Data + 12);
    Message->Psn = Get24(Data + 20);
    Message->ResponderResources = Data[24];
    Message->InitiatorDepth = Data[25];
    Message->RnrRetryCount = Data[27] >> 5;
    GetPrivate(Adapter, Data + PRIVATE_REP, RNIC_CM_REP_PRIVATE_BYTES, Message);
}

static BOOLEAN DecodeBody(PRNIC_ADAPTER Adapter, const UCHAR *Data, PRNIC_CM_MESSAGE Message) {
    switch (Message->Kind) {
    case CmReq:
        return DecodeReq(Adapter, Data, Message);
    case CmRep:
        DecodeRep(Adapter, Data, Message);
        return TRUE;
    case CmMra:
        Message->Answered = Data[8] >> 6;
        Message->ResponseTimeout = Data[9] >> 3;
        return TRUE;
    case CmRej:
        Message->Answered = Data[8] >> 6;
        Message->Reason = Get16(Data + 10);
        GetPrivate(Adapter, Data + PRIVATE_REJ, RNIC_CM_REJ_PRIVATE_BYTES, Message);
        return TRUE;
    case CmRtu:
        return TRUE;
    case CmDreq:
        Message->Qpn = Get24(Data + 8);
        Message->Abort = Get32(Data + PRIVATE_DREQ) == ABORT_WORD;
        return TRUE;
    case CmDrep:
        Message->Abort = Get32(Data + PRIVATE_DREP) == ABORT_WORD;
        return TRUE;
    default:
        return FALSE;
    }
}

BOOLEAN CmDecode(PRNIC_ADAPTER Adapter, const UCHAR *Mad, PRNIC_CM_MESSAGE Message) {
    const UCHAR *Data = Mad + MAD_DATA;

    if (Mad[0] != 1 || Mad[1] != MAD_CLASS_CM || Mad[2] != MAD_CLASS_VERSION ||
        Mad[3] != MAD_METHOD_SEND) {
        return FALSE;
    }
    RtlZeroMemory(Message, sizeof(*Message));
    Message->Kind = (RNIC_CM_KIND)Get16(Mad + MAD_ATTRIBUTE);
    Message->TransactionId = Get64(Mad + MAD_TRANSACTION);
    Message->LocalId = Get32(Data);
    Message->RemoteId = Get32(Data + 4);
    return DecodeBody(Adapter, Data, Message);
}
