/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A WSK client that opens and closes an NDK adapter on request. IOCTL 0 takes {major, minor, index}
 * and opens; IOCTL 1 closes; IOCTL 2 releases and deregisters; IOCTL 3 lets the driver forget to.
 */
#include <ndksim.h>
#include <ntddk.h>
#include <wskndk.h>

#define IOCTL_OPEN CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, METHOD_BUFFERED, FILE_ANY_ACCESS)
#define IOCTL_CLOSE CTL_CODE(FILE_DEVICE_UNKNOWN, 0x801, METHOD_BUFFERED, FILE_ANY_ACCESS)
#define IOCTL_LEAVE CTL_CODE(FILE_DEVICE_UNKNOWN, 0x802, METHOD_BUFFERED, FILE_ANY_ACCESS)
#define IOCTL_FORGET CTL_CODE(FILE_DEVICE_UNKNOWN, 0x803, METHOD_BUFFERED, FILE_ANY_ACCESS)

static const WCHAR ClientName[] = L"\\Device\\Client";
static PDEVICE_OBJECT ClientDevice;
static WSK_REGISTRATION Registration;
static WSK_PROVIDER_NPI Provider;
static WSK_PROVIDER_NDK_DISPATCH Ndk;
static NDK_ADAPTER *Adapter;
static BOOLEAN Registered;
static BOOLEAN Forget;
static ULONG Events;

static DRIVER_UNLOAD ClientUnload;
static DRIVER_DISPATCH ClientControl;

static NTSTATUS NTAPI ClientEvent(PVOID Context, ULONG EventType, PVOID Information,
                                  SIZE_T Length) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(EventType);
    UNREFERENCED_PARAMETER(Information);
    UNREFERENCED_PARAMETER(Length);
    NdksimCounter("events", ++Events);
    return STATUS_SUCCESS;
}

static const WSK_CLIENT_DISPATCH Dispatch = {MAKE_WSK_VERSION(1, 0), 0, ClientEvent};

static NTSTATUS ClientEnter(VOID) {
    WSK_CLIENT_NPI Client = {NULL, &Dispatch};
    SIZE_T Size = 0;
    NTSTATUS Status;

    Status = WskRegister(&Client, &Registration);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = WskCaptureProviderNPI(&Registration, WSK_INFINITE_WAIT, &Provider);
    if (!NT_SUCCESS(Status)) {
        WskDeregister(&Registration);
        return Status;
    }
    Registered = TRUE;
    NT_ASSERT(Provider.Dispatch->WskControlClient(
                  Provider.Client, WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH, 0, NULL, sizeof(Ndk) - 1,
                  &Ndk, &Size, NULL) == STATUS_BUFFER_OVERFLOW);
    Status =
        Provider.Dispatch->WskControlClient(Provider.Client, WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH,
                                            0, NULL, sizeof(Ndk), &Ndk, &Size, NULL);
    NT_ASSERT(Size == sizeof(Ndk));
    return Status;
}

static VOID ClientLeave(VOID) {
    if (Registered) {
        Registered = FALSE;
        WskReleaseProviderNPI(&Registration);
        WskDeregister(&Registration);
    }
}

static NTSTATUS ClientRequest(ULONG Code, const ULONG *Input) {
    NDK_VERSION Version;
    NDK_ADAPTER *Closing;

    switch (Code) {
    case IOCTL_OPEN:
        Version.Major = (USHORT)Input[0];
        Version.Minor = (USHORT)Input[1];
        return Ndk.WskOpenNdkAdapter(Provider.Client, Version, Input[2], &Adapter);
    case IOCTL_CLOSE:
        Closing = Adapter;
        Adapter = NULL;
        Ndk.WskCloseNdkAdapter(Provider.Client, Closing);
        return STATUS_SUCCESS;
    case IOCTL_LEAVE:
        ClientLeave();
        return STATUS_SUCCESS;
    case IOCTL_FORGET:
        Forget = TRUE;
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_DEVICE_REQUEST;
    }
}

static NTSTATUS ClientControl(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    PIO_STACK_LOCATION Stack = IoGetCurrentIrpStackLocation(Irp);
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(DeviceObject);
    Status = ClientRequest(Stack->Parameters.DeviceIoControl.IoControlCode,
                           Irp->AssociatedIrp.SystemBuffer);
    Irp->IoStatus.Status = Status;
    Irp->IoStatus.Information = 0;
    IoCompleteRequest(Irp, IO_NO_INCREMENT);
    return Status;
}

static VOID ClientUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    if (!Forget) {
        ClientLeave();
    }
    IoDeleteDevice(ClientDevice);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNICODE_STRING Name;
    NTSTATUS Status;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = ClientUnload;
    DriverObject->MajorFunction[IRP_MJ_DEVICE_CONTROL] = ClientControl;
    RtlInitUnicodeString(&Name, ClientName);
    Status = IoCreateDevice(DriverObject, 0, &Name, FILE_DEVICE_UNKNOWN, 0, FALSE, &ClientDevice);
    if (!NT_SUCCESS(Status)) {
        return Status;
    }
    Status = ClientEnter();
    if (!NT_SUCCESS(Status)) {
        IoDeleteDevice(ClientDevice);
    }
    return Status;
}
