/* SPDX-License-Identifier: Apache-2.0 */
/* WSK client, opening of the adapter, registered memory; see adapter.h. */
#include "adapter.h"

#define REOPEN_MS 100u

/* Adapters of this machine come or go; which ones is not said. */
static NTSTATUS NTAPI AdapterEvent(PVOID ClientContext, ULONG EventType, PVOID Information,
                                   SIZE_T InformationLength) {
    PRDMA_ADAPTER Rdma = ClientContext;

    UNREFERENCED_PARAMETER(Information);
    UNREFERENCED_PARAMETER(InformationLength);
    if (EventType == WSK_TRANSPORT_LIST_CHANGE) {
        KeSetEvent(&Rdma->Changed, IO_NO_INCREMENT, FALSE);
    }
    return STATUS_SUCCESS;
}

static const WSK_CLIENT_DISPATCH ClientDispatch = {MAKE_WSK_VERSION(1, 0), 0, AdapterEvent};

static NTSTATUS AdapterOpenVersion(PRDMA_ADAPTER Rdma, NDK_ADAPTER **Adapter) {
    static const USHORT Majors[] = {2, 1};
    NTSTATUS Status = STATUS_NOT_SUPPORTED;
    ULONG Index;

    for (Index = 0; Index < RTL_NUMBER_OF(Majors) && Status == STATUS_NOT_SUPPORTED; Index++) {
        NDK_VERSION Version = {Majors[Index], 0};

        Status = Rdma->Ndk.WskOpenNdkAdapter(Rdma->Npi.Client, Version, Rdma->Interface, Adapter);
    }
    if (Status != STATUS_SUCCESS) {
        *Adapter = NULL;
    }
    return Status;
}

static NTSTATUS AdapterQuery(PRDMA_ADAPTER Rdma) {
    ULONG Bytes = sizeof(Rdma->Info);
    NTSTATUS Status;

    Status = Rdma->Adapter->Dispatch->NdkQueryAdapterInfo(Rdma->Adapter, &Rdma->Info, &Bytes);
    Rdma->HasVersion12 = Rdma->Info.Version.Major > 1 || Rdma->Info.Version.Minor >= 2;
    return Status;
}

static NTSTATUS AdapterAttach(PRDMA_ADAPTER Rdma) {
    WSK_CLIENT_NPI Npi = {Rdma, &ClientDispatch};
    SIZE_T Bytes = 0;
    NTSTATUS Status;

    Status = WskRegister(&Npi, &Rdma->Registration);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Rdma->Registered = TRUE;
    Status = WskCaptureProviderNPI(&Rdma->Registration, WSK_INFINITE_WAIT, &Rdma->Npi);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Rdma->Captured = TRUE;
    return Rdma->Npi.Dispatch->WskControlClient(Rdma->Npi.Client,
                                                WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH, 0, NULL,
                                                sizeof(Rdma->Ndk), &Rdma->Ndk, &Bytes, NULL);
}

NTSTATUS AdapterReopen(PRDMA_ADAPTER Rdma) {
    NTSTATUS Status;

    PAGED_CODE();
    Status = AdapterOpenVersion(Rdma, &Rdma->Adapter);
    if (NT_SUCCESS(Status)) {
        Status = AdapterQuery(Rdma);
    }
    return Status;
}

NTSTATUS AdapterOpen(PRDMA_ADAPTER Rdma, NET_IFINDEX Interface) {
    NTSTATUS Status;

    PAGED_CODE();
    RtlZeroMemory(Rdma, sizeof(*Rdma));
    Rdma->Interface = Interface;
    KeInitializeEvent(&Rdma->Changed, SynchronizationEvent, FALSE);
    Status = AdapterAttach(Rdma);
    if (NT_SUCCESS(Status)) {
        Status = AdapterReopen(Rdma);
    }
    if (!NT_SUCCESS(Status)) {
        AdapterClose(Rdma);
    }
    return Status;
}

BOOLEAN AdapterMustClose(PRDMA_ADAPTER Rdma) {
    NDK_ADAPTER *Probe;
    NTSTATUS Status;

    PAGED_CODE();
    Status = AdapterOpenVersion(Rdma, &Probe);
    if (NT_SUCCESS(Status)) {
        Rdma->Ndk.WskCloseNdkAdapter(Rdma->Npi.Client, Probe);
    }
    return Status == STATUS_DEVICE_NOT_READY || Status == STATUS_NOT_FOUND;
}

VOID AdapterShut(PRDMA_ADAPTER Rdma) {
    PAGED_CODE();
    if (Rdma->Adapter != NULL) {
        Rdma->Ndk.WskCloseNdkAdapter(Rdma->Npi.Client, Rdma->Adapter);
        Rdma->Adapter = NULL;
    }
}

NTSTATUS AdapterAwait(PRDMA_ADAPTER Rdma, PKEVENT Stop, ULONG LimitMs) {
    PVOID Objects[2] = {Stop, &Rdma->Changed};
    LARGE_INTEGER Timeout;
    NTSTATUS Status;
    ULONG WaitedMs;

    PAGED_CODE();
    Timeout.QuadPart = -10000 * (LONGLONG)REOPEN_MS;
    Status = AdapterReopen(Rdma);
    for (WaitedMs = 0; !NT_SUCCESS(Status) && WaitedMs < LimitMs; WaitedMs += REOPEN_MS) {
        NTSTATUS Waited;

        AdapterShut(Rdma);
        Waited = KeWaitForMultipleObjects(2, Objects, WaitAny, Executive, KernelMode, FALSE,
                                          &Timeout, NULL);
        if (Waited == STATUS_WAIT_0) {
            return STATUS_CANCELLED;
        }
        Status = AdapterReopen(Rdma);
    }
    if (!NT_SUCCESS(Status)) {
        AdapterShut(Rdma);
    }
    return Status;
}

VOID AdapterClose(PRDMA_ADAPTER Rdma) {
    PAGED_CODE();
    AdapterShut(Rdma);
    if (Rdma->Captured) {
        WskReleaseProviderNPI(&Rdma->Registration);
        Rdma->Captured = FALSE;
    }
    if (Rdma->Registered) {
        WskDeregister(&Rdma->Registration);
        Rdma->Registered = FALSE;
    }
}

static NTSTATUS RegionDescribe(PRDMA_REGION Region, PVOID Buffer, ULONG Bytes) {
    Region->Bytes = Bytes;
    Region->IsBorrowed = Buffer != NULL;
    Region->Buffer = Buffer;
    if (Region->Buffer == NULL) {
        Region->Buffer = ExAllocatePoolWithTag(NonPagedPoolNx, Bytes, BASE_POOL_TAG);
    }
    if (Region->Buffer == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    Region->Mdl = IoAllocateMdl(Region->Buffer, Bytes, FALSE, FALSE, NULL);
    if (Region->Mdl == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    MmBuildMdlForNonPagedPool(Region->Mdl);
    return STATUS_SUCCESS;
}

NTSTATUS RegionCreate(PRDMA_REGION Region, NDK_PD *Pd, PVOID Buffer, ULONG Bytes, ULONG Flags) {
    NTSTATUS Status;

    RtlZeroMemory(Region, sizeof(*Region));
    Status = RegionDescribe(Region, Buffer, Bytes);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = SyncCreateMr(Pd, FALSE, &Region->Mr);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = SyncRegisterMr(Region->Mr, Region->Mdl, Bytes, Flags);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Region->IsRegistered = TRUE;
    Region->LocalToken = Region->Mr->Dispatch->NdkGetLocalTokenFromMr(Region->Mr);
    Region->RemoteToken = Region->Mr->Dispatch->NdkGetRemoteTokenFromMr(Region->Mr);
    return STATUS_SUCCESS;
}

VOID RegionDeregister(PRDMA_REGION Region) {
    if (Region->Mr != NULL && Region->IsRegistered) {
        SyncDeregisterMr(Region->Mr);
        Region->IsRegistered = FALSE;
    }
}

VOID RegionClose(PRDMA_REGION Region) {
    RegionDeregister(Region);
    if (Region->Mr != NULL) {
        SyncClose(&Region->Mr->Header, Region->Mr->Dispatch->NdkCloseMr);
        Region->Mr = NULL;
    }
}

VOID RegionFree(PRDMA_REGION Region) {
    if (Region->Mdl != NULL) {
        IoFreeMdl(Region->Mdl);
        Region->Mdl = NULL;
    }
    if (Region->Buffer != NULL && !Region->IsBorrowed) {
        ExFreePoolWithTag(Region->Buffer, BASE_POOL_TAG);
    }
    Region->Buffer = NULL;
}
