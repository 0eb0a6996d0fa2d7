/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Something done in a process of its own, so that an accident in it is nobody else's. The result
 * comes back through memory that both share; interrupts of this process are passed on by their
 * handler (host_signal.c), which knows the one process that is waited for.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_private.h"

/* At the start of the shared memory. */
struct shared {
    bool has_ended;
    _Alignas(16) unsigned char result[];
};

static void block_interrupts(sigset_t *before) {
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    SIM_ASSERT(sigprocmask(SIG_BLOCK, &both, before) == 0);
}

SIM_NORETURN static void apart(void (*act)(void *context, void *result), void *context,
                               struct shared *shared, const sigset_t *mask) {
    sim_host_signal_apart();
    SIM_ASSERT(sigprocmask(SIG_SETMASK, mask, NULL) == 0);
    act(context, shared->result);
    (void)fflush(NULL);
    sim_leave();
    shared->has_ended = true;
    _exit(0);
}

bool sim_host_apart(void (*act)(void *context, void *result), void *context, void *result,
                    size_t bytes, char *death, size_t death_bytes) {
    size_t shared_bytes = sizeof(struct shared) + bytes;
    struct shared *shared =
        mmap(NULL, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
    sigset_t before;
    int status = 0;
    pid_t process;
    bool has_ended;
    SIM_ASSERT(shared != MAP_FAILED);
    (void)fflush(NULL);
    block_interrupts(&before);
    process = fork();
    SIM_ASSERT(process >= 0);
    if (process == 0) {
        apart(act, context, shared, &before);
    }
    sim_host_signal_pass_to(process);
    SIM_ASSERT(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
    while (waitpid(process, &status, 0) < 0) {
        SIM_ASSERT(errno == EINTR);
    }
    sim_host_signal_pass_to(0);
    has_ended = shared->has_ended;
    if (has_ended) {
        memcpy(result, shared->result, bytes);
    } else {
        sim_host_death_text(status, death, death_bytes);
    }
    SIM_ASSERT(munmap(shared, shared_bytes) == 0);
    return has_ended;
}
