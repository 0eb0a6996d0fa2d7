/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three threads count in plain variables: in one that shares a word with one that they count in
 * rightly, in an element of a table, and in a static of a function. Three races. Built
 * instrumented.
 */
#include <ntddk.h>

#define THREADS 3

DRIVER_INITIALIZE DriverEntry;
DRIVER_UNLOAD DriverUnload;

static KSTART_ROUTINE Counter;

static struct {
    LONG Alone; /* interlocked */
    LONG Shared;
} Pair;
static LONG Table[4];
static LONG volatile Left;
static KEVENT Done;

static VOID Tally(VOID) {
    static LONG Calls;

    Calls++;
}

static VOID Counter(PVOID Context) {
    InterlockedIncrement(&Pair.Alone);
    Pair.Shared++;
    Table[(ULONG_PTR)Context]++;
    Tally();
    if (InterlockedDecrement(&Left) == 0) {
        KeSetEvent(&Done, IO_NO_INCREMENT, FALSE);
    }
    PsTerminateSystemThread(STATUS_SUCCESS);
}

VOID DriverUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = DriverUnload;
    Left = THREADS;
    KeInitializeEvent(&Done, NotificationEvent, FALSE);
    for (int i = 0; i < THREADS; i++) {
        HANDLE Thread;

        if (NT_SUCCESS(PsCreateSystemThread(&Thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, Counter,
                                            (PVOID)2))) {
            ZwClose(Thread);
        }
    }
    KeWaitForSingleObject(&Done, Executive, KernelMode, FALSE, NULL);
    DbgPrint("counted %d %d\n", Pair.Shared, Table[2]);
    return STATUS_SUCCESS;
}
