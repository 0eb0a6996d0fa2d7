/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of SMB Direct as bytes; see smbd_wire.h. */
#include "smbd_wire.h"

#define HAIL_MAGIC 0x53424D53UL /* "SMBS" */

VOID WirePut16(PUCHAR To, USHORT Value) {
    To[0] = (UCHAR)Value;
    To[1] = (UCHAR)(Value >> 8);
}

VOID WirePut32(PUCHAR To, ULONG Value) {
    WirePut16(To, (USHORT)Value);
    WirePut16(To + 2, (USHORT)(Value >> 16));
}

VOID WirePut64(PUCHAR To, ULONG64 Value) {
    WirePut32(To, (ULONG)Value);
    WirePut32(To + 4, (ULONG)(Value >> 32));
}

USHORT WireGet16(const UCHAR *From) {
    return (USHORT)(From[0] | From[1] << 8);
}

ULONG WireGet32(const UCHAR *From) {
    return WireGet16(From) | (ULONG)WireGet16(From + 2) << 16;
}

ULONG64 WireGet64(const UCHAR *From) {
    return WireGet32(From) | (ULONG64)WireGet32(From + 4) << 32;
}

VOID WirePutRequest(PUCHAR To, const SMBD_NEGOTIATE_REQUEST *Request) {
    WirePut16(To, Request->MinVersion);
    WirePut16(To + 2, Request->MaxVersion);
    WirePut16(To + 4, 0);
    WirePut16(To + 6, Request->CreditsRequested);
    WirePut32(To + 8, Request->PreferredSendSize);
    WirePut32(To + 12, Request->MaxReceiveSize);
    WirePut32(To + 16, Request->MaxFragmentedSize);
}

VOID WireGetRequest(const UCHAR *From, PSMBD_NEGOTIATE_REQUEST Request) {
    Request->MinVersion = WireGet16(From);
    Request->MaxVersion = WireGet16(From + 2);
    Request->CreditsRequested = WireGet16(From + 6);
    Request->PreferredSendSize = WireGet32(From + 8);
    Request->MaxReceiveSize = WireGet32(From + 12);
    Request->MaxFragmentedSize = WireGet32(From + 16);
}

VOID WirePutResponse(PUCHAR To, const SMBD_NEGOTIATE_RESPONSE *Response) {
    WirePut16(To, Response->MinVersion);
    WirePut16(To + 2, Response->MaxVersion);
    WirePut16(To + 4, Response->NegotiatedVersion);
    WirePut16(To + 6, 0);
    WirePut16(To + 8, Response->CreditsRequested);
    WirePut16(To + 10, Response->CreditsGranted);
    WirePut32(To + 12, (ULONG)Response->Status);
    WirePut32(To + 16, Response->MaxReadWriteSize);
    WirePut32(To + 20, Response->PreferredSendSize);
    WirePut32(To + 24, Response->MaxReceiveSize);
    WirePut32(To + 28, Response->MaxFragmentedSize);
}

VOID WireGetResponse(const UCHAR *From, PSMBD_NEGOTIATE_RESPONSE Response) {
    Response->MinVersion = WireGet16(From);
    Response->MaxVersion = WireGet16(From + 2);
    Response->NegotiatedVersion = WireGet16(From + 4);
    Response->CreditsRequested = WireGet16(From + 8);
    Response->CreditsGranted = WireGet16(From + 10);
    Response->Status = (NTSTATUS)WireGet32(From + 12);
    Response->MaxReadWriteSize = WireGet32(From + 16);
    Response->PreferredSendSize = WireGet32(From + 20);
    Response->MaxReceiveSize = WireGet32(From + 24);
    Response->MaxFragmentedSize = WireGet32(From + 28);
}

VOID WirePutHeader(PUCHAR To, const SMBD_HEADER *Header) {
    WirePut16(To, Header->CreditsRequested);
    WirePut16(To + 2, Header->CreditsGranted);
    WirePut16(To + 4, Header->Flags);
    WirePut16(To + 6, 0);
    WirePut32(To + 8, Header->RemainingDataLength);
    WirePut32(To + 12, Header->DataOffset);
    WirePut32(To + 16, Header->DataLength);
    if (Header->DataOffset != 0) {
        WirePut32(To + 20, 0);
    }
}

VOID WireGetHeader(const UCHAR *From, PSMBD_HEADER Header) {
    Header->CreditsRequested = WireGet16(From);
    Header->CreditsGranted = WireGet16(From + 2);
    Header->Flags = WireGet16(From + 4);
    Header->RemainingDataLength = WireGet32(From + 8);
    Header->DataOffset = WireGet32(From + 12);
    Header->DataLength = WireGet32(From + 16);
}

VOID WirePutHail(PUCHAR To, ULONG SessionId) {
    WirePut32(To, HAIL_MAGIC);
    WirePut32(To + 4, SessionId);
}

ULONG WireGetHail(const UCHAR *From, ULONG Bytes) {
    if (Bytes < SMBD_HAIL_BYTES || WireGet32(From) != HAIL_MAGIC) {
        return 0;
    }
    return WireGet32(From + 4);
}

VOID WirePutDescriptor(PUCHAR To, const SMBD_DESCRIPTOR *Descriptor) {
    WirePut64(To, Descriptor->Offset);
    WirePut32(To + 8, Descriptor->Token);
    WirePut32(To + 12, Descriptor->Length);
}

VOID WireGetDescriptor(const UCHAR *From, PSMBD_DESCRIPTOR Descriptor) {
    Descriptor->Offset = WireGet64(From);
    Descriptor->Token = WireGet32(From + 8);
    Descriptor->Length = WireGet32(From + 12);
}
