/* SPDX-License-Identifier: Apache-2.0 */
/* The connecting side of the pair driver; see pair.h. */
#include "pair.h"

static NTSTATUS ClientConnect(PPAIR Pair) {
    CHAR Hello[] = "hello";
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Pair->Connector->Dispatch->NdkConnect(
        Pair->Connector, Pair->Qp, &Pair->Local.Plain, Pair->Local.Bytes, &Pair->Peer.Plain,
        Pair->Peer.Bytes, 4, 8, Hello, sizeof(Hello), SyncRequested, &Wait);
    return SyncFinish(&Wait, Status);
}

static VOID ClientComplete(PPAIR Pair) {
    UCHAR Data[256];
    ULONG Bytes = sizeof(Data);
    ULONG Inbound;
    ULONG Outbound;
    SYNC_WAIT Wait;
    NTSTATUS Status;

    Status = Pair->Connector->Dispatch->NdkGetConnectionData(Pair->Connector, &Inbound, &Outbound,
                                                             Data, &Bytes);
    PairMustSucceed(Status, "read the connection data");
    NdksimRequire(Bytes == 196 && RtlEqualMemory(Data, "welcome", 8), "the peer's private data");
    NdksimRequire(Inbound == 4 && Outbound == 2, "the effective read limits");
    SyncInit(&Wait);
    Status = Pair->Connector->Dispatch->NdkCompleteConnect(Pair->Connector, PairDisconnected, Pair,
                                                           SyncRequested, &Wait);
    PairMustSucceed(SyncFinish(&Wait, Status), "complete the connect");
}

static VOID ClientPing(PPAIR Pair) {
    PAIR_MESSAGE Message = {PairPing, 0, 0, 0, 0};
    ULONG i;

    for (i = 0; i < Pair->Count; i++) {
        ULONG Slot;
        ULONG j;

        Message.Number = i;
        PairSend(Pair, &Message, i % 2 != 0 ? NDK_OP_FLAG_INLINE : 0);
        /* The completion of the send and the echo, in either order. */
        for (j = 0, Slot = 0; j < 2; j++) {
            NDK_RESULT_EX Result;

            PairResult(Pair, &Result);
            PairMustSucceed(Result.Status, "a ping");
            if (Result.Type == NdkOperationTypeReceive) {
                Slot = (ULONG)(ULONG_PTR)Result.RequestContext - 1;
                NdksimRequire(Result.BytesTransferred == sizeof(Message), "bytes of the echo");
            }
        }
        NdksimRequire(PairReceived(Pair, Slot)->Number == i, "the echo of this ping");
        PairPostReceive(Pair, Slot);
    }
}

static VOID ClientFastRegister(PPAIR Pair) {
    PVOID Base = MmGetMdlVirtualAddress(Pair->Bulk.Mdl);

    PairMustSucceed(Pair->Qp->Dispatch->NdkFastRegister(
                        Pair->Qp, NULL, Pair->FastMr, Pair->Mapping.Lam->AdapterPageCount,
                        Pair->Mapping.Lam->AdapterPageArray, Pair->Mapping.FirstByteOffset,
                        PAIR_BULK_BYTES, Base,
                        NDK_OP_FLAG_ALLOW_REMOTE_READ | NDK_OP_FLAG_ALLOW_REMOTE_WRITE |
                            NDK_OP_FLAG_SILENT_SUCCESS | NDK_OP_FLAG_DEFER),
                    "fast-register");
}

/* The server fills the bulk and invalidates the token with its answer. */
static VOID ClientOffer(PPAIR Pair) {
    UINT32 Token = Pair->FastMr->Dispatch->NdkGetRemoteTokenFromMr(Pair->FastMr);
    PAIR_MESSAGE Message = {PairOffer, 0, (UINT64)(ULONG_PTR)Pair->Bulk.Buffer, Token,
                            PAIR_BULK_BYTES};
    NDK_RESULT_EX Result;

    ClientFastRegister(Pair);
    PairSend(Pair, &Message, NDK_OP_FLAG_SILENT_SUCCESS);
    PairResult(Pair, &Result);
    PairMustSucceed(Result.Status, "the answer to the offer");
    NdksimRequire(Result.Type == NdkOperationTypeReceiveAndInvalidate,
                  "a receive that invalidates");
    NdksimRequire(Result.TypeSpecificCompletionOutput == Token, "the token that was invalidated");
    NdksimRequire(PairBulkIsRight(Pair), "the bulk as the server wrote it");
    PairPostReceive(Pair, (ULONG)(ULONG_PTR)Result.RequestContext - 1);
}

static VOID ClientEnd(PPAIR Pair) {
    if (Pair->Abort == 0) {
        PairMustSucceed(SyncDisconnect(Pair->Connector), "disconnect");
        PairDrain(Pair, PAIR_DEPTH);
        NdksimRequire(Pair->Disconnects == 0, "no event for the own disconnect");
    } else if (Pair->Abort == 2) {
        KeWaitForSingleObject(&Pair->Disconnected, Executive, KernelMode, FALSE, NULL);
        NdksimRequire(SyncDisconnect(Pair->Connector) == STATUS_CONNECTION_ABORTED,
                      "disconnect after an abort");
        PairDrain(Pair, PAIR_DEPTH);
    }
    PairCloseConnection(Pair);
}

static VOID ClientRefused(PPAIR Pair) {
    NdksimRequire(ClientConnect(Pair) == STATUS_CONNECTION_REFUSED, "nobody listens");
    NdksimRequire(ClientConnect(Pair) == STATUS_CONNECTION_REFUSED, "nobody listens still");
    PairCloseConnection(Pair);
}

VOID PairClient(PVOID Context) {
    PPAIR Pair = Context;
    ULONG i;

    PairOpen(Pair);
    NdksimCounter("open", 1);
    for (i = 0; i < Pair->Rounds; i++) {
        PairOpenConnection(Pair);
        PairMustSucceed(SyncCreateConnector(Pair->Rdma.Adapter, &Pair->Connector),
                        "create a connector");
        if (Pair->NoPeer != 0) {
            ClientRefused(Pair);
            continue;
        }
        PairMustSucceed(ClientConnect(Pair), "connect");
        ClientComplete(Pair);
        ClientPing(Pair);
        ClientOffer(Pair);
        ClientEnd(Pair);
        NdksimCounter("rounds", i + 1);
    }
    PairClose(Pair);
    NdksimCounter("done", 1);
}
