/* SPDX-License-Identifier: Apache-2.0 */
/* S16, what both servers share; see s16.h. */
#include "s16.h"

static NDK_LISTENER *Listener;
static NDK_CONNECTOR *Incoming;
static CLOSE_GROUP Refused;
static KEVENT Requested;

static VOID ConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    UNREFERENCED_PARAMETER(Context);
    if (InterlockedCompareExchangePointer((PVOID *)&Incoming, Connector, NULL) != NULL) {
        /* One connection is all there is to see. */
        CloseGroupStart(&Refused, &Connector->Header, Connector->Dispatch->NdkCloseConnector);
        return;
    }
    KeSetEvent(&Requested, IO_NO_INCREMENT, FALSE);
}

NTSTATUS S16Open(PSKETCH_END End, NDK_CONNECTOR **Connector) {
    PVOID Objects[2] = {&Sketch.Stop, &Requested};
    NTSTATUS Status;

    *Connector = NULL;
    KeInitializeEvent(&Requested, NotificationEvent, FALSE);
    CloseGroupInit(&Refused);
    Status = EndOpen(End, &Sketch.Rdma);
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateListener(Sketch.Rdma.Adapter, ConnectEvent, NULL, &Listener);
    }
    if (NT_SUCCESS(Status)) {
        Status = SyncListen(Listener, &Sketch.Local.Plain, Sketch.Local.Bytes);
    }
    if (NT_SUCCESS(Status)) {
        Status =
            KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
        *Connector = Incoming;
        Status = Status == STATUS_WAIT_1 ? STATUS_SUCCESS : STATUS_CANCELLED;
    }
    return Status;
}

NTSTATUS S16PostReceives(PSKETCH_END End) {
    NTSTATUS Status = STATUS_SUCCESS;
    ULONG Index;

    for (Index = 0; NT_SUCCESS(Status) && Index < S16_RECEIVES; Index++) {
        Status = EndReceive(End);
    }
    return Status;
}

VOID S16Finish(PSKETCH_END End) {
    PVOID Objects[3] = {&End->Result, &End->Disconnected, &Sketch.Stop};

    if (End->Connector != NULL) {
        KeWaitForMultipleObjects(3, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
        SyncDisconnect(End->Connector);
        End->Qp->Dispatch->NdkFlush(End->Qp);
    }
    while (End->Succeeded + End->Cancelled + End->Failed < End->ReceivesPosted) {
        KeWaitForSingleObject(&End->Result, Executive, KernelMode, FALSE, NULL);
    }
    NdksimCounter("received", (ULONG64)End->Succeeded);
    NdksimCounter("cancelled", (ULONG64)End->Cancelled);
    NdksimCounter("disconnects", (ULONG64)End->DisconnectEvents);
    EndClose(End);
    if (Listener != NULL) {
        SyncClose(&Listener->Header, Listener->Dispatch->NdkCloseListener);
        CloseGroupWait(&Refused);
    }
}
