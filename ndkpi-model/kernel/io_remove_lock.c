/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remove locks. The common block is Windows': a count that begins with one, a flag and an event.
 * Whose tag came and did not go is kept beside it, for every build: on Windows a checked driver
 * knows it.
 */
#include <ntddk.h>

#include <krn/bugcheck.h>

#include "call_error.h"
#include "pool.h"
#include "record.h"
#include "thread.h"
#include "wait.h"

static struct krn_remove_lock *use(const struct krn_call *call, PIO_REMOVE_LOCK lock, ULONG bytes) {
    if (bytes != sizeof(IO_REMOVE_LOCK_COMMON_BLOCK) &&
        bytes != sizeof(IO_REMOVE_LOCK_COMMON_BLOCK) + sizeof(IO_REMOVE_LOCK_DBG_BLOCK)) {
        krn_call_error(call, 0xC4, 0xE3, bytes, "the remove lock's size is none of the two");
    }
    return (struct krn_remove_lock *)(uintptr_t)krn_record_use(call, lock, KRN_KIND_REMOVE_LOCK);
}

VOID NTAPI IoInitializeRemoveLockEx(PIO_REMOVE_LOCK Lock, ULONG AllocateTag, ULONG MaxLockedMinutes,
                                    ULONG HighWatermark, ULONG RemlockSize) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_remove_lock *lock;

    UNREFERENCED_PARAMETER(AllocateTag);
    UNREFERENCED_PARAMETER(MaxLockedMinutes);
    UNREFERENCED_PARAMETER(HighWatermark);
    lock = (struct krn_remove_lock *)(uintptr_t)krn_record_make(
        &call, Lock, RemlockSize >= sizeof(Lock->Common) ? RemlockSize : sizeof(Lock->Common),
        KRN_KIND_REMOVE_LOCK);
    (void)use(&call, Lock, RemlockSize);
    lock->tag_count = 0;
    RtlZeroMemory(&Lock->Common, sizeof(Lock->Common));
    Lock->Common.IoCount = 1;
    KeInitializeEvent(&Lock->Common.RemoveEvent, SynchronizationEvent, FALSE);
}

static void tag_put(const struct krn_call *call, struct krn_remove_lock *lock, const void *tag) {
    if (lock->tag_count == lock->tag_capacity) {
        uint32_t capacity = lock->tag_capacity != 0 ? 2 * lock->tag_capacity : 8;
        const void **tags = sim_alloc(call->world, capacity * sizeof(tags[0]));

        for (uint32_t i = 0; i < lock->tag_count; i++) {
            tags[i] = lock->tags[i];
        }
        if (lock->tags != NULL) {
            sim_free(call->world, lock->tags, lock->tag_capacity * sizeof(tags[0]));
        }
        lock->tags = tags;
        lock->tag_capacity = capacity;
    }
    lock->tags[lock->tag_count++] = tag;
}

static void tag_take(const struct krn_call *call, struct krn_remove_lock *lock, const void *tag) {
    uint32_t at = 0;

    while (at < lock->tag_count && lock->tags[at] != tag) {
        at++;
    }
    if (lock->tag_count == 0) {
        krn_call_error(call, 0xC4, 0xE3, 0,
                       "the remove lock was released more often than acquired");
    }
    if (at == lock->tag_count) {
        krn_call_error(call, 0xC4, 0xE3, 1,
                       "the remove lock was released with a tag that nobody acquired it with");
    }
    for (lock->tag_count--; at < lock->tag_count; at++) {
        lock->tags[at] = lock->tags[at + 1];
    }
}

NTSTATUS NTAPI IoAcquireRemoveLockEx(PIO_REMOVE_LOCK RemoveLock, PVOID Tag, PCSTR File, ULONG Line,
                                     ULONG RemlockSize) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_remove_lock *lock = use(&call, RemoveLock, RemlockSize);

    UNREFERENCED_PARAMETER(File);
    UNREFERENCED_PARAMETER(Line);
    krn_call_point(&call, &lock->record.object, SIM_ACCESS_WRITE);
    lock = use(&call, RemoveLock, RemlockSize);
    if (RemoveLock->Common.Removed) {
        return STATUS_DELETE_PENDING;
    }
    RemoveLock->Common.IoCount++;
    tag_put(&call, lock, Tag);
    return STATUS_SUCCESS;
}

static void release(const struct krn_call *call, PIO_REMOVE_LOCK remove_lock, PVOID tag,
                    ULONG bytes) {
    struct krn_remove_lock *lock = use(call, remove_lock, bytes);

    krn_call_point(call, &lock->record.object, SIM_ACCESS_WRITE);
    lock = use(call, remove_lock, bytes);
    tag_take(call, lock, tag);
    if (--remove_lock->Common.IoCount == 0) {
        (void)KeSetEvent(&remove_lock->Common.RemoveEvent, IO_NO_INCREMENT, FALSE);
    }
}

VOID NTAPI IoReleaseRemoveLockEx(PIO_REMOVE_LOCK RemoveLock, PVOID Tag, ULONG RemlockSize) {
    KRN_CALL(DISPATCH_LEVEL);
    release(&call, RemoveLock, Tag, RemlockSize);
}

VOID NTAPI IoReleaseRemoveLockAndWaitEx(PIO_REMOVE_LOCK RemoveLock, PVOID Tag, ULONG RemlockSize) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_remove_lock *lock = use(&call, RemoveLock, RemlockSize);

    if (RemoveLock->Common.Removed) {
        krn_call_error(&call, 0xC4, 0xE3, 2, "the remove lock was waited for before");
    }
    if (lock->tag_count == 0) {
        tag_take(&call, lock, Tag);
    }
    RemoveLock->Common.Removed = TRUE;
    /* The first count and the caller's own; who gives back the last one sets the event. */
    RemoveLock->Common.IoCount--;
    release(&call, RemoveLock, Tag, RemlockSize);
    (void)KeWaitForSingleObject(&RemoveLock->Common.RemoveEvent, Executive, KernelMode, FALSE,
                                NULL);
}
