/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP: the first one asks the run to end, a second one ends the process at
 * once. A process that is waited for gets the first again, and is killed by the second, behind
 * which the waiting one cleans up and leaves; the terminal may have sent it one already, so there a
 * second one means nothing.
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

static void on_interrupt(int signal) {
    int error = errno;
    (void)signal;
    if (interrupted != 0 && is_apart == 0 && other == 0) {
        sim_leave();
        _exit(SIM_VERDICT_INTERRUPTED);
    }
    if (interrupted != 0 && is_apart == 0) {
        (void)kill((pid_t)other, SIGKILL);
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
