/* SPDX-License-Identifier: Apache-2.0 */
/* A send completes after its connection was let go, and counts itself off there (FB-127). */
#include <ntddk.h>

#define CONNECTION_TAG 'nnoC'

typedef struct _CONNECTION {
    volatile LONG Sends;
} CONNECTION;

DRIVER_INITIALIZE DriverEntry;
static DRIVER_UNLOAD Unload;

static KDEFERRED_ROUTINE SentDpc;
static KDPC Dpc;

static VOID SentDpc(PKDPC Which, PVOID Context, PVOID One, PVOID Other) {
    CONNECTION *Connection = Context;

    UNREFERENCED_PARAMETER(Which);
    UNREFERENCED_PARAMETER(One);
    UNREFERENCED_PARAMETER(Other);
    Connection->Sends = Connection->Sends - 1;
}

static VOID Unload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    UNREFERENCED_PARAMETER(RegistryPath);
    DriverObject->DriverUnload = Unload;
    {
        CONNECTION *Connection =
            ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*Connection), CONNECTION_TAG);
        KIRQL Irql;

        if (Connection == NULL) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        Connection->Sends = 1;
        KeInitializeDpc(&Dpc, SentDpc, Connection);
        KeRaiseIrql(DISPATCH_LEVEL, &Irql);
        KeInsertQueueDpc(&Dpc, NULL, NULL);
        ExFreePoolWithTag(Connection, CONNECTION_TAG); /* wrong: a send is under way */
        KeLowerIrql(Irql);
        KeFlushQueuedDpcs();
    }
    return STATUS_SUCCESS;
}
