/* SPDX-License-Identifier: Apache-2.0 */
/* Event log entries, and IOCTLs from one driver to another. */
#include <ntddk.h>

#include <stdio.h>

#include "call_error.h"
#include "driver_state.h"
#include "io_object.h"
#include "irp.h"
#include "mdl.h"
#include "pool.h"

#define LOG_TAG 0x456C6F49u /* IolE */

struct log_entry {
    struct sim_object *owner;
    ULONG64 bytes;
    IO_ERROR_LOG_PACKET packet;
};

static struct log_entry *entry_of(const struct krn_call *call, PVOID packet) {
    struct log_entry *entry = SIM_CONTAINER_OF(packet, struct log_entry, packet);

    if (krn_chunk_live_at(call->krn, entry) == NULL) {
        krn_bad_pointer(call, packet, "event log entry");
    }
    return entry;
}

PVOID NTAPI IoAllocateErrorLogEntry(PVOID IoObject, UCHAR EntrySize) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_driver *driver = krn_io_object_driver(&call, IoObject);
    struct krn_pool_request request = {
        .node = call.node,
        .driver = driver,
        .bytes = offsetof(struct log_entry, packet) + EntrySize,
        .tag = LOG_TAG,
        .kind = KRN_POOL_KERNEL,
        .zero = true,
    };
    struct log_entry *entry;

    krn_call_point(&call, &driver->object, SIM_ACCESS_CREATE);
    if (EntrySize < sizeof(IO_ERROR_LOG_PACKET) || EntrySize > ERROR_LOG_MAXIMUM_SIZE) {
        return NULL;
    }
    entry = krn_pool_take(&request);
    if (entry == NULL) {
        return NULL;
    }
    entry->owner = &driver->object;
    entry->bytes = EntrySize;
    return &entry->packet;
}

VOID NTAPI IoWriteErrorLogEntry(PVOID ElEntry) {
    KRN_CALL(DISPATCH_LEVEL);
    struct log_entry *entry = entry_of(&call, ElEntry);
    char text[128];

    krn_call_point(&call, entry->owner, SIM_ACCESS_WRITE);
    (void)snprintf(text, sizeof(text), "event log: error 0x%08X, value 0x%X, status 0x%08X",
                   (ULONG)entry->packet.ErrorCode, entry->packet.UniqueErrorValue,
                   (ULONG)entry->packet.FinalStatus);
    sim_text(call.world, entry->owner, text);
    krn_pool_give(&call, entry);
}

VOID NTAPI IoFreeErrorLogEntry(PVOID ElEntry) {
    KRN_CALL(DISPATCH_LEVEL);
    krn_pool_give(&call, entry_of(&call, ElEntry));
}

/* What the kernel does when such an IRP is complete: buffers back, status out, event set, free. */
struct built {
    struct krn_irp_record *record;
    PVOID system_buffer;
    PVOID output;
    ULONG output_bytes;
    PIO_STATUS_BLOCK status;
    PKEVENT event;
};

static void built_completed(struct krn_irp_record *record, void *context) {
    struct built *built = context;
    IO_STATUS_BLOCK status = record->irp->IoStatus;
    struct krn_call call;

    krn_call_begin(&call, "IoCompleteRequest", DISPATCH_LEVEL, NULL);
    if (built->system_buffer != NULL && !NT_ERROR(status.Status) && status.Information != 0) {
        ULONG_PTR bytes =
            status.Information < built->output_bytes ? status.Information : built->output_bytes;

        krn_check_memory(&call, built->output, bytes, "output buffer");
        memcpy(built->output, built->system_buffer, bytes);
    }
    if (built->system_buffer != NULL) {
        krn_pool_give(&call, built->system_buffer);
    }
    if (record->irp->MdlAddress != NULL) {
        krn_pool_give(&call, record->irp->MdlAddress);
    }
    krn_irp_end(&call, record);
    *built->status = status;
    if (built->event != NULL) {
        (void)KeSetEvent(built->event, IO_NO_INCREMENT, FALSE);
    }
    sim_free(call.world, built, sizeof(*built));
}

static bool built_buffers(const struct krn_call *call, struct built *built, ULONG code, PVOID input,
                          ULONG input_bytes, PIO_STACK_LOCATION stack) {
    ULONG method = code & 3;
    ULONG larger = method == METHOD_BUFFERED && built->output_bytes > input_bytes
                       ? built->output_bytes
                       : input_bytes;
    struct krn_pool_request request = {.node = call->node,
                                       .bytes = larger,
                                       .tag = LOG_TAG,
                                       .kind = KRN_POOL_NONPAGED,
                                       .zero = true};
    PIRP irp = built->record->irp;

    if (method == METHOD_NEITHER) {
        stack->Parameters.DeviceIoControl.Type3InputBuffer = input;
        irp->UserBuffer = built->output;
        return true;
    }
    if (larger != 0) {
        built->system_buffer = krn_pool_take(&request);
        if (built->system_buffer == NULL) {
            return false;
        }
        if (input_bytes != 0) {
            memcpy(built->system_buffer, input, input_bytes);
        }
    }
    irp->AssociatedIrp.SystemBuffer = built->system_buffer;
    if (method != METHOD_BUFFERED && built->output_bytes != 0) {
        irp->MdlAddress = krn_mdl_make(call, NULL, built->output, built->output_bytes);
        krn_mdl_build(call, irp->MdlAddress);
        built->output_bytes = 0;
    }
    return true;
}

PIRP NTAPI IoBuildDeviceIoControlRequest(ULONG IoControlCode, PDEVICE_OBJECT DeviceObject,
                                         PVOID InputBuffer, ULONG InputBufferLength,
                                         PVOID OutputBuffer, ULONG OutputBufferLength,
                                         BOOLEAN InternalDeviceIoControl, PKEVENT Event,
                                         PIO_STATUS_BLOCK IoStatusBlock) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_irp_record *record;
    struct built *built;
    PIO_STACK_LOCATION stack;

    krn_check_memory(&call, DeviceObject, sizeof(*DeviceObject), "device object");
    krn_check_memory(&call, IoStatusBlock, sizeof(*IoStatusBlock), "I/O status block");
    record = krn_irp_make(call.node, NULL, DeviceObject->StackSize);
    if (record == NULL) {
        return NULL;
    }
    built = sim_alloc(call.world, sizeof(*built));
    built->record = record;
    built->output = OutputBuffer;
    built->output_bytes = OutputBufferLength;
    built->status = IoStatusBlock;
    built->event = Event;
    record->completed = built_completed;
    record->context = built;
    stack = IoGetNextIrpStackLocation(record->irp);
    stack->MajorFunction =
        InternalDeviceIoControl ? IRP_MJ_INTERNAL_DEVICE_CONTROL : IRP_MJ_DEVICE_CONTROL;
    stack->Parameters.DeviceIoControl.IoControlCode = IoControlCode;
    stack->Parameters.DeviceIoControl.InputBufferLength = InputBufferLength;
    stack->Parameters.DeviceIoControl.OutputBufferLength = OutputBufferLength;
    if (!built_buffers(&call, built, IoControlCode, InputBuffer, InputBufferLength, stack)) {
        krn_irp_end(&call, record);
        sim_free(call.world, built, sizeof(*built));
        return NULL;
    }
    return record->irp;
}
