/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host side: everything that touches the real machine, over libuv. Never decides anything in
 * the model.
 *
 *   containment  a driver's SEGV, BUS, FPE, ILL, TRAP, ABRT runs on an alternate stack, becomes a
 * finding through `judge`, and leaves for the scheduler; the process takes no further run watchdog
 * ten seconds of CPU time without a schedule point, or twenty of real time without one or any CPU
 * time: verdict 4, marked wall clock workers      processes that take run numbers and give results;
 * a dead one is a result too signals      SIGINT, SIGTERM and SIGHUP interrupt cleanly scratch a
 * folder of the process, gone when it is
 */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include <sim/base.h>
#include <sim/finding.h>

struct sim_accident {
    int signal;           /* SIGBUS is reported as SIGSEGV; 0: `asan` */
    const char *asan;     /* what a sanitizer calls it, "stack-buffer-overflow"; else NULL */
    uint64_t bytes;       /* of such an access */
    uintptr_t address;    /* faulting data address (SEGV), else 0; of a non-canonical one: */
                          /* the first register that holds such a value (x86-64 Linux) */
    uintptr_t code;       /* program counter */
    uintptr_t returns_to; /* the word at the stack pointer: where code without a frame, such as */
                          /* memcpy, returns to; 0 where the machine keeps it elsewhere */
    /* Where it happened, as return addresses: of a call to what is no code, the caller first. */
    uint8_t frame_count;
    uintptr_t frames[SIM_FINDING_FRAMES];
    bool write;             /* known on x86-64 and arm64, else false (non-canonical: false) */
    bool is_undefined;      /* it is UBSan that calls it so */
    bool is_stack_overflow; /* the address lies in a guard page of the current task */
};

/*
 * Installs the handlers. `judge` runs on the alternate stack: it fills the finding from the
 * accident (the kernel knows the pool and the bugcheck codes). Without a running task the accident
 * is ours: 134.
 */
void sim_host_contain(void (*judge)(struct sim_world *world, const struct sim_accident *accident,
                                    struct sim_finding *finding));
/*
 * What a task may do about an accident of its own (an exception handler of a driver): `rescue` runs
 * on the alternate stack before the judge; true: the task goes on by `resume(context)`, which does
 * not return. NULL: none.
 */
struct sim_rescue {
    void (*resume)(void *context);
    void *context;
};
void sim_host_contain_rescue(bool (*rescue)(struct sim_world *world,
                                            const struct sim_accident *accident,
                                            struct sim_rescue *way));
/*
 * Memory that is opened when it is touched: `reopen` is told of every bad access before it is
 * judged, in a task or outside; true: the access is made again. It runs on the alternate stack.
 * NULL: none.
 */
void sim_host_contain_reopen(bool (*reopen)(struct sim_world *world, uintptr_t address));
/* Whether an address is code of a driver; NULL: nobody knows. */
void sim_host_contain_code(bool (*is_driver_code)(uintptr_t address));
/* A debugger watches this process, and would stop at every bad access. */
bool sim_host_is_traced(void);
/* True after an accident: this process takes no further run. */
bool sim_host_is_spent(void);

/*
 * Starts or stops the watchdog of this process. `seconds` of CPU time without a schedule point, or
 * twice as many of real time without CPU time; 0: off.
 */
void sim_host_watchdog(uint32_t seconds);
/* Who is told of as the guilty one of a task that loops; NULL: nobody. */
struct sim_task;
void sim_host_watchdog_blame(void (*blame)(struct sim_world *world, struct sim_task *task,
                                           struct sim_finding *finding));

/*
 * SIGINT, SIGTERM, SIGHUP -> sim_run_interrupt, and this turns true. A SIGHUP that was ignored
 * before (nohup) stays so. A file that grows over its limit is an error of writing, not a signal.
 */
void sim_host_catch_interrupts(void);
bool sim_host_interrupted(void);
/* Somebody has sent SIGPIPE while workers ran: they end, and SIGPIPE is to end this process too. */
bool sim_host_is_unread(void);

/*
 * Runs [first, first + count) over `jobs` processes. Each worker calls `prepare` once, then `run`
 * per index; it writes at most result_bytes, into memory that may hold anything. `result` is called
 * in the parent, in index order, with what the worker wrote, or with bytes 0 and the worker's death
 * (signal or exit code) in `death`. `result` answering false stops early. A dead worker is
 * replaced; a run whose worker was killed from outside (SIGKILL) is done again, up to
 * SIM_WORKER_KILLS_MAX times in a row; then all is given up (`has_given_up`). `progress`
 * (may be NULL) is called about twice a second. `is_late` (may be NULL) is asked more often: true
 * ends all as an interrupt does, also runs under way; whatever has come is given to `result`.
 *
 * Rounds: `round` (NULL: all is one round) is called in the parent before the first run, and
 * whenever all results of a round have been given to `result`. It answers how many runs are next, 0
 * when there are no more, and leaves what the workers must learn before; `learn` (may be NULL) is
 * called with that in each worker that was there already; those forked later have it from the
 * parent.
 */
#define SIM_WORKER_KILLS_MAX 100u
struct sim_workers {
    uint32_t jobs;
    uint64_t first;
    uint64_t count;
    size_t result_bytes;
    void *context;
    void (*prepare)(void *context, uint32_t worker);
    size_t (*run)(void *context, uint64_t index, void *result);
    bool (*result)(void *context, uint64_t index, const void *result, size_t bytes,
                   const char *death);
    void (*progress)(void *context, uint64_t done);
    bool (*is_late)(void *context);
    uint64_t (*round)(void *context, const void **lesson, size_t *bytes);
    void (*learn)(void *context, const void *lesson, size_t bytes);
    /* Out: */
    uint32_t started;      /* workers at the start: `jobs`, or fewer when the machine has no more */
    int error;             /* errno of what was lacking, 0: nothing */
    bool has_starved;      /* runs are missing: no worker could be started any more */
    uint32_t killed_count; /* workers killed from outside; their runs were done again */
    bool has_given_up;     /* runs are missing: the worker of run `given_up` was always killed */
    uint64_t given_up;
    bool was_late; /* `is_late` has ended it */
    /* Of the runs under way when it was stopped, the one that had taken longest; 0: there is none.
     */
    uint64_t unfinished_ns; /* wall clock */
    uint64_t unfinished;    /* its index */
};
/* Returns the number of runs whose result came. */
uint64_t sim_host_workers_run(struct sim_workers *workers);
/*
 * Within `result` with a death: the lines of the dead worker's last records, oldest first, "" when
 * it could not leave any (killed from outside). Valid inside the call.
 */
const char *sim_host_worker_records(void);

/*
 * Calls `act` once in a process of its own and waits for it. `result` (`bytes`) is shared with it:
 * it finds what the caller left there, and what it leaves comes back, however it ended. `death`
 * says how it ended before it got so far, or why the host gave no process. Interrupts of this
 * process reach that one. Containment and watchdog are its own to install.
 */
enum sim_host_apart_end {
    SIM_HOST_APART_DONE,
    SIM_HOST_APART_DIED,
    SIM_HOST_APART_REFUSED,
};
enum sim_host_apart_end sim_host_apart(void (*act)(void *context, void *result), void *context,
                                       void *result, size_t bytes, char *death, size_t death_bytes);

/*
 * Wall-clock pacing for people who watch: virtual time runs at `ratio_ppm` millionths of real time
 * at most (1,000,000: one second of virtual time takes one second or longer); 0: off. `due` tells
 * whether virtual time may be `now_ns` by now; a run that is ahead leaves sim_run and waits. `wait`
 * comes back early on an interrupt.
 */
struct sim_pacer;
struct sim_pacer *sim_pacer_create(uint32_t ratio_ppm);
void sim_pacer_destroy(struct sim_pacer *pacer);
bool sim_pacer_due(void *pacer, uint64_t now_ns);
void sim_pacer_wait(struct sim_pacer *pacer, uint64_t now_ns);

/*
 * The folder of this process's own below TMPDIR, made when first asked for; NULL with errno. What
 * is put there is removed by who put it; `leave` removes the folder when it is empty.
 */
const char *sim_host_scratch(void);
void sim_host_scratch_leave(void);

/* Absolute path of the running program, "" when the host cannot say; and the CPUs it may use. */
void sim_host_program(char *path, size_t size);
uint32_t sim_host_cpu_count(void);

/* Peak and current memory, CPU seconds: for benches and reports only. */
uint64_t sim_host_wall_ns(void);
uint64_t sim_host_cpu_ns(void);
uint64_t sim_host_peak_bytes(void);
/*
 * "file:line (function)" of a code address, "" when the host cannot say. For reports only. Frames
 * of a site are return addresses: pass them minus one, so that the call's line is named.
 */
void sim_host_symbolize(uintptr_t code, char *buffer, size_t size);
/*
 * The function of a code address by the name that it has in the source, without what a compiler
 * adds to it; "" when nobody knows. Needs no tool; the same in every process that loads the same
 * module.
 */
void sim_host_function(uintptr_t code, char *buffer, size_t size);
/*
 * The variable that a module's data address lies in, by its name in the source, and the offset of
 * the address in it; "" when the module's symbols do not say. Else as sim_host_function.
 */
void sim_host_variable(uintptr_t address, char *buffer, size_t size, uint64_t *offset);
/* How long a tool of the host may take for an answer; twenty seconds at first. */
void sim_host_symbol_wait(uint32_t seconds);
/* The loader's copy `loaded` of a module has the symbols of the file `original`. */
void sim_host_symbol_alias(const char *loaded, const char *original);

#endif
