/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that gets "stop" waits for all threads, itself included. */
#include <ntddk.h>

static PVOID Thread;
static KEVENT Known;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID StopAll(VOID) {
    KeWaitForSingleObject(Thread, Executive, KernelMode, FALSE, NULL); /* wrong: it is the caller */
}

static VOID Main(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    KeWaitForSingleObject(&Known, Executive, KernelMode, FALSE, NULL);
    StopAll();
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeWaitForSingleObject(Thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(Thread);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    HANDLE Handle;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeEvent(&Known, NotificationEvent, FALSE);
    PsCreateSystemThread(&Handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, Main, NULL);
    ObReferenceObjectByHandle(Handle, THREAD_ALL_ACCESS, NULL, KernelMode, &Thread, NULL);
    ZwClose(Handle);
    KeSetEvent(&Known, IO_NO_INCREMENT, FALSE);
    return STATUS_SUCCESS;
}
