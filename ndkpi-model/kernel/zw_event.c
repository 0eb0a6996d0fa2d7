/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events by handle: the event itself is the kernel's, a driver has its handle and, for the calls
 * that take one, its address. It ends with its last handle and reference; use after that is use of
 * no event.
 */
#include <ntddk.h>

#include <krn/bugcheck.h>

#include "call_error.h"
#include "handle.h"
#include "pool.h"
#include "record.h"
#include "wait.h"
#include "wide.h"

#define NAME_BYTES 256u

struct krn_event_object {
    KEVENT event; /* first: PKEVENT points here */
    struct krn_record record;
    struct krn_event_object *next; /* of the node, by birth */
    struct krn_node *node;
    const char *name; /* NULL: it has none */
    uint32_t references;
};

struct krn_event_object *krn_event_object_of(const void *object) {
    struct sim_task *task = sim_task_current();
    const struct krn_node *node = krn_cpu_of(sim_task_cpu(task))->node;
    struct krn_event_object *event = node->event_first;

    while (event != NULL && (&event->event != object || event->references == 0)) {
        event = event->next;
    }
    return event;
}

LONG_PTR krn_event_reference(struct krn_event_object *event) {
    return (LONG_PTR)++event->references;
}

LONG_PTR krn_event_dereference(const struct krn_call *call, struct krn_event_object *event) {
    if (--event->references == 0) {
        if (event->record.waiters != NULL) {
            krn_call_error(call, 0xC4, 0xE3, 0, "somebody waits for the event that ends now");
        }
        krn_record_end(&event->record);
    }
    return (LONG_PTR)event->references;
}

static struct krn_event_object *by_name(const struct krn_node *node, const char *name) {
    struct krn_event_object *event = node->event_first;

    while (event != NULL && (event->references == 0 || event->name == NULL ||
                             !krn_text_equal_fold(event->name, name))) {
        event = event->next;
    }
    return event;
}

static struct krn_event_object *make(const struct krn_call *call, const char *name, EVENT_TYPE type,
                                     bool state) {
    struct krn_node *node = call->node;
    struct krn_event_object *event = sim_alloc(call->world, sizeof(*event));

    event->node = node;
    event->name = name != NULL ? sim_text_keep(call->world, name) : NULL;
    event->event.Header.Type =
        (UCHAR)(type == NotificationEvent ? KRN_HEADER_EVENT_NOTIFICATION
                                          : KRN_HEADER_EVENT_SYNCHRONIZATION);
    event->event.Header.Size = sizeof(KEVENT) / sizeof(ULONG);
    event->event.Header.SignalState = state;
    krn_record_own(node, &event->record, &event->event, KRN_KIND_EVENT, krn_call_owner(call),
                   "event");
    if (node->event_last != NULL) {
        node->event_last->next = event;
    } else {
        node->event_first = event;
    }
    node->event_last = event;
    return event;
}

static HANDLE handle_make(const struct krn_call *call, struct krn_event_object *event) {
    (void)krn_event_reference(event);
    return krn_handle_make(call, KRN_HANDLE_EVENT, event);
}

static PKEVENT create_named(const struct krn_call *call, PUNICODE_STRING wide, PHANDLE handle,
                            EVENT_TYPE type) {
    struct krn_event_object *event;
    char name[NAME_BYTES];

    krn_wide_check(call, wide, "event name");
    krn_check_memory(call, handle, sizeof(*handle), "handle");
    krn_call_point(call, NULL, SIM_ACCESS_CREATE);
    krn_wide_text(wide, name, sizeof(name));
    event = by_name(call->node, name);
    if (event == NULL) {
        event = make(call, name, type, true);
    }
    *handle = handle_make(call, event);
    return &event->event;
}

PKEVENT NTAPI IoCreateNotificationEvent(PUNICODE_STRING EventName, PHANDLE EventHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    return create_named(&call, EventName, EventHandle, NotificationEvent);
}

PKEVENT NTAPI IoCreateSynchronizationEvent(PUNICODE_STRING EventName, PHANDLE EventHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    return create_named(&call, EventName, EventHandle, SynchronizationEvent);
}

/* The name in the attributes, or NULL. */
static const char *name_of(const struct krn_call *call, POBJECT_ATTRIBUTES attributes,
                           char name[NAME_BYTES]) {
    if (attributes == NULL) {
        return NULL;
    }
    krn_check_memory(call, attributes, sizeof(*attributes), "object attributes");
    if (attributes->ObjectName == NULL) {
        return NULL;
    }
    krn_wide_check(call, attributes->ObjectName, "object name");
    return krn_wide_text(attributes->ObjectName, name, NAME_BYTES);
}

NTSTATUS NTAPI ZwCreateEvent(PHANDLE EventHandle, ACCESS_MASK DesiredAccess,
                             POBJECT_ATTRIBUTES ObjectAttributes, EVENT_TYPE EventType,
                             BOOLEAN InitialState) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_event_object *event = NULL;
    NTSTATUS status = STATUS_SUCCESS;
    char buffer[NAME_BYTES];
    const char *name = name_of(&call, ObjectAttributes, buffer);

    UNREFERENCED_PARAMETER(DesiredAccess);
    krn_check_memory(&call, EventHandle, sizeof(*EventHandle), "handle");
    krn_call_point(&call, NULL, SIM_ACCESS_CREATE);
    if (EventType != NotificationEvent && EventType != SynchronizationEvent) {
        return STATUS_INVALID_PARAMETER;
    }
    event = name != NULL ? by_name(call.node, name) : NULL;
    if (event != NULL && (ObjectAttributes->Attributes & OBJ_OPENIF) == 0) {
        return STATUS_OBJECT_NAME_COLLISION;
    }
    if (event != NULL) {
        status = STATUS_OBJECT_NAME_EXISTS;
    } else {
        event = make(&call, name, EventType, InitialState);
    }
    *EventHandle = handle_make(&call, event);
    return status;
}

NTSTATUS NTAPI ZwOpenEvent(PHANDLE EventHandle, ACCESS_MASK DesiredAccess,
                           POBJECT_ATTRIBUTES ObjectAttributes) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_event_object *event;
    char buffer[NAME_BYTES];
    const char *name = name_of(&call, ObjectAttributes, buffer);

    UNREFERENCED_PARAMETER(DesiredAccess);
    krn_check_memory(&call, EventHandle, sizeof(*EventHandle), "handle");
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    if (name == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    event = by_name(call.node, name);
    if (event == NULL) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    *EventHandle = handle_make(&call, event);
    return STATUS_SUCCESS;
}

static struct krn_event_object *of_handle(const struct krn_call *call, HANDLE handle) {
    const struct krn_handle_entry *entry = krn_handle_find(call->node, handle);

    return entry != NULL && entry->kind == KRN_HANDLE_EVENT ? entry->object : NULL;
}

/* Reset or set; the state that it had. */
static NTSTATUS put(const struct krn_call *call, HANDLE handle, PLONG previous, bool set) {
    struct krn_event_object *event = of_handle(call, handle);
    LONG old;

    if (previous != NULL) {
        krn_check_memory(call, previous, sizeof(*previous), "previous state");
    }
    if (event == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    old = set ? KeSetEvent(&event->event, IO_NO_INCREMENT, FALSE) : KeResetEvent(&event->event);
    if (previous != NULL) {
        *previous = old;
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ZwSetEvent(HANDLE EventHandle, PLONG PreviousState) {
    KRN_CALL(DISPATCH_LEVEL);
    return put(&call, EventHandle, PreviousState, true);
}

NTSTATUS NTAPI ZwResetEvent(HANDLE EventHandle, PLONG PreviousState) {
    KRN_CALL(PASSIVE_LEVEL);
    return put(&call, EventHandle, PreviousState, false);
}

NTSTATUS NTAPI ZwClearEvent(HANDLE EventHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    return put(&call, EventHandle, NULL, false);
}

bool krn_event_handle_put(const struct krn_call *call, HANDLE handle, bool set) {
    return handle == NULL || NT_SUCCESS(put(call, handle, NULL, set));
}

NTSTATUS NTAPI ZwWaitForSingleObject(HANDLE Handle, BOOLEAN Alertable, PLARGE_INTEGER Timeout) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_handle_entry *entry = krn_handle_find(call.node, Handle);

    if (entry == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    if (entry->kind != KRN_HANDLE_THREAD && entry->kind != KRN_HANDLE_EVENT) {
        return STATUS_OBJECT_TYPE_MISMATCH;
    }
    return KeWaitForSingleObject(entry->object, Executive, KernelMode, Alertable, Timeout);
}
