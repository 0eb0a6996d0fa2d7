/* SPDX-License-Identifier: Apache-2.0 */
/* IRPs: allocation, sending, completion, cancellation. */
#include "irp.h"

#include <krn/bugcheck.h>

#include "bugcheck_guilty.h"
#include "call_error.h"
#include "driver_state.h"
#include "fault_points.h"
#include "io_object.h"
#include "pool.h"
#include "spin.h"

#define IRP_TAG 0x20707249u /* Irp */
#define IRP_TYPE 6

static void irp_fill(PIRP irp, USHORT bytes, CCHAR stack_size) {
    RtlZeroMemory(irp, bytes);
    irp->Type = IRP_TYPE;
    irp->Size = bytes;
    irp->StackCount = (CHAR)stack_size;
    irp->CurrentLocation = (CHAR)(stack_size + 1);
    irp->Tail.Overlay.CurrentStackLocation = (PIO_STACK_LOCATION)(void *)(irp + 1) + stack_size;
    InitializeListHead(&irp->ThreadListEntry);
}

static struct krn_irp_record *record_make(struct krn_node *node, struct krn_driver *maker,
                                          PIRP irp) {
    struct krn_irp_record *record = sim_alloc(node->world, sizeof(*record));

    sim_object_init(node->world, &record->object,
                    maker != NULL ? krn_driver_object(maker) : &node->object, "irp",
                    SIM_NAME_INDEXED);
    record->node = node;
    record->maker = maker;
    record->irp = irp;
    record->previous = node->irp_last;
    if (node->irp_last != NULL) {
        node->irp_last->next = record;
    } else {
        node->irp_first = record;
    }
    node->irp_last = record;
    return record;
}

struct krn_irp_record *krn_irp_make(struct krn_node *node, struct krn_driver *maker,
                                    CCHAR stack_size) {
    struct krn_pool_request request = {
        .node = node,
        .driver = maker,
        .bytes = IoSizeOfIrp(stack_size),
        .tag = IRP_TAG,
        .kind = KRN_POOL_KERNEL,
    };
    PIRP irp = krn_pool_take(&request);

    if (irp == NULL) {
        return NULL;
    }
    irp_fill(irp, (USHORT)request.bytes, stack_size);
    return record_make(node, maker, irp);
}

void krn_irp_end(const struct krn_call *call, struct krn_irp_record *record) {
    struct krn_node *node = record->node;

    if (record->previous != NULL) {
        record->previous->next = record->next;
    } else {
        node->irp_first = record->next;
    }
    if (record->next != NULL) {
        record->next->previous = record->previous;
    } else {
        node->irp_last = record->previous;
    }
    record->object.closed = true;
    krn_pool_give(call, record->irp);
    /* The object outlives the record's use: ids stay valid. */
    record->irp = NULL;
}

static struct krn_irp_record *find(const struct krn_node *node, const IRP *irp) {
    struct krn_irp_record *record = node->irp_last;

    while (record != NULL && record->irp != irp) {
        record = record->previous;
    }
    return record;
}

struct krn_irp_record *krn_irp_use(const struct krn_call *call, PIRP irp) {
    struct krn_irp_record *record = find(call->node, irp);

    if (record == NULL) {
        krn_check_memory(call, irp, sizeof(*irp), "IRP");
        krn_call_error(call, 0xC9, 0x01, 0, "that is no IRP of IoAllocateIrp");
    }
    return record;
}

uint32_t krn_irp_count(const struct krn_driver *driver) {
    uint32_t count = 0;

    for (const struct krn_irp_record *record = krn_driver_node(driver)->irp_first; record != NULL;
         record = record->next) {
        count += record->is_sent && record->holder == driver;
    }
    return count;
}

PIRP NTAPI IoAllocateIrp(CCHAR StackSize, BOOLEAN ChargeQuota) {
    KRN_CALL(DISPATCH_LEVEL);
    struct sim_object *owner = krn_call_owner(&call);
    struct krn_irp_record *record = NULL;

    UNREFERENCED_PARAMETER(ChargeQuota);
    krn_call_point(&call, owner, SIM_ACCESS_CREATE);
    if (!sim_fault_hit(call.world, &krn_fault_irp, owner, NULL)) {
        record = krn_irp_make(call.node, krn_call_driver(&call), StackSize);
    }
    return record != NULL ? record->irp : NULL;
}

VOID NTAPI IoFreeIrp(PIRP Irp) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_irp_record *record = krn_irp_use(&call, Irp);

    krn_call_point(&call, &record->object, SIM_ACCESS_CLOSE);
    if (record->is_sent) {
        krn_call_error(&call, 0xC9, 0x02, 0, "a driver still has the IRP");
    }
    krn_irp_end(&call, record);
}

VOID NTAPI IoInitializeIrp(PIRP Irp, USHORT PacketSize, CCHAR StackSize) {
    KRN_CALL(DISPATCH_LEVEL);
    krn_check_memory(&call, Irp, PacketSize, "IRP");
    irp_fill(Irp, PacketSize, StackSize);
    if (find(call.node, Irp) == NULL) {
        (void)record_make(call.node, krn_call_driver(&call), Irp);
    }
}

VOID NTAPI IoReuseIrp(PIRP Irp, NTSTATUS Iostatus) {
    KRN_CALL(DISPATCH_LEVEL);
    const struct krn_irp_record *record = krn_irp_use(&call, Irp);

    if (record->is_sent) {
        krn_call_error(&call, 0xC9, 0x03, 0, "a driver still has the IRP");
    }
    irp_fill(Irp, Irp->Size, Irp->StackCount);
    Irp->IoStatus.Status = Iostatus;
}

static NTSTATUS invalid_request(PIRP irp) {
    irp->IoStatus.Status = STATUS_INVALID_DEVICE_REQUEST;
    irp->IoStatus.Information = 0;
    IofCompleteRequest(irp, IO_NO_INCREMENT);
    return STATUS_INVALID_DEVICE_REQUEST;
}

static NTSTATUS dispatch(PDEVICE_OBJECT device_object, PIRP irp, UCHAR major) {
    PDRIVER_DISPATCH code = device_object->DriverObject->MajorFunction[major];
    struct krn_routine routine;
    NTSTATUS status;

    if (code == NULL) {
        return invalid_request(irp);
    }
    krn_routine_begin(&routine, (const void *)code, "dispatch routine");
    status = code(device_object, irp);
    krn_routine_end(&routine);
    return status;
}

/* What a dispatch routine answers must fit what it did. The IRP may be gone when it was completed.
 */
static void check_answer(const struct krn_device *device, UCHAR major,
                         const struct krn_irp_record *record, NTSTATUS status) {
    const void *code = (const void *)device->driver->driver_object.MajorFunction[major];
    bool is_here = record->irp != NULL && record->is_sent;
    char name[SIM_NAME_BYTES];

    sim_object_name(&device->object, name, sizeof(name));
    if (status != STATUS_PENDING && is_here) {
        krn_bugcheck_of(device->driver, code, 0xC9, 0x0E, (ULONG)status,
                        "%s answered 0x%08X and did not complete the IRP", name, (ULONG)status);
    }
    if (status == STATUS_PENDING && is_here &&
        (IoGetCurrentIrpStackLocation(record->irp)->Control & SL_PENDING_RETURNED) == 0) {
        krn_bugcheck_of(device->driver, code, 0xC9, 0x0D, 0,
                        "%s answered STATUS_PENDING without IoMarkIrpPending", name);
    }
    if (status != STATUS_PENDING && !is_here && record->was_pending) {
        krn_bugcheck_of(device->driver, code, 0xC9, 0x0C, (ULONG)status,
                        "%s marked the IRP pending and answered 0x%08X", name, (ULONG)status);
    }
}

NTSTATUS krn_irp_send(const struct krn_call *call, PDEVICE_OBJECT device_object, PIRP irp) {
    struct krn_irp_record *record = krn_irp_use(call, irp);
    struct krn_device *device = krn_device_of(call->node, device_object);
    PIO_STACK_LOCATION stack;
    NTSTATUS status;
    UCHAR major;

    if (device == NULL) {
        krn_bad_pointer(call, device_object, "device object");
    }
    irp->CurrentLocation--;
    if (irp->CurrentLocation <= 0) {
        krn_call_error(call, 0x35, 0, 0, "the IRP has no stack location left");
    }
    stack = --irp->Tail.Overlay.CurrentStackLocation;
    stack->DeviceObject = device_object;
    record->is_sent = true;
    record->was_pending = false;
    record->holder = device->driver;
    sim_trace(call->world, KRN_TRACE_IRP_SEND, SIM_ACCESS_WRITE, &record->object, &device->object,
              NULL, stack->MajorFunction, 0);
    krn_call_point(call, &device->object, SIM_ACCESS_WRITE);
    major = stack->MajorFunction; /* the IRP may be gone afterwards */
    status = dispatch(device_object, irp, major);
    check_answer(device, major, record, status);
    return status;
}

void krn_irp_refuse(const struct krn_call *call, PIRP irp, NTSTATUS status) {
    struct krn_irp_record *record = krn_irp_use(call, irp);

    if (record->is_sent || irp->CurrentLocation <= 1) {
        krn_call_error(call, record->is_sent ? 0xC9 : 0x35, 0x03, 0,
                       record->is_sent ? "a driver still has the IRP"
                                       : "the IRP has no stack location left");
    }
    IoSetNextIrpStackLocation(irp);
    record->is_sent = true;
    record->was_pending = false;
    irp->IoStatus.Status = status;
    irp->IoStatus.Information = 0;
    IofCompleteRequest(irp, IO_NO_INCREMENT);
}

NTSTATUS NTAPI IofCallDriver(PDEVICE_OBJECT DeviceObject, PIRP Irp) {
    KRN_CALL(DISPATCH_LEVEL);
    return krn_irp_send(&call, DeviceObject, Irp);
}

/* True when the routine keeps the IRP. */
static bool call_completion(PIRP irp, const IO_STACK_LOCATION *stack, PDEVICE_OBJECT device) {
    struct krn_routine routine;
    NTSTATUS status;

    krn_routine_begin(&routine, (const void *)stack->CompletionRoutine, "completion routine");
    status = stack->CompletionRoutine(device, irp, stack->Context);
    krn_routine_end(&routine);
    return status == STATUS_MORE_PROCESSING_REQUIRED;
}

static bool wants_call(const IRP *irp, const IO_STACK_LOCATION *stack) {
    UCHAR control = stack->Control;

    if (irp->Cancel && (control & SL_INVOKE_ON_CANCEL) != 0) {
        return true;
    }
    return (control &
            (NT_SUCCESS(irp->IoStatus.Status) ? SL_INVOKE_ON_SUCCESS : SL_INVOKE_ON_ERROR)) != 0;
}

static void check_completion(const struct krn_call *call, const struct krn_irp_record *record) {
    const IRP *irp = record->irp;

    if (!record->is_sent || irp->CurrentLocation > irp->StackCount) {
        krn_call_error(call, 0x44, 0, 0, "the IRP was completed before");
    }
    if (irp->CancelRoutine != NULL) {
        krn_call_error(call, 0x48, 0, 0, "the IRP still has a cancel routine");
    }
    if (irp->IoStatus.Status == STATUS_PENDING) {
        krn_call_error(call, 0xC9, 0x06, 0, "the IRP's status is STATUS_PENDING");
    }
}

/* Walks up the stack locations; false when a completion routine kept the IRP. */
static bool complete_up(struct krn_irp_record *record) {
    PIRP irp = record->irp;

    while (irp->CurrentLocation <= irp->StackCount) {
        const IO_STACK_LOCATION stack = *irp->Tail.Overlay.CurrentStackLocation;
        PDEVICE_OBJECT device;

        irp->PendingReturned = (stack.Control & SL_PENDING_RETURNED) != 0;
        irp->CurrentLocation++;
        irp->Tail.Overlay.CurrentStackLocation++;
        device = irp->CurrentLocation <= irp->StackCount
                     ? irp->Tail.Overlay.CurrentStackLocation->DeviceObject
                     : NULL;
        record->is_sent = irp->CurrentLocation <= irp->StackCount;
        if (stack.CompletionRoutine != NULL && wants_call(irp, &stack) &&
            call_completion(irp, &stack, device)) {
            return false;
        }
    }
    return true;
}

VOID NTAPI IofCompleteRequest(PIRP Irp, CCHAR PriorityBoost) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_irp_record *record = krn_irp_use(&call, Irp);

    UNREFERENCED_PARAMETER(PriorityBoost);
    check_completion(&call, record);
    krn_call_point(&call, &record->object, SIM_ACCESS_WRITE);
    check_completion(&call, krn_irp_use(&call, Irp));
    sim_trace(call.world, KRN_TRACE_IRP_COMPLETE, SIM_ACCESS_WRITE, &record->object, NULL, NULL,
              (ULONG)Irp->IoStatus.Status, Irp->IoStatus.Information);
    record->was_pending = (IoGetCurrentIrpStackLocation(Irp)->Control & SL_PENDING_RETURNED) != 0;
    if (complete_up(record) && record->completed != NULL) {
        record->completed(record, record->context);
    }
}

static KIRQL cancel_lock(struct krn_call *call) {
    KIRQL old = call->level;

    sim_cpu_raise(call->cpu, DISPATCH_LEVEL);
    call->level = DISPATCH_LEVEL;
    krn_spin_acquire(call, (PKSPIN_LOCK)&call->node->cancel_lock, NULL);
    return old;
}

VOID NTAPI IoAcquireCancelSpinLock(PKIRQL Irql) {
    KRN_CALL(DISPATCH_LEVEL);
    *Irql = cancel_lock(&call);
}

VOID NTAPI IoReleaseCancelSpinLock(KIRQL Irql) {
    KRN_CALL(DISPATCH_LEVEL);
    krn_spin_release(&call, (PKSPIN_LOCK)&call.node->cancel_lock, NULL);
    sim_cpu_lower(call.cpu, Irql);
}

static BOOLEAN cancel(struct krn_call *call, PIRP irp) {
    struct krn_irp_record *record = krn_irp_use(call, irp);
    PDRIVER_CANCEL routine;
    KIRQL old = cancel_lock(call);

    sim_trace(call->world, KRN_TRACE_IRP_CANCEL, SIM_ACCESS_WRITE, &record->object, NULL, NULL, 0,
              0);
    irp->Cancel = TRUE;
    routine = irp->CancelRoutine;
    irp->CancelRoutine = NULL;
    if (routine == NULL) {
        krn_spin_release(call, (PKSPIN_LOCK)&call->node->cancel_lock, NULL);
        sim_cpu_lower(call->cpu, old);
        return FALSE;
    }
    irp->CancelIrql = old;
    krn_routine_check(call->world, (const void *)routine, "cancel routine");
    routine(IoGetCurrentIrpStackLocation(irp)->DeviceObject, irp);
    if (sim_cpu_level(call->cpu) != old) {
        krn_call_error(call, 0xC9, 0x11, old, "the cancel routine did not go back to CancelIrql");
    }
    return TRUE;
}

BOOLEAN NTAPI IoCancelIrp(PIRP Irp) {
    KRN_CALL(DISPATCH_LEVEL);
    return cancel(&call, Irp);
}

void krn_irp_cancel(const struct krn_call *call, PIRP irp) {
    struct krn_call copy = *call;

    (void)cancel(&copy, irp);
}
