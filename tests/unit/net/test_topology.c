/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static struct sim_world *world;

static int set_up(void **state) {
    (void)state;
    world = world_make();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    run_all(world);
    world_end(world);
    return 0;
}

static struct net_switch *switch_make(uint32_t port_count) {
    const struct net_switch_config config = {.port_count = port_count, .latency_ns = 100};
    return net_switch_create(world, NULL, "sw", SIM_NAME_INDEXED, &config);
}

static struct net_link *plug(struct net_port *x, struct net_port *y, uint32_t mtu_bytes) {
    struct net_link_config config = net_link_config_default;
    config.mtu_bytes = mtu_bytes;
    config.delay_ns = 1000;
    return net_link_create(world, NULL, "link", SIM_NAME_INDEXED, x, y, &config);
}

static const struct wire_ip_addr v6 = {{0xFD, [15] = 9}};

static void every_port_has_a_mac_of_its_own(void **state) {
    const struct wire_mac taken = {{0x02, 0, 0, 0, 0, 2}};
    (void)state;
    struct station *a = station_make(world, "a");
    struct station *b = sim_alloc(world, sizeof *b);
    sim_object_init(world, &b->object, NULL, "b", SIM_NAME_PLAIN);
    net_port_init(world, &b->port, &b->object, &taken, &station_ops, b);
    struct station *c = station_make(world, "c");
    assert_memory_equal(a->port.mac.bytes, "\x02\0\0\0\0\x01", 6);
    assert_memory_equal(b->port.mac.bytes, "\x02\0\0\0\0\x02", 6);
    assert_memory_equal(c->port.mac.bytes, "\x02\0\0\0\0\x03", 6);
    assert_ptr_equal(net_port_by_mac(world, &taken), &b->port);
    assert_ptr_equal(net_port_next(world, NULL), &a->port);
    assert_ptr_equal(net_port_next(world, &b->port), &c->port);
    assert_null(net_port_next(world, &c->port));
}

static void an_address_belongs_to_one_port(void **state) {
    const struct wire_ip_addr v4 = wire_ip_addr_from_v4(0x0A000001);
    (void)state;
    struct station *a = station_make(world, "a");
    struct station *b = station_make(world, "b");
    assert_true(net_port_address_add(&a->port, &v4));
    assert_true(net_port_address_add(&a->port, &v6));
    assert_false(net_port_address_add(&b->port, &v4));
    assert_int_equal(net_port_address_count(&a->port), 2);
    assert_true(wire_ip_addr_equal(net_port_address_at(&a->port, 1), &v6));
    assert_null(net_port_address_at(&a->port, 2));
    assert_ptr_equal(net_port_by_address(world, &v6), &a->port);
    assert_int_equal(net_port_address_count(&b->port), 0);
}

static void a_neighbour_is_found_through_switches(void **state) {
    struct net_neighbour way;
    (void)state;
    struct station *a = station_make(world, "a");
    struct station *b = station_make(world, "b");
    struct net_switch *first = switch_make(2);
    struct net_switch *second = switch_make(2);
    plug(&a->port, net_switch_port(first, 0), 4200);
    plug(net_switch_port(first, 1), net_switch_port(second, 1), 1500);
    plug(&b->port, net_switch_port(second, 0), 9000);
    net_port_address_add(&b->port, &v6);
    assert_true(net_neighbour_find(&a->port, &v6, &way));
    assert_ptr_equal(way.port, &b->port);
    assert_memory_equal(way.mac.bytes, b->port.mac.bytes, 6);
    assert_int_equal(way.mtu_bytes, 1500);
    assert_int_equal(way.hops, 3);
    assert_int_equal(way.delay_ns, 3 * 1000 + 2 * 100);
    /* And frames take that way. */
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(b->count, 1);
}

static void an_own_address_is_no_way_off(void **state) {
    struct net_neighbour way;
    (void)state;
    struct station *a = station_make(world, "a");
    net_port_address_add(&a->port, &v6);
    assert_true(net_neighbour_find(&a->port, &v6, &way));
    assert_ptr_equal(way.port, &a->port);
    assert_int_equal(way.hops, 0);
}

static void what_is_not_wired_is_not_reachable(void **state) {
    const struct wire_ip_addr nobody = wire_ip_addr_from_v4(1);
    struct net_neighbour way;
    (void)state;
    struct station *a = station_make(world, "a");
    struct station *b = station_make(world, "b");
    struct station *c = station_make(world, "c");
    net_port_address_add(&c->port, &v6);
    assert_false(net_neighbour_find(&a->port, &v6, &way));
    assert_false(net_neighbour_find(&a->port, &nobody, &way));
    plug(&a->port, &b->port, 4200);
    assert_false(net_neighbour_find(&a->port, &v6, &way));
    struct net_switch *sw = switch_make(2);
    plug(&c->port, net_switch_port(sw, 0), 4200);
    assert_false(net_neighbour_find(&a->port, &v6, &way));
}

static void a_link_that_is_down_is_still_a_way(void **state) {
    struct net_neighbour way;
    (void)state;
    struct station *a = station_make(world, "a");
    struct station *b = station_make(world, "b");
    struct net_link *cable = plug(&a->port, &b->port, 4200);
    net_port_address_add(&b->port, &v6);
    net_link_set_up(cable, false);
    assert_true(net_neighbour_find(&a->port, &v6, &way));
    assert_int_equal(way.hops, 1);
}

static void a_loop_of_switches_has_shortest_ways(void **state) {
    struct net_neighbour way;
    struct net_switch *ring[4];
    struct station *stations[4];
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        ring[i] = switch_make(3);
        stations[i] = station_make_as(world, "s", SIM_NAME_NUMBERED);
        plug(&stations[i]->port, net_switch_port(ring[i], 0), 4200);
    }
    for (uint32_t i = 0; i < 4; i++)
        plug(net_switch_port(ring[i], 1), net_switch_port(ring[(i + 1) % 4], 2), 4200);
    net_port_address_add(&stations[3]->port, &v6);
    static const uint32_t hops[] = {3, 4, 3, 0};
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(net_neighbour_find(&stations[i]->port, &v6, &way));
        assert_int_equal(way.hops, hops[i]);
    }
    for (uint32_t i = 0; i < 3; i++)
        station_send(stations[i], stations[3], 100, (uint8_t)i);
    run_all(world);
    assert_int_equal(stations[3]->count, 3);
}

static void wiring_may_grow_while_frames_flow(void **state) {
    (void)state;
    struct net_switch *sw = switch_make(40);
    struct station *first = station_make(world, "first");
    plug(&first->port, net_switch_port(sw, 0), 4200);
    for (uint32_t i = 1; i < 40; i++) {
        struct station *next = station_make_as(world, "next", SIM_NAME_NUMBERED);
        plug(&next->port, net_switch_port(sw, i), 4200);
        station_send(first, next, 100, 0);
        station_send(next, first, 100, 0);
        run_all(world);
        assert_int_equal(next->count, 1);
        assert_int_equal(first->count, i);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_port_has_a_mac_of_its_own),       TEST(an_address_belongs_to_one_port),
        TEST(a_neighbour_is_found_through_switches), TEST(an_own_address_is_no_way_off),
        TEST(what_is_not_wired_is_not_reachable),    TEST(a_link_that_is_down_is_still_a_way),
        TEST(a_loop_of_switches_has_shortest_ways),  TEST(wiring_may_grow_while_frames_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
