/* SPDX-License-Identifier: Apache-2.0 */
/* The listening side of the pair driver; see pair.h. */
#include "pair.h"

static VOID ServerConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    PPAIR Pair = Context;
    SOCKADDR_INET Address;
    ULONG Bytes = sizeof(Address);
    NTSTATUS Status;

    Status = Connector->Dispatch->NdkGetPeerAddress(Connector, (PSOCKADDR)&Address, &Bytes);
    PairMustSucceed(Status, "read the peer's address in the callback");
    NdksimRequire(Pair->Arrived == NULL, "one request at a time");
    Pair->Arrived = Connector;
    KeSetEvent(&Pair->Incoming, IO_NO_INCREMENT, FALSE);
}

static VOID ServerAccept(PPAIR Pair) {
    CHAR Welcome[] = "welcome";
    UCHAR Data[64];
    ULONG Bytes = sizeof(Data);
    SYNC_WAIT Wait;
    NTSTATUS Status;

    KeWaitForSingleObject(&Pair->Incoming, Executive, KernelMode, FALSE, NULL);
    Pair->Connector = Pair->Arrived;
    Pair->Arrived = NULL;
    Status =
        Pair->Connector->Dispatch->NdkGetConnectionData(Pair->Connector, NULL, NULL, Data, &Bytes);
    PairMustSucceed(Status, "read the request's data");
    NdksimRequire(Bytes == 56 && RtlEqualMemory(Data, "hello", 6), "the client's private data");
    SyncInit(&Wait);
    Status = Pair->Connector->Dispatch->NdkAccept(Pair->Connector, Pair->Qp, 2, MAXULONG, Welcome,
                                                  sizeof(Welcome), PairDisconnected, Pair,
                                                  SyncRequested, &Wait);
    PairMustSucceed(SyncFinish(&Wait, Status), "accept");
}

static VOID ServerBulk(PPAIR Pair, const PAIR_MESSAGE *Offer) {
    NDK_SGE Sge = {{Pair->Bulk.Buffer}, Offer->Bytes, Pair->Bulk.LocalToken};
    ULONG i;

    for (i = 0; i < Offer->Bytes; i++) {
        Pair->Bulk.Buffer[i] = (UCHAR)(i * 7 + 3);
    }
    PairMustSucceed(
        Pair->Qp->Dispatch->NdkWrite(Pair->Qp, NULL, &Sge, 1, Offer->Address, Offer->Token, 0),
        "post a write");
    PairExpect(Pair, NdkOperationTypeWrite);
    RtlZeroMemory(Pair->Bulk.Buffer, Offer->Bytes);
    PairMustSucceed(
        Pair->Qp->Dispatch->NdkRead(Pair->Qp, NULL, &Sge, 1, Offer->Address, Offer->Token, 0),
        "post a read");
    PairExpect(Pair, NdkOperationTypeRead);
    NdksimRequire(PairBulkIsRight(Pair), "what was written is read");
}

/* A client that closes at once may do so before it has acknowledged the last message. */
static VOID ServerLastSend(PPAIR Pair) {
    NDK_RESULT_EX Result;

    PairResult(Pair, &Result);
    NdksimRequire(Result.Type == NdkOperationTypeSend || Pair->Abort == 1, "a send");
    NdksimRequire(Result.Status == STATUS_SUCCESS || Pair->Abort == 1, "the last send");
}

/* TRUE: the client has made its offer, and that was the last message. */
static BOOLEAN ServerMessage(PPAIR Pair) {
    ULONG Slot = PairExpect(Pair, NdkOperationTypeReceive);
    PAIR_MESSAGE Message = *PairReceived(Pair, Slot);
    BOOLEAN Last = Message.Kind == PairOffer;

    PairPostReceive(Pair, Slot);
    if (Last) {
        ServerBulk(Pair, &Message);
        PairSendAndInvalidate(Pair, &Message, Message.Token);
        ServerLastSend(Pair);
    } else {
        PairSend(Pair, &Message, NDK_OP_FLAG_SILENT_SUCCESS | NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT);
    }
    return Last;
}

static VOID ServerEnd(PPAIR Pair) {
    if (Pair->Abort != 2) {
        KeWaitForSingleObject(&Pair->Disconnected, Executive, KernelMode, FALSE, NULL);
        NdksimRequire(Pair->Disconnects == 1, "one event");
    }
    if (Pair->Abort == 0) {
        PairMustSucceed(SyncDisconnect(Pair->Connector), "disconnect after the event");
        PairDrain(Pair, PAIR_DEPTH);
    }
    PairCloseConnection(Pair);
}

VOID PairServer(PVOID Context) {
    PPAIR Pair = Context;
    ULONG i;

    KeInitializeEvent(&Pair->Incoming, SynchronizationEvent, FALSE);
    PairOpen(Pair);
    PairOpenConnection(Pair);
    PairMustSucceed(
        SyncCreateListener(Pair->Rdma.Adapter, ServerConnectEvent, Pair, &Pair->Listener),
        "create a listener");
    PairMustSucceed(SyncListen(Pair->Listener, &Pair->Local.Plain, Pair->Local.Bytes), "listen");
    NdksimCounter("listening", 1);
    for (i = 0; i < Pair->Rounds; i++) {
        ServerAccept(Pair);
        while (!ServerMessage(Pair)) {
        }
        ServerEnd(Pair);
        NdksimCounter("rounds", i + 1);
        if (i + 1 < Pair->Rounds) {
            PairOpenConnection(Pair);
        }
    }
    SyncClose(&Pair->Listener->Header, Pair->Listener->Dispatch->NdkCloseListener);
    PairClose(Pair);
    NdksimCounter("done", 1);
}
