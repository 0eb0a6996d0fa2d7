/* SPDX-License-Identifier: Apache-2.0 */
/* The registry by handle and by path. */
#include <ntddk.h>

#include "registry.h"

#include "node.h"

#define PARAMETERS u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\x\\Parameters"

static const struct krn_keyword values[] = {
    {"Depth", "16"}, {"Mask", "0xFF"}, {"Wide", "0x100000000"}, {"Name", "abc"}, {"Odd", "12x"}};

static UNICODE_STRING name_of(const WCHAR *text) {
    UNICODE_STRING name;

    RtlInitUnicodeString(&name, text);
    return name;
}

static ULONG wcslen_of(const WCHAR *text) {
    return name_of(text).Length / sizeof(WCHAR);
}

static HANDLE open_key(const WCHAR *path) {
    UNICODE_STRING name = name_of(path);
    OBJECT_ATTRIBUTES attributes;
    HANDLE key = NULL;

    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE, NULL, NULL);
    (void)ZwOpenKey(&key, KEY_READ, &attributes);
    return key;
}

static ULONG type_of(HANDLE key, const WCHAR *value, ULONG *number) {
    UCHAR room[64];
    PKEY_VALUE_PARTIAL_INFORMATION partial = (PKEY_VALUE_PARTIAL_INFORMATION)(void *)room;
    UNICODE_STRING name = name_of(value);
    ULONG length;

    if (!NT_SUCCESS(
            ZwQueryValueKey(key, &name, KeyValuePartialInformation, room, sizeof(room), &length))) {
        return REG_NONE;
    }
    memcpy(number, partial->Data, sizeof(*number));
    return partial->Type;
}

static void read_values(void *argument) {
    UNICODE_STRING name = name_of(u"Name");
    HANDLE key =
        open_key(u"\\registry\\machine\\SYSTEM\\currentcontrolset\\services\\X\\parameters");
    UCHAR room[16];
    ULONG number = 0;
    ULONG length;

    (void)argument;
    assert_non_null(key);
    assert_int_equal(type_of(key, u"depth", &number), REG_DWORD);
    assert_int_equal(number, 16);
    assert_int_equal(type_of(key, u"Mask", &number), REG_DWORD);
    assert_int_equal(number, 255);
    assert_int_equal(type_of(key, u"Wide", &number), REG_QWORD);
    assert_int_equal(type_of(key, u"Name", &number), REG_SZ);
    assert_int_equal(type_of(key, u"Odd", &number), REG_SZ);
    assert_int_equal(type_of(key, u"None", &number), REG_NONE);
    assert_int_equal(ZwQueryValueKey(key, &name, KeyValuePartialInformation, room, 4, &length),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(length, 20);
    assert_int_equal(ZwQueryValueKey(key, &name, KeyValuePartialInformation, room, 16, &length),
                     STATUS_BUFFER_OVERFLOW);
    ZwClose(key);
    assert_null(open_key(u"\\Registry\\Machine\\Nobody"));
}

static void text_becomes_numbers_and_strings(void **state) {
    (void)state;
    krn_registry_service(node, "x", values, SIM_ARRAY_COUNT(values));
    in_thread(read_values, NULL);
}

static void write_values(void *argument) {
    UNICODE_STRING name = name_of(PARAMETERS u"\\Sub");
    UNICODE_STRING value = name_of(u"Value");
    OBJECT_ATTRIBUTES attributes;
    HANDLE key;
    HANDLE parent = open_key(PARAMETERS);
    ULONG disposition;
    ULONG number = 7;

    (void)argument;
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE, NULL, NULL);
    assert_int_equal(ZwCreateKey(&key, KEY_ALL_ACCESS, &attributes, 0, NULL, 0, &disposition),
                     STATUS_SUCCESS);
    assert_int_equal(disposition, REG_CREATED_NEW_KEY);
    assert_int_equal(ZwSetValueKey(key, &value, 0, REG_DWORD, &number, 4), STATUS_SUCCESS);
    number = 0;
    assert_int_equal(type_of(key, u"VALUE", &number), REG_DWORD);
    assert_int_equal(number, 7);
    assert_int_equal(ZwDeleteKey(parent), STATUS_CANNOT_DELETE);
    assert_int_equal(ZwDeleteValueKey(key, &value), STATUS_SUCCESS);
    assert_int_equal(ZwDeleteValueKey(key, &value), STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(ZwDeleteKey(key), STATUS_SUCCESS);
    ZwClose(key);
    ZwClose(parent);
    assert_null(open_key(PARAMETERS u"\\Sub"));
}

static void keys_are_made_and_deleted(void **state) {
    (void)state;
    krn_registry_service(node, "x", values, SIM_ARRAY_COUNT(values));
    in_thread(write_values, NULL);
}

static void query_table(void *argument) {
    ULONG depth = 0;
    ULONG fallback = 5;
    ULONG missing = 0;
    UNICODE_STRING text = {0, 0, NULL};
    RTL_QUERY_REGISTRY_TABLE table[] = {
        {NULL, RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK, (PWSTR)(uintptr_t)u"Depth",
         &depth, REG_DWORD << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT, NULL, 0},
        {NULL, RTL_QUERY_REGISTRY_DIRECT, (PWSTR)(uintptr_t)u"Name", &text, REG_NONE, NULL, 0},
        {NULL, RTL_QUERY_REGISTRY_DIRECT, (PWSTR)(uintptr_t)u"Missing", &missing, REG_DWORD,
         &fallback, 4},
        {NULL, 0, NULL, NULL, 0, NULL, 0},
    };

    (void)argument;
    assert_int_equal(
        RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, u"x\\Parameters", table, NULL, NULL),
        STATUS_SUCCESS);
    assert_int_equal(depth, 16);
    assert_int_equal(missing, 5);
    assert_int_equal(text.Length, 6);
    RtlFreeUnicodeString(&text);
    table[0].Flags |= RTL_QUERY_REGISTRY_REQUIRED;
    table[0].Name = (PWSTR)(uintptr_t)u"Missing";
    assert_int_equal(
        RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, u"x\\Parameters", table, NULL, NULL),
        STATUS_OBJECT_NAME_NOT_FOUND);
}

static void a_query_table_is_filled(void **state) {
    (void)state;
    krn_registry_service(node, "x", values, SIM_ARRAY_COUNT(values));
    in_thread(query_table, NULL);
}

static void list_keys(void *argument) {
    static const WCHAR *const names[] = {PARAMETERS u"\\One", PARAMETERS u"\\Longer",
                                         PARAMETERS u"\\Two"};
    UCHAR room[256];
    PKEY_BASIC_INFORMATION basic = (PKEY_BASIC_INFORMATION)(void *)room;
    PKEY_NAME_INFORMATION path = (PKEY_NAME_INFORMATION)(void *)room;
    PKEY_FULL_INFORMATION full = (PKEY_FULL_INFORMATION)(void *)room;
    HANDLE parent = open_key(PARAMETERS);
    HANDLE keys[3];
    ULONG length;

    (void)argument;
    for (int i = 0; i < 3; i++) {
        UNICODE_STRING name = name_of(names[i]);
        OBJECT_ATTRIBUTES attributes;

        InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE, NULL, NULL);
        (void)ZwCreateKey(&keys[i], KEY_ALL_ACCESS, &attributes, 0, NULL, 0, NULL);
    }
    assert_int_equal(ZwDeleteKey(keys[0]), STATUS_SUCCESS);
    assert_int_equal(ZwEnumerateKey(parent, 0, KeyBasicInformation, room, 256, &length), 0);
    assert_int_equal(basic->NameLength, 12);
    assert_memory_equal(basic->Name, u"Longer", 12);
    assert_int_equal(length, 16 + 12);
    assert_int_equal(ZwEnumerateKey(parent, 1, KeyBasicInformation, room, 18, &length),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(ZwEnumerateKey(parent, 1, KeyBasicInformation, room, 8, &length),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(length, 16 + 6);
    assert_int_equal(ZwEnumerateKey(parent, 2, KeyBasicInformation, room, 256, &length),
                     STATUS_NO_MORE_ENTRIES);
    assert_int_equal(ZwQueryKey(parent, KeyFullInformation, room, 256, &length), 0);
    assert_int_equal(full->SubKeys, 2);
    assert_int_equal(full->MaxNameLen, 12);
    assert_int_equal(full->Values, SIM_ARRAY_COUNT(values));
    assert_int_equal(full->MaxValueNameLen, 10);
    assert_int_equal(full->MaxValueDataLen, 8);
    assert_int_equal(ZwQueryKey(keys[2], KeyNameInformation, room, 256, &length), 0);
    assert_int_equal(path->NameLength, 2 * wcslen_of(names[2]));
    assert_int_equal(ZwQueryKey(keys[0], KeyBasicInformation, room, 256, &length),
                     STATUS_KEY_DELETED);
    for (int i = 0; i < 3; i++) {
        ZwClose(keys[i]);
    }
    ZwClose(parent);
    assert_int_equal(ZwQueryKey(parent, KeyBasicInformation, room, 256, &length),
                     STATUS_INVALID_HANDLE);
}

static void keys_are_told_by_index_and_about_themselves(void **state) {
    (void)state;
    krn_registry_service(node, "x", values, SIM_ARRAY_COUNT(values));
    in_thread(list_keys, NULL);
}

static void list_values(void *argument) {
    UCHAR room[128];
    PKEY_VALUE_FULL_INFORMATION full = (PKEY_VALUE_FULL_INFORMATION)(void *)room;
    HANDLE key = open_key(PARAMETERS);
    ULONG length;
    ULONG number;

    (void)argument;
    assert_int_equal(ZwEnumerateValueKey(key, 1, KeyValueFullInformation, room, 128, &length), 0);
    assert_int_equal(full->Type, REG_DWORD);
    assert_int_equal(full->NameLength, 8);
    assert_memory_equal(full->Name, u"Mask", 8);
    memcpy(&number, room + full->DataOffset, sizeof(number));
    assert_int_equal(number, 255);
    assert_int_equal(ZwEnumerateValueKey(key, SIM_ARRAY_COUNT(values), KeyValueFullInformation,
                                         room, 128, &length),
                     STATUS_NO_MORE_ENTRIES);
    ZwClose(key);
}

static void values_are_told_by_index(void **state) {
    (void)state;
    krn_registry_service(node, "x", values, SIM_ARRAY_COUNT(values));
    in_thread(list_values, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(text_becomes_numbers_and_strings),
        KERNEL_TEST(keys_are_made_and_deleted),
        KERNEL_TEST(a_query_table_is_filled),
        KERNEL_TEST(keys_are_told_by_index_and_about_themselves),
        KERNEL_TEST(values_are_told_by_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
