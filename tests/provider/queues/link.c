/* SPDX-License-Identifier: Apache-2.0 */
/* The subject's connections, and what it has the peer do. */
#include "queues.h"

#define CONTROL_SLOT (QUEUES_SLOTS - 2) /* receives there, sends from the next */

static VOID LinkDisconnected(PVOID Context) {
    PLINK Link = Context;

    KeSetEvent(&Link->Disconnected, IO_NO_INCREMENT, FALSE);
}

VOID LinkTie(PSUBJECT Subject, PLINK Link, NDK_QP *Qp) {
    SYNC_WAIT Wait;

    KeInitializeEvent(&Link->Disconnected, NotificationEvent, FALSE);
    Link->Qp = Qp;
    CheckStatus(SyncCreateConnector(Subject->Rdma.Adapter, &Link->Connector), STATUS_SUCCESS,
                "create a connector");
    SyncInit(&Wait);
    CheckStatus(SyncFinish(&Wait, Link->Connector->Dispatch->NdkConnect(
                                      Link->Connector, Qp, &Subject->Local.Plain,
                                      Subject->Local.Bytes, &Subject->Peer.Plain,
                                      Subject->Peer.Bytes, 0, 0, NULL, 0, SyncRequested, &Wait)),
                STATUS_SUCCESS, "connect");
    SyncInit(&Wait);
    CheckStatus(
        SyncFinish(&Wait, Link->Connector->Dispatch->NdkCompleteConnect(
                              Link->Connector, LinkDisconnected, Link, SyncRequested, &Wait)),
        STATUS_SUCCESS, "complete the connect");
}

ULONG LinkConnect(PSUBJECT Subject, NDK_QP *Qp) {
    ULONG Number = Subject->LinkCount++;

    Check(Number < QUEUES_LINKS, "links left");
    LinkTie(Subject, &Subject->Links[Number], Qp);
    return Number + 1;
}

static VOID LinkClose(PLINK Link) {
    CLOSE_GROUP Group;

    CloseGroupInit(&Group);
    CloseGroupStart(&Group, &Link->Connector->Header, Link->Connector->Dispatch->NdkCloseConnector);
    CloseGroupStart(&Group, &Link->Qp->Header, Link->Qp->Dispatch->NdkCloseQp);
    CloseGroupWait(&Group);
}

VOID LinksClose(PSUBJECT Subject) {
    ULONG i;

    for (i = 0; i < Subject->LinkCount; i++) {
        LinkClose(&Subject->Links[i]);
    }
    Subject->LinkCount = 0;
}

static PORDER ControlMessage(PSUBJECT Subject, ULONG Slot) {
    return (PORDER)(Subject->Slots.Buffer + Slot * QUEUES_SLOT_BYTES);
}

VOID Tell(PSUBJECT Subject, const ORDER *Order) {
    PORDER Message = ControlMessage(Subject, CONTROL_SLOT + 1);
    NDK_SGE Sge = {{Message}, sizeof(*Message), Subject->Slots.LocalToken};
    NDK_QP *Qp = Subject->ControlLink.Qp;

    QpReceive(Subject, Qp, CONTROL_SLOT);
    *Message = *Order;
    CheckStatus(Qp->Dispatch->NdkSend(Qp, NULL, &Sge, 1, NDK_OP_FLAG_SILENT_SUCCESS),
                STATUS_SUCCESS, "send an order");
}

NTSTATUS Answer(PSUBJECT Subject) {
    NDK_RESULT_EX Result;

    WatchedNext(&Subject->Control, &Result);
    CheckStatus(Result.Status, STATUS_SUCCESS, "the peer's answer");
    return ControlMessage(Subject, CONTROL_SLOT)->Status;
}

NTSTATUS PeerSends(PSUBJECT Subject, ULONG Link, ULONG First, ULONG Count, ULONG Flags) {
    ORDER Order = {OrderSend, Link, Count, Flags, QUEUES_SLOT_BYTES, First, STATUS_SUCCESS};

    Tell(Subject, &Order);
    return Answer(Subject);
}
