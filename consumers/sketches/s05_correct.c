/* SPDX-License-Identifier: Apache-2.0 */
/* S05, done right: the connect event accepts; nobody's wait is in the way. */
#include "s05.h"

static VOID ConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(Context);
    Status = EndStartAccept(&Both.Server, Connector);
    if (Status != STATUS_PENDING) {
        Both.Server.Request.Status = Status;
        KeSetEvent(&Both.Server.Request.Event, IO_NO_INCREMENT, FALSE);
    }
}

NTSTATUS SketchMain(VOID) {
    NTSTATUS Status;

    Status = S05Open(ConnectEvent);
    if (NT_SUCCESS(Status)) {
        Status = EndConnect(&Both.Client, &Both.ClientAddress, &Sketch.Local);
    }
    if (NT_SUCCESS(Status)) {
        KeWaitForSingleObject(&Both.Server.Request.Event, Executive, KernelMode, FALSE, NULL);
        Status = Both.Server.Request.Status;
        NdksimCounter("accepted", NT_SUCCESS(Status) ? 1 : 0);
    }
    S05Close();
    return Status;
}
