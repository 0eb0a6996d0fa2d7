/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting and signalling. A thread that waits has one wait with a block per object; each block is
 * in its object's list of waiters, in the order of their arrival. A signal satisfies waiters in
 * that order: it takes what the object gives (an event of the synchronisation kind, a count,
 * ownership) on behalf of the waiter, then wakes it.
 */
#ifndef KRN_WAIT_H
#define KRN_WAIT_H

#include <ntddk.h>

#include "kernel.h"
#include "record.h"

struct krn_thread;

struct krn_wait_block {
    struct krn_wait_block *next;
    struct krn_wait_block *previous; /* of the first one: the last */
    struct krn_record *record;
    struct krn_wait *wait;
    uint32_t index;
};

struct krn_wait {
    struct krn_thread *thread;
    struct krn_wait_block *blocks;
    uint32_t count;
    bool all;
    const char *why;
    NTSTATUS extra; /* STATUS_ABANDONED_WAIT_0 of a mutex whose owner ended */
};

/* In and out of the list of its record's waiters. */
void krn_wait_block_enter(struct krn_wait_block *block);
void krn_wait_block_leave(struct krn_wait_block *block);

/* The object's state lets `thread` through now. */
bool krn_is_signalled(const struct krn_record *record, const struct krn_thread *thread);
/* `thread` goes through: takes what must be taken. Returns STATUS_ABANDONED or 0. */
NTSTATUS krn_consume(struct krn_record *record, struct krn_thread *thread);

/* The object's state has become better: satisfies waiters. Called in any context. */
void krn_signal(struct krn_record *record);

/*
 * The current thread waits for what `record` stands for, with no driver's wait rules: for the
 * kernel's own waits. Returns STATUS_SUCCESS or STATUS_TIMEOUT.
 */
NTSTATUS krn_wait_one(struct krn_record *record, const char *why, uint64_t deadline_ns);

/* A thing of the kernel itself to wait for: a notification event in PRIVATE memory. */
struct krn_gate {
    DISPATCHER_HEADER header;
    struct krn_record record;
};
void krn_gate_init(struct krn_node *node, struct krn_gate *gate, struct sim_object *owner,
                   const char *label);
void krn_gate_open(struct krn_gate *gate);
void krn_gate_shut(struct krn_gate *gate);
void krn_gate_wait(struct krn_gate *gate, const char *why);

/* Type numbers of dispatcher headers, as Windows has them. */
enum {
    KRN_HEADER_EVENT_NOTIFICATION = 0,
    KRN_HEADER_EVENT_SYNCHRONIZATION = 1,
    KRN_HEADER_MUTANT = 2,
    KRN_HEADER_SEMAPHORE = 5,
    KRN_HEADER_THREAD = 6,
    KRN_HEADER_TIMER_NOTIFICATION = 8,
    KRN_HEADER_TIMER_SYNCHRONIZATION = 9,
};

/* A wait that may sleep, at this level and in this layer: else the bugcheck. */
void krn_wait_check(const struct krn_call *call);

#endif
