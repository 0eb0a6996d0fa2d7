/* SPDX-License-Identifier: Apache-2.0 */
/* Waits on dispatcher objects, and the signalling that ends them. */
#include "wait.h"

#include <krn/bugcheck.h>
#include <krn/state.h>

#include "call_error.h"
#include "pool.h"
#include "race.h"
#include "thread.h"

static DISPATCHER_HEADER *header_of(const struct krn_record *record) {
    return (DISPATCHER_HEADER *)(uintptr_t)record->address;
}

static KMUTANT *mutant_of(const struct krn_record *record) {
    return (KMUTANT *)(uintptr_t)record->address;
}

bool krn_is_signalled(const struct krn_record *record, const struct krn_thread *thread) {
    return header_of(record)->SignalState > 0 ||
           (record->kind == KRN_KIND_MUTEX && krn_lock_of(record)->holder == thread->task);
}

static NTSTATUS consume_mutant(struct krn_record *record, struct krn_thread *thread) {
    KMUTANT *mutant = mutant_of(record);
    bool was_abandoned = mutant->Abandoned;

    mutant->Header.SignalState--;
    if (mutant->Header.SignalState == 0) {
        krn_lock_hold(thread->node->krn, krn_lock_of(record), thread->task, NULL);
        mutant->OwnerThread = (PKTHREAD)thread;
        mutant->Abandoned = FALSE;
        thread->mutexes_owned++;
    }
    return was_abandoned ? STATUS_ABANDONED : 0;
}

NTSTATUS krn_consume(struct krn_record *record, struct krn_thread *thread) {
    DISPATCHER_HEADER *header = header_of(record);

    if (record->kind == KRN_KIND_MUTEX) {
        return consume_mutant(record, thread);
    }
    switch (header->Type) {
    case KRN_HEADER_EVENT_SYNCHRONIZATION:
    case KRN_HEADER_TIMER_SYNCHRONIZATION:
        header->SignalState = 0;
        return 0;
    case KRN_HEADER_SEMAPHORE:
        header->SignalState--;
        return 0;
    default:
        return 0;
    }
}

void krn_wait_block_enter(struct krn_wait_block *block) {
    struct krn_wait_block *first = block->record->waiters;

    block->next = NULL;
    if (first == NULL) {
        block->previous = block;
        block->record->waiters = block;
        return;
    }
    block->previous = first->previous;
    first->previous->next = block;
    first->previous = block;
}

void krn_wait_block_leave(struct krn_wait_block *block) {
    struct krn_wait_block *first = block->record->waiters;

    if (block == first) {
        block->record->waiters = block->next;
        if (block->next != NULL) {
            block->next->previous = block->previous;
        }
        return;
    }
    block->previous->next = block->next;
    (block->next != NULL ? block->next : first)->previous = block->previous;
}

static void wait_leave(struct krn_wait *wait) {
    for (uint32_t i = 0; i < wait->count; i++) {
        krn_wait_block_leave(&wait->blocks[i]);
    }
}

static bool all_signalled(const struct krn_wait *wait) {
    for (uint32_t i = 0; i < wait->count; i++) {
        if (!krn_is_signalled(wait->blocks[i].record, wait->thread)) {
            return false;
        }
    }
    return true;
}

static NTSTATUS consume_all(struct krn_wait *wait) {
    NTSTATUS extra = 0;

    for (uint32_t i = 0; i < wait->count; i++) {
        NTSTATUS status = krn_consume(wait->blocks[i].record, wait->thread);

        extra = status != 0 ? status : extra;
    }
    return extra;
}

/* The index that a satisfied wait answers with, or -1. Objects in their order, as Windows does. */
static int32_t wait_try(struct krn_wait *wait) {
    if (wait->all) {
        if (!all_signalled(wait)) {
            return -1;
        }
        wait->extra = consume_all(wait);
        return 0;
    }
    for (uint32_t i = 0; i < wait->count; i++) {
        if (krn_is_signalled(wait->blocks[i].record, wait->thread)) {
            wait->extra = krn_consume(wait->blocks[i].record, wait->thread);
            return (int32_t)i;
        }
    }
    return -1;
}

void krn_signal(struct krn_record *record) {
    struct krn_wait_block *block = record->waiters;

    krn_race_before(krn_record_node(record)->krn, record);
    while (block != NULL) {
        struct krn_wait_block *next = block->next;
        struct krn_wait *wait = block->wait;
        struct sim_task *task = wait->thread->task;
        int32_t index;

        /* A waiter whose time ran out but that has not run yet keeps its timeout. */
        index = sim_task_state(task) == SIM_TASK_WAITING ? wait_try(wait) : -1;
        if (index >= 0) {
            while (next != NULL && next->wait == wait) {
                next = next->next;
            }
            wait_leave(wait);
            krn_race_wakes(wait->thread->node->krn, task);
            sim_task_wake(task, (uint64_t)index);
        }
        block = next;
    }
}

static struct sim_object *wait_object(const struct krn_wait *wait) {
    return &wait->blocks[0].record->object;
}

/* What signalled the objects came before. */
static void wait_ordered(const struct krn_wait *wait) {
    const struct krn_world *krn = wait->thread->node->krn;

    krn_race_woken(krn);
    for (uint32_t i = 0; i < wait->count; i++) {
        krn_race_after(krn, wait->blocks[i].record);
    }
}

/* Sleeps until satisfied or due; the wait's blocks are filled. */
static NTSTATUS wait_sleep(struct krn_wait *wait, uint64_t deadline_ns) {
    struct sim_object *object = wait_object(wait);
    struct sim_world *world = wait->thread->node->world;
    uint64_t reason;

    for (uint32_t i = 0; i < wait->count; i++) {
        wait->blocks[i].wait = wait;
        wait->blocks[i].index = i;
        krn_wait_block_enter(&wait->blocks[i]);
    }
    sim_trace(world, KRN_TRACE_WAIT_BEGIN, SIM_ACCESS_READ, object, NULL, NULL, wait->count,
              deadline_ns != SIM_TIME_NEVER);
    reason = sim_task_wait(object, wait->why, deadline_ns);
    if (reason == SIM_WAKE_TIMEOUT) {
        wait_leave(wait);
    }
    wait_ordered(wait);
    sim_trace(world, KRN_TRACE_WAIT_END, SIM_ACCESS_READ, object, NULL, NULL, wait->count, reason);
    if (reason == SIM_WAKE_TIMEOUT) {
        return STATUS_TIMEOUT;
    }
    return wait->extra != 0 ? wait->extra + (NTSTATUS)reason : (NTSTATUS)reason;
}

NTSTATUS krn_wait_one(struct krn_record *record, const char *why, uint64_t deadline_ns) {
    struct krn_thread *thread = krn_thread_current();
    struct krn_wait *wait;

    SIM_ASSERT(thread != NULL);
    wait = &thread->wait;
    wait->thread = thread;
    wait->blocks = thread->blocks;
    wait->count = 1;
    wait->all = false;
    wait->why = why;
    wait->extra = 0;
    wait->blocks[0].record = record;
    if (wait_try(wait) >= 0) {
        wait_ordered(wait);
        return STATUS_SUCCESS;
    }
    return wait_sleep(wait, deadline_ns);
}

void krn_wait_check(const struct krn_call *call) {
    if (sim_task_layer(call->task) != SIM_LAYER_THREAD) {
        krn_bugcheck(0xB8, 0, 0, 0, 0, "%s would wait inside a DPC routine", call->name);
    }
    if (call->level >= DISPATCH_LEVEL) {
        krn_bugcheck(0xC4, 0x3B, call->level, 0, 0,
                     "%s would wait at %s; a thread may wait below DISPATCH only", call->name,
                     krn_irql_name(call->level));
    }
}

static struct krn_record *waitable(const struct krn_call *call, PVOID object) {
    struct krn_record *record = krn_record_find(call->krn, object);
    enum krn_kind kind = record != NULL ? record->kind : KRN_KIND_EVENT;

    switch (kind) {
    case KRN_KIND_EVENT:
    case KRN_KIND_SEMAPHORE:
    case KRN_KIND_MUTEX:
    case KRN_KIND_TIMER:
    case KRN_KIND_THREAD:
        return krn_record_use(call, object, kind);
    default:
        return krn_record_use(call, object, KRN_KIND_EVENT);
    }
}

static void wait_resolve(const struct krn_call *call, struct krn_wait *wait, PVOID *objects) {
    for (uint32_t i = 0; i < wait->count; i++) {
        wait->blocks[i].record = waitable(call, objects[i]);
        if (wait->thread == NULL && wait->blocks[i].record->kind == KRN_KIND_MUTEX) {
            krn_call_error(call, 0xB8, 0, 0, "a DPC routine cannot own a mutex");
        }
    }
}

static NTSTATUS wait_for(const struct krn_call *call, struct krn_wait *wait, PVOID *objects,
                         const LARGE_INTEGER *timeout) {
    int32_t index;

    if (timeout == NULL || timeout->QuadPart != 0) {
        krn_wait_check(call);
    }
    wait_resolve(call, wait, objects);
    if (krn_call_point(call, wait_object(wait), SIM_ACCESS_READ)) {
        /* Others ran: an object may have gone. */
        wait_resolve(call, wait, objects);
    }
    index = wait_try(wait);
    if (index >= 0) {
        return wait->extra + index;
    }
    if (timeout != NULL && timeout->QuadPart == 0) {
        return STATUS_TIMEOUT;
    }
    return wait_sleep(wait, timeout == NULL ? SIM_TIME_NEVER
                                            : krn_deadline_ns(call->node, timeout->QuadPart));
}

NTSTATUS NTAPI KeWaitForSingleObject(PVOID Object, KWAIT_REASON WaitReason,
                                     KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                     PLARGE_INTEGER Timeout) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_thread *thread = krn_thread_current();
    struct krn_wait_block block;
    struct krn_wait local = {.thread = thread};
    struct krn_wait *wait = thread != NULL ? &thread->wait : &local;

    UNREFERENCED_PARAMETER(WaitReason);
    UNREFERENCED_PARAMETER(WaitMode);
    UNREFERENCED_PARAMETER(Alertable);
    /* A DPC may test an object with a zero timeout; it has no thread and sleeps on nothing. */
    wait->thread = thread;
    wait->blocks = thread != NULL ? thread->blocks : &block;
    wait->count = 1;
    wait->all = false;
    wait->why = call.name;
    wait->extra = 0;
    return wait_for(&call, wait, &Object, Timeout);
}

NTSTATUS NTAPI KeWaitForMultipleObjects(ULONG Count, PVOID Object[], WAIT_TYPE WaitType,
                                        KWAIT_REASON WaitReason, KPROCESSOR_MODE WaitMode,
                                        BOOLEAN Alertable, PLARGE_INTEGER Timeout,
                                        PKWAIT_BLOCK WaitBlockArray) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_thread *thread = krn_thread_current();
    uint64_t bytes = Count * sizeof(struct krn_wait_block);
    struct krn_wait wait = {.thread = thread, .count = Count, .why = call.name};
    NTSTATUS status;

    UNREFERENCED_PARAMETER(WaitReason);
    UNREFERENCED_PARAMETER(WaitMode);
    UNREFERENCED_PARAMETER(Alertable);
    if (Count == 0 || Count > MAXIMUM_WAIT_OBJECTS ||
        (Count > THREAD_WAIT_OBJECTS && WaitBlockArray == NULL)) {
        krn_call_error(&call, 0x0C, 0, 0, "too many objects for the wait blocks that were given");
    }
    if (WaitBlockArray != NULL) {
        krn_check_memory(&call, WaitBlockArray, Count * sizeof(*WaitBlockArray),
                         "wait block array");
    }
    krn_check_memory(&call, Object, Count * sizeof(Object[0]), "object array");
    if (thread == NULL) {
        krn_wait_check(&call);
    }
    wait.all = WaitType == WaitAll;
    wait.blocks = sim_alloc(call.world, bytes);
    thread->wait = wait;
    status = wait_for(&call, &thread->wait, Object, Timeout);
    sim_free(call.world, wait.blocks, bytes);
    return status;
}

NTSTATUS NTAPI KeDelayExecutionThread(KPROCESSOR_MODE WaitMode, BOOLEAN Alertable,
                                      PLARGE_INTEGER Interval) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(WaitMode);
    UNREFERENCED_PARAMETER(Alertable);
    krn_wait_check(&call);
    krn_check_memory(&call, Interval, sizeof(*Interval), "interval");
    krn_call_point(&call, NULL, SIM_ACCESS_NONE);
    if (Interval->QuadPart != 0) {
        (void)sim_task_wait(NULL, call.name, krn_deadline_ns(call.node, Interval->QuadPart));
    }
    return STATUS_SUCCESS;
}

void krn_gate_init(struct krn_node *node, struct krn_gate *gate, struct sim_object *owner,
                   const char *label) {
    gate->header.Type = KRN_HEADER_EVENT_NOTIFICATION;
    gate->header.SignalState = 0;
    krn_record_own(node, &gate->record, &gate->header, KRN_KIND_EVENT, owner, label);
}

void krn_gate_open(struct krn_gate *gate) {
    gate->header.SignalState = 1;
    krn_signal(&gate->record);
}

void krn_gate_shut(struct krn_gate *gate) {
    gate->header.SignalState = 0;
}

void krn_gate_wait(struct krn_gate *gate, const char *why) {
    (void)krn_wait_one(&gate->record, why, SIM_TIME_NEVER);
}
