/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps its statistics in paged pool and counts under a spin lock. */
#include <ntddk.h>

#define STATISTICS_TAG 'tatS'

typedef struct _STATISTICS {
    ULONG64 Packets;
} STATISTICS;

static KSPIN_LOCK Lock;
static STATISTICS *Statistics;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID CountPacket(VOID) {
    KIRQL Irql;

    KeAcquireSpinLock(&Lock, &Irql);
    Statistics->Packets++;
    KeReleaseSpinLock(&Lock, Irql);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    ExFreePoolWithTag(Statistics, STATISTICS_TAG);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
#ifdef FIXED
    POOL_FLAGS Kind = POOL_FLAG_NON_PAGED;
#else
    POOL_FLAGS Kind = POOL_FLAG_PAGED; /* wrong: it is used at DISPATCH_LEVEL */
#endif

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeSpinLock(&Lock);
    Statistics = ExAllocatePool2(Kind, sizeof(*Statistics), STATISTICS_TAG);
    if (Statistics == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    CountPacket();
    return STATUS_SUCCESS;
}
