/* SPDX-License-Identifier: Apache-2.0 */
/* Reassembly; see smbd_stream.h. */
#include "smbd_stream.h"

#define STREAM_POOL_TAG 'sBmS'
#define INBOUND_BYTES_MIN 512u

VOID StreamInit(PSMBD_STREAM Stream, BOOLEAN IsStrict) {
    InitializeListHead(&Stream->Free);
    Stream->Current = NULL;
    Stream->IsStrict = IsStrict;
}

VOID StreamDeinit(PSMBD_STREAM Stream) {
    if (Stream->Current != NULL) {
        StreamReturn(Stream, Stream->Current);
        Stream->Current = NULL;
    }
    while (!IsListEmpty(&Stream->Free)) {
        PLIST_ENTRY Entry = RemoveHeadList(&Stream->Free);

        ExFreePoolWithTag(CONTAINING_RECORD(Entry, SMBD_INBOUND, Link), STREAM_POOL_TAG);
    }
}

VOID StreamReturn(PSMBD_STREAM Stream, PSMBD_INBOUND Inbound) {
    InsertHeadList(&Stream->Free, &Inbound->Link);
}

static PSMBD_INBOUND StreamTake(PSMBD_STREAM Stream, ULONG Length) {
    PSMBD_INBOUND Inbound;
    PLIST_ENTRY Entry;
    ULONG Capacity;

    for (Entry = Stream->Free.Flink; Entry != &Stream->Free; Entry = Entry->Flink) {
        Inbound = CONTAINING_RECORD(Entry, SMBD_INBOUND, Link);
        if (Inbound->Capacity >= Length) {
            RemoveEntryList(Entry);
            return Inbound;
        }
    }
    Capacity = max(Length, INBOUND_BYTES_MIN);
    Inbound = ExAllocatePoolWithTag(
        NonPagedPoolNx, UFIELD_OFFSET(SMBD_INBOUND, Data) + (SIZE_T)Capacity, STREAM_POOL_TAG);
    if (Inbound != NULL) {
        Inbound->Capacity = Capacity;
    }
    return Inbound;
}

static PCSTR StreamBegin(PSMBD_STREAM Stream, const SMBD_HEADER *Header) {
    /* CheckData has bounded the sum. */
    ULONG Length = Header->DataLength + Header->RemainingDataLength;

    Stream->Current = StreamTake(Stream, Length);
    if (Stream->Current == NULL) {
        return "no memory for a message";
    }
    Stream->Current->Length = Length;
    Stream->Current->Filled = 0;
    Stream->Current->InvalidatedToken = 0;
    return NULL;
}

/* Bytes after this fragment, by our own count and by the sender's. */
static PCSTR StreamJudge(const SMBD_STREAM *Stream, const SMBD_HEADER *Header) {
    ULONG Owed = Stream->Current->Length - Stream->Current->Filled;

    if (Header->DataLength > Owed) {
        return "fragments are longer than announced";
    }
    Owed -= Header->DataLength;
    if (Header->RemainingDataLength == 0 && Owed != 0) {
        return "fragments end too early";
    }
    if (Header->RemainingDataLength != 0 && Owed == 0) {
        return "fragments go on after the end";
    }
    if (Stream->IsStrict && Header->RemainingDataLength != Owed) {
        return "fragment announces a wrong rest";
    }
    return NULL;
}

/* A message without payload between two fragments: a grant, or a fragment of no bytes. */
static PCSTR StreamJudgeEmpty(const SMBD_STREAM *Stream, const SMBD_HEADER *Header) {
    ULONG Owed = Stream->Current->Length - Stream->Current->Filled;

    if (Stream->IsStrict && Header->RemainingDataLength != Owed) {
        return "fragment announces a wrong rest";
    }
    return NULL;
}

PCSTR StreamFragment(PSMBD_STREAM Stream, const SMBD_HEADER *Header, const UCHAR *Payload,
                     UINT32 InvalidatedToken, PSMBD_INBOUND *Whole) {
    PSMBD_INBOUND Inbound;
    PCSTR Reason;

    *Whole = NULL;
    if (Header->DataLength == 0 && (Stream->Current != NULL || Header->RemainingDataLength == 0)) {
        return Stream->Current != NULL ? StreamJudgeEmpty(Stream, Header) : NULL;
    }
    if (Stream->Current == NULL) {
        Reason = StreamBegin(Stream, Header);
        if (Reason != NULL) {
            return Reason;
        }
    }
    Reason = StreamJudge(Stream, Header);
    if (Reason != NULL) {
        return Reason;
    }
    Inbound = Stream->Current;
    RtlCopyMemory(Inbound->Data + Inbound->Filled, Payload, Header->DataLength);
    Inbound->Filled += Header->DataLength;
    if (InvalidatedToken != 0) {
        Inbound->InvalidatedToken = InvalidatedToken;
    }
    if (Inbound->Filled == Inbound->Length) {
        Stream->Current = NULL;
        *Whole = Inbound;
    }
    return NULL;
}
