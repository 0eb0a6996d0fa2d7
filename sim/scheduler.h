/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private state of CPUs, tasks and the stepper. All of it lies in the PRIVATE region, so that a
 * reset brings it back.
 *
 * A CPU's contexts, highest first: its interrupt layer, its DPC layer, its threads. `pick` is the
 * one of them that may run next; where every ready thread may, it is NULL and `ready` is the list.
 * The list is in order of the last run, so its first is the one that has waited longest.
 *
 * Not called sched.h: the host has a header of that name, and this folder is in the include path.
 */
#ifndef SIM_SCHEDULER_H
#define SIM_SCHEDULER_H

#include <signal.h>

#include <sim/cpu.h>
#include <sim/event.h>
#include <sim/run.h>

#include "switch.h"

#define SIM_STEP_ROW_MAX 1000u  /* points in a row before the quiet option yields */
#define SIM_LOOP_ROW_MAX 20000u /* such rows without a wait: it loops */

struct sim_bus_device;

struct sim_task {
    struct sim_object object;
    uintptr_t stack_pointer; /* while it does not run */
    struct sim_world *world;
    struct sim_cpu *cpu;
    struct sim_task *next; /* in the CPU's ready list or among the spinners */
    struct sim_task *previous;
    struct sim_task *live_next; /* all that are not DONE, in birth order */
    struct sim_task *live_previous;
    void (*entry)(void *argument);
    void *argument;
    void *context;
    struct sim_object *point_object; /* what it will touch when it goes on */
    struct sim_object *subject;      /* on whose behalf it runs; NULL: none */
    struct sim_object *what;         /* waited for */
    const char *why;
    struct sim_task *holder; /* of what it spins on */
    struct sim_call *call;   /* a layer's: what it runs now */
    struct sim_event timer;  /* of a wait with a deadline */
    uint64_t spin_key;
    uint64_t wake_reason;
    uint64_t since_ns; /* it ran last, became ready, or began to wait */
    uint64_t steps;    /* of the world, that were its own */
    uint64_t deadline_ns;
    uintptr_t stack_low;
    uintptr_t stack_high;
    uintptr_t wait_frame; /* of the function that waits or spins, for reports; 0: not known */
    void *fake_stack;     /* ASan's */
    uint32_t stack_slot;
    uint32_t cause;
    uint32_t row_total; /* whole rows of points since it last waited or began a call */
    enum sim_access point_access;
    enum sim_layer layer;
    enum sim_task_state state;
    uint8_t level;
    bool linked; /* in a list by next and previous */
};

struct sim_task_list {
    struct sim_task *first;
    struct sim_task *last;
};

struct sim_cpu {
    struct sim_object object;
    struct sim_world *world;
    struct sim_object *node;
    void *context; /* the creator's */
    struct sim_task_list ready;
    struct sim_task *pick;
    struct sim_task *thread;         /* the last to run, while it is ready: goes on before others */
    struct sim_task *pinned;         /* the thread that raised the level to DISPATCH or above */
    struct sim_task *layers[3];      /* by enum sim_layer; [SIM_LAYER_THREAD] is not used */
    struct sim_call *calls_first[3]; /* interrupts by falling level, else in order of queueing */
    uint32_t slot;                   /* in the world: bit of `enabled` */
    uint32_t index;                  /* in its node */
    uint64_t late_ns;                /* see sim_cpu_late_ns */
    bool is_stopped;
    uint8_t level;
};

/* Who says at a schedule point that its task goes on. */
enum sim_asked {
    SIM_ASKED_SCHEDULER, /* somebody who must see all options */
    SIM_ASKED_CHOOSER,   /* a chooser with goes_on */
    SIM_ASKED_NOBODY,    /* the quiet one always does */
};

struct sim_sched {
    /*
     * What a schedule point reads. Before both, a task that may run and whose chooser says so goes
     * on and leaves nothing to the scheduler (point.c).
     */
    uint64_t calm_ns;
    uint64_t calm_step;
    uint64_t enabled; /* bit per CPU that has something to run */
    uint8_t asked;    /* enum sim_asked */
    struct sim_task *last;
    struct sim_cpu *cpus[SIM_CPU_COUNT_MAX];
    uint32_t cpu_count;
    uint32_t turn_slot;           /* the CPU of `last`; with `last` NULL: whose turn it is */
    uint64_t row_first_step;      /* the step count when `last` began its row of points */
    uint64_t patience_ns;         /* how far off a head event may be to be yielded to */
    bool row_progress;            /* the row is one of work: sim_task_progress */
    uint64_t event_since_ns;      /* the last delivery */
    uint64_t starve_check_ns;     /* nobody has been passed over too long before */
    uint64_t stop_ns;             /* this sim_run call's end, or the world's */
    uint64_t attend_step;         /* the limit of steps, or one before the next look at checks */
    uint64_t check_step;          /* that next look; UINT64_MAX: none */
    bool event_picked;            /* chosen, but due after the end of the sim_run call */
    bool is_stepping;             /* inside sim_run; for the watchdog */
    bool check_wanted;            /* the running task goes on as soon as that is done */
    bool choice_wanted;           /* the running task is at a point whose options are to be seen */
    bool has_decision;            /* made at a point that was left: the next step */
    struct sim_task *decision;    /* ... who it is; NULL: the head event */
    bool event_yielded;           /* ... and it was the quiet option's turn to yield */
    uintptr_t scheduler_pointer;  /* while a task runs */
    void *fake_stack;             /* ASan's, of the scheduler */
    const void *scheduler_bottom; /* ASan's idea of the scheduler's stack */
    size_t scheduler_bytes;
    struct sim_task_list spinners;
    void (*loop_found)(struct sim_task *task, uint64_t points);
    struct sim_task *live_first;
    struct sim_task *live_last;
    bool (*dma_allowed)(struct sim_world *world, struct sim_bus_device *device, uint64_t frame,
                        bool write);
    void *(*dma_translate)(struct sim_world *world, struct sim_bus_device *device, uint64_t frame,
                           bool write);
    struct sim_dma_watch *dma_watch;
};

/*
 * The world's life, called by world.c: zeroed structure; after a restore; before the end.
 */
void sim_sched_init(struct sim_world *world);
void sim_sched_restored(struct sim_world *world);
/* A run begins with the world's configuration. */
void sim_sched_begin(struct sim_world *world, enum sim_asked asked);
void sim_sched_deinit(struct sim_world *world);

/* Leaves the current task for the scheduler, for good: a finding ended the run. */
SIM_NORETURN void sim_step_abandon(void);
extern const char sim_why_left_behind[]; /* `why` of such a task */

/* Registers the bus's fault points and trace names. */
void sim_bus_init(struct sim_world *world);

/* ---- Between task.c, cpu.c and step.c ---- */

/* The current task, NULL in the scheduler. The one global of the program. */
extern struct sim_task *sim_task_running;

/* Set by signal handlers: the one word that cannot live in a world. */
extern volatile sig_atomic_t sim_interrupt_wanted;

/*
 * A step choice between somebody who is option 0 and others: true when it is answered with option
 * 0. False changes nothing: sim_choose is to be asked with all options.
 */
bool sim_choose_goes_on(struct sim_world *world, struct sim_object *subject,
                        const struct sim_option *own);

/* Enters `task` until its next schedule point. */
void sim_task_resume(struct sim_sched *sched, struct sim_task *task);
/* Leaves the current task for the scheduler; comes back when it is resumed. */
void sim_task_leave(struct sim_task *task);
/* A task that is not ready yet, with its stack. */
struct sim_task *sim_task_make(struct sim_cpu *cpu, struct sim_object *owner, const char *label,
                               enum sim_object_naming naming, enum sim_layer layer,
                               void (*entry)(void *argument), void *argument);
/* After it has left for the last time: gives its stack back. */
void sim_task_bury(struct sim_task *task);

/* What a context that is at a point, or was, will do next. */
static inline void sim_task_describe(const struct sim_task *task, struct sim_option *option) {
    *option = (struct sim_option){
        .actor_id = task->object.id,
        .object_id = task->point_object != NULL ? task->point_object->id : 0,
        .subject_id = task->subject != NULL ? task->subject->id : 0,
        .access = task->point_access,
    };
}

void sim_task_list_append(struct sim_task_list *list, struct sim_task *task);
void sim_task_list_remove(struct sim_task_list *list, struct sim_task *task);
/* Whoever ran joins the end of its CPU's list. */
static inline void sim_task_rotate(struct sim_task *task) {
    if (task->layer == SIM_LAYER_THREAD && task->next != NULL) {
        sim_task_list_remove(&task->cpu->ready, task);
        sim_task_list_append(&task->cpu->ready, task);
    }
}

/* Runs queued calls for ever; the entry of both layers' contexts. */
void sim_cpu_layer_run(void *task);
/* Works out who may run next on the CPU; after every change of its contexts, calls or level. */
void sim_cpu_update(struct sim_cpu *cpu);

/* For the check: what a CPU may run is what its contexts say. */
bool sim_cpus_hold(struct sim_world *world, char *text, size_t size);

static inline uint32_t sim_sched_lowest_bit(uint64_t mask) {
    return (uint32_t)__builtin_ctzll(mask);
}

#endif
