/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containment: what a driver does to itself in a task becomes a finding; what happens outside of
 * tasks is ours.
 */
#include <sim/event.h>
#include <sys/mman.h>

#include "child.h"

static struct sim_accident accident;
static int judged_count;

static void judge(struct sim_world *world, const struct sim_accident *seen,
                  struct sim_finding *finding) {
    (void)world;
    accident = *seen;
    judged_count++;
    sim_finding_init(finding, SIM_VERDICT_BUGCHECK, "0x50", "PAGE_FAULT_IN_NONPAGED_AREA");
    sim_finding_say(finding, "An accident of the test.");
}

/* Runs `entry` in a task and expects it to end as one accident with `signal`. */
static const struct sim_finding *expect_accident(void (*entry)(void *argument), int signal) {
    struct sim_world *world = make_world();
    sim_host_contain(judge);
    CHECK(!sim_host_is_spent());
    CHECK(run_task(world, entry) == SIM_RUN_FINDING);
    CHECK(sim_host_is_spent());
    CHECK(judged_count == 1);
    CHECK(accident.signal == signal);
    CHECK(sim_task_current() == NULL);
    CHECK(sim_finding_count(world) == 1);
    const struct sim_finding *finding = sim_finding_at(world, 0);
    CHECK(finding->verdict == SIM_VERDICT_BUGCHECK);
    CHECK(finding->site_count >= 1);
    return finding;
}

static volatile int *volatile nowhere;

static const void *live_local;
static bool was_live, below_was_live;

static void judge_stack(struct sim_world *world, const struct sim_accident *seen,
                        struct sim_finding *finding) {
    struct sim_task *task = NULL;
    was_live = sim_stack_is_live(world, live_local, &task) && task == sim_task_current();
    below_was_live = sim_stack_is_live(world, (const char *)live_local - 8192, &task);
    judge(world, seen, finding);
}

static __attribute__((no_sanitize("address", "undefined"))) void read_null(void *argument) {
    (void)argument;
    (void)*nowhere;
}

static void null_read(void) {
    const struct sim_finding *finding = expect_accident(read_null, SIGSEGV);
    CHECK(accident.address == 0);
    CHECK(!accident.write);
    CHECK(!accident.is_stack_overflow);
    CHECK(accident.code != 0);
    CHECK(finding->sites[0].frame_count >= 2);
}

static void a_null_read_in_a_task_is_a_finding_and_the_process_is_spent(void **state) {
    (void)state;
    assert_child_succeeds(null_read);
}

static void read_null_with_local(void *argument) {
    volatile int local = 1;
    live_local = (const void *)(uintptr_t)&local;
    read_null(argument);
    local = 2;
}

static void judged_stack(void) {
    struct sim_world *world = make_world();
    sim_host_contain(judge_stack);
    CHECK(run_task(world, read_null_with_local) == SIM_RUN_FINDING);
    CHECK(was_live);
    CHECK(!below_was_live);
}

static void the_judge_sees_the_frames_of_the_task_as_live(void **state) {
    (void)state;
    assert_child_succeeds(judged_stack);
}

static __attribute__((no_sanitize("address", "undefined"))) void write_page(void *argument) {
    (void)argument;
    nowhere[3] = 1;
}

static void page_write(void) {
    void *page = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANON, -1, 0);
    nowhere = page;
    (void)expect_accident(write_page, SIGSEGV);
    CHECK(accident.address == (uintptr_t)page + 12);
    CHECK(accident.write);
}

static void a_write_is_told_from_a_read(void **state) {
    (void)state;
    assert_child_succeeds(page_write);
}

#if defined(__x86_64__) && defined(__linux__)
static void noncanonical_read(void) {
    nowhere = (volatile int *)(uintptr_t)UINT64_C(0xDEADF4A3DEADF4A3);
    (void)expect_accident(read_null, SIGSEGV);
    CHECK(accident.address == UINT64_C(0xDEADF4A3DEADF4A3));
}

static void the_address_of_a_noncanonical_read_is_found(void **state) {
    (void)state;
    assert_child_succeeds(noncanonical_read);
}
#endif

static volatile int depth;

static __attribute__((noinline, no_sanitize("address"))) int dive(int level) {
    volatile char frame[1024];
    frame[0] = (char)level;
    depth = level;
    int below = level >= 0 ? dive(level + 1) : 0;
    return below + frame[0];
}

static void overflow_stack(void *argument) {
    (void)argument;
    depth = dive(0);
}

static void stack_overflow(void) {
    (void)expect_accident(overflow_stack, SIGSEGV);
    CHECK(accident.is_stack_overflow);
    CHECK(depth > 10);
}

static void a_stack_overflow_is_caught_in_the_guard(void **state) {
    (void)state;
    assert_child_succeeds(stack_overflow);
}

static void raise_fpe(void *argument) {
    (void)argument;
    (void)raise(SIGFPE);
}

static void raise_ill(void *argument) {
    (void)argument;
    (void)raise(SIGILL);
}

static void raise_bus(void *argument) {
    (void)argument;
    (void)raise(SIGBUS);
}

static void floating_point(void) {
    (void)expect_accident(raise_fpe, SIGFPE);
}

static void illegal(void) {
    (void)expect_accident(raise_ill, SIGILL);
}

static void bus(void) {
    (void)expect_accident(raise_bus, SIGSEGV);
}

static void the_other_signals_are_contained_and_bus_counts_as_segv(void **state) {
    (void)state;
    assert_child_succeeds(floating_point);
    assert_child_succeeds(illegal);
    assert_child_succeeds(bus);
}

static void run_read_null(struct sim_call *call) {
    (void)call;
    read_null(NULL);
}

static void accident_in_dpc(void) {
    struct sim_call call = {.run = run_read_null, .label = "dpc"};
    struct sim_world *world = make_world();
    sim_host_contain(judge);
    sim_call_queue(cpu, SIM_LAYER_DPC, &call, false);
    CHECK(sim_run(world, NULL, NULL, SIM_TIME_NEVER) == SIM_RUN_FINDING);
    CHECK(judged_count == 1);
    CHECK(sim_finding_at(world, 0)->sites[0].level == SIM_LEVEL_DISPATCH);
}

static void an_accident_in_a_dpc_is_contained_too(void **state) {
    (void)state;
    assert_child_succeeds(accident_in_dpc);
}

static void without_judge(void) {
    struct sim_world *world = make_world();
    sim_host_contain(NULL);
    CHECK(run_task(world, read_null) == SIM_RUN_FINDING);
    CHECK(strcmp(sim_finding_at(world, 0)->id, "SIGSEGV") == 0);
}

static void an_accident_is_a_finding_without_a_judge(void **state) {
    (void)state;
    assert_child_succeeds(without_judge);
}

static void on_event(struct sim_world *world, struct sim_event *event) {
    (void)world;
    (void)event;
    read_null(NULL);
}

static void accident_in_scheduler(void) {
    struct sim_event event;
    struct sim_world *world = make_world();
    sim_host_contain(judge);
    sim_event_init(&event, "bad", &node, on_event);
    sim_event_schedule(world, &event, 10);
    (void)sim_run(world, NULL, NULL, SIM_TIME_NEVER);
}

static void judge_badly(struct sim_world *world, const struct sim_accident *seen,
                        struct sim_finding *finding) {
    (void)world;
    (void)seen;
    (void)finding;
    read_null(NULL);
}

static void accident_in_judge(void) {
    struct sim_world *world = make_world();
    sim_host_contain(judge_badly);
    (void)run_task(world, read_null);
}

static void an_accident_of_ours_ends_the_process(void **state) {
    (void)state;
    assert_child_asserts(accident_in_scheduler);
    assert_child_asserts(accident_in_judge);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_null_read_in_a_task_is_a_finding_and_the_process_is_spent),
        cmocka_unit_test(the_judge_sees_the_frames_of_the_task_as_live),
        cmocka_unit_test(a_write_is_told_from_a_read),
#if defined(__x86_64__) && defined(__linux__)
        cmocka_unit_test(the_address_of_a_noncanonical_read_is_found),
#endif
        cmocka_unit_test(a_stack_overflow_is_caught_in_the_guard),
        cmocka_unit_test(the_other_signals_are_contained_and_bus_counts_as_segv),
        cmocka_unit_test(an_accident_in_a_dpc_is_contained_too),
        cmocka_unit_test(an_accident_is_a_finding_without_a_judge),
        cmocka_unit_test(an_accident_of_ours_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
