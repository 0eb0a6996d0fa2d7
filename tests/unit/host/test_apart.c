/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Something done in a process of its own: its result, its death, and interrupts on their way to it.
 */
#include "child.h"

struct result {
    uint64_t zero;
    uint64_t number;
    pid_t process;
};

static void fill(void *context, void *memory) {
    struct result *result = memory;
    result->number = result->zero == 0 ? *(const uint64_t *)context : 0;
    result->process = getpid();
}

static void what_was_left_in_the_result_comes_back(void **state) {
    struct result result = {.zero = 0};
    uint64_t number = 77;
    char death[64] = "";
    (void)state;
    assert_int_equal(sim_host_apart(fill, &number, &result, sizeof(result), death, sizeof(death)),
                     SIM_HOST_APART_DONE);
    assert_int_equal(result.number, 77);
    assert_true(result.process != getpid());
    assert_string_equal(death, "");
    result.zero = 1;
    assert_int_equal(sim_host_apart(fill, &number, &result, sizeof(result), death, sizeof(death)),
                     SIM_HOST_APART_DONE);
    assert_int_equal(result.number, 0); /* it has seen what was there */
}

static void die(void *context, void *memory) {
    fill(context, memory);
    if (*(const uint64_t *)context != 0) {
        _exit(3);
    }
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
}

static void a_death_is_told_and_what_was_left_by_then_comes_back(void **state) {
    struct result result = {.number = 5};
    uint64_t number = 0;
    char death[64];
    (void)state;
    assert_int_equal(sim_host_apart(die, &number, &result, sizeof(result), death, sizeof(death)),
                     SIM_HOST_APART_DIED);
    assert_string_equal(death, "signal 11 (SIGSEGV)");
    assert_int_equal(result.number, 0);
    number = 7;
    assert_int_equal(sim_host_apart(die, &number, &result, sizeof(result), death, sizeof(death)),
                     SIM_HOST_APART_DIED);
    assert_string_equal(death, "exit 3");
    assert_int_equal(result.number, 7);
}

/* Interrupts the process that waits, twice for itself, as a terminal and a parent would. */
static void interrupt_all(void *context, void *memory) {
    struct result *result = memory;
    (void)context;
    (void)raise(SIGINT);
    (void)kill(getppid(), SIGINT);
    while (result->number++ < 2000 && !sim_host_interrupted()) {
        (void)usleep(1000);
    }
    (void)usleep(100000);
    result->process = sim_host_interrupted() ? getpid() : 0;
}

static void be_interrupted(void) {
    struct result result = {0};
    char death[64];
    sim_host_catch_interrupts();
    CHECK(sim_host_apart(interrupt_all, NULL, &result, sizeof(result), death, sizeof(death)) ==
          SIM_HOST_APART_DONE);
    CHECK(sim_host_interrupted());
    CHECK(result.process != 0);
}

static void an_interrupt_reaches_both_and_both_end_well(void **state) {
    (void)state;
    assert_child_succeeds(be_interrupted);
}

/* Only the waiting process is told; the other one must hear of it. */
static void wait_for_it(void *context, void *memory) {
    struct result *result = memory;
    (void)context;
    (void)kill(getppid(), SIGTERM);
    while (result->number < 5000 && !sim_host_interrupted()) {
        result->number++;
        (void)usleep(1000);
    }
    result->process = sim_host_interrupted() ? getpid() : 0;
}

static void pass_on(void) {
    struct result result = {0};
    char death[64];
    sim_host_catch_interrupts();
    CHECK(sim_host_apart(wait_for_it, NULL, &result, sizeof(result), death, sizeof(death)) ==
          SIM_HOST_APART_DONE);
    CHECK(result.process != 0);
    CHECK(sim_host_interrupted());
}

static void an_interrupt_of_the_one_that_waits_is_passed_on(void **state) {
    (void)state;
    assert_child_succeeds(pass_on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_left_in_the_result_comes_back),
        cmocka_unit_test(a_death_is_told_and_what_was_left_by_then_comes_back),
        cmocka_unit_test(an_interrupt_reaches_both_and_both_end_well),
        cmocka_unit_test(an_interrupt_of_the_one_that_waits_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
