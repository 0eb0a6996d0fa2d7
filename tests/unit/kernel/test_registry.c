/* SPDX-License-Identifier: Apache-2.0 */
/* The registry by handle and by path, and files. */
#include <ntddk.h>

#include <krn/file.h>

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

static void use_file(void *argument) {
    UNICODE_STRING name = name_of(u"\\??\\C:\\result.txt");
    OBJECT_ATTRIBUTES attributes;
    IO_STATUS_BLOCK status;
    LARGE_INTEGER start = {.QuadPart = 0};
    HANDLE file;
    char text[16] = "";

    (void)argument;
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE, NULL, NULL);
    assert_int_equal(ZwCreateFile(&file, FILE_APPEND_DATA | SYNCHRONIZE, &attributes, &status, NULL,
                                  0, 0, FILE_OPEN, 0, NULL, 0),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(ZwCreateFile(&file, FILE_APPEND_DATA | SYNCHRONIZE, &attributes, &status, NULL,
                                  0, 0, FILE_OPEN_IF, 0, NULL, 0),
                     STATUS_SUCCESS);
    ZwWriteFile(file, NULL, NULL, NULL, &status, (PVOID)(uintptr_t) "one ", 4, NULL, NULL);
    ZwWriteFile(file, NULL, NULL, NULL, &status, (PVOID)(uintptr_t) "two", 3, NULL, NULL);
    assert_int_equal(ZwReadFile(file, NULL, NULL, NULL, &status, text, 16, &start, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(status.Information, 7);
    assert_string_equal(text, "one two");
    assert_int_equal(ZwReadFile(file, NULL, NULL, NULL, &status, text, 16, NULL, NULL),
                     STATUS_END_OF_FILE);
    ZwClose(file);
}

static void file_seen(void *context, const char *path, const void *bytes, uint64_t count) {
    assert_string_equal(path, "\\??\\C:\\result.txt");
    assert_memory_equal(bytes, "one two", 7);
    *(uint64_t *)context += count;
}

static void files_live_in_the_world(void **state) {
    uint64_t count = 0;

    (void)state;
    in_thread(use_file, NULL);
    krn_file_visit(node, file_seen, &count);
    assert_int_equal(count, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(text_becomes_numbers_and_strings),
        KERNEL_TEST(keys_are_made_and_deleted),
        KERNEL_TEST(a_query_table_is_filled),
        KERNEL_TEST(files_live_in_the_world),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
