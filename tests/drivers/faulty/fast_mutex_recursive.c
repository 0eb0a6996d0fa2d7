/* SPDX-License-Identifier: Apache-2.0 */
/* Takes its fast mutex in a helper, too; fast mutexes do not recurse. */
#include <ntddk.h>

static FAST_MUTEX Mutex;
static ULONG Entries;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static VOID Insert(VOID) {
    ExAcquireFastMutex(&Mutex); /* wrong: InsertTwo holds it */
    Entries++;
    ExReleaseFastMutex(&Mutex);
}

static VOID InsertTwo(VOID) {
    ExAcquireFastMutex(&Mutex);
    Insert();
    Insert();
    ExReleaseFastMutex(&Mutex);
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    ExInitializeFastMutex(&Mutex);
    InsertTwo();
    return STATUS_SUCCESS;
}
