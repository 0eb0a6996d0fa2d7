/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a posted send and its polled completion cost through the interposed tables: with judging,
 * without it, and on the fake provider's own tables. Two schedule points belong to the interposed
 * ones in either case; they are the model's, not the judge's, and are printed on their own.
 */
#include <ntddk.h>

#include <sim/host.h>

#include "fixture.h"

#define ROUNDS 1000000u
#define TAG 0x74736554u

static uint64_t measured_ns;
static bool is_bare;
static bool has_buffer;

static void rounds(const NDK_QP_DISPATCH *qp, const NDK_CQ_DISPATCH *cq, const NDK_SGE *sge) {
    NDK_RESULT results[4];
    uint64_t began_ns = sim_host_wall_ns();

    for (uint32_t i = 0; i < ROUNDS; i++) {
        CHECK(qp->NdkSend(&fake.qp, &heard, sge, sge != NULL ? 1 : 0, 0) == STATUS_SUCCESS);
        fake_result(STATUS_SUCCESS, is_bare ? &heard : last_qp_stamp, FAKE_POINTER(1));
        CHECK(cq->NdkGetCqResults(&fake.cq, results, 4) == 1);
        CHECK(results[0].RequestContext == &heard);
    }
    measured_ns = sim_host_wall_ns() - began_ns;
}

static void stream(void *argument) {
    const NDK_QP_DISPATCH *qp_table = fake.qp.Dispatch;
    const NDK_CQ_DISPATCH *cq_table = fake.cq.Dispatch;
    NDK_SGE sge = {.Length = 256, .MemoryRegionToken = 5};
    NDK_PD *pd;
    NDK_CQ *cq;

    (void)argument;
    sge.VirtualAddress = ExAllocatePoolWithTag(NonPagedPoolNx, 256, TAG);
    open_adapter();
    pd = open_pd();
    cq = open_cq();
    open_qp(pd, cq, NULL);
    if (!is_bare) {
        qp_table = fake.qp.Dispatch;
        cq_table = fake.cq.Dispatch;
    }
    rounds(qp_table, cq_table, has_buffer ? &sge : NULL);
}

static void points(void *argument) {
    uint64_t began_ns = sim_host_wall_ns();

    (void)argument;
    for (uint32_t i = 0; i < 2 * ROUNDS; i++) {
        sim_point(NULL, SIM_ACCESS_NONE, SIM_POINT_COST_NS);
    }
    measured_ns = sim_host_wall_ns() - began_ns;
}

static uint64_t measure(void (*entry)(void *argument), bool judging) {
    fixture_make(NULL, false);
    vrf_judge_set(fixture.world, judging);
    run(entry);
    SIM_ASSERT(sim_finding_count(fixture.world) == 0);
    fixture_end();
    return measured_ns / ROUNDS;
}

static void print_ratio(const char *what, uint64_t off_ns, uint64_t on_ns) {
    printf("%-36s %4llu ns judging off, %4llu ns on\n", what, (unsigned long long)off_ns,
           (unsigned long long)on_ns);
}

int main(void) {
    uint64_t off_ns;

    is_bare = true;
    printf("send + poll, provider's own tables   %4llu ns\n",
           (unsigned long long)measure(stream, true));
    printf("two schedule points                  %4llu ns\n",
           (unsigned long long)measure(points, true));
    is_bare = false;
    off_ns = measure(stream, false);
    print_ratio("send + poll, interposed", off_ns, measure(stream, true));
    has_buffer = true;
    off_ns = measure(stream, false);
    print_ratio("send + poll, one buffer, interposed", off_ns, measure(stream, true));
    return 0;
}
