/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests whose subject ends or spoils the process run in a child of their own, with a world of one
 * node and one CPU. There a check that fails ends the child with a code that the parent shows.
 */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <sim/cpu.h>
#include <sim/host.h>
#include <sim/run.h>

#define CHECK(expression) ((expression) ? (void)0 : check_failed(#expression, __LINE__))

static inline void check_failed(const char *expression, int line) {
    fprintf(stderr, "line %d: %s does not hold\n", line, expression);
    _exit(99);
}

static struct sim_object node;
static struct sim_cpu *cpu;

static inline struct sim_world *make_world(void) {
    const struct sim_config config = {.seed = 1};
    struct sim_world *world = sim_world_create(&config);
    memset(&node, 0, sizeof(node));
    sim_object_init(world, &node, NULL, "host", SIM_NAME_PLAIN);
    cpu = sim_cpu_create(world, &node);
    return world;
}

static inline enum sim_run_end run_task(struct sim_world *world, void (*entry)(void *argument)) {
    (void)sim_task_create(cpu, &node, "task", entry, NULL, NULL);
    return sim_run(world, NULL, NULL, SIM_TIME_NEVER);
}

/* The exit code of a child that runs `body`, 1000 + signal if one killed it. */
static inline int run_in_child(void (*body)(void), bool quiet) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (quiet) {
            (void)freopen("/dev/null", "w", stderr);
        }
        body();
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

#define assert_child_succeeds(body) assert_int_equal(run_in_child(body, false), 0)
#define assert_child_asserts(body) assert_int_equal(run_in_child(body, true), SIM_VERDICT_INTERNAL)

#endif
