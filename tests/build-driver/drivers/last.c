/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever lets go last frees: unless FIXED, both may look after both have let go.
 * OTHERWISE is a build with a change that has nothing to do with it.
 */
#include <ntddk.h>

typedef struct _SHARED {
    LONG volatile References;
    LONG volatile Busy;
} SHARED, *PSHARED;

DRIVER_INITIALIZE DriverEntry;
DRIVER_UNLOAD DriverUnload;

static PVOID Threads[2];

static VOID LetGo(PSHARED Shared) {
    InterlockedIncrement(&Shared->Busy);
#if defined(FIXED)
    if (InterlockedDecrement(&Shared->References) == 0) {
#else
    InterlockedDecrement(&Shared->References);
    if (InterlockedCompareExchange(&Shared->References, 0, 0) == 0) {
#endif
        ExFreePoolWithTag(Shared, 'rahS');
    }
}

#if defined(OTHERWISE)
static ULONG Letters(PCSTR Text) {
    ULONG Count = 0;

    while (Text[Count] != '\0') {
        Count++;
    }
    return Count;
}
#endif

static VOID Use(PVOID Context) {
#if defined(OTHERWISE)
    DbgPrint("%u letters\n", Letters("a change elsewhere"));
#endif
    LetGo(Context);
    PsTerminateSystemThread(STATUS_SUCCESS);
}

VOID DriverUnload(PDRIVER_OBJECT DriverObject) {
    UNREFERENCED_PARAMETER(DriverObject);
    for (int i = 0; i < 2; i++) {
        KeWaitForSingleObject(Threads[i], Executive, KernelMode, FALSE, NULL);
        ObDereferenceObject(Threads[i]);
    }
}

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
    PSHARED Shared = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*Shared), 'rahS');

    UNREFERENCED_PARAMETER(RegistryPath);
    if (Shared == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    RtlZeroMemory(Shared, sizeof(*Shared));
    Shared->References = 2;
    DriverObject->DriverUnload = DriverUnload;
    for (int i = 0; i < 2; i++) {
        HANDLE Thread = NULL;

        PsCreateSystemThread(&Thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, Use, Shared);
        ObReferenceObjectByHandle(Thread, THREAD_ALL_ACCESS, NULL, KernelMode, &Threads[i], NULL);
        ZwClose(Thread);
    }
    return STATUS_SUCCESS;
}
