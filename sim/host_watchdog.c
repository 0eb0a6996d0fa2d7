/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog: what a process does without a step of the world. Two timers.
 *
 *   CPU time   counts only while the process computes: one that sleeps or is not scheduled is never
 *              suspected. In a task the verdict is 4 and the task is left behind; in the scheduler
 *              (an event's delivery that does not end) it is an assertion of ours. A task that
 *              loops so when the run is interrupted is left at once.
 *   real time  counts ticks that came to a task which has used no CPU time since the last one, was
 *              not kept from a CPU and waited for no page: it is blocked in a call of the host.
 *              While the process or the machine is stopped no ticks come; a sink that waits for its
 *              reader and a debugger's process are not suspected.
 *
 * Both decide only when to give up a run that would never end; neither tells the model anything.
 */
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <sim/cpu.h>
#include <sim/run.h>

#include "host_private.h"
#include "outer.h"
#include "world.h"

#define TICKS_PER_SECOND 4u
#define INTERRUPT_TICKS 2u

/* Of real time, for each second of CPU time that is allowed. */
#define BLOCKED_PER_SECOND 2u
#define BLOCKED_TICK_MS 1000u
/* Of a tick that a blocked process may compute: the ticks themselves. */
#define BLOCKED_CPU_SHARE 50u

static void (*blame)(struct sim_world *world, struct sim_task *task, struct sim_finding *finding);
static uint32_t limit_seconds;
static volatile uint32_t quiet_ticks;
static volatile uint64_t seen_step_count;
static uint32_t blocked_tick_ms = BLOCKED_TICK_MS;
static volatile uint32_t blocked_ticks;

/* What a tick of real time saw. */
struct use {
    uint64_t cpu_ns;
    uint64_t step_count;
    long kept_off;
    long page_waits;
};
static struct use seen;

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

static void use_now(const struct sim_world *world, struct use *use) {
    struct rusage usage;
    memset(&usage, 0, sizeof(usage));
    (void)getrusage(RUSAGE_SELF, &usage);
    use->cpu_ns = sim_host_cpu_ns();
    use->step_count = world->step_count;
    use->kept_off = usage.ru_nivcsw;
    use->page_waits = usage.ru_majflt;
}

/* Since the last tick it neither got on nor was kept from it. */
static bool has_slept(const struct use *now) {
    uint64_t tick_ns = blocked_tick_ms * SIM_NS_PER_MS;
    return now->step_count == seen.step_count && now->kept_off == seen.kept_off &&
           now->page_waits == seen.page_waits &&
           now->cpu_ns - seen.cpu_ns < tick_ns / BLOCKED_CPU_SHARE;
}

SIM_NORETURN static void expire_blocked(struct sim_world *world, struct sim_task *task,
                                        struct sim_host_context *context) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    sim_host_context_to_driver(task, context);
    sim_finding_init(&finding, SIM_VERDICT_STUCK, "blocked", "");
    sim_finding_say(
        &finding,
        "%s is blocked in a call of the host: it used no CPU time for %u ms and reached "
        "no schedule point.",
        sim_object_name(sim_task_object(task), name, sizeof(name)),
        limit_seconds * BLOCKED_PER_SECOND * blocked_tick_ms);
    sim_finding_object(&finding, sim_task_object(task));
    finding.wall_clock = true;
    if (blame != NULL) {
        blame(world, task, &finding);
    }
    sim_host_leave_task(world, &finding, context, "blocked");
}

static void on_real_tick(int signal, siginfo_t *info, void *ucontext) {
    struct sim_world *world = sim_world_active();
    struct sim_task *task = sim_task_current();
    struct sim_host_context context;
    struct use now;
    (void)signal;
    if (world == NULL || task == NULL || !world->sched.is_stepping || world->outer->is_telling) {
        blocked_ticks = 0;
        return;
    }
    use_now(world, &now);
    blocked_ticks = has_slept(&now) ? blocked_ticks + 1 : 0;
    seen = now;
    if (sim_host_interrupted() && blocked_ticks >= INTERRUPT_TICKS) {
        sim_host_context_of_task(info, ucontext, &context);
        sim_host_abandon_task(&context);
    }
    if (blocked_ticks < limit_seconds * BLOCKED_PER_SECOND) {
        return;
    }
    blocked_ticks = 0;
    if (!sim_host_is_traced()) {
        sim_host_context_of_task(info, ucontext, &context);
        expire_blocked(world, task, &context);
    }
}

void sim_host_watchdog_tick(uint32_t tick_ms) {
    blocked_tick_ms = tick_ms;
}

void sim_host_watchdog_blame(void (*blame_task)(struct sim_world *world, struct sim_task *task,
                                                struct sim_finding *finding)) {
    blame = blame_task;
}

static void start(int timer, int signal, void (*on)(int, siginfo_t *, void *), uint32_t every_ms) {
    struct itimerval interval;
    struct sigaction action;
    memset(&interval, 0, sizeof(interval));
    memset(&action, 0, sizeof(action));
    if (every_ms != 0) {
        action.sa_sigaction = on;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
        sigemptyset(&action.sa_mask);
        SIM_ASSERT(sigaction(signal, &action, NULL) == 0);
        interval.it_interval.tv_sec = (time_t)(every_ms / 1000);
        interval.it_interval.tv_usec = (suseconds_t)(every_ms % 1000 * 1000);
        interval.it_value = interval.it_interval;
    }
    SIM_ASSERT(setitimer(timer, &interval, NULL) == 0);
}

void sim_host_watchdog(uint32_t seconds) {
    limit_seconds = seconds;
    quiet_ticks = 0;
    blocked_ticks = 0;
    if (seconds != 0) {
        sim_host_signal_stack();
    }
    start(ITIMER_PROF, SIGPROF, on_tick, seconds != 0 ? 1000 / TICKS_PER_SECOND : 0);
    start(ITIMER_REAL, SIGALRM, on_real_tick, seconds != 0 ? blocked_tick_ms : 0);
}
