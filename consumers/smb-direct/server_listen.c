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

static VOID ListenerClose(NDK_LISTENER *Listener, PCLOSE_GROUP Group) {
    Listener->Dispatch->NdkControlConnectEvents(Listener, TRUE);
    CloseGroupStart(Group, &Listener->Header, Listener->Dispatch->NdkCloseListener);
}

VOID ServerCloseListeners(PSMB_SERVER Server, PCLOSE_GROUP Group) {
    NDK_LISTENER *Listener;
    KLOCK_QUEUE_HANDLE Handle;
    ULONG Index;

    PAGED_CODE();
    for (Index = 0; Index < ADDRESS_MAX; Index++) {
        KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
        Listener = Server->Listenings[Index].Listener;
        Server->Listenings[Index].Listener = NULL;
        KeReleaseInStackQueuedSpinLock(&Handle);
        if (Listener != NULL) {
            ListenerClose(Listener, Group);
        }
    }
}

static VOID ListenOver(PSERVER_LISTENING Listening, NTSTATUS Status) {
    PSMB_SERVER Server = Listening->Server;
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    Listening->Status = Status;
    Server->ActivatingCount--;
    if (Server->ActivatingCount == 0) {
        KeSetEvent(&Server->Activated, IO_NO_INCREMENT, FALSE);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
}

/* The listener is the server's from here on; one that went down meanwhile does not want it. */
static VOID ListenDone(PVOID Context, NTSTATUS Status) {
    PSERVER_LISTENING Listening = Context;
    PSMB_SERVER Server = Listening->Server;
    NDK_LISTENER *Listener = Listening->Made;
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsWanted;

    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    IsWanted = !Server->IsRefusing;
    if (IsWanted) {
        Listening->Listener = Listener;
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (!IsWanted) {
        ListenerClose(Listener, &Server->Refused);
    }
    ListenOver(Listening, Status);
}

static VOID ListenerCreated(PVOID Context, NTSTATUS Status, NDK_OBJECT_HEADER *Object) {
    PSERVER_LISTENING Listening = Context;
    RDMA_ADDRESS *Address = &Listening->Server->Addresses[Listening->Index];
    NDK_LISTENER *Listener;

    if (Status != STATUS_SUCCESS) {
        ListenOver(Listening, Status);
        return;
    }
    Listener = CONTAINING_RECORD(Object, NDK_LISTENER, Header);
    Listening->Made = Listener;
    Status = Listener->Dispatch->NdkListen(Listener, &Address->Plain, Address->Bytes, ListenDone,
                                           Listening);
    if (Status != STATUS_PENDING) {
        ListenDone(Listening, Status);
    }
}

static VOID ListenStart(PSMB_SERVER Server, ULONG Index) {
    PSERVER_LISTENING Listening = &Server->Listenings[Index];
    NDK_ADAPTER *Adapter = Server->Transport.Rdma.Adapter;
    NDK_LISTENER *Listener = NULL;
    NTSTATUS Status;

    Listening->Server = Server;
    Listening->Index = Index;
    Status = Adapter->Dispatch->NdkCreateListener(Adapter, ConnectEvent, Server, ListenerCreated,
                                                  Listening, &Listener);
    if (Status != STATUS_PENDING) {
        ListenerCreated(Listening, Status, Status == STATUS_SUCCESS ? &Listener->Header : NULL);
    }
}

static NTSTATUS ListenResult(PSMB_SERVER Server, ULONG Index) {
    NTSTATUS Status = Server->Listenings[Index].Status;
    CHAR Text[ADDRESS_TEXT_CHARS];

    AddressText(&Server->Addresses[Index], Text);
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
    PVOID Objects[2] = {&Server->Activated, &Server->Stop};
    NTSTATUS Status = STATUS_SUCCESS;
    KLOCK_QUEUE_HANDLE Handle;
    ULONG Index;

    PAGED_CODE();
    CloseGroupInit(&Server->Refused);
    KeClearEvent(&Server->Activated);
    KeAcquireInStackQueuedSpinLock(&Server->Lock, &Handle);
    Server->IsRefusing = FALSE;
    Server->RestartWanted = FALSE;
    Server->ActivatingCount = Server->AddressCount;
    KeReleaseInStackQueuedSpinLock(&Handle);
    for (Index = 0; Index < Server->AddressCount; Index++) {
        ListenStart(Server, Index);
    }
    Status =
        KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL);
    if (Status != STATUS_WAIT_0) {
        return STATUS_CANCELLED;
    }
    for (Index = 0; NT_SUCCESS(Status) && Index < Server->AddressCount; Index++) {
        Status = ListenResult(Server, Index);
    }
    return Status;
}
