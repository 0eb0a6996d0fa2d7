/* SPDX-License-Identifier: Apache-2.0 */
/* S05, what both drivers share; see s05.h. */
#include "s05.h"

S05 Both;

/* The second address: RemoteAddress of the common settings, without a port. */
static VOID ClientAddress(VOID) {
    Both.ClientAddress = Sketch.Remote;
    if (Sketch.Remote.Inet.si_family == AF_INET6) {
        Both.ClientAddress.Inet.Ipv6.sin6_port = 0;
    } else {
        Both.ClientAddress.Inet.Ipv4.sin_port = 0;
    }
}

NTSTATUS S05Open(NDK_FN_CONNECT_EVENT_CALLBACK Event) {
    ULONG Interface = NdksimRegistryUlong(L"InterfaceIndex2", 2);
    NTSTATUS Status;

    ClientAddress();
    Status = AdapterOpen(&Both.ClientRdma, Interface);
    if (NT_SUCCESS(Status)) {
        Status = EndOpen(&Both.Server, &Sketch.Rdma);
    }
    if (NT_SUCCESS(Status)) {
        Status = EndOpen(&Both.Client, &Both.ClientRdma);
    }
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateListener(Sketch.Rdma.Adapter, Event, NULL, &Both.Listener);
    }
    if (NT_SUCCESS(Status)) {
        Status = SyncListen(Both.Listener, &Sketch.Local.Plain, Sketch.Local.Bytes);
    }
    return Status;
}

VOID S05Close(VOID) {
    EndClose(&Both.Client);
    EndClose(&Both.Server);
    if (Both.Listener != NULL) {
        SyncClose(&Both.Listener->Header, Both.Listener->Dispatch->NdkCloseListener);
        Both.Listener = NULL;
    }
    AdapterClose(&Both.ClientRdma);
}
