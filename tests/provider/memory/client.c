/* SPDX-License-Identifier: Apache-2.0 */
/* Connections and orders of the client; see client.h. */
#include "client.h"

VOID ClientConnect(PSIDE Side) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SideMakeQueues(Side);
    CheckStatus(SyncCreateConnector(Side->Rdma.Adapter, &Side->Connector), STATUS_SUCCESS,
                "create a connector");
    SyncInit(&Wait);
    Status = Side->Connector->Dispatch->NdkConnect(
        Side->Connector, Side->Qp, &Side->Local.Plain, Side->Local.Bytes, &Side->Peer.Plain,
        Side->Peer.Bytes, 8, 8, NULL, 0, SyncRequested, &Wait);
    CheckStatus(SyncFinish(&Wait, Status), STATUS_SUCCESS, "connect");
    SyncInit(&Wait);
    Status = Side->Connector->Dispatch->NdkCompleteConnect(Side->Connector, SideDisconnected, Side,
                                                           SyncRequested, &Wait);
    CheckStatus(SyncFinish(&Wait, Status), STATUS_SUCCESS, "complete the connect");
    Side->Connected = TRUE;
}

VOID ClientEnd(PSIDE Side) {
    SideCloseQueues(Side);
}

VOID ClientReconnect(PSIDE Side) {
    ClientEnd(Side);
    ClientConnect(Side);
}

/* FALSE: the connection ended first. */
static BOOLEAN AskOnce(PSIDE Side, const ORDER *Order, PORDER Answer) {
    BOOLEAN Sent = FALSE;
    BOOLEAN Answered = FALSE;

    SideSendOrder(Side, Order);
    while (!Sent || !Answered) {
        NDK_RESULT_EX Result;

        if (!SideResult(Side, &Result) || Result.Status != STATUS_SUCCESS) {
            return FALSE;
        }
        if (Result.RequestContext == SIDE_SEND) {
            Sent = TRUE;
        } else {
            ULONG Slot = (ULONG)(ULONG_PTR)Result.RequestContext - 1;

            Check(Slot < SIDE_RECEIVES, "an answer, or the order's own result");
            *Answer = *SideMessage(Side, Slot);
            SidePostReceive(Side, Slot);
            Answered = TRUE;
        }
    }
    return TRUE;
}

VOID AskWhere(PSIDE Side) {
    const ORDER Order = {OrderWhere, 0, 0, 0, 0, 0, 0};
    ORDER Answer;

    Check(AskOnce(Side, &Order, &Answer), "the peer tells where its bulk is");
    Side->PeerAddress = Answer.Address;
    Side->PeerToken = Answer.Token;
}

NTSTATUS Ask(PSIDE Side, const ORDER *Order, PULONG Value) {
    const ORDER Status = {OrderStatus, 0, 0, 0, 0, 0, 0};
    ORDER Answer;

    if (!AskOnce(Side, Order, &Answer)) {
        ClientReconnect(Side);
        Check(AskOnce(Side, &Status, &Answer), "the peer tells how it ended");
        Check(Answer.Status != STATUS_SUCCESS, "what ended the connection has failed");
    }
    if (Value != NULL) {
        *Value = Answer.Value;
    }
    return Answer.Status;
}

VOID CheckRefused(PSIDE Side, NTSTATUS Status, PCSTR What) {
    if (Side->Lossy == 0 || (Status != STATUS_CONNECTION_ABORTED && Status != STATUS_IO_TIMEOUT)) {
        CheckStatus(Status, STATUS_REMOTE_RESOURCES, What);
    }
}

NTSTATUS AskRead(PSIDE Side, const VOID *Address, UINT32 Token, ULONG Bytes) {
    const ORDER Order = {OrderRead, 0, (UINT64)(ULONG_PTR)Address, Token, Bytes, 0, 0};
    ULONG Sum = 0;
    NTSTATUS Status = Ask(Side, &Order, &Sum);

    if (Status == STATUS_SUCCESS) {
        Check(Sum == SumOf(Address, Bytes), "what the peer has read");
    }
    return Status;
}

NTSTATUS AskWrite(PSIDE Side, const VOID *Address, UINT32 Token, ULONG Bytes, ULONG Value) {
    const ORDER Order = {OrderWrite, 0, (UINT64)(ULONG_PTR)Address, Token, Bytes, Value, 0};
    NTSTATUS Status = Ask(Side, &Order, NULL);

    if (Status == STATUS_SUCCESS) {
        Check(PatternIs(Address, Bytes, Value), "what the peer has written");
    }
    return Status;
}

ULONG AskSend(PSIDE Side, ORDER_KIND Kind, UINT32 Token, ULONG Bytes, ULONG Value) {
    const ORDER Order = {(ULONG)Kind, 0, 0, Token, Bytes, Value, 0};
    ULONG Slot = SIDE_RECEIVES;
    BOOLEAN Sent = FALSE;

    SideSendOrder(Side, &Order);
    while (!Sent || Slot == SIDE_RECEIVES) {
        NDK_RESULT_EX Result;

        Check(SideResult(Side, &Result) && Result.Status == STATUS_SUCCESS, "a message comes");
        if (Result.RequestContext == SIDE_SEND) {
            Sent = TRUE;
            continue;
        }
        Slot = (ULONG)(ULONG_PTR)Result.RequestContext - 1;
        Check(Result.BytesTransferred == Bytes, "bytes of the message");
        Check(PatternIs((PUCHAR)SideMessage(Side, Slot), Bytes, Value), "the message");
        if (Kind == OrderSendAndInvalidate) {
            Check(Result.Type == NdkOperationTypeReceiveAndInvalidate &&
                      Result.TypeSpecificCompletionOutput == Token,
                  "the token that was invalidated");
        } else {
            Check(Result.Type == NdkOperationTypeReceive, "a plain receive");
        }
    }
    return Slot;
}

VOID Expect(PSIDE Side, ULONG_PTR Context, NDK_OPERATION_TYPE Type, NTSTATUS Status) {
    NDK_RESULT_EX Result;

    SideAwait(Side, &Result);
    if (!SideHasVersion(Side, 1, 2)) {
        Result.Type = Type; /* plain results do not tell */
    }
    if (Result.Status != Status || Result.Type != Type || Result.RequestContext != (PVOID)Context) {
        DbgPrint("memory: context 0x%X type 0x%X status 0x%08X, wanted 0x%X 0x%X 0x%08X\n",
                 (ULONG)(ULONG_PTR)Result.RequestContext, Result.Type, Result.Status,
                 (ULONG)Context, Type, Status);
    }
    Check(Result.Status == Status && Result.Type == Type && Result.RequestContext == (PVOID)Context,
          "the result of this request");
    Check(Status != STATUS_SUCCESS || Result.ProviderErrorCode == 0, "no error code with success");
}

VOID ExpectCancelled(PSIDE Side, ULONG Receives) {
    ULONG i;

    for (i = 0; i < Receives; i++) {
        NDK_RESULT_EX Result;

        SideAwait(Side, &Result);
        Check(Result.Status == STATUS_CANCELLED && Result.Type == NdkOperationTypeReceive &&
                  (ULONG_PTR)Result.RequestContext <= SIDE_RECEIVES,
              "nothing but cancelled receives");
    }
}

NDK_MW *NewMw(NDK_PD *Pd) {
    NDK_MW *Mw = NULL;

    CheckStatus(SyncCreateMw(Pd, &Mw), STATUS_SUCCESS, "create a memory window");
    Check(Mw->Dispatch->NdkGetRemoteTokenFromMw(Mw) == 0, "no token before the first bind");
    return Mw;
}

NDK_MR *NewMr(PSIDE Side, BOOLEAN FastRegister) {
    NDK_MR *Mr = NULL;

    CheckStatus(SyncCreateMr(Side->Pd, FastRegister, &Mr), STATUS_SUCCESS, "create an MR");
    Check(Mr->Dispatch->NdkGetLocalTokenFromMr(Mr) == 0 &&
              Mr->Dispatch->NdkGetRemoteTokenFromMr(Mr) == 0,
          "no tokens yet");
    return Mr;
}

VOID CloseMr(NDK_MR *Mr) {
    SyncClose(&Mr->Header, Mr->Dispatch->NdkCloseMr);
}

VOID CloseMw(NDK_MW *Mw) {
    SyncClose(&Mw->Header, Mw->Dispatch->NdkCloseMw);
}

VOID Bind(PSIDE Side, ULONG_PTR Context, NDK_MR *Mr, NDK_MW *Mw, PVOID Address, SIZE_T Bytes,
          ULONG Flags) {
    CheckStatus(
        Side->Qp->Dispatch->NdkBind(Side->Qp, (PVOID)Context, Mr, Mw, Address, Bytes, Flags),
        STATUS_SUCCESS, "post a bind");
    Check(Mw->Dispatch->NdkGetRemoteTokenFromMw(Mw) != 0, "a token when the bind returns");
}

VOID Invalidate(PSIDE Side, ULONG_PTR Context, NDK_OBJECT_HEADER *Object, ULONG Flags) {
    CheckStatus(Side->Qp->Dispatch->NdkInvalidate(Side->Qp, (PVOID)Context, Object, Flags),
                STATUS_SUCCESS, "post an invalidation");
}

/* From and to the start of the peer's bulk. */
VOID Read(PSIDE Side, ULONG_PTR Context, const NDK_SGE *Sgl, ULONG Count, ULONG Flags) {
    CheckStatus(Side->Qp->Dispatch->NdkRead(Side->Qp, (PVOID)Context, Sgl, Count, Side->PeerAddress,
                                            Side->PeerToken, Flags),
                STATUS_SUCCESS, "post a read");
}

VOID Write(PSIDE Side, ULONG_PTR Context, const NDK_SGE *Sgl, ULONG Count, ULONG Flags) {
    CheckStatus(Side->Qp->Dispatch->NdkWrite(Side->Qp, (PVOID)Context, Sgl, Count,
                                             Side->PeerAddress, Side->PeerToken, Flags),
                STATUS_SUCCESS, "post a write");
}

VOID Send(PSIDE Side, ULONG_PTR Context, const NDK_SGE *Sgl, ULONG Count, ULONG Flags) {
    CheckStatus(Side->Qp->Dispatch->NdkSend(Side->Qp, (PVOID)Context, Sgl, Count, Flags),
                STATUS_SUCCESS, "post a send");
}
