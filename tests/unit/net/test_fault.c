/* SPDX-License-Identifier: Apache-2.0 */
/* State faults of links and switches: when they begin, whom they hit, how they end. */
#include "support.h"

static struct sim_world *world;
static struct station *a;
static struct station *b;
static struct net_switch *sw;
static struct net_link *left;
static struct net_link *right;

static int set_up(void **state) {
    const struct net_switch_config config = {.port_count = 2, .latency_ns = 300};
    (void)state;
    world = world_make();
    a = station_make(world, "a");
    b = station_make(world, "b");
    sw = net_switch_create(world, NULL, "sw", SIM_NAME_PLAIN, &config);
    left = net_link_create(world, NULL, "left", SIM_NAME_PLAIN, &a->port, net_switch_port(sw, 0),
                           NULL);
    right = net_link_create(world, NULL, "right", SIM_NAME_PLAIN, net_switch_port(sw, 1), &b->port,
                            NULL);
    run_all(world);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    world_end(world);
    return 0;
}

static void every_point_says_what_it_does(void **state) {
    static const char *const names[] = {
        "link.drop",   "link.duplicate",   "link.reorder",       "link.corrupt",  "link.delay",
        "frame.drop",  "frame.duplicate",  "frame.reorder",      "frame.corrupt", "frame.delay",
        "link.down",   "link.flap",        "link.rate",          "link.truncate", "frame.truncate",
        "switch.down", "switch.partition", "switch.pause_storm",
    };
    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(names); i++) {
        const struct sim_fault_point *point = sim_fault_point_find(world, names[i]);
        assert_non_null(point);
        assert_true(strlen(point->about) > 20);
        assert_int_equal(point->about[strlen(point->about) - 1], '.');
    }
}

static void a_timed_flap_takes_the_link_down_without_any_frame(void **state) {
    (void)state;
    struct sim_fault_plan *plan = plan_add(
        world, "link.flap",
        (struct sim_fault_plan){.subject = "left", .from_ns = 1000000, .parameter = 5000000});
    net_fault_arm(world);
    run_until(world, 999999);
    assert_true(net_link_is_up(left));
    run_until(world, 1000001);
    assert_false(net_link_is_up(left));
    assert_true(net_link_is_up(right));
    assert_int_equal(a->link_ns, 1000000);
    run_all(world);
    assert_true(net_link_is_up(left));
    assert_int_equal(a->link_ns, 6000000);
    assert_int_equal(plan->fired_count, 1);
}

static void a_flap_happens_once(void **state) {
    (void)state;
    plan_add(world, "link.flap", (struct sim_fault_plan){.subject = "left", .parameter = 1000});
    net_fault_arm(world);
    run_until(world, 500000);
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(b->count, 1);
    assert_int_equal(a->down_count, 1);
}

static void a_window_ends_what_it_began(void **state) {
    (void)state;
    plan_add(world, "link.down",
             (struct sim_fault_plan){.subject = "right", .from_ns = 1000, .to_ns = 5000});
    plan_add(world, "link.rate",
             (struct sim_fault_plan){
                 .subject = "left", .from_ns = 1000, .to_ns = 6000, .parameter = 1000000});
    net_fault_arm(world);
    run_until(world, 3000);
    assert_false(net_link_is_up(right));
    assert_int_equal(net_link_rate_bps(left), 1000000);
    run_until(world, 5500);
    assert_true(net_link_is_up(right));
    assert_int_equal(net_link_rate_bps(left), 1000000);
    run_all(world);
    assert_int_equal(net_link_rate_bps(left), 100 * GBPS);
}

static void a_pattern_hits_every_link_it_matches(void **state) {
    (void)state;
    struct sim_fault_plan *plan = plan_add(world, "link.down", (struct sim_fault_plan){0});
    net_fault_arm(world);
    run_all(world);
    assert_false(net_link_is_up(left));
    assert_false(net_link_is_up(right));
    assert_int_equal(plan->fired_count, 2);
}

static void a_trigger_begins_a_state_fault(void **state) {
    (void)state;
    plan_add(
        world, "link.flap",
        (struct sim_fault_plan){
            .subject = "right", .after_event = "tx.cm.req", .after_nth = 2, .parameter = 9000});
    net_fault_arm(world);
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    run_all(world);
    assert_int_equal(b->count, 1);
    assert_int_equal(b->down_count, 0);
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    run_all(world);
    assert_int_equal(b->down_count, 1);
    assert_int_equal(b->up_count, 2);
    assert_int_equal(b->count, 1);
}

static void the_nth_frame_takes_the_link_down(void **state) {
    (void)state;
    plan_add(world, "link.flap",
             (struct sim_fault_plan){.subject = "left", .nth = 3, .parameter = 1000000});
    net_fault_arm(world);
    for (uint8_t i = 0; i < 5; i++) {
        station_send(a, b, 100, i);
        run_until(world, sim_now_ns(world) + 10000);
    }
    assert_int_equal(b->count, 2);
    assert_int_equal(left == right, 0);
    run_all(world);
    assert_int_equal(a->down_count, 1);
    assert_int_equal(a->port.statistics.drops[NET_DROP_DOWN], 3);
}

static void a_class_takes_the_link_down(void **state) {
    (void)state;
    plan_add(world, "link.flap",
             (struct sim_fault_plan){.subject = "right", .class_pattern = "cm.dreq"});
    net_fault_arm(world);
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_DREQ));
    run_all(world);
    assert_int_equal(b->count, 0);
    assert_int_equal(b->link_ns >= 5000000, 1);
}

static void a_switch_that_is_down_takes_its_links_along(void **state) {
    (void)state;
    plan_add(world, "switch.down", (struct sim_fault_plan){.from_ns = 100, .to_ns = 100000});
    net_fault_arm(world);
    run_until(world, 200);
    assert_false(net_switch_is_up(sw));
    assert_int_equal(a->down_count, 1);
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(b->count, 0);
    assert_int_equal(a->up_count, 2);
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(b->count, 1);
}

static void a_partition_cuts_and_heals(void **state) {
    (void)state;
    plan_add(world, "switch.partition", (struct sim_fault_plan){.parameter = 1});
    net_fault_arm(world);
    run_all(world);
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(b->count, 0);
    assert_int_equal(a->down_count, 0);
    assert_int_equal(net_switch_port(sw, 0)->statistics.drops[NET_DROP_PARTITION], 1);
    sim_fault_enable(world, false);
    net_heal(world);
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(b->count, 1);
}

/* A pause of 65535 quanta is 335,539 ns at 100 Gb/s. */
static void a_pause_storm_silences_the_neighbours(void **state) {
    (void)state;
    plan_add(world, "switch.pause_storm", (struct sim_fault_plan){.from_ns = 0, .to_ns = 3000000});
    net_fault_arm(world);
    run_until(world, 100000);
    for (uint8_t i = 0; i < 4; i++)
        station_send(a, b, 100, i);
    run_until(world, 3000000);
    assert_int_equal(b->count, 0);
    assert_true(a->port.statistics.pauses_in >= 17);
    run_all(world);
    assert_int_equal(b->count, 4);
    assert_true(b->arrivals[0].time_ns < 3000000 + 340000);
}

static void healing_ends_everything_but_the_steps(void **state) {
    (void)state;
    plan_add(world, "link.down", (struct sim_fault_plan){.subject = "left"});
    plan_add(world, "link.rate", (struct sim_fault_plan){.subject = "right", .parameter = 1});
    plan_add(world, "switch.pause_storm", (struct sim_fault_plan){0});
    plan_add(world, "switch.down", (struct sim_fault_plan){0});
    net_fault_arm(world);
    run_until(world, 100000);
    net_link_set_up(right, false);
    sim_fault_enable(world, false);
    net_heal(world);
    assert_true(net_link_is_up(left));
    assert_false(net_link_is_up(right));
    assert_true(net_switch_is_up(sw));
    assert_int_equal(net_link_rate_bps(right), 100 * GBPS);
    net_link_set_up(right, true);
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(b->count, 1);
}

static void plans_are_armed_once_each(void **state) {
    (void)state;
    plan_add(world, "link.flap", (struct sim_fault_plan){.subject = "left", .from_ns = 1000});
    net_fault_arm(world);
    net_fault_arm(world);
    plan_add(world, "link.flap", (struct sim_fault_plan){.subject = "right", .from_ns = 1000});
    net_fault_arm(world);
    run_all(world);
    assert_int_equal(a->down_count, 1);
    assert_int_equal(b->down_count, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_point_says_what_it_does),
        TEST(a_timed_flap_takes_the_link_down_without_any_frame),
        TEST(a_flap_happens_once),
        TEST(a_window_ends_what_it_began),
        TEST(a_pattern_hits_every_link_it_matches),
        TEST(a_trigger_begins_a_state_fault),
        TEST(the_nth_frame_takes_the_link_down),
        TEST(a_class_takes_the_link_down),
        TEST(a_switch_that_is_down_takes_its_links_along),
        TEST(a_partition_cuts_and_heals),
        TEST(a_pause_storm_silences_the_neighbours),
        TEST(healing_ends_everything_but_the_steps),
        TEST(plans_are_armed_once_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
