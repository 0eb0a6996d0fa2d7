/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions by name; see server.h. */
#include "server.h"

#define PRIVATE_BYTES_MAX 64u

/* The name in the connect's private data; 0: none. */
static ULONG SessionRead(NDK_CONNECTOR *Connector) {
    UCHAR Private[PRIVATE_BYTES_MAX];
    ULONG Bytes = sizeof(Private);
    NTSTATUS Status;

    Status = Connector->Dispatch->NdkGetConnectionData(Connector, NULL, NULL, Private, &Bytes);
    return NT_SUCCESS(Status) ? WireGetHail(Private, Bytes) : 0;
}

/* FALSE: another connection has it. */
static BOOLEAN SessionTake(PSERVER_CONNECTION Entry, ULONG Id) {
    PSMB_SERVER Server = Entry->Server;
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsFree = TRUE;
    PLIST_ENTRY Link;

    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    for (Link = Server->Connections.Flink; Link != &Server->Connections; Link = Link->Flink) {
        if (CONTAINING_RECORD(Link, SERVER_CONNECTION, Link)->SessionId == Id) {
            IsFree = FALSE;
        }
    }
    if (IsFree) {
        Entry->SessionId = Id;
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    return IsFree;
}

NTSTATUS ServerSessionClaim(PSERVER_CONNECTION Entry) {
    static const CHAR Reason[] = "smb server: this session is connected";
    PSMBD_CONNECTION Connection = Entry->Connection;
    NDK_CONNECTOR *Connector = Connection->Connector;
    NTSTATUS Status;
    ULONG Id;

    PAGED_CODE();
    if (!Entry->Server->ChecksSessions) {
        return STATUS_SUCCESS;
    }
    Id = SessionRead(Connector);
    if (Id == 0 || SessionTake(Entry, Id)) {
        return STATUS_SUCCESS;
    }
    Connection->Counters.Duplicates++;
    Status = Connector->Dispatch->NdkReject(Connector, (PVOID)(ULONG_PTR)Reason, sizeof(Reason));
    DbgPrint("%s: connection %u: session %u is connected: rejected (0x%08X)\n",
             Connection->Transport->Name, Connection->Number, Id, Status);
    return STATUS_ADDRESS_ALREADY_EXISTS;
}

VOID ServerSessionRelease(PVOID Upper) {
    PSERVER_CONNECTION Entry = Upper;
    KLOCK_QUEUE_HANDLE Handle;

    PAGED_CODE();
    if (!Entry->Server->ChecksSessions) {
        return;
    }
    KeAcquireInStackQueuedSpinLock(&Entry->Server->Lock, &Handle);
    Entry->SessionId = 0;
    KeReleaseInStackQueuedSpinLock(&Handle);
}
