/* SPDX-License-Identifier: Apache-2.0 */
/* NDK calls that a thread waits for; see sync.h. */
#include "sync.h"

VOID SyncInit(PSYNC_WAIT Wait) {
    KeInitializeEvent(&Wait->Event, NotificationEvent, FALSE);
    Wait->Status = STATUS_PENDING;
    Wait->Object = NULL;
}

VOID SyncCreated(PVOID Context, NTSTATUS Status, NDK_OBJECT_HEADER *Object) {
    PSYNC_WAIT Wait = Context;

    Wait->Status = Status;
    Wait->Object = NT_SUCCESS(Status) ? Object : NULL;
    KeSetEvent(&Wait->Event, IO_NO_INCREMENT, FALSE);
}

VOID SyncRequested(PVOID Context, NTSTATUS Status) {
    PSYNC_WAIT Wait = Context;

    Wait->Status = Status;
    KeSetEvent(&Wait->Event, IO_NO_INCREMENT, FALSE);
}

NTSTATUS SyncFinish(PSYNC_WAIT Wait, NTSTATUS Status) {
    if (Status != STATUS_PENDING) {
        return Status;
    }
    KeWaitForSingleObject(&Wait->Event, Executive, KernelMode, FALSE, NULL);
    return Wait->Status;
}

/* The object of a create: stored by the call itself, or handed to the callback. */
static NTSTATUS SyncFinishCreate(PSYNC_WAIT Wait, NTSTATUS Started, PVOID Stored, PVOID *Object) {
    NTSTATUS Status = SyncFinish(Wait, Started);

    *Object = NULL;
    if (Status == STATUS_SUCCESS) {
        *Object = Started == STATUS_PENDING ? (PVOID)Wait->Object : Stored;
    }
    return Status;
}

NTSTATUS SyncCreateCq(NDK_ADAPTER *Adapter, ULONG Depth, NDK_FN_CQ_NOTIFICATION_CALLBACK Notify,
                      PVOID Context, NDK_CQ **Cq) {
    SYNC_WAIT Wait;
    NDK_CQ *Stored = NULL;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Adapter->Dispatch->NdkCreateCq(Adapter, Depth, Notify, Context, NULL, SyncCreated,
                                            &Wait, &Stored);
    return SyncFinishCreate(&Wait, Status, Stored, (PVOID *)Cq);
}

NTSTATUS SyncCreatePd(NDK_ADAPTER *Adapter, NDK_PD **Pd) {
    SYNC_WAIT Wait;
    NDK_PD *Stored = NULL;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Adapter->Dispatch->NdkCreatePd(Adapter, SyncCreated, &Wait, &Stored);
    return SyncFinishCreate(&Wait, Status, Stored, (PVOID *)Pd);
}

NTSTATUS SyncCreateConnector(NDK_ADAPTER *Adapter, NDK_CONNECTOR **Connector) {
    SYNC_WAIT Wait;
    NDK_CONNECTOR *Stored = NULL;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Adapter->Dispatch->NdkCreateConnector(Adapter, SyncCreated, &Wait, &Stored);
    return SyncFinishCreate(&Wait, Status, Stored, (PVOID *)Connector);
}

NTSTATUS SyncCreateListener(NDK_ADAPTER *Adapter, NDK_FN_CONNECT_EVENT_CALLBACK Event,
                            PVOID Context, NDK_LISTENER **Listener) {
    SYNC_WAIT Wait;
    NDK_LISTENER *Stored = NULL;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status =
        Adapter->Dispatch->NdkCreateListener(Adapter, Event, Context, SyncCreated, &Wait, &Stored);
    return SyncFinishCreate(&Wait, Status, Stored, (PVOID *)Listener);
}

NTSTATUS SyncCreateMr(NDK_PD *Pd, BOOLEAN FastRegister, NDK_MR **Mr) {
    SYNC_WAIT Wait;
    NDK_MR *Stored = NULL;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Pd->Dispatch->NdkCreateMr(Pd, FastRegister, SyncCreated, &Wait, &Stored);
    return SyncFinishCreate(&Wait, Status, Stored, (PVOID *)Mr);
}

NTSTATUS SyncCreateMw(NDK_PD *Pd, NDK_MW **Mw) {
    SYNC_WAIT Wait;
    NDK_MW *Stored = NULL;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Pd->Dispatch->NdkCreateMw(Pd, SyncCreated, &Wait, &Stored);
    return SyncFinishCreate(&Wait, Status, Stored, (PVOID *)Mw);
}

NTSTATUS SyncCreateQp(NDK_PD *Pd, NDK_CQ *ReceiveCq, NDK_CQ *InitiatorCq, PVOID Context,
                      const SYNC_QP_SIZES *Sizes, NDK_QP **Qp) {
    SYNC_WAIT Wait;
    NDK_QP *Stored = NULL;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Pd->Dispatch->NdkCreateQp(
        Pd, ReceiveCq, InitiatorCq, Context, Sizes->ReceiveDepth, Sizes->InitiatorDepth,
        Sizes->ReceiveSge, Sizes->InitiatorSge, Sizes->InlineBytes, SyncCreated, &Wait, &Stored);
    return SyncFinishCreate(&Wait, Status, Stored, (PVOID *)Qp);
}

NTSTATUS SyncRegisterMr(NDK_MR *Mr, PMDL Mdl, ULONG Bytes, ULONG Flags) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Mr->Dispatch->NdkRegisterMr(Mr, Mdl, Bytes, Flags, SyncRequested, &Wait);
    return SyncFinish(&Wait, Status);
}

NTSTATUS SyncDeregisterMr(NDK_MR *Mr) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Mr->Dispatch->NdkDeregisterMr(Mr, SyncRequested, &Wait);
    return SyncFinish(&Wait, Status);
}

NTSTATUS SyncInitializeFastRegisterMr(NDK_MR *Mr, ULONG Pages, BOOLEAN RemoteAccess) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status =
        Mr->Dispatch->NdkInitializeFastRegisterMr(Mr, Pages, RemoteAccess, SyncRequested, &Wait);
    return SyncFinish(&Wait, Status);
}

NTSTATUS SyncListen(NDK_LISTENER *Listener, const SOCKADDR *Address, ULONG AddressBytes) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Listener->Dispatch->NdkListen(Listener, Address, AddressBytes, SyncRequested, &Wait);
    return SyncFinish(&Wait, Status);
}

NTSTATUS SyncDisconnect(NDK_CONNECTOR *Connector) {
    SYNC_WAIT Wait;
    NTSTATUS Status;

    SyncInit(&Wait);
    Status = Connector->Dispatch->NdkDisconnect(Connector, SyncRequested, &Wait);
    return SyncFinish(&Wait, Status);
}

VOID CloseGroupInit(PCLOSE_GROUP Group) {
    Group->Pending = 1;
    KeInitializeEvent(&Group->Empty, NotificationEvent, FALSE);
}

static VOID CloseGroupDone(PVOID Context) {
    PCLOSE_GROUP Group = Context;

    if (InterlockedDecrement(&Group->Pending) == 0) {
        KeSetEvent(&Group->Empty, IO_NO_INCREMENT, FALSE);
    }
}

VOID CloseGroupStart(PCLOSE_GROUP Group, NDK_OBJECT_HEADER *Object, NDK_FN_CLOSE_OBJECT Close) {
    NTSTATUS Status;

    InterlockedIncrement(&Group->Pending);
    Status = Close(Object, CloseGroupDone, Group);
    if (Status != STATUS_PENDING) {
        CloseGroupDone(Group);
    }
}

VOID CloseGroupWait(PCLOSE_GROUP Group) {
    CloseGroupDone(Group);
    KeWaitForSingleObject(&Group->Empty, Executive, KernelMode, FALSE, NULL);
}

VOID SyncClose(NDK_OBJECT_HEADER *Object, NDK_FN_CLOSE_OBJECT Close) {
    CLOSE_GROUP Group;

    CloseGroupInit(&Group);
    CloseGroupStart(&Group, Object, Close);
    CloseGroupWait(&Group);
}
