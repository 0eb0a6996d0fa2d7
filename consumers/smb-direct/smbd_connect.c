/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connecting and accepting. A request that is still pending when the connection has to end stays
 * pending: closing the connector ends it, and its record lives in the connection. PASSIVE_LEVEL.
 */
#include "smbd_path.h"

static VOID DisconnectEvent(PVOID Context) {
    PSMBD_CONNECTION Connection = Context;

    SmbdEnd(Connection, STATUS_CONNECTION_DISCONNECTED, "peer disconnected");
}

/* The chooser may have the connection torn down right here. */
static VOID EndEarly(PSMBD_CONNECTION Connection, PCSTR Where) {
    static const PCSTR Labels[] = {"go-on", "close"};
    ULONG Answer;

    if (!Connection->MayEndEarly) {
        return;
    }
    Answer = NdksimChoose("teardown.now", Connection->Connector, Labels, RTL_NUMBER_OF(Labels));
    if (Answer != 0) {
        Connection->EndedEarly = TRUE;
        SmbdEnd(Connection, STATUS_CANCELLED, Where);
    }
}

static NTSTATUS WaitRequest(PSMBD_CONNECTION Connection, PSYNC_WAIT Wait, NTSTATUS Status) {
    if (Status != STATUS_PENDING) {
        return Status;
    }
    Status = SmbdWaitEvent(Connection, &Wait->Event, 0);
    return Status == STATUS_WAIT_0 ? Wait->Status : Status;
}

NTSTATUS SmbdReadLimits(PSMBD_CONNECTION Connection, NDK_CONNECTOR *Connector) {
    ULONG PrivateBytes = 0;
    ULONG Inbound = 0;
    ULONG Outbound = 0;
    NTSTATUS Status;

    Status = Connector->Dispatch->NdkGetConnectionData(Connector, &Inbound, &Outbound, NULL,
                                                       &PrivateBytes);
    Connection->ReadDepth = Outbound;
    return Status;
}

static VOID ReadAddresses(PSMBD_CONNECTION Connection) {
    NDK_CONNECTOR *Connector = Connection->Connector;
    ULONG Bytes = sizeof(SOCKADDR_INET);
    NTSTATUS Status;

    Status = Connector->Dispatch->NdkGetLocalAddress(Connector, &Connection->Local.Plain, &Bytes);
    Connection->Local.Bytes = NT_SUCCESS(Status) ? Bytes : Connection->Local.Bytes;
    Bytes = sizeof(SOCKADDR_INET);
    Status = Connector->Dispatch->NdkGetPeerAddress(Connector, &Connection->Remote.Plain, &Bytes);
    Connection->Remote.Bytes = NT_SUCCESS(Status) ? Bytes : Connection->Remote.Bytes;
}

static NTSTATUS StartConnect(PSMBD_CONNECTION Connection) {
    NDK_ADAPTER_INFO *Info = &Connection->Transport->Rdma.Info;
    NDK_CONNECTOR *Connector = Connection->Connector;

    SyncInit(&Connection->Connecting);
    /* The server reads from us, we never from it. */
    return Connector->Dispatch->NdkConnect(
        Connector, Connection->Qp, &Connection->Local.Plain, Connection->Local.Bytes,
        &Connection->Remote.Plain, Connection->Remote.Bytes, Info->MaxInboundReadLimit, 0,
        Connection->HailBytes != 0 ? Connection->Hail : NULL, Connection->HailBytes, SyncRequested,
        &Connection->Connecting);
}

/* With limit, pause and a second way; the path closes what does not come to be connected. */
static NTSTATUS ConnectByPath(PSMBD_CONNECTION Connection) {
    NTSTATUS Status;

    Status = SmbdPathRun(Connection->Path);
    if (NT_SUCCESS(Status)) {
        Connection->IsConnected = TRUE;
        ReadAddresses(Connection);
        EndEarly(Connection, "torn down once connected");
    }
    return Status;
}

NTSTATUS SmbdConnect(PSMBD_CONNECTION Connection) {
    NDK_CONNECTOR *Connector;
    NTSTATUS Status;

    PAGED_CODE();
    if (Connection->Path != NULL) {
        return ConnectByPath(Connection);
    }
    Status = SyncCreateConnector(Connection->Transport->Rdma.Adapter, &Connection->Connector);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Connector = Connection->Connector;
    Status = StartConnect(Connection);
    EndEarly(Connection, "torn down while connecting");
    Status = WaitRequest(Connection, &Connection->Connecting, Status);
    if (Status != STATUS_SUCCESS) {
        return Status;
    }
    EndEarly(Connection, "torn down before the connect was completed");
    Status = SmbdReadLimits(Connection, Connector);
    if (!NT_SUCCESS(Status) || SmbdHasEnded(Connection)) {
        return NT_SUCCESS(Status) ? STATUS_CANCELLED : Status;
    }
    SyncInit(&Connection->Completing);
    Status = Connector->Dispatch->NdkCompleteConnect(Connector, DisconnectEvent, Connection,
                                                     SyncRequested, &Connection->Completing);
    EndEarly(Connection, "torn down while completing the connect");
    Status = WaitRequest(Connection, &Connection->Completing, Status);
    if (Status == STATUS_SUCCESS) {
        Connection->IsConnected = TRUE;
        ReadAddresses(Connection);
        EndEarly(Connection, "torn down once connected");
    }
    return Status;
}

NTSTATUS SmbdAccept(PSMBD_CONNECTION Connection) {
    NDK_ADAPTER_INFO *Info = &Connection->Transport->Rdma.Info;
    NDK_CONNECTOR *Connector = Connection->Connector;
    NTSTATUS Status;

    PAGED_CODE();
    EndEarly(Connection, "torn down before accepting");
    Status = SmbdReadLimits(Connection, Connector);
    if (!NT_SUCCESS(Status) || SmbdHasEnded(Connection)) {
        return NT_SUCCESS(Status) ? STATUS_CANCELLED : Status;
    }
    ReadAddresses(Connection);
    SyncInit(&Connection->Completing);
    Status = Connector->Dispatch->NdkAccept(Connector, Connection->Qp, 0,
                                            Info->MaxOutboundReadLimit, NULL, 0, DisconnectEvent,
                                            Connection, SyncRequested, &Connection->Completing);
    EndEarly(Connection, "torn down while accepting");
    Status = WaitRequest(Connection, &Connection->Completing, Status);
    if (Status == STATUS_SUCCESS) {
        Connection->IsConnected = TRUE;
        EndEarly(Connection, "torn down once accepted");
    }
    return Status;
}
