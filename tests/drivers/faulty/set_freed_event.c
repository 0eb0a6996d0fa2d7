/* SPDX-License-Identifier: Apache-2.0 */
/* A thread sets the event of its context, which the waiter has freed. */
#include <ntddk.h>

#define CONTEXT_TAG 'txtC'

typedef struct _CONTEXT_OF_THREAD {
    KEVENT Started;
    KEVENT Ended;
} CONTEXT_OF_THREAD;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static PVOID Thread;

static VOID Main(PVOID Parameter) {
    CONTEXT_OF_THREAD *Context = Parameter;
    LARGE_INTEGER Interval = {.QuadPart = -10000};

    KeSetEvent(&Context->Started, IO_NO_INCREMENT, FALSE);
    KeDelayExecutionThread(KernelMode, FALSE, &Interval);
    KeSetEvent(&Context->Ended, IO_NO_INCREMENT, FALSE);
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    KeWaitForSingleObject(Thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(Thread);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    CONTEXT_OF_THREAD *Context =
        ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Context), CONTEXT_TAG);
    HANDLE Handle;

    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    if (Context == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    KeInitializeEvent(&Context->Started, NotificationEvent, FALSE);
    KeInitializeEvent(&Context->Ended, NotificationEvent, FALSE);
    PsCreateSystemThread(&Handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, Main, Context);
    ObReferenceObjectByHandle(Handle, THREAD_ALL_ACCESS, NULL, KernelMode, &Thread, NULL);
    ZwClose(Handle);
    KeWaitForSingleObject(&Context->Started, Executive, KernelMode, FALSE, NULL);
    ExFreePoolWithTag(Context, CONTEXT_TAG); /* wrong: the thread has not ended */
    return STATUS_SUCCESS;
}
