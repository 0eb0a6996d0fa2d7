/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker's process, as its parent sees it. It is forked before its process has any thread and
 * never touches the parent's loop.
 *
 *   FREE -start-> BUSY -end of its reports-> (buried) -> FREE, or started anew
 *
 * A worker takes its grants in the order in which it got them, so that a death is the death of the
 * first run that its current buffer does not hold; what lies behind it goes to somebody else. A
 * worker whose process is spent (an accident was contained) says so with its last report and
 * leaves.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_workers.h"

#define GRANT_RUNS_MAX 256u

/* A worker inherits what is open, has two pipes, and opens modules and records. */
#define WORKER_DESCRIPTORS 12u

bool sim_pool_has_descriptors(uint32_t count) {
    int files[32], error;
    uint32_t opened = 0;
    SIM_ASSERT(count <= SIM_ARRAY_COUNT(files));
    while (opened < count && (files[opened] = open("/dev/null", O_RDONLY)) >= 0) {
        opened++;
    }
    error = errno;
    for (uint32_t i = 0; i < opened; i++) {
        (void)close(files[i]);
    }
    errno = error;
    return opened == count;
}

static bool lacks(struct sim_pool *pool, int error) {
    pool->workers->error = error;
    return false;
}

static bool share(void **memory, size_t bytes) {
    if (*memory == NULL) {
        *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
    }
    if (*memory == MAP_FAILED) {
        *memory = NULL;
    }
    return *memory != NULL;
}

void sim_pool_worker_init(struct sim_pool_worker *worker, struct sim_pool *pool, uint32_t number) {
    worker->pool = pool;
    worker->number = number;
    worker->commands = -1;
}

/* What the process shares with this one, unless it is there already. */
static bool make_room(struct sim_pool_worker *worker) {
    struct sim_pool *pool = worker->pool;
    struct sim_worker_room *room = &worker->room;
    void *page = room->page;
    bool is_whole = share(&page, SIM_WORKER_PAGE_BYTES);
    room->page = page;
    room->buffer_bytes = pool->buffer_bytes - sizeof(struct sim_worker_buffer);
    for (uint32_t i = 0; i < SIM_WORKER_GRANTS && is_whole; i++) {
        void *buffer = room->buffers[i];
        is_whole = share(&buffer, pool->buffer_bytes);
        room->buffers[i] = buffer;
    }
    return is_whole || lacks(pool, errno);
}

void sim_pool_worker_deinit(struct sim_pool_worker *worker) {
    for (uint32_t i = 0; i < SIM_WORKER_GRANTS; i++) {
        if (worker->room.buffers[i] != NULL) {
            (void)munmap(worker->room.buffers[i], worker->pool->buffer_bytes);
        }
    }
    if (worker->room.page != NULL) {
        (void)munmap(worker->room.page, SIM_WORKER_PAGE_BYTES);
    }
    memset(&worker->room, 0, sizeof(worker->room));
}

/* ---- Commands ---- */

/* A worker that is gone is noticed by the end of its reports. */
static void command(const struct sim_pool_worker *worker, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count != 0) {
        ssize_t done = write(worker->commands, at, count);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return;
        }
        at += done;
        count -= (size_t)done;
    }
}

static bool takes_commands(const struct sim_pool_worker *worker) {
    return worker->process != 0 && worker->commands >= 0 && !worker->is_leaving;
}

/* The buffer that no grant has. */
static uint32_t free_buffer(const struct sim_pool_worker *worker) {
    return worker->grant_count != 0 && worker->grants[0].buffer == 0 ? 1 : 0;
}

void sim_pool_worker_feed(struct sim_pool_worker *worker) {
    struct sim_range range;
    while (takes_commands(worker) && worker->grant_count < SIM_WORKER_GRANTS &&
           sim_pool_take_range(worker->pool, &range)) {
        struct sim_grant grant = {range, free_buffer(worker)};
        struct sim_worker_command words = {
            .first = range.first, .count = (uint32_t)range.count, .buffer = grant.buffer};
        worker->room.buffers[grant.buffer]->used = 0;
        worker->room.buffers[grant.buffer]->began_ns = 0;
        worker->room.buffers[grant.buffer]->done = 0;
        worker->grants[worker->grant_count++] = grant;
        command(worker, &words, sizeof(words));
    }
}

void sim_pool_worker_teach(struct sim_pool_worker *worker, const void *lesson, size_t bytes) {
    struct sim_worker_command words = {.bytes = bytes};
    if (takes_commands(worker)) {
        command(worker, &words, sizeof(words));
        command(worker, lesson, bytes);
    }
}

void sim_pool_worker_release(struct sim_pool_worker *worker) {
    if (worker->commands >= 0) {
        (void)close(worker->commands);
        worker->commands = -1;
    }
}

/* ---- Reports ---- */

static void grant_over(struct sim_pool_worker *worker) {
    SIM_ASSERT(worker->grant_count != 0);
    worker->grant_count--;
    memmove(worker->grants, worker->grants + 1, worker->grant_count * sizeof(worker->grants[0]));
}

/* What came of the worker's first grant; the first `skipped` runs that it has not done are settled.
 */
static void take_grant(struct sim_pool_worker *worker, uint64_t skipped) {
    struct sim_pool *pool = worker->pool;
    const struct sim_grant *grant = &worker->grants[0];
    const struct sim_worker_buffer *buffer = worker->room.buffers[grant->buffer];
    uint64_t settled = buffer->done + skipped;
    sim_pool_take_results(pool, grant, buffer);
    sim_pool_give_back(
        pool, (struct sim_range){grant->range.first + settled, grant->range.count - settled});
    grant_over(worker);
}

/* How many runs a grant shall have; it follows the last one half way. */
static void measure(struct sim_pool *pool, const struct sim_worker_report *report) {
    uint64_t runs;
    if (report->done == 0) {
        return;
    }
    runs = SIM_WORKER_GRANT_NS * report->done / (report->spent_ns + 1);
    runs = runs < GRANT_RUNS_MAX ? runs : GRANT_RUNS_MAX;
    pool->grant_runs = (uint32_t)((pool->grant_runs + runs + 1) / 2);
    pool->grant_runs = pool->grant_runs == 0 ? 1 : pool->grant_runs;
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *room) {
    struct sim_pool_worker *worker = handle->data;
    (void)suggested;
    room->base = (char *)&worker->report + worker->reported;
    room->len = sizeof(worker->report) - worker->reported;
}

static void bury(uv_handle_t *handle);

static void on_report(uv_stream_t *stream, ssize_t count, const uv_buf_t *room) {
    struct sim_pool_worker *worker = stream->data;
    (void)room;
    if (count < 0) {
        uv_close((uv_handle_t *)stream, bury);
        return;
    }
    worker->reported += (size_t)count;
    if (worker->reported < sizeof(worker->report)) {
        return;
    }
    worker->reported = 0;
    worker->is_leaving = worker->is_leaving || worker->report.is_last != 0;
    measure(worker->pool, &worker->report);
    take_grant(worker, 0);
    sim_pool_go_on(worker->pool);
}

/* ---- Death and birth ---- */

void sim_host_death_text(int status, char *text, size_t size) {
    if (WIFSIGNALED(status)) {
        int signal = WTERMSIG(status);
        (void)snprintf(text, size, "signal %d (%s)", signal, sim_host_signal_name(signal));
    } else {
        (void)snprintf(text, size, "exit %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
}

void sim_host_end_with_reader(int status) {
    struct sigaction action;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGPIPE) {
        return;
    }
    sim_leave();
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_DFL;
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)raise(SIGPIPE);
}

/*
 * The run that a worker died with. Nothing in a run kills with SIGKILL: that came from outside, and
 * says nothing of the run.
 */
static void take_death(struct sim_pool_worker *worker, int status) {
    struct sim_pool *pool = worker->pool;
    const struct sim_grant *grant = &worker->grants[0];
    uint64_t number = grant->range.first + worker->room.buffers[grant->buffer]->done;
    char death[64];
    if (number == grant->range.first + grant->range.count) {
        take_grant(worker, 0); /* it died between its last run and its report */
        return;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        take_grant(worker, 0);
        sim_pool_note_killed(pool, number);
        return;
    }
    sim_host_end_with_reader(status);
    sim_host_death_text(status, death, sizeof(death));
    worker->room.page[SIM_WORKER_PAGE_BYTES - 1] = '\0';
    take_grant(worker, 1);
    sim_pool_take_death(pool, number, death, worker->room.page);
}

static void bury(uv_handle_t *handle) {
    struct sim_pool_worker *worker = handle->data;
    struct sim_pool *pool = worker->pool;
    int status = 0;
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) {
    }
    worker->process = 0;
    pool->alive--;
    sim_host_scratch_remove(worker->scratch);
    sim_pool_worker_release(worker);
    if (!pool->has_stopped && !worker->is_leaving && worker->grant_count != 0) {
        take_death(worker, status);
    }
    while (worker->grant_count != 0) {
        take_grant(worker, 0);
    }
    sim_pool_go_on(pool);
}

/* In the new process: the others' pipes are not ours, or their ends would not be seen. */
SIM_NORETURN static void be_worker(struct sim_pool_worker *worker, const int commands[2],
                                   const int reports[2], const sigset_t *mask) {
    struct sim_pool *pool = worker->pool;
    struct sim_worker_room room = worker->room;
    for (uint32_t i = 0; i < pool->job_count; i++) {
        sim_pool_worker_release(&pool->each[i]);
    }
    (void)close(commands[1]);
    (void)close(reports[0]);
    room.commands = commands[0];
    room.scratch = worker->scratch;
    room.reports = reports[1];
    room.mask = *mask;
    sim_host_worker_main(pool->workers, worker->number, &room);
}

static void close_both(const int ends[2]) {
    (void)close(ends[0]);
    (void)close(ends[1]);
}

bool sim_pool_worker_start(struct sim_pool_worker *worker) {
    struct sim_pool *pool = worker->pool;
    int commands[2], reports[2];
    sigset_t before;
    if (!make_room(worker)) {
        return false;
    }
    if (!sim_pool_has_descriptors(WORKER_DESCRIPTORS) || !sim_host_scratch_make(worker->scratch)) {
        return lacks(pool, errno);
    }
    SIM_ASSERT(pipe(commands) == 0 && pipe(reports) == 0);
    worker->is_leaving = false;
    worker->reported = 0;
    worker->room.page[0] = '\0';
    (void)fflush(NULL);
    sim_symbolizer_share();
    /* Until it ignores them, they would make the worker take itself for interrupted. */
    sim_host_signal_block(&before);
    worker->process = fork();
    if (worker->process == 0) {
        be_worker(worker, commands, reports, &before);
    }
    SIM_ASSERT(sigprocmask(SIG_SETMASK, &before, NULL) == 0);
    if (worker->process < 0) {
        worker->process = 0;
        (void)lacks(pool, errno);
        sim_host_scratch_remove(worker->scratch);
        close_both(reports);
        close_both(commands);
        return false;
    }
    pool->alive++;
    (void)close(commands[0]);
    (void)close(reports[1]);
    worker->commands = commands[1];
    SIM_ASSERT(uv_pipe_init(&pool->loop, &worker->reports, 0) == 0);
    worker->reports.data = worker;
    SIM_ASSERT(uv_pipe_open(&worker->reports, reports[0]) == 0);
    SIM_ASSERT(uv_read_start((uv_stream_t *)&worker->reports, on_room, on_report) == 0);
    return true;
}
