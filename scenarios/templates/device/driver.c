/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver of that device: an NDIS miniport that maps its BAR, takes memory that the device can
 * reach and its message interrupt, and copies pages to see whether everything works.
 */
#include <ndis.h>
#include <ndksim.h>

#include "registers.h"

#define TAG 'ypoC'
#define COPIES 4
#define ATTEMPTS_MAX 10
#define TIMEOUT_MS 100 /* longer than a busy CPU lets others wait */
#define PAGE_COUNT 2   /* source and target */

typedef struct _ADAPTER {
    NDIS_HANDLE Handle;
    NDIS_HANDLE Interrupt;
    PUCHAR Registers;
    UINT RegisterBytes;
    PUCHAR Shared;
    NDIS_PHYSICAL_ADDRESS SharedAddress;
    KEVENT Done;
    LONG Status; /* of the copy that ended last: COPY_DONE, COPY_FAILED */
} ADAPTER, *PADAPTER;

static NDIS_HANDLE Driver;

static MINIPORT_INITIALIZE Initialize;
static MINIPORT_HALT Halt;
static MINIPORT_UNLOAD Unload;
static MINIPORT_PAUSE Pause;
static MINIPORT_RESTART Restart;
static MINIPORT_OID_REQUEST Oid;
static MINIPORT_DEVICE_PNP_EVENT_NOTIFY Pnp;
static MINIPORT_MESSAGE_INTERRUPT Interrupt;
static MINIPORT_MESSAGE_INTERRUPT_DPC Dpc;
DRIVER_INITIALIZE DriverEntry;

static ULONG Read(PADAPTER Adapter, ULONG Offset) {
    return READ_REGISTER_ULONG((PULONG)(PVOID)(Adapter->Registers + Offset));
}

static VOID Write(PADAPTER Adapter, ULONG Offset, ULONG Value) {
    WRITE_REGISTER_ULONG((PULONG)(PVOID)(Adapter->Registers + Offset), Value);
}

static VOID Write64(PADAPTER Adapter, ULONG Offset, ULONG64 Value) {
    WRITE_REGISTER_ULONG64((PULONG64)(PVOID)(Adapter->Registers + Offset), Value);
}

/* An interrupt may be spurious: then there is nothing in STATUS. */
static BOOLEAN Interrupt(NDIS_HANDLE Context, ULONG MessageId, PBOOLEAN QueueDpc,
                         PULONG TargetProcessors) {
    PADAPTER Adapter = Context;
    ULONG Status = Read(Adapter, COPY_STATUS);

    UNREFERENCED_PARAMETER(MessageId);
    if ((Status & COPY_DONE) != 0) {
        Write(Adapter, COPY_STATUS, Status);
        InterlockedExchange(&Adapter->Status, (LONG)Status);
        *QueueDpc = TRUE;
    }
    *TargetProcessors = 0;
    return TRUE;
}

static VOID Dpc(NDIS_HANDLE Context, ULONG MessageId, PVOID DpcContext, PVOID Throttle,
                PVOID Reserved) {
    PADAPTER Adapter = Context;

    UNREFERENCED_PARAMETER(MessageId);
    UNREFERENCED_PARAMETER(DpcContext);
    UNREFERENCED_PARAMETER(Throttle);
    UNREFERENCED_PARAMETER(Reserved);
    KeSetEvent(&Adapter->Done, IO_NO_INCREMENT, FALSE);
}

/* One copy, tried again when the device failed it or its interrupt is late or lost. */
static BOOLEAN Copy(PADAPTER Adapter, UCHAR Pattern) {
    LARGE_INTEGER Timeout;

    Timeout.QuadPart = -10000LL * TIMEOUT_MS;
    for (ULONG Attempt = 0; Attempt < ATTEMPTS_MAX; Attempt++) {
        RtlFillMemory(Adapter->Shared, COPY_BYTES_MAX, Pattern);
        RtlZeroMemory(Adapter->Shared + COPY_BYTES_MAX, COPY_BYTES_MAX);
        KeClearEvent(&Adapter->Done);
        InterlockedExchange(&Adapter->Status, 0);
        Write64(Adapter, COPY_SOURCE, (ULONG64)Adapter->SharedAddress.QuadPart);
        Write64(Adapter, COPY_TARGET, (ULONG64)Adapter->SharedAddress.QuadPart + COPY_BYTES_MAX);
        Write(Adapter, COPY_LENGTH, COPY_BYTES_MAX);
        Write(Adapter, COPY_GO, 1);
        if (KeWaitForSingleObject(&Adapter->Done, Executive, KernelMode, FALSE, &Timeout) ==
                STATUS_SUCCESS &&
            InterlockedCompareExchange(&Adapter->Status, 0, 0) == COPY_DONE) {
            return RtlCompareMemory(Adapter->Shared, Adapter->Shared + COPY_BYTES_MAX,
                                    COPY_BYTES_MAX) == COPY_BYTES_MAX;
        }
    }
    return FALSE;
}

static NDIS_STATUS Connect(PADAPTER Adapter) {
    NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS Characteristics = {0};

    Characteristics.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_INTERRUPT;
    Characteristics.Header.Revision = NDIS_MINIPORT_INTERRUPT_REVISION_1;
    Characteristics.Header.Size = NDIS_SIZEOF_MINIPORT_INTERRUPT_CHARACTERISTICS_REVISION_1;
    Characteristics.MsiSupported = TRUE;
    Characteristics.MessageInterruptHandler = Interrupt;
    Characteristics.MessageInterruptDpcHandler = Dpc;
    return NdisMRegisterInterruptEx(Adapter->Handle, Adapter, &Characteristics,
                                    &Adapter->Interrupt);
}

static VOID SayAttributes(PADAPTER Adapter) {
    NDIS_MINIPORT_ADAPTER_ATTRIBUTES Attributes;

    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Attributes.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES;
    Attributes.RegistrationAttributes.MiniportAdapterContext = Adapter;
    NdisMSetMiniportAttributes(Adapter->Handle, &Attributes);
    RtlZeroMemory(&Attributes, sizeof(Attributes));
    Attributes.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES;
    NdisMSetMiniportAttributes(Adapter->Handle, &Attributes);
}

/* Everything that was taken so far, in reverse. */
static VOID Release(PADAPTER Adapter) {
    if (Adapter->Interrupt != NULL) {
        NdisMDeregisterInterruptEx(Adapter->Interrupt);
    }
    if (Adapter->Shared != NULL) {
        NdisMFreeSharedMemory(Adapter->Handle, PAGE_COUNT * COPY_BYTES_MAX, TRUE, Adapter->Shared,
                              Adapter->SharedAddress);
    }
    if (Adapter->Registers != NULL) {
        NdisMUnmapIoSpace(Adapter->Handle, Adapter->Registers, Adapter->RegisterBytes);
    }
    ExFreePoolWithTag(Adapter, TAG);
}

static NDIS_STATUS Prepare(PADAPTER Adapter, PCM_PARTIAL_RESOURCE_DESCRIPTOR Bar) {
    NDIS_STATUS Status;
    PVOID Mapped;

    SayAttributes(Adapter);
    Status = NdisMMapIoSpace(&Mapped, Adapter->Handle, Bar->u.Memory.Start, Bar->u.Memory.Length);
    if (Status != NDIS_STATUS_SUCCESS) {
        return Status;
    }
    Adapter->Registers = Mapped;
    Adapter->RegisterBytes = Bar->u.Memory.Length;
    if (Read(Adapter, COPY_ID) != COPY_ID_VALUE) {
        return NDIS_STATUS_ADAPTER_NOT_FOUND;
    }
    NdisMAllocateSharedMemory(Adapter->Handle, PAGE_COUNT * COPY_BYTES_MAX, TRUE,
                              (PVOID *)&Adapter->Shared, &Adapter->SharedAddress);
    return Adapter->Shared != NULL ? Connect(Adapter) : NDIS_STATUS_RESOURCES;
}

static NDIS_STATUS Initialize(NDIS_HANDLE Handle, NDIS_HANDLE DriverContext,
                              PNDIS_MINIPORT_INIT_PARAMETERS Parameters) {
    PADAPTER Adapter = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Adapter), TAG);
    NDIS_STATUS Status;

    UNREFERENCED_PARAMETER(DriverContext);
    if (Adapter == NULL) {
        return NDIS_STATUS_RESOURCES;
    }
    Adapter->Handle = Handle;
    KeInitializeEvent(&Adapter->Done, SynchronizationEvent, FALSE);
    Status = Prepare(Adapter, &Parameters->AllocatedResources->PartialDescriptors[0]);
    for (ULONG I = 0; Status == NDIS_STATUS_SUCCESS && I < COPIES; I++) {
        Status = Copy(Adapter, (UCHAR)(I + 1)) ? NDIS_STATUS_SUCCESS : NDIS_STATUS_HARD_ERRORS;
    }
    if (Status != NDIS_STATUS_SUCCESS) {
        Release(Adapter);
        return Status;
    }
    NdksimCounter("copied", COPIES);
    return NDIS_STATUS_SUCCESS;
}

static VOID Halt(NDIS_HANDLE Context, NDIS_HALT_ACTION Action) {
    UNREFERENCED_PARAMETER(Action);
    Release(Context);
}

static NDIS_STATUS Pause(NDIS_HANDLE Context, PNDIS_MINIPORT_PAUSE_PARAMETERS Parameters) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Parameters);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS Restart(NDIS_HANDLE Context, PNDIS_MINIPORT_RESTART_PARAMETERS Parameters) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Parameters);
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS Oid(NDIS_HANDLE Context, PNDIS_OID_REQUEST Request) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Request);
    return NDIS_STATUS_NOT_SUPPORTED;
}

static VOID Pnp(NDIS_HANDLE Context, PNET_DEVICE_PNP_EVENT Event) {
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(Event);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    NdisMDeregisterMiniportDriver(Driver);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    NDIS_MINIPORT_DRIVER_CHARACTERISTICS Characteristics = {0};

    Characteristics.Header.Type = NDIS_OBJECT_TYPE_MINIPORT_DRIVER_CHARACTERISTICS;
    Characteristics.Header.Revision = NDIS_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2;
    Characteristics.Header.Size = NDIS_SIZEOF_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_2;
    Characteristics.MajorNdisVersion = NDIS_MINIPORT_MAJOR_VERSION;
    Characteristics.MinorNdisVersion = NDIS_MINIPORT_MINOR_VERSION;
    Characteristics.InitializeHandlerEx = Initialize;
    Characteristics.HaltHandlerEx = Halt;
    Characteristics.UnloadHandler = Unload;
    Characteristics.PauseHandler = Pause;
    Characteristics.RestartHandler = Restart;
    Characteristics.OidRequestHandler = Oid;
    Characteristics.DevicePnPEventNotifyHandler = Pnp;
    return NdisMRegisterMiniportDriver(DriverObject, RegistryPath, NULL, &Characteristics, &Driver);
}
