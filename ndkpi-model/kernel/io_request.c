/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests from outside: a scenario's handles and IOCTLs. Each runs in a thread of the node that
 * waits for its IRP, as a process that calls DeviceIoControl does.
 */
#include <krn/driver.h>

#include <string.h>

#include "call_error.h"
#include "driver_state.h"
#include "io_object.h"
#include "irp.h"
#include "mdl.h"
#include "pool.h"
#include "thread.h"

#define BUFFER_TAG 0x6F496F49u /* IoIo */

struct krn_handle {
    struct krn_node *node;
    PDEVICE_OBJECT device_object;
    FILE_OBJECT file;
    struct krn_step *step; /* of the open or close that runs */
};

/* One request of a handle, while its thread waits. */
struct request {
    struct krn_gate done;
    struct krn_irp_record *record;
    NTSTATUS status;
    ULONG_PTR information;
};

/* What an IOCTL's thread owns. */
struct control {
    struct krn_node *node;
    struct krn_ioctl *ioctl;
    struct request request;
    PVOID system_buffer;
    PVOID out_copy;
    PMDL mdl;
};

static void request_completed(struct krn_irp_record *record, void *context) {
    struct request *request = context;

    request->status = record->irp->IoStatus.Status;
    request->information = record->irp->IoStatus.Information;
    krn_gate_open(&request->done);
}

static bool request_make(const struct krn_call *call, struct request *request,
                         const struct krn_handle *handle, UCHAR major) {
    PIO_STACK_LOCATION stack;

    krn_gate_init(call->node, &request->done, &call->node->object, "request");
    request->record = krn_irp_make(call->node, NULL, handle->device_object->StackSize);
    if (request->record == NULL) {
        return false;
    }
    request->record->completed = request_completed;
    request->record->context = request;
    request->record->irp->RequestorMode = KernelMode;
    request->record->irp->Tail.Overlay.OriginalFileObject = (PFILE_OBJECT)(uintptr_t)&handle->file;
    stack = IoGetNextIrpStackLocation(request->record->irp);
    stack->MajorFunction = major;
    stack->FileObject = (PFILE_OBJECT)(uintptr_t)&handle->file;
    return true;
}

/* Sends and waits; the record stays for the caller to end. */
static NTSTATUS request_run(const struct krn_call *call, struct request *request,
                            const struct krn_handle *handle) {
    (void)krn_irp_send(call, handle->device_object, request->record->irp);
    krn_gate_wait(&request->done, "request");
    return request->status;
}

static NTSTATUS simple_request(const struct krn_call *call, const struct krn_handle *handle,
                               UCHAR major) {
    struct request *request = sim_alloc(call->world, sizeof(*request));
    NTSTATUS status = STATUS_INSUFFICIENT_RESOURCES;

    /* A driver without a handler for it gets no create, cleanup or close; they succeed. */
    if (handle->device_object->DriverObject->MajorFunction[major] == NULL) {
        return STATUS_SUCCESS;
    }
    if (request_make(call, request, handle, major)) {
        status = request_run(call, request, handle);
        krn_irp_end(call, request->record);
    }
    return status;
}

static NTSTATUS open_now(const struct krn_call *call, struct krn_handle *handle) {
    NTSTATUS status;

    handle->device_object->ReferenceCount++;
    status = simple_request(call, handle, IRP_MJ_CREATE);
    if (!NT_SUCCESS(status)) {
        handle->device_object->ReferenceCount--;
    }
    return status;
}

static void close_now(const struct krn_call *call, struct krn_handle *handle) {
    (void)simple_request(call, handle, IRP_MJ_CLEANUP);
    (void)simple_request(call, handle, IRP_MJ_CLOSE);
    handle->device_object->ReferenceCount--;
}

static struct krn_handle *handle_make(struct krn_node *node, const char *name) {
    struct krn_device *device = krn_device_find(node, name);
    struct krn_handle *handle;

    if (device == NULL) {
        return NULL;
    }
    handle = sim_alloc(node->world, sizeof(*handle));
    handle->node = node;
    handle->device_object = device->device_object;
    handle->file.Type = 5;
    handle->file.Size = sizeof(handle->file);
    handle->file.DeviceObject = device->device_object;
    return handle;
}

static void open_main(void *argument) {
    struct krn_handle *handle = argument;
    struct krn_step *step = handle->step;
    struct krn_call call;

    krn_call_begin(&call, "open", PASSIVE_LEVEL, NULL);
    krn_step_end(step, open_now(&call, handle), 0);
}

static void close_main(void *argument) {
    struct krn_handle *handle = argument;
    struct krn_step *step = handle->step;
    struct krn_call call;

    krn_call_begin(&call, "close", PASSIVE_LEVEL, NULL);
    close_now(&call, handle);
    krn_step_end(step, STATUS_SUCCESS, 0);
}

struct krn_handle *krn_handle_open(struct krn_node *node, const char *device,
                                   struct krn_step *step) {
    struct krn_handle *handle = handle_make(node, device);

    krn_step_begin(step);
    if (handle == NULL) {
        krn_step_end(step, STATUS_OBJECT_NAME_NOT_FOUND, 0);
        return NULL;
    }
    handle->step = step;
    (void)krn_thread_create(node, NULL, &node->object, "open", open_main, handle);
    return handle;
}

void krn_handle_close(struct krn_handle *handle, struct krn_step *step) {
    krn_step_begin(step);
    handle->step = step;
    (void)krn_thread_create(handle->node, NULL, &handle->node->object, "close", close_main, handle);
}

static PVOID buffer_make(const struct krn_call *call, uint64_t bytes, const void *from,
                         uint64_t from_bytes) {
    struct krn_pool_request request = {
        .node = call->node,
        .bytes = bytes,
        .tag = BUFFER_TAG,
        .kind = KRN_POOL_NONPAGED,
        .zero = true,
    };
    PVOID buffer = bytes != 0 ? krn_pool_take(&request) : NULL;

    if (buffer != NULL && from_bytes != 0) {
        memcpy(buffer, from, from_bytes);
    }
    return buffer;
}

/* Buffers by the code's transfer method. Nothing of the asker's own memory is shown to a driver. */
static void buffers_make(const struct krn_call *call, struct control *control,
                         PIO_STACK_LOCATION stack) {
    const struct krn_ioctl *ioctl = control->ioctl;
    PIRP irp = control->request.record->irp;
    ULONG method = ioctl->code & 3;
    uint64_t larger = ioctl->in_bytes > ioctl->out_bytes ? ioctl->in_bytes : ioctl->out_bytes;

    if (method == METHOD_BUFFERED) {
        control->system_buffer = buffer_make(call, larger, ioctl->in, ioctl->in_bytes);
        irp->AssociatedIrp.SystemBuffer = control->system_buffer;
        return;
    }
    control->system_buffer = buffer_make(call, ioctl->in_bytes, ioctl->in, ioctl->in_bytes);
    control->out_copy = buffer_make(call, ioctl->out_bytes, ioctl->out, ioctl->out_bytes);
    if (method == METHOD_NEITHER) {
        stack->Parameters.DeviceIoControl.Type3InputBuffer = control->system_buffer;
        irp->UserBuffer = control->out_copy;
        return;
    }
    irp->AssociatedIrp.SystemBuffer = control->system_buffer;
    if (control->out_copy != NULL) {
        control->mdl = krn_mdl_make(call, NULL, control->out_copy, ioctl->out_bytes);
        krn_mdl_build(call, control->mdl);
        irp->MdlAddress = control->mdl;
    }
}

static void buffers_end(const struct krn_call *call, struct control *control) {
    const struct krn_ioctl *ioctl = control->ioctl;
    const void *from =
        (ioctl->code & 3) == METHOD_BUFFERED ? control->system_buffer : control->out_copy;
    uint64_t bytes = control->request.information;

    if ((ioctl->code & 3) != METHOD_BUFFERED || bytes > ioctl->out_bytes) {
        bytes = ioctl->out_bytes;
    }
    if (!NT_ERROR(control->request.status) && from != NULL && bytes != 0) {
        memcpy(ioctl->out, from, bytes);
    }
    if (control->mdl != NULL) {
        krn_pool_give(call, control->mdl);
    }
    if (control->out_copy != NULL) {
        krn_pool_give(call, control->out_copy);
    }
    if (control->system_buffer != NULL) {
        krn_pool_give(call, control->system_buffer);
    }
}

static NTSTATUS control_run(const struct krn_call *call, struct control *control,
                            struct krn_handle *handle) {
    const struct krn_ioctl *ioctl = control->ioctl;
    PIO_STACK_LOCATION stack;

    if (!request_make(call, &control->request, handle, IRP_MJ_DEVICE_CONTROL)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    stack = IoGetNextIrpStackLocation(control->request.record->irp);
    stack->Parameters.DeviceIoControl.IoControlCode = ioctl->code;
    stack->Parameters.DeviceIoControl.InputBufferLength = ioctl->in_bytes;
    stack->Parameters.DeviceIoControl.OutputBufferLength = ioctl->out_bytes;
    buffers_make(call, control, stack);
    (void)request_run(call, &control->request, handle);
    buffers_end(call, control);
    krn_irp_end(call, control->request.record);
    return control->request.status;
}

static void control_main(void *argument) {
    struct control *control = argument;
    struct krn_ioctl *ioctl = control->ioctl;
    struct krn_handle *handle = ioctl->handle;
    struct krn_call call;
    NTSTATUS status = STATUS_OBJECT_NAME_NOT_FOUND;

    krn_call_begin(&call, "ioctl", PASSIVE_LEVEL, NULL);
    if (handle == NULL) {
        handle = handle_make(control->node, ioctl->device);
        status = handle != NULL ? open_now(&call, handle) : status;
    } else {
        status = STATUS_SUCCESS;
    }
    if (NT_SUCCESS(status)) {
        status = control_run(&call, control, handle);
        if (ioctl->handle == NULL) {
            close_now(&call, handle);
        }
    }
    ioctl->internal = NULL;
    krn_step_end(&ioctl->step, status, control->request.information);
}

void krn_ioctl_send(struct krn_node *node, struct krn_ioctl *ioctl) {
    struct control *control = sim_alloc(node->world, sizeof(*control));

    krn_step_begin(&ioctl->step);
    control->node = node;
    control->ioctl = ioctl;
    ioctl->internal = control;
    (void)krn_thread_create(node, NULL, &node->object, "ioctl", control_main, control);
}

static void cancel_main(void *argument) {
    struct control *control = argument;
    struct krn_call call;

    krn_call_begin(&call, "cancel", PASSIVE_LEVEL, NULL);
    if (control->ioctl->internal == control && control->request.record != NULL &&
        control->request.record->irp != NULL) {
        krn_irp_cancel(&call, control->request.record->irp);
    }
}

void krn_ioctl_cancel(struct krn_ioctl *ioctl) {
    struct control *control = ioctl->internal;

    if (control != NULL) {
        (void)krn_thread_create(control->node, NULL, &control->node->object, "cancel", cancel_main,
                                control);
    }
}
