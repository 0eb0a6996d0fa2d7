/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's checks: each sees what is spoilt. */
#include <ntddk.h>

#include <sim/check.h>

#include "pool.h"
#include "record.h"
#include "thread.h"

#include "node.h"

static KEVENT *event;
static KMUTEX *mutex;

static void wait_for_it(void *argument) {
    (void)argument;
    KeWaitForSingleObject(event, Executive, KernelMode, FALSE, NULL);
}

static void make_things(void *argument) {
    (void)argument;
    event = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*event), 'tseT');
    mutex = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*mutex), 'tseT');
    KeInitializeEvent(event, NotificationEvent, FALSE);
    KeInitializeMutex(mutex, 0);
}

static struct krn_record *record_of(const void *thing) {
    return krn_record_find(krn_world_of(world), thing);
}

static void spoil_waiters(void) {
    record_of(event)->waiters->record = record_of(mutex);
}
static void spoil_last_waiter(void) {
    record_of(event)->waiters->previous = NULL;
}
static void spoil_holder(void) {
    struct krn_lock *lock = krn_lock_of(record_of(mutex));

    krn_lock_hold(node->krn, lock, node->thread_first->task, NULL);
    lock->holder = NULL;
}
static void spoil_level(void) {
    static struct krn_dpc *any = (struct krn_dpc *)(uintptr_t)16;

    node->cpus[0].dpc_running = any;
}
static void spoil_bytes(void) {
    node->pool_live_bytes++;
}
static void spoil_block(void) {
    krn_chunk_of(krn_world_of(world), event)->is_live = false;
}

static void each_check_sees_what_is_spoilt(void **state) {
    static const struct {
        void (*spoil)(void);
        const char *name;
    } cases[] = {{spoil_waiters, "kernel.waits"}, {spoil_last_waiter, "kernel.waits"},
                 {spoil_holder, "kernel.locks"},  {spoil_level, "kernel.irql"},
                 {spoil_bytes, "kernel.pool"},    {spoil_block, "kernel.pool"}};
    const struct sim_config config = {.seed = 1};

    (void)state;
    in_thread(make_things, NULL);
    krn_node_thread(node, "waiter", wait_for_it, NULL);
    (void)run_all();
    sim_world_snapshot(world);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(cases); i++) {
        sim_world_reset(world, &config);
        assert_true(sim_check_all(world));
        cases[i].spoil();
        assert_false(sim_check_all(world));
        assert_string_equal(sim_finding_at(world, 0)->name, cases[i].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(each_check_sees_what_is_spoilt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
