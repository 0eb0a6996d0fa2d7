/* SPDX-License-Identifier: Apache-2.0 */
/* Registered regions: rights, bounds, tokens, states. */
#include "client.h"

#define BYTES 0x1800u
#define CONTEXT SIDE_FIRST_CONTEXT
#define ALL_RIGHTS                                                                                 \
    (NDK_MR_FLAG_ALLOW_REMOTE_READ | NDK_MR_FLAG_ALLOW_REMOTE_WRITE | NDK_MR_FLAG_RDMA_READ_SINK)

static VOID NewRegion(PSIDE Side, PRDMA_REGION Region, ULONG Flags) {
    RtlZeroMemory(Region, sizeof(*Region));
    CheckStatus(RegionCreate(Region, Side->Pd, NULL, BYTES, Flags), STATUS_SUCCESS,
                "register a region");
}

static VOID EndRegion(PRDMA_REGION Region) {
    RegionClose(Region);
    RegionFree(Region);
}

/* The adapter lets any writable memory be the sink of a read, or wants a right for that. */
static BOOLEAN MayReadInto(PSIDE Side, ULONG Flags) {
    BOOLEAN IsFree =
        (Side->Rdma.Info.AdapterFlags & NDK_ADAPTER_FLAG_RDMA_READ_SINK_NOT_REQUIRED) != 0;

    return (Flags & NDK_MR_FLAG_ALLOW_LOCAL_WRITE) != 0 &&
           (IsFree || (Flags & NDK_MR_FLAG_RDMA_READ_SINK) != 0);
}

/* A refused local use ends the connection; another one is made. */
static VOID LocalOutcome(PSIDE Side, NDK_OPERATION_TYPE Type, BOOLEAN Allowed) {
    Expect(Side, CONTEXT, Type, Allowed ? STATUS_SUCCESS : STATUS_ACCESS_VIOLATION);
    if (!Allowed) {
        ExpectCancelled(Side, SIDE_RECEIVES);
        ClientReconnect(Side);
    }
}

static VOID RemoteOutcome(PSIDE Side, NTSTATUS Status, BOOLEAN Allowed, PCSTR What) {
    if (Allowed) {
        CheckStatus(Status, STATUS_SUCCESS, What);
    } else {
        CheckRefused(Side, Status, What);
    }
}

static VOID RightsOf(PSIDE Side, ULONG Flags) {
    BOOLEAN RemoteWrite = (Flags & 0x4) != 0;
    RDMA_REGION Region;
    NDK_SGE Sge;

    NewRegion(Side, &Region, Flags);
    PatternFill(Region.Buffer, BYTES, 1);
    Sge.VirtualAddress = Region.Buffer;
    Sge.Length = 64;
    Sge.MemoryRegionToken = Region.LocalToken;
    Write(Side, CONTEXT, &Sge, 1, 0);
    LocalOutcome(Side, NdkOperationTypeWrite, TRUE);
    RemoteOutcome(Side, AskRead(Side, Region.Buffer, Region.RemoteToken, BYTES),
                  (Flags & NDK_MR_FLAG_ALLOW_REMOTE_READ) != 0, "remote read");
    RemoteOutcome(Side, AskWrite(Side, Region.Buffer, Region.RemoteToken, BYTES, 2), RemoteWrite,
                  "remote write");
    Check(PatternIs(Region.Buffer, BYTES, RemoteWrite ? 2 : 1), "what has landed");
    Read(Side, CONTEXT, &Sge, 1, 0);
    LocalOutcome(Side, NdkOperationTypeRead, MayReadInto(Side, Flags));
    Check(MayReadInto(Side, Flags) || PatternIs(Region.Buffer, BYTES, RemoteWrite ? 2 : 1),
          "a refused read writes nothing");
    EndRegion(&Region);
}

VOID RegionRights(PSIDE Side) {
    static const ULONG Flags[] = {0x0, 0x1, 0x2, 0x3, 0x5, 0x7, 0x8, 0x9, 0xA, 0xB, 0xD, 0xF};
    ULONG i;

    AskWhere(Side);
    for (i = 0; i < RTL_NUMBER_OF(Flags); i++) {
        RightsOf(Side, Flags[i]);
    }
}

static VOID Outside(PSIDE Side, PRDMA_REGION Region, ORDER_KIND Kind, LONG Offset, ULONG Bytes) {
    const ORDER Order = {
        (ULONG)Kind, 0, (UINT64)(ULONG_PTR)(Region->Buffer + Offset), Region->RemoteToken, Bytes,
        99,          0};

    PatternFill(Region->Buffer, BYTES, 4);
    CheckRefused(Side, Ask(Side, &Order, NULL), "an access beyond the region");
    Check(PatternIs(Region->Buffer, BYTES, 4), "nothing has landed");
}

VOID RegionBounds(PSIDE Side) {
    RDMA_REGION Region;

    NewRegion(Side, &Region, ALL_RIGHTS);
    CheckStatus(AskWrite(Side, Region.Buffer, Region.RemoteToken, BYTES, 8), STATUS_SUCCESS,
                "write all of it");
    CheckStatus(AskRead(Side, Region.Buffer + BYTES - 1, Region.RemoteToken, 1), STATUS_SUCCESS,
                "read its last byte");
    CheckStatus(AskRead(Side, Region.Buffer + BYTES, Region.RemoteToken, 0), STATUS_SUCCESS,
                "read nothing at its end");
    Outside(Side, &Region, OrderRead, -1, 1);
    Outside(Side, &Region, OrderRead, BYTES, 1);
    Outside(Side, &Region, OrderRead, 0, BYTES + 1);
    Outside(Side, &Region, OrderWrite, -1, 2);
    Outside(Side, &Region, OrderWrite, BYTES - 1, 2);
    EndRegion(&Region);
}

static VOID RegisterFails(NDK_MR *Mr, PMDL Mdl, ULONG Bytes, ULONG Flags, NTSTATUS Status,
                          PCSTR What) {
    CheckStatus(SyncRegisterMr(Mr, Mdl, Bytes, Flags), Status, What);
}

static VOID RegisterArguments(PSIDE Side, NDK_MR *Mr) {
    PMDL Mdl = Side->Bulk.Mdl;
    static const ULONG Bad[] = {0x4, 0xC, 0x6, 0x10, 0x80000001};
    SIZE_T TooMuch = Side->Rdma.Info.MaxRegistrationSize + 1;
    SYNC_WAIT Wait;
    ULONG i;

    for (i = 0; i < RTL_NUMBER_OF(Bad); i++) {
        RegisterFails(Mr, Mdl, 64, Bad[i], STATUS_INVALID_PARAMETER, "flags of no meaning");
    }
    RegisterFails(Mr, Mdl, 0, 0, STATUS_INVALID_PARAMETER, "no bytes");
    RegisterFails(Mr, Mdl, SIDE_BULK_BYTES + 1, 0, STATUS_INVALID_PARAMETER,
                  "a byte more than the MDL has");
    SyncInit(&Wait);
    CheckStatus(Mr->Dispatch->NdkRegisterMr(Mr, Mdl, TooMuch, 0, SyncRequested, &Wait),
                STATUS_INVALID_PARAMETER, "more than a region holds");
}

/* Two MDLs, with or without a hole between them. */
static VOID RegisterChain(PSIDE Side, NDK_MR *Mr, ULONG Hole) {
    PUCHAR Buffer = Side->Bulk.Buffer;
    PMDL First = IoAllocateMdl(Buffer, 0x1234, FALSE, FALSE, NULL);
    PMDL Second = IoAllocateMdl(Buffer + 0x1234 + Hole, 0x1000, FALSE, FALSE, NULL);

    Check(First != NULL && Second != NULL, "two MDLs");
    MmBuildMdlForNonPagedPool(First);
    MmBuildMdlForNonPagedPool(Second);
    First->Next = Second;
    if (Hole != 0) {
        RegisterFails(Mr, First, 0x2234, ALL_RIGHTS, STATUS_INVALID_PARAMETER, "a hole");
        RegisterFails(Mr, First, 0x1234, ALL_RIGHTS, STATUS_SUCCESS, "what lies before the hole");
    } else {
        RegisterFails(Mr, First, 0x2234, ALL_RIGHTS, STATUS_SUCCESS, "a chain without a hole");
        CheckStatus(AskWrite(Side, Buffer, Mr->Dispatch->NdkGetRemoteTokenFromMr(Mr), 0x2234, 5),
                    STATUS_SUCCESS, "write over both parts");
    }
    CheckStatus(SyncDeregisterMr(Mr), STATUS_SUCCESS, "deregister");
    First->Next = NULL;
    IoFreeMdl(First);
    IoFreeMdl(Second);
}

static VOID RegisterStates(PSIDE Side, NDK_MR *Mr) {
    PMDL Mdl = Side->Bulk.Mdl;
    NDK_MR *Fast = NewMr(Side, TRUE);

    CheckStatus(SyncDeregisterMr(Mr), STATUS_INVALID_DEVICE_REQUEST, "deregister nothing");
    RegisterFails(Mr, Mdl, 64, 0, STATUS_SUCCESS, "register");
    RegisterFails(Mr, Mdl, 64, 0, STATUS_INVALID_DEVICE_REQUEST, "register twice");
    CheckStatus(SyncInitializeFastRegisterMr(Mr, 4, FALSE), STATUS_INVALID_DEVICE_REQUEST,
                "initialise a normal region");
    CheckStatus(Side->Qp->Dispatch->NdkInvalidate(Side->Qp, NULL, &Mr->Header, 0),
                STATUS_INVALID_DEVICE_REQUEST, "invalidate a normal region");
    CheckStatus(SyncDeregisterMr(Mr), STATUS_SUCCESS, "deregister");
    CheckStatus(SyncDeregisterMr(Mr), STATUS_INVALID_DEVICE_REQUEST, "deregister twice");
    RegisterFails(Fast, Mdl, 64, 0, STATUS_INVALID_DEVICE_REQUEST,
                  "register a fast-register region");
    CheckStatus(SyncDeregisterMr(Fast), STATUS_INVALID_DEVICE_REQUEST,
                "deregister a fast-register region");
    CheckStatus(Side->Qp->Dispatch->NdkInvalidate(Side->Qp, NULL, &Fast->Header, 0),
                STATUS_INVALID_DEVICE_REQUEST, "invalidate what was not initialised");
    CloseMr(Fast);
}

VOID RegionRefusals(PSIDE Side) {
    NDK_MR *Mr = NewMr(Side, FALSE);

    RegisterArguments(Side, Mr);
    RegisterChain(Side, Mr, 0);
    RegisterChain(Side, Mr, 0x40);
    RegisterStates(Side, Mr);
    CloseMr(Mr);
}

typedef struct _TOKENS {
    SYNC_WAIT Wait;
    NDK_MR *Mr;
    UINT32 Local;
    UINT32 Remote;
} TOKENS;

static VOID TokensRegistered(PVOID Context, NTSTATUS Status) {
    TOKENS *Tokens = Context;

    Tokens->Local = Tokens->Mr->Dispatch->NdkGetLocalTokenFromMr(Tokens->Mr);
    Tokens->Remote = Tokens->Mr->Dispatch->NdkGetRemoteTokenFromMr(Tokens->Mr);
    SyncRequested(&Tokens->Wait, Status);
}

static VOID TokensTake(PSIDE Side, TOKENS *Tokens) {
    NTSTATUS Status;

    SyncInit(&Tokens->Wait);
    Status = Tokens->Mr->Dispatch->NdkRegisterMr(Tokens->Mr, Side->Bulk.Mdl, 64, ALL_RIGHTS,
                                                 TokensRegistered, Tokens);
    if (Status != STATUS_PENDING) {
        TokensRegistered(Tokens, Status);
    }
    CheckStatus(SyncFinish(&Tokens->Wait, STATUS_PENDING), STATUS_SUCCESS, "register");
}

#define TOKEN_ROUNDS 40u

VOID RegionTokens(PSIDE Side) {
    static UINT32 Seen[2 * TOKEN_ROUNDS];
    BOOLEAN Equal = NdksimRegistryUlong(L"TokensEqual", 0) != 0;
    ULONG Count = 0;
    TOKENS Tokens;
    ULONG i;
    ULONG j;

    Tokens.Mr = NewMr(Side, FALSE);
    for (i = 0; i < TOKEN_ROUNDS; i++) {
        TokensTake(Side, &Tokens);
        Check(Tokens.Local != 0 && Tokens.Remote != 0, "tokens in the completion");
        Check((Tokens.Local == Tokens.Remote) == Equal, "local and remote differ, or not");
        for (j = 0; j < Count; j++) {
            Check(Seen[j] != Tokens.Local && Seen[j] != Tokens.Remote, "tokens are not used again");
        }
        Seen[Count++] = Tokens.Local;
        Seen[Count++] = Tokens.Remote;
        CheckStatus(SyncDeregisterMr(Tokens.Mr), STATUS_SUCCESS, "deregister");
    }
    CloseMr(Tokens.Mr);
    CheckRefused(Side, AskRead(Side, Side->Bulk.Buffer, Seen[1], 8), "a token of long ago");
}

/* A region's address counts as a number only: it may lead nowhere. */
VOID RegionAddressIsAnIndex(PSIDE Side) {
    PUCHAR Nowhere = (PUCHAR)(ULONG_PTR)0xFFFFA000DEAD0000ull + 0x123;
    PUCHAR Buffer = Side->Bulk.Buffer;
    NDK_MR *Mr = NewMr(Side, FALSE);
    PMDL Mdl = IoAllocateMdl(Buffer, 0x2000, FALSE, FALSE, NULL);
    UINT32 Token;
    ORDER Order = {OrderWrite, 0, 0, 0, 0x2000, 17, 0};

    Check(Mdl != NULL, "an MDL");
    MmBuildMdlForNonPagedPool(Mdl);
    /* The frames stay, the address leads nowhere. */
    Nowhere = (PUCHAR)((ULONG_PTR)Nowhere & ~(ULONG_PTR)(PAGE_SIZE - 1));
    Mdl->StartVa = Nowhere;
    Nowhere += MmGetMdlByteOffset(Mdl);
    CheckStatus(SyncRegisterMr(Mr, Mdl, 0x2000, ALL_RIGHTS), STATUS_SUCCESS, "register");
    Token = Mr->Dispatch->NdkGetRemoteTokenFromMr(Mr);
    PatternFill(Buffer, 0x2000, 0);
    Order.Address = (UINT64)(ULONG_PTR)Nowhere;
    Order.Token = Token;
    CheckStatus(Ask(Side, &Order, NULL), STATUS_SUCCESS, "write through the address");
    Check(PatternIs(Buffer, 0x2000, 17), "it lands in the frames");
    CheckStatus(SyncDeregisterMr(Mr), STATUS_SUCCESS, "deregister");
    IoFreeMdl(Mdl);
    CloseMr(Mr);
}

VOID RegionEndsWithDeregister(PSIDE Side) {
    RDMA_REGION Region;
    NDK_SGE Sge;

    AskWhere(Side);
    NewRegion(Side, &Region, ALL_RIGHTS);
    Sge.VirtualAddress = Region.Buffer;
    Sge.Length = 8;
    Sge.MemoryRegionToken = Region.LocalToken;
    RegionDeregister(&Region);
    CheckRefused(Side, AskRead(Side, Region.Buffer, Region.RemoteToken, 8), "remote use");
    Write(Side, CONTEXT, &Sge, 1, 0);
    LocalOutcome(Side, NdkOperationTypeWrite, FALSE);
    EndRegion(&Region);
}

/* A token means something in its own PD only, whoever uses it. */
VOID RegionOfAnotherPd(PSIDE Side) {
    RDMA_REGION Region = {0};
    NDK_PD *Pd;
    NDK_SGE Sge;

    AskWhere(Side);
    CheckStatus(SyncCreatePd(Side->Rdma.Adapter, &Pd), STATUS_SUCCESS, "create another PD");
    CheckStatus(RegionCreate(&Region, Pd, NULL, BYTES, ALL_RIGHTS), STATUS_SUCCESS,
                "register there");
    Sge.VirtualAddress = Region.Buffer;
    Sge.Length = 8;
    Sge.MemoryRegionToken = Region.LocalToken;
    CheckRefused(Side, AskRead(Side, Region.Buffer, Region.RemoteToken, 8), "remote use");
    Write(Side, CONTEXT, &Sge, 1, 0);
    LocalOutcome(Side, NdkOperationTypeWrite, FALSE);
    /* Local and remote tokens are not each other. */
    if (NdksimRegistryUlong(L"TokensEqual", 0) == 0) {
        Sge.VirtualAddress = Side->Bulk.Buffer;
        Sge.MemoryRegionToken = Side->Bulk.RemoteToken;
        Write(Side, CONTEXT, &Sge, 1, 0);
        LocalOutcome(Side, NdkOperationTypeWrite, FALSE);
        CheckRefused(Side, AskRead(Side, Side->Bulk.Buffer, Side->Bulk.LocalToken, 8),
                     "the local token at a peer");
    }
    EndRegion(&Region);
    SyncClose(&Pd->Header, Pd->Dispatch->NdkClosePd);
}
