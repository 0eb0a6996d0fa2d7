/* SPDX-License-Identifier: Apache-2.0 */
/* A DPC that takes paged pool for a report. */
#include <ntddk.h>

#define REPORT_TAG 'tpeR'

static KDPC Dpc;
static PVOID Report;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static KDEFERRED_ROUTINE ReportDpc;

static VOID ReportDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(Context);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
    Report = ExAllocatePool2(POOL_FLAG_PAGED, 512, REPORT_TAG); /* wrong: at DISPATCH_LEVEL */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeFlushQueuedDpcs();
    if (Report != NULL) {
        ExFreePoolWithTag(Report, REPORT_TAG);
    }
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeDpc(&Dpc, ReportDpc, NULL);
    KeInsertQueueDpc(&Dpc, NULL, NULL);
    return STATUS_SUCCESS;
}
