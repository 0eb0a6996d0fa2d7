/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast mutexes: the owner runs at APC_LEVEL; the Unsafe forms leave the IRQL alone. Guarded mutexes
 * are the same thing whose owner is in a guarded region instead.
 */
#include <ntddk.h>

#include <krn/bugcheck.h>

#include "call_error.h"
#include "thread.h"
#include "wait.h"

static struct krn_lock *use(const struct krn_call *call, PFAST_MUTEX mutex) {
    return krn_lock_of(krn_record_use(call, mutex, KRN_KIND_FAST_MUTEX));
}

static void initialize(const struct krn_call *call, PFAST_MUTEX mutex) {
    struct krn_record *record = krn_record_make(call, mutex, sizeof(*mutex), KRN_KIND_FAST_MUTEX);

    RtlZeroMemory(mutex, sizeof(*mutex));
    mutex->Count = 1;
    krn_call_point(call, &record->object, SIM_ACCESS_CREATE);
}

VOID NTAPI ExInitializeFastMutex(PFAST_MUTEX FastMutex) {
    KRN_CALL(DISPATCH_LEVEL);
    initialize(&call, FastMutex);
}

static struct krn_thread *thread_of(const struct krn_call *call) {
    struct krn_thread *thread = krn_thread_current();

    if (thread == NULL) {
        krn_call_error(call, 0xB8, 0, 0, "a DPC routine cannot own a fast mutex");
    }
    return thread;
}

static void own(struct krn_lock *lock, PFAST_MUTEX mutex, struct krn_thread *thread) {
    mutex->Count = 0;
    mutex->Owner = thread;
    krn_lock_hold(thread->node->krn, lock, thread->task, NULL);
}

static void acquire(const struct krn_call *call, PFAST_MUTEX mutex) {
    struct krn_lock *lock = use(call, mutex);
    struct krn_thread *thread = thread_of(call);
    struct krn_wait_block *block = &thread->blocks[0];

    krn_wait_check(call);
    krn_call_point(call, &lock->record.object, SIM_ACCESS_LOCK);
    lock = use(call, mutex);
    if (lock->holder == call->task) {
        krn_call_error(call, 0xBF, 0, 0, "the thread owns the fast mutex already");
    }
    if (lock->holder == NULL) {
        own(lock, mutex, thread);
        return;
    }
    mutex->Contention++;
    thread->wait.thread = thread;
    block->wait = &thread->wait;
    block->record = &lock->record;
    krn_wait_block_enter(block);
    /* The one that releases hands it over. */
    (void)sim_task_wait(&lock->record.object, call->name, SIM_TIME_NEVER);
    krn_race_woken(call->krn);
}

static void release(const struct krn_call *call, PFAST_MUTEX mutex) {
    struct krn_lock *lock = use(call, mutex);
    struct krn_wait_block *next;

    if (lock->holder != call->task) {
        krn_call_error(call, 0xE3, 0, 0, "the thread does not own the fast mutex");
    }
    krn_call_point(call, &lock->record.object, SIM_ACCESS_LOCK);
    lock = use(call, mutex);
    krn_lock_unhold(call->krn, lock);
    mutex->Count = 1;
    mutex->Owner = NULL;
    next = lock->record.waiters;
    if (next == NULL) {
        return;
    }
    krn_wait_block_leave(next);
    own(lock, mutex, next->wait->thread);
    krn_race_wakes(call->krn, next->wait->thread->task);
    sim_task_wake(next->wait->thread->task, 0);
}

VOID NTAPI ExAcquireFastMutex(PFAST_MUTEX FastMutex) {
    KRN_CALL(APC_LEVEL);
    acquire(&call, FastMutex);
    FastMutex->OldIrql = call.level;
    if (call.level < APC_LEVEL) {
        sim_cpu_raise(sim_task_cpu(call.task), APC_LEVEL);
    }
}

VOID NTAPI ExReleaseFastMutex(PFAST_MUTEX FastMutex) {
    KRN_CALL(APC_LEVEL);
    KIRQL old;

    if (call.level != APC_LEVEL) {
        krn_call_error(&call, 0xC4, 0x34, call.level, "the IRQL is not APC any more");
    }
    old = (KIRQL)FastMutex->OldIrql;
    release(&call, FastMutex);
    sim_cpu_lower(sim_task_cpu(call.task), old);
}

static bool try(const struct krn_call *call, PFAST_MUTEX mutex) {
    struct krn_lock *lock = use(call, mutex);
    struct krn_thread *thread = thread_of(call);

    krn_call_point(call, &lock->record.object, SIM_ACCESS_LOCK);
    lock = use(call, mutex);
    if (lock->holder != NULL) {
        return false;
    }
    own(lock, mutex, thread);
    return true;
}

BOOLEAN NTAPI ExTryToAcquireFastMutex(PFAST_MUTEX FastMutex) {
    KRN_CALL(APC_LEVEL);
    if (!try(&call, FastMutex)) {
        return FALSE;
    }
    FastMutex->OldIrql = call.level;
    if (call.level < APC_LEVEL) {
        sim_cpu_raise(sim_task_cpu(call.task), APC_LEVEL);
    }
    return TRUE;
}

VOID NTAPI ExAcquireFastMutexUnsafe(PFAST_MUTEX FastMutex) {
    KRN_CALL(APC_LEVEL);
    acquire(&call, FastMutex);
}

VOID NTAPI ExReleaseFastMutexUnsafe(PFAST_MUTEX FastMutex) {
    KRN_CALL(APC_LEVEL);
    release(&call, FastMutex);
}

VOID NTAPI KeInitializeGuardedMutex(PKGUARDED_MUTEX Mutex) {
    KRN_CALL(APC_LEVEL);
    initialize(&call, Mutex);
}

VOID NTAPI KeAcquireGuardedMutex(PKGUARDED_MUTEX Mutex) {
    KRN_CALL(APC_LEVEL);
    krn_guarded_enter();
    acquire(&call, Mutex);
}

VOID NTAPI KeReleaseGuardedMutex(PKGUARDED_MUTEX Mutex) {
    KRN_CALL(APC_LEVEL);
    release(&call, Mutex);
    krn_guarded_leave(&call);
}

BOOLEAN NTAPI KeTryToAcquireGuardedMutex(PKGUARDED_MUTEX Mutex) {
    KRN_CALL(APC_LEVEL);
    krn_guarded_enter();
    if (!try(&call, Mutex)) {
        krn_guarded_leave(&call);
        return FALSE;
    }
    return TRUE;
}

static void need_disabled(const struct krn_call *call) {
    const struct krn_thread *thread = thread_of(call);

    if (call->level < APC_LEVEL && thread->guarded_regions == 0) {
        krn_call_error(call, 0xC4, 0x38, 0, "APCs are not disabled; the Unsafe form needs that");
    }
}

VOID NTAPI KeAcquireGuardedMutexUnsafe(PKGUARDED_MUTEX Mutex) {
    KRN_CALL(APC_LEVEL);
    need_disabled(&call);
    acquire(&call, Mutex);
}

VOID NTAPI KeReleaseGuardedMutexUnsafe(PKGUARDED_MUTEX Mutex) {
    KRN_CALL(APC_LEVEL);
    release(&call, Mutex);
}
