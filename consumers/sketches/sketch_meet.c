/* SPDX-License-Identifier: Apache-2.0 */
/* How the two ends of a sketch meet: one connection is all there is to see; see sketch.h. */
#include "sketch.h"

#define CONNECT_TRIES 100u
#define CONNECT_PAUSE_MS 1u

static NDK_LISTENER *Listener;
static NDK_CONNECTOR *Incoming;
static CLOSE_GROUP Refused;
static KEVENT Requested;

static VOID ConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    UNREFERENCED_PARAMETER(Context);
    if (InterlockedCompareExchangePointer((PVOID *)&Incoming, Connector, NULL) != NULL) {
        CloseGroupStart(&Refused, &Connector->Header, Connector->Dispatch->NdkCloseConnector);
        return;
    }
    KeSetEvent(&Requested, IO_NO_INCREMENT, FALSE);
}

NTSTATUS EndListen(NDK_CONNECTOR **Connector) {
    PVOID Objects[2] = {&Sketch.Stop, &Requested};
    NTSTATUS Status;

    PAGED_CODE();
    *Connector = NULL;
    KeInitializeEvent(&Requested, NotificationEvent, FALSE);
    CloseGroupInit(&Refused);
    Status = SyncCreateListener(Sketch.Rdma.Adapter, ConnectEvent, NULL, &Listener);
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

VOID EndUnlisten(VOID) {
    PAGED_CODE();
    if (Listener != NULL) {
        SyncClose(&Listener->Header, Listener->Dispatch->NdkCloseListener);
        CloseGroupWait(&Refused);
        Listener = NULL;
    }
}

NTSTATUS EndConnectPatiently(PSKETCH_END End) {
    NTSTATUS Status = STATUS_CANCELLED;
    ULONG Try;

    for (Try = 0; Try < CONNECT_TRIES; Try++) {
        Status = EndConnect(End, &Sketch.Source, &Sketch.Remote);
        if (Status != STATUS_CONNECTION_REFUSED || ThreadSleep(&Sketch.Stop, CONNECT_PAUSE_MS)) {
            break;
        }
        SyncClose(&End->Connector->Header, End->Connector->Dispatch->NdkCloseConnector);
        End->Connector = NULL;
    }
    return Status;
}
