/* SPDX-License-Identifier: Apache-2.0 */
/* Cancels a retry timer and frees what it works on; its DPC may have begun (FB-091). */
#include <ntddk.h>

#define QUEUE_TAG 'eueQ'

typedef struct _QUEUE {
    volatile ULONG Retries;
} QUEUE;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static KDEFERRED_ROUTINE RetryDpc;
static KTIMER Timer;
static KDPC Dpc;
static QUEUE *Queue;

static VOID RetryDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    QUEUE *Mine = Context;

    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
    Mine->Retries = Mine->Retries + 1;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeCancelTimer(&Timer);
#ifdef FIXED
    KeFlushQueuedDpcs();
#endif
    ExFreePoolWithTag(Queue, QUEUE_TAG); /* wrong: a DPC that is queued still comes */
    KeFlushQueuedDpcs();
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    {
        LARGE_INTEGER Due = {.QuadPart = -400 * 10000};

        Queue = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Queue), QUEUE_TAG);
        if (Queue == NULL) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        KeInitializeDpc(&Dpc, RetryDpc, Queue);
        KeInitializeTimer(&Timer);
        KeSetTimer(&Timer, Due, &Dpc);
    }
    return STATUS_SUCCESS;
}
