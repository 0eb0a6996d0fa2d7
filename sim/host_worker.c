/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker's side of host_workers.c: a plain loop over commands, and the last words of a process
 * that dies: the text of its last records, on a page that the parent can read.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sim/run.h>
#include <sim/trace.h>

#include "host_private.h"
#include "switch.h"

#if SIM_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

#define LAST_RECORD_COUNT 200u

static char *own_page; /* NULL: this process is no worker */

/* Where this process ends early: in an abort, a failed assertion, a sanitizer's report. */
void sim_host_last_words(void) {
    struct sim_world *world = sim_world_active();
    size_t used = 0;
    if (own_page == NULL || world == NULL) {
        return;
    }
    for (uint32_t i = LAST_RECORD_COUNT; i-- > 0;) {
        const struct sim_record *record = sim_trace_last(world, i);
        char line[256];
        if (record == NULL) {
            continue;
        }
        int length = snprintf(own_page + used, SIM_WORKER_PAGE_BYTES - used, "%s\n",
                              sim_record_format(world, record, line, sizeof(line)));
        if (length < 0 || (size_t)length >= SIM_WORKER_PAGE_BYTES - used) {
            break;
        }
        used += (size_t)length;
    }
    own_page[used] = '\0';
}

#if SIM_ASAN
static void on_death(void) {
    sim_host_contain_asan();
    sim_host_last_words();
}
#endif

static void on_abort(int signal) {
    (void)signal;
    sim_host_last_words();
}

bool sim_host_is_worker(void) {
    return own_page != NULL;
}

static void write_all(int file, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count != 0) {
        ssize_t done = write(file, at, count);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            _exit(1);
        }
        at += done;
        count -= (size_t)done;
    }
}

/* False at the end of the commands: the parent has no more, or is gone. */
static bool read_all(int file, void *bytes, size_t count) {
    size_t used = 0;
    while (used < count) {
        ssize_t got = read(file, (char *)bytes + used, count - used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        used += (size_t)got;
    }
    return true;
}

static void worker_signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_DFL;
    (void)sigaction(SIGPIPE, &action, NULL);
    /* Terminals and supervisors send them to everybody; the parent decides. */
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGHUP, &action, NULL);
    action.sa_handler = on_abort;
    action.sa_flags = (int)SA_RESETHAND;
    (void)sigaction(SIGABRT, &action, NULL);
#if SIM_ASAN
    __sanitizer_set_death_callback(on_death);
#endif
}

static bool learn(struct sim_workers *workers, int commands, size_t bytes) {
    void *lesson = malloc(bytes + 1);
    SIM_ASSERT(lesson != NULL);
    bool is_whole = read_all(commands, lesson, bytes);
    if (is_whole) {
        workers->learn(workers->context, lesson, bytes);
    }
    free(lesson);
    return is_whole;
}

static void run_one(struct sim_workers *workers, uint64_t index, struct sim_worker_buffer *buffer) {
    struct sim_worker_head *head = (struct sim_worker_head *)(void *)(buffer->bytes + buffer->used);
    own_page[0] = '\0';
    head->bytes = workers->run(workers->context, workers->first + index, head + 1);
    SIM_ASSERT(head->bytes <= workers->result_bytes);
    buffer->used += sim_worker_whole(head->bytes);
    /* Last: what is counted is whole, whenever the process is killed. */
    __atomic_store_n(&buffer->done, buffer->done + 1, __ATOMIC_RELEASE);
}

/* False when the process takes no further run. */
static bool run_grant(struct sim_workers *workers, const struct sim_worker_room *room,
                      const struct sim_worker_command *command) {
    struct sim_worker_buffer *buffer = room->buffers[command->buffer];
    size_t most = sim_worker_whole(workers->result_bytes);
    uint64_t start_ns = sim_host_wall_ns();
    struct sim_worker_report report = {.done = 0};
    while (buffer->done < command->count && report.is_last == 0 &&
           report.spent_ns < 4 * SIM_WORKER_GRANT_NS && room->buffer_bytes - buffer->used >= most) {
        __atomic_store_n(&buffer->began_ns, start_ns + report.spent_ns, __ATOMIC_RELAXED);
        run_one(workers, command->first + buffer->done, buffer);
        report.is_last = sim_host_is_spent() ? 1 : 0;
        report.spent_ns = sim_host_wall_ns() - start_ns;
    }
    report.done = buffer->done;
    write_all(room->reports, &report, sizeof(report));
    return report.is_last == 0;
}

void sim_host_worker_main(struct sim_workers *workers, uint32_t number,
                          const struct sim_worker_room *room) {
    struct sim_worker_command command;
    bool goes_on = true;
    own_page = room->page;
    sim_assert_hook_set(sim_host_last_words);
    worker_signals();
    SIM_ASSERT(sigprocmask(SIG_SETMASK, &room->mask, NULL) == 0);
    sim_host_scratch_take(room->scratch);
    if (workers->prepare != NULL) {
        workers->prepare(workers->context, number);
    }
    while (goes_on && read_all(room->commands, &command, sizeof(command))) {
        goes_on = command.count != 0 ? run_grant(workers, room, &command)
                                     : learn(workers, room->commands, command.bytes);
    }
    (void)fflush(NULL);
    sim_finish();
    sim_leave();
    _exit(0);
}
