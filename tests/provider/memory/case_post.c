/* SPDX-License-Identifier: Apache-2.0 */
/* Posts: what is refused at the call, flags, limits, inline data, silence. */
#include "client.h"

#define CONTEXT SIDE_FIRST_CONTEXT
#define REMOTE_RIGHTS (NDK_OP_FLAG_ALLOW_REMOTE_READ | NDK_OP_FLAG_ALLOW_REMOTE_WRITE)

typedef enum _POST {
    PostSend,
    PostSendAndInvalidate,
    PostRead,
    PostWrite,
    PostBind,
    PostFastRegister,
    PostInvalidate,
    PostCount
} POST;

/* What the seven requests work on. */
typedef struct _MATERIAL {
    NDK_MW *Mw;
    NDK_MR *Fast;
    RDMA_MAPPING Mapping;
    NDK_SGE Sge;
} MATERIAL;

static VOID MaterialOpen(PSIDE Side, MATERIAL *Material) {
    Material->Mw = NewMw(Side->Pd);
    Material->Fast = NewMr(Side, TRUE);
    CheckStatus(SyncInitializeFastRegisterMr(Material->Fast, 16, TRUE), STATUS_SUCCESS,
                "initialise");
    CheckStatus(MappingBuild(&Material->Mapping, Side->Rdma.Adapter, Side->Bulk.Mdl, PAGE_SIZE),
                STATUS_SUCCESS, "map");
    Material->Sge.VirtualAddress = Side->Bulk.Buffer;
    Material->Sge.Length = 32;
    Material->Sge.MemoryRegionToken = Side->Bulk.LocalToken;
}

static VOID MaterialClose(PSIDE Side, MATERIAL *Material) {
    MappingRelease(&Material->Mapping, Side->Rdma.Adapter);
    CloseMr(Material->Fast);
    CloseMw(Material->Mw);
}

/* One request of the kind with these flags, beside those that it needs. */
static NTSTATUS Post(PSIDE Side, NDK_QP *Qp, MATERIAL *Material, POST Kind, ULONG Flags) {
    const NDK_QP_DISPATCH *Dispatch = Qp->Dispatch;
    const NDK_SGE *Sge = &Material->Sge;
    PVOID Context = (PVOID)(ULONG_PTR)CONTEXT;

    switch (Kind) {
    case PostSend:
        return Dispatch->NdkSend(Qp, Context, Sge, 1, Flags);
    case PostSendAndInvalidate:
        return Dispatch->NdkSendAndInvalidate(Qp, Context, Sge, 1, Flags, Side->PeerToken);
    case PostRead:
        return Dispatch->NdkRead(Qp, Context, Sge, 1, Side->PeerAddress, Side->PeerToken, Flags);
    case PostWrite:
        return Dispatch->NdkWrite(Qp, Context, Sge, 1, Side->PeerAddress, Side->PeerToken, Flags);
    case PostBind:
        return Dispatch->NdkBind(Qp, Context, Side->Bulk.Mr, Material->Mw, Side->Bulk.Buffer, 8,
                                 Flags | NDK_OP_FLAG_ALLOW_REMOTE_READ);
    case PostFastRegister:
        return Dispatch->NdkFastRegister(Qp, Context, Material->Fast, 1,
                                         Material->Mapping.Lam->AdapterPageArray, 0, 8, NULL,
                                         Flags | NDK_OP_FLAG_ALLOW_REMOTE_READ);
    default:
        return Dispatch->NdkInvalidate(Qp, Context, &Material->Fast->Header, Flags);
    }
}

static const NDK_OPERATION_TYPE TypeOf[PostCount] = {
    NdkOperationTypeSend,       NdkOperationTypeSend, NdkOperationTypeRead,
    NdkOperationTypeWrite,      NdkOperationTypeBind, NdkOperationTypeFastRegister,
    NdkOperationTypeInvalidate,
};

/* Nothing but receives is taken where there is no connection; nothing is left behind. */
VOID PostsWithoutConnection(PSIDE Side) {
    const SYNC_QP_SIZES Sizes = {4, 4, 1, 1, 0};
    NDK_RESULT_EX Results[8];
    MATERIAL Material;
    NDK_CQ *Cq;
    NDK_QP *Qp;
    ULONG i;

    MaterialOpen(Side, &Material);
    CheckStatus(SyncCreateCq(Side->Rdma.Adapter, 8, NULL, NULL, &Cq), STATUS_SUCCESS, "a CQ");
    CheckStatus(SyncCreateQp(Side->Pd, Cq, Cq, Side, &Sizes, &Qp), STATUS_SUCCESS, "a QP");
    for (i = 0; i < PostCount; i++) {
        CheckStatus(Post(Side, Qp, &Material, (POST)i, 0), STATUS_CONNECTION_INVALID,
                    "a request without a connection");
    }
    for (i = 0; i < 4; i++) {
        CheckStatus(Qp->Dispatch->NdkReceive(Qp, (PVOID)(ULONG_PTR)(i + 1), &Material.Sge, 1),
                    STATUS_SUCCESS, "a receive without a connection");
    }
    CheckStatus(Qp->Dispatch->NdkReceive(Qp, NULL, &Material.Sge, 1), STATUS_NO_MORE_ENTRIES,
                "a receive too many");
    Check(Cq->Dispatch->NdkGetCqResultsEx(Cq, Results, 8) == 0, "no results");
    SyncClose(&Qp->Header, Qp->Dispatch->NdkCloseQp);
    Check(Cq->Dispatch->NdkGetCqResultsEx(Cq, Results, 8) == 4, "those of the receives");
    for (i = 0; i < 4; i++) {
        Check(Results[i].Status == STATUS_CANCELLED && Results[i].QPContext == Side &&
                  Results[i].RequestContext == (PVOID)(ULONG_PTR)(i + 1) &&
                  Results[i].Type == NdkOperationTypeReceive,
              "cancelled in order");
    }
    SyncClose(&Cq->Header, Cq->Dispatch->NdkCloseCq);
    MaterialClose(Side, &Material);
}

/* Which flags each request may carry, beside rights. */
#define COMMON (NDK_OP_FLAG_SILENT_SUCCESS | NDK_OP_FLAG_READ_FENCE | NDK_OP_FLAG_DEFER)
static const ULONG ListedFlags[PostCount] = {
    [PostSend] = COMMON | NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT | NDK_OP_FLAG_INLINE,
    [PostSendAndInvalidate] = COMMON | NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT | NDK_OP_FLAG_INLINE,
    [PostRead] = COMMON | NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE,
    [PostWrite] = COMMON | NDK_OP_FLAG_INLINE,
    [PostBind] = COMMON | REMOTE_RIGHTS,
    [PostFastRegister] = COMMON | REMOTE_RIGHTS | NDK_OP_FLAG_RDMA_READ_SINK,
    [PostInvalidate] = COMMON,
};

/* A flag that is listed is taken; one bit that is not is refused, and nothing happens. */
VOID PostFlags(PSIDE Side) {
    MATERIAL Material;
    ULONG Kind;
    ULONG Bit;

    MaterialOpen(Side, &Material);
    AskWhere(Side);
    for (Kind = 0; Kind < PostCount; Kind++) {
        for (Bit = 1; Bit != 0; Bit <<= 1) {
            if ((ListedFlags[Kind] & Bit) == 0) {
                CheckStatus(Post(Side, Side->Qp, &Material, (POST)Kind, Bit),
                            STATUS_INVALID_PARAMETER, "a flag that the page does not list");
            }
        }
    }
    CheckStatus(AskRead(Side, Side->Bulk.Buffer, Side->Bulk.RemoteToken, 8), STATUS_SUCCESS,
                "the connection still works");
    CheckStatus(Post(Side, Side->Qp, &Material, PostWrite, NDK_OP_FLAG_DEFER), STATUS_SUCCESS, "");
    CheckStatus(Post(Side, Side->Qp, &Material, PostWrite, NDK_OP_FLAG_INLINE), STATUS_SUCCESS, "");
    CheckStatus(Post(Side, Side->Qp, &Material, PostWrite, NDK_OP_FLAG_READ_FENCE), STATUS_SUCCESS,
                "");
    CheckStatus(Post(Side, Side->Qp, &Material, PostRead, NDK_OP_FLAG_READ_FENCE), STATUS_SUCCESS,
                "");
    CheckStatus(
        Post(Side, Side->Qp, &Material, PostBind, NDK_OP_FLAG_READ_FENCE | NDK_OP_FLAG_DEFER),
        STATUS_SUCCESS, "");
    CheckStatus(Post(Side, Side->Qp, &Material, PostFastRegister,
                     NDK_OP_FLAG_READ_FENCE | NDK_OP_FLAG_RDMA_READ_SINK),
                STATUS_SUCCESS, "");
    CheckStatus(Post(Side, Side->Qp, &Material, PostInvalidate, NDK_OP_FLAG_READ_FENCE),
                STATUS_SUCCESS, "");
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_SUCCESS);
    Expect(Side, CONTEXT, NdkOperationTypeBind, STATUS_SUCCESS);
    Expect(Side, CONTEXT, NdkOperationTypeFastRegister, STATUS_SUCCESS);
    Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_SUCCESS);
    MaterialClose(Side, &Material);
}

/* Silence hides success, and nothing else. */
VOID PostSilently(PSIDE Side) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, 32, Side->Bulk.LocalToken};
    ULONG i;

    AskWhere(Side);
    for (i = 0; i < 30; i++) {
        Write(Side, 0, &Sge, 1, i % 4 == 3 ? 0 : NDK_OP_FLAG_SILENT_SUCCESS);
        if (i % 4 == 3) {
            Expect(Side, 0, NdkOperationTypeWrite, STATUS_SUCCESS);
        }
    }
    Read(Side, CONTEXT, &Sge, 1, 0);
    Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_SUCCESS);
    /* A failed one, and one that is cancelled behind it. */
    Sge.MemoryRegionToken ^= 0x100;
    Write(Side, CONTEXT + 1, &Sge, 1, NDK_OP_FLAG_SILENT_SUCCESS | NDK_OP_FLAG_DEFER);
    Sge.MemoryRegionToken ^= 0x100;
    Write(Side, CONTEXT + 2, &Sge, 1, NDK_OP_FLAG_SILENT_SUCCESS);
    Expect(Side, CONTEXT + 1, NdkOperationTypeWrite, STATUS_ACCESS_VIOLATION);
    Expect(Side, CONTEXT + 2, NdkOperationTypeWrite, STATUS_CANCELLED);
    ExpectCancelled(Side, SIDE_RECEIVES);
    /* Accepted and cancelled, as long as the connector is there. */
    if (NdksimRegistryUlong(L"PostsFailEarly", 0) == 0) {
        Write(Side, CONTEXT + 3, &Sge, 1, NDK_OP_FLAG_SILENT_SUCCESS);
        Expect(Side, CONTEXT + 3, NdkOperationTypeWrite, STATUS_CANCELLED);
    }
    ClientReconnect(Side);
}

/* The bytes are taken within the call, whatever the tokens say. */
VOID PostInline(PSIDE Side) {
    UCHAR Buffer[SIDE_INLINE_BYTES + 1];
    NDK_SGE Sgl[5];
    ULONG i;

    AskWhere(Side);
    for (i = 0; i < RTL_NUMBER_OF(Sgl); i++) {
        Sgl[i].VirtualAddress = Buffer + i * 10;
        Sgl[i].Length = 10;
        Sgl[i].MemoryRegionToken = 0xDEADBEEF + i;
    }
    PatternFill(Buffer, sizeof(Buffer), 9);
    /* More SGEs than the QP takes by address. */
    Write(Side, CONTEXT, Sgl, RTL_NUMBER_OF(Sgl), NDK_OP_FLAG_INLINE);
    RtlFillMemory(Buffer, sizeof(Buffer), 0xEE);
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    Sgl[0].VirtualAddress = Side->Bulk.Buffer;
    Sgl[0].Length = 50;
    Sgl[0].MemoryRegionToken = Side->Bulk.LocalToken;
    Read(Side, CONTEXT, Sgl, 1, 0);
    Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_SUCCESS);
    Check(PatternIs(Side->Bulk.Buffer, 50, 9), "the bytes of the call's time");
    Sgl[0].VirtualAddress = Buffer;
    Sgl[0].Length = SIDE_INLINE_BYTES + 1;
    CheckStatus(Side->Qp->Dispatch->NdkSend(Side->Qp, NULL, Sgl, 1, NDK_OP_FLAG_INLINE),
                STATUS_BUFFER_OVERFLOW, "a byte more than the QP takes inline");
    Sgl[0].Length = SIDE_INLINE_BYTES;
    Write(Side, CONTEXT, Sgl, 1, NDK_OP_FLAG_INLINE);
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    Write(Side, CONTEXT, NULL, 0, NDK_OP_FLAG_INLINE);
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
}

#define SGL_MAX 17u

static VOID Spread(PSIDE Side, NDK_SGE *Sgl, ULONG Count) {
    ULONG i;

    for (i = 0; i < Count; i++) {
        Sgl[i].VirtualAddress = Side->Bulk.Buffer + i * 100;
        Sgl[i].Length = 7;
        Sgl[i].MemoryRegionToken = Side->Bulk.LocalToken;
    }
}

/* As many SGEs as are promised, and one more; a read has the adapter's own limit. */
VOID PostSgeLimits(PSIDE Side) {
    const ULONG Reads = Side->Rdma.Info.MaxReadRequestSge;
    const ULONG Initiator = Side->Sizes.InitiatorSge;
    NDK_SGE Sgl[SGL_MAX];

    Check(Reads < SGL_MAX && Initiator < Reads, "limits of this test");
    AskWhere(Side);
    Spread(Side, Sgl, SGL_MAX);
    Write(Side, CONTEXT, Sgl, Initiator, 0);
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    CheckStatus(Side->Qp->Dispatch->NdkWrite(Side->Qp, NULL, Sgl, Initiator + 1, Side->PeerAddress,
                                             Side->PeerToken, 0),
                STATUS_DATA_OVERRUN, "an SGE too many");
    CheckStatus(Side->Qp->Dispatch->NdkSend(Side->Qp, NULL, Sgl, Initiator + 1, 0),
                STATUS_DATA_OVERRUN, "an SGE too many");
    Read(Side, CONTEXT, Sgl, Reads, 0);
    Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_SUCCESS);
    CheckStatus(Side->Qp->Dispatch->NdkRead(Side->Qp, NULL, Sgl, Reads + 1, Side->PeerAddress,
                                            Side->PeerToken, 0),
                STATUS_DATA_OVERRUN, "an SGE too many for a read");
    Sgl[0].Length = Side->Rdma.Info.MaxTransferLength;
    Sgl[1].Length = 1;
    CheckStatus(
        Side->Qp->Dispatch->NdkWrite(Side->Qp, NULL, Sgl, 2, Side->PeerAddress, Side->PeerToken, 0),
        STATUS_BUFFER_OVERFLOW, "a byte more than a request moves");
    CheckStatus(Side->Qp->Dispatch->NdkReceive(Side->Qp, NULL, Sgl, Side->Sizes.ReceiveSge + 1),
                STATUS_DATA_OVERRUN, "a receive with an SGE too many");
    Write(Side, CONTEXT, NULL, 0, 0);
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
    Read(Side, CONTEXT, NULL, 0, 0);
    Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_SUCCESS);
}

/* As many deferred ones as the queue is deep, one too many, then all results but the first. */
static VOID FillQueue(PSIDE Side, const NDK_SGE *Sge) {
    ULONG i;

    for (i = 0; i < Side->Sizes.InitiatorDepth; i++) {
        Write(Side, CONTEXT + i, Sge, 1, NDK_OP_FLAG_DEFER);
    }
    CheckStatus(Side->Qp->Dispatch->NdkSend(Side->Qp, NULL, Sge, 1, 0), STATUS_NO_MORE_ENTRIES,
                "a request too many");
    /* The failing one has released those that were held (R-DEFER-04). */
    Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
}

static VOID EmptyQueue(PSIDE Side) {
    ULONG i;

    for (i = 1; i < Side->Sizes.InitiatorDepth; i++) {
        Expect(Side, CONTEXT + i, NdkOperationTypeWrite, STATUS_SUCCESS);
    }
}

/* The receive queue is another one. A slot is free when its result stands in the CQ, or is taken.
 */
VOID PostQueueFull(PSIDE Side) {
    BOOLEAN Strict = NdksimRegistryUlong(L"StrictSlots", 0) != 0;
    NDK_SGE Sge = {{Side->Bulk.Buffer}, 16, Side->Bulk.LocalToken};
    ULONG Round;

    AskWhere(Side);
    for (Round = 0; Round < 3; Round++) {
        FillQueue(Side, &Sge);
        CheckStatus(Side->Qp->Dispatch->NdkReceive(Side->Qp, NULL, &Sge, 1), STATUS_NO_MORE_ENTRIES,
                    "all receives are out");
        if (Strict) {
            Write(Side, CONTEXT + 100, &Sge, 1, 0);
            CheckStatus(Side->Qp->Dispatch->NdkSend(Side->Qp, NULL, &Sge, 1, 0),
                        STATUS_NO_MORE_ENTRIES, "one slot for one result taken");
        }
        EmptyQueue(Side);
        if (Strict) {
            Expect(Side, CONTEXT + 100, NdkOperationTypeWrite, STATUS_SUCCESS);
        }
    }
}

/* A read that invalidates its first buffer, or does not, as the adapter says. */
VOID PostReadAndInvalidate(PSIDE Side) {
    const BOOLEAN Can =
        (Side->Rdma.Info.AdapterFlags & NDK_ADAPTER_FLAG_RDMA_READ_LOCAL_INVALIDATE_SUPPORTED) != 0;
    NDK_SGE Sge = {{NULL}, 64, 0};
    MATERIAL Material;

    MaterialOpen(Side, &Material);
    AskWhere(Side);
    CheckStatus(Side->Qp->Dispatch->NdkFastRegister(
                    Side->Qp, (PVOID)(ULONG_PTR)CONTEXT, Material.Fast, 1,
                    Material.Mapping.Lam->AdapterPageArray, 0, PAGE_SIZE, Side->Bulk.Buffer,
                    NDK_OP_FLAG_ALLOW_LOCAL_WRITE | NDK_OP_FLAG_RDMA_READ_SINK),
                STATUS_SUCCESS, "register the sink");
    Expect(Side, CONTEXT, NdkOperationTypeFastRegister, STATUS_SUCCESS);
    Sge.VirtualAddress = Side->Bulk.Buffer;
    Sge.MemoryRegionToken = Material.Fast->Dispatch->NdkGetLocalTokenFromMr(Material.Fast);
    Read(Side, CONTEXT, &Sge, 1, NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE);
    Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_SUCCESS);
    Read(Side, CONTEXT, &Sge, 1, 0);
    Expect(Side, CONTEXT, NdkOperationTypeRead, Can ? STATUS_ACCESS_VIOLATION : STATUS_SUCCESS);
    ClientReconnect(Side);
    /* What cannot be invalidated is not read into (F-27). */
    RtlZeroMemory(Side->Bulk.Buffer, 64);
    Sge.MemoryRegionToken = Side->Bulk.LocalToken;
    Read(Side, CONTEXT, &Sge, 1, NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE);
    Expect(Side, CONTEXT, NdkOperationTypeRead,
           Can ? STATUS_INVALID_DEVICE_REQUEST : STATUS_SUCCESS);
    Check(!Can || SumOf(Side->Bulk.Buffer, 64) == 0, "nothing was read");
    ClientReconnect(Side);
    MaterialClose(Side, &Material);
}

/* Each kind under its own name, with its own context, in order, in both forms of results. */
VOID PostResults(PSIDE Side) {
    static const POST Order[] = {PostWrite, PostRead, PostFastRegister, PostBind, PostInvalidate};
    MATERIAL Material;
    NDK_RESULT Plain;
    ULONG i;

    MaterialOpen(Side, &Material);
    AskWhere(Side);
    for (i = 0; i < RTL_NUMBER_OF(Order); i++) {
        CheckStatus(Post(Side, Side->Qp, &Material, Order[i],
                         i + 1 < RTL_NUMBER_OF(Order) ? NDK_OP_FLAG_DEFER : 0),
                    STATUS_SUCCESS, "post one of each");
    }
    for (i = 0; i < RTL_NUMBER_OF(Order); i++) {
        if (i % 2 == 0) {
            Expect(Side, CONTEXT, TypeOf[Order[i]], STATUS_SUCCESS);
            continue;
        }
        while (Side->Cq->Dispatch->NdkGetCqResults(Side->Cq, &Plain, 1) == 0) {
            LARGE_INTEGER Time;

            Time.QuadPart = -100;
            KeDelayExecutionThread(KernelMode, FALSE, &Time);
        }
        Check(Plain.Status == STATUS_SUCCESS && Plain.QPContext == Side &&
                  Plain.RequestContext == (PVOID)(ULONG_PTR)CONTEXT,
              "a plain result");
    }
    MaterialClose(Side, &Material);
}

/* A read that takes long, and what must wait for it: seen by what the read brings. */
VOID PostFence(PSIDE Side) {
    NDK_SGE Sink = {{Side->Bulk.Buffer}, SIDE_BULK_BYTES, Side->Bulk.LocalToken};
    NDK_SGE Source = {{Side->Bulk.Buffer + SIDE_BULK_BYTES - 64}, 64, Side->Bulk.LocalToken};
    ULONG Round;

    AskWhere(Side);
    for (Round = 0; Round < 4; Round++) {
        PatternFill(Side->Bulk.Buffer, SIDE_BULK_BYTES, Round + 1);
        Write(Side, CONTEXT, &Sink, 1, 0);
        Expect(Side, CONTEXT, NdkOperationTypeWrite, STATUS_SUCCESS);
        RtlZeroMemory(Side->Bulk.Buffer, SIDE_BULK_BYTES);
        Read(Side, CONTEXT, &Sink, 1, NDK_OP_FLAG_DEFER);
        /* To the start of the peer's bulk goes what the read has brought from its end. */
        Write(Side, CONTEXT + 1, &Source, 1, NDK_OP_FLAG_READ_FENCE);
        Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_SUCCESS);
        Expect(Side, CONTEXT + 1, NdkOperationTypeWrite, STATUS_SUCCESS);
        RtlZeroMemory(Side->Bulk.Buffer, 64);
        Sink.Length = 64;
        Read(Side, CONTEXT, &Sink, 1, 0);
        Expect(Side, CONTEXT, NdkOperationTypeRead, STATUS_SUCCESS);
        Check(PatternIs(Side->Bulk.Buffer, 64, PatternByte(Round + 1, SIDE_BULK_BYTES - 64)),
              "what was written behind the fence");
        Sink.Length = SIDE_BULK_BYTES;
    }
}

/* A message longer than its receive, a remote end that is not there, a token that is garbage. */
VOID PostFailures(PSIDE Side) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, 256, Side->Bulk.LocalToken};
    ORDER Order = {OrderSend, 0, 0, 0, SIDE_MESSAGE_BYTES + 1, 3, 0};
    NDK_RESULT_EX Result;

    AskWhere(Side);
    /* The peer's receive is too small for us ... */
    Send(Side, CONTEXT, &Sge, 1, 0);
    Expect(Side, CONTEXT, NdkOperationTypeSend, STATUS_REMOTE_RESOURCES);
    ExpectCancelled(Side, SIDE_RECEIVES);
    ClientReconnect(Side);
    /* ... and ours for the peer. */
    SideSendOrder(Side, &Order);
    SideAwait(Side, &Result);
    if (Result.RequestContext == SIDE_SEND) {
        SideAwait(Side, &Result);
    }
    CheckStatus(Result.Status, STATUS_BUFFER_OVERFLOW, "a receive that was too small");
    Check(Result.Type == NdkOperationTypeReceive && Result.ProviderErrorCode != 0,
          "its type, and what the provider calls it");
    ClientReconnect(Side);
    Order.Kind = OrderStatus;
    CheckRefused(Side, Ask(Side, &Order, NULL), "what the peer heard of it");
    Order.Kind = OrderSendAndInvalidate;
    Order.Bytes = 16;
    Order.Token = 0x12345;
    SideSendOrder(Side, &Order);
    do {
        SideAwait(Side, &Result);
    } while (Result.Status == STATUS_SUCCESS);
    CheckStatus(Result.Status, STATUS_CANCELLED, "the receive whose message named a bad token");
    ClientReconnect(Side);
}
