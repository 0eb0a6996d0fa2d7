/* SPDX-License-Identifier: Apache-2.0 */
/* The server's files; see mini_file.h. */
#include "mini_file.h"

#include "mini_wire.h"

#define FILE_POOL_TAG 'fBmS'

VOID StoreInit(PMINI_STORE Store) {
    KeInitializeSpinLock(&Store->Lock);
    InitializeListHead(&Store->Files);
}

static VOID FileFree(PMINI_FILE File) {
    if (File->Buffer != NULL) {
        ExFreePoolWithTag(File->Buffer, FILE_POOL_TAG);
    }
    ExFreePoolWithTag(File, FILE_POOL_TAG);
}

VOID StoreDeinit(PMINI_STORE Store) {
    while (!IsListEmpty(&Store->Files)) {
        PMINI_FILE File = CONTAINING_RECORD(RemoveHeadList(&Store->Files), MINI_FILE, Link);

        NT_ASSERT(File->Owner == NULL);
        FileFree(File);
    }
}

static PMINI_FILE StoreFindLocked(PMINI_STORE Store, ULONG Id) {
    PLIST_ENTRY Entry;

    for (Entry = Store->Files.Flink; Entry != &Store->Files; Entry = Entry->Flink) {
        PMINI_FILE File = CONTAINING_RECORD(Entry, MINI_FILE, Link);

        if (File->Id == Id) {
            return File;
        }
    }
    return NULL;
}

static PMINI_FILE FileMake(ULONG Id, ULONG Bytes, ULONG64 Seed) {
    PMINI_FILE File = ExAllocatePoolZero(NonPagedPoolNx, sizeof(*File), FILE_POOL_TAG);
    ULONG64 Base = MiniPatternBase(Seed, Id, 0);

    if (File == NULL) {
        return NULL;
    }
    File->Id = Id;
    File->Bytes = Bytes;
    KeInitializeEvent(&File->Released, NotificationEvent, TRUE);
    File->Buffer = ExAllocatePoolWithTag(NonPagedPoolNx, Bytes, FILE_POOL_TAG);
    if (File->Buffer == NULL) {
        FileFree(File);
        return NULL;
    }
    MiniPatternFill(File->Buffer, Base, 0, Bytes);
    return File;
}

/* Finds or makes. Two connections may both have made it: the first stays. */
static PMINI_FILE StoreObtain(PMINI_STORE Store, ULONG Id, ULONG Bytes, ULONG64 Seed) {
    PMINI_FILE Made = NULL;
    KLOCK_QUEUE_HANDLE Handle;
    PMINI_FILE File;

    KeAcquireInStackQueuedSpinLock(&Store->Lock, &Handle);
    File = StoreFindLocked(Store, Id);
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (File != NULL) {
        return File;
    }
    Made = FileMake(Id, Bytes, Seed);
    if (Made == NULL) {
        return NULL;
    }
    KeAcquireInStackQueuedSpinLock(&Store->Lock, &Handle);
    File = StoreFindLocked(Store, Id);
    if (File == NULL) {
        InsertTailList(&Store->Files, &Made->Link);
        File = Made;
        Made = NULL;
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (Made != NULL) {
        FileFree(Made);
    }
    return File;
}

/* TRUE: it is the connection's now. Else its owner has been told to end. */
static BOOLEAN StoreClaim(PMINI_STORE Store, PMINI_FILE File, PSMBD_CONNECTION Connection) {
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsMine;

    KeAcquireInStackQueuedSpinLock(&Store->Lock, &Handle);
    IsMine = File->Owner == NULL;
    if (IsMine) {
        File->Owner = Connection;
        KeClearEvent(&File->Released);
    } else {
        /* Its memory stays until it has released the file, which takes this lock. */
        File->Owner->IsTakenOver = TRUE;
        SmbdEnd(File->Owner, STATUS_CONNECTION_DISCONNECTED, "its file was opened anew");
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    return IsMine;
}

NTSTATUS StoreOpen(PMINI_STORE Store, PSMBD_CONNECTION Connection, ULONG Id, ULONG Bytes,
                   ULONG64 Seed, PMINI_FILE *File) {
    PMINI_FILE Found;
    NTSTATUS Status;

    PAGED_CODE();
    *File = NULL;
    if (Bytes == 0 || Bytes > MINI_FILE_BYTES_MAX || Bytes % 8 != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    Found = StoreObtain(Store, Id, Bytes, Seed);
    if (Found == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    if (Found->Bytes != Bytes || Found->Owner == Connection) {
        return STATUS_OBJECT_NAME_COLLISION;
    }
    while (!StoreClaim(Store, Found, Connection)) {
        Status = SmbdWaitEvent(Connection, &Found->Released, 0);
        if (!NT_SUCCESS(Status)) {
            return Status;
        }
    }
    *File = Found;
    return STATUS_SUCCESS;
}

VOID StoreRelease(PMINI_STORE Store, PMINI_FILE File) {
    KLOCK_QUEUE_HANDLE Handle;

    KeAcquireInStackQueuedSpinLock(&Store->Lock, &Handle);
    File->Owner = NULL;
    KeSetEvent(&File->Released, IO_NO_INCREMENT, FALSE);
    KeReleaseInStackQueuedSpinLock(&Handle);
}
