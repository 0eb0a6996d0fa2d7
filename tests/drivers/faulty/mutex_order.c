/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads take the same two fast mutexes in two orders. */
#include <ntddk.h>

static FAST_MUTEX Tree;
static FAST_MUTEX Log;
static PVOID Threads[2];

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID WriteMain(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    ExAcquireFastMutex(&Tree);
    ExAcquireFastMutex(&Log);
    ExReleaseFastMutex(&Log);
    ExReleaseFastMutex(&Tree);
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID ReplayMain(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    ExAcquireFastMutex(&Log);
    ExAcquireFastMutex(&Tree); /* wrong: WriteMain begins with the tree */
    ExReleaseFastMutex(&Tree);
    ExReleaseFastMutex(&Log);
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    for (ULONG i = 0; i < 2; i++) {
        KeWaitForSingleObject(Threads[i], Executive, KernelMode, FALSE, NULL);
        ObDereferenceObject(Threads[i]);
    }
}

static VOID Start(PKSTART_ROUTINE Main, PVOID *Thread) {
    HANDLE Handle;

    PsCreateSystemThread(&Handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, Main, NULL);
    ObReferenceObjectByHandle(Handle, THREAD_ALL_ACCESS, NULL, KernelMode, Thread, NULL);
    ZwClose(Handle);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    ExInitializeFastMutex(&Tree);
    ExInitializeFastMutex(&Log);
    Start(WriteMain, &Threads[0]);
    Start(ReplayMain, &Threads[1]);
    return STATUS_SUCCESS;
}
