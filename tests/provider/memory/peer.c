/* SPDX-License-Identifier: Apache-2.0 */
/* The side that does as it is told; see side.h. */
#include "side.h"

#define PEER_WAITING_MAX 8u

static KSPIN_LOCK Lock;
static NDK_CONNECTOR *Waiting[PEER_WAITING_MAX];
static ULONG WaitingCount;

/* Orders that came while the result of something else was waited for. */
static ULONG Orders[SIDE_RECEIVES];
static ULONG OrderCount;

static VOID PeerConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    PSIDE Side = Context;
    KIRQL Irql;

    KeAcquireSpinLock(&Lock, &Irql);
    Check(WaitingCount < PEER_WAITING_MAX, "room for a connector");
    Waiting[WaitingCount++] = Connector;
    KeReleaseSpinLock(&Lock, Irql);
    KeSetEvent(&Side->Incoming, IO_NO_INCREMENT, FALSE);
}

static NDK_CONNECTOR *PeerTake(VOID) {
    NDK_CONNECTOR *Connector = NULL;
    KIRQL Irql;
    ULONG i;

    KeAcquireSpinLock(&Lock, &Irql);
    if (WaitingCount != 0) {
        Connector = Waiting[0];
        WaitingCount--;
        for (i = 0; i < WaitingCount; i++) {
            Waiting[i] = Waiting[i + 1];
        }
    }
    KeReleaseSpinLock(&Lock, Irql);
    return Connector;
}

/* The result of what was just posted; FALSE when the connection is over. */
static BOOLEAN PeerFinish(PSIDE Side, NTSTATUS Posted) {
    NDK_RESULT_EX Result;

    Side->Last = Posted;
    if (Posted != STATUS_SUCCESS) {
        return FALSE;
    }
    for (;;) {
        if (!SideResult(Side, &Result)) {
            Side->Last = STATUS_CONNECTION_DISCONNECTED;
            return FALSE;
        }
        if ((Result.Type & NdkOperationTypeReceive) == 0) {
            Side->Last = Result.Status;
            return Result.Status == STATUS_SUCCESS;
        }
        if (Result.Status == STATUS_SUCCESS) {
            Orders[OrderCount++] = (ULONG)(ULONG_PTR)Result.RequestContext - 1;
        }
    }
}

static BOOLEAN PeerAnswer(PSIDE Side, const ORDER *Order, ULONG Value) {
    ORDER Answer = *Order;
    NTSTATUS Before = Side->Last;
    BOOLEAN Sent;

    Answer.Status = Side->Last;
    Answer.Value = Value;
    SideSendOrder(Side, &Answer);
    Sent = PeerFinish(Side, STATUS_SUCCESS);
    Side->Last = Before;
    return Sent;
}

static BOOLEAN PeerRead(PSIDE Side, const ORDER *Order) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, Order->Bytes, Side->Bulk.LocalToken};
    NTSTATUS Status = Side->Qp->Dispatch->NdkRead(Side->Qp, NULL, &Sge, 1, Order->Address,
                                                  Order->Token, Order->Flags);

    return PeerFinish(Side, Status) &&
           PeerAnswer(Side, Order, SumOf(Side->Bulk.Buffer, Order->Bytes));
}

static BOOLEAN PeerWrite(PSIDE Side, const ORDER *Order) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, Order->Bytes, Side->Bulk.LocalToken};
    NTSTATUS Status;

    PatternFill(Side->Bulk.Buffer, Order->Bytes, Order->Value);
    Status = Side->Qp->Dispatch->NdkWrite(Side->Qp, NULL, &Sge, 1, Order->Address, Order->Token,
                                          Order->Flags);
    return PeerFinish(Side, Status) && PeerAnswer(Side, Order, 0);
}

static BOOLEAN PeerSend(PSIDE Side, const ORDER *Order) {
    NDK_SGE Sge = {{Side->Bulk.Buffer}, Order->Bytes, Side->Bulk.LocalToken};
    NTSTATUS Status;

    PatternFill(Side->Bulk.Buffer, Order->Bytes, Order->Value);
    if (Order->Kind == OrderSendAndInvalidate) {
        Status = Side->Qp->Dispatch->NdkSendAndInvalidate(Side->Qp, NULL, &Sge, 1, Order->Flags,
                                                          Order->Token);
    } else {
        Status = Side->Qp->Dispatch->NdkSend(Side->Qp, NULL, &Sge, 1, Order->Flags);
    }
    return PeerFinish(Side, Status);
}

static BOOLEAN PeerWhere(PSIDE Side, const ORDER *Order) {
    ORDER Answer = *Order;

    Answer.Address = (UINT64)(ULONG_PTR)Side->Bulk.Buffer;
    Answer.Token = Side->Bulk.RemoteToken;
    return PeerAnswer(Side, &Answer, 0);
}

static BOOLEAN PeerObey(PSIDE Side, const ORDER *Order) {
    switch (Order->Kind) {
    case OrderStatus:
        return PeerAnswer(Side, Order, 0);
    case OrderRead:
        return PeerRead(Side, Order);
    case OrderWrite:
        return PeerWrite(Side, Order);
    case OrderSend:
    case OrderSendAndInvalidate:
        return PeerSend(Side, Order);
    case OrderWhere:
        return PeerWhere(Side, Order);
    case OrderFlush:
        Side->Qp->Dispatch->NdkFlush(Side->Qp);
        return FALSE;
    case OrderDisconnect:
        SyncDisconnect(Side->Connector);
        return FALSE;
    default:
        Check(FALSE, "an order that the peer knows");
        return FALSE;
    }
}

/* The slot of the next order, in the order in which they came; FALSE at the connection's end. */
static BOOLEAN PeerNext(PSIDE Side, PULONG Slot) {
    NDK_RESULT_EX Result;
    ULONG i;

    if (OrderCount != 0) {
        *Slot = Orders[0];
        OrderCount--;
        for (i = 0; i < OrderCount; i++) {
            Orders[i] = Orders[i + 1];
        }
        return TRUE;
    }
    if (!SideResult(Side, &Result) || Result.Status != STATUS_SUCCESS) {
        return FALSE;
    }
    Check((Result.Type & NdkOperationTypeReceive) != 0, "a receive");
    *Slot = (ULONG)(ULONG_PTR)Result.RequestContext - 1;
    return TRUE;
}

static VOID PeerServe(PSIDE Side) {
    ULONG Slot;

    OrderCount = 0;
    while (PeerNext(Side, &Slot)) {
        ORDER Order = *SideMessage(Side, Slot);

        SidePostReceive(Side, Slot);
        if (!PeerObey(Side, &Order)) {
            return;
        }
    }
}

static VOID PeerAccept(PSIDE Side, NDK_CONNECTOR *Connector) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SideMakeQueues(Side);
    Side->Connector = Connector;
    SyncInit(&Wait);
    Status = Connector->Dispatch->NdkAccept(Connector, Side->Qp, 8, 8, NULL, 0, SideDisconnected,
                                            Side, SyncRequested, &Wait);
    if (SyncFinish(&Wait, Status) == STATUS_SUCCESS) {
        PeerServe(Side);
    }
    SideCloseQueues(Side);
}

VOID PeerThread(PVOID Context) {
    PSIDE Side = Context;
    PVOID Waits[] = {&Side->Stop, &Side->Incoming};
    NDK_CONNECTOR *Connector;

    KeInitializeSpinLock(&Lock);
    WaitingCount = 0;
    KeInitializeEvent(&Side->Incoming, SynchronizationEvent, FALSE);
    SideOpen(Side);
    CheckStatus(SyncCreateListener(Side->Rdma.Adapter, PeerConnectEvent, Side, &Side->Listener),
                STATUS_SUCCESS, "create a listener");
    CheckStatus(SyncListen(Side->Listener, &Side->Local.Plain, Side->Local.Bytes), STATUS_SUCCESS,
                "listen");
    NdksimCounter("listening", 1);
    while (KeWaitForMultipleObjects(2, Waits, WaitAny, Executive, KernelMode, FALSE, NULL, NULL) !=
           STATUS_WAIT_0) {
        while ((Connector = PeerTake()) != NULL) {
            PeerAccept(Side, Connector);
        }
    }
    while ((Connector = PeerTake()) != NULL) {
        SyncClose(&Connector->Header, Connector->Dispatch->NdkCloseConnector);
    }
    SyncClose(&Side->Listener->Header, Side->Listener->Dispatch->NdkCloseListener);
    SideClose(Side);
    NdksimCounter("done", 1);
}
