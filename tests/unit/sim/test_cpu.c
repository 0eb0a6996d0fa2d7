/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPUs: which layer runs at which level, who preempts whom and where, queued calls.
 */
#include <sim/event.h>

#include "node.h"

static struct sim_call calls[4];

/* Notes its name, passes a point, notes it again. */
static void run_call(struct sim_call *call) {
    note(call->label[0]);
    pass();
    note(call->label[0]);
}

static struct sim_call *call_named(int index, const char *name, uint8_t level) {
    struct sim_call *call = &calls[index];
    memset(call, 0, sizeof(*call));
    call->run = run_call;
    call->label = name;
    call->level = level;
    call->subject = &node;
    return call;
}

static void queue_interrupt(struct sim_call *call) {
    assert_true(sim_call_queue(own_cpu(), SIM_LAYER_INTERRUPT, call, false));
}

static void queue_dpc(struct sim_call *call) {
    assert_true(sim_call_queue(own_cpu(), SIM_LAYER_DPC, call, false));
}

/* ---- The matrix ---- */

struct matrix_case {
    uint8_t level;      /* of the thread that queues */
    uint8_t call_level; /* 0: a DPC */
    bool runs_at_point; /* while the thread is at that level */
};

static const struct matrix_case *matrix_case;

static void queue_at_level(void *argument) {
    struct sim_cpu *cpu = own_cpu();
    (void)argument;
    sim_cpu_raise(cpu, matrix_case->level);
    assert_int_equal(sim_cpu_level(cpu), matrix_case->level);
    struct sim_call *call = call_named(0, "c", matrix_case->call_level);
    if (matrix_case->call_level == 0) {
        queue_dpc(call);
    } else {
        queue_interrupt(call);
    }
    pass();
    note('1');
    pass();
    note('2');
    sim_cpu_lower(cpu, SIM_LEVEL_PASSIVE);
    note('3');
}

static void a_call_runs_when_the_level_lets_it_in(void **state) {
    static const uint8_t levels[] = {SIM_LEVEL_PASSIVE, SIM_LEVEL_APC, SIM_LEVEL_DISPATCH, 3, 5, 11,
                                     SIM_LEVEL_HIGH};
    static const uint8_t call_levels[] = {0, 3, 5, 11};
    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(levels); i++) {
        for (size_t k = 0; k < SIM_ARRAY_COUNT(call_levels); k++) {
            const struct sim_config config = {.seed = 1};
            struct sim_world *world = sim_world_create(&config);
            uint8_t needed = call_levels[k] == 0 ? SIM_LEVEL_DISPATCH : call_levels[k];
            struct matrix_case row = {levels[i], call_levels[k], levels[i] < needed};
            matrix_case = &row;
            make_node(world);
            start(cpus[0], queue_at_level, NULL);
            assert_int_equal(run_all(world), SIM_RUN_IDLE);
            assert_string_equal(done, row.runs_at_point ? "cc123" : "12cc3");
            sim_world_destroy(world);
        }
    }
}

/* ---- Layers ---- */

static uint8_t level_in_call;
static enum sim_layer layer_in_call;

static void tell_level(struct sim_call *call) {
    (void)call;
    level_in_call = sim_cpu_level(own_cpu());
    layer_in_call = sim_task_layer(sim_task_current());
}

static void a_dpc_runs_at_dispatch_and_an_interrupt_at_its_level(void **state) {
    make_node(*state);
    call_named(0, "d", 0)->run = tell_level;
    call_named(1, "i", 7)->run = tell_level;
    sim_call_queue(cpus[0], SIM_LAYER_DPC, &calls[0], false);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_int_equal(level_in_call, SIM_LEVEL_DISPATCH);
    assert_int_equal(layer_in_call, SIM_LAYER_DPC);
    sim_call_queue(cpus[0], SIM_LAYER_INTERRUPT, &calls[1], false);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_int_equal(level_in_call, 7);
    assert_int_equal(layer_in_call, SIM_LAYER_INTERRUPT);
    assert_int_equal(sim_cpu_level(cpus[0]), SIM_LEVEL_PASSIVE);
}

static void queue_dpc_with_interrupt(void *argument) {
    (void)argument;
    note('t');
    queue_dpc(&calls[0]);
    pass();
    note('t');
}

static void dpc_that_is_interrupted(struct sim_call *call) {
    (void)call;
    note('d');
    queue_interrupt(&calls[1]);
    pass();
    note('d');
    assert_int_equal(sim_cpu_level(own_cpu()), SIM_LEVEL_DISPATCH);
}

static void an_interrupt_preempts_a_dpc_and_a_dpc_a_thread(void **state) {
    make_node(*state);
    call_named(0, "d", 0)->run = dpc_that_is_interrupted;
    call_named(1, "i", SIM_LEVEL_DEVICE);
    start(cpus[0], queue_dpc_with_interrupt, NULL);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "tdiidt");
}

static void queue_dpc_then_go_on(void *argument) {
    (void)argument;
    note('t');
    pass();
    queue_dpc(&calls[0]);
    pass();
    note('t');
    pass();
    note('t');
}

static void note_twice(void *argument) {
    note(*(const char *)argument);
    pass();
    note(*(const char *)argument);
}

static void after_a_dpc_the_same_thread_goes_on(void **state) {
    make_node(*state);
    call_named(0, "d", 0);
    start(cpus[0], queue_dpc_then_go_on, NULL);
    start(cpus[0], note_twice, "o");
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "tddttoo");
}

static void a_cpu_does_not_wait_for_another_ones_level(void **state) {
    make_node(*state);
    static const struct matrix_case high = {SIM_LEVEL_HIGH, SIM_LEVEL_DEVICE, false};
    matrix_case = &high;
    start(cpus[0], queue_at_level, NULL);
    call_named(1, "d", 0);
    sim_call_queue(cpus[1], SIM_LAYER_DPC, &calls[1], false);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "12cc3dd");
}

/* ---- Queues ---- */

static void dpcs_run_in_order_and_urgent_ones_first(void **state) {
    make_node(*state);
    sim_call_queue(cpus[0], SIM_LAYER_DPC, call_named(0, "a", 0), false);
    sim_call_queue(cpus[0], SIM_LAYER_DPC, call_named(1, "b", 0), false);
    sim_call_queue(cpus[0], SIM_LAYER_DPC, call_named(2, "u", 0), true);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "uuaabb");
}

static void interrupts_of_higher_level_come_first(void **state) {
    make_node(*state);
    sim_call_queue(cpus[0], SIM_LAYER_INTERRUPT, call_named(0, "a", 4), false);
    sim_call_queue(cpus[0], SIM_LAYER_INTERRUPT, call_named(1, "b", 4), false);
    sim_call_queue(cpus[0], SIM_LAYER_INTERRUPT, call_named(2, "h", 9), false);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "hhaabb");
}

static void a_call_is_queued_once_and_can_be_taken_back(void **state) {
    make_node(*state);
    call_named(0, "a", 0);
    call_named(1, "b", 0);
    assert_true(sim_call_queue(cpus[0], SIM_LAYER_DPC, &calls[0], false));
    assert_false(sim_call_queue(cpus[1], SIM_LAYER_DPC, &calls[0], false));
    assert_true(sim_call_queue(cpus[0], SIM_LAYER_DPC, &calls[1], false));
    assert_true(sim_call_remove(&calls[0]));
    assert_false(sim_call_remove(&calls[0]));
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "bb");
    assert_false(sim_call_remove(&calls[1]));
}

static int times_left;

static void queue_itself(struct sim_call *call) {
    note(call->label[0]);
    if (--times_left > 0) {
        queue_dpc(call);
    }
}

static void a_dpc_may_queue_itself_while_it_runs(void **state) {
    make_node(*state);
    times_left = 3;
    call_named(0, "q", 0)->run = queue_itself;
    sim_call_queue(cpus[0], SIM_LAYER_DPC, &calls[0], false);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "qqq");
}

/* ---- Spinning ---- */

static void spin_in_dpc(struct sim_call *call) {
    note(call->label[0]);
    sim_task_spin(9, NULL);
    note(call->label[0]);
}

static void a_dpc_that_spins_lets_interrupts_in_but_no_thread(void **state) {
    make_node(*state);
    call_named(0, "d", 0)->run = spin_in_dpc;
    call_named(1, "i", SIM_LEVEL_DEVICE);
    sim_call_queue(cpus[0], SIM_LAYER_DPC, &calls[0], false);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    start(cpus[0], note_twice, "t");
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    sim_call_queue(cpus[0], SIM_LAYER_INTERRUPT, &calls[1], false);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "dii");
    sim_spin_release(*state, 8);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "dii");
    sim_spin_release(*state, 9);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "diidtt");
}

/* ---- Events and preemption ---- */

static void on_interrupt_event(struct sim_world *world, struct sim_event *event) {
    (void)world;
    (void)event;
    assert_null(sim_task_current());
    note('e');
    sim_call_queue(cpus[0], SIM_LAYER_INTERRUPT, &calls[1], false);
}

static void wait_a_little(void *argument) {
    (void)argument;
    note('w');
    (void)sim_task_wait(&node, "a little", 1000);
    note('w');
}

static void an_event_wakes_an_idle_cpu(void **state) {
    struct sim_event event;
    make_node(*state);
    call_named(1, "i", SIM_LEVEL_DEVICE);
    sim_event_init(&event, "irq", &node, on_interrupt_event);
    sim_event_schedule(*state, &event, 500);
    start(cpus[0], wait_a_little, NULL);
    assert_int_equal(run_all(*state), SIM_RUN_IDLE);
    assert_string_equal(done, "weiiw");
    assert_int_equal(sim_now_ns(*state), 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_runs_when_the_level_lets_it_in),
        WORLD_TEST(a_dpc_runs_at_dispatch_and_an_interrupt_at_its_level),
        WORLD_TEST(an_interrupt_preempts_a_dpc_and_a_dpc_a_thread),
        WORLD_TEST(after_a_dpc_the_same_thread_goes_on),
        WORLD_TEST(a_cpu_does_not_wait_for_another_ones_level),
        WORLD_TEST(dpcs_run_in_order_and_urgent_ones_first),
        WORLD_TEST(interrupts_of_higher_level_come_first),
        WORLD_TEST(a_call_is_queued_once_and_can_be_taken_back),
        WORLD_TEST(a_dpc_may_queue_itself_while_it_runs),
        WORLD_TEST(a_dpc_that_spins_lets_interrupts_in_but_no_thread),
        WORLD_TEST(an_event_wakes_an_idle_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
