/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of the server: its thread, from the handed-over connector to the end. */
#include "server.h"

#include "thread.h"

/* Enough has gone over the connections: the whole server is to be taken down and up again. */
static BOOLEAN RestartCheck(PSMB_SERVER Server) {
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsWanted;

    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    if (Server->RestartsLeft != 0 && !Server->RestartWanted && Server->TeardownAfterBytes != 0 &&
        Server->BytesMoved >= Server->TeardownAfterBytes) {
        Server->RestartWanted = TRUE;
        KeSetEvent(&Server->Wake, IO_NO_INCREMENT, FALSE);
    }
    IsWanted = Server->RestartWanted;
    KeReleaseInStackQueuedSpinLock(&Handle);
    return IsWanted;
}

static NTSTATUS ConnectionBegin(PSERVER_CONNECTION Entry) {
    PSMBD_CONNECTION Connection = Entry->Connection;
    CHAR Local[ADDRESS_TEXT_CHARS];
    CHAR Remote[ADDRESS_TEXT_CHARS];
    NTSTATUS Status;

    Status = ServerSessionClaim(Entry);
    if (NT_SUCCESS(Status)) {
        Status = MiniServerInit(&Entry->Mini, Connection, &Entry->Server->Store);
    }
    if (NT_SUCCESS(Status)) {
        Status = SmbdOpen(Connection);
    }
    if (NT_SUCCESS(Status)) {
        Status = SmbdAccept(Connection);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Connection->Counters.Connections++;
    AddressText(&Connection->Local, Local);
    AddressText(&Connection->Remote, Remote);
    DbgPrint("%s: connection %u: connected from %s at %s\n", Connection->Transport->Name,
             Connection->Number, Remote, Local);
    return SmbdNegotiateAsServer(Connection);
}

static VOID ConnectionRun(PSERVER_CONNECTION Entry) {
    PSMBD_CONNECTION Connection = Entry->Connection;
    NTSTATUS Status;

    Status = ConnectionBegin(Entry);
    if (!NT_SUCCESS(Status)) {
        SmbdEnd(Connection, Status, "connection was not established");
        return;
    }
    SmbdCountersFlush(Connection);
    while (SmbdWait(Connection)) {
        MiniServerRun(&Entry->Mini);
        if (RestartCheck(Entry->Server)) {
            SmbdEndAlive(Connection, STATUS_CANCELLED, "server goes down");
        }
    }
}

static VOID ConnectionHide(PSERVER_CONNECTION Entry) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Entry->Server->Lock, &Handle);
    Entry->Connection = NULL;
    KeReleaseInStackQueuedSpinLock(&Handle);
}

static VOID ConnectionOver(PSERVER_CONNECTION Entry) {
    PSMB_SERVER Server = Entry->Server;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    Entry->IsOver = TRUE;
    KeSetEvent(&Server->Wake, IO_NO_INCREMENT, FALSE);
    KeReleaseInStackQueuedSpinLock(&Handle);
}

static VOID ConnectionMain(PVOID Context) {
    PSERVER_CONNECTION Entry = Context;
    PSMBD_CONNECTION Connection = Entry->Connection;
    SMBD_TEARDOWN Mode = Connection->Transport->Teardown;

    ConnectionRun(Entry);
    DbgPrint("%s: connection %u: ended: %s (0x%08X)\n", Connection->Transport->Name,
             Connection->Number, Connection->EndReason, Connection->EndStatus);
    if (Connection->IsTakenOver && Mode == TeardownOrderly) {
        /* Its peer is gone, and somebody waits. */
        Mode = TeardownAbrupt;
    }
    ServerSessionRelease(Entry);
    SmbdTeardown(Connection, Mode);
    ConnectionHide(Entry);
    MiniServerDeinit(&Entry->Mini);
    SmbdFree(Connection);
    ConnectionOver(Entry);
}

/* The connector is all there is. */
static VOID ConnectionDrop(PSMB_SERVER Server, NDK_CONNECTOR *Connector) {
    KLOCK_QUEUE_HANDLE Handle;

    SyncClose(&Connector->Header, Connector->Dispatch->NdkCloseConnector);
    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    Server->LiveCount--;
    KeReleaseInStackQueuedSpinLock(&Handle);
}

VOID ServerConnectionStart(PSMB_SERVER Server, NDK_CONNECTOR *Connector) {
    PSERVER_CONNECTION Entry;
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status;

    PAGED_CODE();
    Entry = ExAllocatePoolZero(NonPagedPoolNx, sizeof(*Entry), SERVER_POOL_TAG);
    if (Entry == NULL) {
        ConnectionDrop(Server, Connector);
        return;
    }
    Entry->Server = Server;
    Entry->Mini.BytesMoved = &Server->BytesMoved;
    Entry->Mini.Closed = ServerSessionRelease;
    Entry->Mini.Upper = Entry;
    Entry->Connection = SmbdAllocate(&Server->Transport, ++Server->Serial, TRUE);
    if (Entry->Connection == NULL) {
        ExFreePoolWithTag(Entry, SERVER_POOL_TAG);
        ConnectionDrop(Server, Connector);
        return;
    }
    Entry->Connection->Connector = Connector;
    Entry->Connection->MayEndEarly =
        Server->Transport.Teardown == TeardownAny && Server->RestartsLeft != 0;
    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    InsertTailList(&Server->Connections, &Entry->Link);
    KeReleaseInStackQueuedSpinLock(&Handle);
    Status = ThreadStart(ConnectionMain, Entry, &Entry->Thread);
    if (!NT_SUCCESS(Status)) {
        /* Done on this thread instead, at once. */
        SmbdEnd(Entry->Connection, Status, "no thread for the connection");
        ConnectionMain(Entry);
    }
}

static PSERVER_CONNECTION ReapTake(PSMB_SERVER Server, BOOLEAN All) {
    PSERVER_CONNECTION Found = NULL;
    KLOCK_QUEUE_HANDLE Handle;
    PLIST_ENTRY Entry;

    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    for (Entry = Server->Connections.Flink; Entry != &Server->Connections; Entry = Entry->Flink) {
        Found = CONTAINING_RECORD(Entry, SERVER_CONNECTION, Link);
        if (All || Found->IsOver) {
            RemoveEntryList(Entry);
            break;
        }
        Found = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    return Found;
}

static VOID EndAll(PSMB_SERVER Server) {
    KLOCK_QUEUE_HANDLE Handle;
    PLIST_ENTRY Entry;

    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    for (Entry = Server->Connections.Flink; Entry != &Server->Connections; Entry = Entry->Flink) {
        PSERVER_CONNECTION Each = CONTAINING_RECORD(Entry, SERVER_CONNECTION, Link);

        if (Each->Connection != NULL) {
            SmbdEnd(Each->Connection, STATUS_CANCELLED, "server goes down");
        }
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

VOID ServerConnectionsReap(PSMB_SERVER Server, BOOLEAN All) {
    PSERVER_CONNECTION Entry;
    KLOCK_QUEUE_HANDLE Handle;

    PAGED_CODE();
    if (All) {
        EndAll(Server);
    }
    while ((Entry = ReapTake(Server, All)) != NULL) {
        ThreadJoin(Entry->Thread);
        ExFreePoolWithTag(Entry, SERVER_POOL_TAG);
        KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
        Server->LiveCount--;
        KeReleaseInStackQueuedSpinLock(&Handle);
    }
}
