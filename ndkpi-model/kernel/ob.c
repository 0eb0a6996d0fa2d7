/* SPDX-License-Identifier: Apache-2.0 */
/* Handles and object references. */
#include "handle.h"

#include <string.h>

#include <krn/bugcheck.h>

#include "call_error.h"
#include "driver_state.h"
#include "file.h"
#include "pool.h"
#include "thread.h"

struct krn_handle_table {
    struct krn_handle_entry *entries;
    uint32_t count;
    uint32_t capacity;
};

struct _OBJECT_TYPE {
    enum krn_handle_kind kind;
};

static struct _OBJECT_TYPE thread_type = {KRN_HANDLE_THREAD};
static struct _OBJECT_TYPE event_type = {KRN_HANDLE_EVENT};
static struct _OBJECT_TYPE file_type = {KRN_HANDLE_FILE};
static POBJECT_TYPE thread_type_pointer = &thread_type;
static POBJECT_TYPE event_type_pointer = &event_type;
static POBJECT_TYPE file_type_pointer = &file_type;
POBJECT_TYPE *PsThreadType = &thread_type_pointer;
POBJECT_TYPE *ExEventObjectType = &event_type_pointer;
POBJECT_TYPE *IoFileObjectType = &file_type_pointer;

HANDLE krn_handle_make(const struct krn_call *call, enum krn_handle_kind kind, void *object) {
    struct krn_node *node = call->node;
    struct krn_handle_table *table = node->handles;
    struct krn_handle_entry *entry;

    if (table == NULL) {
        table = sim_alloc(node->world, sizeof(*table));
        node->handles = table;
    }
    if (table->count == table->capacity) {
        uint32_t capacity = table->capacity != 0 ? 2 * table->capacity : 16;
        struct krn_handle_entry *entries =
            sim_alloc(node->world, capacity * sizeof(struct krn_handle_entry));

        if (table->count != 0) {
            memcpy(entries, table->entries, table->count * sizeof(entries[0]));
            sim_free(node->world, table->entries, table->capacity * sizeof(entries[0]));
        }
        table->entries = entries;
        table->capacity = capacity;
    }
    entry = &table->entries[table->count++];
    entry->kind = kind;
    entry->object = object;
    entry->driver = krn_call_driver(call);
    return (HANDLE)((uintptr_t)table->count * 4);
}

struct krn_handle_entry *krn_handle_find(const struct krn_node *node, HANDLE handle) {
    const struct krn_handle_table *table = node->handles;
    uintptr_t index = (uintptr_t)handle / 4;

    if (table == NULL || (uintptr_t)handle % 4 != 0 || index == 0 || index > table->count ||
        table->entries[index - 1].kind == KRN_HANDLE_NONE) {
        return NULL;
    }
    return &table->entries[index - 1];
}

uint32_t krn_handle_count(const struct krn_driver *driver) {
    const struct krn_handle_table *table = krn_driver_node(driver)->handles;
    uint32_t count = 0;

    for (uint32_t i = 0; table != NULL && i < table->count; i++) {
        count += table->entries[i].kind != KRN_HANDLE_NONE && table->entries[i].driver == driver;
    }
    return count;
}

static LONG_PTR dereference_thread(const struct krn_call *call, struct krn_thread *thread) {
    if (thread->references == 0) {
        krn_call_error(call, 0x18, 0, 0, "the thread object was dereferenced too often");
    }
    return (LONG_PTR)--thread->references;
}

NTSTATUS NTAPI ZwClose(HANDLE Handle) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_handle_entry *entry = krn_handle_find(call.node, Handle);

    krn_call_point(&call, NULL, SIM_ACCESS_CLOSE);
    if (entry == NULL) {
        krn_call_error(&call, 0xC4, 0x3C, 0, "the handle is not open");
    }
    if (entry->kind == KRN_HANDLE_THREAD) {
        (void)dereference_thread(&call, entry->object);
    } else if (entry->kind == KRN_HANDLE_FILE) {
        krn_file_close(call.node, entry->object);
    } else if (entry->kind == KRN_HANDLE_EVENT) {
        (void)krn_event_dereference(&call, entry->object);
    }
    entry->kind = KRN_HANDLE_NONE;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ObReferenceObjectByHandle(HANDLE Handle, ACCESS_MASK DesiredAccess,
                                         POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode,
                                         PVOID *Object,
                                         POBJECT_HANDLE_INFORMATION HandleInformation) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_handle_entry *entry = krn_handle_find(call.node, Handle);

    UNREFERENCED_PARAMETER(DesiredAccess);
    UNREFERENCED_PARAMETER(AccessMode);
    krn_check_memory(&call, Object, sizeof(*Object), "object pointer");
    if (HandleInformation != NULL) {
        RtlZeroMemory(HandleInformation, sizeof(*HandleInformation));
    }
    *Object = NULL;
    if (entry == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    if (entry->kind == KRN_HANDLE_KEY || (ObjectType != NULL && ObjectType->kind != entry->kind)) {
        return STATUS_OBJECT_TYPE_MISMATCH;
    }
    if (entry->kind == KRN_HANDLE_THREAD) {
        ((struct krn_thread *)entry->object)->references++;
    } else if (entry->kind == KRN_HANDLE_EVENT) {
        (void)krn_event_reference(entry->object);
    }
    *Object = entry->object;
    return STATUS_SUCCESS;
}

LONG_PTR NTAPI ObfReferenceObject(PVOID Object) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_thread *thread = krn_thread_of(Object);
    struct krn_event_object *event = krn_event_object_of(Object);

    if (thread != NULL) {
        return (LONG_PTR)++thread->references;
    }
    if (event != NULL) {
        return krn_event_reference(event);
    }
    /* Device, driver and file objects live until their own end; references are not counted. */
    krn_check_memory(&call, Object, 1, "object");
    return 1;
}

LONG_PTR NTAPI ObfDereferenceObject(PVOID Object) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_thread *thread = krn_thread_of(Object);
    struct krn_event_object *event = krn_event_object_of(Object);

    if (thread != NULL) {
        return dereference_thread(&call, thread);
    }
    if (event != NULL) {
        return krn_event_dereference(&call, event);
    }
    krn_check_memory(&call, Object, 1, "object");
    return 1;
}

NTSTATUS NTAPI ObReferenceObjectByPointer(PVOID Object, ACCESS_MASK DesiredAccess,
                                          POBJECT_TYPE ObjectType, KPROCESSOR_MODE AccessMode) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_thread *thread = krn_thread_of(Object);
    struct krn_event_object *event = krn_event_object_of(Object);

    UNREFERENCED_PARAMETER(DesiredAccess);
    UNREFERENCED_PARAMETER(AccessMode);
    if ((ObjectType == thread_type_pointer && thread == NULL) ||
        (ObjectType == event_type_pointer && event == NULL)) {
        return STATUS_OBJECT_TYPE_MISMATCH;
    }
    if (event != NULL) {
        (void)krn_event_reference(event);
        return STATUS_SUCCESS;
    }
    if (thread != NULL) {
        thread->references++;
    } else {
        krn_check_memory(&call, Object, 1, "object");
    }
    return STATUS_SUCCESS;
}
