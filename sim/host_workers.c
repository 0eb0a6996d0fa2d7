/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worker processes: run numbers and their results. Numbers are handed out in ranges, of a few
 * milliseconds each, so that a fast run does not cost a wake-up of the parent; towards the end of a
 * round ranges get shorter, so that nobody waits long for the last. Results wait in a window until
 * all before them have come: the caller sees them in index order, whatever the number of workers.
 *
 *   round:  handing out -all handed out and delivered-> `round` of the caller -0-> over
 *                                                                            -n-> handing out
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "host_workers.h"

#define JOBS_MAX 256u
/* libuv aborts when it gets none for its signals. */
#define LOOP_DESCRIPTORS 12u
#define TICK_MS 50u
#define TICKS_PER_PROGRESS 10u
#define BUFFER_BYTES ((size_t)1024 * 1024)
#define BUFFER_RESULTS_MIN 8u

static const char *dead_worker_says = ""; /* within `result` */

/* ---- Numbers ---- */

bool sim_pool_has_numbers(const struct sim_pool *pool) {
    return !pool->has_stopped && (pool->again_count != 0 || pool->next < pool->round_end);
}

/* Runs in a grant: shorter ones when few are left. */
static uint64_t grant_runs(const struct sim_pool *pool) {
    uint64_t share = (pool->round_end - pool->next) / (2 * (uint64_t)pool->job_count);
    if (share == 0) {
        share = 1;
    }
    return share < pool->grant_runs ? share : pool->grant_runs;
}

bool sim_pool_take_range(struct sim_pool *pool, struct sim_range *range) {
    uint64_t room = SIM_POOL_WINDOW - (pool->next - pool->delivered);
    if (pool->has_stopped) {
        return false;
    }
    if (pool->again_count != 0) {
        size_t lowest = 0;
        for (size_t i = 1; i < pool->again_count; i++) {
            lowest = pool->again[i].first < pool->again[lowest].first ? i : lowest;
        }
        *range = pool->again[lowest];
        pool->again[lowest] = pool->again[--pool->again_count];
        return true;
    }
    if (pool->next == pool->round_end || room == 0) {
        return false;
    }
    range->first = pool->next;
    range->count = grant_runs(pool);
    range->count = range->count < room ? range->count : room;
    pool->next += range->count;
    return true;
}

void sim_pool_give_back(struct sim_pool *pool, struct sim_range range) {
    if (range.count != 0) {
        SIM_ASSERT(pool->again_count < (size_t)pool->job_count * (SIM_WORKER_GRANTS + 1));
        pool->again[pool->again_count++] = range;
    }
}

/* ---- Results ---- */

static struct sim_pool_result *result_of(struct sim_pool *pool, uint64_t number) {
    struct sim_pool_result *result = &pool->window[number % SIM_POOL_WINDOW];
    SIM_ASSERT(!result->has_come && number >= pool->delivered && number < pool->next);
    result->has_come = true;
    return result;
}

void sim_pool_take_results(struct sim_pool *pool, const struct sim_grant *grant,
                           const struct sim_worker_buffer *buffer) {
    size_t at = 0;
    SIM_ASSERT(buffer->done <= grant->range.count);
    for (uint32_t i = 0; i < buffer->done; i++) {
        const struct sim_worker_head *head =
            (const struct sim_worker_head *)(const void *)(buffer->bytes + at);
        struct sim_pool_result *result = result_of(pool, grant->range.first + i);
        SIM_ASSERT(head->bytes <= pool->workers->result_bytes);
        result->count = head->bytes;
        result->bytes = malloc(head->bytes + 1);
        SIM_ASSERT(result->bytes != NULL);
        memcpy(result->bytes, head + 1, head->bytes);
        at += sim_worker_whole(head->bytes);
    }
}

static char *text_copy(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    SIM_ASSERT(copy != NULL);
    memcpy(copy, text, bytes);
    return copy;
}

void sim_pool_take_death(struct sim_pool *pool, uint64_t number, const char *death,
                         const char *records) {
    struct sim_pool_result *result = result_of(pool, number);
    result->death = text_copy(death);
    result->records = text_copy(records);
}

void sim_pool_note_killed(struct sim_pool *pool, uint64_t number) {
    pool->workers->killed_count++;
    if (++pool->window[number % SIM_POOL_WINDOW].kills == SIM_WORKER_KILLS_MAX) {
        pool->workers->has_given_up = true;
        pool->workers->given_up = pool->workers->first + number;
        sim_pool_stop(pool);
    }
}

static void result_clear(struct sim_pool_result *result) {
    free(result->bytes);
    free(result->death);
    free(result->records);
    memset(result, 0, sizeof(*result));
}

/* True when the caller wants more. */
static bool deliver_next(struct sim_pool *pool) {
    struct sim_workers *workers = pool->workers;
    struct sim_pool_result *result = &pool->window[pool->delivered % SIM_POOL_WINDOW];
    dead_worker_says = result->records != NULL ? result->records : "";
    bool go_on = workers->result(workers->context, workers->first + pool->delivered, result->bytes,
                                 result->count, result->death);
    dead_worker_says = "";
    pool->came += result->death == NULL ? 1 : 0;
    pool->delivered++;
    result_clear(result);
    return go_on;
}

static void deliver(struct sim_pool *pool) {
    while (!pool->has_stopped && pool->delivered < pool->next &&
           pool->window[pool->delivered % SIM_POOL_WINDOW].has_come) {
        if (!deliver_next(pool)) {
            sim_pool_stop(pool);
        }
    }
}

/* When it ends early: whatever has come is given on, though some before it are missing. */
static void deliver_rest(struct sim_pool *pool) {
    while (pool->delivered < pool->next) {
        if (pool->window[pool->delivered % SIM_POOL_WINDOW].has_come) {
            (void)deliver_next(pool);
        } else {
            pool->delivered++;
        }
    }
}

/* ---- Rounds ---- */

/* The next round begins when the one before has been delivered whole. */
static void begin_round(struct sim_pool *pool) {
    struct sim_workers *workers = pool->workers;
    uint64_t left = workers->count - pool->delivered;
    const void *lesson = NULL;
    size_t bytes = 0;
    uint64_t count = left;
    if (workers->round != NULL && left != 0) {
        count = workers->round(workers->context, &lesson, &bytes);
        count = count < left ? count : left;
    }
    pool->round_end = pool->delivered + count;
    pool->is_over = count == 0;
    for (uint32_t i = 0; i < pool->job_count; i++) {
        if (count == 0) {
            sim_pool_worker_release(&pool->each[i]);
        } else if (workers->learn != NULL) {
            sim_pool_worker_teach(&pool->each[i], lesson, bytes);
        }
    }
}

static bool is_to_end(void) {
    return sim_host_interrupted() || sim_host_is_unread();
}

void sim_pool_go_on(struct sim_pool *pool) {
    if (is_to_end() && !pool->has_stopped) {
        sim_pool_stop(pool);
    }
    deliver(pool);
    if (!pool->has_stopped && !pool->is_over && pool->delivered == pool->round_end) {
        begin_round(pool);
    }
    for (uint32_t i = 0; i < pool->job_count; i++) {
        struct sim_pool_worker *worker = &pool->each[i];
        bool is_wanted = !worker->is_refused || pool->alive == 0;
        if (worker->process == 0 && is_wanted && sim_pool_has_numbers(pool)) {
            worker->is_refused = !sim_pool_worker_start(worker);
        }
        sim_pool_worker_feed(worker);
    }
}

static void note_unfinished(struct sim_pool *pool, const struct sim_pool_worker *worker) {
    const struct sim_grant *grant = &worker->grants[0];
    const struct sim_worker_buffer *buffer = worker->room.buffers[grant->buffer];
    uint64_t began_ns, taken_ns, done;
    if (worker->process == 0 || worker->grant_count == 0) {
        return;
    }
    done = __atomic_load_n(&buffer->done, __ATOMIC_ACQUIRE);
    began_ns = __atomic_load_n(&buffer->began_ns, __ATOMIC_RELAXED);
    taken_ns = sim_host_wall_ns() - began_ns;
    if (began_ns != 0 && done < grant->range.count && taken_ns > pool->workers->unfinished_ns) {
        pool->workers->unfinished_ns = taken_ns;
        pool->workers->unfinished = pool->workers->first + grant->range.first + done;
    }
}

void sim_pool_stop(struct sim_pool *pool) {
    pool->has_stopped = true;
    for (uint32_t i = 0; i < pool->job_count; i++) {
        note_unfinished(pool, &pool->each[i]);
        sim_pool_worker_release(&pool->each[i]);
        if (pool->each[i].process != 0) {
            (void)kill(pool->each[i].process, SIGKILL);
        }
    }
}

/* ---- Life of the pool ---- */

static struct sim_pool *volatile living; /* NULL: none */

void sim_host_workers_kill(void) {
    const struct sim_pool *pool = living;
    for (uint32_t i = 0; pool != NULL && i < pool->job_count; i++) {
        if (pool->each[i].process > 0) {
            (void)kill(pool->each[i].process, SIGKILL);
        }
    }
}

static void on_tick(uv_timer_t *timer) {
    struct sim_pool *pool = timer->data;
    struct sim_workers *workers = pool->workers;
    if (!pool->has_stopped && workers->is_late != NULL) {
        workers->was_late = workers->is_late(workers->context);
    }
    if ((is_to_end() || workers->was_late) && !pool->has_stopped) {
        sim_pool_stop(pool);
    }
    if (++pool->ticks % TICKS_PER_PROGRESS == 0 && workers->progress != NULL) {
        workers->progress(workers->context, pool->delivered);
    }
}

static uint32_t job_count_of(const struct sim_workers *workers) {
    uint32_t jobs = workers->jobs == 0 ? 1 : workers->jobs;
    jobs = jobs < JOBS_MAX ? jobs : JOBS_MAX;
    return jobs < workers->count ? jobs : (uint32_t)workers->count;
}

static void pool_init(struct sim_pool *pool, struct sim_workers *workers) {
    size_t least = BUFFER_RESULTS_MIN * sim_worker_whole(workers->result_bytes);
    memset(pool, 0, sizeof(*pool));
    pool->workers = workers;
    pool->job_count = job_count_of(workers);
    pool->grant_runs = 1;
    pool->buffer_bytes =
        sizeof(struct sim_worker_buffer) + (least > BUFFER_BYTES ? least : BUFFER_BYTES);
    pool->each = calloc(pool->job_count, sizeof(*pool->each));
    pool->again = calloc((size_t)pool->job_count * (SIM_WORKER_GRANTS + 1), sizeof(*pool->again));
    pool->window = calloc(SIM_POOL_WINDOW, sizeof(*pool->window));
    SIM_ASSERT(pool->each != NULL && pool->again != NULL && pool->window != NULL);
}

static void pool_deinit(struct sim_pool *pool) {
    for (uint32_t i = 0; i < SIM_POOL_WINDOW; i++) {
        result_clear(&pool->window[i]);
    }
    free(pool->window);
    free(pool->again);
    free(pool->each);
}

static void run_loop(struct sim_pool *pool) {
    pool->ticker.data = pool;
    SIM_ASSERT(uv_timer_init(&pool->loop, &pool->ticker) == 0);
    SIM_ASSERT(uv_timer_start(&pool->ticker, on_tick, TICK_MS, TICK_MS) == 0);
    /* The workers keep the loop alive; the ticker alone must not. */
    uv_unref((uv_handle_t *)&pool->ticker);
    for (uint32_t i = 0; i < pool->job_count; i++) {
        sim_pool_worker_init(&pool->each[i], pool, i);
    }
    sim_pool_go_on(pool);
    pool->workers->started = pool->alive;
    (void)uv_run(&pool->loop, UV_RUN_DEFAULT);
    pool->workers->has_starved = sim_pool_has_numbers(pool);
    if (is_to_end() || pool->workers->has_given_up || pool->workers->was_late) {
        deliver_rest(pool);
    }
    for (uint32_t i = 0; i < pool->job_count; i++) {
        sim_pool_worker_deinit(&pool->each[i]);
    }
    uv_close((uv_handle_t *)&pool->ticker, NULL);
    (void)uv_run(&pool->loop, UV_RUN_DEFAULT);
    SIM_ASSERT(uv_loop_close(&pool->loop) == 0);
}

uint64_t sim_host_workers_run(struct sim_workers *workers) {
    struct sigaction before;
    struct sim_pool pool;
    int lacking;
    workers->started = 0;
    workers->error = 0;
    workers->has_starved = false;
    workers->killed_count = 0;
    workers->has_given_up = false;
    workers->was_late = false;
    workers->unfinished_ns = 0;
    if (workers->count == 0) {
        return 0;
    }
    sim_host_signal_workers(&before);
    pool_init(&pool, workers);
    living = &pool;
    lacking = sim_pool_has_descriptors(LOOP_DESCRIPTORS) ? uv_loop_init(&pool.loop)
                                                         : uv_translate_sys_error(errno);
    if (lacking == 0) {
        run_loop(&pool);
    } else {
        workers->error = -lacking;
        workers->has_starved = true;
    }
    living = NULL;
    pool_deinit(&pool);
    SIM_ASSERT(sigaction(SIGPIPE, &before, NULL) == 0);
    return pool.came;
}

const char *sim_host_worker_records(void) {
    return dead_worker_says;
}
