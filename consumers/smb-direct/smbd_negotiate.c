/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The negotiation: the client's request, the server's response, each the first message of its
 * direction and outside the credits. PASSIVE_LEVEL.
 */
#include "smbd.h"

/* The peer's message is in the hello buffer. */
static NTSTATUS AwaitHello(PSMBD_CONNECTION Connection) {
    NTSTATUS Status;

    Status = SmbdWaitEvent(Connection, &Connection->Hello, Connection->Transport->NegotiateMs);
    if (Status == STATUS_TIMEOUT) {
        SmbdEnd(Connection, STATUS_IO_TIMEOUT, "negotiation timer expired");
        return STATUS_IO_TIMEOUT;
    }
    return Status;
}

static NTSTATUS SendHello(PSMBD_CONNECTION Connection, const UCHAR *Message, ULONG Bytes) {
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    Status = SmbdSendHelloLocked(Connection, Message, Bytes);
    KeReleaseInStackQueuedSpinLock(&Handle);
    return Status;
}

static NTSTATUS Fail(PSMBD_CONNECTION Connection, NTSTATUS Status, PCSTR Reason) {
    SmbdEnd(Connection, Status, Reason);
    return Status;
}

/* Under the lock: messages may come and go from now on. */
static VOID EstablishLocked(PSMBD_CONNECTION Connection) {
    if (Connection->State != SmbdNegotiating) {
        return;
    }
    Connection->State = SmbdEstablished;
    Connection->LastReceive = KeQueryInterruptTime();
    Connection->Counters.Negotiated++;
}

static VOID SayNegotiated(PSMBD_CONNECTION Connection, ULONG Credits) {
    DbgPrint("%s: connection %u: negotiated: send %u, receive %u, fragmented %u, read/write %u, "
             "credits %u\n",
             Connection->Transport->Name, Connection->Number, Connection->Limits.MaxSendSize,
             Connection->Limits.MaxReceiveSize, Connection->Limits.MaxFragmentedSendSize,
             Connection->Limits.MaxReadWriteSize, Credits);
}

static NTSTATUS SendRequest(PSMBD_CONNECTION Connection) {
    UCHAR Message[SMBD_NEGOTIATE_REQUEST_BYTES];
    SMBD_NEGOTIATE_REQUEST Request;

    RtlZeroMemory(&Request, sizeof(Request));
    Request.MinVersion = SMBD_VERSION;
    Request.MaxVersion = SMBD_VERSION;
    Request.CreditsRequested = Connection->Limits.SendCreditTarget;
    Request.PreferredSendSize = Connection->Limits.MaxSendSize;
    Request.MaxReceiveSize = Connection->Limits.MaxReceiveSize;
    Request.MaxFragmentedSize = Connection->Limits.MaxFragmentedReceiveSize;
    WirePutRequest(Message, &Request);
    return SendHello(Connection, Message, sizeof(Message));
}

NTSTATUS SmbdNegotiateAsClient(PSMBD_CONNECTION Connection) {
    SMBD_NEGOTIATE_RESPONSE Response;
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status;
    PCSTR Reason;

    PAGED_CODE();
    Status = SendRequest(Connection);
    if (NT_SUCCESS(Status)) {
        Status = AwaitHello(Connection);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Reason = CheckNegotiateResponse(Connection->HelloBuffer.Data, Connection->HelloLength,
                                    &Connection->Limits, &Response);
    if (Reason != NULL) {
        return Fail(Connection, STATUS_INVALID_NETWORK_RESPONSE, Reason);
    }
    AgreeAsClient(&Connection->Limits, &Response);
    Status = SmbdOpenReceives(Connection);
    if (!NT_SUCCESS(Status)) {
        return Fail(Connection, Status, "no receive buffers");
    }
    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    Connection->Credits.Send = Response.CreditsGranted;
    CreditsTarget(&Connection->Credits, Response.CreditsRequested);
    if (Connection->State == SmbdNegotiating) {
        SmbdPostReceivesLocked(Connection);
    }
    EstablishLocked(Connection);
    KeReleaseInStackQueuedSpinLock(&Handle);
    SayNegotiated(Connection, Response.CreditsGranted);
    return SmbdHasEnded(Connection) ? STATUS_CANCELLED : STATUS_SUCCESS;
}

static NTSTATUS SendRefusal(PSMBD_CONNECTION Connection, NTSTATUS Refusal, PCSTR Reason) {
    UCHAR Message[SMBD_NEGOTIATE_RESPONSE_BYTES];
    SMBD_NEGOTIATE_RESPONSE Response;

    /* Nothing but the versions and the status is set in a refusal. */
    RtlZeroMemory(&Response, sizeof(Response));
    Response.MinVersion = SMBD_VERSION;
    Response.MaxVersion = SMBD_VERSION;
    Response.Status = Refusal;
    WirePutResponse(Message, &Response);
    SendHello(Connection, Message, sizeof(Message));
    return Fail(Connection, Refusal, Reason);
}

static VOID FillResponse(PSMBD_CONNECTION Connection, PSMBD_NEGOTIATE_RESPONSE Response) {
    RtlZeroMemory(Response, sizeof(*Response));
    Response->MinVersion = SMBD_VERSION;
    Response->MaxVersion = SMBD_VERSION;
    Response->NegotiatedVersion = SMBD_VERSION;
    Response->CreditsRequested = Connection->Limits.SendCreditTarget;
    Response->CreditsGranted = (USHORT)Connection->Credits.Posted;
    Response->MaxReadWriteSize = Connection->Limits.MaxReadWriteSize;
    Response->PreferredSendSize = Connection->Limits.MaxSendSize;
    Response->MaxReceiveSize = Connection->Limits.MaxReceiveSize;
    Response->MaxFragmentedSize = Connection->Limits.MaxFragmentedReceiveSize;
}

/* The client may send as soon as it has the response: all is ready before that. */
static NTSTATUS SendResponse(PSMBD_CONNECTION Connection, ULONG CreditsRequested) {
    UCHAR Message[SMBD_NEGOTIATE_RESPONSE_BYTES];
    SMBD_NEGOTIATE_RESPONSE Response;
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status = STATUS_CANCELLED;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    if (Connection->State == SmbdNegotiating) {
        Connection->Credits.Target = min(CreditsRequested, Connection->Credits.ReceiveMax);
        SmbdPostReceivesLocked(Connection);
        Connection->Credits.Granted = Connection->Credits.Posted;
        SmbdCountGrant(Connection, Connection->Credits.Granted);
        FillResponse(Connection, &Response);
        WirePutResponse(Message, &Response);
        EstablishLocked(Connection);
        Status = SmbdSendHelloLocked(Connection, Message, sizeof(Message));
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    return Status;
}

NTSTATUS SmbdNegotiateAsServer(PSMBD_CONNECTION Connection) {
    NTSTATUS Refusal = STATUS_SUCCESS;
    SMBD_NEGOTIATE_REQUEST Request;
    NTSTATUS Status;
    PCSTR Reason;

    PAGED_CODE();
    Status = AwaitHello(Connection);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Reason = CheckNegotiateRequest(Connection->HelloBuffer.Data, Connection->HelloLength,
                                   &Connection->Limits, &Request, &Refusal);
    if (Reason != NULL && Refusal != STATUS_SUCCESS) {
        return SendRefusal(Connection, Refusal, Reason);
    }
    if (Reason != NULL) {
        return Fail(Connection, STATUS_INVALID_NETWORK_RESPONSE, Reason);
    }
    AgreeAsServer(&Connection->Limits, &Request);
    Status = SmbdOpenReceives(Connection);
    if (!NT_SUCCESS(Status)) {
        return SendRefusal(Connection, STATUS_INSUFFICIENT_RESOURCES, "no receive buffers");
    }
    Status = SendResponse(Connection, Request.CreditsRequested);
    if (NT_SUCCESS(Status)) {
        SayNegotiated(Connection, Request.CreditsRequested);
    }
    return Status;
}
