/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated CPUs, tasks and schedule points.
 *
 * A CPU has three layers, highest first: INTERRUPT and DPC run queued calls, THREAD runs tasks.
 *
 *      queue call            level < DEVICE         level < DISPATCH
 *   [interrupt layer] ------------------> runs   [dpc layer] -----------> runs   [threads] else
 *
 * Each layer is a stackful coroutine of its own (one per thread task), so a schedule point anywhere
 * can be left and come back to. A lower layer is frozen while a higher one has work that its level
 * (IRQL, x64 numbers: PASSIVE 0, APC 1, DISPATCH 2, device 3..11) lets in. A context that spins on
 * a lock blocks its CPU below that level until the lock is released.
 *
 *   task:  READY <-> RUNNING -> WAITING -> READY        DONE
 *             RUNNING -> SPINNING -> READY
 *
 * One step of the world runs one CPU to its next schedule point, or delivers the head event.
 * Enabled: every CPU with something runnable (and, on a CPU below DISPATCH, every ready thread is
 * an option of its own), and the head event. Option 0: the context that ran last goes on, else the
 * next one in fixed order, else the head event; after 1,000 points in a row it yields to the next
 * in fixed order, the head event included (a far-off one only after several such rows). A CPU, or a
 * head event that is due, passed over for starve_max_ns runs next without a choice.
 */
#ifndef SIM_CPU_H
#define SIM_CPU_H

#include <sim/base.h>
#include <sim/choice.h>
#include <sim/object.h>

#define SIM_LEVEL_PASSIVE 0u
#define SIM_LEVEL_APC 1u
#define SIM_LEVEL_DISPATCH 2u
#define SIM_LEVEL_DEVICE 5u
#define SIM_LEVEL_HIGH 15u

#define SIM_CPU_COUNT_MAX 64u /* per world */

enum sim_layer {
    SIM_LAYER_THREAD,
    SIM_LAYER_DPC,
    SIM_LAYER_INTERRUPT,
};

enum sim_task_state {
    SIM_TASK_READY,
    SIM_TASK_RUNNING,
    SIM_TASK_WAITING,
    SIM_TASK_SPINNING,
    SIM_TASK_DONE,
};

struct sim_cpu;
struct sim_task;

/* A CPU named `owner`.cpuN. `owner` is the node's object. */
struct sim_cpu *sim_cpu_create(struct sim_world *world, struct sim_object *owner);
struct sim_object *sim_cpu_object(struct sim_cpu *cpu);
uint32_t sim_cpu_index(const struct sim_cpu *cpu); /* within its node, from 0 */
/* The creator's own (the kernel's part of the CPU). */
void *sim_cpu_context(const struct sim_cpu *cpu);
void sim_cpu_context_set(struct sim_cpu *cpu, void *context);
/*
 * It runs nothing any more: what is on it stays as it is, and is no part of what keeps the world
 * from moving. Outside of tasks only.
 */
void sim_cpu_stop(struct sim_cpu *cpu);

/*
 * A thread task on `cpu`, ready to run `entry(argument)`; it ends when entry returns. The stack
 * (SIM_TASK_STACK_BYTES, guard pages at both ends) comes from the DRIVER region and is reused after
 * the end in a deterministic order, filled with the stack pattern. `context` is the creator's
 * (the kernel's thread object).
 */
struct sim_task *sim_task_create(struct sim_cpu *cpu, struct sim_object *owner, const char *label,
                                 void (*entry)(void *argument), void *argument, void *context);
#ifndef SIM_TASK_STACK_BYTES
#define SIM_TASK_STACK_BYTES (UINT64_C(64) * 1024)
#endif

/* The running task, NULL in the scheduler (event deliveries). The one global of the program. */
struct sim_task *sim_task_current(void);
struct sim_world *sim_task_world(const struct sim_task *task);
struct sim_object *sim_task_object(struct sim_task *task);
struct sim_cpu *sim_task_cpu(const struct sim_task *task);
enum sim_layer sim_task_layer(const struct sim_task *task);
enum sim_task_state sim_task_state(const struct sim_task *task);
void *sim_task_context(const struct sim_task *task);
void sim_task_context_set(struct sim_task *task, void *context);
/* What it is about to touch at its schedule point, or touched last; may be NULL. */
struct sim_object *sim_task_point(const struct sim_task *task, enum sim_access *access);
/* Whole stack of a task; the live part is [stack pointer, high). */
void sim_task_stack(const struct sim_task *task, uintptr_t *low, uintptr_t *high);
uintptr_t sim_task_stack_high(const struct sim_task *task);
/*
 * True if `address` lies in a live stack frame: inside some task's stack at or above its stack
 * pointer (of the running task: above the caller's frame). `*task` is set when it lies in any
 * stack.
 */
bool sim_stack_is_live(struct sim_world *world, const void *address, struct sim_task **task);

/* True in any stack, that of a task that has ended included. */
bool sim_is_stack(const struct sim_world *world, const void *address);

/*
 * From now on `watch` is told whenever drivers' code goes on at DISPATCH_LEVEL or above after code
 * that did not, and the other way round; outside of tasks nothing is high. At once when it is so
 * now. One per world; it makes no choice and costs no virtual time.
 */
void sim_level_watch(struct sim_world *world, void (*watch)(struct sim_world *world, bool is_high));

/* Tasks that can still be made before the world runs out of stacks. */
uint32_t sim_stacks_left(const struct sim_world *world);

/*
 * A schedule point of the current task: states what it is about to touch, costs `cost_ns` of
 * virtual time, and lets the scheduler choose. Must be called in a task. False: nobody else ran and
 * nothing was delivered, so what was true before is true still.
 */
bool sim_point(struct sim_object *object, enum sim_access access, uint64_t cost_ns);
#define SIM_POINT_COST_NS UINT64_C(20)

/*
 * The current task gets on with work and does not poll, so that the row of points that it is in is
 * none of those for which it is said to loop, or by which a yield reaches for a later event.
 */
void sim_task_progress(void);

/*
 * On whose behalf the current task works from here on: footprints say so. Returns what was said
 * before, to be said again when that work is done. NULL: nobody's.
 */
struct sim_object *sim_task_subject_set(struct sim_object *subject);

/*
 * A context that goes through 20 million points and never waits (a call of a layer: in one call)
 * loops: `found` is called in it, and says so by a finding that ends the run. NULL: sim says it.
 */
void sim_loop_judge(struct sim_world *world,
                    void (*found)(struct sim_task *task, uint64_t point_count));

/*
 * Waits until sim_task_wake, or until `deadline_ns` (absolute; SIM_TIME_NEVER: for ever). Returns
 * the wake's reason, SIM_WAKE_TIMEOUT after the deadline. `what` and `why` are shown in stuck
 * reports. Only a thread below DISPATCH may wait (the caller has judged that).
 */
uint64_t sim_task_wait(struct sim_object *what, const char *why, uint64_t deadline_ns);
#define SIM_WAKE_TIMEOUT UINT64_MAX
/* False if it did not wait (any more): its deadline came first, or somebody woke it before. */
bool sim_task_wake(struct sim_task *task, uint64_t reason);

/*
 * Spins: the current context cannot go on until sim_spin_release(key). `holder` (may be NULL) is
 * the context that has it, for deadlock cycles. The waker makes all that spin on the key runnable
 * again; they try again in an order that is a choice.
 */
void sim_task_spin(uint64_t key, struct sim_task *holder);
void sim_spin_release(struct sim_world *world, uint64_t key);

/* Ends the current thread task; does not return. */
SIM_NORETURN void sim_task_exit(void);

/* Moves the current thread to another CPU of its node (affinity). A schedule point. */
void sim_task_move(struct sim_cpu *cpu);

/* The CPU's level. Lowering lets in what waited: a schedule point when something did. */
uint8_t sim_cpu_level(const struct sim_cpu *cpu);
/* How long contexts of it were ready and passed over, in sum: explorers do so, no machine does. */
uint64_t sim_cpu_late_ns(const struct sim_cpu *cpu);
void sim_cpu_raise(struct sim_cpu *cpu, uint8_t level);
void sim_cpu_lower(struct sim_cpu *cpu, uint8_t level);

/*
 * A call queued to a CPU's DPC or INTERRUPT layer; runs once per queueing, an interrupt at `level`
 * (3 and above, higher ones first, but none interrupts another), a DPC at DISPATCH. Embedded by its
 * owner. `urgent` goes to the head of the queue.
 */
struct sim_call {
    struct sim_call *next;
    void (*run)(struct sim_call *call);
    struct sim_object *subject; /* for footprints; may be NULL */
    const char *label;          /* static: what it is, for reports */
    struct sim_cpu *queued_on;  /* NULL: not queued */
    uint32_t cause;
    uint8_t level;
};
/* False if it is queued already. */
bool sim_call_queue(struct sim_cpu *cpu, enum sim_layer layer, struct sim_call *call, bool urgent);
/* False if it was not queued (it may be running). */
bool sim_call_remove(struct sim_call *call);

/* Depth-first list of what keeps the world from moving, for a stuck verdict; see sim/run.h. */
#endif
