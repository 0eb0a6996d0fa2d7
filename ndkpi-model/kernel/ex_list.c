/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sequenced lists, and lists under a driver's spin lock. The head of a sequenced list keeps the
 * whole pointer in its second word, so that any address fits.
 */
#include <ntddk.h>

#include "call_error.h"
#include "pool.h"
#include "race.h"
#include "spin.h"

static void touch(const struct krn_call *call, PSLIST_HEADER head) {
    krn_check_memory(call, head, sizeof(*head), "list head");
    krn_call_point(call, krn_call_owner(call), SIM_ACCESS_WRITE);
    krn_check_memory(call, head, sizeof(*head), "list head");
    krn_race_interlocked(call, head, sizeof(*head));
}

static PSLIST_ENTRY first_of(const SLIST_HEADER *head) {
    return (PSLIST_ENTRY)(uintptr_t)head->Region;
}

static void set(PSLIST_HEADER head, PSLIST_ENTRY first, int change) {
    head->Region = (uintptr_t)first;
    head->HeaderX64.Depth = (USHORT)(head->HeaderX64.Depth + change);
    head->HeaderX64.Sequence++;
}

VOID NTAPI InitializeSListHead(PSLIST_HEADER SListHead) {
    KRN_CALL(HIGH_LEVEL);
    krn_check_memory(&call, SListHead, sizeof(*SListHead), "list head");
    if ((uintptr_t)SListHead % MEMORY_ALLOCATION_ALIGNMENT != 0) {
        krn_call_error(&call, 0x1E, (ULONG)STATUS_DATATYPE_MISALIGNMENT, 0,
                       "the list head is not aligned to 16 bytes");
    }
    RtlZeroMemory(SListHead, sizeof(*SListHead));
}

PSLIST_ENTRY NTAPI ExpInterlockedPopEntrySList(PSLIST_HEADER ListHead) {
    KRN_CALL(DISPATCH_LEVEL);
    PSLIST_ENTRY entry;

    touch(&call, ListHead);
    entry = first_of(ListHead);
    if (entry != NULL) {
        krn_check_memory(&call, entry, sizeof(*entry), "list entry");
        set(ListHead, entry->Next, -1);
    }
    return entry;
}

PSLIST_ENTRY NTAPI ExpInterlockedPushEntrySList(PSLIST_HEADER ListHead, PSLIST_ENTRY ListEntry) {
    KRN_CALL(DISPATCH_LEVEL);
    PSLIST_ENTRY old;

    krn_check_memory(&call, ListEntry, sizeof(*ListEntry), "list entry");
    touch(&call, ListHead);
    old = first_of(ListHead);
    ListEntry->Next = old;
    set(ListHead, ListEntry, 1);
    return old;
}

PSLIST_ENTRY NTAPI ExpInterlockedFlushSList(PSLIST_HEADER ListHead) {
    KRN_CALL(DISPATCH_LEVEL);
    PSLIST_ENTRY old;

    touch(&call, ListHead);
    old = first_of(ListHead);
    set(ListHead, NULL, -(int)ListHead->HeaderX64.Depth);
    return old;
}

USHORT NTAPI ExQueryDepthSList(PSLIST_HEADER SListHead) {
    KRN_CALL(HIGH_LEVEL);
    krn_check_memory(&call, SListHead, sizeof(*SListHead), "list head");
    return (USHORT)SListHead->HeaderX64.Depth;
}

/* Windows' forms work at any IRQL; the lock is taken at DISPATCH here, which no driver can tell. */
static KIRQL lock(struct krn_call *call, PKSPIN_LOCK spin) {
    KIRQL old = call->level;

    sim_cpu_raise(call->cpu, DISPATCH_LEVEL);
    call->level = DISPATCH_LEVEL;
    krn_spin_acquire(call, spin, NULL);
    return old;
}

static void unlock(const struct krn_call *call, PKSPIN_LOCK spin, KIRQL old) {
    krn_spin_release(call, spin, NULL);
    sim_cpu_lower(call->cpu, old);
}

PLIST_ENTRY NTAPI ExInterlockedInsertHeadList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry,
                                              PKSPIN_LOCK Lock) {
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = lock(&call, Lock);
    PLIST_ENTRY first = IsListEmpty(ListHead) ? NULL : ListHead->Flink;

    InsertHeadList(ListHead, ListEntry);
    unlock(&call, Lock, old);
    return first;
}

PLIST_ENTRY NTAPI ExInterlockedInsertTailList(PLIST_ENTRY ListHead, PLIST_ENTRY ListEntry,
                                              PKSPIN_LOCK Lock) {
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = lock(&call, Lock);
    PLIST_ENTRY last = IsListEmpty(ListHead) ? NULL : ListHead->Blink;

    InsertTailList(ListHead, ListEntry);
    unlock(&call, Lock, old);
    return last;
}

PLIST_ENTRY NTAPI ExInterlockedRemoveHeadList(PLIST_ENTRY ListHead, PKSPIN_LOCK Lock) {
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = lock(&call, Lock);
    PLIST_ENTRY first = IsListEmpty(ListHead) ? NULL : RemoveHeadList(ListHead);

    unlock(&call, Lock, old);
    return first;
}

PSINGLE_LIST_ENTRY NTAPI ExInterlockedPopEntryList(PSINGLE_LIST_ENTRY ListHead, PKSPIN_LOCK Lock) {
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = lock(&call, Lock);
    PSINGLE_LIST_ENTRY first = PopEntryList(ListHead);

    unlock(&call, Lock, old);
    return first;
}

PSINGLE_LIST_ENTRY NTAPI ExInterlockedPushEntryList(PSINGLE_LIST_ENTRY ListHead,
                                                    PSINGLE_LIST_ENTRY ListEntry,
                                                    PKSPIN_LOCK Lock) {
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = lock(&call, Lock);
    PSINGLE_LIST_ENTRY first = ListHead->Next;

    PushEntryList(ListHead, ListEntry);
    unlock(&call, Lock, old);
    return first;
}
