/* SPDX-License-Identifier: Apache-2.0 */
/* Server half of the request layer; see mini_server.h. */
#include "mini_server.h"

#define MINI_POOL_TAG 'mBmS'

NTSTATUS MiniServerInit(PMINI_SERVER Server, PSMBD_CONNECTION Connection, PMINI_STORE Store) {
    ULONG Count = Connection->Transport->RequestCount;
    ULONG Index;

    PAGED_CODE();
    Server->Connection = Connection;
    Server->Store = Store;
    InitializeListHead(&Server->Free);
    Server->Requests =
        ExAllocatePoolZero(NonPagedPoolNx, Count * sizeof(MINI_REQUEST), MINI_POOL_TAG);
    if (Server->Requests == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    for (Index = 0; Index < Count; Index++) {
        Server->Requests[Index].Server = Server;
        InsertTailList(&Server->Free, &Server->Requests[Index].Link);
    }
    return STATUS_SUCCESS;
}

VOID MiniServerDeinit(PMINI_SERVER Server) {
    ULONG Index;

    PAGED_CODE();
    for (Index = 0; Index < MINI_OPEN_MAX; Index++) {
        RegionFree(&Server->Openings[Index].Region);
        if (Server->Openings[Index].File != NULL) {
            StoreRelease(Server->Store, Server->Openings[Index].File);
            Server->Openings[Index].File = NULL;
        }
    }
    for (Index = 0; Server->Requests != NULL && Index < Server->Connection->Transport->RequestCount;
         Index++) {
        if (Server->Requests[Index].Inbound != NULL) {
            SmbdReturnInbound(Server->Connection, Server->Requests[Index].Inbound);
        }
    }
    if (Server->Requests != NULL) {
        ExFreePoolWithTag(Server->Requests, MINI_POOL_TAG);
        Server->Requests = NULL;
    }
}

/* Under the connection's lock. */
static VOID RequestPutLocked(PMINI_REQUEST Request) {
    PMINI_SERVER Server = Request->Server;

    Request->Holds--;
    if (Request->Holds != 0) {
        return;
    }
    if (Request->Inbound != NULL) {
        StreamReturn(&Server->Connection->Stream, Request->Inbound);
        Request->Inbound = NULL;
    }
    InsertTailList(&Server->Free, &Request->Link);
    Server->BusyCount--;
    /* A message may wait for a free request. */
    KeSetEvent(&Server->Connection->Kick, IO_NO_INCREMENT, FALSE);
}

static VOID AnswerPosted(PSMBD_OUTBOUND Answer) {
    RequestPutLocked(CONTAINING_RECORD(Answer, MINI_REQUEST, Answer));
}

static VOID RequestPut(PMINI_REQUEST Request) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Request->Server->Connection->Lock, &Handle);
    RequestPutLocked(Request);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

/* Fills the answer's head; the tail is the data that follows it, or NULL. */
static VOID AnswerPrepare(PMINI_REQUEST Request, NTSTATUS Status, const UCHAR *Tail, ULONG Bytes) {
    BOOLEAN HasVersion12 = Request->Server->Connection->Transport->Rdma.HasVersion12;
    PSMBD_OUTBOUND Answer = &Request->Answer;
    MINI_HEADER Header = Request->Header;

    Header.Flags = MINI_FLAG_RESPONSE;
    Header.Status = Status;
    Header.DescriptorCount = 0;
    MiniPutHeader(Answer->Head, &Header);
    Answer->HeadBytes = MINI_HEADER_BYTES;
    Answer->Tail = Tail;
    Answer->TailBytes = Bytes;
    Answer->Posted = AnswerPosted;
    Answer->Prepare = NULL;
    Answer->Register = NULL;
    Answer->Invalidates = HasVersion12 && NT_SUCCESS(Status) &&
                          (Request->Header.Flags & MINI_FLAG_INVALIDATE) != 0 &&
                          Request->Header.DescriptorCount != 0;
    Answer->RemoteToken = Request->Transfer.Descriptors[0].Token;
}

static VOID AnswerSend(PMINI_REQUEST Request, NTSTATUS Status) {
    AnswerPrepare(Request, Status, NULL, 0);
    SmbdQueue(Request->Server->Connection, &Request->Answer);
}

static PMINI_OPENING OpeningFind(PMINI_SERVER Server, ULONG FileId) {
    ULONG Index;

    for (Index = 0; Index < MINI_OPEN_MAX; Index++) {
        if (Server->Openings[Index].File != NULL && Server->Openings[Index].File->Id == FileId) {
            return &Server->Openings[Index];
        }
    }
    return NULL;
}

static PMINI_OPENING OpeningFree(PMINI_SERVER Server) {
    ULONG Index;

    for (Index = 0; Index < MINI_OPEN_MAX; Index++) {
        if (Server->Openings[Index].File == NULL) {
            return &Server->Openings[Index];
        }
    }
    return NULL;
}

static NTSTATUS OpeningRegister(PMINI_SERVER Server, PMINI_OPENING Opening) {
    PSMBD_CONNECTION Connection = Server->Connection;
    NTSTATUS Status;

    Status =
        RegionCreate(&Opening->Region, Connection->Pd, Opening->File->Buffer, Opening->File->Bytes,
                     NDK_MR_FLAG_ALLOW_LOCAL_WRITE | NDK_MR_FLAG_RDMA_READ_SINK);
    if (NT_SUCCESS(Status)) {
        Status = SmbdAddMr(Connection, Opening->Region.Mr, &Opening->Region, "mr-file");
    }
    return Status;
}

static VOID OpeningEnd(PMINI_SERVER Server, PMINI_OPENING Opening) {
    if (Opening->Region.Mr != NULL) {
        SmbdRemoveMr(Server->Connection, Opening->Region.Mr);
    }
    RegionClose(&Opening->Region);
    RegionFree(&Opening->Region);
    StoreRelease(Server->Store, Opening->File);
    Opening->File = NULL;
}

static NTSTATUS ServeOpen(PMINI_SERVER Server, const MINI_HEADER *Header) {
    PMINI_OPENING Opening = OpeningFree(Server);
    NTSTATUS Status;

    if (Opening == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Status = StoreOpen(Server->Store, Server->Connection, Header->FileId, Header->Length,
                       Header->Offset, &Opening->File);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = OpeningRegister(Server, Opening);
    if (!NT_SUCCESS(Status)) {
        OpeningEnd(Server, Opening);
    }
    return Status;
}

static NTSTATUS ServeClose(PMINI_SERVER Server, const MINI_HEADER *Header) {
    PMINI_OPENING Opening = OpeningFind(Server, Header->FileId);

    if (Opening == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    /* The close itself is one. */
    if (Server->BusyCount != 1) {
        return STATUS_DEVICE_BUSY;
    }
    OpeningEnd(Server, Opening);
    Server->Closed(Server->Upper);
    return STATUS_SUCCESS;
}

/* Descriptors that hold exactly the request's length. */
static BOOLEAN TransferDescribe(PMINI_REQUEST Request, const UCHAR *Message) {
    PSMBD_TRANSFER Transfer = &Request->Transfer;
    ULONG64 Total = 0;
    ULONG Index;

    if (Request->Header.DescriptorCount > SMBD_DESCRIPTOR_MAX || Request->Header.Length == 0) {
        return FALSE;
    }
    Transfer->DescriptorCount = Request->Header.DescriptorCount;
    Transfer->Bytes = Request->Header.Length;
    Transfer->Then = NULL;
    for (Index = 0; Index < Transfer->DescriptorCount; Index++) {
        WireGetDescriptor(Message + MINI_HEADER_BYTES + Index * SMBD_DESCRIPTOR_BYTES,
                          &Transfer->Descriptors[Index]);
        Total += Transfer->Descriptors[Index].Length;
    }
    return Total == Transfer->Bytes;
}

static VOID WriteVerify(PMINI_REQUEST Request, const UCHAR *Data) {
    PMINI_SERVER Server = Request->Server;
    PSMBD_CONNECTION Connection = Server->Connection;
    ULONG64 Checksum = MiniChecksum(Data, Request->Header.Length);
    NTSTATUS Status = STATUS_SUCCESS;
    KLOCK_QUEUE_HANDLE Handle;

    if (Checksum != Request->Header.Checksum) {
        DbgPrint("%s: connection %u: checksum of a write is wrong\n", Connection->Transport->Name,
                 Connection->Number);
        Status = STATUS_CRC_ERROR;
    }
    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    if (NT_SUCCESS(Status)) {
        Connection->Counters.BytesWritten += Request->Header.Length;
    } else {
        Connection->Counters.ChecksumErrors++;
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    InterlockedAdd64(Server->BytesMoved, Request->Header.Length);
    AnswerSend(Request, Status);
}

static VOID ServeWrite(PMINI_REQUEST Request, PMINI_OPENING Opening, const UCHAR *Message,
                       ULONG Bytes) {
    PUCHAR Data = Opening->File->Buffer + Request->Header.Offset;

    if (Request->Header.DescriptorCount == 0) {
        if (Bytes - MINI_HEADER_BYTES != Request->Header.Length) {
            AnswerSend(Request, STATUS_INVALID_PARAMETER);
            return;
        }
        RtlCopyMemory(Data, Message + MINI_HEADER_BYTES, Request->Header.Length);
        WriteVerify(Request, Data);
        return;
    }
    Request->Transfer.IsWrite = FALSE;
    Request->Transfer.Local = Data;
    Request->Transfer.LocalToken = Opening->Region.LocalToken;
    SmbdQueueTransfer(Request->Server->Connection, &Request->Transfer);
}

static VOID ServeRead(PMINI_REQUEST Request, PMINI_OPENING Opening) {
    PSMBD_CONNECTION Connection = Request->Server->Connection;
    PUCHAR Data = Opening->File->Buffer + Request->Header.Offset;
    KLOCK_QUEUE_HANDLE Handle;

    Request->Header.Checksum = MiniChecksum(Data, Request->Header.Length);
    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    Connection->Counters.BytesRead += Request->Header.Length;
    KeReleaseInStackQueuedSpinLock(&Handle);
    InterlockedAdd64(Request->Server->BytesMoved, Request->Header.Length);
    if (Request->Header.DescriptorCount == 0) {
        AnswerPrepare(Request, STATUS_SUCCESS, Data, Request->Header.Length);
        SmbdQueue(Connection, &Request->Answer);
        return;
    }
    AnswerPrepare(Request, STATUS_SUCCESS, NULL, 0);
    /* The answer leaves behind the last piece, so that the data is there when it arrives. */
    Request->Holds++;
    Request->Transfer.Then = &Request->Answer;
    Request->Transfer.IsWrite = TRUE;
    Request->Transfer.Local = Data;
    Request->Transfer.LocalToken = Opening->Region.LocalToken;
    SmbdQueueTransfer(Connection, &Request->Transfer);
}

static VOID ServeData(PMINI_REQUEST Request, const UCHAR *Message, ULONG Bytes) {
    PMINI_OPENING Opening = OpeningFind(Request->Server, Request->Header.FileId);
    ULONG64 End = Request->Header.Offset + Request->Header.Length;

    if (Opening == NULL) {
        AnswerSend(Request, STATUS_INVALID_HANDLE);
    } else if (End > Opening->File->Bytes || End < Request->Header.Offset ||
               Request->Header.Length > Request->Server->Connection->Limits.MaxReadWriteSize) {
        AnswerSend(Request, STATUS_INVALID_PARAMETER);
    } else if (Request->Header.DescriptorCount != 0 && !TransferDescribe(Request, Message)) {
        AnswerSend(Request, STATUS_INVALID_PARAMETER);
    } else if (Request->Header.Opcode == MiniWrite) {
        ServeWrite(Request, Opening, Message, Bytes);
    } else {
        ServeRead(Request, Opening);
    }
}

static VOID ServeEcho(PMINI_REQUEST Request, PSMBD_INBOUND Inbound) {
    PSMBD_CONNECTION Connection = Request->Server->Connection;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    Connection->Counters.Messages++;
    KeReleaseInStackQueuedSpinLock(&Handle);
    AnswerPrepare(Request, STATUS_SUCCESS, Inbound->Data + MINI_HEADER_BYTES,
                  Inbound->Length - MINI_HEADER_BYTES);
    SmbdQueue(Connection, &Request->Answer);
}

static VOID Serve(PMINI_REQUEST Request, PSMBD_INBOUND Inbound) {
    PMINI_SERVER Server = Request->Server;

    if (Request->Header.Opcode == MiniWrite || Request->Header.Opcode == MiniRead) {
        ServeData(Request, Inbound->Data, Inbound->Length);
        return;
    }
    /* Only data comes with descriptors. */
    Request->Header.DescriptorCount = 0;
    switch (Request->Header.Opcode) {
    case MiniOpen:
        AnswerSend(Request, ServeOpen(Server, &Request->Header));
        break;
    case MiniClose:
        AnswerSend(Request, ServeClose(Server, &Request->Header));
        break;
    case MiniEcho:
        ServeEcho(Request, Inbound);
        break;
    default:
        AnswerSend(Request, STATUS_NOT_SUPPORTED);
        break;
    }
}

/* A free request with the next message; NULL when there is not both. */
static PMINI_REQUEST RequestTake(PMINI_SERVER Server) {
    PSMBD_CONNECTION Connection = Server->Connection;
    PMINI_REQUEST Request = NULL;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
    if (Connection->State == SmbdEstablished && !IsListEmpty(&Connection->Inbound) &&
        !IsListEmpty(&Server->Free)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Connection->Inbound);

        Request = CONTAINING_RECORD(RemoveHeadList(&Server->Free), MINI_REQUEST, Link);
        Request->Inbound = CONTAINING_RECORD(Entry, SMBD_INBOUND, Link);
        Request->Holds = 1;
        Server->BusyCount++;
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    return Request;
}

static VOID TransferFinished(PSMBD_TRANSFER Transfer) {
    PMINI_REQUEST Request = CONTAINING_RECORD(Transfer, MINI_REQUEST, Transfer);

    if (Transfer->IsWrite) {
        RequestPut(Request);
    } else if (NT_SUCCESS(Transfer->Status)) {
        WriteVerify(Request, Transfer->Local);
    }
}

VOID MiniServerRun(PMINI_SERVER Server) {
    PSMBD_TRANSFER Transfer;
    PMINI_REQUEST Request;

    PAGED_CODE();
    for (;;) {
        Transfer = SmbdTakeFinished(Server->Connection);
        if (Transfer != NULL) {
            TransferFinished(Transfer);
            continue;
        }
        Request = RequestTake(Server);
        if (Request == NULL) {
            return;
        }
        if (!MiniGetHeader(Request->Inbound->Data, Request->Inbound->Length, &Request->Header)) {
            SmbdEnd(Server->Connection, STATUS_INVALID_NETWORK_RESPONSE, "not a request");
            return;
        }
        Serve(Request, Request->Inbound);
    }
}
