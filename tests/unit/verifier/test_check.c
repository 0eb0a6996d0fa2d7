/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger's checks: each sees what is spoilt. */
#include <ntddk.h>

#include <sim/check.h>

#include "fixture.h"
#include "shadow.h"

static NDK_QP *qp;

static void post_two(void *argument) {
    static uint64_t token[3];
    NDK_PD *pd;
    NDK_CQ *cq;

    (void)argument;
    open_adapter();
    pd = open_pd();
    cq = open_cq();
    qp = open_qp(pd, cq, &token[2]);
    CHECK(qp->Dispatch->NdkSend(qp, &token[0], NULL, 0, 0) == fake.status);
    CHECK(qp->Dispatch->NdkReceive(qp, &token[1], NULL, 0) == fake.status);
}

static struct vrf_shadow *shadow_of(const void *object) {
    return vrf_shadow_find(vrf_world_of(fixture.world), object);
}

static void spoil_requests(void) {
    shadow_of(qp)->request_count++;
}
static void spoil_count(void) {
    shadow_of(qp)->part.qp.receive->count++;
}
static void spoil_signalled(void) {
    shadow_of(qp)->part.qp.initiator->signalled_count--;
}
static void spoil_outstanding(void) {
    shadow_of(&fake.cq)->part.cq.outstanding_count--;
}
static void spoil_name(void) {
    shadow_of(qp)->object.id = 0;
}
static void spoil_live(void) {
    struct vrf_world *verifier = vrf_world_of(fixture.world);

    verifier->live_first = verifier->live_first->live_next;
}

static void each_check_sees_what_is_spoilt(void **state) {
    static const struct {
        void (*spoil)(void);
        const char *name;
    } cases[] = {{spoil_requests, "verifier.requests"}, {spoil_count, "verifier.works"},
                 {spoil_signalled, "verifier.works"},   {spoil_outstanding, "verifier.works"},
                 {spoil_name, "verifier.objects"},      {spoil_live, "verifier.objects"}};

    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(cases); i++) {
        if (i > 0) {
            fixture_make(NULL, false);
        }
        (void)run(post_two);
        expect_no_finding();
        assert_true(sim_check_all(fixture.world));
        cases[i].spoil();
        assert_false(sim_check_all(fixture.world));
        assert_string_equal(sim_finding_at(fixture.world, 0)->name, cases[i].name);
        if (i + 1 < SIM_ARRAY_COUNT(cases)) {
            fixture_end();
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        VRF_TEST(each_check_sees_what_is_spoilt),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
