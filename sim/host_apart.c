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

SIM_NORETURN static void apart(void (*act)(void *context, void *result), void *context,
                               struct shared *shared, const sigset_t *mask) {
    sim_host_signal_apart();
    SIM_ASSERT(sigprocmask(SIG_SETMASK, mask, NULL) == 0);
    act(context, shared->result);
    (void)fflush(NULL);
    sim_finish();
    sim_leave();
    shared->has_ended = true;
    _exit(0);
}

static enum sim_host_apart_end end_of(pid_t process, const struct shared *shared, void *result,
                                      size_t bytes, const char *scratch, char *death,
                                      size_t death_bytes) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0) {
        SIM_ASSERT(errno == EINTR);
    }
    sim_host_signal_pass_to(0);
    memcpy(result, shared->result, bytes);
    if (shared->has_ended) {
        return SIM_HOST_APART_DONE;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) {
        sim_host_scratch_remove(scratch);
    }
    sim_host_end_with_reader(status);
    sim_host_death_text(status, death, death_bytes);
    return SIM_HOST_APART_DIED;
}

enum sim_host_apart_end sim_host_apart(void (*act)(void *context, void *result), void *context,
                                       void *result, size_t bytes, char *death,
                                       size_t death_bytes) {
    size_t shared_bytes = sizeof(struct shared) + bytes;
    struct shared *shared =
        mmap(NULL, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
    enum sim_host_apart_end end = SIM_HOST_APART_REFUSED;
    char scratch[SIM_SCRATCH_BYTES];
    sigset_t before;
    pid_t process;
    SIM_ASSERT(shared != MAP_FAILED);
    memcpy(shared->result, result, bytes);
    (void)fflush(NULL);
    sim_symbolizer_share();
    sim_host_signal_block(&before);
    process = sim_host_scratch_make(scratch) ? fork() : -1;
    if (process == 0) {
        sim_host_scratch_take(scratch);
        apart(act, context, shared, &before);
    }
    if (process < 0) {
        (void)snprintf(death, death_bytes, "%s", strerror(errno));
    } else {
        sim_host_signal_pass_to(process);
    }
    SIM_ASSERT(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
    if (process > 0) {
        end = end_of(process, shared, result, bytes, scratch, death, death_bytes);
    }
    sim_host_scratch_remove(scratch);
    SIM_ASSERT(munmap(shared, shared_bytes) == 0);
    return end;
}
