/* SPDX-License-Identifier: Apache-2.0 */
/* Memory windows: range, rights, tokens, refusals. */
#include "client.h"

#define ALL_RIGHTS (NDK_OP_FLAG_ALLOW_REMOTE_READ | NDK_OP_FLAG_ALLOW_REMOTE_WRITE)
#define OFFSET 0x800u
#define BYTES 0x1000u
#define CONTEXT SIDE_FIRST_CONTEXT

static UINT32 TokenOf(NDK_MW *Mw) {
    return Mw->Dispatch->NdkGetRemoteTokenFromMw(Mw);
}

/* A new window over part of the bulk. */
static NDK_MW *Window(PSIDE Side, ULONG Rights) {
    NDK_MW *Mw = NewMw(Side->Pd);

    Bind(Side, CONTEXT, Side->Bulk.Mr, Mw, Side->Bulk.Buffer + OFFSET, BYTES, Rights);
    Expect(Side, CONTEXT, NdkOperationTypeBind, STATUS_SUCCESS);
    return Mw;
}

/* An access that a new window must not let through; nothing lands. */
static VOID WindowDenies(PSIDE Side, ULONG Rights, ORDER_KIND Kind, LONG Offset, ULONG Bytes) {
    NDK_MW *Mw = Window(Side, Rights);
    const ORDER Order = {
        (ULONG)Kind, 0, (UINT64)(ULONG_PTR)(Side->Bulk.Buffer + Offset), TokenOf(Mw), Bytes,
        200,         0};

    PatternFill(Side->Bulk.Buffer, SIDE_BULK_BYTES, 1);
    CheckRefused(Side, Ask(Side, &Order, NULL), "an access that is not allowed");
    Check(PatternIs(Side->Bulk.Buffer, SIDE_BULK_BYTES, 1), "nothing has landed");
    CloseMw(Mw);
}

VOID WindowGivesItsRange(PSIDE Side) {
    NDK_MW *Mw = Window(Side, ALL_RIGHTS);
    PUCHAR Start = Side->Bulk.Buffer + OFFSET;

    PatternFill(Side->Bulk.Buffer, SIDE_BULK_BYTES, 1);
    CheckStatus(AskRead(Side, Start, TokenOf(Mw), BYTES), STATUS_SUCCESS, "read the window");
    CheckStatus(AskWrite(Side, Start, TokenOf(Mw), BYTES, 9), STATUS_SUCCESS, "write the window");
    CheckStatus(AskWrite(Side, Start + BYTES - 1, TokenOf(Mw), 1, 3), STATUS_SUCCESS,
                "write its last byte");
    Check(PatternIs(Side->Bulk.Buffer, OFFSET, 1) && Start[BYTES] == PatternByte(1, OFFSET + BYTES),
          "bytes beside the window");
    Invalidate(Side, CONTEXT, &Mw->Header, 0);
    Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_SUCCESS);
    CheckRefused(Side, AskRead(Side, Start, TokenOf(Mw), 1), "read it no more");
    CloseMw(Mw);

    WindowDenies(Side, ALL_RIGHTS, OrderRead, OFFSET - 1, 2);
    WindowDenies(Side, ALL_RIGHTS, OrderWrite, OFFSET + BYTES - 1, 2);
    WindowDenies(Side, ALL_RIGHTS, OrderWrite, OFFSET, BYTES + 1);
    WindowDenies(Side, NDK_OP_FLAG_ALLOW_REMOTE_READ, OrderWrite, OFFSET, 8);
    WindowDenies(Side, NDK_OP_FLAG_ALLOW_REMOTE_WRITE, OrderRead, OFFSET, 8);
}

#define REBINDS 600u

static BOOLEAN IsNew(const UINT32 *Tokens, ULONG Count, UINT32 Token) {
    ULONG i;

    for (i = 0; i < Count; i++) {
        if (Tokens[i] == Token) {
            return FALSE;
        }
    }
    return Token != 0;
}

VOID WindowTokenChangesWithEachBind(PSIDE Side) {
    static UINT32 Tokens[REBINDS];
    NDK_MW *Mw = NewMw(Side->Pd);
    ULONG i;

    for (i = 0; i < REBINDS; i++) {
        ULONG Silent = i % 3 == 0 ? NDK_OP_FLAG_SILENT_SUCCESS : 0;

        Bind(Side, CONTEXT, Side->Bulk.Mr, Mw, Side->Bulk.Buffer, BYTES,
             NDK_OP_FLAG_ALLOW_REMOTE_READ | Silent);
        Tokens[i] = TokenOf(Mw);
        Check(IsNew(Tokens, i, Tokens[i]), "a token that was not used before");
        if (Silent == 0) {
            Expect(Side, CONTEXT, NdkOperationTypeBind, STATUS_SUCCESS);
        }
        if (i % 97 == 0) {
            CheckStatus(AskRead(Side, Side->Bulk.Buffer, Tokens[i], 64), STATUS_SUCCESS,
                        "read by the new token");
        }
        Invalidate(Side, CONTEXT, &Mw->Header, 0);
        Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_SUCCESS);
    }
    CheckRefused(Side, AskRead(Side, Side->Bulk.Buffer, Tokens[0], 64), "the first token is dead");
    CloseMw(Mw);
}

typedef struct _REFUSAL {
    PCSTR What;
    LONG Offset; /* from the start of the bulk */
    SIZE_T Bytes;
    ULONG Flags;
    NTSTATUS Status;
} REFUSAL;

static VOID Refused(PSIDE Side, const REFUSAL *Refusal, NDK_MR *Mr, NDK_MW *Mw) {
    UINT32 Token = TokenOf(Mw);

    CheckStatus(Side->Qp->Dispatch->NdkBind(Side->Qp, NULL, Mr, Mw,
                                            Side->Bulk.Buffer + Refusal->Offset, Refusal->Bytes,
                                            Refusal->Flags),
                Refusal->Status, Refusal->What);
    Check(TokenOf(Mw) == Token, "a refused bind changes nothing");
}

static VOID RefusalsOfArguments(PSIDE Side, NDK_MW *Mw) {
    const SIZE_T TooMuch = Side->Rdma.Info.MaxWindowSize + 1;
    const REFUSAL Table[] = {
        {"no right", 0, 8, 0, STATUS_INVALID_PARAMETER},
        {"local write alone", 0, 8, 0x10, STATUS_INVALID_PARAMETER},
        {"half of remote write", 0, 8, 0x20, STATUS_INVALID_PARAMETER},
        {"read and half of remote write", 0, 8, 0x28, STATUS_INVALID_PARAMETER},
        {"read and local write", 0, 8, 0x18, STATUS_INVALID_PARAMETER},
        {"inline", 0, 8, ALL_RIGHTS | NDK_OP_FLAG_INLINE, STATUS_INVALID_PARAMETER},
        {"solicited", 0, 8, ALL_RIGHTS | NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT,
         STATUS_INVALID_PARAMETER},
        {"an undefined flag", 0, 8, ALL_RIGHTS | 0x80000000, STATUS_INVALID_PARAMETER},
        {"no bytes", 0, 0, ALL_RIGHTS, STATUS_INVALID_PARAMETER},
        {"more than a window holds", 0, TooMuch, ALL_RIGHTS, STATUS_INVALID_PARAMETER},
        {"around the end of addresses", 0, (SIZE_T)0 - 8, ALL_RIGHTS, STATUS_INVALID_PARAMETER},
        {"a byte before the region", -1, 8, ALL_RIGHTS, STATUS_ACCESS_VIOLATION},
        {"a byte beyond the region", 0, SIDE_BULK_BYTES + 1, ALL_RIGHTS, STATUS_ACCESS_VIOLATION},
        {"behind the region", SIDE_BULK_BYTES, 1, ALL_RIGHTS, STATUS_ACCESS_VIOLATION},
    };
    ULONG i;

    for (i = 0; i < RTL_NUMBER_OF(Table); i++) {
        Refused(Side, &Table[i], Side->Bulk.Mr, Mw);
    }
}

/* Remote write needs local write; a read window needs remote read unless the adapter says else. */
static VOID RefusalsOfRights(PSIDE Side, NDK_MW *Mw) {
    const REFUSAL Write = {"write over a read-only region", 0, 8, NDK_OP_FLAG_ALLOW_REMOTE_WRITE,
                           STATUS_ACCESS_VIOLATION};
    const REFUSAL Read = {"read over a region that nobody may read", 0, 8,
                          NDK_OP_FLAG_ALLOW_REMOTE_READ, STATUS_ACCESS_VIOLATION};
    RDMA_REGION ReadOnly = {0};
    RDMA_REGION Local = {0};

    CheckStatus(RegionCreate(&ReadOnly, Side->Pd, Side->Bulk.Buffer, SIDE_BULK_BYTES,
                             NDK_MR_FLAG_ALLOW_REMOTE_READ),
                STATUS_SUCCESS, "register a region to be read");
    CheckStatus(RegionCreate(&Local, Side->Pd, Side->Bulk.Buffer, SIDE_BULK_BYTES,
                             NDK_MR_FLAG_ALLOW_LOCAL_WRITE),
                STATUS_SUCCESS, "register a local region");
    Refused(Side, &Write, ReadOnly.Mr, Mw);
    if (NdksimRegistryUlong(L"WindowsReadFreely", 0) == 0) {
        Refused(Side, &Read, Local.Mr, Mw);
    }
    Bind(Side, CONTEXT, Local.Mr, Mw, Side->Bulk.Buffer, 8, NDK_OP_FLAG_ALLOW_REMOTE_WRITE);
    Expect(Side, CONTEXT, NdkOperationTypeBind, STATUS_SUCCESS);
    CheckStatus(AskWrite(Side, Side->Bulk.Buffer, TokenOf(Mw), 8, 77), STATUS_SUCCESS,
                "write through the window what the region alone would not allow");
    Invalidate(Side, CONTEXT, &Mw->Header, 0);
    Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_SUCCESS);
    RegionClose(&ReadOnly);
    RegionFree(&ReadOnly);
    RegionClose(&Local);
    RegionFree(&Local);
}

static VOID RefusalsOfObjects(PSIDE Side, NDK_MW *Mw) {
    const REFUSAL FastMr = {"over a fast-register region", 0, 8, ALL_RIGHTS,
                            STATUS_INVALID_PARAMETER};
    const REFUSAL Foreign = {"of another PD", 0, 8, ALL_RIGHTS, STATUS_INVALID_PARAMETER};
    RDMA_REGION Region = {0};
    NDK_MR *Fast = NewMr(Side, TRUE);
    NDK_MW *Other;
    NDK_PD *Pd;

    CheckStatus(SyncInitializeFastRegisterMr(Fast, 4, TRUE), STATUS_SUCCESS, "initialise");
    Refused(Side, &FastMr, Fast, Mw);
    CloseMr(Fast);
    CheckStatus(SyncCreatePd(Side->Rdma.Adapter, &Pd), STATUS_SUCCESS, "create another PD");
    Other = NewMw(Pd);
    CheckStatus(RegionCreate(&Region, Pd, Side->Bulk.Buffer, SIDE_BULK_BYTES,
                             NDK_MR_FLAG_ALLOW_REMOTE_WRITE | NDK_MR_FLAG_ALLOW_REMOTE_READ),
                STATUS_SUCCESS, "register in the other PD");
    Refused(Side, &Foreign, Side->Bulk.Mr, Other);
    Refused(Side, &Foreign, Region.Mr, Mw);
    CheckStatus(Side->Qp->Dispatch->NdkInvalidate(Side->Qp, NULL, &Other->Header, 0),
                STATUS_INVALID_PARAMETER, "invalidate a window of another PD");
    RegionClose(&Region);
    RegionFree(&Region);
    CloseMw(Other);
    SyncClose(&Pd->Header, Pd->Dispatch->NdkClosePd);
}

VOID WindowRefusals(PSIDE Side) {
    NDK_MW *Mw = NewMw(Side->Pd);
    NDK_MR *Mr = NewMr(Side, FALSE);

    RefusalsOfArguments(Side, Mw);
    RefusalsOfRights(Side, Mw);
    RefusalsOfObjects(Side, Mw);
    CheckStatus(AskRead(Side, Side->Bulk.Buffer, Side->Bulk.RemoteToken, 8), STATUS_SUCCESS,
                "the connection still works");
    /* What the region will be when the entry is executed is for the device to judge. */
    Bind(Side, CONTEXT, Mr, Mw, Side->Bulk.Buffer, 8, ALL_RIGHTS);
    Expect(Side, CONTEXT, NdkOperationTypeBind, STATUS_INVALID_DEVICE_REQUEST);
    ExpectCancelled(Side, SIDE_RECEIVES);
    ClientReconnect(Side);
    /* The window never came to rely on that region. */
    CloseMr(Mr);
    CloseMw(Mw);
}

VOID WindowOfAnotherQp(PSIDE Side) {
    NDK_MW *Mw = Window(Side, ALL_RIGHTS);

    ClientReconnect(Side);
    CheckRefused(Side, AskRead(Side, Side->Bulk.Buffer + OFFSET, TokenOf(Mw), 8),
                 "a window through another QP");
    Invalidate(Side, CONTEXT, &Mw->Header, 0);
    Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_INVALID_DEVICE_REQUEST);
    ClientReconnect(Side);
    Bind(Side, CONTEXT, Side->Bulk.Mr, Mw, Side->Bulk.Buffer, 8, ALL_RIGHTS);
    Expect(Side, CONTEXT, NdkOperationTypeBind, STATUS_INVALID_DEVICE_REQUEST);
    CloseMw(Mw);
    ClientReconnect(Side);
}

VOID WindowBoundTwice(PSIDE Side) {
    NDK_MW *Mw = Window(Side, ALL_RIGHTS);

    /* Both at once: the second is there when the first one fails. */
    Bind(Side, CONTEXT, Side->Bulk.Mr, Mw, Side->Bulk.Buffer, 8, ALL_RIGHTS | NDK_OP_FLAG_DEFER);
    Invalidate(Side, CONTEXT + 1, &Mw->Header, NDK_OP_FLAG_SILENT_SUCCESS);
    Expect(Side, CONTEXT, NdkOperationTypeBind, STATUS_INVALID_DEVICE_REQUEST);
    Expect(Side, CONTEXT + 1, NdkOperationTypeInvalidate, STATUS_CANCELLED);
    ExpectCancelled(Side, SIDE_RECEIVES);
    CloseMw(Mw);
    ClientReconnect(Side);
    /* A window that was never bound cannot be invalidated. */
    Mw = NewMw(Side->Pd);
    Invalidate(Side, CONTEXT, &Mw->Header, 0);
    Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_INVALID_DEVICE_REQUEST);
    CloseMw(Mw);
    ClientReconnect(Side);
}

VOID WindowInvalidatedByPeer(PSIDE Side) {
    NDK_MW *Mw = Window(Side, ALL_RIGHTS);

    SidePostReceive(Side, AskSend(Side, OrderSendAndInvalidate, TokenOf(Mw), 32, 5));
    Bind(Side, CONTEXT, Side->Bulk.Mr, Mw, Side->Bulk.Buffer, BYTES, ALL_RIGHTS);
    Expect(Side, CONTEXT, NdkOperationTypeBind, STATUS_SUCCESS);
    CheckStatus(AskRead(Side, Side->Bulk.Buffer, TokenOf(Mw), 8), STATUS_SUCCESS,
                "bound again after the peer invalidated it");
    SidePostReceive(Side, AskSend(Side, OrderSendAndInvalidate, TokenOf(Mw), 32, 6));
    Invalidate(Side, CONTEXT, &Mw->Header, 0);
    Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_INVALID_DEVICE_REQUEST);
    CloseMw(Mw);
    ClientReconnect(Side);
}
