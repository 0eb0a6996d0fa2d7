/* SPDX-License-Identifier: Apache-2.0 */
/* A window relies on its region from the bind on, until it no longer points there. */
#include "client.h"

#define RIGHTS NDK_OP_FLAG_ALLOW_REMOTE_READ
#define REGION_RIGHTS (NDK_MR_FLAG_ALLOW_LOCAL_WRITE | NDK_MR_FLAG_ALLOW_REMOTE_READ)
#define BYTES 0x1000u
#define CONTEXT SIDE_FIRST_CONTEXT

typedef struct _CLOSING {
    KEVENT Event;
    BOOLEAN IsDone;
} CLOSING, *PCLOSING;

static VOID Closed(PVOID Context) {
    PCLOSING Closing = Context;

    Closing->IsDone = TRUE;
    KeSetEvent(&Closing->Event, IO_NO_INCREMENT, FALSE);
}

static VOID CloseStart(PCLOSING Closing, NDK_OBJECT_HEADER *Object, NDK_FN_CLOSE_OBJECT Close) {
    KeInitializeEvent(&Closing->Event, NotificationEvent, FALSE);
    Closing->IsDone = FALSE;
    if (Close(Object, Closed, Closing) == STATUS_SUCCESS) {
        Closed(Closing);
    }
}

static VOID CloseWait(PCLOSING Closing) {
    KeWaitForSingleObject(&Closing->Event, Executive, KernelMode, FALSE, NULL);
}

static VOID Pause(ULONG Microseconds) {
    LARGE_INTEGER Time;

    Time.QuadPart = -10LL * Microseconds;
    KeDelayExecutionThread(KernelMode, FALSE, &Time);
}

typedef enum _LETTING_GO {
    ByClose,
    ByInvalidate,
    BySilentInvalidate,
    ByDeferredInvalidate,
    ByPeer,
    ByRebind,
    LettingGoCount
} LETTING_GO;

/* TRUE: the window is closed by now. */
static BOOLEAN LetGo(PSIDE Side, NDK_MW *Mw, LETTING_GO How) {
    const UINT32 Token = Mw->Dispatch->NdkGetRemoteTokenFromMw(Mw);

    switch (How) {
    case ByClose:
        CloseMw(Mw);
        return TRUE;
    case ByInvalidate:
        Invalidate(Side, CONTEXT, &Mw->Header, 0);
        Expect(Side, CONTEXT, NdkOperationTypeInvalidate, STATUS_SUCCESS);
        return FALSE;
    case BySilentInvalidate:
        Invalidate(Side, CONTEXT, &Mw->Header, NDK_OP_FLAG_SILENT_SUCCESS);
        return FALSE;
    case ByDeferredInvalidate:
        Invalidate(Side, CONTEXT, &Mw->Header, NDK_OP_FLAG_SILENT_SUCCESS | NDK_OP_FLAG_DEFER);
        return FALSE;
    case ByPeer:
        SidePostReceive(Side, AskSend(Side, OrderSendAndInvalidate, Token, 16, 3));
        return FALSE;
    default:
        Invalidate(Side, CONTEXT, &Mw->Header, NDK_OP_FLAG_SILENT_SUCCESS | NDK_OP_FLAG_DEFER);
        Bind(Side, CONTEXT, Side->Bulk.Mr, Mw, Side->Bulk.Buffer, BYTES,
             RIGHTS | NDK_OP_FLAG_SILENT_SUCCESS);
        return FALSE;
    }
}

static VOID HoldsUntil(PSIDE Side, LETTING_GO How, ULONG BindFlags) {
    RDMA_REGION Region = {0};
    NDK_MW *Mw = NewMw(Side->Pd);
    BOOLEAN IsClosed;
    CLOSING Closing;

    CheckStatus(RegionCreate(&Region, Side->Pd, NULL, BYTES, REGION_RIGHTS), STATUS_SUCCESS,
                "register a region");
    Bind(Side, CONTEXT, Region.Mr, Mw, Region.Buffer, BYTES, RIGHTS | BindFlags);
    if ((BindFlags & NDK_OP_FLAG_SILENT_SUCCESS) == 0) {
        Expect(Side, CONTEXT, NdkOperationTypeBind, STATUS_SUCCESS);
        CheckStatus(SyncDeregisterMr(Region.Mr), STATUS_DEVICE_BUSY,
                    "deregister under a bound window");
        CheckStatus(AskRead(Side, Region.Buffer, Region.RemoteToken, 8), STATUS_SUCCESS,
                    "still registered");
    }
    CloseStart(&Closing, &Region.Mr->Header, Region.Mr->Dispatch->NdkCloseMr);
    Pause(3000);
    Check(!Closing.IsDone, "the region's close waits for the window");
    IsClosed = LetGo(Side, Mw, How);
    CloseWait(&Closing);
    Region.Mr = NULL;
    Region.IsRegistered = FALSE;
    RegionFree(&Region);
    if (!IsClosed) {
        CloseMw(Mw);
    }
}

VOID WindowHoldsItsRegion(PSIDE Side) {
    ULONG How;

    for (How = 0; How < LettingGoCount; How++) {
        HoldsUntil(Side, (LETTING_GO)How, 0);
        HoldsUntil(Side, (LETTING_GO)How, NDK_OP_FLAG_SILENT_SUCCESS);
    }
}

static VOID CloseOne(PSIDE Side, ULONG Flags, BOOLEAN Flush, BOOLEAN RegionFirst) {
    RDMA_REGION Region = {0};
    NDK_MW *Mw = NewMw(Side->Pd);
    CLOSING Window;
    CLOSING Closing;

    CheckStatus(RegionCreate(&Region, Side->Pd, NULL, BYTES, REGION_RIGHTS), STATUS_SUCCESS,
                "register a region");
    Bind(Side, CONTEXT, Region.Mr, Mw, Region.Buffer, BYTES, RIGHTS | Flags);
    if (Flush) {
        Side->Qp->Dispatch->NdkFlush(Side->Qp);
    }
    if (RegionFirst) {
        CloseStart(&Closing, &Region.Mr->Header, Region.Mr->Dispatch->NdkCloseMr);
    }
    CloseStart(&Window, &Mw->Header, Mw->Dispatch->NdkCloseMw);
    if (!RegionFirst) {
        CloseStart(&Closing, &Region.Mr->Header, Region.Mr->Dispatch->NdkCloseMr);
    }
    CloseWait(&Window);
    CloseWait(&Closing);
    Region.Mr = NULL;
    Region.IsRegistered = FALSE;
    RegionFree(&Region);
    ClientReconnect(Side);
}

VOID WindowClosedWhileBusy(PSIDE Side) {
    static const ULONG Flags[] = {0, NDK_OP_FLAG_SILENT_SUCCESS,
                                  NDK_OP_FLAG_SILENT_SUCCESS | NDK_OP_FLAG_DEFER};
    ULONG i;

    for (i = 0; i < 4 * RTL_NUMBER_OF(Flags); i++) {
        CloseOne(Side, Flags[i % RTL_NUMBER_OF(Flags)], (i & 4) != 0, (i & 8) != 0);
    }
}
