/* SPDX-License-Identifier: Apache-2.0 */
/* A work item jumps to a context that the starting thread has saved. */
#include <ntddk.h>

typedef struct _CONTEXT_KEPT {
    ULONG64 Words[64];
} CONTEXT_KEPT;

extern int _setjmp(CONTEXT_KEPT *) __attribute__((returns_twice));
extern void longjmp(CONTEXT_KEPT *, int) __attribute__((noreturn));

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;
static WORKER_THREAD_ROUTINE Fail;
static CONTEXT_KEPT Kept;
static WORK_QUEUE_ITEM Item;
static KEVENT Done;

static VOID Fail(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    longjmp(&Kept, 1); /* wrong: that stack is another thread's */
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    KeInitializeEvent(&Done, NotificationEvent, FALSE);
    if (_setjmp(&Kept) != 0) {
        return STATUS_UNSUCCESSFUL;
    }
    ExInitializeWorkItem(&Item, Fail, NULL);
    ExQueueWorkItem(&Item, DelayedWorkQueue);
    KeWaitForSingleObject(&Done, Executive, KernelMode, FALSE, NULL);
    return STATUS_SUCCESS;
}
