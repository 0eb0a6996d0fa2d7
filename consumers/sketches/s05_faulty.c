/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S05, as it is found in the field: the connect event only notes the connector; the thread that
 * would accept it waits for the connect to complete, which waits for the accept.
 */
#include "s05.h"

static KEVENT Requested;
static NDK_CONNECTOR *Incoming;

static VOID ConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    UNREFERENCED_PARAMETER(Context);
    Incoming = Connector;
    KeSetEvent(&Requested, IO_NO_INCREMENT, FALSE);
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status;

    KeInitializeEvent(&Requested, NotificationEvent, FALSE);
    Status = S05Open(ConnectEvent);
    if (NT_SUCCESS(Status)) {
        Status = EndConnect(&Both.Client, &Both.ClientAddress, &Sketch.Local);
    }
    if (NT_SUCCESS(Status)) {
        KeWaitForSingleObject(&Requested, Executive, KernelMode, FALSE, NULL);
    }
    if (Incoming != NULL) {
        NTSTATUS Accepted = EndStartAccept(&Both.Server, Incoming);

        Accepted = SyncFinish(&Both.Server.Request, Accepted);
        NdksimCounter("accepted", NT_SUCCESS(Accepted) ? 1 : 0);
    }
    S05Close();
    return Status;
}
