/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads that share by interlocked operations and what these order. Nothing to be found. */
#include <ntddk.h>

typedef struct _SHARED {
    LONG volatile Count;
    LONG volatile Owner; /* 1: Value is somebody's */
    LONG Value;
} SHARED, *PSHARED;

DRIVER_INITIALIZE DriverEntry;
DRIVER_UNLOAD DriverUnload;

static SHARED Shared;
static PVOID Threads[2];

static VOID Use(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    for (int i = 0; i < 4; i++) {
        InterlockedIncrement(&Shared.Count);
        if (InterlockedExchange(&Shared.Owner, 1) == 0) {
            Shared.Value++;
            InterlockedExchange(&Shared.Owner, 0);
        }
    }
    PsTerminateSystemThread(STATUS_SUCCESS);
}

VOID DriverUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    for (int i = 0; i < 2; i++) {
        KeWaitForSingleObject(Threads[i], Executive, KernelMode, FALSE, NULL);
        ObDereferenceObject(Threads[i]);
    }
    NT_ASSERT(Shared.Count == 8 && Shared.Value > 0);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = DriverUnload;
    for (int i = 0; i < 2; i++) {
        HANDLE Thread = NULL;

        PsCreateSystemThread(&Thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, Use, NULL);
        ObReferenceObjectByHandle(Thread, THREAD_ALL_ACCESS, NULL, KernelMode, &Threads[i], NULL);
        ZwClose(Thread);
    }
    return STATUS_SUCCESS;
}
