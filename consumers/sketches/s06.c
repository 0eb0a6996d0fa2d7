/* SPDX-License-Identifier: Apache-2.0 */
/* S06, what both drivers share; see s06.h. */
#include "s06.h"

RDMA_ADAPTER S06Rdma;
SKETCH_END S06End;
NDK_LISTENER *S06Listener;

static KEVENT Accepting;
static NTSTATUS AcceptStatus;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID ConnectEvent(PVOID Context, NDK_CONNECTOR *Connector) {
    UNREFERENCED_PARAMETER(Context);
    AcceptStatus = EndStartAccept(&S06End, Connector);
    KeSetEvent(&Accepting, IO_NO_INCREMENT, FALSE);
}

static NTSTATUS Listen(PUNICODE_STRING RegistryPath) {
    ULONG Port = NdksimRegistryUlong(L"Port", SKETCH_PORT);
    RDMA_ADDRESS Local;
    NTSTATUS Status;

    Status = SettingsAddress(RegistryPath, L"LocalAddress", (USHORT)Port, &Local);
    if (NT_SUCCESS(Status)) {
        Status = SyncCreateListener(S06Rdma.Adapter, ConnectEvent, NULL, &S06Listener);
    }
    return NT_SUCCESS(Status) ? SyncListen(S06Listener, &Local.Plain, Local.Bytes) : Status;
}

static NTSTATUS Work(PUNICODE_STRING RegistryPath) {
    NTSTATUS Status = EndOpen(&S06End, &S06Rdma);

    if (NT_SUCCESS(Status)) {
        Status = Listen(RegistryPath);
    }
    if (NT_SUCCESS(Status)) {
        KeWaitForSingleObject(&Accepting, Executive, KernelMode, FALSE, NULL);
        Status = AcceptStatus;
    }
    return Status;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    ULONG Interface = NdksimRegistryUlong(L"InterfaceIndex", 1);
    NTSTATUS Status;

    DriverObject->DriverUnload = Unload;
    KeInitializeEvent(&Accepting, NotificationEvent, FALSE);
    Status = AdapterOpen(&S06Rdma, Interface);
    if (NT_SUCCESS(Status)) {
        Status = Work(RegistryPath);
        NdksimCounter("pending", Status == STATUS_PENDING ? 1 : 0);
        S06Leave();
    }
    return Status == STATUS_PENDING ? STATUS_SUCCESS : Status;
}
