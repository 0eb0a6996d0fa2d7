/* SPDX-License-Identifier: Apache-2.0 */
/* Files by handle: synchronous, in memory. */
#include <ntddk.h>

#include <string.h>

#include "call_error.h"
#include "file.h"
#include "handle.h"
#include "pool.h"
#include "wide.h"

#define WRITING (FILE_WRITE_DATA | FILE_APPEND_DATA | GENERIC_WRITE | GENERIC_ALL)
#define READING (FILE_READ_DATA | GENERIC_READ | GENERIC_ALL)

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
    file->made_ns = sim_now_ns(node->world);
    file->written_ns = file->made_ns;
    file->attributes = FILE_ATTRIBUTE_NORMAL;
    if (node->file_last != NULL) {
        node->file_last->next = file;
    } else {
        node->file_first = file;
    }
    node->file_last = file;
    return file;
}

void krn_file_close(struct krn_node *node, struct krn_open_file *open) {
    open->file->readers -= open->may_read;
    open->file->writers -= open->may_write;
    open->file->readers_refused -= !open->shares_read;
    open->file->writers_refused -= !open->shares_write;
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

/* Everyone who has the file open lets the new one do what it wants, and the other way round. */
static bool may_share(const struct krn_file *file, const struct krn_open_file *open) {
    return (!open->may_read || file->readers_refused == 0) &&
           (!open->may_write || file->writers_refused == 0) &&
           (open->shares_read || file->readers == 0) && (open->shares_write || file->writers == 0);
}

static void open_count(const struct krn_open_file *open) {
    open->file->readers += open->may_read;
    open->file->writers += open->may_write;
    open->file->readers_refused += !open->shares_read;
    open->file->writers_refused += !open->shares_write;
}

/* What happened to the file: FILE_OPENED and its like. `*file` is found or made. */
static NTSTATUS dispose(const struct krn_call *call, const char *path, ULONG disposition,
                        const struct krn_open_file *open, struct krn_file **file,
                        ULONG_PTR *information) {
    *file = file_find(call->node, path);
    if (*file != NULL && !dispositions[disposition].may_exist) {
        return STATUS_OBJECT_NAME_COLLISION;
    }
    if (*file == NULL && !dispositions[disposition].may_create) {
        return STATUS_OBJECT_NAME_NOT_FOUND;
    }
    if (*file == NULL) {
        *file = file_make(call->node, path);
        *information = FILE_CREATED;
        return STATUS_SUCCESS;
    }
    if (!may_share(*file, open)) {
        return STATUS_SHARING_VIOLATION;
    }
    *information = FILE_OPENED;
    if (dispositions[disposition].empties) {
        (*file)->count = 0;
        *information = disposition == FILE_SUPERSEDE ? FILE_SUPERSEDED : FILE_OVERWRITTEN;
    }
    return STATUS_SUCCESS;
}

static bool options_are_good(ACCESS_MASK access, ULONG disposition, ULONG options) {
    ULONG synchronous = options & (FILE_SYNCHRONOUS_IO_ALERT | FILE_SYNCHRONOUS_IO_NONALERT);

    return disposition < SIM_ARRAY_COUNT(dispositions) &&
           synchronous != (FILE_SYNCHRONOUS_IO_ALERT | FILE_SYNCHRONOUS_IO_NONALERT) &&
           (synchronous == 0 ||
            (access & (SYNCHRONIZE | GENERIC_READ | GENERIC_WRITE | GENERIC_ALL)) != 0);
}

static NTSTATUS create(const struct krn_call *call, PHANDLE handle, ACCESS_MASK access,
                       POBJECT_ATTRIBUTES attributes, PIO_STATUS_BLOCK result, ULONG share,
                       ULONG disposition, ULONG options) {
    struct krn_open_file open = {
        .may_read = (access & READING) != 0,
        .may_write = (access & WRITING) != 0,
        .append_only = (access & WRITING) == FILE_APPEND_DATA,
        .is_synchronous =
            (options & (FILE_SYNCHRONOUS_IO_ALERT | FILE_SYNCHRONOUS_IO_NONALERT)) != 0,
        .shares_read = (share & FILE_SHARE_READ) != 0,
        .shares_write = (share & FILE_SHARE_WRITE) != 0,
    };
    struct krn_open_file *kept;
    ULONG_PTR information = 0;
    NTSTATUS status;
    char path[1024];

    krn_check_memory(call, handle, sizeof(*handle), "handle");
    krn_check_memory(call, attributes, sizeof(*attributes), "object attributes");
    krn_check_memory(call, result, sizeof(*result), "I/O status block");
    krn_wide_check(call, attributes->ObjectName, "object name");
    krn_call_point(call, NULL, SIM_ACCESS_WRITE);
    if (!options_are_good(access, disposition, options)) {
        return STATUS_INVALID_PARAMETER;
    }
    krn_wide_text(attributes->ObjectName, path, sizeof(path));
    status = dispose(call, path, disposition, &open, &open.file, &information);
    if (NT_SUCCESS(status)) {
        kept = sim_alloc(call->world, sizeof(*kept));
        *kept = open;
        open_count(kept);
        *handle = krn_handle_make(call, KRN_HANDLE_FILE, kept);
    }
    result->Status = status;
    result->Information = information;
    return status;
}

NTSTATUS NTAPI ZwCreateFile(PHANDLE FileHandle, ACCESS_MASK DesiredAccess,
                            POBJECT_ATTRIBUTES ObjectAttributes, PIO_STATUS_BLOCK IoStatusBlock,
                            PLARGE_INTEGER AllocationSize, ULONG FileAttributes, ULONG ShareAccess,
                            ULONG CreateDisposition, ULONG CreateOptions, PVOID EaBuffer,
                            ULONG EaLength) {
    KRN_CALL(PASSIVE_LEVEL);
    UNREFERENCED_PARAMETER(AllocationSize);
    UNREFERENCED_PARAMETER(FileAttributes);
    UNREFERENCED_PARAMETER(EaBuffer);
    UNREFERENCED_PARAMETER(EaLength);
    return create(&call, FileHandle, DesiredAccess, ObjectAttributes, IoStatusBlock, ShareAccess,
                  CreateDisposition, CreateOptions);
}

NTSTATUS NTAPI ZwOpenFile(PHANDLE FileHandle, ACCESS_MASK DesiredAccess,
                          POBJECT_ATTRIBUTES ObjectAttributes, PIO_STATUS_BLOCK IoStatusBlock,
                          ULONG ShareAccess, ULONG OpenOptions) {
    KRN_CALL(PASSIVE_LEVEL);
    return create(&call, FileHandle, DesiredAccess, ObjectAttributes, IoStatusBlock, ShareAccess,
                  FILE_OPEN, OpenOptions);
}

struct krn_open_file *krn_file_of(const struct krn_call *call, void *handle) {
    const struct krn_handle_entry *entry = krn_handle_find(call->node, handle);

    return entry != NULL && entry->kind == KRN_HANDLE_FILE ? entry->object : NULL;
}

bool krn_file_grow(struct krn_node *node, struct krn_file *file, uint64_t count) {
    uint64_t capacity = file->capacity != 0 ? file->capacity : 4096;
    unsigned char *bytes;

    if (count <= file->capacity) {
        return true;
    }
    if (count > KRN_FILE_BYTES_MAX) {
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

/* Requests end in the call itself, so there is nobody whom an APC would find. */
static bool request_is_good(const struct krn_open_file *open, PIO_APC_ROUTINE apc,
                            const LARGE_INTEGER *offset) {
    return apc == NULL && (open->is_synchronous || open->append_only || offset != NULL);
}

NTSTATUS NTAPI ZwWriteFile(HANDLE FileHandle, HANDLE Event, PIO_APC_ROUTINE ApcRoutine,
                           PVOID ApcContext, PIO_STATUS_BLOCK IoStatusBlock, PVOID Buffer,
                           ULONG Length, PLARGE_INTEGER ByteOffset, PULONG Key) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_open_file *open = krn_file_of(&call, FileHandle);
    uint64_t position;

    UNREFERENCED_PARAMETER(ApcContext);
    UNREFERENCED_PARAMETER(Key);
    krn_check_memory(&call, IoStatusBlock, sizeof(*IoStatusBlock), "I/O status block");
    krn_check_memory(&call, Buffer, Length, "buffer");
    krn_call_point(&call, NULL, SIM_ACCESS_WRITE);
    if (open == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    if (!request_is_good(open, ApcRoutine, ByteOffset)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!krn_event_handle_put(&call, Event, false)) {
        return STATUS_INVALID_HANDLE;
    }
    position = position_of(open, ByteOffset);
    if (position > KRN_FILE_BYTES_MAX || !krn_file_grow(call.node, open->file, position + Length)) {
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
    open->file->written_ns = sim_now_ns(call.world);
    IoStatusBlock->Status = STATUS_SUCCESS;
    IoStatusBlock->Information = Length;
    (void)krn_event_handle_put(&call, Event, true);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI ZwReadFile(HANDLE FileHandle, HANDLE Event, PIO_APC_ROUTINE ApcRoutine,
                          PVOID ApcContext, PIO_STATUS_BLOCK IoStatusBlock, PVOID Buffer,
                          ULONG Length, PLARGE_INTEGER ByteOffset, PULONG Key) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_open_file *open = krn_file_of(&call, FileHandle);
    uint64_t position;
    uint64_t count;

    UNREFERENCED_PARAMETER(ApcContext);
    UNREFERENCED_PARAMETER(Key);
    krn_check_memory(&call, IoStatusBlock, sizeof(*IoStatusBlock), "I/O status block");
    krn_check_memory(&call, Buffer, Length, "buffer");
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    if (open == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    if (!request_is_good(open, ApcRoutine, ByteOffset)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!krn_event_handle_put(&call, Event, false)) {
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
    (void)krn_event_handle_put(&call, Event, true);
    return STATUS_SUCCESS;
}
