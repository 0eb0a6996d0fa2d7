/* SPDX-License-Identifier: Apache-2.0 */
/* Fast registration: limits, arguments, tokens, states. */
#include "client.h"

#define CONTEXT SIDE_FIRST_CONTEXT
#define PAGES 5u /* of the bulk */
#define READ_RIGHT NDK_OP_FLAG_ALLOW_REMOTE_READ
#define ALL_RIGHTS (READ_RIGHT | NDK_OP_FLAG_ALLOW_REMOTE_WRITE)

C_ASSERT(PAGES *PAGE_SIZE == SIDE_BULK_BYTES);

/* A fast-register region over the pages of the bulk. */
typedef struct _FAST {
    NDK_MR *Mr;
    RDMA_MAPPING Mapping;
    PUCHAR Base;
} FAST, *PFAST;

static VOID FastOpen(PSIDE Side, PFAST Fast, BOOLEAN RemoteAccess) {
    Fast->Base = Side->Bulk.Buffer;
    Fast->Mr = NewMr(Side, TRUE);
    CheckStatus(SyncInitializeFastRegisterMr(Fast->Mr, PAGES, RemoteAccess), STATUS_SUCCESS,
                "initialise");
    Check(Fast->Mr->Dispatch->NdkGetLocalTokenFromMr(Fast->Mr) != 0 &&
              Fast->Mr->Dispatch->NdkGetRemoteTokenFromMr(Fast->Mr) != 0,
          "tokens once initialised");
    CheckStatus(MappingBuild(&Fast->Mapping, Side->Rdma.Adapter, Side->Bulk.Mdl, SIDE_BULK_BYTES),
                STATUS_SUCCESS, "map the bulk");
}

static VOID FastClose(PSIDE Side, PFAST Fast) {
    MappingRelease(&Fast->Mapping, Side->Rdma.Adapter);
    CloseMr(Fast->Mr);
}

static UINT32 TokenOf(const FAST *Fast) {
    return Fast->Mr->Dispatch->NdkGetRemoteTokenFromMr(Fast->Mr);
}

/* How a region is asked for; tests bend one member at a time. */
typedef struct _ASKED {
    PCSTR What;
    ULONG Pages;
    ULONG Fbo;
    SIZE_T Length;
    ULONG_PTR Base;
    ULONG Flags;
    NTSTATUS Status;
} ASKED;

static NTSTATUS Register(PSIDE Side, PFAST Fast, const ASKED *Asked) {
    return Side->Qp->Dispatch->NdkFastRegister(Side->Qp, (PVOID)CONTEXT, Fast->Mr, Asked->Pages,
                                               Fast->Mapping.Lam->AdapterPageArray, Asked->Fbo,
                                               Asked->Length, (PVOID)Asked->Base, Asked->Flags);
}

static VOID RegisterAll(PSIDE Side, PFAST Fast, ULONG Flags) {
    const ULONG Fbo = Fast->Mapping.FirstByteOffset;
    const ASKED Asked = {"all",
                         Fast->Mapping.Lam->AdapterPageCount,
                         Fbo,
                         SIDE_BULK_BYTES,
                         (ULONG_PTR)Fast->Base,
                         Flags,
                         STATUS_SUCCESS};

    CheckStatus(Register(Side, Fast, &Asked), STATUS_SUCCESS, "post a fast registration");
    if ((Flags & NDK_OP_FLAG_SILENT_SUCCESS) == 0) {
        Expect(Side, CONTEXT, NdkOperationTypeFastRegister, STATUS_SUCCESS);
    }
}

VOID FastLimits(PSIDE Side) {
    const ULONG Most = Side->Rdma.Info.FRMRPageCount;
    NDK_MR *Mr = NewMr(Side, TRUE);

    Check(Most >= 16, "at least 16 pages");
    CheckStatus(SyncInitializeFastRegisterMr(Mr, 0, TRUE), STATUS_INVALID_PARAMETER, "no pages");
    CheckStatus(SyncInitializeFastRegisterMr(Mr, Most + 1, TRUE), STATUS_IMPLEMENTATION_LIMIT,
                "a page too many");
    Check(Mr->Dispatch->NdkGetLocalTokenFromMr(Mr) == 0, "still without a token");
    CheckStatus(SyncInitializeFastRegisterMr(Mr, Most, TRUE), STATUS_SUCCESS,
                "as many as there be");
    CloseMr(Mr);
}

static VOID BadArguments(PSIDE Side, PFAST Fast) {
    const ULONG Pages = Fast->Mapping.Lam->AdapterPageCount;
    const ULONG Fbo = Fast->Mapping.FirstByteOffset;
    const ULONG_PTR Base = (ULONG_PTR)Fast->Base;
    const SIZE_T Whole = (SIZE_T)Pages * PAGE_SIZE - Fbo;
    const ASKED Table[] = {
        {"no pages", 0, Fbo, 8, Base, READ_RIGHT, STATUS_INVALID_PARAMETER},
        {"a page more than initialised", PAGES + 1, Fbo, 8, Base, READ_RIGHT,
         STATUS_INVALID_PARAMETER},
        {"no bytes", Pages, Fbo, 0, Base, READ_RIGHT, STATUS_INVALID_PARAMETER},
        {"a byte more than the pages", Pages, Fbo, Whole + 1, Base, READ_RIGHT,
         STATUS_INVALID_PARAMETER},
        {"an offset of a page", Pages, PAGE_SIZE, 8, Base, READ_RIGHT, STATUS_INVALID_PARAMETER},
        {"an offset that the base has not", Pages, Fbo, 8, Base + 1, READ_RIGHT,
         STATUS_INVALID_PARAMETER},
        {"base zero with an offset", Pages, 8, 8, 0, READ_RIGHT, STATUS_INVALID_PARAMETER},
        {"around the end of addresses", Pages, 0, 2 * PAGE_SIZE, (ULONG_PTR)0 - PAGE_SIZE,
         READ_RIGHT, STATUS_INVALID_PARAMETER},
        {"half of remote write", Pages, Fbo, 8, Base, 0x20, STATUS_INVALID_PARAMETER},
        {"inline", Pages, Fbo, 8, Base, READ_RIGHT | NDK_OP_FLAG_INLINE, STATUS_INVALID_PARAMETER},
        {"solicited", Pages, Fbo, 8, Base, READ_RIGHT | NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT,
         STATUS_INVALID_PARAMETER},
    };
    ULONG i;

    for (i = 0; i < RTL_NUMBER_OF(Table); i++) {
        CheckStatus(Register(Side, Fast, &Table[i]), Table[i].Status, Table[i].What);
    }
    Fast->Mapping.Lam->AdapterPageArray[1].QuadPart += 64;
    CheckStatus(Register(Side, Fast, &(ASKED){"", Pages, Fbo, 8, Base, READ_RIGHT, STATUS_SUCCESS}),
                STATUS_INVALID_PARAMETER, "a page that begins nowhere");
    Fast->Mapping.Lam->AdapterPageArray[1].QuadPart -= 64;
}

VOID FastArguments(PSIDE Side) {
    FAST Fast;
    FAST Local;
    NDK_MR *Normal = NewMr(Side, FALSE);
    NDK_MR *Virgin = NewMr(Side, TRUE);

    FastOpen(Side, &Fast, TRUE);
    FastOpen(Side, &Local, FALSE);
    BadArguments(Side, &Fast);
    CheckStatus(Register(Side, &Local, &(ASKED){"", 1, 0, 8, 0, READ_RIGHT, 0}),
                STATUS_ACCESS_VIOLATION, "remote rights on a local region");
    Local.Base = NULL;
    CheckStatus(Register(Side, &Local, &(ASKED){"", 1, 0, 8, 0, NDK_OP_FLAG_ALLOW_LOCAL_WRITE, 0}),
                STATUS_SUCCESS, "at address zero, for local use");
    Expect(Side, CONTEXT, NdkOperationTypeFastRegister, STATUS_SUCCESS);
    CheckStatus(Side->Qp->Dispatch->NdkFastRegister(Side->Qp, NULL, Normal, 1,
                                                    Fast.Mapping.Lam->AdapterPageArray, 0, 8,
                                                    Fast.Base, READ_RIGHT),
                STATUS_INVALID_DEVICE_REQUEST, "a normal region");
    CheckStatus(Side->Qp->Dispatch->NdkFastRegister(Side->Qp, NULL, Virgin, 1,
                                                    Fast.Mapping.Lam->AdapterPageArray, 0, 8,
                                                    Fast.Base, READ_RIGHT),
                STATUS_INVALID_DEVICE_REQUEST, "a region without pages");
    RegisterAll(Side, &Fast, ALL_RIGHTS | NDK_OP_FLAG_RDMA_READ_SINK);
    CheckStatus(AskRead(Side, Fast.Base, TokenOf(&Fast), SIDE_BULK_BYTES), STATUS_SUCCESS,
                "the connection still works");
    FastClose(Side, &Fast);
    FastClose(Side, &Local);
    CloseMr(Normal);
    CloseMr(Virgin);
}

/* The pages in another order: the peer sees them in that of the array. */
VOID FastShufflesPages(PSIDE Side) {
    static UCHAR Seen[SIDE_BULK_BYTES];
    NDK_LOGICAL_ADDRESS *Pages;
    ORDER Order = {OrderRead, 0, 0, 0, SIDE_BULK_BYTES, 0, 0};
    ULONG Sum = 0;
    FAST Fast;
    ULONG i;

    FastOpen(Side, &Fast, TRUE);
    Check(Fast.Mapping.FirstByteOffset == 0, "a bulk of whole pages");
    Pages = Fast.Mapping.Lam->AdapterPageArray;
    for (i = 0; i < SIDE_BULK_BYTES; i++) {
        Side->Bulk.Buffer[i] = (UCHAR)(i / 251 + i);
    }
    for (i = 0; i < PAGES / 2; i++) {
        NDK_LOGICAL_ADDRESS Other = Pages[i];

        Pages[i] = Pages[PAGES - 1 - i];
        Pages[PAGES - 1 - i] = Other;
    }
    for (i = 0; i < PAGES; i++) {
        RtlCopyMemory(Seen + i * PAGE_SIZE, Side->Bulk.Buffer + (PAGES - 1 - i) * PAGE_SIZE,
                      PAGE_SIZE);
    }
    RegisterAll(Side, &Fast, READ_RIGHT);
    Order.Address = (UINT64)(ULONG_PTR)Fast.Base;
    Order.Token = TokenOf(&Fast);
    CheckStatus(Ask(Side, &Order, &Sum), STATUS_SUCCESS, "read");
    Check(Sum == SumOf(Seen, SIDE_BULK_BYTES), "pages in the order of the array");
    FastClose(Side, &Fast);
}

/* Registered, sent, used: one chain, the token read right after the post. */
VOID FastTokens(PSIDE Side) {
    BOOLEAN Rotates = NdksimRegistryUlong(L"TokenRotates", 0) != 0;
    FAST Fast;
    UINT32 First;
    ULONG i;

    FastOpen(Side, &Fast, TRUE);
    First = TokenOf(&Fast);
    for (i = 1; i <= 8; i++) {
        RegisterAll(Side, &Fast,
                    ALL_RIGHTS | NDK_OP_FLAG_SILENT_SUCCESS | (i % 2 != 0 ? NDK_OP_FLAG_DEFER : 0));
        Check(TokenOf(&Fast) == (Rotates ? (First & ~0xFFu) | (UCHAR)(First + i) : First),
              "constant, or one further");
        CheckStatus(AskWrite(Side, Fast.Base, TokenOf(&Fast), SIDE_BULK_BYTES, i), STATUS_SUCCESS,
                    "write by the token");
        if (i % 3 == 0) {
            SidePostReceive(Side, AskSend(Side, OrderSendAndInvalidate, TokenOf(&Fast), 24, i + 3));
        } else {
            Invalidate(Side, CONTEXT, &Fast.Mr->Header, 0);
            Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_SUCCESS);
        }
    }
    CheckRefused(Side, AskRead(Side, Fast.Base, TokenOf(&Fast), 8), "after the invalidation");
    FastClose(Side, &Fast);
}

VOID FastRights(PSIDE Side) {
    FAST Fast;

    FastOpen(Side, &Fast, TRUE);
    RegisterAll(Side, &Fast, READ_RIGHT);
    PatternFill(Fast.Base, SIDE_BULK_BYTES, 6);
    CheckStatus(AskRead(Side, Fast.Base, TokenOf(&Fast), 100), STATUS_SUCCESS, "read");
    CheckRefused(Side, AskWrite(Side, Fast.Base, TokenOf(&Fast), 100, 7), "write");
    /* Any QP of the PD may use it and end it (F-10, F-12). */
    CheckStatus(AskRead(Side, Fast.Base, TokenOf(&Fast), 100), STATUS_SUCCESS, "over another QP");
    CheckRefused(Side, AskRead(Side, Fast.Base + SIDE_BULK_BYTES - 1, TokenOf(&Fast), 2), "beyond");
    Check(PatternIs(Fast.Base, SIDE_BULK_BYTES, 6), "nothing has landed");
    Invalidate(Side, CONTEXT, &Fast.Mr->Header, 0);
    Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_SUCCESS);
    RegisterAll(Side, &Fast, NDK_OP_FLAG_ALLOW_LOCAL_WRITE);
    CheckRefused(Side, AskRead(Side, Fast.Base, TokenOf(&Fast), 1), "no remote right");
    FastClose(Side, &Fast);
}

VOID FastTwice(PSIDE Side) {
    FAST Fast;

    FastOpen(Side, &Fast, TRUE);
    RegisterAll(Side, &Fast, READ_RIGHT);
    CheckStatus(SyncInitializeFastRegisterMr(Fast.Mr, PAGES, TRUE), STATUS_INVALID_DEVICE_REQUEST,
                "initialise what is registered");
    CheckStatus(AskRead(Side, Fast.Base, TokenOf(&Fast), 8), STATUS_SUCCESS, "it stays as it was");
    CheckStatus(Register(Side, &Fast, &(ASKED){"", 1, 0, 8, 0, READ_RIGHT, STATUS_SUCCESS}),
                STATUS_SUCCESS, "post it again");
    Expect(Side, CONTEXT, NdkOperationTypeFastRegister, STATUS_INVALID_DEVICE_REQUEST);
    ExpectCancelled(Side, SIDE_RECEIVES);
    ClientReconnect(Side);
    if (NdksimRegistryUlong(L"TokenRotates", 0) == 0) {
        Invalidate(Side, CONTEXT, &Fast.Mr->Header, 0);
        Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_SUCCESS);
        Invalidate(Side, CONTEXT, &Fast.Mr->Header, NDK_OP_FLAG_SILENT_SUCCESS);
        Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_INVALID_DEVICE_REQUEST);
        ExpectCancelled(Side, SIDE_RECEIVES);
        ClientReconnect(Side);
    }
    /* A region that is still registered goes with its object. */
    FastClose(Side, &Fast);
}

#define INITS 6u

/* Several at once on one region: the last completed one rules; then once more. */
VOID FastInitialisedOften(PSIDE Side) {
    static SYNC_WAIT Waits[INITS];
    static NTSTATUS Started[INITS];
    FAST Fast;
    ULONG Round;
    ULONG i;

    FastOpen(Side, &Fast, TRUE);
    for (Round = 0; Round < 3; Round++) {
        for (i = 0; i < INITS; i++) {
            SyncInit(&Waits[i]);
            Started[i] = Fast.Mr->Dispatch->NdkInitializeFastRegisterMr(
                Fast.Mr, PAGES + i % 2, TRUE, SyncRequested, &Waits[i]);
        }
        for (i = 0; i < INITS; i++) {
            CheckStatus(SyncFinish(&Waits[i], Started[i]), STATUS_SUCCESS, "initialise at once");
        }
        RegisterAll(Side, &Fast, READ_RIGHT);
        CheckStatus(AskRead(Side, Fast.Base, TokenOf(&Fast), SIDE_BULK_BYTES), STATUS_SUCCESS,
                    "read by the token that rules");
        Invalidate(Side, CONTEXT, &Fast.Mr->Header, 0);
        Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_SUCCESS);
    }
    CheckStatus(SyncInitializeFastRegisterMr(Fast.Mr, PAGES, FALSE), STATUS_SUCCESS,
                "without remote access");
    CheckStatus(Register(Side, &Fast, &(ASKED){"", 1, 0, 8, 0, READ_RIGHT, 0}),
                STATUS_ACCESS_VIOLATION, "the last one rules");
    FastClose(Side, &Fast);
}
