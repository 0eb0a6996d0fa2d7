/* SPDX-License-Identifier: Apache-2.0 */
/* Up and down, rates, jitter, naming. */
#include "support.h"

static struct sim_world *world;
static struct station *a;
static struct station *b;
static struct net_link *cable;

static const struct net_link_config gigabit = {.rate_bps = GBPS,
                                               .delay_ns = 1000,
                                               .queue_bytes_max = 1 << 20,
                                               .mtu_bytes = NET_MTU_BYTES_DEFAULT};

static int set_up(void **state) {
    (void)state;
    world = world_make();
    a = station_make(world, "a");
    b = station_make(world, "b");
    cable = net_link_create(world, NULL, "cable", SIM_NAME_PLAIN, &a->port, &b->port, &gigabit);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    world_end(world);
    return 0;
}

static void both_ends_are_told_that_a_new_link_is_up(void **state) {
    (void)state;
    assert_int_equal(a->up_count, 0);
    run_all(world);
    assert_int_equal(a->up_count, 1);
    assert_int_equal(b->up_count, 1);
    assert_int_equal(a->down_count, 0);
}

static void names_follow_owner_and_link(void **state) {
    char name[SIM_NAME_BYTES];
    (void)state;
    assert_string_equal(sim_object_name(&a->port.object, name, sizeof name), "a.port0");
    assert_string_equal(sim_object_name(net_link_object(cable), name, sizeof name), "cable");
    assert_ptr_equal(net_link_port(cable, 0), &a->port);
    assert_ptr_equal(net_link_port(cable, 1), &b->port);
    run_all(world);
}

static void a_link_that_is_down_carries_nothing(void **state) {
    (void)state;
    run_all(world);
    net_link_set_up(cable, false);
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(b->count, 0);
    assert_int_equal(a->port.statistics.drops[NET_DROP_DOWN], 1);
    assert_int_equal(a->down_count, 1);
    assert_int_equal(b->down_count, 1);
    net_link_set_up(cable, true);
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(b->count, 1);
    assert_int_equal(a->up_count, 2);
}

static void going_down_loses_what_is_on_its_way(void **state) {
    (void)state;
    run_all(world);
    for (uint8_t i = 0; i < 3; i++)
        station_send(a, b, 976, i);
    run_until(world, 9000);
    assert_int_equal(b->count, 1);
    net_link_set_up(cable, false);
    net_link_set_up(cable, true);
    station_send(a, b, 976, 3);
    run_all(world);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->arrivals[1].tag, 3);
    /* The queue was lost too: the transmitter starts afresh. */
    assert_int_equal(b->arrivals[1].time_ns, 18000);
    assert_int_equal(a->port.statistics.drops[NET_DROP_DOWN], 2);
}

static void a_moment_down_is_no_news(void **state) {
    (void)state;
    run_all(world);
    net_link_set_up(cable, false);
    net_link_set_up(cable, true);
    run_all(world);
    assert_int_equal(a->down_count, 0);
    assert_int_equal(a->up_count, 1);
}

static void a_link_is_up_when_no_reason_is_left(void **state) {
    (void)state;
    net_link_set_up(cable, false);
    net_port_enable(&a->port, false);
    net_port_enable(&b->port, false);
    net_link_set_up(cable, true);
    assert_false(net_link_is_up(cable));
    net_port_enable(&a->port, true);
    assert_false(net_link_is_up(cable));
    net_port_enable(&b->port, true);
    assert_true(net_link_is_up(cable));
    run_all(world);
}

static void a_port_that_was_off_before_keeps_a_new_link_down(void **state) {
    (void)state;
    struct station *c = station_make(world, "c");
    struct station *d = station_make(world, "d");
    net_port_enable(&c->port, false);
    struct net_link *other =
        net_link_create(world, NULL, "other", SIM_NAME_PLAIN, &c->port, &d->port, NULL);
    run_all(world);
    assert_false(net_link_is_up(other));
    assert_int_equal(d->up_count, 0);
    net_port_enable(&c->port, true);
    run_all(world);
    assert_int_equal(d->up_count, 1);
}

static void a_paused_port_forgets_its_queue_when_the_link_goes_down(void **state) {
    struct wire_pfc pfc = {.enabled = 1, .quanta = {1000}};
    (void)state;
    struct net_frame *frame = net_frame_get(world, WIRE_PFC_FRAME_BYTES);
    wire_pfc_encode(&pfc, frame->bytes);
    frame->length = WIRE_PFC_FRAME_BYTES;
    net_port_send(&b->port, frame);
    run_until(world, 5000);
    station_send(a, b, 100, 1);
    net_port_sent_when(&a->port, 0);
    net_link_set_up(cable, false);
    net_link_set_up(cable, true);
    station_send(a, b, 976, 2);
    run_all(world);
    assert_int_equal(b->count, 1);
    assert_int_equal(b->arrivals[0].tag, 2);
    assert_int_equal(b->arrivals[0].time_ns, 5000 + 9000);
    assert_int_equal(a->sent_count, 1);
}

static void a_new_rate_counts_for_what_is_sent_then(void **state) {
    (void)state;
    station_send(a, b, 976, 0);
    net_link_set_rate(cable, GBPS / 10);
    station_send(a, b, 976, 1);
    run_all(world);
    assert_int_equal(net_link_rate_bps(cable), GBPS / 10);
    assert_int_equal(b->arrivals[0].time_ns, 9000);
    assert_int_equal(b->arrivals[1].time_ns, 8000 + 80000 + 1000);
}

static void a_backlog_is_the_same_at_another_rate(void **state) {
    static const uint64_t rates[] = {GBPS / 1000, GBPS * 1000, 1000, GBPS};
    (void)state;
    run_all(world);
    for (uint8_t i = 0; i < 4; i++)
        station_send(a, b, 976, i);
    run_until(world, 8000);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(rates); i++) {
        net_link_set_rate(cable, rates[i]);
        assert_in_range(net_port_backlog_bytes(&a->port), 2999 - i, 3000);
    }
    run_until(world, 20000);
    assert_in_range(net_port_backlog_bytes(&a->port), 1490, 1500);
    station_send(a, b, 976, 4);
    assert_in_range(net_port_backlog_bytes(&a->port), 2490, 2500);
    net_port_sent_when(&a->port, 1000);
    run_all(world);
    assert_int_equal(a->sent_ns, 32000);
    assert_int_equal(b->arrivals[4].time_ns, 41000);
}

static void pacing_follows_a_change_of_rate(void **state) {
    (void)state;
    run_all(world);
    for (uint8_t i = 0; i < 4; i++)
        station_send(a, b, 976, i);
    net_link_set_rate(cable, GBPS / 10);
    station_send(a, b, 976, 4);
    net_port_sent_when(&a->port, 3000);
    run_all(world);
    assert_int_equal(a->sent_ns, 16000);
    net_port_sent_when(&a->port, 3000);
    run_all(world);
    assert_int_equal(a->sent_count, 2);
}

static void a_raised_rate_overtakes_nothing(void **state) {
    (void)state;
    net_link_set_rate(cable, 1000000);
    station_send(a, b, 976, 0);
    station_send(a, b, 976, 1);
    net_link_set_rate(cable, NET_RATE_BPS_MAX);
    station_send(a, b, 976, 2);
    run_all(world);
    assert_int_equal(b->count, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(b->arrivals[i].tag, i);
}

/* Takes option 1 or more of every jitter choice, in turn. */
struct jitter_chooser {
    struct sim_chooser base;
    uint32_t asked;
    uint32_t option_count;
    bool labels_are_right;
};

static void jitter_begin(struct sim_chooser *chooser, uint64_t seed) {
    (void)chooser;
    (void)seed;
}

static uint32_t jitter_choose(struct sim_chooser *chooser, struct sim_world *w,
                              const struct sim_choice *choice, const struct sim_choice_key *key) {
    struct jitter_chooser *jitter = (struct jitter_chooser *)chooser;
    (void)w;
    (void)key;
    if (choice->kind != SIM_CHOICE_DELAY)
        return 0;
    jitter->option_count = choice->option_count;
    jitter->labels_are_right =
        strcmp(choice->options[0].label, "0") == 0 && strcmp(choice->options[1].label, "+1us") == 0;
    return jitter->asked++ == 0 ? choice->option_count - 1 : 0;
}

static void jitter_end(struct sim_chooser *chooser) {
    (void)chooser;
}

static void jitter_is_a_choice_that_keeps_order(void **state) {
    struct jitter_chooser chooser = {.base = {.name = "jitter",
                                              .begin = jitter_begin,
                                              .choose = jitter_choose,
                                              .end = jitter_end,
                                              .destroy = jitter_end}};
    const struct sim_config config = {.chooser = &chooser.base, .steps_max = 1000000};
    struct net_link_config jittery = gigabit;
    (void)state;
    jittery.jitter_max_ns = 10000;
    world = sim_world_create(&config);
    net_init(world);
    a = station_make(world, "a");
    b = station_make(world, "b");
    cable = net_link_create(world, NULL, "cable", SIM_NAME_PLAIN, &a->port, &b->port, &jittery);
    station_send(a, b, 976, 0);
    station_send(a, b, 476, 1);
    station_send(a, b, 1976, 2);
    run_all(world);
    assert_int_equal(chooser.asked, 3);
    assert_int_equal(chooser.option_count, 5);
    assert_true(chooser.labels_are_right);
    assert_int_equal(b->arrivals[0].time_ns, 9000 + 10000);
    assert_int_equal(b->arrivals[1].time_ns, 19000);
    assert_int_equal(b->arrivals[1].tag, 1);
    assert_int_equal(b->arrivals[2].time_ns, 8000 + 4000 + 16000 + 1000);
    world_end(world);
}

static void jitter_is_quiet_without_a_chooser(void **state) {
    struct net_link_config jittery = gigabit;
    (void)state;
    jittery.jitter_max_ns = 1000000;
    world = world_make();
    a = station_make(world, "a");
    b = station_make(world, "b");
    net_link_create(world, NULL, "cable", SIM_NAME_PLAIN, &a->port, &b->port, &jittery);
    station_send(a, b, 976, 0);
    run_all(world);
    assert_int_equal(b->arrivals[0].time_ns, 9000);
    world_end(world);
}

static void a_reset_brings_the_fabric_back(void **state) {
    const struct sim_config config = {.seed = 1, .steps_max = 1000000};
    uint64_t digests[2];
    (void)state;
    run_all(world);
    station_send(a, b, 976, 0);
    sim_world_snapshot(world);
    for (int i = 0; i < 2; i++) {
        sim_world_reset(world, &config);
        assert_int_equal(b->count, 0);
        station_send(a, b, 976, 1);
        net_link_set_rate(cable, GBPS / 2);
        run_all(world);
        assert_int_equal(b->count, 2);
        digests[i] = sim_digest(world);
        net_link_set_up(cable, false);
    }
    assert_int_equal(digests[0], digests[1]);
    run_all(world);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(both_ends_are_told_that_a_new_link_is_up),
        TEST(names_follow_owner_and_link),
        TEST(a_link_that_is_down_carries_nothing),
        TEST(going_down_loses_what_is_on_its_way),
        TEST(a_moment_down_is_no_news),
        TEST(a_link_is_up_when_no_reason_is_left),
        TEST(a_port_that_was_off_before_keeps_a_new_link_down),
        TEST(a_paused_port_forgets_its_queue_when_the_link_goes_down),
        TEST(a_new_rate_counts_for_what_is_sent_then),
        TEST(a_backlog_is_the_same_at_another_rate),
        TEST(pacing_follows_a_change_of_rate),
        TEST(a_raised_rate_overtakes_nothing),
        cmocka_unit_test(jitter_is_a_choice_that_keeps_order),
        cmocka_unit_test(jitter_is_quiet_without_a_chooser),
        TEST(a_reset_brings_the_fabric_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
