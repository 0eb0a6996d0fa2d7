/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog: CPU time that the process uses without a step of the world. The interval timer
 * counts CPU time, so that a process that sleeps or is not scheduled is never suspected. In a task
 * the verdict is 4 and the task is left behind; in the scheduler (an event's delivery that does not
 * end) it is an assertion of ours. A task that loops so when the run is interrupted is left at
 * once.
 */
#include <string.h>
#include <sys/time.h>

#include <sim/cpu.h>
#include <sim/run.h>

#include "host_private.h"
#include "world.h"

#define TICKS_PER_SECOND 4u
#define INTERRUPT_TICKS 2u

static void (*blame)(struct sim_world *world, struct sim_task *task, struct sim_finding *finding);
static uint32_t limit_seconds;
static volatile uint32_t quiet_ticks;
static volatile uint64_t seen_step_count;

SIM_NORETURN static void expire_in_task(struct sim_world *world, struct sim_task *task,
                                        const struct sim_host_context *context) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    sim_finding_init(&finding, SIM_VERDICT_STUCK, "watchdog", "");
    sim_finding_say(&finding,
                    "%s used %u s of CPU time without reaching a schedule point: it loops.",
                    sim_object_name(sim_task_object(task), name, sizeof(name)), limit_seconds);
    sim_finding_object(&finding, sim_task_object(task));
    finding.wall_clock = true;
    if (blame != NULL) {
        blame(world, task, &finding);
    }
    sim_host_leave_task(world, &finding, context, "looped");
}

static void on_tick(int signal, siginfo_t *info, void *ucontext) {
    struct sim_world *world = sim_world_active();
    struct sim_task *task = sim_task_current();
    struct sim_host_context context;
    bool is_asked;
    (void)signal;
    if (world == NULL || !world->sched.is_stepping || world->step_count != seen_step_count) {
        seen_step_count = world != NULL ? world->step_count : 0;
        quiet_ticks = 0;
        return;
    }
    is_asked = task != NULL && sim_host_interrupted();
    if (++quiet_ticks < (is_asked ? INTERRUPT_TICKS : limit_seconds * TICKS_PER_SECOND)) {
        return;
    }
    quiet_ticks = 0;
    if (is_asked) {
        sim_host_context_of_task(info, ucontext, &context);
        sim_host_abandon_task(&context);
    }
    if (task == NULL) {
        sim_assert_fail(__FILE__, __LINE__, "an event's delivery ends in time");
    }
    sim_host_context_of_task(info, ucontext, &context);
    expire_in_task(world, task, &context);
}

void sim_host_watchdog_blame(void (*blame_task)(struct sim_world *world, struct sim_task *task,
                                                struct sim_finding *finding)) {
    blame = blame_task;
}

void sim_host_watchdog(uint32_t seconds) {
    struct itimerval interval;
    struct sigaction action;
    memset(&interval, 0, sizeof(interval));
    memset(&action, 0, sizeof(action));
    limit_seconds = seconds;
    quiet_ticks = 0;
    if (seconds != 0) {
        sim_host_signal_stack();
        action.sa_sigaction = on_tick;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
        sigemptyset(&action.sa_mask);
        SIM_ASSERT(sigaction(SIGPROF, &action, NULL) == 0);
        interval.it_interval.tv_usec = 1000000 / TICKS_PER_SECOND;
        interval.it_value.tv_usec = 1000000 / TICKS_PER_SECOND;
    }
    SIM_ASSERT(setitimer(ITIMER_PROF, &interval, NULL) == 0);
}
