/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked and set about an open file: size, position, times, name. */
#include <ntddk.h>

#include <string.h>

#include "call_error.h"
#include "file.h"
#include "pool.h"
#include "wide.h"

static LONGLONG time_of(const struct krn_node *node, uint64_t at_ns) {
    uint64_t age_ns = sim_now_ns(node->world) - at_ns;

    return (LONGLONG)(krn_system_time(node) - age_ns / 100);
}

static NTSTATUS answer(PIO_STATUS_BLOCK result, PVOID to, ULONG room, const void *from,
                       ULONG bytes) {
    if (room < bytes) {
        return STATUS_INFO_LENGTH_MISMATCH;
    }
    memcpy(to, from, bytes);
    result->Information = bytes;
    return STATUS_SUCCESS;
}

static NTSTATUS answer_name(const struct krn_file *file, PIO_STATUS_BLOCK result, PVOID to,
                            ULONG room) {
    FILE_NAME_INFORMATION *name = to;
    ULONG head = FIELD_OFFSET(FILE_NAME_INFORMATION, FileName);
    size_t units;
    size_t fits;

    if (room < sizeof(FILE_NAME_INFORMATION)) {
        return STATUS_INFO_LENGTH_MISMATCH;
    }
    fits = (room - head) / sizeof(WCHAR);
    units = krn_wide_from_text(file->path, name->FileName, fits);
    name->FileNameLength = (ULONG)(units * sizeof(WCHAR));
    result->Information = head + (units < fits ? units : fits) * sizeof(WCHAR);
    return units > fits ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

static NTSTATUS query(const struct krn_call *call, const struct krn_open_file *open,
                      PIO_STATUS_BLOCK result, PVOID to, ULONG room,
                      FILE_INFORMATION_CLASS information_class) {
    const struct krn_file *file = open->file;
    FILE_STANDARD_INFORMATION standard = {0};
    FILE_POSITION_INFORMATION position;
    FILE_BASIC_INFORMATION basic = {0};

    switch (information_class) {
    case FileStandardInformation:
        standard.AllocationSize.QuadPart = (LONGLONG)file->capacity;
        standard.EndOfFile.QuadPart = (LONGLONG)file->count;
        standard.NumberOfLinks = 1;
        return answer(result, to, room, &standard, sizeof(standard));
    case FilePositionInformation:
        position.CurrentByteOffset.QuadPart = (LONGLONG)open->position;
        return answer(result, to, room, &position, sizeof(position));
    case FileBasicInformation:
        basic.CreationTime.QuadPart = time_of(call->node, file->made_ns);
        basic.LastWriteTime.QuadPart = time_of(call->node, file->written_ns);
        basic.LastAccessTime = basic.LastWriteTime;
        basic.ChangeTime = basic.LastWriteTime;
        basic.FileAttributes = file->attributes;
        return answer(result, to, room, &basic, sizeof(basic));
    case FileNameInformation:
        return answer_name(file, result, to, room);
    default:
        return STATUS_INVALID_INFO_CLASS;
    }
}

NTSTATUS NTAPI ZwQueryInformationFile(HANDLE FileHandle, PIO_STATUS_BLOCK IoStatusBlock,
                                      PVOID FileInformation, ULONG Length,
                                      FILE_INFORMATION_CLASS FileInformationClass) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_open_file *open = krn_file_of(&call, FileHandle);

    krn_check_memory(&call, IoStatusBlock, sizeof(*IoStatusBlock), "I/O status block");
    krn_check_memory(&call, FileInformation, Length, "file information");
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    if (open == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    IoStatusBlock->Information = 0;
    IoStatusBlock->Status =
        query(&call, open, IoStatusBlock, FileInformation, Length, FileInformationClass);
    return IoStatusBlock->Status;
}

static NTSTATUS set_end(const struct krn_call *call, struct krn_open_file *open, LONGLONG end) {
    struct krn_file *file = open->file;

    if (end < 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!krn_file_grow(call->node, file, (uint64_t)end)) {
        return STATUS_DISK_FULL;
    }
    if ((uint64_t)end > file->count) {
        memset(file->bytes + file->count, 0, (uint64_t)end - file->count);
    }
    file->count = (uint64_t)end;
    file->written_ns = sim_now_ns(call->world);
    return STATUS_SUCCESS;
}

static NTSTATUS set(const struct krn_call *call, struct krn_open_file *open, const void *from,
                    ULONG bytes, FILE_INFORMATION_CLASS information_class) {
    FILE_END_OF_FILE_INFORMATION end;
    FILE_POSITION_INFORMATION position;

    switch (information_class) {
    case FilePositionInformation:
        if (bytes < sizeof(position)) {
            return STATUS_INFO_LENGTH_MISMATCH;
        }
        memcpy(&position, from, sizeof(position));
        if (!open->is_synchronous || position.CurrentByteOffset.QuadPart < 0) {
            return STATUS_INVALID_PARAMETER;
        }
        open->position = (uint64_t)position.CurrentByteOffset.QuadPart;
        return STATUS_SUCCESS;
    case FileEndOfFileInformation:
        if (bytes < sizeof(end)) {
            return STATUS_INFO_LENGTH_MISMATCH;
        }
        memcpy(&end, from, sizeof(end));
        return set_end(call, open, end.EndOfFile.QuadPart);
    default:
        return STATUS_INVALID_INFO_CLASS;
    }
}

NTSTATUS NTAPI ZwSetInformationFile(HANDLE FileHandle, PIO_STATUS_BLOCK IoStatusBlock,
                                    PVOID FileInformation, ULONG Length,
                                    FILE_INFORMATION_CLASS FileInformationClass) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_open_file *open = krn_file_of(&call, FileHandle);

    krn_check_memory(&call, IoStatusBlock, sizeof(*IoStatusBlock), "I/O status block");
    krn_check_memory(&call, FileInformation, Length, "file information");
    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    if (open == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    IoStatusBlock->Information = 0;
    IoStatusBlock->Status = set(&call, open, FileInformation, Length, FileInformationClass);
    return IoStatusBlock->Status;
}

NTSTATUS NTAPI ZwFlushBuffersFile(HANDLE FileHandle, PIO_STATUS_BLOCK IoStatusBlock) {
    KRN_CALL(PASSIVE_LEVEL);
    const struct krn_open_file *open = krn_file_of(&call, FileHandle);

    krn_check_memory(&call, IoStatusBlock, sizeof(*IoStatusBlock), "I/O status block");
    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    if (open == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    IoStatusBlock->Status = STATUS_SUCCESS;
    IoStatusBlock->Information = 0;
    return STATUS_SUCCESS;
}
