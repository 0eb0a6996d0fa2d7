/* SPDX-License-Identifier: Apache-2.0 */
/* Registry keys by handle. */
#include <ntddk.h>

#include <string.h>

#include "call_error.h"
#include "driver_state.h"
#include "handle.h"
#include "pool.h"
#include "registry_answer.h"
#include "wide.h"

struct krn_registry_key *krn_registry_key_of(const struct krn_call *call, HANDLE handle) {
    const struct krn_handle_entry *entry = krn_handle_find(call->node, handle);

    return entry != NULL && entry->kind == KRN_HANDLE_KEY ? entry->object : NULL;
}

static NTSTATUS open_key(const struct krn_call *call, PHANDLE handle, POBJECT_ATTRIBUTES attributes,
                         bool create, PULONG disposition) {
    struct krn_registry_key *from = NULL;
    struct krn_registry_key *key;
    bool created = false;
    char path[1024];

    krn_check_memory(call, handle, sizeof(*handle), "handle");
    krn_check_memory(call, attributes, sizeof(*attributes), "object attributes");
    krn_wide_check(call, attributes->ObjectName, "object name");
    krn_call_point(call, NULL, create ? SIM_ACCESS_WRITE : SIM_ACCESS_READ);
    *handle = NULL;
    if (attributes->RootDirectory != NULL) {
        from = krn_registry_key_of(call, attributes->RootDirectory);
        if (from == NULL) {
            return STATUS_INVALID_HANDLE;
        }
    }
    krn_wide_text(attributes->ObjectName, path, sizeof(path));
    if (from == NULL && path[0] != '\\') {
        return STATUS_OBJECT_PATH_SYNTAX_BAD;
    }
    key = krn_registry_find(call->node, from, path, create, &created);
    if (key == NULL || key->is_deleted) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    if (disposition != NULL) {
        *disposition = created ? REG_CREATED_NEW_KEY : REG_OPENED_EXISTING_KEY;
    }
    *handle = krn_handle_make(call, KRN_HANDLE_KEY, key);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ZwOpenKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess,
                         POBJECT_ATTRIBUTES ObjectAttributes) {
    KRN_CALL(PASSIVE_LEVEL);
    UNREFERENCED_PARAMETER(DesiredAccess);
    return open_key(&call, KeyHandle, ObjectAttributes, false, NULL);
}

NTSTATUS NTAPI ZwCreateKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess,
                           POBJECT_ATTRIBUTES ObjectAttributes, ULONG TitleIndex,
                           PUNICODE_STRING Class, ULONG CreateOptions, PULONG Disposition) {
    KRN_CALL(PASSIVE_LEVEL);
    UNREFERENCED_PARAMETER(DesiredAccess);
    UNREFERENCED_PARAMETER(TitleIndex);
    UNREFERENCED_PARAMETER(Class);
    UNREFERENCED_PARAMETER(CreateOptions);
    return open_key(&call, KeyHandle, ObjectAttributes, true, Disposition);
}

NTSTATUS NTAPI IoOpenDriverRegistryKey(PDRIVER_OBJECT DriverObject, ULONG RegKeyType,
                                       ACCESS_MASK DesiredAccess, ULONG Flags,
                                       PHANDLE DriverRegKey) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_driver *driver = krn_driver_of_driver_object(call.krn, DriverObject);

    UNREFERENCED_PARAMETER(RegKeyType);
    UNREFERENCED_PARAMETER(DesiredAccess);
    UNREFERENCED_PARAMETER(Flags);
    if (driver == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    *DriverRegKey =
        krn_handle_make(&call, KRN_HANDLE_KEY, krn_registry_parameters(call.node, driver->name));
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI IoOpenDeviceRegistryKey(PDEVICE_OBJECT DeviceObject, ULONG DevInstKeyType,
                                       ACCESS_MASK DesiredAccess, PHANDLE DeviceRegKey) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_driver *driver;
    struct krn_registry_key *key;

    UNREFERENCED_PARAMETER(DevInstKeyType);
    UNREFERENCED_PARAMETER(DesiredAccess);
    krn_check_memory(&call, DeviceObject, sizeof(*DeviceObject), "device object");
    driver = krn_driver_of_driver_object(call.krn, DeviceObject->DriverObject);
    if (driver == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    key = krn_registry_find(call.node, NULL, KRN_SERVICES_PATH, false, NULL);
    key = krn_registry_find(call.node, key, driver->name, false, NULL);
    key = krn_registry_find(call.node, key, "Device", true, NULL);
    *DeviceRegKey = krn_handle_make(&call, KRN_HANDLE_KEY, key);
    return STATUS_SUCCESS;
}

/* Copies a head and then bytes, as much as fits; says how much there is. */
NTSTATUS krn_registry_answer(PVOID to, ULONG length, PULONG needed, const void *head,
                             ULONG head_bytes, const void *data, ULONG bytes) {
    *needed = head_bytes + bytes;
    if (length < head_bytes) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    memcpy(to, head, head_bytes);
    if (length < *needed) {
        memcpy((PUCHAR)to + head_bytes, data, length - head_bytes);
        return STATUS_BUFFER_OVERFLOW;
    }
    if (bytes != 0) {
        memcpy((PUCHAR)to + head_bytes, data, bytes);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS answer_full(const struct krn_registry_value *value, PCUNICODE_STRING name, PVOID to,
                            ULONG length, PULONG needed) {
    KEY_VALUE_FULL_INFORMATION head = {0};
    ULONG head_bytes = FIELD_OFFSET(KEY_VALUE_FULL_INFORMATION, Name);

    head.Type = value->type;
    head.DataOffset = (head_bytes + name->Length + 7) & ~7u;
    head.DataLength = value->bytes;
    head.NameLength = name->Length;
    *needed = head.DataOffset + value->bytes;
    if (length < *needed) {
        return length < head_bytes ? STATUS_BUFFER_TOO_SMALL : STATUS_BUFFER_OVERFLOW;
    }
    RtlZeroMemory(to, head.DataOffset);
    memcpy(to, &head, head_bytes);
    memcpy((PUCHAR)to + head_bytes, name->Buffer, name->Length);
    if (value->bytes != 0) {
        memcpy((PUCHAR)to + head.DataOffset, value->data, value->bytes);
    }
    return STATUS_SUCCESS;
}

NTSTATUS krn_registry_answer_value(const struct krn_registry_value *value, PCUNICODE_STRING name,
                                   KEY_VALUE_INFORMATION_CLASS information_class, PVOID to,
                                   ULONG length, PULONG needed) {
    KEY_VALUE_PARTIAL_INFORMATION partial = {0};
    KEY_VALUE_BASIC_INFORMATION basic = {0};

    switch (information_class) {
    case KeyValueBasicInformation:
        basic.Type = value->type;
        basic.NameLength = name->Length;
        return krn_registry_answer(to, length, needed, &basic,
                                   FIELD_OFFSET(KEY_VALUE_BASIC_INFORMATION, Name), name->Buffer,
                                   name->Length);
    case KeyValuePartialInformation:
        partial.Type = value->type;
        partial.DataLength = value->bytes;
        return krn_registry_answer(to, length, needed, &partial,
                                   FIELD_OFFSET(KEY_VALUE_PARTIAL_INFORMATION, Data), value->data,
                                   value->bytes);
    case KeyValueFullInformation:
        return answer_full(value, name, to, length, needed);
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

NTSTATUS NTAPI ZwQueryValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName,
                               KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                               PVOID KeyValueInformation, ULONG Length, PULONG ResultLength) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_registry_key *key = krn_registry_key_of(&call, KeyHandle);
    const struct krn_registry_value *value;
    char name[KRN_REGISTRY_NAME_BYTES];

    krn_wide_check(&call, ValueName, "value name");
    krn_check_memory(&call, ResultLength, sizeof(*ResultLength), "result length");
    if (Length != 0) {
        krn_check_memory(&call, KeyValueInformation, Length, "value buffer");
    }
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    if (key == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    value = krn_registry_value(key, krn_wide_text(ValueName, name, sizeof(name)));
    if (value == NULL) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    return krn_registry_answer_value(value, ValueName, KeyValueInformationClass,
                                     KeyValueInformation, Length, ResultLength);
}

NTSTATUS NTAPI ZwSetValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, ULONG TitleIndex,
                             ULONG Type, PVOID Data, ULONG DataSize) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_registry_key *key = krn_registry_key_of(&call, KeyHandle);
    char name[KRN_REGISTRY_NAME_BYTES];

    UNREFERENCED_PARAMETER(TitleIndex);
    krn_wide_check(&call, ValueName, "value name");
    if (DataSize != 0) {
        krn_check_memory(&call, Data, DataSize, "value data");
    }
    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    if (key == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    krn_registry_set(call.node, key, krn_wide_text(ValueName, name, sizeof(name)), Type, Data,
                     DataSize);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ZwDeleteValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_registry_key *key = krn_registry_key_of(&call, KeyHandle);
    char name[KRN_REGISTRY_NAME_BYTES];

    krn_wide_check(&call, ValueName, "value name");
    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    if (key == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    return krn_registry_unset(call.node, key, krn_wide_text(ValueName, name, sizeof(name)))
               ? STATUS_SUCCESS
               : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI ZwDeleteKey(HANDLE KeyHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_registry_key *key = krn_registry_key_of(&call, KeyHandle);

    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    if (key == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    for (const struct krn_registry_key *child = key->child_first; child != NULL;
         child = child->next) {
        if (!child->is_deleted) {
            return STATUS_CANNOT_DELETE;
        }
    }
    key->is_deleted = true;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ZwFlushKey(HANDLE KeyHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    return krn_registry_key_of(&call, KeyHandle) != NULL ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
}
