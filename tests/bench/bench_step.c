/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stepping costs: a schedule point (there and back: two switches, the line-up, the choice)
 * with one CPU and with two, an interrupt with its DPC, an event's delivery, a wait with its wake,
 * and a reset with eight blocked tasks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sim/cpu.h>
#include <sim/event.h>
#include <sim/host.h>
#include <sim/run.h>

#define POINT_COUNT UINT64_C(5000000)
#define WAIT_COUNT UINT64_C(1000000)
#define RESET_COUNT UINT64_C(20000)
#define BLOCKED_COUNT 8

static struct sim_object node;
static struct sim_cpu *cpus[2];
static struct sim_event far_event;
static uint64_t points_left;

static void on_event(struct sim_world *world, struct sim_event *event) {
    (void)world;
    (void)event;
}

static struct sim_world *make_world(void) {
    const struct sim_config config = {.seed = 1};
    struct sim_world *world = sim_world_create(&config);
    SIM_ASSERT(world != NULL);
    memset(&node, 0, sizeof(node));
    sim_object_init(world, &node, NULL, "host", SIM_NAME_PLAIN);
    cpus[0] = sim_cpu_create(world, &node);
    cpus[1] = sim_cpu_create(world, &node);
    return world;
}

static void print_cost(const char *what, uint64_t ns, uint64_t count) {
    printf("%-48s %8" PRIu64 ".%02" PRIu64 " ns\n", what, ns / count, ns * 100 / count % 100);
}

static void pass_points(void *argument) {
    (void)argument;
    while (points_left != 0) {
        points_left--;
        sim_point(&node, SIM_ACCESS_WRITE, SIM_POINT_COST_NS);
    }
}

static void bench_points(const char *what, uint32_t cpu_count, bool with_event) {
    struct sim_world *world = make_world();
    points_left = POINT_COUNT;
    for (uint32_t i = 0; i < cpu_count; i++) {
        sim_task_create(cpus[i], &node, "task", pass_points, NULL, NULL);
    }
    if (with_event) {
        sim_event_init(&far_event, "far", &node, on_event);
        sim_event_schedule(world, &far_event, 1000 * SIM_NS_PER_S);
    }
    uint64_t start_ns = sim_host_cpu_ns();
    (void)sim_run(world, NULL, NULL, 900 * SIM_NS_PER_S);
    print_cost(what, sim_host_cpu_ns() - start_ns, sim_step_count(world));
    sim_world_destroy(world);
}

static struct sim_call interrupt, dpc;
static struct sim_task *waiter;

static void on_dpc(struct sim_call *call) {
    (void)call;
    (void)sim_task_wake(waiter, 0);
}

static void on_interrupt(struct sim_call *call) {
    (void)call;
    (void)sim_call_queue(cpus[1], SIM_LAYER_DPC, &dpc, false);
}

static void wait_for_dpc(void *argument) {
    (void)argument;
    while (points_left != 0) {
        points_left--;
        (void)sim_call_queue(cpus[1], SIM_LAYER_INTERRUPT, &interrupt, false);
        (void)sim_task_wait(&node, "bench", SIM_TIME_NEVER);
    }
}

static void bench_interrupts(void) {
    struct sim_world *world = make_world();
    points_left = WAIT_COUNT;
    memset(&interrupt, 0, sizeof(interrupt));
    memset(&dpc, 0, sizeof(dpc));
    interrupt.run = on_interrupt;
    interrupt.level = SIM_LEVEL_DEVICE;
    dpc.run = on_dpc;
    waiter = sim_task_create(cpus[0], &node, "task", wait_for_dpc, NULL, NULL);
    uint64_t start_ns = sim_host_cpu_ns();
    (void)sim_run(world, NULL, NULL, SIM_TIME_NEVER);
    print_cost("wait, interrupt, DPC, wake (3 steps)", sim_host_cpu_ns() - start_ns, WAIT_COUNT);
    sim_world_destroy(world);
}

static void wait_with_deadlines(void *argument) {
    struct sim_world *world = sim_task_world(sim_task_current());
    (void)argument;
    while (points_left != 0) {
        points_left--;
        (void)sim_task_wait(&node, "bench", sim_now_ns(world) + 1000);
    }
}

static void bench_deadlines(void) {
    struct sim_world *world = make_world();
    points_left = WAIT_COUNT;
    (void)sim_task_create(cpus[0], &node, "task", wait_with_deadlines, NULL, NULL);
    uint64_t start_ns = sim_host_cpu_ns();
    (void)sim_run(world, NULL, NULL, SIM_TIME_NEVER);
    print_cost("wait until a deadline (2 steps)", sim_host_cpu_ns() - start_ns, WAIT_COUNT);
    sim_world_destroy(world);
}

static void bench_reset(void) {
    struct sim_world *world = make_world();
    const struct sim_config config = {.seed = 1};
    points_left = UINT64_MAX;
    for (uint32_t i = 0; i < BLOCKED_COUNT; i++) {
        (void)sim_task_create(cpus[i % 2], &node, "task", wait_with_deadlines, NULL, NULL);
    }
    (void)sim_run(world, NULL, NULL, 10500);
    sim_world_snapshot(world);
    uint64_t start_ns = sim_host_cpu_ns();
    for (uint64_t i = 0; i < RESET_COUNT; i++) {
        (void)sim_run(world, NULL, NULL, 12500);
        sim_world_reset(world, &config);
    }
    print_cost("16 waits, reset with 8 blocked tasks", sim_host_cpu_ns() - start_ns, RESET_COUNT);
    sim_world_destroy(world);
}

int main(void) {
    bench_points("point, one CPU, nothing to choose", 1, false);
    bench_points("point, one CPU and an event", 1, true);
    bench_points("point, two CPUs", 2, false);
    bench_points("point, two CPUs and an event", 2, true);
    bench_interrupts();
    bench_deadlines();
    bench_reset();
    return 0;
}
