/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#include "world.h"

static void hashes_are_the_same_on_every_host(void **state) {
    (void)state;
    assert_true(sim_hash_text("") == SIM_HASH_TEXT_START);
    assert_true(sim_hash_text("a") == UINT64_C(0xAF63DC4C8601EC8C));
    assert_true(sim_hash_text("foobar") == UINT64_C(0x85944171F73967E8));
    assert_true(sim_hash_bytes(sim_hash_text("foo"), "bar", 3) == sim_hash_text("foobar"));
    assert_true(sim_hash_mix(sim_hash_mix(0, 1), 2) != sim_hash_mix(sim_hash_mix(0, 2), 1));
}

/* Runs a failing assertion in a child and returns what it printed. */
static void fail_in_child(const char *hint, char *text, size_t size) {
    int ends[2], status;
    size_t count = 0;
    ssize_t got;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        sim_assert_hint_set(hint);
        SIM_ASSERT(1 + 1 == 3);
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], text + count, size - 1 - count)) > 0) {
        count += (size_t)got;
    }
    text[count] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 134);
}

static void a_failed_assertion_shows_the_world_and_how_to_replay(void **state) {
    const struct sim_config config = {.seed = 4711};
    struct sim_world *world = sim_world_create(&config);
    char text[8192];
    uint32_t lines = 0;

    (void)state;
    world->now_ns = 1500000;
    for (uint32_t i = 0; i < 40; i++) {
        sim_trace(world, 1, SIM_ACCESS_NONE, NULL, NULL, NULL, i, 0);
    }
    fail_in_child("ndksim replay x.ndkrun", text, sizeof(text));
    assert_non_null(strstr(text, "internal error: 1 + 1 == 3 does not hold at "));
    assert_non_null(strstr(text, "test_base.c:"));
    assert_non_null(strstr(text, "seed 4711, virtual time 1.500000 ms"));
    assert_non_null(strstr(text, "replay   ndksim replay x.ndkrun\n"));
    for (const char *at = text; (at = strstr(at, " fault.fire ")) != NULL; at++) {
        lines++;
    }
    assert_int_equal(lines, 16);
    sim_world_destroy(world);
}

static void an_assertion_without_a_world_still_says_where(void **state) {
    char text[8192];

    (void)state;
    fail_in_child(NULL, text, sizeof(text));
    assert_non_null(strstr(text, "internal error: "));
    assert_null(strstr(text, "seed"));
    assert_null(strstr(text, "replay"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_the_same_on_every_host),
        cmocka_unit_test(a_failed_assertion_shows_the_world_and_how_to_replay),
        cmocka_unit_test(an_assertion_without_a_world_still_says_where),
    };

    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
