/* SPDX-License-Identifier: Apache-2.0 */
/* DriverUnload tells its thread to stop and does not wait until it has. */
#include <ntddk.h>

static KEVENT Stop;
static PVOID Thread;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Main(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    KeWaitForSingleObject(&Stop, Executive, KernelMode, FALSE, NULL);
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeSetEvent(&Stop, IO_NO_INCREMENT, FALSE);
#ifdef FIXED
    KeWaitForSingleObject(Thread, Executive, KernelMode, FALSE, NULL);
#endif
    ObDereferenceObject(Thread); /* wrong: it may still run */
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    HANDLE Handle;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeEvent(&Stop, NotificationEvent, FALSE);
    PsCreateSystemThread(&Handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, Main, NULL);
    ObReferenceObjectByHandle(Handle, THREAD_ALL_ACCESS, NULL, KernelMode, &Thread, NULL);
    ZwClose(Handle);
    return STATUS_SUCCESS;
}
