/* SPDX-License-Identifier: Apache-2.0 */
/* Files by handle: where bytes go, what may be opened together, what a file says of itself. */
#include <ntddk.h>

#include <krn/file.h>

#include "node.h"

#define RESULT u"\\??\\C:\\result.txt"

static IO_STATUS_BLOCK result;

static NTSTATUS open_file(HANDLE *file, ACCESS_MASK access, ULONG share, ULONG disposition) {
    UNICODE_STRING name;
    OBJECT_ATTRIBUTES attributes;

    RtlInitUnicodeString(&name, RESULT);
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, NULL,
                               NULL);
    return ZwCreateFile(file, access | SYNCHRONIZE, &attributes, &result, NULL,
                        FILE_ATTRIBUTE_NORMAL, share, disposition, FILE_SYNCHRONOUS_IO_NONALERT,
                        NULL, 0);
}

static NTSTATUS write_text(HANDLE file, const char *text) {
    return ZwWriteFile(file, NULL, NULL, NULL, &result, (PVOID)(uintptr_t)text, (ULONG)strlen(text),
                       NULL, NULL);
}

static void append(void *argument) {
    HANDLE file;

    (void)argument;
    assert_int_equal(open_file(&file, FILE_APPEND_DATA, FILE_SHARE_READ, FILE_OPEN),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(open_file(&file, FILE_APPEND_DATA, FILE_SHARE_READ, FILE_OPEN_IF), 0);
        assert_int_equal(result.Information, i == 0 ? FILE_CREATED : FILE_OPENED);
        assert_int_equal(write_text(file, i == 0 ? "one " : "two"), 0);
        ZwClose(file);
    }
}

static void file_seen(void *context, const char *path, const void *bytes, uint64_t count) {
    assert_string_equal(path, "\\??\\C:\\result.txt");
    assert_memory_equal(bytes, "one two", 7);
    *(uint64_t *)context += count;
}

static void files_live_in_the_world(void **state) {
    uint64_t count = 0;

    (void)state;
    in_thread(append, NULL);
    krn_file_visit(node, file_seen, &count);
    assert_int_equal(count, 7);
}

static void read_back(void *argument) {
    LARGE_INTEGER start = {.QuadPart = 0};
    HANDLE file;
    char text[16] = "";

    append(argument);
    assert_int_equal(open_file(&file, GENERIC_READ, FILE_SHARE_READ, FILE_OPEN), 0);
    assert_int_equal(ZwReadFile(file, NULL, NULL, NULL, &result, text, 4, NULL, NULL), 0);
    assert_int_equal(ZwReadFile(file, NULL, NULL, NULL, &result, text + 4, 12, NULL, NULL), 0);
    assert_int_equal(result.Information, 3);
    assert_string_equal(text, "one two");
    assert_int_equal(ZwReadFile(file, NULL, NULL, NULL, &result, text, 16, NULL, NULL),
                     STATUS_END_OF_FILE);
    assert_int_equal(ZwReadFile(file, NULL, NULL, NULL, &result, text, 3, &start, NULL), 0);
    ZwClose(file);
}

static void what_was_written_is_read(void **state) {
    (void)state;
    in_thread(read_back, NULL);
}

static void share(void *argument) {
    HANDLE writer;
    HANDLE reader;

    append(argument);
    assert_int_equal(open_file(&writer, FILE_APPEND_DATA, FILE_SHARE_READ, FILE_OPEN), 0);
    assert_int_equal(open_file(&reader, GENERIC_READ, FILE_SHARE_READ, FILE_OPEN),
                     STATUS_SHARING_VIOLATION);
    assert_int_equal(
        open_file(&reader, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, FILE_OPEN), 0);
    assert_int_equal(
        open_file(&reader, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, FILE_OPEN),
        STATUS_SHARING_VIOLATION);
    ZwClose(writer);
    assert_int_equal(open_file(&writer, GENERIC_WRITE, FILE_SHARE_READ, FILE_OPEN), 0);
    ZwClose(writer);
    ZwClose(reader);
}

static void who_does_not_share_is_alone(void **state) {
    (void)state;
    in_thread(share, NULL);
}

static void ask(void *argument) {
    FILE_STANDARD_INFORMATION standard;
    FILE_POSITION_INFORMATION position;
    FILE_END_OF_FILE_INFORMATION end = {.EndOfFile.QuadPart = 3};
    UCHAR room[64];
    PFILE_NAME_INFORMATION name = (PFILE_NAME_INFORMATION)(void *)room;
    HANDLE file;

    append(argument);
    assert_int_equal(open_file(&file, GENERIC_READ | GENERIC_WRITE, 0, FILE_OPEN), 0);
    assert_int_equal(
        ZwQueryInformationFile(file, &result, &standard, sizeof(standard), FileStandardInformation),
        0);
    assert_int_equal(standard.EndOfFile.QuadPart, 7);
    assert_int_equal(ZwQueryInformationFile(file, &result, &standard, 3, FileStandardInformation),
                     STATUS_INFO_LENGTH_MISMATCH);
    position.CurrentByteOffset.QuadPart = 5;
    assert_int_equal(
        ZwSetInformationFile(file, &result, &position, sizeof(position), FilePositionInformation),
        0);
    assert_int_equal(write_text(file, "!!!!"), 0);
    assert_int_equal(
        ZwQueryInformationFile(file, &result, &position, sizeof(position), FilePositionInformation),
        0);
    assert_int_equal(position.CurrentByteOffset.QuadPart, 9);
    assert_int_equal(
        ZwSetInformationFile(file, &result, &end, sizeof(end), FileEndOfFileInformation), 0);
    (void)ZwQueryInformationFile(file, &result, &standard, sizeof(standard),
                                 FileStandardInformation);
    assert_int_equal(standard.EndOfFile.QuadPart, 3);
    assert_int_equal(ZwQueryInformationFile(file, &result, room, 64, FileNameInformation), 0);
    assert_int_equal(name->FileNameLength, 2 * 17);
    assert_int_equal(ZwQueryInformationFile(file, &result, room, 64, FileAllInformation),
                     STATUS_INVALID_INFO_CLASS);
    assert_int_equal(ZwFlushBuffersFile(file, &result), 0);
    ZwClose(file);
    assert_int_equal(ZwFlushBuffersFile(file, &result), STATUS_INVALID_HANDLE);
}

static void a_file_tells_and_takes_its_size_and_position(void **state) {
    (void)state;
    in_thread(ask, NULL);
}

static void with_event(void *argument) {
    HANDLE event;
    HANDLE file;

    (void)argument;
    assert_int_equal(ZwCreateEvent(&event, EVENT_ALL_ACCESS, NULL, NotificationEvent, FALSE), 0);
    assert_int_equal(open_file(&file, GENERIC_WRITE, 0, FILE_CREATE), 0);
    assert_int_equal(
        ZwWriteFile(file, event, NULL, NULL, &result, (PVOID)(uintptr_t) "x", 1, NULL, NULL), 0);
    assert_int_equal(ZwWaitForSingleObject(event, FALSE, NULL), STATUS_SUCCESS);
    assert_int_equal(
        ZwWriteFile(file, file, NULL, NULL, &result, (PVOID)(uintptr_t) "x", 1, NULL, NULL),
        STATUS_INVALID_HANDLE);
    ZwClose(file);
    ZwClose(event);
}

static void a_request_sets_its_event(void **state) {
    (void)state;
    in_thread(with_event, NULL);
}

static void at_dispatch(void *argument) {
    KIRQL old;

    (void)argument;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    (void)write_text(NULL, "x");
}

static void a_file_at_dispatch_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(at_dispatch, NULL, "0xA", "ZwWriteFile was called at DISPATCH");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(files_live_in_the_world),
        KERNEL_TEST(what_was_written_is_read),
        KERNEL_TEST(who_does_not_share_is_alone),
        KERNEL_TEST(a_file_tells_and_takes_its_size_and_position),
        KERNEL_TEST(a_request_sets_its_event),
        KERNEL_TEST(a_file_at_dispatch_is_a_bugcheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
