/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP: the first one asks the run to end, a second one ends the process at
 * once. A process that is waited for gets the first again, and is killed by the second, behind
 * which the waiting one cleans up and leaves; the terminal may have sent it one already, so there a
 * second one means nothing. A process that has had workers has findings to tell: a second one kills
 * the workers and leaves it a moment for that.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <sim/finding.h>
#include <sim/run.h>

#include "host_private.h"

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t other; /* process id; 0: none */
static volatile sig_atomic_t is_apart;
static volatile sig_atomic_t has_findings;
static volatile sig_atomic_t is_last_moment;
static volatile sig_atomic_t is_unread;

#define LAST_MOMENT_SECONDS 2u

/* Whoever reads no more, or a folder that does not answer, must not keep it for ever. */
static void on_moment_over(int signal) {
    (void)signal;
    sim_leave();
    _exit(SIM_VERDICT_INTERRUPTED);
}

static void begin_last_moment(void) {
    struct sigaction action;
    sim_host_workers_kill();
    if (is_last_moment != 0) {
        return;
    }
    is_last_moment = 1;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_moment_over;
    (void)sigaction(SIGALRM, &action, NULL);
    (void)alarm(LAST_MOMENT_SECONDS);
}

static void on_interrupt(int signal) {
    int error = errno;
    (void)signal;
    if (interrupted != 0 && is_apart == 0 && has_findings != 0) {
        begin_last_moment();
    } else if (interrupted != 0 && is_apart == 0 && other == 0) {
        sim_leave();
        _exit(SIM_VERDICT_INTERRUPTED);
    }
    if (interrupted != 0 && is_apart == 0) {
        if (other != 0) {
            (void)kill((pid_t)other, SIGKILL);
        }
        errno = error;
        return;
    }
    interrupted = 1;
    if (other != 0) {
        (void)kill((pid_t)other, SIGTERM);
    }
    sim_run_interrupt();
    errno = error;
}

/* Who reads no more ends this process quietly, as ever; but nothing is left behind. */
static void on_broken_pipe(int signal) {
    struct sigaction action;
    sim_leave();
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_DFL;
    (void)sigaction(signal, &action, NULL);
    (void)raise(signal);
}

/*
 * While there are workers: a write to one that is gone is no news, a signal that somebody sends is
 * what it would be elsewhere, as soon as what was found has been kept.
 */
static void on_pipe_with_workers(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    if (info->si_pid != 0 && info->si_pid != getpid()) {
        is_unread = 1;
    }
}

void sim_host_signal_workers(struct sigaction *before) {
    struct sigaction action;
    has_findings = 1;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    SIM_ASSERT(sigaction(SIGPIPE, NULL, before) == 0);
    if ((before->sa_flags & SA_SIGINFO) == 0 && before->sa_handler == SIG_IGN) {
        return;
    }
    action.sa_sigaction = on_pipe_with_workers;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    SIM_ASSERT(sigaction(SIGPIPE, &action, NULL) == 0);
}

bool sim_host_is_unread(void) {
    return is_unread != 0;
}

void sim_host_signal_block(sigset_t *before) {
    sigset_t all;
    sigemptyset(&all);
    sigaddset(&all, SIGINT);
    sigaddset(&all, SIGTERM);
    sigaddset(&all, SIGHUP);
    SIM_ASSERT(sigprocmask(SIG_BLOCK, &all, before) == 0);
}

void sim_host_signal_pass_to(pid_t process) {
    other = (sig_atomic_t)process;
}

void sim_host_signal_apart(void) {
    is_apart = 1;
    other = 0;
}

bool sim_host_interrupted(void) {
    return interrupted != 0;
}

void sim_host_catch_interrupts(void) {
    struct sigaction action, before;
    if (sim_host_is_worker()) {
        return;
    }
    /* It may come in a task, whose stack is small and watched. */
    sim_host_signal_stack();
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    SIM_ASSERT(sigaction(SIGINT, &action, NULL) == 0);
    SIM_ASSERT(sigaction(SIGTERM, &action, NULL) == 0);
    SIM_ASSERT(sigaction(SIGHUP, NULL, &before) == 0);
    if (before.sa_handler != SIG_IGN) {
        SIM_ASSERT(sigaction(SIGHUP, &action, NULL) == 0);
    }
    SIM_ASSERT(sigaction(SIGPIPE, NULL, &before) == 0);
    if (before.sa_handler == SIG_DFL) {
        action.sa_handler = on_broken_pipe;
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        SIM_ASSERT(sigaction(SIGPIPE, &action, NULL) == 0);
        action.sa_flags = 0;
    }
    action.sa_handler = SIG_IGN;
    SIM_ASSERT(sigaction(SIGXFSZ, &action, NULL) == 0);
}
