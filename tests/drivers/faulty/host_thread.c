/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a thread that the kernel does not know. */
#include <ntddk.h>

extern int pthread_create(void *, const void *, void *(*)(void *), void *);

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static ULONG64 Thread;
static volatile ULONG Turns;

static void *Worker(void *Context) {
    UNREFERENCED_PARAMETER(Context);
    Turns++;
    return NULL;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    (void)pthread_create(&Thread, NULL, Worker, NULL); /* wrong: PsCreateSystemThread */
    return STATUS_SUCCESS;
}
