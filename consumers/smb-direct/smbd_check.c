/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of MS-SMBD for received messages; see smbd_check.h. */
#include "smbd_check.h"

PCSTR CheckNegotiateRequest(const UCHAR *Message, ULONG Bytes, const SMBD_LIMITS *Limits,
                            PSMBD_NEGOTIATE_REQUEST Request, PNTSTATUS Response) {
    *Response = STATUS_SUCCESS;
    if (Bytes < SMBD_NEGOTIATE_REQUEST_BYTES) {
        return "negotiate request is too short";
    }
    WireGetRequest(Message, Request);
    if (Request->MinVersion > SMBD_VERSION || Request->MaxVersion < SMBD_VERSION) {
        *Response = STATUS_NOT_SUPPORTED;
        return "no common version";
    }
    if (Request->CreditsRequested == 0) {
        return "negotiate request asks for no credits";
    }
    if (Request->MaxReceiveSize < SMBD_RECEIVE_BYTES_MIN) {
        return "client receives too little at a time";
    }
    if (Request->MaxFragmentedSize < SMBD_FRAGMENTED_BYTES_MIN) {
        return "client receives too short fragmented messages";
    }
    if (Request->PreferredSendSize > Limits->PreferredSendMax) {
        *Response = STATUS_INSUFFICIENT_RESOURCES;
        return "client prefers to send too much at a time";
    }
    return NULL;
}

PCSTR CheckNegotiateResponse(const UCHAR *Message, ULONG Bytes, const SMBD_LIMITS *Limits,
                             PSMBD_NEGOTIATE_RESPONSE Response) {
    if (Bytes < SMBD_NEGOTIATE_RESPONSE_BYTES) {
        return "negotiate response is too short";
    }
    WireGetResponse(Message, Response);
    if (Response->Status != STATUS_SUCCESS) {
        return "server refused the negotiation";
    }
    if (Response->NegotiatedVersion != SMBD_VERSION) {
        return "server chose another version";
    }
    if (Response->MaxReceiveSize < SMBD_RECEIVE_BYTES_MIN) {
        return "server receives too little at a time";
    }
    if (Response->MaxFragmentedSize < SMBD_FRAGMENTED_BYTES_MIN) {
        return "server receives too short fragmented messages";
    }
    if (Response->CreditsGranted == 0) {
        return "server granted no credits";
    }
    if (Response->CreditsRequested == 0) {
        return "server asked for no credits";
    }
    if (Response->PreferredSendSize > Limits->MaxReceiveSize) {
        return "server prefers to send more than we receive";
    }
    return NULL;
}

PCSTR CheckData(const UCHAR *Message, ULONG Bytes, const SMBD_LIMITS *Limits, PSMBD_HEADER Header) {
    ULONG64 End;
    ULONG64 Total;

    if (Bytes < SMBD_HEADER_BYTES) {
        return "message is too short";
    }
    WireGetHeader(Message, Header);
    if (Header->CreditsRequested == 0) {
        return "message asks for no credits";
    }
    if (Header->DataOffset % 8 != 0) {
        return "payload is not aligned";
    }
    /* Sums in 64 bits: a peer may send any number. */
    End = (ULONG64)Header->DataOffset + Header->DataLength;
    if (End > Bytes) {
        return "payload ends behind the message";
    }
    if (Header->DataLength != 0 && Header->DataOffset < SMBD_HEADER_BYTES) {
        return "payload begins inside the header";
    }
    Total = (ULONG64)Header->DataLength + Header->RemainingDataLength;
    if (Total > Limits->MaxFragmentedReceiveSize) {
        return "fragmented message is too long";
    }
    return NULL;
}

VOID AgreeAsServer(PSMBD_LIMITS Limits, const SMBD_NEGOTIATE_REQUEST *Request) {
    Limits->MaxSendSize = min(Limits->MaxSendSize, Request->MaxReceiveSize);
    Limits->MaxReceiveSize = min(Limits->MaxReceiveSize, Request->PreferredSendSize);
    Limits->MaxReceiveSize = max(Limits->MaxReceiveSize, SMBD_RECEIVE_BYTES_MIN);
    Limits->MaxFragmentedSendSize = Request->MaxFragmentedSize;
}

VOID AgreeAsClient(PSMBD_LIMITS Limits, const SMBD_NEGOTIATE_RESPONSE *Response) {
    Limits->MaxSendSize = min(Limits->MaxSendSize, Response->MaxReceiveSize);
    Limits->MaxReceiveSize = min(Limits->MaxReceiveSize, Response->PreferredSendSize);
    Limits->MaxReceiveSize = max(Limits->MaxReceiveSize, SMBD_RECEIVE_BYTES_MIN);
    Limits->MaxFragmentedSendSize = Response->MaxFragmentedSize;
    Limits->MaxReadWriteSize = min(Response->MaxReadWriteSize, SMBD_READ_WRITE_BYTES_MAX);
}
