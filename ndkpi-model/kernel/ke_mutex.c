/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphores and mutexes. */
#include <krn/bugcheck.h>

#include "call_error.h"
#include "thread.h"
#include "wait.h"

VOID NTAPI KeInitializeSemaphore(PRKSEMAPHORE Semaphore, LONG Count, LONG Limit) {
    KRN_CALL(HIGH_LEVEL);
    struct krn_record *record =
        krn_record_make(&call, Semaphore, sizeof(*Semaphore), KRN_KIND_SEMAPHORE);

    Semaphore->Header.Lock = 0;
    Semaphore->Header.Type = KRN_HEADER_SEMAPHORE;
    Semaphore->Header.Size = sizeof(*Semaphore) / sizeof(ULONG);
    Semaphore->Header.SignalState = Count;
    InitializeListHead(&Semaphore->Header.WaitListHead);
    Semaphore->Limit = Limit;
    krn_call_point(&call, &record->object, SIM_ACCESS_CREATE);
}

LONG NTAPI KeReleaseSemaphore(PRKSEMAPHORE Semaphore, KPRIORITY Increment, LONG Adjustment,
                              BOOLEAN Wait) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record = krn_record_use(&call, Semaphore, KRN_KIND_SEMAPHORE);
    LONG old;

    UNREFERENCED_PARAMETER(Increment);
    if (Wait) {
        krn_wait_check(&call);
    }
    krn_call_point(&call, &record->object, SIM_ACCESS_WRITE);
    record = krn_record_use(&call, Semaphore, KRN_KIND_SEMAPHORE);
    old = Semaphore->Header.SignalState;
    if (Adjustment <= 0 || Adjustment > Semaphore->Limit - old) {
        krn_call_error(&call, 0x1E, (ULONG)STATUS_SEMAPHORE_LIMIT_EXCEEDED, 0,
                       "the count would pass the semaphore's limit");
    }
    Semaphore->Header.SignalState = old + Adjustment;
    sim_trace(call.world, KRN_TRACE_SEMAPHORE_RELEASE, SIM_ACCESS_WRITE, &record->object, NULL,
              NULL, (uint64_t)old, (uint64_t)Adjustment);
    krn_signal(record);
    return old;
}

LONG NTAPI KeReadStateSemaphore(PRKSEMAPHORE Semaphore) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record = krn_record_use(&call, Semaphore, KRN_KIND_SEMAPHORE);

    krn_call_point(&call, &record->object, SIM_ACCESS_READ);
    return Semaphore->Header.SignalState;
}

VOID NTAPI KeInitializeMutex(PRKMUTEX Mutex, ULONG Level) {
    KRN_CALL(HIGH_LEVEL);
    struct krn_record *record = krn_record_make(&call, Mutex, sizeof(*Mutex), KRN_KIND_MUTEX);

    UNREFERENCED_PARAMETER(Level);
    Mutex->Header.Lock = 0;
    Mutex->Header.Type = KRN_HEADER_MUTANT;
    Mutex->Header.Size = sizeof(*Mutex) / sizeof(ULONG);
    Mutex->Header.SignalState = 1;
    InitializeListHead(&Mutex->Header.WaitListHead);
    Mutex->OwnerThread = NULL;
    Mutex->Abandoned = FALSE;
    Mutex->ApcDisable = 1;
    krn_call_point(&call, &record->object, SIM_ACCESS_CREATE);
}

LONG NTAPI KeReleaseMutex(PRKMUTEX Mutex, BOOLEAN Wait) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record = krn_record_use(&call, Mutex, KRN_KIND_MUTEX);
    LONG old;

    if (Wait) {
        krn_wait_check(&call);
    }
    if (krn_lock_of(record)->holder != call.task) {
        krn_call_error(&call, 0x11, 0, 0, "the thread does not own the mutex");
    }
    krn_call_point(&call, &record->object, SIM_ACCESS_LOCK);
    record = krn_record_use(&call, Mutex, KRN_KIND_MUTEX);
    old = Mutex->Header.SignalState;
    Mutex->Header.SignalState = old + 1;
    sim_trace(call.world, KRN_TRACE_MUTEX_RELEASE, SIM_ACCESS_WRITE, &record->object, NULL, NULL,
              (uint64_t)old, 0);
    if (Mutex->Header.SignalState == 1) {
        Mutex->OwnerThread = NULL;
        krn_lock_unhold(call.krn, krn_lock_of(record));
        krn_thread_current()->mutexes_owned--;
        krn_signal(record);
    }
    return old;
}

LONG NTAPI KeReadStateMutex(PRKMUTEX Mutex) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_record *record = krn_record_use(&call, Mutex, KRN_KIND_MUTEX);

    krn_call_point(&call, &record->object, SIM_ACCESS_READ);
    return Mutex->Header.SignalState;
}
