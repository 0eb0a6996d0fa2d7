/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads count in the same variable, each in its own time. Built instrumented. */
#include <ntddk.h>

typedef struct _TALLY {
    LONG Count;
    LONG volatile Left;
    KEVENT Done;
} TALLY, *PTALLY;

DRIVER_INITIALIZE DriverEntry;
DRIVER_UNLOAD DriverUnload;

static KSTART_ROUTINE Counter;

static VOID Counter(PVOID Context) {
    PTALLY Tally = Context;

    Tally->Count++;
    if (InterlockedDecrement(&Tally->Left) == 0) {
        KeSetEvent(&Tally->Done, IO_NO_INCREMENT, FALSE);
    }
    PsTerminateSystemThread(STATUS_SUCCESS);
}

VOID DriverUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PTALLY Tally = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*Tally), 'ylaT');

    UNREFERENCED_PARAMETER(RegistryPath);
    if (Tally == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    DriverObject->DriverUnload = DriverUnload;
    Tally->Count = 0;
    Tally->Left = 2;
    KeInitializeEvent(&Tally->Done, NotificationEvent, FALSE);
    for (int i = 0; i < 2; i++) {
        HANDLE Thread;

        if (NT_SUCCESS(PsCreateSystemThread(&Thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, Counter,
                                            Tally))) {
            ZwClose(Thread);
        }
    }
    KeWaitForSingleObject(&Tally->Done, Executive, KernelMode, FALSE, NULL);
    DbgPrint("counted %d\n", Tally->Count);
    ExFreePoolWithTag(Tally, 'ylaT');
    return STATUS_SUCCESS;
}
