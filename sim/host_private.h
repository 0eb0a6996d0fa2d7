/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the host files. What differs from one operating system to the next is in host_linux.c and
 * host_darwin.c.
 */
#ifndef SIM_HOST_PRIVATE_H
#define SIM_HOST_PRIVATE_H

#include <signal.h>

#include <sim/host.h>

/* What a signal interrupted. */
struct sim_host_context {
    uintptr_t code;
    uintptr_t frame; /* frame pointer */
    uintptr_t stack;
    uintptr_t address; /* data address of a SEGV or BUS, as well as the machine tells */
    bool write;
    sigset_t mask;
};
void sim_host_context_read(const siginfo_t *info, const void *ucontext,
                           struct sim_host_context *context);
/* The same, of the current task, whose stack is live from the interrupted frame on. */
void sim_host_context_of_task(const siginfo_t *info, const void *ucontext,
                              struct sim_host_context *context);

/*
 * The context of a task that is inside the host's C library, whose code keeps no frame pointers:
 * moves it to the driver's call, if that can be seen on the stack.
 */
struct sim_task;
void sim_host_context_to_driver(const struct sim_task *task, struct sim_host_context *context);
bool sim_host_is_driver_code(uintptr_t address); /* false when nobody knows */

/* "SIGSEGV", or "signal" for the rare ones. */
const char *sim_host_signal_name(int signal);

/* "signal 11 (SIGSEGV)" or "exit 1", from the status of waitpid. */
void sim_host_death_text(int status, char *text, size_t size);
/*
 * A child that nobody reads any more has died of it: so does this process, quietly, as the tools of
 * a pipeline do. Returns for every other death.
 */
void sim_host_end_with_reader(int status);

/* Interrupts go on to this process; 0: to none. And in that process: a second one ends nothing. */
void sim_host_signal_pass_to(pid_t process);
void sim_host_signal_apart(void);

/*
 * A new folder below TMPDIR for a process about to be forked; false with errno. The process takes
 * it as its own (sim_host_scratch), its parent removes it and what is in it ("": nothing to
 * remove).
 */
#define SIM_SCRATCH_BYTES ((size_t)1024)
bool sim_host_scratch_make(char path[SIM_SCRATCH_BYTES]);
void sim_host_scratch_take(const char *path);
void sim_host_scratch_remove(const char *path);

/*
 * The function at `offset` of a module's file, "" when the file does not say; and the variable,
 * with where it starts.
 */
void sim_host_file_function(const char *file, uintptr_t offset, char *name, size_t size);
void sim_host_file_variable(const char *file, uintptr_t offset, char *name, size_t size,
                            uintptr_t *start);

/*
 * What the host's tool says of a code address: of addr2line and llvm-symbolizer lines of function
 * and "file:line", innermost first, of atos one line. `base` is where the module of `file` is
 * loaded. False: no tool, or none that knows. A tool that can be asked again goes on running until
 * this process ends.
 */
bool sim_symbolizer_ask(const char *file, uintptr_t base, uintptr_t code, char *output,
                        size_t size);

/* Before a fork: what one process learns of the tools, the others need not. */
void sim_symbolizer_share(void);

/* Holds SIGINT, SIGTERM and SIGHUP back, around a fork. */
void sim_host_signal_block(sigset_t *before);
/* SIGPIPE is about workers from here on; `before` is what it was. */
void sim_host_signal_workers(struct sigaction *before);
/* From a signal handler: the workers that there are, at once. */
void sim_host_workers_kill(void);

/* Gives this thread its alternate signal stack, once. */
void sim_host_signal_stack(void);

/* This process takes no further run. */
void sim_host_spend(void);

/*
 * From a signal handler that was entered in a task: records the finding and leaves the task for the
 * scheduler for ever. The task's code from `context` on becomes a site called `what`.
 */
SIM_NORETURN void sim_host_leave_task(struct sim_world *world, struct sim_finding *finding,
                                      const struct sim_host_context *context, const char *what);

/* Where this process ends early: in a task, what a sanitizer found is judged instead. */
void sim_host_contain_asan(void);
/* What AddressSanitizer has just reported of the running task; false: nothing, or in no task. */
struct sim_accident;
bool sim_host_asan_accident(struct sim_accident *accident, struct sim_host_context *context);

/* The same without a finding: the run is to end, and the task does not come to a point to leave. */
SIM_NORETURN void sim_host_abandon_task(const struct sim_host_context *context);

/* How often the watchdog looks for a blocked task, for tests: before it is started. */
void sim_host_watchdog_tick(uint32_t tick_ms);

#define SIM_WORKER_PAGE_BYTES ((size_t)64 * 1024)

/*
 * The protocol of worker processes. The parent grants ranges of run numbers, two at a time so that
 * no worker waits, each with one of the worker's two buffers. The worker writes results there as it
 * goes, so that they outlive it, and reports when the range is done, when it has taken long, when
 * the buffer is full or the process is spent; what it has not done goes to another.
 */
#define SIM_WORKER_GRANTS 2u

struct sim_worker_command {
    uint64_t first;
    uint32_t count; /* 0: a lesson of `bytes` follows */
    uint32_t buffer;
    uint64_t bytes;
};

struct sim_worker_report {
    uint64_t spent_ns; /* wall clock */
    uint32_t done;
    uint32_t is_last; /* the process is spent and leaves */
};

/* Shared. Results, each behind its head, from a multiple of 16 on. */
struct sim_worker_buffer {
    uint64_t used;
    uint64_t began_ns; /* the run under way, wall clock; 0: none yet */
    uint32_t done;
    _Alignas(16) unsigned char bytes[];
};
struct sim_worker_head {
    _Alignas(16) uint64_t bytes;
};

struct sim_worker_room {
    int commands;
    int reports;
    sigset_t mask;       /* when the worker has its own handlers */
    const char *scratch; /* the worker's folder */
    char *page;          /* SIM_WORKER_PAGE_BYTES */
    struct sim_worker_buffer *buffers[SIM_WORKER_GRANTS];
    size_t buffer_bytes; /* for results */
};
static inline size_t sim_worker_whole(size_t result_bytes) {
    return sizeof(struct sim_worker_head) + (result_bytes + 15) / 16 * 16;
}

/* How long a grant should take; a worker that has taken four times as long gives the rest back. */
#define SIM_WORKER_GRANT_NS (UINT64_C(2) * 1000 * 1000)

/* The life of a worker process. */
SIM_NORETURN void sim_host_worker_main(struct sim_workers *workers, uint32_t number,
                                       const struct sim_worker_room *room);

/* In a worker that is about to die: leaves the text of its last records for its parent. */
void sim_host_last_words(void);

/* Whether this process is a worker: its parent decides about interrupts. */
bool sim_host_is_worker(void);

#endif
