/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worker processes. The parent hands out run numbers over a pipe and reads results from another;
 * each worker is forked before its process has any thread and never touches the parent's loop.
 *
 *   worker:  FREE -fork-> BUSY -end of its output-> (buried) -> FREE or replaced
 *
 * A worker answers its numbers in the order in which it got them, so that a death is the death of
 * the first that it has not answered; the ones behind it go back to be handed out again. A worker
 * whose process is spent (an accident was contained) says so with its last result and leaves.
 * Results wait in a window until all before them have come: the caller sees them in index order,
 * whatever the number of workers.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <uv.h>

#include "host_private.h"

#define WORKER_COUNT_MAX 256u
#define WINDOW_COUNT 4096u
#define ASSIGNED_COUNT 4u /* numbers a worker holds, so that it never waits for the parent */
#define TICK_MS 50u
#define TICKS_PER_PROGRESS 10u

struct result {
    bool has_come;
    void *bytes; /* malloc */
    size_t count;
    char *death;   /* malloc, NULL: it did not die */
    char *records; /* malloc */
};

struct pool;

struct worker {
    struct pool *pool;
    uint32_t number;
    pid_t process; /* 0: none */
    int commands;  /* written by the parent */
    bool is_leaving;
    uv_pipe_t output;
    uint64_t assigned[ASSIGNED_COUNT];
    uint32_t assigned_count;
    unsigned char *buffer; /* a head and result_bytes */
    size_t buffered;
    char *page; /* shared with the process */
};

struct pool {
    struct sim_workers *workers;
    struct worker *each;
    uint32_t job_count;
    uv_loop_t loop;
    uv_timer_t ticker;
    uint32_t ticks;
    uint64_t next;      /* next number never handed out, from 0 */
    uint64_t delivered; /* results given to the caller */
    uint64_t came;
    uint64_t *again; /* numbers to hand out again */
    size_t again_count;
    struct result *window; /* WINDOW_COUNT, by number modulo */
    bool has_stopped;
};

static const char *dead_worker_says = ""; /* within `result` */

/* ---- In the parent: handing out ---- */

static bool take_number(struct pool *pool, uint64_t *number) {
    if (pool->has_stopped) {
        return false;
    }
    if (pool->again_count != 0) {
        size_t lowest = 0;
        for (size_t i = 1; i < pool->again_count; i++) {
            lowest = pool->again[i] < pool->again[lowest] ? i : lowest;
        }
        *number = pool->again[lowest];
        pool->again[lowest] = pool->again[--pool->again_count];
        return true;
    }
    if (pool->next == pool->workers->count || pool->next - pool->delivered >= WINDOW_COUNT) {
        return false;
    }
    *number = pool->next++;
    return true;
}

static bool has_numbers(const struct pool *pool) {
    return !pool->has_stopped && (pool->again_count != 0 || pool->next < pool->workers->count);
}

static void feed(struct worker *worker) {
    uint64_t number;
    while (worker->process != 0 && !worker->is_leaving && worker->assigned_count < ASSIGNED_COUNT &&
           take_number(worker->pool, &number)) {
        worker->assigned[worker->assigned_count++] = number;
        /* Eight bytes always fit; a worker that is gone is noticed by the end of its output. */
        ssize_t done = write(worker->commands, &number, sizeof(number));
        (void)done;
    }
}

static void close_commands(struct worker *worker) {
    if (worker->commands >= 0) {
        (void)close(worker->commands);
        worker->commands = -1;
    }
}

static void stop(struct pool *pool) {
    pool->has_stopped = true;
    for (uint32_t i = 0; i < pool->job_count; i++) {
        close_commands(&pool->each[i]);
        if (pool->each[i].process != 0) {
            (void)kill(pool->each[i].process, SIGKILL);
        }
    }
}

/* Lets the workers go that can get nothing any more. */
static void feed_all(struct pool *pool) {
    for (uint32_t i = 0; i < pool->job_count; i++) {
        feed(&pool->each[i]);
    }
    if (pool->delivered == pool->workers->count) {
        for (uint32_t i = 0; i < pool->job_count; i++) {
            close_commands(&pool->each[i]);
        }
    }
}

/* ---- In the parent: results ---- */

static void result_clear(struct result *result) {
    free(result->bytes);
    free(result->death);
    free(result->records);
    memset(result, 0, sizeof(*result));
}

static void deliver(struct pool *pool) {
    struct sim_workers *workers = pool->workers;
    while (!pool->has_stopped && pool->delivered < workers->count) {
        struct result *result = &pool->window[pool->delivered % WINDOW_COUNT];
        if (!result->has_come) {
            return;
        }
        dead_worker_says = result->records != NULL ? result->records : "";
        bool go_on = workers->result(workers->context, workers->first + pool->delivered,
                                     result->bytes, result->count, result->death);
        dead_worker_says = "";
        pool->came += result->death == NULL ? 1 : 0;
        pool->delivered++;
        result_clear(result);
        if (!go_on) {
            stop(pool);
        }
    }
}

static char *text_copy(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    SIM_ASSERT(copy != NULL);
    memcpy(copy, text, bytes);
    return copy;
}

static void answered(struct worker *worker) {
    SIM_ASSERT(worker->assigned_count != 0);
    worker->assigned_count--;
    memmove(worker->assigned, worker->assigned + 1,
            worker->assigned_count * sizeof(worker->assigned[0]));
}

/* Takes whole results out of the buffer. */
static void take_results(struct worker *worker) {
    struct pool *pool = worker->pool;
    struct sim_worker_head head;
    while (worker->buffered >= sizeof(head)) {
        memcpy(&head, worker->buffer, sizeof(head));
        size_t whole = sizeof(head) + head.bytes;
        if (worker->buffered < whole) {
            break;
        }
        struct result *result = &pool->window[head.index % WINDOW_COUNT];
        SIM_ASSERT(worker->assigned_count != 0 && head.index == worker->assigned[0]);
        result->has_come = true;
        result->count = head.bytes;
        result->bytes = malloc(head.bytes + 1);
        SIM_ASSERT(result->bytes != NULL);
        memcpy(result->bytes, worker->buffer + sizeof(head), head.bytes);
        worker->is_leaving = worker->is_leaving || head.is_last != 0;
        answered(worker);
        worker->buffered -= whole;
        memmove(worker->buffer, worker->buffer + whole, worker->buffered);
    }
    deliver(pool);
    feed_all(pool);
}

/* ---- In the parent: life and death ---- */

static void worker_start(struct worker *worker);

void sim_host_death_text(int status, char *text, size_t size) {
    if (WIFSIGNALED(status)) {
        int signal = WTERMSIG(status);
        (void)snprintf(text, size, "signal %d (%s)", signal, sim_host_signal_name(signal));
    } else {
        (void)snprintf(text, size, "exit %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
}

static void bury(struct worker *worker) {
    struct pool *pool = worker->pool;
    char death[64];
    int status = 0;
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) {
    }
    worker->process = 0;
    worker->buffered = 0;
    close_commands(worker);
    if (!pool->has_stopped && !worker->is_leaving && worker->assigned_count != 0) {
        struct result *result = &pool->window[worker->assigned[0] % WINDOW_COUNT];
        sim_host_death_text(status, death, sizeof(death));
        worker->page[SIM_WORKER_PAGE_BYTES - 1] = '\0';
        result->has_come = true;
        result->death = text_copy(death);
        result->records = text_copy(worker->page);
        answered(worker);
    }
    for (uint32_t i = 0; i < worker->assigned_count; i++) {
        pool->again[pool->again_count++] = worker->assigned[i];
    }
    worker->assigned_count = 0;
    deliver(pool);
    if (has_numbers(pool)) {
        worker_start(worker);
    }
    feed_all(pool);
}

static void on_closed(uv_handle_t *handle) {
    bury(handle->data);
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *room) {
    struct worker *worker = handle->data;
    size_t size = sizeof(struct sim_worker_head) + worker->pool->workers->result_bytes;
    (void)suggested;
    room->base = (char *)worker->buffer + worker->buffered;
    room->len = size - worker->buffered;
}

static void on_output(uv_stream_t *stream, ssize_t count, const uv_buf_t *room) {
    struct worker *worker = stream->data;
    (void)room;
    if (count < 0) {
        uv_close((uv_handle_t *)stream, on_closed);
    } else if (count > 0) {
        worker->buffered += (size_t)count;
        take_results(worker);
    }
}

static void worker_start(struct worker *worker) {
    struct pool *pool = worker->pool;
    int commands[2], output[2];
    SIM_ASSERT(pipe(commands) == 0 && pipe(output) == 0);
    worker->is_leaving = false;
    worker->page[0] = '\0';
    (void)fflush(NULL);
    worker->process = fork();
    SIM_ASSERT(worker->process >= 0);
    if (worker->process == 0) {
        /* The others' pipes: a worker must see the end of its own when the parent is gone. */
        for (uint32_t i = 0; i < pool->job_count; i++) {
            if (pool->each[i].commands >= 0) {
                (void)close(pool->each[i].commands);
            }
        }
        (void)close(commands[1]);
        (void)close(output[0]);
        sim_host_worker_main(pool->workers, worker->number, commands[0], output[1], worker->page);
    }
    (void)close(commands[0]);
    (void)close(output[1]);
    worker->commands = commands[1];
    SIM_ASSERT(uv_pipe_init(&pool->loop, &worker->output, 0) == 0);
    worker->output.data = worker;
    SIM_ASSERT(uv_pipe_open(&worker->output, output[0]) == 0);
    SIM_ASSERT(uv_read_start((uv_stream_t *)&worker->output, on_room, on_output) == 0);
    feed(worker);
}

static void on_tick(uv_timer_t *timer) {
    struct pool *pool = timer->data;
    if (sim_host_interrupted() && !pool->has_stopped) {
        stop(pool);
    }
    if (++pool->ticks % TICKS_PER_PROGRESS == 0 && pool->workers->progress != NULL) {
        pool->workers->progress(pool->workers->context, pool->delivered);
    }
}

static void pool_open(struct pool *pool, struct sim_workers *workers) {
    size_t buffer_bytes = sizeof(struct sim_worker_head) + workers->result_bytes;
    memset(pool, 0, sizeof(*pool));
    pool->workers = workers;
    pool->job_count = workers->jobs == 0 ? 1 : workers->jobs;
    if (pool->job_count > WORKER_COUNT_MAX) {
        pool->job_count = WORKER_COUNT_MAX;
    }
    if (pool->job_count > workers->count) {
        pool->job_count = workers->count == 0 ? 1 : (uint32_t)workers->count;
    }
    pool->each = calloc(pool->job_count, sizeof(*pool->each));
    pool->again = calloc((size_t)pool->job_count * ASSIGNED_COUNT, sizeof(*pool->again));
    pool->window = calloc(WINDOW_COUNT, sizeof(*pool->window));
    SIM_ASSERT(pool->each != NULL && pool->again != NULL && pool->window != NULL);
    SIM_ASSERT(uv_loop_init(&pool->loop) == 0);
    SIM_ASSERT(uv_timer_init(&pool->loop, &pool->ticker) == 0);
    pool->ticker.data = pool;
    SIM_ASSERT(uv_timer_start(&pool->ticker, on_tick, TICK_MS, TICK_MS) == 0);
    /* The workers keep the loop alive; the ticker alone must not. */
    uv_unref((uv_handle_t *)&pool->ticker);
    for (uint32_t i = 0; i < pool->job_count; i++) {
        struct worker *worker = &pool->each[i];
        worker->pool = pool;
        worker->number = i;
        worker->commands = -1;
        worker->buffer = malloc(buffer_bytes);
        worker->page =
            mmap(NULL, SIM_WORKER_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
        SIM_ASSERT(worker->buffer != NULL && worker->page != MAP_FAILED);
    }
}

static void pool_close(struct pool *pool) {
    uv_close((uv_handle_t *)&pool->ticker, NULL);
    (void)uv_run(&pool->loop, UV_RUN_DEFAULT);
    SIM_ASSERT(uv_loop_close(&pool->loop) == 0);
    for (uint32_t i = 0; i < pool->job_count; i++) {
        free(pool->each[i].buffer);
        (void)munmap(pool->each[i].page, SIM_WORKER_PAGE_BYTES);
    }
    for (uint32_t i = 0; i < WINDOW_COUNT; i++) {
        result_clear(&pool->window[i]);
    }
    free(pool->window);
    free(pool->again);
    free(pool->each);
}

uint64_t sim_host_workers_run(struct sim_workers *workers) {
    struct sigaction ignore, before;
    struct pool pool;
    if (workers->count == 0) {
        return 0;
    }
    memset(&ignore, 0, sizeof(ignore));
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    SIM_ASSERT(sigaction(SIGPIPE, &ignore, &before) == 0);
    pool_open(&pool, workers);
    for (uint32_t i = 0; i < pool.job_count; i++) {
        worker_start(&pool.each[i]);
    }
    (void)uv_run(&pool.loop, UV_RUN_DEFAULT);
    pool_close(&pool);
    SIM_ASSERT(sigaction(SIGPIPE, &before, NULL) == 0);
    return pool.came;
}

const char *sim_host_worker_records(void) {
    return dead_worker_says;
}
