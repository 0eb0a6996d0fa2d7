/* SPDX-License-Identifier: Apache-2.0 */
/* Things that must be resident, in paged pool: each kind is told where it is initialised. */
#include <ntddk.h>

#include <stdio.h>

#include "node.h"

#define PAGED_TAG 'degP'

static VOID nothing_dpc(PKDPC dpc, PVOID context, PVOID one, PVOID other) {
    (void)dpc;
    (void)context;
    (void)one;
    (void)other;
}

static VOID nothing_item(PVOID context) {
    (void)context;
}

static void make_event(void *memory) {
    KeInitializeEvent(memory, NotificationEvent, FALSE);
}
static void make_timer(void *memory) {
    KeInitializeTimer(memory);
}
static void make_timer_ex(void *memory) {
    KeInitializeTimerEx(memory, SynchronizationTimer);
}
static void make_dpc(void *memory) {
    KeInitializeDpc(memory, nothing_dpc, NULL);
}
static void make_semaphore(void *memory) {
    KeInitializeSemaphore(memory, 0, 1);
}
static void make_mutex(void *memory) {
    KeInitializeMutex(memory, 0);
}
static void make_fast_mutex(void *memory) {
    ExInitializeFastMutex(memory);
}
static void make_guarded_mutex(void *memory) {
    KeInitializeGuardedMutex(memory);
}
static void make_spin_lock(void *memory) {
    KeInitializeSpinLock(memory);
}
static void use_zeroed_spin_lock(void *memory) {
    KIRQL level;

    KeAcquireSpinLock(memory, &level);
}
static void use_zeroed_rw_lock(void *memory) {
    (void)ExAcquireSpinLockShared(memory);
}
static void make_work_item(void *memory) {
    WORK_QUEUE_ITEM *item = memory;

    ExInitializeWorkItem(item, nothing_item, NULL);
    ExQueueWorkItem(item, DelayedWorkQueue);
}
static void make_remove_lock(void *memory) {
    IoInitializeRemoveLock((PIO_REMOVE_LOCK)memory, PAGED_TAG, 0, 0);
}
static void make_lookaside(void *memory) {
    ExInitializeNPagedLookasideList(memory, NULL, NULL, 0, 64, PAGED_TAG, 0);
}

static const struct kind {
    const char *name;
    void (*make)(void *memory);
} kinds[] = {
    {"event", make_event},
    {"timer", make_timer},
    {"timer", make_timer_ex},
    {"dpc", make_dpc},
    {"semaphore", make_semaphore},
    {"mutex", make_mutex},
    {"fastmutex", make_fast_mutex},
    {"fastmutex", make_guarded_mutex},
    {"lock", make_spin_lock},
    {"lock", use_zeroed_spin_lock},
    {"rwlock", use_zeroed_rw_lock},
    {"work", make_work_item},
    {"removelock", make_remove_lock},
    {"lookaside", make_lookaside},
};

static void in_paged_pool(void *argument) {
    const struct kind *kind = argument;
    void *memory = ExAllocatePool2(POOL_FLAG_PAGED, 512, PAGED_TAG);

    kind->make(memory);
}

static void what_must_be_resident_is_told_in_paged_pool(void **state) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(kinds); i++) {
        const struct sim_finding *finding;
        char part[64];

        (void)make_node(state);
        (void)snprintf(part, sizeof(part), "%s[0] lies in paged pool (pool#", kinds[i].name);
        expect_bugcheck(in_paged_pool, (void *)(uintptr_t)&kinds[i], "0xC4", part);
        finding = sim_finding_at(world, 0);
        assert_int_equal(finding->parameters[0], 0xE1);
        assert_non_null(strstr(finding->remedy, "nonpaged"));
        assert_string_equal(finding->sites[finding->site_count - 1].what, "made");
        (void)end_node(state);
    }
}

static void use_rundown(void *argument) {
    EX_RUNDOWN_REF *rundown = ExAllocatePool2(POOL_FLAG_PAGED, sizeof(*rundown), PAGED_TAG);

    (void)argument;
    ExInitializeRundownProtection(rundown);
    assert_true(ExAcquireRundownProtection(rundown));
    ExReleaseRundownProtection(rundown);
    ExFreePoolWithTag(rundown, PAGED_TAG);
}

static void rundown_protection_may_page(void **state) {
    (void)state;
    in_thread(use_rundown, NULL);
}

static void use_rundown_at_dispatch(void *argument) {
    EX_RUNDOWN_REF *rundown = ExAllocatePool2(POOL_FLAG_PAGED, sizeof(*rundown), PAGED_TAG);
    KIRQL level;

    (void)argument;
    ExInitializeRundownProtection(rundown);
    KeRaiseIrql(DISPATCH_LEVEL, &level);
    (void)ExAcquireRundownProtection(rundown);
}

static void but_not_at_dispatch(void **state) {
    (void)state;
    expect_bugcheck(use_rundown_at_dispatch, NULL, "0xA", "rundown[0] lies in paged pool");
}

static void make_locked(void *argument) {
    KEVENT *event = ExAllocatePool2(POOL_FLAG_PAGED, sizeof(*event), PAGED_TAG);
    PMDL mdl = IoAllocateMdl(event, sizeof(*event), FALSE, FALSE, NULL);

    (void)argument;
    MmProbeAndLockPages(mdl, KernelMode, IoModifyAccess);
    KeInitializeEvent(event, NotificationEvent, FALSE);
    KeSetEvent(event, IO_NO_INCREMENT, FALSE);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
    ExFreePoolWithTag(event, PAGED_TAG);
}

static void locked_pages_are_resident(void **state) {
    (void)state;
    in_thread(make_locked, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_must_be_resident_is_told_in_paged_pool),
        KERNEL_TEST(rundown_protection_may_page),
        KERNEL_TEST(but_not_at_dispatch),
        KERNEL_TEST(locked_pages_are_resident),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
