/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of a worker, from nothing to nothing; see client.h. */
#include "client.h"

/* The unloading thread may end the connection from now on; NULL: no more. */
static VOID SessionShow(PWORKER Worker, PSMBD_CONNECTION Connection) {
    KLOCK_QUEUE_HANDLE Handle;
    LONG IsStopped;

    KeAcquireInStackQueuedSpinLock(&Worker->Driver->Lock, &Handle);
    Worker->Connection = Connection;
    IsStopped = KeReadStateEvent(&Worker->Driver->Stop);
    if (Connection != NULL && IsStopped != 0) {
        SmbdEnd(Connection, STATUS_CANCELLED, "driver unloads");
    } else if (Connection != NULL && Worker->Driver->IsAdapterGone) {
        SmbdEnd(Connection, STATUS_CANCELLED, "the adapter goes away");
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

static VOID SessionStart(PWORKER Worker, PSMBD_CONNECTION Connection) {
    CHAR Local[ADDRESS_TEXT_CHARS];
    CHAR Remote[ADDRESS_TEXT_CHARS];
    NTSTATUS Status;

    Status = SmbdOpen(Connection);
    if (NT_SUCCESS(Status)) {
        Status = SmbdConnect(Connection);
    }
    if (!NT_SUCCESS(Status)) {
        SmbdEnd(Connection, Status, "connect failed");
        return;
    }
    Connection->Counters.Connections++;
    AddressText(&Connection->Local, Local);
    AddressText(&Connection->Remote, Remote);
    DbgPrint("%s: connection %u: connected %s to %s\n", Connection->Transport->Name,
             Connection->Number, Local, Remote);
    Status = SmbdNegotiateAsClient(Connection);
    if (!NT_SUCCESS(Status)) {
        SmbdEnd(Connection, Status, "negotiation failed");
        return;
    }
    SmbdCountersFlush(Connection);
    MiniClientRun(&Worker->Mini, Connection);
}

static VOID SessionSay(PWORKER Worker, PSMBD_CONNECTION Connection) {
    DbgPrint("%s: connection %u: ended: %s (0x%08X)\n", Connection->Transport->Name,
             Connection->Number, Connection->EndReason, Connection->EndStatus);
    if (MiniClientIsDone(&Worker->Mini)) {
        DbgPrint("%s: connection %u: %u small messages echoed\n", Connection->Transport->Name,
                 Connection->Number, Worker->Mini.Smalls.Done);
    }
}

/* Where it goes, and what it says when it gets there. FALSE: no memory. */
static BOOLEAN SessionDirect(PWORKER Worker, PSMBD_CONNECTION Connection) {
    PSMB_CLIENT Driver = Worker->Driver;
    ULONG Pair = Worker->Number % Driver->AddressCount;
    PSMBD_PATH Path;
    ULONG Index;

    Connection->Local = Driver->Local[Pair];
    Connection->Remote = Driver->Remote[Pair];
    if (Driver->SessionId != 0) {
        WirePutHail(Connection->Hail, Driver->SessionId + Worker->Number);
        Connection->HailBytes = SMBD_HAIL_BYTES;
    }
    if (Driver->Transport.ConnectTries == 0) {
        return TRUE;
    }
    Path = SmbdPathCreate(Connection);
    if (Path == NULL) {
        return FALSE;
    }
    for (Index = 0; Index < Driver->AddressCount; Index++) {
        Path->Local[Index] = Driver->Local[Index];
        Path->Remote[Index] = Driver->Remote[Index];
    }
    Path->PairCount = Driver->AddressCount;
    Path->PairFirst = Pair;
    Connection->Path = Path;
    return TRUE;
}

static PSMBD_CONNECTION SessionAllocate(PWORKER Worker) {
    LONG Number = InterlockedIncrement(&Worker->Driver->ConnectionSerial);
    PSMBD_CONNECTION Connection;

    Connection = SmbdAllocate(&Worker->Driver->Transport, (ULONG)Number, FALSE);
    if (Connection != NULL && !SessionDirect(Worker, Connection)) {
        SmbdFree(Connection);
        return NULL;
    }
    return Connection;
}

/* One connection, from nothing to nothing. */
VOID ClientSession(PWORKER Worker) {
    PSMB_CLIENT Driver = Worker->Driver;
    PSMBD_CONNECTION Connection;

    PAGED_CODE();
    Connection = SessionAllocate(Worker);
    if (Connection == NULL) {
        return;
    }
    if (Worker->TeardownsLeft != 0 && Driver->TeardownAfterBytes != 0) {
        Worker->Mini.EndAfterBytes = Driver->TeardownAfterBytes;
        Connection->MayEndEarly = Driver->Transport.Teardown == TeardownAny;
    } else {
        Worker->Mini.EndAfterBytes = 0;
    }
    SessionShow(Worker, Connection);
    SessionStart(Worker, Connection);
    SessionShow(Worker, NULL);
    SessionSay(Worker, Connection);
    if (Worker->Mini.EndedItself || Connection->EndedEarly) {
        Worker->TeardownsLeft--;
    }
    SmbdTeardown(Connection, Driver->Transport.Teardown);
    MiniClientDetach(&Worker->Mini);
    SmbdFree(Connection);
}
