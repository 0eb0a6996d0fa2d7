/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rundown protection. The count in the driver's structure is Windows': bit 0 says that the rundown
 * has begun, the references are above it.
 */
#include <ntddk.h>

#include <krn/bugcheck.h>

#include "call_error.h"
#include "record.h"
#include "thread.h"
#include "wait.h"

#define ACTIVE ((ULONG_PTR)1)
#define REFERENCE ((ULONG_PTR)2)

static struct krn_record *use(const struct krn_call *call, PEX_RUNDOWN_REF ref) {
    return krn_record_use(call, ref, KRN_KIND_RUNDOWN);
}

static void initialize(const struct krn_call *call, PEX_RUNDOWN_REF ref) {
    struct krn_record *record = krn_record_make(call, ref, sizeof(*ref), KRN_KIND_RUNDOWN);

    ref->Count = 0;
    krn_call_point(call, &record->object, SIM_ACCESS_CREATE);
}

VOID NTAPI ExInitializeRundownProtection(PEX_RUNDOWN_REF RunRef) {
    KRN_CALL(DISPATCH_LEVEL);
    initialize(&call, RunRef);
}

VOID NTAPI ExReInitializeRundownProtection(PEX_RUNDOWN_REF RunRef) {
    KRN_CALL(DISPATCH_LEVEL);
    (void)use(&call, RunRef);
    if (RunRef->Count != ACTIVE) {
        krn_call_error(&call, 0xC4, 0xE2, 0, "the rundown has not been waited for");
    }
    initialize(&call, RunRef);
}

static BOOLEAN acquire(const struct krn_call *call, PEX_RUNDOWN_REF ref, ULONG count) {
    krn_call_point(call, &use(call, ref)->object, SIM_ACCESS_WRITE);
    (void)use(call, ref);
    if ((ref->Count & ACTIVE) != 0) {
        return FALSE;
    }
    ref->Count += count * REFERENCE;
    return TRUE;
}

BOOLEAN NTAPI ExAcquireRundownProtection(PEX_RUNDOWN_REF RunRef) {
    KRN_CALL(DISPATCH_LEVEL);
    return acquire(&call, RunRef, 1);
}

BOOLEAN NTAPI ExAcquireRundownProtectionEx(PEX_RUNDOWN_REF RunRef, ULONG Count) {
    KRN_CALL(DISPATCH_LEVEL);
    return acquire(&call, RunRef, Count);
}

static void release(const struct krn_call *call, PEX_RUNDOWN_REF ref, ULONG count) {
    struct krn_record *record = use(call, ref);

    krn_call_point(call, &record->object, SIM_ACCESS_WRITE);
    record = use(call, ref);
    if (ref->Count / REFERENCE < count) {
        krn_call_error(call, 0x18, 0, 0, "more rundown references were released than acquired");
    }
    ref->Count -= count * REFERENCE;
    if (ref->Count == ACTIVE && record->waiters != NULL) {
        krn_race_wakes(call->krn, record->waiters->wait->thread->task);
        sim_task_wake(record->waiters->wait->thread->task, 0);
    }
}

VOID NTAPI ExReleaseRundownProtection(PEX_RUNDOWN_REF RunRef) {
    KRN_CALL(DISPATCH_LEVEL);
    release(&call, RunRef, 1);
}

VOID NTAPI ExReleaseRundownProtectionEx(PEX_RUNDOWN_REF RunRef, ULONG Count) {
    KRN_CALL(DISPATCH_LEVEL);
    release(&call, RunRef, Count);
}

VOID NTAPI ExRundownCompleted(PEX_RUNDOWN_REF RunRef) {
    KRN_CALL(DISPATCH_LEVEL);
    krn_call_point(&call, &use(&call, RunRef)->object, SIM_ACCESS_WRITE);
    RunRef->Count = ACTIVE;
}

VOID NTAPI ExWaitForRundownProtectionRelease(PEX_RUNDOWN_REF RunRef) {
    KRN_CALL(APC_LEVEL);
    struct krn_record *record = use(&call, RunRef);
    struct krn_thread *thread = krn_thread_current();
    struct krn_wait_block *block = &thread->blocks[0];

    krn_wait_check(&call);
    krn_call_point(&call, &record->object, SIM_ACCESS_CLOSE);
    record = use(&call, RunRef);
    if (record->waiters != NULL) {
        krn_call_error(&call, 0xC4, 0xE2, 0, "another thread waits for this rundown");
    }
    RunRef->Count |= ACTIVE;
    if (RunRef->Count == ACTIVE) {
        return;
    }
    sim_trace(call.world, KRN_TRACE_RUNDOWN_WAIT, SIM_ACCESS_CLOSE, &record->object, NULL, NULL,
              RunRef->Count / REFERENCE, 0);
    thread->wait.thread = thread;
    block->wait = &thread->wait;
    block->record = record;
    krn_wait_block_enter(block);
    (void)sim_task_wait(&record->object, call.name, SIM_TIME_NEVER);
    krn_race_woken(call.krn);
    krn_wait_block_leave(block);
    sim_trace(call.world, KRN_TRACE_RUNDOWN_DONE, SIM_ACCESS_CLOSE, &record->object, NULL, NULL, 0,
              0);
}
