/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work items: IoQueueWorkItem, which keeps the driver's image until the routine has returned, and
 * ExQueueWorkItem, which does not.
 */
#include <ntddk.h>

#include "call_error.h"
#include "driver_state.h"
#include "fault_points.h"
#include "io_object.h"
#include "pool.h"
#include "thread.h"
#include "work_record.h"

#define WORK_TAG 0x6B6F5749u /* IWok */

struct _IO_WORKITEM {
    PVOID io_object;
    PIO_WORKITEM_ROUTINE routine;
    PIO_WORKITEM_ROUTINE_EX routine_ex;
    PVOID context;
    struct krn_driver *driver;
};

static struct krn_work_record *item_use(const struct krn_call *call, const void *item) {
    return (struct krn_work_record *)(uintptr_t)krn_record_use(call, item, KRN_KIND_WORK_ITEM);
}

static void io_work_done(struct krn_driver *driver) {
    if (driver != NULL && --driver->io_work_items == 0) {
        krn_gate_open(&driver->work_idle);
    }
}

static void io_work_run(struct krn_work *work) {
    struct krn_work_record *record = SIM_CONTAINER_OF(work, struct krn_work_record, work);
    PIO_WORKITEM item = (PIO_WORKITEM)(uintptr_t)record->duty.record.address;
    /* The routine may free the item. */
    struct _IO_WORKITEM copy = *item;
    struct krn_routine routine;

    krn_routine_begin(
        &routine, copy.routine != NULL ? (const void *)copy.routine : (const void *)copy.routine_ex,
        "work item routine");
    if (copy.routine != NULL) {
        copy.routine(copy.io_object, copy.context);
    } else {
        copy.routine_ex(copy.io_object, copy.context, item);
    }
    krn_routine_end(&routine);
    io_work_done(copy.driver);
}

static void item_init(const struct krn_call *call, PIO_WORKITEM item, PVOID io_object) {
    struct krn_driver *driver = krn_io_object_driver(call, io_object);
    struct krn_work_record *record = (struct krn_work_record *)(uintptr_t)krn_record_make(
        call, item, sizeof(*item), KRN_KIND_WORK_ITEM);

    RtlZeroMemory(item, sizeof(*item));
    item->io_object = io_object;
    item->driver = driver;
    record->work.run = io_work_run;
    record->work.object = &record->duty.record.object;
    record->work.driver = driver;
}

PIO_WORKITEM NTAPI IoAllocateWorkItem(PDEVICE_OBJECT DeviceObject) {
    KRN_CALL(DISPATCH_LEVEL);
    struct sim_object *owner = krn_call_owner(&call);
    struct krn_pool_request request = {
        .node = call.node,
        .driver = krn_io_object_driver(&call, DeviceObject),
        .bytes = sizeof(struct _IO_WORKITEM),
        .tag = WORK_TAG,
        .kind = KRN_POOL_KERNEL,
    };
    PIO_WORKITEM item = NULL;

    krn_call_point(&call, owner, SIM_ACCESS_CREATE);
    if (!sim_fault_hit(call.world, &krn_fault_work_item, owner, NULL)) {
        item = krn_pool_take(&request);
    }
    if (item != NULL) {
        item_init(&call, item, DeviceObject);
    }
    return item;
}

static void check_idle(const struct krn_call *call, const struct krn_work_record *record) {
    if (record->work.is_queued) {
        krn_call_error(call, 0x96, 0, 0, "the work item is queued");
    }
}

VOID NTAPI IoFreeWorkItem(PIO_WORKITEM IoWorkItem) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_work_record *record = item_use(&call, IoWorkItem);

    krn_call_point(&call, &record->duty.record.object, SIM_ACCESS_CLOSE);
    record = item_use(&call, IoWorkItem);
    check_idle(&call, record);
    if (krn_chunk_live_at(call.krn, IoWorkItem) == NULL) {
        krn_call_error(&call, 0xC2, 0x46, 0, "IoAllocateWorkItem did not make it");
    }
    krn_pool_give(&call, IoWorkItem);
}

ULONG NTAPI IoSizeofWorkItem(VOID) {
    return sizeof(struct _IO_WORKITEM);
}

VOID NTAPI IoInitializeWorkItem(PVOID IoObject, PIO_WORKITEM IoWorkItem) {
    KRN_CALL(DISPATCH_LEVEL);
    item_init(&call, IoWorkItem, IoObject);
}

VOID NTAPI IoUninitializeWorkItem(PIO_WORKITEM IoWorkItem) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_work_record *record = item_use(&call, IoWorkItem);

    check_idle(&call, record);
    krn_record_end(&record->duty.record);
}

static BOOLEAN queue(const struct krn_call *call, PIO_WORKITEM item, PIO_WORKITEM_ROUTINE routine,
                     PIO_WORKITEM_ROUTINE_EX routine_ex, WORK_QUEUE_TYPE type, PVOID context,
                     bool may_be_queued) {
    struct krn_work_record *record = item_use(call, item);

    krn_call_point(call, &record->duty.record.object, SIM_ACCESS_WRITE);
    record = item_use(call, item);
    if (record->work.is_queued && may_be_queued) {
        return FALSE;
    }
    check_idle(call, record);
    item->routine = routine;
    item->routine_ex = routine_ex;
    item->context = context;
    if (item->driver != NULL) {
        item->driver->io_work_items++;
        krn_gate_shut(&item->driver->work_idle);
    }
    krn_work_queue(call->node, &record->work, krn_work_queue_of((int)type));
    return TRUE;
}

VOID NTAPI IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine,
                           WORK_QUEUE_TYPE QueueType, PVOID Context) {
    KRN_CALL(DISPATCH_LEVEL);
    (void)queue(&call, IoWorkItem, WorkerRoutine, NULL, QueueType, Context, false);
}

VOID NTAPI IoQueueWorkItemEx(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE_EX WorkerRoutine,
                             WORK_QUEUE_TYPE QueueType, PVOID Context) {
    KRN_CALL(DISPATCH_LEVEL);
    (void)queue(&call, IoWorkItem, NULL, WorkerRoutine, QueueType, Context, false);
}

BOOLEAN NTAPI IoTryQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE_EX WorkerRoutine,
                                 WORK_QUEUE_TYPE QueueType, PVOID Context) {
    KRN_CALL(DISPATCH_LEVEL);
    return queue(&call, IoWorkItem, NULL, WorkerRoutine, QueueType, Context, true);
}

static void legacy_run(struct krn_work *work) {
    struct krn_work_record *record = SIM_CONTAINER_OF(work, struct krn_work_record, work);
    PWORK_QUEUE_ITEM item = (PWORK_QUEUE_ITEM)(uintptr_t)record->duty.record.address;
    struct krn_routine routine;

    if (!krn_record_memory_is_live(NULL, &record->duty.record)) {
        struct krn_call call;

        krn_call_begin(&call, "the worker thread", HIGH_LEVEL, NULL);
        (void)krn_record_use(&call, item, KRN_KIND_WORK_ITEM);
    }
    item->List.Flink = NULL;
    krn_routine_begin(&routine, (const void *)item->WorkerRoutine, "work item routine");
    item->WorkerRoutine(item->Parameter);
    krn_routine_end(&routine);
}

VOID NTAPI ExQueueWorkItem(PWORK_QUEUE_ITEM WorkItem, WORK_QUEUE_TYPE QueueType) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *found = krn_record_find(call.krn, WorkItem);
    struct krn_work_record *record;

    if (found == NULL || found->kind != KRN_KIND_WORK_ITEM ||
        !krn_record_memory_is_live(&call, found)) {
        /* ExInitializeWorkItem is a macro: the kernel meets the item here. */
        found = krn_record_make(&call, WorkItem, sizeof(*WorkItem), KRN_KIND_WORK_ITEM);
    }
    krn_call_point(&call, &found->object, SIM_ACCESS_WRITE);
    record = item_use(&call, WorkItem);
    check_idle(&call, record);
    krn_routine_check(call.world, (const void *)WorkItem->WorkerRoutine, "work item routine");
    record->work.run = legacy_run;
    record->work.object = &record->duty.record.object;
    record->work.driver = krn_driver_of_code(call.world, (const void *)WorkItem->WorkerRoutine);
    WorkItem->List.Flink = &WorkItem->List;
    krn_work_queue(call.node, &record->work, krn_work_queue_of((int)QueueType));
}
