/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spin locks with readers. The word in the driver's memory is Windows': the count of readers, and
 * bit 31 for a writer, who holds it or waits for the readers to leave. Each CPU's share is a held
 * lock of its own, so that all that is judged about held spin locks holds for these too.
 *
 *   free -> readers (n) -> free
 *   free or readers -> writer waits (no new readers) -> writer -> free
 */
#include <ntddk.h>

#include <krn/bugcheck.h>
#include <krn/state.h>

#include "call_error.h"
#include "pool.h"
#include "record.h"

#define WRITER ((LONG)0x80000000)

static uint64_t key_of(const struct krn_rw_spin *spin) {
    return spin->record.object.id;
}

static struct krn_rw_spin *use(const struct krn_call *call, PEX_SPIN_LOCK word) {
    const void *address = (const void *)(uintptr_t)word;
    struct krn_rw_spin *spin =
        (struct krn_rw_spin *)(uintptr_t)krn_record_use(call, address, KRN_KIND_RW_SPIN);

    if (spin->holds == NULL) {
        spin->hold_count = call->node->cpu_count;
        spin->holds = sim_alloc(call->world, spin->hold_count * sizeof(spin->holds[0]));
        for (uint32_t i = 0; i < spin->hold_count; i++) {
            struct krn_record *record = &spin->holds[i].record;

            *record = spin->record;
            record->kind = KRN_KIND_SPIN_LOCK;
            record->waiters = NULL;
            record->chunk_next = NULL;
        }
    }
    return spin;
}

/* What this context holds of it, or NULL. */
static struct krn_lock *mine(const struct krn_call *call, const struct krn_rw_spin *spin) {
    struct krn_lock *hold = &spin->holds[sim_cpu_index(call->cpu)];

    return hold->holder != NULL ? hold : NULL;
}

static struct sim_task *other_holder(const struct krn_call *call, const struct krn_rw_spin *spin) {
    for (uint32_t i = 0; i < spin->hold_count; i++) {
        if (spin->holds[i].holder != NULL && i != sim_cpu_index(call->cpu)) {
            return spin->holds[i].holder;
        }
    }
    return NULL;
}

static void hold(const struct krn_call *call, struct krn_rw_spin *spin) {
    krn_lock_hold(call->krn, &spin->holds[sim_cpu_index(call->cpu)], call->task, call->caller);
}

static void check_not_mine(const struct krn_call *call, const struct krn_rw_spin *spin) {
    const struct krn_lock *held = mine(call, spin);

    if (held != NULL) {
        krn_lock_twice(call, held, (struct sim_object *)(uintptr_t)&spin->record.object);
    }
}

static struct krn_rw_spin *begin(const struct krn_call *call, PEX_SPIN_LOCK word) {
    struct krn_rw_spin *spin = use(call, word);

    krn_call_point(call, &spin->record.object, SIM_ACCESS_LOCK);
    spin = use(call, word);
    check_not_mine(call, spin);
    return spin;
}

static void acquire_shared(const struct krn_call *call, PEX_SPIN_LOCK word) {
    struct krn_rw_spin *spin = begin(call, word);

    while ((*word & WRITER) != 0) {
        sim_task_spin(key_of(spin), other_holder(call, spin));
        spin = use(call, word);
    }
    *word += 1;
    hold(call, spin);
}

static void acquire_exclusive(const struct krn_call *call, PEX_SPIN_LOCK word) {
    struct krn_rw_spin *spin = begin(call, word);

    while ((*word & WRITER) != 0) {
        sim_task_spin(key_of(spin), other_holder(call, spin));
        spin = use(call, word);
    }
    *word |= WRITER;
    while (*word != WRITER) {
        sim_task_spin(key_of(spin), other_holder(call, spin));
        spin = use(call, word);
    }
    hold(call, spin);
}

static void release(const struct krn_call *call, PEX_SPIN_LOCK word, bool exclusive) {
    struct krn_rw_spin *spin = use(call, word);
    struct krn_lock *held = mine(call, spin);
    char name[SIM_NAME_BYTES];

    sim_object_name(&spin->record.object, name, sizeof(name));
    if (held == NULL || held->holder != call->task) {
        krn_bugcheck(0x10, 0, 0, 0, 0, "%s: %s is not held here", call->name, name);
    }
    if (exclusive != (*word == WRITER)) {
        krn_bugcheck(0x10, 0, 0, 0, 0, "%s: %s is held %s", call->name, name,
                     exclusive ? "by readers" : "by a writer");
    }
    if (call->level != DISPATCH_LEVEL) {
        krn_bugcheck(0xC4, 0x32, call->level, 0, 0,
                     "%s: %s was released at %s, it was held at DISPATCH", call->name, name,
                     krn_irql_name(call->level));
    }
    krn_call_point(call, &spin->record.object, SIM_ACCESS_LOCK);
    *word = exclusive ? 0 : *word - 1;
    krn_lock_unhold(call->krn, held);
    sim_spin_release(call->world, key_of(spin));
}

static KIRQL raise(struct krn_call *call) {
    KIRQL old = call->level;

    sim_cpu_raise(call->cpu, DISPATCH_LEVEL);
    call->level = DISPATCH_LEVEL;
    return old;
}

static void lower(const struct krn_call *call, KIRQL level) {
    if (level > DISPATCH_LEVEL) {
        krn_call_error(call, 0xC4, 0x31, level, "the IRQL to go back to is above the current one");
    }
    sim_cpu_lower(call->cpu, level);
}

static void need_dispatch(const struct krn_call *call) {
    if (call->level != DISPATCH_LEVEL) {
        krn_bugcheck(0xC4, 0x40, call->level, 0, 0, "%s was called at %s; it needs DISPATCH",
                     call->name, krn_irql_name(call->level));
    }
}

KIRQL NTAPI ExAcquireSpinLockShared(PEX_SPIN_LOCK SpinLock) {
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = raise(&call);

    acquire_shared(&call, SpinLock);
    return old;
}

KIRQL NTAPI ExAcquireSpinLockExclusive(PEX_SPIN_LOCK SpinLock) {
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = raise(&call);

    acquire_exclusive(&call, SpinLock);
    return old;
}

VOID NTAPI ExReleaseSpinLockShared(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql) {
    KRN_CALL(HIGH_LEVEL);
    release(&call, SpinLock, false);
    lower(&call, OldIrql);
}

VOID NTAPI ExReleaseSpinLockExclusive(PEX_SPIN_LOCK SpinLock, KIRQL OldIrql) {
    KRN_CALL(HIGH_LEVEL);
    release(&call, SpinLock, true);
    lower(&call, OldIrql);
}

VOID NTAPI ExAcquireSpinLockSharedAtDpcLevel(PEX_SPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    need_dispatch(&call);
    acquire_shared(&call, SpinLock);
}

VOID NTAPI ExAcquireSpinLockExclusiveAtDpcLevel(PEX_SPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    need_dispatch(&call);
    acquire_exclusive(&call, SpinLock);
}

VOID NTAPI ExReleaseSpinLockSharedFromDpcLevel(PEX_SPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    release(&call, SpinLock, false);
}

VOID NTAPI ExReleaseSpinLockExclusiveFromDpcLevel(PEX_SPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    release(&call, SpinLock, true);
}

LOGICAL NTAPI ExTryAcquireSpinLockSharedAtDpcLevel(PEX_SPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    struct krn_rw_spin *spin;

    need_dispatch(&call);
    spin = begin(&call, SpinLock);
    if ((*SpinLock & WRITER) != 0) {
        return FALSE;
    }
    *SpinLock += 1;
    hold(&call, spin);
    return TRUE;
}

LOGICAL NTAPI ExTryAcquireSpinLockExclusiveAtDpcLevel(PEX_SPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    struct krn_rw_spin *spin;

    need_dispatch(&call);
    spin = begin(&call, SpinLock);
    if (*SpinLock != 0) {
        return FALSE;
    }
    *SpinLock = WRITER;
    hold(&call, spin);
    return TRUE;
}

LOGICAL NTAPI ExTryConvertSharedSpinLockExclusive(PEX_SPIN_LOCK SpinLock) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_rw_spin *spin = use(&call, SpinLock);

    if (mine(&call, spin) == NULL || *SpinLock == WRITER) {
        krn_call_error(&call, 0x10, 0, 0, "the caller is no reader of the lock");
    }
    krn_call_point(&call, &spin->record.object, SIM_ACCESS_LOCK);
    if (*SpinLock != 1) {
        return FALSE;
    }
    *SpinLock = WRITER;
    return TRUE;
}
