/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bench in one file: what registration of memory costs, by size. An IOCTL gives the sizes and
 * gets the times; a line for each goes to \??\C:\bench.csv. The work is a work item's, the IOCTL
 * waits for it pending, and may be cancelled.
 */
#include <ntddk.h>
#include <ntstrsafe.h>
#include <wsk.h>
#include <wskndk.h>

#define TAG 'hcnB'
#define ROUNDS 4
#define SIZES_MAX 8
#define IOCTL_BENCH CTL_CODE(FILE_DEVICE_NETWORK, 0x900, METHOD_BUFFERED, FILE_ANY_ACCESS)

typedef struct {
    KEVENT event;
    NTSTATUS status;
    PVOID object;
} waiter;

static PDEVICE_OBJECT device;
static WORK_QUEUE_ITEM work;
static IO_CSQ queue;
static LIST_ENTRY requests;
static KSPIN_LOCK requests_lock;
static IO_REMOVE_LOCK at_work;
static ULONG ifindex = 7;
static LONG busy;

static void logf(HANDLE file, const char *format, ...) {
    char text[128];
    IO_STATUS_BLOCK done;
    va_list list;

    va_start(list, format);
    _vsnprintf_s(text, sizeof(text), _TRUNCATE, format, list);
    va_end(list);
    KdPrint(("bench: %s", text));
    ZwWriteFile(file, NULL, NULL, NULL, &done, text, (ULONG)strlen(text), NULL, NULL);
}

static VOID complete(PVOID context, NTSTATUS status) {
    waiter *w = context;

    w->status = status;
    KeSetEvent(&w->event, 0, FALSE);
}

static VOID created(PVOID context, NTSTATUS status, NDK_OBJECT_HEADER *object) {
    waiter *w = context;

    w->object = object;
    complete(context, status);
}

static VOID closed(PVOID context) {
    complete(context, STATUS_SUCCESS);
}

static NTSTATUS wait(waiter *w, NTSTATUS status) {
    if (status == STATUS_PENDING) {
        KeWaitForSingleObject(&w->event, Executive, KernelMode, FALSE, NULL);
        status = w->status;
    }
    KeClearEvent(&w->event);
    return status;
}

/* One round: lock, register, give back. */
static NTSTATUS reap(NDK_MR *mr, PVOID buffer, ULONG bytes, waiter *w) {
    PMDL mdl = IoAllocateMdl(buffer, bytes, FALSE, FALSE, NULL);
    NTSTATUS status = STATUS_INSUFFICIENT_RESOURCES;
    BOOLEAN locked = FALSE;

    if (mdl == NULL) {
        return status;
    }
    __try {
        __try {
            MmProbeAndLockPages(mdl, KernelMode, IoWriteAccess);
            locked = TRUE;
            status = wait(w, mr->Dispatch->NdkRegisterMr(
                                 mr, mdl, bytes, NDK_MR_FLAG_ALLOW_LOCAL_WRITE, complete, w));
            if (NT_SUCCESS(status)) {
                status = wait(w, mr->Dispatch->NdkDeregisterMr(mr, complete, w));
            }
        } __except (GetExceptionCode() == STATUS_WORKING_SET_QUOTA ? EXCEPTION_EXECUTE_HANDLER
                                                                   : EXCEPTION_CONTINUE_SEARCH) {
            status = GetExceptionCode();
        }
    } __finally {
        if (locked) {
            MmUnlockPages(mdl);
        }
        IoFreeMdl(mdl);
    }
    return status;
}

static NTSTATUS one_size(NDK_PD *pd, ULONG bytes, PULONG64 nanoseconds) {
    LARGE_INTEGER begin, end, frequency;
    NDK_MR *mr = NULL;
    NTSTATUS status;
    PVOID buffer;
    waiter w;
    ULONG i;

    KeInitializeEvent(&w.event, NotificationEvent, FALSE);
    w.object = NULL;
    buffer = ExAllocatePool2(POOL_FLAG_NON_PAGED, bytes, TAG);
    if (buffer == NULL) {
        return STATUS_NO_MEMORY;
    }
    status = wait(&w, pd->Dispatch->NdkCreateMr(pd, FALSE, created, &w, &mr));
    if (NT_SUCCESS(status)) {
        mr = w.object != NULL ? w.object : mr;
        begin = KeQueryPerformanceCounter(&frequency);
        for (i = 0; i < ROUNDS && NT_SUCCESS(status); i++) {
            status = reap(mr, buffer, bytes, &w);
        }
        end = KeQueryPerformanceCounter(NULL);
        *nanoseconds =
            (ULONG64)(end.QuadPart - begin.QuadPart) * 1000000000 / frequency.QuadPart / ROUNDS;
        wait(&w, mr->Dispatch->NdkCloseMr(&mr->Header, closed, &w));
    }
    ExFreePoolWithTag(buffer, TAG);
    return status;
}

static NTSTATUS all_sizes(NDK_ADAPTER *adapter, HANDLE file, const ULONG *sizes, PULONG64 times,
                          ULONG count) {
    NDK_PD *pd = NULL;
    NTSTATUS status;
    waiter w;
    ULONG i;

    KeInitializeEvent(&w.event, NotificationEvent, FALSE);
    w.object = NULL;
    status = wait(&w, adapter->Dispatch->NdkCreatePd(adapter, created, &w, &pd));
    if (!NT_SUCCESS(status)) {
        return status;
    }
    pd = w.object != NULL ? w.object : pd;
    for (i = 0; i < count && NT_SUCCESS(status); i++) {
        status = one_size(pd, sizes[i], &times[i]);
        logf(file, "%u,%I64u,%08x\r\n", sizes[i], times[i], status);
    }
    wait(&w, pd->Dispatch->NdkClosePd(&pd->Header, closed, &w));
    return status;
}

static NTSTATUS measure(HANDLE file, const ULONG *sizes, PULONG64 times, ULONG count) {
    static const WSK_CLIENT_DISPATCH dispatch = {MAKE_WSK_VERSION(1, 0), 0, NULL};
    static WSK_REGISTRATION registration;
    WSK_CLIENT_NPI client = {NULL, &dispatch};
    NDK_VERSION version = {2, 0};
    WSK_PROVIDER_NDK_DISPATCH ndk;
    WSK_PROVIDER_NPI npi;
    NDK_ADAPTER *adapter;
    NTSTATUS status;

    if (!NT_SUCCESS(status = WskRegister(&client, &registration))) {
        return status;
    }
    if (NT_SUCCESS(status = WskCaptureProviderNPI(&registration, WSK_INFINITE_WAIT, &npi))) {
        if (NT_SUCCESS(status = npi.Dispatch->WskControlClient(
                           npi.Client, WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH, 0, NULL, sizeof(ndk),
                           &ndk, NULL, NULL)) &&
            NT_SUCCESS(status = ndk.WskOpenNdkAdapter(npi.Client, version, ifindex, &adapter))) {
            status = all_sizes(adapter, file, sizes, times, count);
            ndk.WskCloseNdkAdapter(npi.Client, adapter);
        }
        WskReleaseProviderNPI(&registration);
    }
    WskDeregister(&registration);
    return status;
}

static VOID answer(PIRP irp, NTSTATUS status, ULONG_PTR information) {
    irp->IoStatus.Status = status;
    irp->IoStatus.Information = information;
    IoCompleteRequest(irp, IO_NO_INCREMENT);
    IoReleaseRemoveLock(&at_work, irp);
}

static VOID run_one(PIRP irp) {
    PIO_STACK_LOCATION stack = IoGetCurrentIrpStackLocation(irp);
    ULONG count = stack->Parameters.DeviceIoControl.InputBufferLength / sizeof(ULONG);
    ULONG sizes[SIZES_MAX];
    ULONG64 times[SIZES_MAX] = {0};
    UNICODE_STRING name;
    OBJECT_ATTRIBUTES attributes;
    IO_STATUS_BLOCK done;
    HANDLE file;
    NTSTATUS status;

    RtlCopyMemory(sizes, irp->AssociatedIrp.SystemBuffer, count * sizeof(ULONG));
    RtlInitUnicodeString(&name, L"\\??\\C:\\bench.csv");
    InitializeObjectAttributes(&attributes, &name, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, NULL,
                               NULL);
    status = ZwCreateFile(&file, GENERIC_WRITE | SYNCHRONIZE, &attributes, &done, NULL,
                          FILE_ATTRIBUTE_NORMAL, FILE_SHARE_READ, FILE_OVERWRITE_IF,
                          FILE_SYNCHRONOUS_IO_NONALERT | FILE_NON_DIRECTORY_FILE, NULL, 0);
    if (NT_SUCCESS(status)) {
        status = measure(file, sizes, times, count);
        ZwClose(file);
    }
    RtlCopyMemory(irp->AssociatedIrp.SystemBuffer, times, count * sizeof(ULONG64));
    answer(irp, status, NT_SUCCESS(status) ? count * sizeof(ULONG64) : 0);
}

static VOID worker(PVOID context) {
    PIRP irp;

    UNREFERENCED_PARAMETER(context);
    do {
        while ((irp = IoCsqRemoveNextIrp(&queue, NULL)) != NULL) {
            run_one(irp);
        }
        InterlockedExchange(&busy, 0);
        /* Who queued before the exchange saw a busy worker. */
    } while (!IsListEmpty(&requests) && InterlockedExchange(&busy, 1) == 0);
}

static VOID csq_insert(PIO_CSQ csq, PIRP irp) {
    UNREFERENCED_PARAMETER(csq);
    InsertTailList(&requests, &irp->Tail.Overlay.ListEntry);
}

static VOID csq_remove(PIO_CSQ csq, PIRP irp) {
    UNREFERENCED_PARAMETER(csq);
    RemoveEntryList(&irp->Tail.Overlay.ListEntry);
}

static PIRP csq_peek(PIO_CSQ csq, PIRP irp, PVOID context) {
    PLIST_ENTRY entry = irp == NULL ? requests.Flink : irp->Tail.Overlay.ListEntry.Flink;

    UNREFERENCED_PARAMETER(csq);
    UNREFERENCED_PARAMETER(context);
    return entry == &requests ? NULL : CONTAINING_RECORD(entry, IRP, Tail.Overlay.ListEntry);
}

static VOID csq_lock(PIO_CSQ csq, PKIRQL irql) {
    UNREFERENCED_PARAMETER(csq);
    KeAcquireSpinLock(&requests_lock, irql);
}

static VOID csq_unlock(PIO_CSQ csq, KIRQL irql) {
    UNREFERENCED_PARAMETER(csq);
    KeReleaseSpinLock(&requests_lock, irql);
}

static VOID csq_cancelled(PIO_CSQ csq, PIRP irp) {
    UNREFERENCED_PARAMETER(csq);
    answer(irp, STATUS_CANCELLED, 0);
}

static NTSTATUS control(PDEVICE_OBJECT object, PIRP irp) {
    PIO_STACK_LOCATION stack = IoGetCurrentIrpStackLocation(irp);
    ULONG in = stack->Parameters.DeviceIoControl.InputBufferLength;
    NTSTATUS status = IoAcquireRemoveLock(&at_work, irp);

    UNREFERENCED_PARAMETER(object);
    if (!NT_SUCCESS(status)) {
        irp->IoStatus.Status = status;
        IoCompleteRequest(irp, IO_NO_INCREMENT);
        return status;
    }
    if (stack->MajorFunction != IRP_MJ_DEVICE_CONTROL) {
        answer(irp, STATUS_SUCCESS, 0);
        return STATUS_SUCCESS;
    }
    if (stack->Parameters.DeviceIoControl.IoControlCode != IOCTL_BENCH || in == 0 ||
        in % sizeof(ULONG) != 0 || in > SIZES_MAX * sizeof(ULONG) ||
        stack->Parameters.DeviceIoControl.OutputBufferLength < 2 * in) {
        answer(irp, STATUS_INVALID_PARAMETER, 0);
        return STATUS_INVALID_PARAMETER;
    }
    IoCsqInsertIrp(&queue, irp, NULL);
    if (InterlockedExchange(&busy, 1) == 0) {
        ExQueueWorkItem(&work, DelayedWorkQueue);
    }
    return STATUS_PENDING;
}

static VOID unload(PDRIVER_OBJECT driver) {
    LARGE_INTEGER little;

    UNREFERENCED_PARAMETER(driver);
    little.QuadPart = -1000;
    IoAcquireRemoveLock(&at_work, driver);
    IoReleaseRemoveLockAndWait(&at_work, driver);
    while (InterlockedCompareExchange(&busy, 0, 0) != 0) {
        KeDelayExecutionThread(KernelMode, FALSE, &little);
    }
    IoDeleteDevice(device);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
    UNICODE_STRING name;
    NTSTATUS status;

    UNREFERENCED_PARAMETER(path);
    InitializeListHead(&requests);
    KeInitializeSpinLock(&requests_lock);
    IoInitializeRemoveLock(&at_work, TAG, 0, 0);
    IoCsqInitialize(&queue, csq_insert, csq_remove, csq_peek, csq_lock, csq_unlock, csq_cancelled);
    ExInitializeWorkItem(&work, worker, NULL);
    RtlInitUnicodeString(&name, L"\\Device\\Bench");
    status = IoCreateDevice(driver, 0, &name, FILE_DEVICE_NETWORK, 0, FALSE, &device);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    driver->DriverUnload = unload;
    driver->MajorFunction[IRP_MJ_CREATE] = control;
    driver->MajorFunction[IRP_MJ_CLOSE] = control;
    driver->MajorFunction[IRP_MJ_DEVICE_CONTROL] = control;
    device->Flags &= ~DO_DEVICE_INITIALIZING;
    return STATUS_SUCCESS;
}
