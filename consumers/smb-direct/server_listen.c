/* SPDX-License-Identifier: Apache-2.0 */
/* Listeners and the connect event of the server; see server.h. */
#include "server.h"

static VOID Refuse(PSMB_SERVER Server, NDK_CONNECTOR *Connector) {
    CloseGroupStart(&Server->Refused, &Connector->Header, Connector->Dispatch->NdkCloseConnector);
}

static VOID Reject(PSMB_SERVER Server, NDK_CONNECTOR *Connector) {
    static const CHAR Reason[] = "smb server: not now";
    NTSTATUS Status;

    /* The peer may have given up already; closing is all that is left to do either way. */
    Status = Connector->Dispatch->NdkReject(Connector, (PVOID)(ULONG_PTR)Reason, sizeof(Reason));
    DbgPrint("%s: rejected a connection (0x%08X)\n", Server->Transport.Name, Status);
    Refuse(Server, Connector);
}

typedef enum _VERDICT { VerdictKeep, VerdictRefuse, VerdictReject } VERDICT;

static VERDICT JudgeLocked(PSMB_SERVER Server) {
    if (Server->IsRefusing || Server->LiveCount >= Server->ConnectionMax) {
        return VerdictRefuse;
    }
    if (Server->RejectsLeft != 0) {
        Server->RejectsLeft--;
        return VerdictReject;
    }
    return VerdictKeep;
}

static VOID ConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    PSMB_SERVER Server = Context;
    PSERVER_INCOMING Incoming;
    KLOCK_QUEUE_HANDLE Handle;
    VERDICT Verdict;

    Incoming = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*Incoming), SERVER_POOL_TAG);
    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    Verdict = Incoming != NULL ? JudgeLocked(Server) : VerdictRefuse;
    if (Verdict == VerdictKeep) {
        Incoming->Connector = Connector;
        InsertTailList(&Server->Incoming, &Incoming->Link);
        Server->LiveCount++;
        KeSetEvent(&Server->Wake, IO_NO_INCREMENT, FALSE);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (Verdict == VerdictKeep) {
        return;
    }
    if (Incoming != NULL) {
        ExFreePoolWithTag(Incoming, SERVER_POOL_TAG);
    }
    if (Verdict == VerdictReject) {
        Reject(Server, Connector);
    } else {
        Refuse(Server, Connector);
    }
}

NDK_CONNECTOR *ServerTakeIncoming(PSMB_SERVER Server) {
    PSERVER_INCOMING Incoming = NULL;
    KLOCK_QUEUE_HANDLE Handle;
    NDK_CONNECTOR *Connector;

    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    if (!IsListEmpty(&Server->Incoming)) {
        Incoming = CONTAINING_RECORD(RemoveHeadList(&Server->Incoming), SERVER_INCOMING, Link);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (Incoming == NULL) {
        return NULL;
    }
    Connector = Incoming->Connector;
    ExFreePoolWithTag(Incoming, SERVER_POOL_TAG);
    return Connector;
}

VOID ServerRefuse(PSMB_SERVER Server, PCLOSE_GROUP Group) {
    KLOCK_QUEUE_HANDLE Handle;
    NDK_CONNECTOR *Connector;

    PAGED_CODE();
    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    Server->IsRefusing = TRUE;
    KeReleaseInStackQueuedSpinLock(&Handle);
    while ((Connector = ServerTakeIncoming(Server)) != NULL) {
        CloseGroupStart(Group, &Connector->Header, Connector->Dispatch->NdkCloseConnector);
        KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
        Server->LiveCount--;
        KeReleaseInStackQueuedSpinLock(&Handle);
    }
}

VOID ServerCloseListeners(PSMB_SERVER Server, PCLOSE_GROUP Group) {
    ULONG Index;

    PAGED_CODE();
    for (Index = 0; Index < ADDRESS_MAX; Index++) {
        NDK_LISTENER *Listener = Server->Listeners[Index];

        if (Listener != NULL) {
            Server->Listeners[Index] = NULL;
            Listener->Dispatch->NdkControlConnectEvents(Listener, TRUE);
            CloseGroupStart(Group, &Listener->Header, Listener->Dispatch->NdkCloseListener);
        }
    }
}

static NTSTATUS ListenOne(PSMB_SERVER Server, ULONG Index) {
    RDMA_ADDRESS *Address = &Server->Addresses[Index];
    CHAR Text[ADDRESS_TEXT_CHARS];
    NTSTATUS Status;

    Status = SyncCreateListener(Server->Transport.Rdma.Adapter, ConnectEvent, Server,
                                &Server->Listeners[Index]);
    if (NT_SUCCESS(Status)) {
        Status = SyncListen(Server->Listeners[Index], &Address->Plain, Address->Bytes);
    }
    AddressText(Address, Text);
    if (NT_SUCCESS(Status)) {
        DbgPrint("%s: listening on %s\n", Server->Transport.Name, Text);
    } else {
        DbgPrint("%s: cannot listen on %s: 0x%08X\n", Server->Transport.Name, Text, Status);
    }
    return Status;
}

VOID ServerListenAtOnce(PSMB_SERVER Server) {
    RDMA_ADDRESS *Address = &Server->Addresses[0];
    NDK_LISTENER *Listener;
    NTSTATUS Status;

    PAGED_CODE();
    Status = SyncCreateListener(Server->Transport.Rdma.Adapter, ConnectEvent, Server, &Listener);
    if (!NT_SUCCESS(Status)) {
        return;
    }
    Status = SyncListen(Listener, &Address->Plain, Address->Bytes);
    DbgPrint("%s: listening again at once: 0x%08X\n", Server->Transport.Name, Status);
    SyncClose(&Listener->Header, Listener->Dispatch->NdkCloseListener);
}

NTSTATUS ServerListen(PSMB_SERVER Server) {
    NTSTATUS Status = STATUS_SUCCESS;
    KLOCK_QUEUE_HANDLE Handle;
    ULONG Index;

    PAGED_CODE();
    CloseGroupInit(&Server->Refused);
    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    Server->IsRefusing = FALSE;
    Server->RestartWanted = FALSE;
    KeReleaseInStackQueuedSpinLock(&Handle);
    for (Index = 0; NT_SUCCESS(Status) && Index < Server->AddressCount; Index++) {
        Status = ListenOne(Server, Index);
    }
    return Status;
}
