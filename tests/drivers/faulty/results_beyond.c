/* SPDX-License-Identifier: Apache-2.0 */
/* Polls results into an array: those that were flushed do not count against its size (FB-107). */
#include <ntddk.h>

#define RESULTS_TAG 'tseR'
#define RESULT_COUNT 4

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static ULONG Poll(volatile ULONG64 *Results, ULONG Count, ULONG Flushed) {
    ULONG Used = 0;

    for (ULONG i = 0; i < Flushed; i++) {
        Results[Used++] = 0xC0000120;
    }
    for (ULONG i = 0; i < Count; i++) { /* of the size, Flushed are used up */
        Results[Used++] = 0;            /* wrong: beyond the array */
    }
    return Used;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    {
        ULONG64 *Results =
            ExAllocatePool2(POOL_FLAG_NON_PAGED, RESULT_COUNT * sizeof(*Results), RESULTS_TAG);

        if (Results != NULL) {
            DbgPrint("%u results\n", Poll(Results, RESULT_COUNT, 1));
            ExFreePoolWithTag(Results, RESULTS_TAG);
        }
    }
    return STATUS_SUCCESS;
}
