/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and values by index, and what a key says of itself. The order is that of their creation; it
 * stays while nothing is deleted.
 */
#include <ntddk.h>

#include <string.h>

#include "call_error.h"
#include "pool.h"
#include "registry_answer.h"
#include "wide.h"

struct wide_name {
    UNICODE_STRING string;
    WCHAR buffer[KRN_REGISTRY_NAME_BYTES];
};

static void wide_name(struct wide_name *name, const char *text) {
    size_t units = krn_wide_from_text(text, name->buffer, KRN_REGISTRY_NAME_BYTES);

    name->string.Buffer = name->buffer;
    name->string.Length = (USHORT)(units * sizeof(WCHAR));
    name->string.MaximumLength = name->string.Length;
}

static ULONG larger(ULONG one, ULONG other) {
    return one > other ? one : other;
}

static void count_children(const struct krn_registry_key *key, KEY_FULL_INFORMATION *full) {
    for (const struct krn_registry_key *child = key->child_first; child != NULL;
         child = child->next) {
        if (!child->is_deleted) {
            struct wide_name name;

            wide_name(&name, child->name);
            full->SubKeys++;
            full->MaxNameLen = larger(full->MaxNameLen, name.string.Length);
        }
    }
}

static void count_values(const struct krn_registry_key *key, KEY_FULL_INFORMATION *full) {
    for (const struct krn_registry_value *value = key->value_first; value != NULL;
         value = value->next) {
        struct wide_name name;

        wide_name(&name, value->name);
        full->Values++;
        full->MaxValueNameLen = larger(full->MaxValueNameLen, name.string.Length);
        full->MaxValueDataLen = larger(full->MaxValueDataLen, value->bytes);
    }
}

/* The whole path of a key, its begin first. */
static void path_of(const struct krn_registry_key *key, char *path, size_t size) {
    const struct krn_registry_key *chain[32];
    size_t count = 0;
    size_t length = 0;

    for (; key->parent != NULL && count < SIM_ARRAY_COUNT(chain); key = key->parent) {
        chain[count++] = key;
    }
    path[0] = '\0';
    while (count-- != 0) {
        size_t bytes = strlen(chain[count]->name);

        if (length + bytes + 2 > size) {
            return;
        }
        path[length++] = '\\';
        memcpy(path + length, chain[count]->name, bytes + 1);
        length += bytes;
    }
}

static NTSTATUS answer_path(const struct krn_registry_key *key, PVOID to, ULONG length,
                            PULONG needed) {
    KEY_NAME_INFORMATION head;
    WCHAR wide[1024];
    char path[1024];

    path_of(key, path, sizeof(path));
    head.NameLength =
        (ULONG)(krn_wide_from_text(path, wide, SIM_ARRAY_COUNT(wide)) * sizeof(WCHAR));
    return krn_registry_answer(to, length, needed, &head, FIELD_OFFSET(KEY_NAME_INFORMATION, Name),
                               wide, head.NameLength);
}

static NTSTATUS answer_key(const struct krn_registry_key *key, KEY_INFORMATION_CLASS class,
                           PVOID to, ULONG length, PULONG needed) {
    KEY_BASIC_INFORMATION basic = {0};
    KEY_NODE_INFORMATION node = {0};
    KEY_FULL_INFORMATION full = {0};
    struct wide_name name;

    wide_name(&name, key->name);
    switch (class) {
    case KeyBasicInformation:
        basic.NameLength = name.string.Length;
        return krn_registry_answer(to, length, needed, &basic,
                                   FIELD_OFFSET(KEY_BASIC_INFORMATION, Name), name.buffer,
                                   name.string.Length);
    case KeyNodeInformation:
        node.ClassOffset = MAXULONG;
        node.NameLength = name.string.Length;
        return krn_registry_answer(to, length, needed, &node,
                                   FIELD_OFFSET(KEY_NODE_INFORMATION, Name), name.buffer,
                                   name.string.Length);
    case KeyFullInformation:
        full.ClassOffset = MAXULONG;
        count_children(key, &full);
        count_values(key, &full);
        return krn_registry_answer(to, length, needed, &full,
                                   FIELD_OFFSET(KEY_FULL_INFORMATION, Class), NULL, 0);
    case KeyNameInformation:
        return answer_path(key, to, length, needed);
    default:
        return STATUS_INVALID_PARAMETER;
    }
}

/* The key of the handle, with what every one of these calls checks. */
static struct krn_registry_key *begin(const struct krn_call *call, HANDLE handle, PVOID to,
                                      ULONG length, PULONG needed) {
    struct krn_registry_key *key = krn_registry_key_of(call, handle);

    krn_check_memory(call, needed, sizeof(*needed), "result length");
    if (length != 0) {
        krn_check_memory(call, to, length, "information buffer");
    }
    krn_call_point(call, NULL, SIM_ACCESS_READ);
    return key;
}

NTSTATUS NTAPI ZwQueryKey(HANDLE KeyHandle, KEY_INFORMATION_CLASS KeyInformationClass,
                          PVOID KeyInformation, ULONG Length, PULONG ResultLength) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_registry_key *key =
        begin(&call, KeyHandle, KeyInformation, Length, ResultLength);

    if (key == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    if (key->is_deleted) {
        return STATUS_KEY_DELETED;
    }
    return answer_key(key, KeyInformationClass, KeyInformation, Length, ResultLength);
}

NTSTATUS NTAPI ZwEnumerateKey(HANDLE KeyHandle, ULONG Index,
                              KEY_INFORMATION_CLASS KeyInformationClass, PVOID KeyInformation,
                              ULONG Length, PULONG ResultLength) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_registry_key *key =
        begin(&call, KeyHandle, KeyInformation, Length, ResultLength);
    const struct krn_registry_key *child = key != NULL ? key->child_first : NULL;

    if (key == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    while (child != NULL && (child->is_deleted || Index != 0)) {
        Index -= !child->is_deleted;
        child = child->next;
    }
    if (child == NULL) {
        return STATUS_NO_MORE_ENTRIES;
    }
    return answer_key(child, KeyInformationClass, KeyInformation, Length, ResultLength);
}

NTSTATUS NTAPI ZwEnumerateValueKey(HANDLE KeyHandle, ULONG Index,
                                   KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                                   PVOID KeyValueInformation, ULONG Length, PULONG ResultLength) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_registry_key *key =
        begin(&call, KeyHandle, KeyValueInformation, Length, ResultLength);
    const struct krn_registry_value *value = key != NULL ? key->value_first : NULL;
    struct wide_name name;

    if (key == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    for (; value != NULL && Index != 0; Index--) {
        value = value->next;
    }
    if (value == NULL) {
        return STATUS_NO_MORE_ENTRIES;
    }
    wide_name(&name, value->name);
    return krn_registry_answer_value(value, &name.string, KeyValueInformationClass,
                                     KeyValueInformation, Length, ResultLength);
}
