/* SPDX-License-Identifier: Apache-2.0 */
/* See host_calls.h. One stub for each function, so that it knows by which name it was called. */
#include "host_calls.h"

#include <stdio.h>
#include <string.h>

#include <krn/bugcheck.h>
#include <krn/memory.h>
#include <sim/cpu.h>

#define STATUS_ENTRYPOINT_NOT_FOUND 0xC0000263u
#define STATUS_ASSERTION 0xC0000420u

typedef long host_function(long a, long b, long c, long d, long e, long f);

enum kind {
    KIND_END,
    KIND_SIGNAL,
    KIND_PROCESS,
    KIND_THREAD,
    KIND_MODULE,
    KIND_MEMORY,
    KIND_WAIT,
    KIND_SYSTEM,
    KIND_FILE,
    KIND_OUTPUT,
    KIND_HEAP,
    KIND_ASSERT,
    KIND_CANARY,
    KIND_JUMP,
};

/* What it does here, and what a driver does instead. */
static const struct {
    const char *deed;
    const char *remedy;
} kinds[] = {
    [KIND_END] = {"ends the process", "Return from the driver's functions with a status; "
                                      "KeBugCheckEx stops the machine."},
    [KIND_SIGNAL] = {"is about signals", "Use events, DPCs and work items: a kernel has no "
                                         "signals."},
    [KIND_PROCESS] = {"starts a process", "Use system threads and work items: a driver starts no "
                                          "process."},
    [KIND_THREAD] = {"starts or steers a thread of the host",
                     "Make threads with PsCreateSystemThread."},
    [KIND_MODULE] =
        {"loads or unloads a module",
         "Let the scenario load drivers, and MmGetSystemRoutineAddress find functions."},
    [KIND_MEMORY] = {"changes the process' memory map",
                     "Take memory from pool, and let MDLs lock and map it."},
    [KIND_WAIT] = {"blocks the host's thread",
                   "Wait with KeDelayExecutionThread or KeWaitForSingleObject."},
    [KIND_SYSTEM] = {"is a call of the host's kernel", "Use what the wdk headers declare."},
    [KIND_FILE] = {"changes the process' open files", "Use ZwCreateFile and ZwClose for files."},
    [KIND_OUTPUT] = {"writes to the process' own output", "Print with DbgPrint or DbgPrintEx."},
    [KIND_HEAP] = {"allocates from the C library's heap", "Take memory with ExAllocatePool2."},
    [KIND_ASSERT] = {"", ""},
    [KIND_CANARY] = {"", ""},
    [KIND_JUMP] = {"", "Jump only within the routine that saved its context, in the same task."},
};

#define HOST_CALLS(X)                                                                              \
    X(abort, KIND_END)                                                                             \
    X(exit, KIND_END)                                                                              \
    X(_exit, KIND_END)                                                                             \
    X(_Exit, KIND_END)                                                                             \
    X(quick_exit, KIND_END)                                                                        \
    X(__assert_fail, KIND_ASSERT)                                                                  \
    X(__stack_chk_fail, KIND_CANARY)                                                               \
    X(raise, KIND_SIGNAL)                                                                          \
    X(kill, KIND_SIGNAL)                                                                           \
    X(killpg, KIND_SIGNAL)                                                                         \
    X(tgkill, KIND_SIGNAL)                                                                         \
    X(sigqueue, KIND_SIGNAL)                                                                       \
    X(pthread_kill, KIND_SIGNAL)                                                                   \
    X(signal, KIND_SIGNAL)                                                                         \
    X(sigaction, KIND_SIGNAL)                                                                      \
    X(sigprocmask, KIND_SIGNAL)                                                                    \
    X(pthread_sigmask, KIND_SIGNAL)                                                                \
    X(sigaltstack, KIND_SIGNAL)                                                                    \
    X(alarm, KIND_SIGNAL)                                                                          \
    X(setitimer, KIND_SIGNAL)                                                                      \
    X(timer_create, KIND_SIGNAL)                                                                   \
    X(fork, KIND_PROCESS)                                                                          \
    X(vfork, KIND_PROCESS)                                                                         \
    X(system, KIND_PROCESS)                                                                        \
    X(popen, KIND_PROCESS)                                                                         \
    X(execv, KIND_PROCESS)                                                                         \
    X(execvp, KIND_PROCESS)                                                                        \
    X(execve, KIND_PROCESS)                                                                        \
    X(posix_spawn, KIND_PROCESS)                                                                   \
    X(posix_spawnp, KIND_PROCESS)                                                                  \
    X(pthread_create, KIND_THREAD)                                                                 \
    X(pthread_exit, KIND_THREAD)                                                                   \
    X(pthread_join, KIND_THREAD)                                                                   \
    X(pthread_cancel, KIND_THREAD)                                                                 \
    X(thrd_create, KIND_THREAD)                                                                    \
    X(clone, KIND_THREAD)                                                                          \
    X(dlopen, KIND_MODULE)                                                                         \
    X(dlmopen, KIND_MODULE)                                                                        \
    X(dlclose, KIND_MODULE)                                                                        \
    X(mprotect, KIND_MEMORY)                                                                       \
    X(munmap, KIND_MEMORY)                                                                         \
    X(madvise, KIND_MEMORY)                                                                        \
    X(brk, KIND_MEMORY)                                                                            \
    X(sbrk, KIND_MEMORY)                                                                           \
    X(pause, KIND_WAIT)                                                                            \
    X(sleep, KIND_WAIT)                                                                            \
    X(usleep, KIND_WAIT)                                                                           \
    X(nanosleep, KIND_WAIT)                                                                        \
    X(clock_nanosleep, KIND_WAIT)                                                                  \
    X(thrd_sleep, KIND_WAIT)                                                                       \
    X(sem_wait, KIND_WAIT)                                                                         \
    X(sem_timedwait, KIND_WAIT)                                                                    \
    X(pthread_cond_wait, KIND_WAIT)                                                                \
    X(pthread_cond_timedwait, KIND_WAIT)                                                           \
    X(pthread_barrier_wait, KIND_WAIT)                                                             \
    X(sigsuspend, KIND_WAIT)                                                                       \
    X(sigwait, KIND_WAIT)                                                                          \
    X(sigwaitinfo, KIND_WAIT)                                                                      \
    X(sigtimedwait, KIND_WAIT)                                                                     \
    X(select, KIND_WAIT)                                                                           \
    X(pselect, KIND_WAIT)                                                                          \
    X(poll, KIND_WAIT)                                                                             \
    X(ppoll, KIND_WAIT)                                                                            \
    X(wait, KIND_WAIT)                                                                             \
    X(waitpid, KIND_WAIT)                                                                          \
    X(waitid, KIND_WAIT)                                                                           \
    X(syscall, KIND_SYSTEM)                                                                        \
    X(close, KIND_FILE)                                                                            \
    X(dup, KIND_FILE)                                                                              \
    X(dup2, KIND_FILE)                                                                             \
    X(dup3, KIND_FILE)                                                                             \
    X(fclose, KIND_FILE)                                                                           \
    X(freopen, KIND_FILE)                                                                          \
    X(printf, KIND_OUTPUT)                                                                         \
    X(vprintf, KIND_OUTPUT)                                                                        \
    X(puts, KIND_OUTPUT)                                                                           \
    X(putchar, KIND_OUTPUT)                                                                        \
    X(fprintf, KIND_OUTPUT)                                                                        \
    X(vfprintf, KIND_OUTPUT)                                                                       \
    X(fputs, KIND_OUTPUT)                                                                          \
    X(fputc, KIND_OUTPUT)                                                                          \
    X(fwrite, KIND_OUTPUT)                                                                         \
    X(perror, KIND_OUTPUT)                                                                         \
    X(write, KIND_OUTPUT)                                                                          \
    X(malloc, KIND_HEAP)                                                                           \
    X(calloc, KIND_HEAP)                                                                           \
    X(realloc, KIND_HEAP)                                                                          \
    X(aligned_alloc, KIND_HEAP)                                                                    \
    X(posix_memalign, KIND_HEAP)                                                                   \
    X(strdup, KIND_HEAP)                                                                           \
    X(longjmp, KIND_JUMP)                                                                          \
    X(siglongjmp, KIND_JUMP)                                                                       \
    X(__longjmp_chk, KIND_JUMP)

#define HOST_INDEX(name, kind) INDEX_##name,
enum { HOST_CALLS(HOST_INDEX) INDEX_COUNT };

static uintptr_t real_of[INDEX_COUNT];

static void say(struct sim_finding *finding, const char *name, enum kind kind) {
    krn_bugcheck_begin(finding, 0x1E, STATUS_ENTRYPOINT_NOT_FOUND, 0, 0, 0);
    sim_finding_say(finding,
                    "the driver called %s, which %s: Windows' kernel has no such function, and "
                    "would not load the driver",
                    name, kinds[kind].deed);
}

/*
 * Where a jump of the C library goes is its secret but on one machine; elsewhere it is known by
 * where the context is kept.
 */
static uintptr_t jump_target(const void *buffer) {
#if defined(__x86_64__) && defined(__GLIBC__)
    const uintptr_t *words = buffer;
    uintptr_t guard;

    __asm__("mov %%fs:0x30, %0" : "=r"(guard));
    return ((words[6] >> 17) | (words[6] << 47)) ^ guard;
#else
    return (uintptr_t)buffer;
#endif
}

static void jump_check(const void *buffer, const char *name) {
    struct sim_task *task = sim_task_current();
    struct sim_task *other = NULL;
    struct sim_finding finding;
    char text[SIM_NAME_BYTES];

    (void)sim_stack_is_live(sim_task_world(task), (const void *)jump_target(buffer), &other);
    if (other == NULL || other == task) {
        return;
    }
    krn_bugcheck_begin(&finding, 0xC3, 0, 0, 0, 0);
    sim_finding_say(&finding, "the driver called %s with a context that %s saved on its own stack",
                    name, sim_object_name(sim_task_object(other), text, sizeof(text)));
    (void)snprintf(finding.remedy, sizeof(finding.remedy), "%s", kinds[KIND_JUMP].remedy);
    krn_bugcheck_raise(sim_task_world(task), &finding);
}

static void judge_call(const char *name, enum kind kind, long a, long b, long c) {
    struct sim_finding finding;

    switch (kind) {
    case KIND_ASSERT:
        krn_bugcheck(0x1E, STATUS_ASSERTION, 0, 0, 0, "assertion failed: %s, %s:%u",
                     (const char *)a, (const char *)b, (unsigned)c);
    case KIND_CANARY:
        krn_bugcheck(0xF7, 0, 0, 0, 0,
                     "a function of the driver wrote past its variables: what guards its return "
                     "address is overwritten");
    case KIND_JUMP:
        jump_check((const void *)a, name);
        return;
    default:
        break;
    }
    say(&finding, name, kind);
    (void)snprintf(finding.remedy, sizeof(finding.remedy), "%s", kinds[kind].remedy);
    krn_bugcheck_raise(sim_task_world(sim_task_current()), &finding);
}

#define HOST_STUB(name, kind)                                                                      \
    static SIM_NOINLINE long stub_##name(long a, long b, long c, long d, long e, long f) {         \
        if (sim_task_current() != NULL) {                                                          \
            judge_call(#name, kind, a, b, c);                                                      \
        }                                                                                          \
        return ((host_function *)real_of[INDEX_##name])(a, b, c, d, e, f);                         \
    }
HOST_CALLS(HOST_STUB)

#define HOST_ROW(name, kind) {#name, stub_##name},
static const struct {
    const char *name;
    host_function *stub;
} rows[] = {HOST_CALLS(HOST_ROW)};

uintptr_t krn_host_call_stub(const char *name, uintptr_t real) {
    for (size_t i = 0; i < INDEX_COUNT; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            real_of[i] = real;
            return (uintptr_t)rows[i].stub;
        }
    }
    return 0;
}
