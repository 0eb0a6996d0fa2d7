/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A consumer to start from: it opens the adapter of interface 1, connects to 10.0.0.2:5445, and
 * leaves again. Everything waits where it stands, as DriverEntry may.
 */
#include <ntddk.h>

#include <ndkpi.h>
#include <wsk.h>
#include <wskndk.h>

#define INTERFACE_INDEX 1
#define QUEUE_DEPTH 16
#define ATTEMPTS_MAX 100
#define PAUSE_MS 10

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

/* What a request's completion routine leaves for who waits. */
typedef struct _COMPLETION {
    KEVENT Event;
    NTSTATUS Status;
    PVOID Object;
} COMPLETION, *PCOMPLETION;

typedef struct _CONNECTION {
    WSK_REGISTRATION Registration;
    WSK_PROVIDER_NPI Npi;
    WSK_PROVIDER_NDK_DISPATCH Ndk;
    NDK_ADAPTER *Adapter;
    NDK_CQ *Cq;
    NDK_PD *Pd;
    NDK_QP *Qp;
    NDK_CONNECTOR *Connector;
    KEVENT Disconnected;
} CONNECTION, *PCONNECTION;

static const WSK_CLIENT_DISPATCH ClientDispatch = {MAKE_WSK_VERSION(1, 0), 0, NULL};

static VOID CompletionInit(PCOMPLETION Completion) {
    KeInitializeEvent(&Completion->Event, NotificationEvent, FALSE);
    Completion->Status = STATUS_PENDING;
    Completion->Object = NULL;
}

static VOID OnCreated(PVOID Context, NTSTATUS Status, NDK_OBJECT_HEADER *Object) {
    PCOMPLETION Completion = Context;

    Completion->Status = Status;
    Completion->Object = Object;
    KeSetEvent(&Completion->Event, IO_NO_INCREMENT, FALSE);
}

static VOID OnRequest(PVOID Context, NTSTATUS Status) {
    PCOMPLETION Completion = Context;

    Completion->Status = Status;
    KeSetEvent(&Completion->Event, IO_NO_INCREMENT, FALSE);
}

static VOID OnClosed(PVOID Context) {
    PCOMPLETION Completion = Context;

    KeSetEvent(&Completion->Event, IO_NO_INCREMENT, FALSE);
}

static NTSTATUS Finish(PCOMPLETION Completion, NTSTATUS Status) {
    if (Status == STATUS_PENDING) {
        KeWaitForSingleObject(&Completion->Event, Executive, KernelMode, FALSE, NULL);
        Status = Completion->Status;
    }
    return Status;
}

/* An object comes by the call itself, or with its completion. */
static NTSTATUS FinishCreate(PCOMPLETION Completion, NTSTATUS Status, PVOID *Object) {
    BOOLEAN Pended = Status == STATUS_PENDING;

    Status = Finish(Completion, Status);
    if (Pended) {
        *Object = NT_SUCCESS(Status) ? Completion->Object : NULL;
    } else if (!NT_SUCCESS(Status)) {
        *Object = NULL;
    }
    return Status;
}

static VOID OnDisconnect(PVOID Context) {
    PCONNECTION Connection = Context;

    KeSetEvent(&Connection->Disconnected, IO_NO_INCREMENT, FALSE);
}

/* Notifications come once for each arming; this consumer arms none. */
static VOID OnCqNotify(PVOID Context, NTSTATUS CqStatus) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(CqStatus);
}

static VOID CloseObject(NDK_OBJECT_HEADER *Object, NDK_FN_CLOSE_OBJECT Close) {
    COMPLETION Completion;
    NTSTATUS Status;

    if (Object == NULL) {
        return;
    }
    CompletionInit(&Completion);
    Status = Close(Object, OnClosed, &Completion);
    if (Status == STATUS_PENDING) {
        KeWaitForSingleObject(&Completion.Event, Executive, KernelMode, FALSE, NULL);
    }
}

/* A connector and a QP are for one attempt. */
static VOID CloseAttempt(PCONNECTION Connection) {
    if (Connection->Connector != NULL) {
        CloseObject(&Connection->Connector->Header,
                    Connection->Connector->Dispatch->NdkCloseConnector);
        Connection->Connector = NULL;
    }
    if (Connection->Qp != NULL) {
        CloseObject(&Connection->Qp->Header, Connection->Qp->Dispatch->NdkCloseQp);
        Connection->Qp = NULL;
    }
}

/* In the reverse order of their making; what was not made is NULL. */
static VOID CloseAll(PCONNECTION Connection) {
    CloseAttempt(Connection);
    if (Connection->Pd != NULL) {
        CloseObject(&Connection->Pd->Header, Connection->Pd->Dispatch->NdkClosePd);
    }
    if (Connection->Cq != NULL) {
        CloseObject(&Connection->Cq->Header, Connection->Cq->Dispatch->NdkCloseCq);
    }
    if (Connection->Adapter != NULL) {
        Connection->Ndk.WskCloseNdkAdapter(Connection->Npi.Client, Connection->Adapter);
    }
}

static NTSTATUS OpenAdapter(PCONNECTION Connection) {
    NDK_VERSION Version = {2, 0};
    SIZE_T Bytes = 0;
    NTSTATUS Status;

    Status = Connection->Npi.Dispatch->WskControlClient(
        Connection->Npi.Client, WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH, 0, NULL,
        sizeof(Connection->Ndk), &Connection->Ndk, &Bytes, NULL);
    if (NT_SUCCESS(Status)) {
        Status = Connection->Ndk.WskOpenNdkAdapter(Connection->Npi.Client, Version, INTERFACE_INDEX,
                                                   &Connection->Adapter);
    }
    return Status;
}

static NTSTATUS CreateQueues(PCONNECTION Connection) {
    NDK_ADAPTER *Adapter = Connection->Adapter;
    COMPLETION Completion;
    NTSTATUS Status;

    CompletionInit(&Completion);
    Status = Adapter->Dispatch->NdkCreateCq(Adapter, 2 * QUEUE_DEPTH, OnCqNotify, Connection, NULL,
                                            OnCreated, &Completion, &Connection->Cq);
    Status = FinishCreate(&Completion, Status, (PVOID *)&Connection->Cq);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    CompletionInit(&Completion);
    Status = Adapter->Dispatch->NdkCreatePd(Adapter, OnCreated, &Completion, &Connection->Pd);
    return FinishCreate(&Completion, Status, (PVOID *)&Connection->Pd);
}

static NTSTATUS CreateQp(PCONNECTION Connection) {
    COMPLETION Completion;
    NTSTATUS Status;

    CompletionInit(&Completion);
    Status = Connection->Pd->Dispatch->NdkCreateQp(Connection->Pd, Connection->Cq, Connection->Cq,
                                                   Connection, QUEUE_DEPTH, QUEUE_DEPTH, 1, 1, 0,
                                                   OnCreated, &Completion, &Connection->Qp);
    return FinishCreate(&Completion, Status, (PVOID *)&Connection->Qp);
}

static VOID AddressMake(struct sockaddr_in *Address, UCHAR Host, USHORT Port) {
    RtlZeroMemory(Address, sizeof(*Address));
    Address->sin_family = AF_INET;
    Address->sin_port = RtlUshortByteSwap(Port);
    Address->sin_addr.S_un.S_un_b.s_b1 = 10;
    Address->sin_addr.S_un.S_un_b.s_b4 = Host;
}

static NTSTATUS Connect(PCONNECTION Connection) {
    NDK_ADAPTER *Adapter = Connection->Adapter;
    struct sockaddr_in Local;
    struct sockaddr_in Remote;
    COMPLETION Completion;
    NTSTATUS Status;

    AddressMake(&Local, 1, 0);
    AddressMake(&Remote, 2, 5445);
    CompletionInit(&Completion);
    Status = Adapter->Dispatch->NdkCreateConnector(Adapter, OnCreated, &Completion,
                                                   &Connection->Connector);
    Status = FinishCreate(&Completion, Status, (PVOID *)&Connection->Connector);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    CompletionInit(&Completion);
    Status = Connection->Connector->Dispatch->NdkConnect(
        Connection->Connector, Connection->Qp, (struct sockaddr *)&Local, sizeof(Local),
        (struct sockaddr *)&Remote, sizeof(Remote), 0, 0, NULL, 0, OnRequest, &Completion);
    Status = Finish(&Completion, Status);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    CompletionInit(&Completion);
    Status = Connection->Connector->Dispatch->NdkCompleteConnect(
        Connection->Connector, OnDisconnect, Connection, OnRequest, &Completion);
    return Finish(&Completion, Status);
}

/* Whoever listens may come later. */
static NTSTATUS ConnectPatiently(PCONNECTION Connection) {
    NTSTATUS Status = STATUS_UNSUCCESSFUL;
    LARGE_INTEGER Pause;
    ULONG Attempt;

    Pause.QuadPart = -10000 * (LONGLONG)PAUSE_MS;
    for (Attempt = 0; Attempt < ATTEMPTS_MAX; Attempt++) {
        Status = CreateQp(Connection);
        if (NT_SUCCESS(Status)) {
            Status = Connect(Connection);
        }
        if (Status != STATUS_CONNECTION_REFUSED) {
            break;
        }
        CloseAttempt(Connection);
        KeDelayExecutionThread(KernelMode, FALSE, &Pause);
    }
    return Status;
}

static NTSTATUS Disconnect(PCONNECTION Connection) {
    COMPLETION Completion;

    CompletionInit(&Completion);
    return Finish(&Completion, Connection->Connector->Dispatch->NdkDisconnect(
                                   Connection->Connector, OnRequest, &Completion));
}

static NTSTATUS Work(PCONNECTION Connection) {
    NTSTATUS Status = OpenAdapter(Connection);

    if (NT_SUCCESS(Status)) {
        Status = CreateQueues(Connection);
    }
    if (NT_SUCCESS(Status)) {
        Status = ConnectPatiently(Connection);
    }
    if (NT_SUCCESS(Status)) {
        DbgPrint("connected\n");
        Status = Disconnect(Connection);
    }
    CloseAll(Connection);
    return Status;
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    static CONNECTION Connection;
    WSK_CLIENT_NPI Client = {NULL, &ClientDispatch};
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeEvent(&Connection.Disconnected, NotificationEvent, FALSE);
    Status = WskRegister(&Client, &Connection.Registration);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = WskCaptureProviderNPI(&Connection.Registration, WSK_INFINITE_WAIT, &Connection.Npi);
    if (NT_SUCCESS(Status)) {
        Status = Work(&Connection);
        WskReleaseProviderNPI(&Connection.Registration);
    }
    WskDeregister(&Connection.Registration);
    DbgPrint("@NAME@ ends with %x\n", Status);
    return Status;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}
