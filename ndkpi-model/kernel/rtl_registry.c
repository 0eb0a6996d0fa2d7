/* SPDX-License-Identifier: Apache-2.0 */
/* The Rtl helpers of the registry: values by path, and query tables in their direct and callback
 * form. */
#include <ntddk.h>

#include <stdio.h>
#include <string.h>

#include "call_error.h"
#include "handle.h"
#include "pool.h"
#include "registry.h"
#include "wide.h"

static const char *root_of(ULONG relative_to) {
    switch (relative_to & 0xFF) {
    case RTL_REGISTRY_ABSOLUTE:
        return "";
    case RTL_REGISTRY_SERVICES:
        return KRN_SERVICES_PATH;
    case RTL_REGISTRY_CONTROL:
        return "\\Registry\\Machine\\System\\CurrentControlSet\\Control";
    case RTL_REGISTRY_WINDOWS_NT:
        return "\\Registry\\Machine\\Software\\Microsoft\\Windows NT\\CurrentVersion";
    case RTL_REGISTRY_DEVICEMAP:
        return "\\Registry\\Machine\\Hardware\\DeviceMap";
    default:
        return NULL;
    }
}

static const char *text_of(PCWSTR wide, char *buffer, size_t size) {
    size_t count = 0;

    while (wide[count] != 0) {
        count++;
    }
    return krn_wide_buffer_text(wide, count, buffer, size);
}

static struct krn_registry_key *key_of(const struct krn_call *call, ULONG relative_to, PCWSTR path,
                                       bool create) {
    const char *root = root_of(relative_to);
    char narrow[512];
    char whole[768];

    if ((relative_to & RTL_REGISTRY_HANDLE) != 0) {
        const struct krn_handle_entry *entry = krn_handle_find(call->node, (HANDLE)(uintptr_t)path);

        return entry != NULL && entry->kind == KRN_HANDLE_KEY ? entry->object : NULL;
    }
    if (root == NULL) {
        return NULL;
    }
    (void)snprintf(whole, sizeof(whole), "%s\\%s", root, text_of(path, narrow, sizeof(narrow)));
    return krn_registry_find(call->node, NULL, whole, create, NULL);
}

NTSTATUS NTAPI RtlCheckRegistryKey(ULONG RelativeTo, PWSTR Path) {
    KRN_CALL(PASSIVE_LEVEL);
    return key_of(&call, RelativeTo, Path, false) != NULL ? STATUS_SUCCESS
                                                          : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI RtlCreateRegistryKey(ULONG RelativeTo, PWSTR Path) {
    KRN_CALL(PASSIVE_LEVEL);
    return key_of(&call, RelativeTo, Path, true) != NULL ? STATUS_SUCCESS
                                                         : STATUS_INVALID_PARAMETER;
}

NTSTATUS NTAPI RtlWriteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName,
                                     ULONG ValueType, PVOID ValueData, ULONG ValueLength) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_registry_key *key = key_of(&call, RelativeTo, Path, true);
    char name[KRN_REGISTRY_NAME_BYTES];

    if (ValueLength != 0) {
        krn_check_memory(&call, ValueData, ValueLength, "value data");
    }
    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    if (key == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    krn_registry_set(call.node, key, text_of(ValueName, name, sizeof(name)), ValueType, ValueData,
                     ValueLength);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI RtlDeleteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_registry_key *key = key_of(&call, RelativeTo, Path, false);
    char name[KRN_REGISTRY_NAME_BYTES];

    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    if (key == NULL ||
        !krn_registry_unset(call.node, key, text_of(ValueName, name, sizeof(name)))) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    return STATUS_SUCCESS;
}

/* Direct form: strings into a UNICODE_STRING, up to four bytes (or eight) into the place itself. */
static NTSTATUS store(const RTL_QUERY_REGISTRY_TABLE *entry, ULONG type, const void *data,
                      ULONG bytes) {
    ULONG wanted = entry->DefaultType >> RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    PUNICODE_STRING string = entry->EntryContext;

    if ((entry->Flags & RTL_QUERY_REGISTRY_TYPECHECK) != 0 && wanted != type) {
        return STATUS_OBJECT_TYPE_MISMATCH;
    }
    if (type != REG_SZ && type != REG_EXPAND_SZ) {
        if (bytes > sizeof(ULONG64)) {
            return STATUS_BUFFER_TOO_SMALL;
        }
        memcpy(entry->EntryContext, data, bytes);
        return STATUS_SUCCESS;
    }
    if (string->Buffer == NULL) {
        /* A buffer for the caller to free with RtlFreeUnicodeString. */
        string->Buffer = ExAllocatePoolWithTag(PagedPool, bytes, 0x67527452u);
        string->MaximumLength = (USHORT)bytes;
        if (string->Buffer == NULL) {
            return STATUS_NO_MEMORY;
        }
    }
    if (bytes > string->MaximumLength) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    memcpy(string->Buffer, data, bytes);
    string->Length = (USHORT)(bytes >= sizeof(WCHAR) ? bytes - sizeof(WCHAR) : 0);
    return STATUS_SUCCESS;
}

static NTSTATUS deliver(const RTL_QUERY_REGISTRY_TABLE *entry, ULONG type, void *data, ULONG bytes,
                        PVOID context) {
    struct krn_routine routine;
    NTSTATUS status;

    if ((entry->Flags & RTL_QUERY_REGISTRY_DIRECT) != 0) {
        return store(entry, type, data, bytes);
    }
    krn_routine_begin(&routine, (const void *)entry->QueryRoutine, "query routine");
    status = entry->QueryRoutine(entry->Name, type, data, bytes, context, entry->EntryContext);
    krn_routine_end(&routine);
    return status;
}

static NTSTATUS query_one(const struct krn_registry_key *key, const RTL_QUERY_REGISTRY_TABLE *entry,
                          PVOID context) {
    const struct krn_registry_value *value;
    char name[KRN_REGISTRY_NAME_BYTES];

    value = key != NULL ? krn_registry_value(key, text_of(entry->Name, name, sizeof(name))) : NULL;
    if (value != NULL) {
        return deliver(entry, value->type, value->data, value->bytes, context);
    }
    if ((entry->Flags & RTL_QUERY_REGISTRY_REQUIRED) != 0) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    if ((entry->DefaultType & 0xFF) == REG_NONE || entry->DefaultData == NULL) {
        return STATUS_SUCCESS;
    }
    return deliver(entry, entry->DefaultType & 0xFF, entry->DefaultData,
                   entry->DefaultLength != 0 ? entry->DefaultLength : sizeof(ULONG), context);
}

NTSTATUS NTAPI RtlQueryRegistryValues(ULONG RelativeTo, PCWSTR Path,
                                      PRTL_QUERY_REGISTRY_TABLE QueryTable, PVOID Context,
                                      PVOID Environment) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_registry_key *top = key_of(&call, RelativeTo, Path, false);
    struct krn_registry_key *key = top;
    NTSTATUS status = STATUS_SUCCESS;
    char name[KRN_REGISTRY_NAME_BYTES];

    UNREFERENCED_PARAMETER(Environment);
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    if (top == NULL && (RelativeTo & RTL_REGISTRY_OPTIONAL) == 0) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    for (const RTL_QUERY_REGISTRY_TABLE *entry = QueryTable;
         NT_SUCCESS(status) && (entry->QueryRoutine != NULL || entry->Name != NULL); entry++) {
        if ((entry->Flags & RTL_QUERY_REGISTRY_TOPKEY) != 0) {
            key = top;
        }
        if ((entry->Flags & RTL_QUERY_REGISTRY_SUBKEY) != 0) {
            key = top != NULL
                      ? krn_registry_find(call.node, top, text_of(entry->Name, name, sizeof(name)),
                                          false, NULL)
                      : NULL;
        } else if (entry->Name != NULL) {
            status = query_one(key, entry, Context);
        }
    }
    return status;
}
