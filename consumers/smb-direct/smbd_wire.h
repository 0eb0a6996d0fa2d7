/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of SMB Direct (MS-SMBD 2.2), little-endian whatever the host. Pure functions, any IRQL.
 */
#ifndef SMB_DIRECT_SMBD_WIRE_H
#define SMB_DIRECT_SMBD_WIRE_H

#include <ntddk.h>

#define SMBD_VERSION 0x0100
#define SMBD_NEGOTIATE_REQUEST_BYTES 20
#define SMBD_NEGOTIATE_RESPONSE_BYTES 32
#define SMBD_HEADER_BYTES 20 /* of a message without payload */
#define SMBD_DATA_OFFSET 24  /* where our payloads begin: 8-byte aligned */
#define SMBD_DESCRIPTOR_BYTES 16
#define SMBD_HAIL_BYTES 8 /* ours, in the connect's private data: whose session this is */
#define SMBD_FLAG_RESPONSE_REQUESTED 0x0001

/* Floors of what a peer may offer (MS-SMBD 3.1.5). */
#define SMBD_RECEIVE_BYTES_MIN 128
#define SMBD_FRAGMENTED_BYTES_MIN 131072
#define SMBD_READ_WRITE_BYTES_MAX 8388608

typedef struct _SMBD_NEGOTIATE_REQUEST {
    USHORT MinVersion;
    USHORT MaxVersion;
    USHORT CreditsRequested;
    ULONG PreferredSendSize;
    ULONG MaxReceiveSize;
    ULONG MaxFragmentedSize;
} SMBD_NEGOTIATE_REQUEST, *PSMBD_NEGOTIATE_REQUEST;

typedef struct _SMBD_NEGOTIATE_RESPONSE {
    USHORT MinVersion;
    USHORT MaxVersion;
    USHORT NegotiatedVersion;
    USHORT CreditsRequested;
    USHORT CreditsGranted;
    NTSTATUS Status;
    ULONG MaxReadWriteSize;
    ULONG PreferredSendSize;
    ULONG MaxReceiveSize;
    ULONG MaxFragmentedSize;
} SMBD_NEGOTIATE_RESPONSE, *PSMBD_NEGOTIATE_RESPONSE;

typedef struct _SMBD_HEADER {
    USHORT CreditsRequested;
    USHORT CreditsGranted;
    USHORT Flags;
    ULONG RemainingDataLength; /* bytes of the message that come after this fragment */
    ULONG DataOffset;
    ULONG DataLength;
} SMBD_HEADER, *PSMBD_HEADER;

/* Buffer descriptor V1: memory of the sender that the receiver may read or write. */
typedef struct _SMBD_DESCRIPTOR {
    ULONG64 Offset;
    ULONG Token;
    ULONG Length;
} SMBD_DESCRIPTOR, *PSMBD_DESCRIPTOR;

VOID WirePut16(PUCHAR To, USHORT Value);
VOID WirePut32(PUCHAR To, ULONG Value);
VOID WirePut64(PUCHAR To, ULONG64 Value);
USHORT WireGet16(const UCHAR *From);
ULONG WireGet32(const UCHAR *From);
ULONG64 WireGet64(const UCHAR *From);

/* `To` has room for the message; `From` holds it whole. Reserved fields: written 0, not read. */
VOID WirePutRequest(PUCHAR To, const SMBD_NEGOTIATE_REQUEST *Request);
VOID WireGetRequest(const UCHAR *From, PSMBD_NEGOTIATE_REQUEST Request);
VOID WirePutResponse(PUCHAR To, const SMBD_NEGOTIATE_RESPONSE *Response);
VOID WireGetResponse(const UCHAR *From, PSMBD_NEGOTIATE_RESPONSE Response);
/* Writes SMBD_HEADER_BYTES, or SMBD_DATA_OFFSET with the padding when there is payload. */
VOID WirePutHeader(PUCHAR To, const SMBD_HEADER *Header);
VOID WireGetHeader(const UCHAR *From, PSMBD_HEADER Header);
VOID WirePutHail(PUCHAR To, ULONG SessionId);
/* 0: none is named. */
ULONG WireGetHail(const UCHAR *From, ULONG Bytes);
VOID WirePutDescriptor(PUCHAR To, const SMBD_DESCRIPTOR *Descriptor);
VOID WireGetDescriptor(const UCHAR *From, PSMBD_DESCRIPTOR Descriptor);

#endif
