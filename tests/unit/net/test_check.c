/* SPDX-License-Identifier: Apache-2.0 */
/* The fabric's checks: each sees what is spoilt. */
#include "internal.h"

#include <sim/check.h>

#include "support.h"

static struct net_link *wire;

static void spoil_live(struct net *net) {
    net->frame_live_count++;
}
static void spoil_pool(struct net *net) {
    struct net_frame *frame = net_frame_get(net->world, 100);
    net_frame_put(frame);
    frame->is_pooled = false;
}
static void spoil_held(struct net *net) {
    net->first_port->held_bytes += 84;
}
static void spoil_reason(struct net *net) {
    (void)net;
    wire->ports_off |= 1;
}
static void spoil_end(struct net *net) {
    net->first_port->peer = net->first_port;
}

static void each_check_sees_what_is_spoilt(void **state) {
    static const struct {
        void (*spoil)(struct net *net);
        const char *name;
    } cases[] = {{spoil_live, "net.frames"},
                 {spoil_pool, "net.frames"},
                 {spoil_held, "net.queues"},
                 {spoil_reason, "net.links"},
                 {spoil_end, "net.links"}};
    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(cases); i++) {
        struct sim_world *world = world_make();
        struct station *a = station_make(world, "a");
        struct station *b = station_make(world, "b");
        wire = net_link_create(world, NULL, "wire", SIM_NAME_PLAIN, &a->port, &b->port, NULL);
        assert_true(sim_check_all(world));
        cases[i].spoil(net_of(world));
        assert_false(sim_check_all(world));
        assert_string_equal(sim_finding_at(world, 0)->name, cases[i].name);
        sim_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_check_sees_what_is_spoilt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
