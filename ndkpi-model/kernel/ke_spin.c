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
    char name[SIM_NAME_BYTES];

    if (lock->holder == NULL) {
        return;
    }
    if (lock->holder == call->task || sim_task_cpu(lock->holder) == sim_task_cpu(call->task)) {
        krn_bugcheck(0x0F, 0, 0, 0, 0, "%s: this CPU holds %s already", call->name,
                     sim_object_name(&lock->record.object, name, sizeof(name)));
    }
}

void krn_spin_acquire(const struct krn_call *call, PKSPIN_LOCK word, const void *handle) {
    struct krn_lock *lock = use(call, word);

    if (krn_call_point(call, &lock->record.object, SIM_ACCESS_LOCK)) {
        lock = use(call, word);
    }
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
    krn_lock_hold(call->krn, lock, call->task);
    lock->handle = handle;
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
    krn_lock_hold(call->krn, lock, call->task);
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
    KRN_CALL(DISPATCH_LEVEL);
    KIRQL old = raise(&call);

    queued_acquire(&call, SpinLock, LockHandle, old);
}

VOID NTAPI KeReleaseInStackQueuedSpinLock(PKLOCK_QUEUE_HANDLE LockHandle) {
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
