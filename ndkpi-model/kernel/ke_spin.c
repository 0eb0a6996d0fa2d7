/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spin locks, plain and in-stack queued. The lock's word in the driver's memory is 1 while it is
 * held; who holds it is in its record. A context that finds it held spins: its CPU runs nothing
 * below DISPATCH until the holder lets go; who gets it then is a choice.
 */
#include <ntddk.h>

#include <krn/bugcheck.h>
#include <krn/state.h>

#include "call_error.h"
#include "pool.h"
#include "record.h"
#include "spin.h"

static uint64_t key_of(const struct krn_lock *lock) {
    return lock->record.object.id;
}

static struct krn_lock *use(const struct krn_call *call, PKSPIN_LOCK lock) {
    return krn_lock_of(krn_record_use(call, lock, KRN_KIND_SPIN_LOCK));
}

static void check_not_mine(const struct krn_call *call, const struct krn_lock *lock) {
    if (lock->holder != NULL &&
        (lock->holder == call->task || sim_task_cpu(lock->holder) == sim_task_cpu(call->task))) {
        krn_lock_twice(call, lock, (struct sim_object *)(uintptr_t)&lock->record.object);
    }
}

/* Behind the schedule point. */
static void acquire(const struct krn_call *call, struct krn_lock *lock, PKSPIN_LOCK word,
                    const void *handle) {
    for (;;) {
        check_not_mine(call, lock);
        if (lock->holder == NULL) {
            break;
        }
        sim_task_spin(key_of(lock), lock->holder);
        lock = use(call, word);
    }
    if (*word != 0) {
        krn_call_error(call, 0x81, 0, 0, "the spin lock's word was overwritten");
    }
    *word = 1;
    krn_lock_hold(call->krn, lock, call->task, call->caller);
    lock->handle = handle;
}

void krn_spin_acquire(const struct krn_call *call, PKSPIN_LOCK word, const void *handle) {
    struct krn_lock *lock = use(call, word);

    if (krn_call_point(call, &lock->record.object, SIM_ACCESS_LOCK)) {
        lock = use(call, word);
    }
    acquire(call, lock, word, handle);
}

bool krn_spin_try(const struct krn_call *call, PKSPIN_LOCK word) {
    struct krn_lock *lock = use(call, word);

    krn_call_point(call, &lock->record.object, SIM_ACCESS_LOCK);
    lock = use(call, word);
    check_not_mine(call, lock);
    if (lock->holder != NULL) {
        return false;
    }
    *word = 1;
    krn_lock_hold(call->krn, lock, call->task, call->caller);
    return true;
}

void krn_spin_release(const struct krn_call *call, PKSPIN_LOCK word, const void *handle) {
    struct krn_lock *lock = use(call, word);
    char name[SIM_NAME_BYTES];

    if (lock->holder != call->task) {
        krn_bugcheck(0x10, 0, 0, 0, 0, "%s: %s is %s", call->name,
                     sim_object_name(&lock->record.object, name, sizeof(name)),
                     lock->holder == NULL ? "not held" : "held by another context");
    }
    if (lock->handle != handle) {
        krn_bugcheck(0x10, 0, 0, 0, 0, "%s: %s was acquired %s; it must be released the same way",
                     call->name, sim_object_name(&lock->record.object, name, sizeof(name)),
                     lock->handle == NULL ? "as a plain lock"
                                          : "as a queued lock with another handle");
    }
    if (call->level != DISPATCH_LEVEL) {
        krn_bugcheck(0xC4, 0x32, call->level, 0, 0,
                     "%s: %s was released at %s, it was held at DISPATCH", call->name,
                     sim_object_name(&lock->record.object, name, sizeof(name)),
                     krn_irql_name(call->level));
    }
    krn_call_point(call, &lock->record.object, SIM_ACCESS_LOCK);
    *word = 0;
    krn_lock_unhold(call->krn, lock);
    sim_spin_release(call->world, key_of(lock));
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

static void need_dispatch(const struct krn_call *call, ULONG subcode) {
    if (call->level != DISPATCH_LEVEL) {
        krn_bugcheck(0xC4, subcode, call->level, 0, 0, "%s was called at %s; it needs DISPATCH",
                     call->name, krn_irql_name(call->level));
    }
}

VOID NTAPI KeInitializeSpinLock(PKSPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    krn_check_memory(&call, SpinLock, sizeof(*SpinLock), "spin lock");
    *SpinLock = 0;
    (void)krn_record_make(&call, SpinLock, sizeof(*SpinLock), KRN_KIND_SPIN_LOCK);
}

KIRQL NTAPI KeAcquireSpinLockRaiseToDpc(PKSPIN_LOCK SpinLock) {
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = raise(&call);

    krn_spin_acquire(&call, SpinLock, NULL);
    return old;
}

VOID NTAPI KeReleaseSpinLock(PKSPIN_LOCK SpinLock, KIRQL NewIrql) {
    KRN_CALL(HIGH_LEVEL);
    krn_spin_release(&call, SpinLock, NULL);
    lower(&call, NewIrql);
}

VOID NTAPI KeAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    need_dispatch(&call, 0x40);
    krn_spin_acquire(&call, SpinLock, NULL);
}

VOID NTAPI KeReleaseSpinLockFromDpcLevel(PKSPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    need_dispatch(&call, 0x41);
    krn_spin_release(&call, SpinLock, NULL);
}

BOOLEAN NTAPI KeTryToAcquireSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    need_dispatch(&call, 0x40);
    return krn_spin_try(&call, SpinLock);
}

BOOLEAN NTAPI KeTestSpinLock(PKSPIN_LOCK SpinLock) {
    KRN_CALL(HIGH_LEVEL);
    struct krn_record *record = krn_record_use(&call, SpinLock, KRN_KIND_SPIN_LOCK);

    krn_call_point(&call, &record->object, SIM_ACCESS_READ);
    return *SpinLock == 0;
}

KIRQL NTAPI KeAcquireSpinLockForDpc(PKSPIN_LOCK SpinLock) {
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = raise(&call);

    krn_spin_acquire(&call, SpinLock, NULL);
    return old;
}

VOID NTAPI KeReleaseSpinLockForDpc(PKSPIN_LOCK SpinLock, KIRQL OldIrql) {
    KRN_CALL(HIGH_LEVEL);
    krn_spin_release(&call, SpinLock, NULL);
    lower(&call, OldIrql);
}

/* ---- In-stack queued locks ---- */

/*
 * Nearly every one of these calls is given its own frame and an initialised lock in pool that is in
 * the state that it should be in. Those are served without the frame of a call; all others, and
 * whatever is found at the schedule point, get one. The lock, or NULL: nothing is known.
 */
static inline struct krn_lock *look(const struct krn_cpu *part, PKSPIN_LOCK word,
                                    const void *handle, uintptr_t frame) {
    const struct krn_node *node = part->node;
    struct krn_record *record = krn_record_find(node->krn, word);

    if (SIM_UNLIKELY(record == NULL || record->kind != KRN_KIND_SPIN_LOCK ||
                     record->chunk == NULL || record->is_paged ||
                     (uintptr_t)handle - frame >= sim_task_stack_high(sim_task_current()) - frame ||
                     sim_now_ns(node->world) > part->dpc_limit_ns)) {
        return NULL;
    }
    return (struct krn_lock *)record;
}

/* Others ran at the schedule point. */
static SIM_NOINLINE void acquire_later(PKSPIN_LOCK word, PKLOCK_QUEUE_HANDLE handle,
                                       const char *name, const void *caller, const void *frame) {
    struct krn_call call;

    krn_call_fill(&call, name, caller);
    call.frame = frame;
    acquire(&call, use(&call, word), word, handle);
}

/* False: nothing was done. */
static inline bool acquire_simply(PKSPIN_LOCK word, PKLOCK_QUEUE_HANDLE handle, const char *name,
                                  const void *caller, const void *frame) {
    struct sim_task *task = sim_task_current();
    struct sim_cpu *cpu = task != NULL ? sim_task_cpu(task) : NULL;
    const struct krn_cpu *part = cpu != NULL ? krn_cpu_of(cpu) : NULL;
    struct krn_lock *lock = part != NULL ? look(part, word, handle, (uintptr_t)frame) : NULL;

    if (SIM_UNLIKELY(lock == NULL || sim_cpu_level(cpu) > DISPATCH_LEVEL)) {
        return false;
    }
    handle->LockQueue.Next = NULL;
    handle->LockQueue.Lock = word;
    handle->OldIrql = sim_cpu_level(cpu);
    if (handle->OldIrql != DISPATCH_LEVEL) {
        sim_cpu_raise(cpu, DISPATCH_LEVEL);
    }
    if (SIM_UNLIKELY(sim_point(&lock->record.object, SIM_ACCESS_LOCK, SIM_POINT_COST_NS) ||
                     lock->holder != NULL || *word != 0)) {
        acquire_later(word, handle, name, caller, frame);
        return true;
    }
    *word = 1;
    krn_lock_hold(part->node->krn, lock, task, caller);
    lock->handle = handle;
    return true;
}

/* False: nothing was done. */
static inline bool release_simply(PKLOCK_QUEUE_HANDLE handle, uintptr_t frame) {
    struct sim_task *task = sim_task_current();
    struct sim_cpu *cpu = task != NULL ? sim_task_cpu(task) : NULL;
    const struct krn_cpu *part = cpu != NULL ? krn_cpu_of(cpu) : NULL;
    struct krn_lock *lock;
    PKSPIN_LOCK word;

    if (SIM_UNLIKELY(part == NULL ||
                     (uintptr_t)handle - frame >= sim_task_stack_high(task) - frame)) {
        return false;
    }
    word = handle->LockQueue.Lock;
    lock = look(part, word, handle, frame);
    if (SIM_UNLIKELY(lock == NULL || lock->holder != task || lock->handle != handle ||
                     sim_cpu_level(cpu) != DISPATCH_LEVEL || handle->OldIrql > DISPATCH_LEVEL)) {
        return false;
    }
    (void)sim_point(&lock->record.object, SIM_ACCESS_LOCK, SIM_POINT_COST_NS);
    *word = 0;
    krn_lock_unhold(part->node->krn, lock);
    sim_spin_release(part->node->world, key_of(lock));
    sim_cpu_lower(cpu, handle->OldIrql);
    return true;
}

static void queued_acquire(const struct krn_call *call, PKSPIN_LOCK lock,
                           PKLOCK_QUEUE_HANDLE handle, KIRQL old) {
    krn_check_memory(call, handle, sizeof(*handle), "lock handle");
    handle->LockQueue.Next = NULL;
    handle->LockQueue.Lock = lock;
    handle->OldIrql = old;
    krn_spin_acquire(call, lock, handle);
}

static PKSPIN_LOCK queued_lock(const struct krn_call *call, PKLOCK_QUEUE_HANDLE handle) {
    krn_check_memory(call, handle, sizeof(*handle), "lock handle");
    return handle->LockQueue.Lock;
}

VOID NTAPI KeAcquireInStackQueuedSpinLock(PKSPIN_LOCK SpinLock, PKLOCK_QUEUE_HANDLE LockHandle) {
    if (SIM_LIKELY(acquire_simply(SpinLock, LockHandle, __func__, __builtin_return_address(0),
                                  __builtin_frame_address(0)))) {
        return;
    }
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = raise(&call);

    queued_acquire(&call, SpinLock, LockHandle, old);
}

VOID NTAPI KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle) {
    if (SIM_LIKELY(release_simply(LockHandle, (uintptr_t)__builtin_frame_address(0)))) {
        return;
    }
    KRN_CALL(HIGH_LEVEL);
    PKSPIN_LOCK lock = queued_lock(&call, LockHandle);

    krn_spin_release(&call, lock, LockHandle);
    lower(&call, LockHandle->OldIrql);
}

VOID NTAPI KeAcquireInStackQueuedSpinLockAtDpcLevel(PKSPIN_LOCK SpinLock,
                                                    PKLOCK_QUEUE_HANDLE LockHandle) {
    KRN_CALL(HIGH_LEVEL);
    need_dispatch(&call, 0x40);
    queued_acquire(&call, SpinLock, LockHandle, DISPATCH_LEVEL);
}

VOID NTAPI KeReleaseInStackQueuedSpinLockFromDpcLevel(PKLOCK_QUEUE_HANDLE LockHandle) {
    KRN_CALL(HIGH_LEVEL);
    PKSPIN_LOCK lock = queued_lock(&call, LockHandle);

    need_dispatch(&call, 0x41);
    krn_spin_release(&call, lock, LockHandle);
}
