/* SPDX-License-Identifier: Apache-2.0 */
/* Files by handle: synchronous, in memory. */
#include <ntddk.h>

#include <string.h>

#include "call_error.h"
#include "file.h"
#include "handle.h"
#include "pool.h"
#include "wide.h"

#define FILE_BYTES_MAX (UINT64_C(64) << 20)

struct krn_file {
    struct krn_file *next;
    const char *path;
    unsigned char *bytes;
    uint64_t count;
    uint64_t capacity;
};

struct krn_open_file {
    struct krn_file *file;
    uint64_t position;
    bool append_only;
};

static struct krn_file *file_find(const struct krn_node *node, const char *path) {
    struct krn_file *file = node->file_first;

    while (file != NULL && !krn_text_equal_fold(file->path, path)) {
        file = file->next;
    }
    return file;
}

static struct krn_file *file_make(struct krn_node *node, const char *path) {
    struct krn_file *file = sim_alloc(node->world, sizeof(*file));

    file->path = sim_text_keep(node->world, path);
    if (node->file_last != NULL) {
        node->file_last->next = file;
    } else {
        node->file_first = file;
    }
    node->file_last = file;
    return file;
}

void krn_file_close(struct krn_node *node, struct krn_open_file *open) {
    sim_free(node->world, open, sizeof(*open));
}

void krn_file_visit(struct krn_node *node,
                    void (*visit)(void *context, const char *path, const void *bytes,
                                  uint64_t count),
                    void *context) {
    for (const struct krn_file *file = node->file_first; file != NULL; file = file->next) {
        visit(context, file->path, file->bytes, file->count);
    }
}

/* What each disposition does to a file that is there, and to one that is not. */
static const struct {
    bool may_exist;
    bool may_create;
    bool empties;
} dispositions[] = {
    [FILE_SUPERSEDE] = {true, true, true},  [FILE_OPEN] = {true, false, false},
    [FILE_CREATE] = {false, true, false},   [FILE_OPEN_IF] = {true, true, false},
    [FILE_OVERWRITE] = {true, false, true}, [FILE_OVERWRITE_IF] = {true, true, true},
};

NTSTATUS NTAPI ZwCreateFile(PHANDLE FileHandle, ACCESS_MASK DesiredAccess,
                            POBJECT_ATTRIBUTES ObjectAttributes, PIO_STATUS_BLOCK IoStatusBlock,
                            PLARGE_INTEGER AllocationSize, ULONG FileAttributes, ULONG ShareAccess,
                            ULONG CreateDisposition, ULONG CreateOptions, PVOID EaBuffer,
                            ULONG EaLength) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_open_file *open;
    struct krn_file *file;
    char path[1024];

    UNREFERENCED_PARAMETER(AllocationSize);
    UNREFERENCED_PARAMETER(FileAttributes);
    UNREFERENCED_PARAMETER(ShareAccess);
    UNREFERENCED_PARAMETER(CreateOptions);
    UNREFERENCED_PARAMETER(EaBuffer);
    UNREFERENCED_PARAMETER(EaLength);
    krn_check_memory(&call, FileHandle, sizeof(*FileHandle), "handle");
    krn_check_memory(&call, ObjectAttributes, sizeof(*ObjectAttributes), "object attributes");
    krn_check_memory(&call, IoStatusBlock, sizeof(*IoStatusBlock), "I/O status block");
    krn_wide_check(&call, ObjectAttributes->ObjectName, "object name");
    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    if (CreateDisposition >= SIM_ARRAY_COUNT(dispositions)) {
        return STATUS_INVALID_PARAMETER;
    }
    krn_wide_text(ObjectAttributes->ObjectName, path, sizeof(path));
    file = file_find(call.node, path);
    if (file != NULL && !dispositions[CreateDisposition].may_exist) {
        return STATUS_OBJECT_NAME_COLLISION;
    }
    if (file == NULL && !dispositions[CreateDisposition].may_create) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    if (file == NULL) {
        file = file_make(call.node, path);
    } else if (dispositions[CreateDisposition].empties) {
        file->count = 0;
    }
    open = sim_alloc(call.world, sizeof(*open));
    open->file = file;
    open->append_only =
        (DesiredAccess & (FILE_APPEND_DATA | FILE_WRITE_DATA | GENERIC_WRITE)) == FILE_APPEND_DATA;
    *FileHandle = krn_handle_make(&call, KRN_HANDLE_FILE, open);
    IoStatusBlock->Status = STATUS_SUCCESS;
    IoStatusBlock->Information = 0;
    return STATUS_SUCCESS;
}

static struct krn_open_file *open_of(const struct krn_call *call, HANDLE handle) {
    const struct krn_handle_entry *entry = krn_handle_find(call->node, handle);

    return entry != NULL && entry->kind == KRN_HANDLE_FILE ? entry->object : NULL;
}

static bool file_grow(struct krn_node *node, struct krn_file *file, uint64_t count) {
    uint64_t capacity = file->capacity != 0 ? file->capacity : 4096;
    unsigned char *bytes;

    if (count <= file->capacity) {
        return true;
    }
    if (count > FILE_BYTES_MAX) {
        return false;
    }
    while (capacity < count) {
        capacity *= 2;
    }
    bytes = sim_alloc(node->world, capacity);
    if (file->count != 0) {
        memcpy(bytes, file->bytes, file->count);
    }
    if (file->capacity != 0) {
        sim_free(node->world, file->bytes, file->capacity);
    }
    file->bytes = bytes;
    file->capacity = capacity;
    return true;
}

static uint64_t position_of(const struct krn_open_file *open, const LARGE_INTEGER *offset) {
    if (open->append_only || (offset != NULL && offset->HighPart == -1 &&
                              offset->LowPart == FILE_WRITE_TO_END_OF_FILE)) {
        return open->file->count;
    }
    if (offset == NULL || offset->QuadPart < 0) {
        return open->position;
    }
    return (uint64_t)offset->QuadPart;
}

NTSTATUS NTAPI ZwWriteFile(HANDLE FileHandle, HANDLE Event, PIO_APC_ROUTINE ApcRoutine,
                           PVOID ApcContext, PIO_STATUS_BLOCK IoStatusBlock, PVOID Buffer,
                           ULONG Length, PLARGE_INTEGER ByteOffset, PULONG Key) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_open_file *open = open_of(&call, FileHandle);
    uint64_t position;

    UNREFERENCED_PARAMETER(Event);
    UNREFERENCED_PARAMETER(ApcRoutine);
    UNREFERENCED_PARAMETER(ApcContext);
    UNREFERENCED_PARAMETER(Key);
    krn_check_memory(&call, IoStatusBlock, sizeof(*IoStatusBlock), "I/O status block");
    krn_check_memory(&call, Buffer, Length, "buffer");
    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    if (open == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    position = position_of(open, ByteOffset);
    if (position > FILE_BYTES_MAX || !file_grow(call.node, open->file, position + Length)) {
        return STATUS_DISK_FULL;
    }
    if (position > open->file->count) {
        memset(open->file->bytes + open->file->count, 0, position - open->file->count);
    }
    memcpy(open->file->bytes + position, Buffer, Length);
    open->position = position + Length;
    if (open->position > open->file->count) {
        open->file->count = open->position;
    }
    IoStatusBlock->Status = STATUS_SUCCESS;
    IoStatusBlock->Information = Length;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ZwReadFile(HANDLE FileHandle, HANDLE Event, PIO_APC_ROUTINE ApcRoutine,
                          PVOID ApcContext, PIO_STATUS_BLOCK IoStatusBlock, PVOID Buffer,
                          ULONG Length, PLARGE_INTEGER ByteOffset, PULONG Key) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_open_file *open = open_of(&call, FileHandle);
    uint64_t position;
    uint64_t count;

    UNREFERENCED_PARAMETER(Event);
    UNREFERENCED_PARAMETER(ApcRoutine);
    UNREFERENCED_PARAMETER(ApcContext);
    UNREFERENCED_PARAMETER(Key);
    krn_check_memory(&call, IoStatusBlock, sizeof(*IoStatusBlock), "I/O status block");
    krn_check_memory(&call, Buffer, Length, "buffer");
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    if (open == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    position = ByteOffset != NULL && ByteOffset->QuadPart >= 0 ? (uint64_t)ByteOffset->QuadPart
                                                               : open->position;
    if (position >= open->file->count) {
        return STATUS_END_OF_FILE;
    }
    count = open->file->count - position;
    count = count < Length ? count : Length;
    memcpy(Buffer, open->file->bytes + position, count);
    open->position = position + count;
    IoStatusBlock->Status = STATUS_SUCCESS;
    IoStatusBlock->Information = count;
    return STATUS_SUCCESS;
}
