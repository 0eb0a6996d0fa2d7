/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worker processes: order, deaths, replacement, rounds, stopping.
 */
#include <inttypes.h>

#include <sys/resource.h>

#include <sim/trace.h>

#include "child.h"
#include "switch.h"

#define RESULT_BYTES 64

struct seen {
    uint64_t count;
    uint64_t deaths;
    uint64_t hash;
    uint64_t stop_at; /* 0: never */
    uint64_t asked;   /* whether it is late */
    char death[64];
    char records[4096];
};

static size_t square(void *context, uint64_t index, void *result) {
    (void)context;
    return (size_t)snprintf(result, RESULT_BYTES, "%" PRIu64, index * index) + 1;
}

static bool see(void *context, uint64_t index, const void *result, size_t bytes,
                const char *death) {
    struct seen *seen = context;
    assert_int_equal(index, 100 + seen->count);
    seen->count++;
    if (death != NULL) {
        assert_int_equal(bytes, 0);
        seen->deaths++;
        snprintf(seen->death, sizeof(seen->death), "%s", death);
        snprintf(seen->records, sizeof(seen->records), "%s", sim_host_worker_records());
        seen->hash = sim_hash_text(death) ^ sim_hash_mix(seen->hash, index);
    } else {
        seen->hash = sim_hash_bytes(seen->hash, result, bytes);
    }
    return seen->count != seen->stop_at;
}

static struct sim_workers workers_of(struct seen *seen, uint32_t jobs, uint64_t count,
                                     size_t (*run)(void *, uint64_t, void *)) {
    memset(seen, 0, sizeof(*seen));
    return (struct sim_workers){.jobs = jobs,
                                .first = 100,
                                .count = count,
                                .result_bytes = RESULT_BYTES,
                                .context = seen,
                                .run = run,
                                .result = see};
}

static void results_come_in_order_whatever_the_number_of_workers(void **state) {
    uint64_t hash = 0;
    (void)state;
    for (uint32_t jobs = 0; jobs <= 4; jobs++) {
        struct seen seen;
        struct sim_workers workers = workers_of(&seen, jobs, 6000, square);
        assert_int_equal(sim_host_workers_run(&workers), 6000);
        assert_int_equal(seen.count, 6000);
        assert_int_equal(seen.deaths, 0);
        hash = jobs == 0 ? seen.hash : hash;
        assert_true(seen.hash == hash);
    }
}

static size_t square_or_never(void *context, uint64_t index, void *result) {
    const volatile uint64_t *asked = &index; /* nothing changes it */
    while (*asked == 105) {
        (void)pause();
    }
    return square(context, index, result);
}

static bool is_late(void *context) {
    struct seen *seen = context;
    return ++seen->asked == 6;
}

static bool see_with_a_hole(void *context, uint64_t index, const void *result, size_t bytes,
                            const char *death) {
    struct seen *seen = context;
    (void)result;
    assert_true(index != 105);
    assert_true(bytes != 0);
    assert_null(death);
    seen->count++;
    return true;
}

static void a_run_that_never_ends_is_cut_short_and_named(void **state) {
    (void)state;
    for (uint32_t jobs = 1; jobs <= 2; jobs++) {
        struct seen seen;
        struct sim_workers workers = workers_of(&seen, jobs, 6000, square_or_never);
        workers.result = see_with_a_hole;
        workers.is_late = is_late;
        (void)sim_host_workers_run(&workers);
        assert_true(workers.was_late);
        assert_false(workers.has_starved);
        assert_false(workers.has_given_up);
        assert_true(jobs == 1 ? seen.count == 5 : seen.count >= 5 && seen.count < 6000);
        assert_int_equal(workers.unfinished, 105);
        assert_true(workers.unfinished_ns != 0);
    }
}

static void nothing_is_unfinished_when_all_is_done(void **state) {
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 2, 100, square);
    (void)state;
    assert_int_equal(sim_host_workers_run(&workers), 100);
    assert_false(workers.was_late);
    assert_true(workers.unfinished_ns == 0);
}

static size_t die_sometimes(void *context, uint64_t index, void *result) {
    if (index % 10 == 3) {
        (void)signal(SIGSEGV, SIG_DFL);
        (void)raise(SIGSEGV);
    }
    if (index % 10 == 7) {
        _exit(5);
    }
    return square(context, index, result);
}

static void a_dead_worker_is_a_result_and_is_replaced(void **state) {
    uint64_t hash = 0;
    (void)state;
    for (uint32_t jobs = 1; jobs <= 3; jobs++) {
        struct seen seen;
        struct sim_workers workers = workers_of(&seen, jobs, 60, die_sometimes);
        assert_int_equal(sim_host_workers_run(&workers), 48);
        assert_int_equal(seen.count, 60);
        assert_int_equal(seen.deaths, 12);
        assert_string_equal(seen.death, "exit 5");
        hash = jobs == 1 ? seen.hash : hash;
        assert_true(seen.hash == hash);
    }
}

static size_t die_by_signal(void *context, uint64_t index, void *result) {
    (void)context;
    (void)index;
    (void)result;
    (void)signal(SIGSEGV, SIG_DFL);
    (void)raise(SIGSEGV);
    return 0;
}

static void the_death_is_described(void **state) {
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 2, 2, die_by_signal);
    (void)state;
    assert_int_equal(sim_host_workers_run(&workers), 0);
    assert_string_equal(seen.death, "signal 11 (SIGSEGV)");
}

static size_t abort_with_a_world(void *context, uint64_t index, void *result) {
    struct sim_world *world = make_world();
    (void)context;
    (void)index;
    (void)result;
    sim_trace(world, sim_trace_type_of(world, "test.last_words"), SIM_ACCESS_WRITE, &node, NULL,
              NULL, 1, 2);
    abort();
}

static void the_last_records_of_a_dead_worker_are_kept(void **state) {
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 1, 1, abort_with_a_world);
    (void)state;
    assert_int_equal(sim_host_workers_run(&workers), 0);
    assert_string_equal(seen.death, "signal 6 (SIGABRT)");
    assert_non_null(strstr(seen.records, "test.last_words"));
}

static size_t fail_an_assertion(void *context, uint64_t index, void *result) {
    struct sim_world *world = make_world();
    (void)context;
    (void)index;
    (void)result;
    (void)!freopen("/dev/null", "w", stderr);
    sim_trace(world, sim_trace_type_of(world, "test.last_words"), SIM_ACCESS_WRITE, &node, NULL,
              NULL, 1, 2);
    sim_assert_fail(__FILE__, __LINE__, "the test's");
}

static void a_failed_assertion_is_a_death_with_last_records(void **state) {
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 1, 1, fail_an_assertion);
    (void)state;
    assert_int_equal(sim_host_workers_run(&workers), 0);
    assert_string_equal(seen.death, "exit 134");
    assert_non_null(strstr(seen.records, "test.last_words"));
}

#if SIM_ASAN
static size_t overflow_heap(void *context, uint64_t index, void *result) {
    struct sim_world *world = make_world();
    char *volatile block = malloc(8);
    (void)context;
    (void)result;
    (void)!freopen("/dev/null", "w", stderr);
    sim_trace(world, sim_trace_type_of(world, "test.last_words"), SIM_ACCESS_WRITE, &node, NULL,
              NULL, 1, 2);
    block[8 + index - 100] = 1;
    return 0;
}

static void an_asan_report_is_a_death_with_last_records(void **state) {
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 1, 1, overflow_heap);
    (void)state;
    assert_int_equal(sim_host_workers_run(&workers), 0);
    assert_string_equal(seen.death, "exit 1");
    assert_non_null(strstr(seen.records, "test.last_words"));
}
#endif

static __attribute__((no_sanitize("address", "undefined"))) void read_null(void *argument) {
    (void)argument;
    (void)*(volatile int *volatile)NULL;
}

static void contain(void *context, uint32_t worker) {
    (void)context;
    (void)worker;
    sim_host_contain(NULL);
}

static size_t have_an_accident(void *context, uint64_t index, void *result) {
    struct sim_world *world = make_world();
    (void)context;
    (void)index;
    (void)run_task(world, read_null);
    memcpy(result, sim_finding_at(world, 0)->id, 8);
    return 8;
}

static void a_spent_worker_gives_its_result_and_is_replaced(void **state) {
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 2, 20, have_an_accident);
    (void)state;
    workers.prepare = contain;
    assert_int_equal(sim_host_workers_run(&workers), 20);
    assert_int_equal(seen.deaths, 0);
}

static void a_result_can_stop_the_rest(void **state) {
    (void)state;
    for (uint32_t jobs = 1; jobs <= 3; jobs++) {
        struct seen seen;
        struct sim_workers workers = workers_of(&seen, jobs, UINT64_C(1) << 40, square);
        seen.stop_at = 500;
        assert_int_equal(sim_host_workers_run(&workers), 500);
        assert_int_equal(seen.count, 500);
    }
}

static void die_in_prepare(void *context, uint32_t worker) {
    (void)context;
    (void)worker;
    _exit(9);
}

static void a_death_before_the_first_run_is_not_repeated_for_ever(void **state) {
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 2, 10, square);
    (void)state;
    workers.prepare = die_in_prepare;
    assert_int_equal(sim_host_workers_run(&workers), 0);
    assert_int_equal(seen.deaths, 10);
    assert_string_equal(seen.death, "exit 9");
}

static uint64_t progress_count;

static void count_progress(void *context, uint64_t number) {
    (void)context;
    (void)number;
    progress_count++;
}

static size_t sleep_a_while(void *context, uint64_t index, void *result) {
    usleep(300000);
    return square(context, index, result);
}

static void progress_is_told_while_it_lasts(void **state) {
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 1, 4, sleep_a_while);
    (void)state;
    workers.progress = count_progress;
    assert_int_equal(sim_host_workers_run(&workers), 4);
    assert_in_range(progress_count, 1, 4);
}

/* Each run's result depends on all results of the rounds before. */
struct lesson {
    struct seen seen;
    uint64_t learned; /* in the parent: of the results so far; in a worker: of the last lesson */
    uint64_t coming;
    uint64_t round;
};

static size_t mix_learned(void *context, uint64_t index, void *result) {
    const struct lesson *lesson = context;
    if (index % 700 == 699) {
        _exit(5);
    }
    uint64_t mixed = sim_hash_mix(lesson->learned, index);
    memcpy(result, &mixed, sizeof(mixed));
    return sizeof(mixed);
}

static bool see_lesson(void *context, uint64_t index, const void *result, size_t bytes,
                       const char *death) {
    struct lesson *lesson = context;
    lesson->coming = death == NULL ? sim_hash_bytes(lesson->coming, result, bytes)
                                   : sim_hash_mix(lesson->coming, index);
    return see(&lesson->seen, index, result, bytes, death);
}

static uint64_t next_round(void *context, const void **bytes, size_t *count) {
    struct lesson *lesson = context;
    lesson->learned = lesson->coming;
    *bytes = &lesson->learned;
    *count = lesson->round != 0 ? sizeof(lesson->learned) : 0;
    return lesson->round++ < 9 ? 300 : 0;
}

static void learn(void *context, const void *bytes, size_t count) {
    struct lesson *lesson = context;
    assert_int_equal(count, sizeof(lesson->learned));
    memcpy(&lesson->learned, bytes, count);
}

static void rounds_teach_all_workers_the_same(void **state) {
    uint64_t hash = 0;
    (void)state;
    for (uint32_t jobs = 1; jobs <= 4; jobs++) {
        struct lesson lesson = {.learned = 0};
        struct sim_workers workers = workers_of(&lesson.seen, jobs, 100000, mix_learned);
        workers.context = &lesson;
        workers.result = see_lesson;
        workers.round = next_round;
        workers.learn = learn;
        assert_int_equal(sim_host_workers_run(&workers), 2700 - 4);
        assert_int_equal(lesson.seen.deaths, 4);
        assert_int_equal(workers.started, jobs);
        hash = jobs == 1 ? lesson.coming : hash;
        assert_true(lesson.coming == hash);
    }
}

static bool see_any(void *context, uint64_t index, const void *result, size_t bytes,
                    const char *death) {
    struct seen *seen = context;
    (void)result;
    (void)bytes;
    (void)death;
    seen->count++;
    seen->hash = index;
    return !sim_host_interrupted();
}

static char once_path[] = "/tmp/ndksim-test-XXXXXX";

/* Killed the first time that a run is done. */
static size_t be_killed_once(void *context, uint64_t index, void *result) {
    if (index == 130 && unlink(once_path) == 0) {
        (void)kill(getpid(), SIGKILL);
    }
    return square(context, index, result);
}

static size_t be_killed_each_time(void *context, uint64_t index, void *result) {
    if (index == 150) {
        (void)kill(getpid(), SIGKILL);
    }
    return square(context, index, result);
}

static void a_run_whose_worker_is_always_killed_ends_all(void **state) {
    (void)state;
    for (uint32_t jobs = 1; jobs <= 3; jobs++) {
        struct seen seen;
        struct sim_workers workers = workers_of(&seen, jobs, 100, be_killed_each_time);
        workers.result = see_any;
        assert_true(sim_host_workers_run(&workers) >= 50);
        assert_int_equal(seen.deaths, 0);
        assert_true(workers.has_given_up);
        assert_int_equal(workers.given_up, 150);
        assert_int_equal(workers.killed_count, SIM_WORKER_KILLS_MAX);
    }
}

static void a_run_whose_worker_was_killed_is_done_again(void **state) {
    (void)state;
    for (uint32_t jobs = 1; jobs <= 3; jobs++) {
        struct seen seen;
        struct sim_workers workers = workers_of(&seen, jobs, 100, be_killed_once);
        memcpy(once_path + sizeof(once_path) - 7, "XXXXXX", 6);
        assert_true(close(mkstemp(once_path)) == 0);
        assert_int_equal(sim_host_workers_run(&workers), 100);
        assert_int_equal(seen.count, 100);
        assert_int_equal(seen.deaths, 0);
        assert_int_equal(workers.killed_count, 1);
        assert_false(workers.has_given_up);
    }
}

/* The first run never ends: all the others' results wait for it. */
static size_t be_stuck_at_first(void *context, uint64_t index, void *result) {
    const volatile uint64_t *asked = &index; /* nothing changes it */
    while (*asked == 100) {
        (void)pause();
    }
    if (index == 180) {
        (void)kill(getppid(), SIGINT);
    }
    return square(context, index, result);
}

static void interrupt_with_results_that_wait(void) {
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 2, 10000, be_stuck_at_first);
    workers.result = see_any;
    sim_host_catch_interrupts();
    (void)sim_host_workers_run(&workers);
    CHECK(seen.count > 50 && seen.hash >= 179); /* 180 is interrupted before it has a result */
}

static void an_interrupt_loses_no_result_that_has_come(void **state) {
    (void)state;
    assert_child_succeeds(interrupt_with_results_that_wait);
}

static void be_refused(void) {
    struct rlimit limit = {4, 4};
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 2, 10, square);
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK(sim_host_workers_run(&workers) == 0);
    CHECK(workers.started == 0 && workers.error == EMFILE && seen.count == 0);
}

static void without_room_for_a_worker_nothing_runs_and_that_is_said(void **state) {
    (void)state;
    assert_child_succeeds(be_refused);
}

static void nothing_to_run_starts_nobody(void **state) {
    struct seen seen;
    struct sim_workers workers = workers_of(&seen, 4, 0, square);
    (void)state;
    assert_int_equal(sim_host_workers_run(&workers), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_in_order_whatever_the_number_of_workers),
        cmocka_unit_test(a_run_that_never_ends_is_cut_short_and_named),
        cmocka_unit_test(nothing_is_unfinished_when_all_is_done),
        cmocka_unit_test(a_dead_worker_is_a_result_and_is_replaced),
        cmocka_unit_test(the_death_is_described),
        cmocka_unit_test(the_last_records_of_a_dead_worker_are_kept),
        cmocka_unit_test(a_failed_assertion_is_a_death_with_last_records),
#if SIM_ASAN
        cmocka_unit_test(an_asan_report_is_a_death_with_last_records),
#endif
        cmocka_unit_test(a_spent_worker_gives_its_result_and_is_replaced),
        cmocka_unit_test(a_result_can_stop_the_rest),
        cmocka_unit_test(a_death_before_the_first_run_is_not_repeated_for_ever),
        cmocka_unit_test(progress_is_told_while_it_lasts),
        cmocka_unit_test(rounds_teach_all_workers_the_same),
        cmocka_unit_test(a_run_whose_worker_was_killed_is_done_again),
        cmocka_unit_test(a_run_whose_worker_is_always_killed_ends_all),
        cmocka_unit_test(an_interrupt_loses_no_result_that_has_come),
        cmocka_unit_test(without_room_for_a_worker_nothing_runs_and_that_is_said),
        cmocka_unit_test(nothing_to_run_starts_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
