/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel threads. A thread is a dispatcher object: it starts with a DISPATCHER_HEADER and stays
 * signalled after its end. Handles and pointers to it hold references; the structure itself is kept
 * until the world's reset, its stack goes back at its end.
 */
#ifndef KRN_THREAD_H
#define KRN_THREAD_H

#include <ntddk.h>

#include "kernel.h"
#include "record.h"
#include "wait.h"

#define KRN_WAIT_BLOCKS_INLINE 4u

struct krn_thread {
    DISPATCHER_HEADER header; /* first: PKTHREAD and PETHREAD point here */
    struct krn_record record; /* as a thing to wait for */
    struct krn_node *node;
    struct krn_driver *driver; /* whose code it runs, or NULL */
    struct krn_thread *next;
    struct sim_task *task;
    void (*entry)(void *argument);
    void *argument;
    bool is_driver_routine; /* checked as one, and its end is PsTerminateSystemThread's */
    bool has_ended;
    bool is_idle_worker;
    bool is_from_outside; /* made by no task: a step of the scenario */
    NTSTATUS exit_status;
    struct sim_kept_site made; /* all zero of the kernel's own */
    KPRIORITY priority;
    uint32_t references;
    uint32_t critical_regions;
    uint32_t guarded_regions;
    uint32_t mutexes_owned;
    KAFFINITY affinity;
    struct krn_wait wait;
    struct krn_wait_block blocks[KRN_WAIT_BLOCKS_INLINE];
};

/* A thread in round robin over the node's CPUs, below `owner` with `label`. */
struct krn_thread *krn_thread_create(struct krn_node *node, struct krn_driver *driver,
                                     struct sim_object *owner, const char *label,
                                     void (*entry)(void *argument), void *argument);

/* The thread that runs now; NULL in a DPC or an interrupt. */
struct krn_thread *krn_thread_current(void);
struct krn_thread *krn_thread_of(const void *object); /* by PKTHREAD; NULL if it is none */

/* The current thread ends: checks what it still holds, signals its waiters. */
SIM_NORETURN void krn_thread_end(const struct krn_call *call, NTSTATUS status);

/* Guarded regions of the current thread; to leave one that it is not in is a bugcheck. */
void krn_guarded_enter(void);
void krn_guarded_leave(const struct krn_call *call);

/* System threads that a driver made and that have not ended. */
uint32_t krn_thread_count(const struct krn_driver *driver);

#endif
