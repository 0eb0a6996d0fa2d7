/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target in one file, as people write them to try an adapter: it listens, takes one connection
 * after the other and sends back what comes, until it is unloaded. Parameters below its service
 * key; what happens goes to \??\C:\target.log.
 */
#include <ntddk.h>
#include <ntstrsafe.h>
#include <wsk.h>
#include <wskndk.h>
#include <ip2string.h>

#define TAG 'tgrT'
#define DEPTH 8
#define SLOT 512

struct pending {
    KEVENT done;
    NTSTATUS status;
    PVOID object;
};

static struct {
    WORK_QUEUE_ITEM item;
    KEVENT stopped, idle, arrival, gone, cq_event;
    WSK_REGISTRATION registration;
    WSK_PROVIDER_NPI npi;
    WSK_PROVIDER_NDK_DISPATCH ndk;
    NDK_ADAPTER *adapter;
    NDK_CQ *cq;
    NDK_PD *pd;
    NDK_MR *mr;
    NDK_LISTENER *listener;
    NDK_CONNECTOR *volatile connector;
    PMDL mdl;
    PUCHAR buffer;
    HANDLE file;
    ULONG ifindex, port;
    SOCKADDR_IN address;
    LONG outstanding;
    ULONG served, echoed;
} g;

static const WSK_CLIENT_DISPATCH wsk_dispatch = {MAKE_WSK_VERSION(1, 0), 0, NULL};

DRIVER_UNLOAD target_unload;

static void logf(const char *format, ...) {
    CHAR line[160];
    IO_STATUS_BLOCK iosb;
    size_t length = 0;
    va_list args;

    va_start(args, format);
    RtlStringCbVPrintfA(line, sizeof(line), format, args);
    va_end(args);
    DbgPrint("target: %s\n", line);
    RtlStringCbCatA(line, sizeof(line), "\r\n");
    RtlStringCbLengthA(line, sizeof(line), &length);
    if (g.file != NULL) {
        ZwWriteFile(g.file, NULL, NULL, NULL, &iosb, line, (ULONG)length, NULL, NULL);
    }
}

static void open_log(void) {
    UNICODE_STRING name;
    OBJECT_ATTRIBUTES oa;
    IO_STATUS_BLOCK iosb;

    RtlInitUnicodeString(&name, L"\\??\\C:\\target.log");
    InitializeObjectAttributes(&oa, &name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, NULL, NULL);
    if (!NT_SUCCESS(ZwCreateFile(&g.file, FILE_APPEND_DATA | SYNCHRONIZE, &oa, &iosb, NULL,
                                 FILE_ATTRIBUTE_NORMAL, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                 FILE_OPEN_IF, FILE_SYNCHRONOUS_IO_NONALERT, NULL, 0))) {
        g.file = NULL;
    }
}

static HANDLE open_parameters(PUNICODE_STRING service) {
    OBJECT_ATTRIBUTES oa;
    UNICODE_STRING sub;
    HANDLE key = NULL, parameters = NULL;

    InitializeObjectAttributes(&oa, service, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, NULL, NULL);
    if (NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &oa))) {
        RtlInitUnicodeString(&sub, L"Parameters");
        InitializeObjectAttributes(&oa, &sub, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, key, NULL);
        ZwOpenKey(&parameters, KEY_READ, &oa);
        ZwClose(key);
    }
    return parameters;
}

static NTSTATUS read_parameters(PUNICODE_STRING service) {
    UCHAR room[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + 128];
    PKEY_VALUE_PARTIAL_INFORMATION info = (PKEY_VALUE_PARTIAL_INFORMATION)room;
    HANDLE key = open_parameters(service);
    UNICODE_STRING name;
    NTSTATUS status = STATUS_INVALID_PARAMETER;
    USHORT port;
    ULONG size;

    g.ifindex = 7;
    g.port = 4420;
    if (key == NULL) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    RtlInitUnicodeString(&name, L"IfIndex");
    if (NT_SUCCESS(
            ZwQueryValueKey(key, &name, KeyValuePartialInformation, info, sizeof(room), &size)) &&
        info->Type == REG_DWORD) {
        g.ifindex = *(PULONG)info->Data;
    }
    RtlInitUnicodeString(&name, L"Address");
    if (NT_SUCCESS(
            ZwQueryValueKey(key, &name, KeyValuePartialInformation, info, sizeof(room), &size)) &&
        info->Type == REG_SZ) {
        g.address.sin_family = AF_INET;
        status = RtlIpv4StringToAddressExW((PCWSTR)info->Data, TRUE, &g.address.sin_addr, &port);
        g.address.sin_port = RtlUshortByteSwap((USHORT)g.port);
    }
    ZwClose(key);
    return status;
}

static VOID created(PVOID context, NTSTATUS status, NDK_OBJECT_HEADER *object) {
    struct pending *p = context;

    p->status = status;
    p->object = object;
    KeSetEvent(&p->done, IO_NO_INCREMENT, FALSE);
}

static VOID complete(PVOID context, NTSTATUS status) {
    struct pending *p = context;

    p->status = status;
    KeSetEvent(&p->done, IO_NO_INCREMENT, FALSE);
}

static VOID closed(PVOID context) {
    complete(context, STATUS_SUCCESS);
}

static VOID forget(PVOID context) {
    UNREFERENCED_PARAMETER(context);
}

static struct pending *begin(struct pending *p) {
    KeInitializeEvent(&p->done, NotificationEvent, FALSE);
    p->object = NULL;
    return p;
}

static NTSTATUS wait(struct pending *p, NTSTATUS status) {
    if (status == STATUS_PENDING) {
        KeWaitForSingleObject(&p->done, Executive, KernelMode, FALSE, NULL);
        status = p->status;
    }
    return status;
}

static void shut(NDK_OBJECT_HEADER *object, NDK_FN_CLOSE_OBJECT close) {
    struct pending p;

    if (object != NULL) {
        wait(&p, close(object, closed, begin(&p)));
    }
}

static VOID cq_notify(PVOID context, NTSTATUS status) {
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(status);
    KeSetEvent(&g.cq_event, IO_NO_INCREMENT, FALSE);
}

static VOID connect_event(PVOID context, NDK_CONNECTOR *connector) {
    UNREFERENCED_PARAMETER(context);
    if (InterlockedCompareExchangePointer((PVOID *)&g.connector, connector, NULL) == NULL) {
        KeSetEvent(&g.arrival, IO_NO_INCREMENT, FALSE);
        return;
    }
    /* One at a time: the other one may try again. */
    connector->Dispatch->NdkReject(connector, NULL, 0);
    connector->Dispatch->NdkCloseConnector(&connector->Header, forget, NULL);
}

static VOID disconnect_event(PVOID context) {
    UNREFERENCED_PARAMETER(context);
    KeSetEvent(&g.gone, IO_NO_INCREMENT, FALSE);
}

static NTSTATUS register_memory(void) {
    struct pending p;
    NTSTATUS status;

    g.buffer = ExAllocatePoolWithTag(NonPagedPoolNx, 2 * DEPTH * SLOT, TAG);
    if (g.buffer == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    RtlZeroMemory(g.buffer, 2 * DEPTH * SLOT);
    g.mdl = IoAllocateMdl(g.buffer, 2 * DEPTH * SLOT, FALSE, FALSE, NULL);
    if (g.mdl == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    __try {
        MmProbeAndLockPages(g.mdl, KernelMode, IoModifyAccess);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        logf("no pages: %08x", GetExceptionCode());
        IoFreeMdl(g.mdl);
        g.mdl = NULL;
    }
    if (g.mdl == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    status = wait(&p, g.pd->Dispatch->NdkCreateMr(g.pd, FALSE, created, begin(&p), &g.mr));
    if (NT_SUCCESS(status)) {
        g.mr = p.object != NULL ? p.object : g.mr;
        status = wait(&p, g.mr->Dispatch->NdkRegisterMr(g.mr, g.mdl, 2 * DEPTH * SLOT,
                                                        NDK_MR_FLAG_ALLOW_LOCAL_WRITE, complete,
                                                        begin(&p)));
    }
    return status;
}

static void forget_memory(void) {
    struct pending p;

    if (g.mr != NULL) {
        wait(&p, g.mr->Dispatch->NdkDeregisterMr(g.mr, complete, begin(&p)));
        shut(&g.mr->Header, g.mr->Dispatch->NdkCloseMr);
    }
    if (g.mdl != NULL) {
        MmUnlockPages(g.mdl);
        IoFreeMdl(g.mdl);
    }
    if (g.buffer != NULL) {
        ExFreePoolWithTag(g.buffer, TAG);
    }
}

static void post(NDK_QP *qp, ULONG slot, BOOLEAN receive, ULONG length) {
    NDK_SGE sge;
    NTSTATUS status;

    RtlZeroMemory(&sge, sizeof(sge));
    sge.VirtualAddress = g.buffer + slot * SLOT;
    sge.Length = length;
    sge.MemoryRegionToken = g.mr->Dispatch->NdkGetLocalTokenFromMr(g.mr);
    status = receive ? qp->Dispatch->NdkReceive(qp, (PVOID)(ULONG_PTR)slot, &sge, 1)
                     : qp->Dispatch->NdkSend(qp, (PVOID)(ULONG_PTR)slot, &sge, 1, 0);
    if (NT_SUCCESS(status)) {
        g.outstanding++;
    } else {
        logf("post of %u: %08x", slot, status);
    }
}

/* Takes what is there; what was received goes back from the slot behind. */
static BOOLEAN reap(NDK_QP *qp, BOOLEAN echo) {
    NDK_RESULT results[4];
    ULONG i, n = g.cq->Dispatch->NdkGetCqResults(g.cq, results, 4);

    for (i = 0; i < n; i++) {
        ULONG slot = (ULONG)(ULONG_PTR)results[i].RequestContext;

        g.outstanding--;
        if (!echo || !NT_SUCCESS(results[i].Status)) {
            continue;
        }
        if (slot < DEPTH) {
            RtlCopyMemory(g.buffer + (DEPTH + slot) * SLOT, g.buffer + slot * SLOT,
                          results[i].BytesTransferred);
            post(qp, DEPTH + slot, FALSE, results[i].BytesTransferred);
            g.echoed++;
        } else {
            post(qp, slot - DEPTH, TRUE, SLOT);
        }
    }
    return n != 0;
}

static void session(NDK_CONNECTOR *connector) {
    PVOID events[3] = {&g.cq_event, &g.gone, &g.stopped};
    NDK_QP *qp = NULL;
    struct pending p;
    NTSTATUS status, woken = STATUS_WAIT_0;
    ULONG i;

    KeClearEvent(&g.gone);
    status = wait(&p, g.pd->Dispatch->NdkCreateQp(g.pd, g.cq, g.cq, NULL, DEPTH, DEPTH, 1, 1, 0,
                                                  created, begin(&p), &qp));
    if (!NT_SUCCESS(status)) {
        logf("qp: %08x", status);
        connector->Dispatch->NdkReject(connector, NULL, 0);
        shut(&connector->Header, connector->Dispatch->NdkCloseConnector);
        return;
    }
    qp = p.object != NULL ? p.object : qp;
    for (i = 0; i < DEPTH; i++) {
        post(qp, i, TRUE, SLOT);
    }
    status = wait(&p, connector->Dispatch->NdkAccept(connector, qp, 0, 0, NULL, 0, disconnect_event,
                                                     NULL, complete, begin(&p)));
    logf("accept: %08x", status);
    while (NT_SUCCESS(status) && woken == STATUS_WAIT_0) {
        while (reap(qp, TRUE)) {
        }
        g.cq->Dispatch->NdkArmCq(g.cq, NDK_CQ_NOTIFY_ANY);
        if (!reap(qp, TRUE)) {
            woken = KeWaitForMultipleObjects(3, events, WaitAny, Executive, KernelMode, FALSE, NULL,
                                             NULL);
        }
    }
    if (NT_SUCCESS(status)) {
        g.served++;
        wait(&p, connector->Dispatch->NdkDisconnect(connector, complete, begin(&p)));
    }
    qp->Dispatch->NdkFlush(qp);
    while (g.outstanding != 0) {
        LARGE_INTEGER little;

        little.QuadPart = -10;
        if (!reap(qp, FALSE)) {
            KeDelayExecutionThread(KernelMode, FALSE, &little);
        }
    }
    shut(&connector->Header, connector->Dispatch->NdkCloseConnector);
    shut(&qp->Header, qp->Dispatch->NdkCloseQp);
    logf("session over, %u echoed", g.echoed);
}

static NTSTATUS open_all(void) {
    const NDK_VERSION version = {1, 2};
    WSK_CLIENT_NPI client = {NULL, &wsk_dispatch};
    struct pending p;
    NTSTATUS status = WskRegister(&client, &g.registration);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = WskCaptureProviderNPI(&g.registration, WSK_INFINITE_WAIT, &g.npi);
    if (NT_SUCCESS(status)) {
        status =
            g.npi.Dispatch->WskControlClient(g.npi.Client, WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH, 0,
                                             NULL, sizeof(g.ndk), &g.ndk, NULL, NULL);
    }
    if (NT_SUCCESS(status)) {
        status = g.ndk.WskOpenNdkAdapter(g.npi.Client, version, g.ifindex, &g.adapter);
    }
    if (NT_SUCCESS(status)) {
        status = wait(&p, g.adapter->Dispatch->NdkCreateCq(g.adapter, 4 * DEPTH, cq_notify, NULL,
                                                           NULL, created, begin(&p), &g.cq));
        g.cq = p.object != NULL ? p.object : g.cq;
    }
    if (NT_SUCCESS(status)) {
        status = wait(&p, g.adapter->Dispatch->NdkCreatePd(g.adapter, created, begin(&p), &g.pd));
        g.pd = p.object != NULL ? p.object : g.pd;
    }
    if (NT_SUCCESS(status)) {
        status = register_memory();
    }
    if (NT_SUCCESS(status)) {
        status = wait(&p, g.adapter->Dispatch->NdkCreateListener(g.adapter, connect_event, NULL,
                                                                 created, begin(&p), &g.listener));
        g.listener = p.object != NULL ? p.object : g.listener;
    }
    if (NT_SUCCESS(status)) {
        status = wait(&p, g.listener->Dispatch->NdkListen(g.listener, (PSOCKADDR)&g.address,
                                                          sizeof(g.address), complete, begin(&p)));
    }
    logf("listen: %08x", status);
    return status;
}

static void close_all(void) {
    if (g.listener != NULL) {
        shut(&g.listener->Header, g.listener->Dispatch->NdkCloseListener);
    }
    if (g.connector != NULL) {
        g.connector->Dispatch->NdkReject(g.connector, NULL, 0);
        shut(&g.connector->Header, g.connector->Dispatch->NdkCloseConnector);
    }
    forget_memory();
    if (g.pd != NULL) {
        shut(&g.pd->Header, g.pd->Dispatch->NdkClosePd);
    }
    if (g.cq != NULL) {
        shut(&g.cq->Header, g.cq->Dispatch->NdkCloseCq);
    }
    if (g.adapter != NULL) {
        g.ndk.WskCloseNdkAdapter(g.npi.Client, g.adapter);
    }
    if (g.npi.Client != NULL) {
        WskReleaseProviderNPI(&g.registration);
    }
    WskDeregister(&g.registration);
}

static VOID serve(PVOID context) {
    PVOID events[2] = {&g.stopped, &g.arrival};
    NTSTATUS status = open_all();

    UNREFERENCED_PARAMETER(context);
    while (NT_SUCCESS(status) && KeWaitForMultipleObjects(2, events, WaitAny, Executive, KernelMode,
                                                          FALSE, NULL, NULL) == STATUS_WAIT_1) {
        session(g.connector);
        InterlockedExchangePointer((PVOID *)&g.connector, NULL);
    }
    close_all();
    logf("%u sessions, %u messages", g.served, g.echoed);
    if (g.file != NULL) {
        ZwClose(g.file);
    }
    KeSetEvent(&g.idle, IO_NO_INCREMENT, FALSE);
}

VOID target_unload(PDRIVER_OBJECT driver) {
    UNREFERENCED_PARAMETER(driver);
    KeSetEvent(&g.stopped, IO_NO_INCREMENT, FALSE);
    KeWaitForSingleObject(&g.idle, Executive, KernelMode, FALSE, NULL);
}

NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path) {
    NTSTATUS status;

    KeInitializeEvent(&g.stopped, NotificationEvent, FALSE);
    KeInitializeEvent(&g.idle, NotificationEvent, FALSE);
    KeInitializeEvent(&g.arrival, SynchronizationEvent, FALSE);
    KeInitializeEvent(&g.gone, NotificationEvent, FALSE);
    KeInitializeEvent(&g.cq_event, SynchronizationEvent, FALSE);
    status = read_parameters(path);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    open_log();
    driver->DriverUnload = target_unload;
    ExInitializeWorkItem(&g.item, serve, NULL);
    ExQueueWorkItem(&g.item, DelayedWorkQueue);
    return STATUS_SUCCESS;
}
