/* SPDX-License-Identifier: Apache-2.0 */
/* Forwarding, output queues, partitions. At 1 Gb/s, 1000 bytes on the wire take 8,000 ns. */
#include "support.h"

static struct sim_world *world;
static struct station *station[3];
static struct net_switch *sw;

static const struct net_link_config gigabit = {.rate_bps = GBPS,
                                               .delay_ns = 1000,
                                               .queue_bytes_max = 1 << 20,
                                               .mtu_bytes = NET_MTU_BYTES_DEFAULT};

static void build(uint64_t queue_bytes_max) {
    static const char *const names[] = {"a", "b", "c"};
    const struct net_switch_config config = {
        .port_count = 4, .latency_ns = 500, .queue_bytes_max = queue_bytes_max};
    world = world_make();
    sw = net_switch_create(world, NULL, "sw", SIM_NAME_PLAIN, &config);
    for (uint32_t i = 0; i < 3; i++) {
        station[i] = station_make(world, names[i]);
        net_link_create(world, NULL, "link", SIM_NAME_INDEXED, &station[i]->port,
                        net_switch_port(sw, i), &gigabit);
    }
    run_all(world);
}

static int set_up(void **state) {
    (void)state;
    build(0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    world_end(world);
    return 0;
}

static void a_frame_reaches_the_owner_of_its_mac_alone(void **state) {
    (void)state;
    station_send(station[0], station[2], 976, 5);
    run_all(world);
    assert_int_equal(station[0]->count, 0);
    assert_int_equal(station[1]->count, 0);
    assert_int_equal(station[2]->count, 1);
    assert_int_equal(station[2]->arrivals[0].time_ns, 9000 + 500 + 9000);
}

static void ports_are_named_after_the_switch(void **state) {
    char name[SIM_NAME_BYTES];
    (void)state;
    assert_string_equal(sim_object_name(&net_switch_port(sw, 3)->object, name, sizeof name),
                        "sw.port3");
    assert_int_equal(net_switch_port_count(sw), 4);
    assert_string_equal(sim_object_name(net_switch_object(sw), name, sizeof name), "sw");
}

static void an_unknown_mac_goes_nowhere(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct net_frame *frame = frame_plain(station[0], station[1], 100, 0);
        memset(frame->bytes, i == 0 ? 0xFF : i == 1 ? 0x33 : 0x02, 6);
        net_port_send(&station[0]->port, frame);
    }
    run_all(world);
    assert_int_equal(net_switch_port(sw, 0)->statistics.drops[NET_DROP_UNKNOWN], 3);
    assert_int_equal(station[1]->count + station[2]->count, 0);
}

static void a_frame_is_not_sent_back_where_it_came_from(void **state) {
    (void)state;
    station_send(station[0], station[0], 100, 0);
    run_all(world);
    assert_int_equal(station[0]->count, 0);
    assert_int_equal(net_switch_port(sw, 0)->statistics.drops[NET_DROP_UNKNOWN], 1);
}

static void two_senders_share_an_output_in_order_of_arrival(void **state) {
    (void)state;
    station_send(station[0], station[2], 976, 1);
    station_send(station[1], station[2], 476, 2);
    station_send(station[0], station[2], 976, 3);
    run_all(world);
    assert_int_equal(station[2]->count, 3);
    assert_int_equal(station[2]->arrivals[0].tag, 2);
    assert_int_equal(station[2]->arrivals[0].time_ns, 5000 + 500 + 5000);
    assert_int_equal(station[2]->arrivals[1].tag, 1);
    assert_int_equal(station[2]->arrivals[1].time_ns, 9000 + 500 + 9000);
    assert_int_equal(station[2]->arrivals[2].time_ns, 17000 + 500 + 9000);
}

static void a_full_output_queue_drops_the_newest(void **state) {
    (void)state;
    build(2500);
    for (uint8_t i = 0; i < 6; i++) {
        station_send(station[0], station[2], 976, i);
        station_send(station[1], station[2], 976, (uint8_t)(i + 10));
    }
    run_all(world);
    struct net_port *out = net_switch_port(sw, 2);
    assert_true(out->statistics.drops[NET_DROP_QUEUE] != 0);
    assert_int_equal(station[2]->count + out->statistics.drops[NET_DROP_QUEUE], 12);
}

static void a_partition_cuts_both_ways_and_spares_the_rest(void **state) {
    (void)state;
    net_switch_partition(sw, 1u << 0);
    station_send(station[0], station[1], 100, 0);
    station_send(station[1], station[0], 100, 0);
    station_send(station[1], station[2], 100, 0);
    run_all(world);
    assert_int_equal(station[0]->count, 0);
    assert_int_equal(station[1]->count, 0);
    assert_int_equal(station[2]->count, 1);
    net_switch_partition(sw, 0);
    station_send(station[0], station[1], 100, 0);
    run_all(world);
    assert_int_equal(station[1]->count, 1);
}

static void a_switch_goes_down_with_its_links(void **state) {
    (void)state;
    net_switch_set_up(sw, false);
    run_all(world);
    assert_int_equal(station[0]->down_count, 1);
    assert_false(net_port_is_up(&station[1]->port));
    net_switch_set_up(sw, true);
    run_all(world);
    station_send(station[0], station[1], 100, 0);
    run_all(world);
    assert_int_equal(station[1]->count, 1);
}

static void what_a_switch_forwards_is_not_counted_as_made_there(void **state) {
    (void)state;
    station_send(station[0], station[1], 100, 0);
    run_all(world);
    const struct net_port_statistics *s = &net_switch_port(sw, 1)->statistics;
    assert_int_equal(s->frames_out, 1);
    assert_int_equal(s->class_out[NET_CLASS_OTHER], 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_frame_reaches_the_owner_of_its_mac_alone),
        TEST(ports_are_named_after_the_switch),
        TEST(an_unknown_mac_goes_nowhere),
        TEST(a_frame_is_not_sent_back_where_it_came_from),
        TEST(two_senders_share_an_output_in_order_of_arrival),
        cmocka_unit_test_teardown(a_full_output_queue_drops_the_newest, tear_down),
        TEST(a_partition_cuts_both_ways_and_spares_the_rest),
        TEST(a_switch_goes_down_with_its_links),
        TEST(what_a_switch_forwards_is_not_counted_as_made_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
