/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent's side of worker processes, between its two files:
 *
 *   host_workers.c          run numbers, results in their order, rounds
 *   host_workers_process.c  the processes: start, commands, reports, death
 */
#ifndef SIM_HOST_WORKERS_H
#define SIM_HOST_WORKERS_H

#include <uv.h>

#include "host_private.h"

#define SIM_POOL_WINDOW 4096u

/* Run numbers, counted from 0. */
struct sim_range {
    uint64_t first;
    uint64_t count;
};

struct sim_grant {
    struct sim_range range;
    uint32_t buffer;
};

struct sim_pool;

struct sim_pool_worker {
    struct sim_pool *pool;
    uint32_t number;
    pid_t process; /* 0: none */
    int commands;  /* written by the parent; -1: closed */
    bool is_leaving;
    bool is_refused; /* the machine had no room for its process */
    uv_pipe_t reports;
    struct sim_worker_report report; /* as it comes */
    size_t reported;                 /* bytes of it */
    struct sim_grant grants[SIM_WORKER_GRANTS];
    uint32_t grant_count;
    struct sim_worker_room room;
    char scratch[SIM_SCRATCH_BYTES];
};

struct sim_pool_result {
    bool has_come;
    uint32_t kills; /* of workers, with this run */
    void *bytes;    /* malloc */
    size_t count;
    char *death;   /* malloc, NULL: it did not die */
    char *records; /* malloc */
};

struct sim_pool {
    struct sim_workers *workers;
    struct sim_pool_worker *each;
    uint32_t job_count;
    uint32_t alive;
    size_t buffer_bytes; /* of one buffer, with its head */
    uv_loop_t loop;
    uv_timer_t ticker;
    uint32_t ticks;
    uint64_t next;      /* next number never handed out */
    uint64_t round_end; /* numbers below may be handed out */
    uint64_t delivered; /* results given to the caller */
    uint64_t came;
    uint32_t grant_runs;     /* runs that take about SIM_WORKER_GRANT_NS */
    struct sim_range *again; /* to be handed out again; room for all grants and a rest of each */
    size_t again_count;
    struct sim_pool_result *window; /* SIM_POOL_WINDOW, by number modulo */
    bool is_over;                   /* there are no more rounds */
    bool has_stopped;
};

/* host_workers.c */
bool sim_pool_has_numbers(const struct sim_pool *pool);
bool sim_pool_take_range(struct sim_pool *pool, struct sim_range *range);
void sim_pool_give_back(struct sim_pool *pool, struct sim_range range);
/* The results that a grant's buffer holds. */
void sim_pool_take_results(struct sim_pool *pool, const struct sim_grant *grant,
                           const struct sim_worker_buffer *buffer);
void sim_pool_take_death(struct sim_pool *pool, uint64_t number, const char *death,
                         const char *records);
/* A worker was killed with this run, which is done again, or all is given up. */
void sim_pool_note_killed(struct sim_pool *pool, uint64_t number);
/* Gives results on, begins rounds, starts workers, hands out numbers, lets workers go. */
void sim_pool_go_on(struct sim_pool *pool);
void sim_pool_stop(struct sim_pool *pool);

/* host_workers_process.c */
/* Whether so many descriptors, up to 32, are free; else errno says why not. */
bool sim_pool_has_descriptors(uint32_t count);
void sim_pool_worker_init(struct sim_pool_worker *worker, struct sim_pool *pool, uint32_t number);
void sim_pool_worker_deinit(struct sim_pool_worker *worker);
/* False when the machine has no room for it; see `error` of struct sim_workers. */
bool sim_pool_worker_start(struct sim_pool_worker *worker);
void sim_pool_worker_feed(struct sim_pool_worker *worker);
void sim_pool_worker_teach(struct sim_pool_worker *worker, const void *lesson, size_t bytes);
/* It leaves when it has nothing more to do. */
void sim_pool_worker_release(struct sim_pool_worker *worker);

#endif
