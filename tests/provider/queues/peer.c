/* SPDX-License-Identifier: Apache-2.0 */
/* The peer: accepts what comes, and does what comes over the first connection. */
#include "queues.h"

static VOID PeerConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    PSUBJECT Peer = Context;

    Check(Peer->Arrived == NULL, "one connection at a time");
    Peer->Arrived = Connector;
    KeSetEvent(&Peer->Incoming, IO_NO_INCREMENT, FALSE);
}

static VOID PeerDisconnected(PVOID Context) {
    PLINK Link = Context;

    KeSetEvent(&Link->Disconnected, IO_NO_INCREMENT, FALSE);
}

static VOID PeerAccept(PSUBJECT Peer) {
    ULONG Number = Peer->LinkCount++;
    PLINK Link = &Peer->PeerLinks[Number];
    PWATCHED Cq = &Peer->PeerCq[Number];
    SYNC_WAIT Wait;
    NTSTATUS Status;

    Check(Number <= QUEUES_LINKS, "links left");
    WatchedCreate(Peer, Cq, 2 * QUEUES_DEPTH, NULL);
    Link->Qp = QpCreate(Peer, Cq, Cq, Link);
    Link->Connector = Peer->Arrived;
    Peer->Arrived = NULL;
    KeInitializeEvent(&Link->Disconnected, NotificationEvent, FALSE);
    if (Number == 0) {
        QpReceive(Peer, Link->Qp, 0);
    }
    SyncInit(&Wait);
    Status = Link->Connector->Dispatch->NdkAccept(Link->Connector, Link->Qp, 0, 0, NULL, 0,
                                                  PeerDisconnected, Link, SyncRequested, &Wait);
    CheckStatus(SyncFinish(&Wait, Status), STATUS_SUCCESS, "accept");
}

/* All of them, and how the first one failed that did. */
static NTSTATUS PeerSend(PSUBJECT Peer, const ORDER *Order) {
    NDK_QP *Qp = Peer->PeerLinks[Order->Link].Qp;
    NTSTATUS Outcome = STATUS_SUCCESS;
    NDK_RESULT_EX Result;
    ULONG i;

    for (i = 0; i < Order->Count; i++) {
        ULONG Slot = 2 + i % QUEUES_DEPTH;
        PUCHAR Buffer = Peer->Slots.Buffer + Slot * QUEUES_SLOT_BYTES;
        NDK_SGE Sge = {{Buffer}, Order->Bytes, Peer->Slots.LocalToken};

        *(PULONG)Buffer = Order->First + i;
        CheckStatus(
            Qp->Dispatch->NdkSend(Qp, NULL, &Sge, 1, i + 1 == Order->Count ? Order->Flags : 0),
            STATUS_SUCCESS, "post a send");
    }
    for (i = 0; i < Order->Count; i++) {
        WatchedNext(&Peer->PeerCq[Order->Link], &Result);
        Outcome = Outcome == STATUS_SUCCESS ? Result.Status : Outcome;
    }
    return Outcome;
}

static VOID PeerCloseLink(PSUBJECT Peer, ULONG Number) {
    PLINK Link = &Peer->PeerLinks[Number];
    CLOSE_GROUP Group;

    if (Link->Connector == NULL) {
        return;
    }
    CloseGroupInit(&Group);
    CloseGroupStart(&Group, &Link->Connector->Header, Link->Connector->Dispatch->NdkCloseConnector);
    CloseGroupStart(&Group, &Link->Qp->Header, Link->Qp->Dispatch->NdkCloseQp);
    CloseGroupWait(&Group);
    WatchedClose(&Peer->PeerCq[Number]);
    Link->Connector = NULL;
}

static VOID PeerObey(PSUBJECT Peer) {
    PORDER Message = (PORDER)Peer->Slots.Buffer;
    ORDER Order = *Message;
    NDK_QP *Qp = Peer->PeerLinks[0].Qp;
    NDK_SGE Sge = {{Peer->Slots.Buffer + QUEUES_SLOT_BYTES}, sizeof(Order), Peer->Slots.LocalToken};

    QpReceive(Peer, Qp, 0);
    if (Order.Kind == OrderClose) {
        PeerCloseLink(Peer, Order.Link);
        Order.Status = STATUS_SUCCESS;
    } else {
        Order.Status = PeerSend(Peer, &Order);
    }
    *(PORDER)(Peer->Slots.Buffer + QUEUES_SLOT_BYTES) = Order;
    Qp->Dispatch->NdkSend(Qp, NULL, &Sge, 1, NDK_OP_FLAG_SILENT_SUCCESS);
}

/* FALSE: the subject is done. */
static BOOLEAN PeerStep(PSUBJECT Peer) {
    PVOID Waits[] = {&Peer->Stop, &Peer->Incoming, &Peer->PeerCq[0].Event};
    NDK_RESULT_EX Result;
    NTSTATUS Woken;

    if (Peer->LinkCount != 0 && WatchedTake(&Peer->PeerCq[0], &Result, 1) != 0) {
        if (Result.Type == NdkOperationTypeReceive && Result.Status == STATUS_SUCCESS) {
            PeerObey(Peer);
        }
        return TRUE;
    }
    if (Peer->LinkCount != 0) {
        WatchedArm(&Peer->PeerCq[0], NDK_CQ_NOTIFY_ANY);
    }
    Woken = KeWaitForMultipleObjects(Peer->LinkCount != 0 ? 3 : 2, Waits, WaitAny, Executive,
                                     KernelMode, FALSE, NULL, NULL);
    if (Woken == STATUS_WAIT_0 + 1) {
        PeerAccept(Peer);
    }
    return Woken != STATUS_WAIT_0;
}

VOID PeerThread(PVOID Context) {
    PSUBJECT Peer = Context;
    ULONG i;

    KeInitializeEvent(&Peer->Incoming, SynchronizationEvent, FALSE);
    KeInitializeEvent(&Peer->PeerCq[0].Event, SynchronizationEvent, FALSE);
    SubjectOpen(Peer);
    CheckStatus(SyncCreateListener(Peer->Rdma.Adapter, PeerConnectEvent, Peer, &Peer->Listener),
                STATUS_SUCCESS, "create a listener");
    CheckStatus(SyncListen(Peer->Listener, &Peer->Local.Plain, Peer->Local.Bytes), STATUS_SUCCESS,
                "listen");
    NdksimCounter("listening", 1);
    while (PeerStep(Peer)) {
    }
    for (i = 0; i < Peer->LinkCount; i++) {
        PeerCloseLink(Peer, i);
    }
    SyncClose(&Peer->Listener->Header, Peer->Listener->Dispatch->NdkCloseListener);
    SubjectClose(Peer);
}
