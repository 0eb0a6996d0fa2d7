/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads take the same two spin locks in two orders. */
#include <ntddk.h>

static KSPIN_LOCK Sessions;
static KSPIN_LOCK Requests;
static PVOID Threads[2];
static ULONG Moves;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID MoveOne(PKSPIN_LOCK Outer, PKSPIN_LOCK Inner) {
    KIRQL Irql;

    KeAcquireSpinLock(Outer, &Irql);
    KeAcquireSpinLockAtDpcLevel(Inner); /* wrong: the orders differ */
    Moves++;
    KeReleaseSpinLockFromDpcLevel(Inner);
    KeReleaseSpinLock(Outer, Irql);
}

static VOID OutMain(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    MoveOne(&Sessions, &Requests);
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID BackMain(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
    MoveOne(&Requests, &Sessions);
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
    KeInitializeSpinLock(&Sessions);
    KeInitializeSpinLock(&Requests);
    Start(OutMain, &Threads[0]);
    Start(BackMain, &Threads[1]);
    return STATUS_SUCCESS;
}
