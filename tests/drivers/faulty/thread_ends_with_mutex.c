/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that ends in the middle of what its mutex guards. */
#include <ntddk.h>

static KMUTEX Mutex;
static PVOID Thread;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Main(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    KeWaitForSingleObject(&Mutex, Executive, KernelMode, FALSE, NULL);
    PsTerminateSystemThread(STATUS_SUCCESS); /* wrong: it owns the mutex */
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
    KeInitializeMutex(&Mutex, 0);
    PsCreateSystemThread(&Handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, Main, NULL);
    ObReferenceObjectByHandle(Handle, THREAD_ALL_ACCESS, NULL, KernelMode, &Thread, NULL);
    ZwClose(Handle);
    return STATUS_SUCCESS;
}
