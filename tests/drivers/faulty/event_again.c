/* SPDX-License-Identifier: Apache-2.0 */
/* Initialises its event again for the next round while a thread waits for it. */
#include <ntddk.h>

static KEVENT Work;
static PVOID Thread;
static volatile BOOLEAN IsOver;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Main(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    while (!IsOver) {
        KeWaitForSingleObject(&Work, Executive, KernelMode, FALSE, NULL);
    }
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
#ifndef FIXED
    KeInitializeEvent(&Work, SynchronizationEvent, FALSE); /* wrong: KeClearEvent */
#endif
    IsOver = TRUE;
    KeSetEvent(&Work, IO_NO_INCREMENT, FALSE);
    KeWaitForSingleObject(Thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(Thread);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    HANDLE Handle;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeEvent(&Work, SynchronizationEvent, FALSE);
    PsCreateSystemThread(&Handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, Main, NULL);
    ObReferenceObjectByHandle(Handle, THREAD_ALL_ACCESS, NULL, KernelMode, &Thread, NULL);
    ZwClose(Handle);
    return STATUS_SUCCESS;
}
