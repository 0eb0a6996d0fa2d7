/* SPDX-License-Identifier: Apache-2.0 */
/* S04, what both drivers share: a listener whose connect event fetches the data and rejects. */
#include "s04.h"

static NDK_LISTENER *Listener;
static KEVENT Rejected;
static CLOSE_GROUP Connectors;
static NTSTATUS Fetched;
static ULONG FetchedBytes;

static VOID ConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    UNREFERENCED_PARAMETER(Context);
    Fetched = S04Fetch(Connector, &FetchedBytes);
    Connector->Dispatch->NdkReject(Connector, NULL, 0);
    CloseGroupStart(&Connectors, &Connector->Header, Connector->Dispatch->NdkCloseConnector);
    KeSetEvent(&Rejected, IO_NO_INCREMENT, FALSE);
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status;

    KeInitializeEvent(&Rejected, NotificationEvent, FALSE);
    CloseGroupInit(&Connectors);
    Status = SyncCreateListener(Sketch.Rdma.Adapter, ConnectEvent, NULL, &Listener);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = SyncListen(Listener, &Sketch.Local.Plain, Sketch.Local.Bytes);
    if (NT_SUCCESS(Status)) {
        KeWaitForSingleObject(&Rejected, Executive, KernelMode, FALSE, NULL);
        Status = Fetched;
        NdksimCounter("bytes", FetchedBytes);
    }
    SyncClose(&Listener->Header, Listener->Dispatch->NdkCloseListener);
    CloseGroupWait(&Connectors);
    return Status;
}
