/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containment: an accident in a task (SEGV, BUS, FPE, ILL, TRAP, ABRT) is judged on the alternate
 * signal stack and becomes a finding; the task is left behind and the scheduler goes on to end the
 * run. Memory may be in any state by then, so the process takes no further run. An accident outside
 * of tasks, or while one is being judged, is ours and ends the process.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sim/cpu.h>

#include "host_private.h"
#include "switch.h"
#include "world.h"

#if SIM_ASAN
#include <sanitizer/common_interface_defs.h>
#include <sanitizer/lsan_interface.h>
#endif

#define SIGNAL_STACK_BYTES ((size_t)512 * 1024)

/* What functions of a C library keep on the stack, from a driver's call on. */
#define LIBRARY_STACK_BYTES 8192u

/* Below the stack pointer a function that calls none may keep locals (x86-64, arm64 of Apple). */
#define RED_ZONE_BYTES 128u

static void (*judge)(struct sim_world *world, const struct sim_accident *accident,
                     struct sim_finding *finding);
static bool (*rescue)(struct sim_world *world, const struct sim_accident *accident,
                      struct sim_rescue *way);
static bool (*reopen)(struct sim_world *world, uintptr_t address);
static bool (*is_driver_code)(uintptr_t address);
static volatile sig_atomic_t is_spent;
static volatile sig_atomic_t is_judging;

bool sim_host_is_spent(void) {
    return is_spent != 0;
}

void sim_host_spend(void) {
    is_spent = 1;
}

#if SIM_ASAN
/* What an accident left behind is lost, not leaked. */
int __lsan_is_turned_off(void) {
    return sim_host_is_spent() ? 1 : 0;
}
#endif

void sim_host_signal_stack(void) {
    static void *memory;
    stack_t stack;
    if (memory != NULL) {
        return;
    }
    memory = mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    SIM_ASSERT(memory != MAP_FAILED);
    memset(&stack, 0, sizeof(stack));
    stack.ss_sp = memory;
    stack.ss_size = SIGNAL_STACK_BYTES;
    SIM_ASSERT(sigaltstack(&stack, NULL) == 0);
}

const char *sim_host_signal_name(int signal) {
    static const struct {
        int signal;
        const char *name;
    } names[] = {
        {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
        {SIGABRT, "SIGABRT"}, {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},
        {SIGPIPE, "SIGPIPE"}, {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"}, {SIGSYS, "SIGSYS"},
    };
    for (size_t i = 0; i < SIM_ARRAY_COUNT(names); i++) {
        if (names[i].signal == signal) {
            return names[i].name;
        }
    }
    return "signal";
}

void sim_host_context_of_task(const siginfo_t *info, const void *ucontext,
                              struct sim_host_context *context) {
    sim_host_context_read(info, ucontext, context);
    sim_task_current()->stack_pointer = context->stack - RED_ZONE_BYTES;
}

/* A word of the task's stack, wherever it lies: a sanitizer knows of no frame that ended so. */
SIM_UNCHECKED static uintptr_t stack_word(uintptr_t address) {
    return *(const uintptr_t *)address;
}

/*
 * `first` and its callers, up the chain of frame pointers on the task's stack; returns how many.
 * Frames are return addresses; an interrupted instruction is made to look like one.
 */
static uint8_t walk(const struct sim_task *task, uintptr_t frame, uintptr_t first,
                    uintptr_t frames[SIM_FINDING_FRAMES]) {
    uintptr_t low, high;
    uint8_t count = 0;
    frames[count++] = first;
    sim_task_stack(task, &low, &high);
    while (count < SIM_FINDING_FRAMES && frame >= low && frame % sizeof(frame) == 0 &&
           frame + 2 * sizeof(uintptr_t) <= high) {
        uintptr_t caller = stack_word(frame);
        uintptr_t back = stack_word(frame + sizeof(uintptr_t));
        if (back == 0) {
            break;
        }
        frames[count++] = back;
        if (caller <= frame) {
            break;
        }
        frame = caller;
    }
    return count;
}

void sim_host_contain_code(bool (*is_code)(uintptr_t address)) {
    is_driver_code = is_code;
}

bool sim_host_is_driver_code(uintptr_t address) {
    return is_driver_code != NULL && is_driver_code(address);
}

void sim_host_context_to_driver(const struct sim_task *task, struct sim_host_context *context) {
    uintptr_t low, high, at = context->stack & ~(uintptr_t)(sizeof(uintptr_t) - 1);
    sim_task_stack(task, &low, &high);
    if (is_driver_code == NULL || at < low || at >= high || is_driver_code(context->code)) {
        return;
    }
    high = high - at > LIBRARY_STACK_BYTES ? at + LIBRARY_STACK_BYTES : high;
    while (at < high && !is_driver_code(stack_word(at))) {
        at += sizeof(uintptr_t);
    }
    if (at < high) {
        context->code = stack_word(at) - 1;
    }
}

static void add_site(struct sim_finding *finding, struct sim_task *task,
                     const struct sim_host_context *context, const char *what) {
    struct sim_site *site = &finding->sites[finding->site_count];
    if (finding->site_count == SIM_ARRAY_COUNT(finding->sites)) {
        return;
    }
    finding->site_count++;
    memset(site, 0, sizeof(*site));
    site->what = what;
    site->actor = sim_task_object(task);
    site->time_ns = sim_now_ns(sim_task_world(task));
    site->level = sim_cpu_level(sim_task_cpu(task));
    site->frame_count = walk(task, context->frame, context->code + 1, site->frames);
}

void sim_host_leave_task(struct sim_world *world, struct sim_finding *finding,
                         const struct sim_host_context *context, const char *what) {
    if (what != NULL) {
        add_site(finding, sim_task_current(), context, what);
    }
    sim_host_spend();
    (void)pthread_sigmask(SIG_SETMASK, &context->mask, NULL);
    sim_find(world, finding);
    sim_step_abandon();
}

void sim_host_abandon_task(const struct sim_host_context *context) {
    sim_host_spend();
    (void)pthread_sigmask(SIG_SETMASK, &context->mask, NULL);
    sim_step_abandon();
}

static void judge_plainly(const struct sim_accident *accident, struct sim_finding *finding) {
    const char *name = accident->asan != NULL ? "asan" : sim_host_signal_name(accident->signal);
    sim_finding_init(finding, SIM_VERDICT_BUGCHECK, name, "");
    if (accident->asan != NULL) {
        sim_finding_say(finding, "The task ended with %s.", accident->asan);
    } else if (accident->is_stack_overflow) {
        sim_finding_say(finding, "The task ran over the end of its stack.");
    } else {
        sim_finding_say(finding, "The task ended with %s.", sim_host_signal_name(accident->signal));
    }
}

void sim_host_contain_rescue(bool (*rescue_task)(struct sim_world *world,
                                                 const struct sim_accident *accident,
                                                 struct sim_rescue *way)) {
    rescue = rescue_task;
}

void sim_host_contain_reopen(bool (*reopen_memory)(struct sim_world *world, uintptr_t address)) {
    reopen = reopen_memory;
}

/* An accident in `reopen` itself is none that it can mend. */
static bool try_reopen(int signal, const siginfo_t *info) {
    static volatile sig_atomic_t is_trying;
    struct sim_world *world = sim_world_active();
    bool is_open;
    if ((signal != SIGSEGV && signal != SIGBUS) || reopen == NULL || world == NULL ||
        is_trying != 0) {
        return false;
    }
    is_trying = 1;
    is_open = reopen(world, (uintptr_t)info->si_addr);
    is_trying = 0;
    return is_open;
}

/* Does not return when the task takes it. The alternate stack is free again once it is left. */
static void try_rescue(struct sim_task *task, const struct sim_accident *accident,
                       const struct sim_host_context *context) {
    struct sim_rescue way;
    if (rescue == NULL || !rescue(sim_task_world(task), accident, &way)) {
        return;
    }
    is_judging = 0;
    (void)pthread_sigmask(SIG_SETMASK, &context->mask, NULL);
    way.resume(way.context);
}

/* On x86-64 a call leaves its return address there; elsewhere it is in a register. */
static uintptr_t word_at(uintptr_t stack, uintptr_t low, uintptr_t high) {
#if defined(__x86_64__)
    bool is_there = stack >= low && stack % sizeof(stack) == 0 && stack + sizeof(stack) <= high;
    return is_there ? stack_word(stack) : 0;
#else
    (void)stack;
    (void)low;
    (void)high;
    return 0;
#endif
}

static void read_accident(int signal, struct sim_task *task, const struct sim_host_context *context,
                          struct sim_accident *accident) {
    uintptr_t low, high;
    bool is_call;
    memset(accident, 0, sizeof(*accident));
    accident->signal = signal == SIGBUS ? SIGSEGV : signal;
    accident->address = context->address;
    accident->code = context->code;
    accident->write = context->write;
    sim_task_stack(task, &low, &high);
    accident->returns_to = word_at(context->stack, low, high);
    accident->is_stack_overflow = accident->signal == SIGSEGV && context->address < low &&
                                  context->address >= low - (uintptr_t)SIM_STACK_GUARD_BYTES;
    /* What was called has made no frame yet: the chain begins with the caller's. */
    is_call = accident->signal == SIGSEGV && context->code == context->address &&
              accident->returns_to != 0;
    accident->frame_count = walk(
        task, context->frame, is_call ? accident->returns_to : context->code + 1, accident->frames);
}

SIM_NORETURN static void judge_accident(struct sim_task *task, const struct sim_accident *accident,
                                        const struct sim_host_context *context) {
    struct sim_finding finding;
    if (judge != NULL) {
        memset(&finding, 0, sizeof(finding));
        judge(sim_task_world(task), accident, &finding);
    } else {
        judge_plainly(accident, &finding);
    }
    sim_host_leave_task(sim_task_world(task), &finding, context,
                        finding.site_count == 0 ? "went wrong" : NULL);
}

void sim_host_contain_asan(void) {
    struct sim_task *task = sim_task_current();
    struct sim_host_context context;
    struct sim_accident accident;
    if (is_judging != 0 || !sim_host_asan_accident(&accident, &context)) {
        return;
    }
    is_judging = 1;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &context.mask);
    if (accident.frame_count == 0) {
        accident.frame_count = walk(task, context.frame, context.code + 1, accident.frames);
    }
    judge_accident(task, &accident, &context);
}

/* Of the program itself: a library that found it in error. A worker leaves its last words. */
SIM_NORETURN static void abort_plainly(void) {
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_DFL;
    (void)sigaction(SIGABRT, &action, NULL);
    sim_host_last_words();
    sim_leave();
    abort();
}

static void on_accident(int signal, siginfo_t *info, void *ucontext) {
    struct sim_task *task = sim_task_current();
    struct sim_host_context context;
    struct sim_accident accident;
    if (signal == SIGABRT && (task == NULL || is_judging != 0)) {
        abort_plainly();
    }
    if (try_reopen(signal, info)) {
        return;
    }
    if (task == NULL || is_judging != 0) {
        sim_assert_fail(__FILE__, __LINE__,
                        task == NULL ? "no accident outside of a task"
                                     : "no accident while one is judged");
    }
    is_judging = 1;
    sim_host_context_of_task(info, ucontext, &context);
    if (signal == SIGABRT) {
        sim_host_context_to_driver(task, &context);
    }
    read_accident(signal, task, &context, &accident);
    try_rescue(task, &accident, &context);
    judge_accident(task, &accident, &context);
}

/* A driver that calls exit() would end the run as if all were well, and nobody's report is written.
 */
static void on_exit_in_task(void) {
    struct sim_task *task = sim_task_current();
    char name[128];
    if (task == NULL) {
        return;
    }
    (void)sim_object_name(sim_task_object(task), name, sizeof(name));
    (void)fflush(stdout);
    (void)fprintf(stderr,
                  "ndksim: bugcheck: %s ended the process with exit(); a driver returns from its "
                  "functions, and has no process\n",
                  name);
    _exit(SIM_VERDICT_BUGCHECK);
}

void sim_host_contain(void (*judge_it)(struct sim_world *world, const struct sim_accident *accident,
                                       struct sim_finding *finding)) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    static bool is_known;
    struct sigaction action;
    judge = judge_it;
    if (!is_known) {
        is_known = true;
        (void)atexit(on_exit_in_task);
    }
#if SIM_ASAN
    if (!sim_host_is_worker()) {
        __sanitizer_set_death_callback(sim_host_contain_asan);
    }
#endif
    sim_host_signal_stack();
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_accident;
    /* Not deferred: a second accident inside the handler must reach it, or it would kill mutely. */
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGPROF);
    sigaddset(&action.sa_mask, SIGALRM);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(signals); i++) {
        SIM_ASSERT(sigaction(signals[i], &action, NULL) == 0);
    }
}
