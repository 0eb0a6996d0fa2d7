/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accidents of plain instructions and what Windows would have called them. Each runs in a process
 * of its own, because one that had an accident takes no further run.
 */
#include <ntddk.h>

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sim/host.h>

#include "node.h"

struct accident {
    void (*code)(void *argument);
    const char *id;
    const char *part;
    bool special;
    bool at_dispatch;
};

static void in_child(const struct accident *accident) {
    struct sim_config config = {.seed = 1, .special_pool = accident->special};
    struct krn_node_config node_config = {.name = "host"};
    const struct sim_finding *finding;

    sim_host_contain(krn_bugcheck_judge);
    world = sim_world_create(&config);
    node = krn_node_create(world, &node_config);
    krn_node_thread(node, "test", accident->code, (void *)(uintptr_t)accident);
    if (run_all() != SIM_RUN_FINDING || sim_finding_count(world) == 0) {
        fprintf(stderr, "nothing was found\n");
        _exit(1);
    }
    finding = sim_finding_at(world, 0);
    if (finding->verdict != SIM_VERDICT_BUGCHECK || strcmp(finding->id, accident->id) != 0 ||
        strstr(finding->sentence, accident->part) == NULL || !sim_host_is_spent()) {
        fprintf(stderr, "%s: %s\n", finding->id, finding->sentence);
        _exit(1);
    }
    _exit(0);
}

static void expect(const struct accident *accident) {
    pid_t child = fork();
    int status = -1;

    assert_true(child >= 0);
    if (child == 0) {
        in_child(accident);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void raise_for(const void *accident) {
    KIRQL old;

    if (((const struct accident *)accident)->at_dispatch) {
        KeRaiseIrql(DISPATCH_LEVEL, &old);
    }
}

static volatile uintptr_t null_address;

static void read_null(void *accident) {
    raise_for(accident);
    (void)*(volatile int *)(null_address + 8);
}

static void write_nowhere(void *accident) {
    raise_for(accident);
    *(volatile int *)(null_address + 0x7000000000) = 1;
}

static void read_freed(void *accident) {
    volatile UCHAR *block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 448, 'uQvN');

    raise_for(accident);
    ExFreePool((PVOID)(uintptr_t)block);
    (void)block[0x18];
}

static void write_behind(void *accident) {
    volatile UCHAR *block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 'uQvN');

    raise_for(accident);
    block[64] = 1;
}

static void follow_freed(void *accident) {
    int *volatile *block = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 'uQvN');

    raise_for(accident);
    ExFreePool((PVOID)(uintptr_t)block);
    (void)*(volatile int *)block[0];
}

__attribute__((noinline)) static int deeper(volatile char *before, int depth) {
    volatile char room[512];

    room[0] = before[0];
    return depth < 0 ? room[0] : deeper(room, depth + 1) + room[1];
}

static void overflow_stack(void *accident) {
    volatile char start[2] = {1, 2};

    (void)accident;
    (void)deeper(start, 0);
}

static void divide(void *accident) {
    (void)accident;
    raise(SIGFPE); /* not every CPU traps on a division by zero */
}

static void run_illegal(void *accident) {
    (void)accident;
    __builtin_trap();
}

static void call_data(void *accident) {
    void (*code)(void) =
        (void (*)(void))(uintptr_t)ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, 'uQvN');

    (void)accident;
    code();
}

static void a_null_pointer(void **state) {
    struct accident passive = {.code = read_null, .id = "0x7E", .part = "read from a NULL pointer"};
    struct accident dispatch = {
        .code = read_null, .id = "0xD1", .part = "a NULL pointer, offset 0x8", .at_dispatch = true};

    (void)state;
    expect(&passive);
    expect(&dispatch);
}

static void an_address_with_nothing_behind_it(void **state) {
    struct accident passive = {.code = write_nowhere, .id = "0x50", .part = "nothing behind it"};
    struct accident dispatch = {
        .code = write_nowhere, .id = "0xD1", .part = "nothing behind it", .at_dispatch = true};

    (void)state;
    expect(&passive);
    expect(&dispatch);
}

static void freed_special_pool(void **state) {
    struct accident accident = {.code = read_freed,
                                .id = "0xD5",
                                .part = "read from pool#1+0x18, tag NvQu, 448 bytes, freed",
                                .special = true};

    (void)state;
    expect(&accident);
}

static void the_end_of_special_pool(void **state) {
    struct accident accident = {
        .code = write_behind, .id = "0xD6", .part = "pool#1+0x40, tag NvQu", .special = true};

    (void)state;
    expect(&accident);
}

static void a_pointer_out_of_freed_memory(void **state) {
    /* A sanitised build faults at the shadow, and knows no address: both speak of freed memory. */
    struct accident accident = {.code = follow_freed, .id = "0x50", .part = "freed"};

    (void)state;
    expect(&accident);
}

static void the_end_of_the_stack(void **state) {
    struct accident accident = {
        .code = overflow_stack, .id = "0x7F", .part = "kernel stack overflowed"};

    (void)state;
    expect(&accident);
}

static void traps(void **state) {
    struct accident division = {.code = divide, .id = "0x7E", .part = "divided by zero"};
    struct accident illegal = {.code = run_illegal, .id = "0x7E", .part = "illegal instruction"};

    (void)state;
    expect(&division);
    expect(&illegal);
}

static void a_call_into_data(void **state) {
    struct accident accident = {
        .code = call_data, .id = "0xFC", .part = "lies in data: pool#1+0x0"};

    (void)state;
    expect(&accident);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_null_pointer),
        cmocka_unit_test(an_address_with_nothing_behind_it),
        cmocka_unit_test(freed_special_pool),
        cmocka_unit_test(the_end_of_special_pool),
        cmocka_unit_test(a_pointer_out_of_freed_memory),
        cmocka_unit_test(the_end_of_the_stack),
        cmocka_unit_test(traps),
        cmocka_unit_test(a_call_into_data),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
