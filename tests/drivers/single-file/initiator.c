/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An initiator in one file: its DriverEntry connects, sends messages, checks what comes back, and
 * says below its service key (Result) how many were good. An IOCTL asks for the same.
 */
#include <ntddk.h>
#include <ntstrsafe.h>
#include <wsk.h>
#include <wskndk.h>
#include <ip2string.h>

#define TAG 'inII'
#define BYTES 256
#define IOCTL_RESULT CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, METHOD_BUFFERED, FILE_ANY_ACCESS)

typedef struct _ONE_CALL {
    KEVENT Event;
    NTSTATUS Status;
    NDK_OBJECT_HEADER *Object;
} ONE_CALL;

typedef struct _RESULT {
    ULONG Sent, Good;
    NTSTATUS Status;
} RESULT;

static RESULT Result;
static ULONG Messages, IfIndex;
static SOCKADDR_IN Local, Remote;
static LONG Pending;

DRIVER_UNLOAD InitiatorUnload;
DRIVER_DISPATCH InitiatorDispatch;

static void logf(const char *format, ...) {
    char line[128];
    va_list ap;

    va_start(ap, format);
    RtlStringCbVPrintfA(line, sizeof(line), format, ap);
    va_end(ap);
    DbgPrintEx(DPFLTR_IHVNETWORK_ID, DPFLTR_INFO_LEVEL, "initiator: %s\n", line);
}

static VOID complete(PVOID Context, NTSTATUS Status) {
    ONE_CALL *Call = (ONE_CALL *)Context;

    Call->Status = Status;
    KeSetEvent(&Call->Event, IO_NO_INCREMENT, FALSE);
}

static VOID made(PVOID Context, NTSTATUS Status, NDK_OBJECT_HEADER *Object) {
    ((ONE_CALL *)Context)->Object = Object;
    complete(Context, Status);
}

static VOID gone(PVOID Context) {
    complete(Context, STATUS_SUCCESS);
}

static VOID nothing(PVOID Context, NTSTATUS Status) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Status);
}

static void start(ONE_CALL *Call) {
    KeInitializeEvent(&Call->Event, SynchronizationEvent, FALSE);
    Call->Object = NULL;
}

static NTSTATUS wait(ONE_CALL *Call, NTSTATUS Status) {
    return Status != STATUS_PENDING
               ? Status
               : (KeWaitForSingleObject(&Call->Event, Executive, KernelMode, FALSE, NULL),
                  Call->Status);
}

#define MAKE(Made, Expression)                                                                     \
    (start(&Call), Status = wait(&Call, (Expression)),                                             \
     Made = Call.Object != NULL ? (PVOID)Call.Object : (PVOID)Made, Status)
#define SHUT(Made, Close)                                                                          \
    do {                                                                                           \
        if ((Made) != NULL) {                                                                      \
            start(&Call);                                                                          \
            wait(&Call, (Made)->Dispatch->Close(&(Made)->Header, gone, &Call));                    \
        }                                                                                          \
    } while (0)

/* Waits until all that was posted is back; the sum of what was received. */
static ULONG reap(NDK_CQ *Cq, NTSTATUS *First) {
    LARGE_INTEGER Soon;
    NDK_RESULT Results[2];
    ULONG Received = 0;

    Soon.QuadPart = -20LL;
    while (Pending != 0) {
        ULONG Count = Cq->Dispatch->NdkGetCqResults(Cq, Results, RTL_NUMBER_OF(Results));

        if (Count == 0) {
            KeDelayExecutionThread(KernelMode, FALSE, &Soon);
        }
        while (Count-- != 0) {
            InterlockedDecrement(&Pending);
            if (!NT_SUCCESS(Results[Count].Status) && NT_SUCCESS(*First)) {
                *First = Results[Count].Status;
            }
            if (Results[Count].RequestContext != NULL) {
                Received += Results[Count].BytesTransferred;
            }
        }
    }
    return Received;
}

static NTSTATUS exchange(NDK_QP *Qp, NDK_CQ *Cq, UINT32 Token, PHYSICAL_ADDRESS Physical,
                         PUCHAR Buffer) {
    NTSTATUS Status = STATUS_SUCCESS;
    NDK_SGE Sge;
    ULONG Message, i;

    for (Message = 0; Message < Messages && NT_SUCCESS(Status); Message++) {
        for (i = 0; i < BYTES; i++) {
            Buffer[i] = (UCHAR)(Message * 7 + i);
        }
        RtlZeroMemory(Buffer + BYTES, BYTES);
        RtlZeroMemory(&Sge, sizeof(Sge));
        Sge.Length = BYTES;
        Sge.MemoryRegionToken = Token;
        Sge.LogicalAddress.QuadPart = Physical.QuadPart + BYTES;
        Status = Qp->Dispatch->NdkReceive(Qp, Buffer, &Sge, 1);
        if (NT_SUCCESS(Status)) {
            InterlockedIncrement(&Pending);
            Sge.LogicalAddress.QuadPart = Physical.QuadPart;
            Status = Qp->Dispatch->NdkSend(Qp, NULL, &Sge, 1, 0);
        }
        if (NT_SUCCESS(Status)) {
            InterlockedIncrement(&Pending);
            Result.Sent++;
            if (reap(Cq, &Status) == BYTES &&
                RtlCompareMemory(Buffer, Buffer + BYTES, BYTES) == BYTES) {
                Result.Good++;
            }
        }
    }
    Qp->Dispatch->NdkFlush(Qp);
    reap(Cq, &Status);
    return Status;
}

static NTSTATUS with_memory(NDK_ADAPTER *Adapter, NDK_PD *Pd, NDK_QP *Qp, NDK_CQ *Cq) {
    NDK_LOGICAL_ADDRESS_MAPPING *Lam = NULL;
    ULONG Size = 0, Fbo = 0;
    ONE_CALL Call;
    PUCHAR Buffer;
    PMDL Mdl;
    UINT32 Token;
    NTSTATUS Status = STATUS_INSUFFICIENT_RESOURCES;

    /* A whole page: what is smaller may lie in two, which have addresses of their own. */
    Buffer = ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_SIZE, TAG);
    Mdl = Buffer != NULL ? IoAllocateMdl(Buffer, 2 * BYTES, FALSE, FALSE, NULL) : NULL;
    if (Mdl != NULL) {
        MmBuildMdlForNonPagedPool(Mdl);
        Status = Adapter->Dispatch->NdkBuildLAM(Adapter, Mdl, 2 * BYTES, complete, &Call, NULL,
                                                &Size, &Fbo);
        Lam = ExAllocatePoolWithTag(NonPagedPoolNx, Size, TAG);
        Status = Lam != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
    }
    if (NT_SUCCESS(Status)) {
        start(&Call);
        Status = wait(&Call, Adapter->Dispatch->NdkBuildLAM(Adapter, Mdl, 2 * BYTES, complete,
                                                            &Call, Lam, &Size, &Fbo));
        if (NT_SUCCESS(Status)) {
            PHYSICAL_ADDRESS Physical = Lam->AdapterPageArray[0];

            Physical.QuadPart += Fbo;
            Pd->Dispatch->NdkGetPrivilegedMemoryRegionToken(Pd, &Token);
            Status = exchange(Qp, Cq, Token, Physical, Buffer);
            Adapter->Dispatch->NdkReleaseLAM(Adapter, Lam);
        }
    }
    if (Lam != NULL) {
        ExFreePoolWithTag(Lam, TAG);
    }
    if (Mdl != NULL) {
        IoFreeMdl(Mdl);
    }
    if (Buffer != NULL) {
        ExFreePoolWithTag(Buffer, TAG);
    }
    return Status;
}

static NTSTATUS connected(NDK_ADAPTER *Adapter) {
    NDK_CQ *Cq = NULL;
    NDK_PD *Pd = NULL;
    NDK_QP *Qp = NULL;
    NDK_CONNECTOR *Connector = NULL;
    ONE_CALL Call;
    NTSTATUS Status;

    if (NT_SUCCESS(MAKE(Cq, Adapter->Dispatch->NdkCreateCq(Adapter, 16, nothing, NULL, NULL, made,
                                                           &Call, &Cq))) &&
        NT_SUCCESS(MAKE(Pd, Adapter->Dispatch->NdkCreatePd(Adapter, made, &Call, &Pd))) &&
        NT_SUCCESS(MAKE(
            Qp, Pd->Dispatch->NdkCreateQp(Pd, Cq, Cq, NULL, 4, 4, 1, 1, 0, made, &Call, &Qp))) &&
        NT_SUCCESS(MAKE(Connector,
                        Adapter->Dispatch->NdkCreateConnector(Adapter, made, &Call, &Connector)))) {
        start(&Call);
        Status = wait(&Call, Connector->Dispatch->NdkConnect(Connector, Qp, (PSOCKADDR)&Local,
                                                             sizeof(Local), (PSOCKADDR)&Remote,
                                                             sizeof(Remote), 0, 0, NULL, 0,
                                                             complete, &Call));
        logf("connect: %08x", Status);
        if (NT_SUCCESS(Status)) {
            start(&Call);
            Status = wait(&Call, Connector->Dispatch->NdkCompleteConnect(Connector, NULL, NULL,
                                                                         complete, &Call));
        }
        if (NT_SUCCESS(Status)) {
            Status = with_memory(Adapter, Pd, Qp, Cq);
            start(&Call);
            wait(&Call, Connector->Dispatch->NdkDisconnect(Connector, complete, &Call));
        }
    }
    SHUT(Connector, NdkCloseConnector);
    SHUT(Qp, NdkCloseQp);
    SHUT(Pd, NdkClosePd);
    SHUT(Cq, NdkCloseCq);
    return Status;
}

static NTSTATUS run(void) {
    static const WSK_CLIENT_DISPATCH Dispatch = {MAKE_WSK_VERSION(1, 0), 0, NULL};
    static WSK_REGISTRATION Registration;
    const NDK_VERSION Version = {1, 2};
    WSK_CLIENT_NPI Client = {NULL, &Dispatch};
    WSK_PROVIDER_NPI Npi;
    WSK_PROVIDER_NDK_DISPATCH Ndk;
    NDK_ADAPTER *Adapter;
    SIZE_T Size;
    NTSTATUS Status = WskRegister(&Client, &Registration);

    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = WskCaptureProviderNPI(&Registration, 1000, &Npi);
    if (NT_SUCCESS(Status)) {
        Status = Npi.Dispatch->WskControlClient(Npi.Client, WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH, 0,
                                                NULL, sizeof(Ndk), &Ndk, &Size, NULL);
        if (NT_SUCCESS(Status)) {
            Status = Ndk.WskOpenNdkAdapter(Npi.Client, Version, IfIndex, &Adapter);
        }
        if (NT_SUCCESS(Status)) {
            Status = connected(Adapter);
            Ndk.WskCloseNdkAdapter(Npi.Client, Adapter);
        }
        WskReleaseProviderNPI(&Registration);
    }
    WskDeregister(&Registration);
    return Status;
}

static NTSTATUS __stdcall address(PWSTR Name, ULONG Type, PVOID Data, ULONG Length, PVOID Context,
                                  PVOID EntryContext) {
    PSOCKADDR_IN To = (PSOCKADDR_IN)EntryContext;
    USHORT Port = 0;
    NTSTATUS Status = STATUS_OBJECT_TYPE_MISMATCH;

    UNREFERENCED_PARAMETER(Name);
    UNREFERENCED_PARAMETER(Length);
    UNREFERENCED_PARAMETER(Context);
    if (Type == REG_SZ) {
        To->sin_family = AF_INET;
        Status = RtlIpv4StringToAddressExW((PCWSTR)Data, TRUE, &To->sin_addr, &Port);
        To->sin_port = Port;
    }
    return Status;
}

static NTSTATUS parameters(PUNICODE_STRING Path) {
    ULONG Seven = 7, Ten = 10;
    RTL_QUERY_REGISTRY_TABLE Table[] = {
        {NULL, RTL_QUERY_REGISTRY_SUBKEY, L"Parameters", NULL, REG_NONE, NULL, 0},
        {NULL, RTL_QUERY_REGISTRY_DIRECT, L"IfIndex", &IfIndex, REG_DWORD, &Seven, sizeof(ULONG)},
        {NULL, RTL_QUERY_REGISTRY_DIRECT, L"Messages", &Messages, REG_DWORD, &Ten, sizeof(ULONG)},
        {address, RTL_QUERY_REGISTRY_REQUIRED, L"Local", &Local, REG_NONE, NULL, 0},
        {address, RTL_QUERY_REGISTRY_REQUIRED, L"Remote", &Remote, REG_NONE, NULL, 0},
        {NULL, 0, NULL, NULL, 0, NULL, 0},
    };

    return RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, Path->Buffer, Table, NULL, NULL);
}

static void report(PUNICODE_STRING Path) {
    OBJECT_ATTRIBUTES Attributes;
    UNICODE_STRING Name;
    HANDLE Service, Key;
    ULONG Disposition;

    InitializeObjectAttributes(&Attributes, Path, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, NULL,
                               NULL);
    if (!NT_SUCCESS(ZwOpenKey(&Service, KEY_ALL_ACCESS, &Attributes))) {
        return;
    }
    RtlInitUnicodeString(&Name, L"Result");
    InitializeObjectAttributes(&Attributes, &Name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE,
                               Service, NULL);
    if (NT_SUCCESS(ZwCreateKey(&Key, KEY_SET_VALUE, &Attributes, 0, NULL, REG_OPTION_VOLATILE,
                               &Disposition))) {
        RtlInitUnicodeString(&Name, L"Good");
        ZwSetValueKey(Key, &Name, 0, REG_DWORD, &Result.Good, sizeof(ULONG));
        ZwClose(Key);
    }
    ZwClose(Service);
}

NTSTATUS InitiatorDispatch(PDEVICE_OBJECT Device, PIRP Irp) {
    PIO_STACK_LOCATION Stack = IoGetCurrentIrpStackLocation(Irp);
    NTSTATUS Status = STATUS_SUCCESS;

    UNREFERENCED_PARAMETER(Device);
    Irp->IoStatus.Information = 0;
    if (Stack->MajorFunction == IRP_MJ_DEVICE_CONTROL) {
        if (Stack->Parameters.DeviceIoControl.IoControlCode != IOCTL_RESULT) {
            Status = STATUS_INVALID_DEVICE_REQUEST;
        } else if (Stack->Parameters.DeviceIoControl.OutputBufferLength < sizeof(RESULT)) {
            Status = STATUS_BUFFER_TOO_SMALL;
        } else {
            RtlCopyMemory(Irp->AssociatedIrp.SystemBuffer, &Result, sizeof(RESULT));
            Irp->IoStatus.Information = sizeof(RESULT);
        }
    }
    Irp->IoStatus.Status = Status;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
    return Status;
}

VOID InitiatorUnload(PDRIVER_OBJECT Driver) {
    UNICODE_STRING Link;

    RtlInitUnicodeString(&Link, L"\\DosDevices\\Initiator");
    IoDeleteSymbolicLink(&Link);
    IoDeleteDevice(Driver->DeviceObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT Driver, PUNICODE_STRING Path) {
    UNICODE_STRING Name, Link;
    PDEVICE_OBJECT Device;
    NTSTATUS Status = parameters(Path);

    if (NT_SUCCESS(Status)) {
        RtlInitUnicodeString(&Name, L"\\Device\\Initiator");
        Status = IoCreateDevice(Driver, 0, &Name, FILE_DEVICE_UNKNOWN, 0, FALSE, &Device);
    }
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    RtlInitUnicodeString(&Link, L"\\DosDevices\\Initiator");
    IoCreateSymbolicLink(&Link, &Name);
    Driver->DriverUnload = InitiatorUnload;
    Driver->MajorFunction[IRP_MJ_CREATE] = InitiatorDispatch;
    Driver->MajorFunction[IRP_MJ_CLOSE] = InitiatorDispatch;
    Driver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = InitiatorDispatch;
    Device->Flags &= ~DO_DEVICE_INITIALIZING;
    Result.Status = run();
    logf("%u of %u came back, status %08x", Result.Good, Result.Sent, Result.Status);
    report(Path);
    return STATUS_SUCCESS;
}
