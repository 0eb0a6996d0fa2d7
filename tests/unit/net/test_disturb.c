/* SPDX-License-Identifier: Apache-2.0 */
/* What each frame fault does, to which frame, and to nothing else. */
#include "support.h"

static struct sim_world *world;
static struct station *a;
static struct station *b;

static const struct net_link_config gigabit = {.rate_bps = GBPS,
                                               .delay_ns = 1000,
                                               .queue_bytes_max = 1 << 20,
                                               .mtu_bytes = NET_MTU_BYTES_DEFAULT};

static int set_up(void **state) {
    (void)state;
    world = world_make();
    a = station_make(world, "a");
    b = station_make(world, "b");
    net_link_create(world, NULL, "cable", SIM_NAME_PLAIN, &a->port, &b->port, &gigabit);
    run_all(world);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    world_end(world);
    return 0;
}

/* Frames of 1000 bytes on the wire: number i arrives at (i + 1) * 8000 + 1000. */
static void send_row(uint8_t count) {
    for (uint8_t i = 0; i < count; i++)
        station_send(a, b, 976, i);
}

static void assert_tags(const char *tags) {
    assert_int_equal(b->count, strlen(tags));
    for (uint32_t i = 0; i < b->count; i++)
        assert_int_equal(b->arrivals[i].tag, tags[i] - '0');
}

static const struct sim_record *last_of(uint16_t type) {
    const struct sim_record *record;
    for (uint32_t back = 0; (record = sim_trace_last(world, back)) != NULL; back++)
        if (record->type == type)
            return record;
    return NULL;
}

static void the_nth_frame_is_dropped(void **state) {
    (void)state;
    plan_add(world, "link.drop", (struct sim_fault_plan){.nth = 2});
    send_row(4);
    run_all(world);
    assert_tags("023");
    /* It took its time on the wire all the same. */
    assert_int_equal(b->arrivals[1].time_ns, 25000);
    assert_int_equal(a->port.statistics.drops[NET_DROP_FAULT], 1);
    const struct sim_record *record = last_of(NET_TRACE_FRAME_DROP);
    assert_non_null(record);
    assert_int_equal(record->object_id[0], a->port.object.id);
    assert_int_equal(record->value[1], NET_DROP_FAULT);
}

static void a_port_fault_is_for_the_sending_port_alone(void **state) {
    (void)state;
    plan_add(world, "frame.drop", (struct sim_fault_plan){.subject = "b.*"});
    send_row(2);
    station_send(b, a, 100, 0);
    run_all(world);
    assert_tags("01");
    assert_int_equal(a->count, 0);
}

static void a_link_fault_is_for_both_directions(void **state) {
    (void)state;
    plan_add(world, "link.drop", (struct sim_fault_plan){.subject = "cable"});
    plan_add(world, "link.drop", (struct sim_fault_plan){.subject = "other"});
    send_row(1);
    station_send(b, a, 100, 0);
    run_all(world);
    assert_int_equal(a->count + b->count, 0);
}

static void a_class_picks_the_frames(void **state) {
    (void)state;
    struct sim_fault_plan *plan =
        plan_add(world, "frame.drop", (struct sim_fault_plan){.class_pattern = "cm.rep"});
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REP));
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_RTU));
    run_all(world);
    assert_int_equal(b->count, 2);
    assert_int_equal(plan->passed_count, 1);
    assert_int_equal(plan->fired_count, 1);
}

static void a_class_pattern_counts_its_own_passings(void **state) {
    static const uint8_t payload[8];
    (void)state;
    plan_add(world, "link.drop", (struct sim_fault_plan){.class_pattern = "cm.*", .nth = 2});
    net_port_send(&a->port, frame_roce(a, b, false, WIRE_RC_SEND_ONLY, payload, 8, 0));
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    net_port_send(&a->port, frame_roce(a, b, false, WIRE_RC_SEND_ONLY, payload, 8, 0));
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_RTU));
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_DREQ));
    run_all(world);
    assert_int_equal(b->count, 4);
    assert_int_equal(a->port.statistics.class_out[NET_CLASS_CM_RTU], 1);
}

static void a_trigger_arms_a_plan(void **state) {
    (void)state;
    plan_add(world, "frame.drop",
             (struct sim_fault_plan){
                 .after_event = "tx.cm.req", .after_object = "a.*", .class_pattern = "other"});
    send_row(1);
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    station_send(a, b, 976, 5);
    run_all(world);
    assert_int_equal(b->count, 2);
}

static void a_duplicate_follows_its_original(void **state) {
    (void)state;
    plan_add(world, "link.duplicate", (struct sim_fault_plan){.nth = 1});
    send_row(2);
    run_all(world);
    assert_tags("001");
    assert_int_equal(b->arrivals[0].time_ns, 9000);
    assert_int_equal(b->arrivals[1].time_ns, 17000);
    assert_int_equal(b->arrivals[2].time_ns, 25000);
    assert_int_equal(b->arrivals[1].touched, NET_TOUCH_DUPLICATE);
    assert_int_not_equal(b->arrivals[0].id, b->arrivals[1].id);
    assert_int_equal(a->port.statistics.frames_out, 3);
}

static void a_late_duplicate_holds_nobody_up(void **state) {
    (void)state;
    plan_add(world, "link.duplicate", (struct sim_fault_plan){.nth = 1, .parameter = 50000});
    send_row(3);
    run_all(world);
    assert_tags("0120");
    assert_int_equal(b->arrivals[3].time_ns, 17000 + 50000);
}

static void a_reordered_frame_is_overtaken_by_one(void **state) {
    (void)state;
    plan_add(world, "link.reorder", (struct sim_fault_plan){.nth = 2});
    send_row(4);
    run_all(world);
    assert_tags("0213");
    /* Right behind the one that overtook it. */
    assert_int_equal(b->arrivals[2].time_ns, b->arrivals[1].time_ns);
    assert_int_equal(b->arrivals[2].touched, NET_TOUCH_REORDER);
}

static void a_reordered_frame_is_overtaken_by_as_many_as_said(void **state) {
    (void)state;
    plan_add(world, "frame.reorder", (struct sim_fault_plan){.nth = 1, .parameter = 3});
    send_row(5);
    run_all(world);
    assert_tags("12304");
}

static void a_reordered_frame_with_nobody_behind_is_just_late(void **state) {
    (void)state;
    plan_add(world, "link.reorder", (struct sim_fault_plan){.nth = 2});
    send_row(2);
    run_all(world);
    assert_tags("01");
    assert_int_equal(b->arrivals[1].time_ns, 17000 + 100000);
    /* It is in no list any more. */
    station_send(a, b, 976, 2);
    run_all(world);
    assert_tags("012");
}

static void two_reordered_frames_keep_their_order(void **state) {
    (void)state;
    plan_add(world, "link.reorder", (struct sim_fault_plan){.nth = 1, .parameter = 2});
    plan_add(world, "link.reorder", (struct sim_fault_plan){.nth = 2, .parameter = 1});
    send_row(4);
    run_all(world);
    assert_tags("2013");
}

static void a_delayed_frame_is_passed_by_others(void **state) {
    (void)state;
    plan_add(world, "link.delay", (struct sim_fault_plan){.nth = 1, .parameter = 20000});
    send_row(3);
    run_all(world);
    assert_tags("120");
    assert_int_equal(b->arrivals[2].time_ns, 29000);
    assert_int_equal(b->arrivals[2].touched, NET_TOUCH_DELAY);
}

static void a_very_late_frame_arrives(void **state) {
    (void)state;
    plan_add(world, "frame.delay",
             (struct sim_fault_plan){.class_pattern = "cm.rep", .parameter = 15 * SIM_NS_PER_S});
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REP));
    run_all(world);
    assert_int_equal(b->count, 1);
    assert_true(b->arrivals[0].time_ns > 15 * SIM_NS_PER_S);
}

static uint8_t kept[4096];
static uint32_t kept_length;

static void keep_frame(void *context, struct net_frame *frame) {
    (void)context;
    memcpy(kept, frame->bytes, frame->length);
    kept_length = frame->length;
    net_frame_put(frame);
}

static const struct net_port_ops keep_ops = {.on_frame = keep_frame};

static unsigned bits_that_differ(const uint8_t *x, const uint8_t *y, uint32_t length) {
    unsigned count = 0;
    for (uint32_t i = 0; i < length; i++)
        for (unsigned d = x[i] ^ y[i]; d != 0; d &= d - 1)
            count++;
    return count;
}

static void exactly_one_bit_is_flipped_behind_the_ethernet_header(void **state) {
    uint8_t sent[4096];
    (void)state;
    b->port.ops = &keep_ops;
    plan_add(world, "link.corrupt", (struct sim_fault_plan){0});
    for (int i = 0; i < 50; i++) {
        struct net_frame *frame = frame_cm(a, b, WIRE_CM_REQ);
        struct wire_roce_packet packet;
        memcpy(sent, frame->bytes, frame->length);
        net_port_send(&a->port, frame);
        run_all(world);
        assert_int_equal(bits_that_differ(sent, kept, kept_length), 1);
        assert_memory_equal(sent, kept, 14);
        assert_int_equal(wire_roce_decode(sent, kept_length, &packet), WIRE_OK);
        assert_true(wire_roce_check_icrc(sent, &packet));
    }
}

static void the_bit_that_was_asked_for_is_flipped(void **state) {
    (void)state;
    b->port.ops = &keep_ops;
    plan_add(world, "frame.corrupt", (struct sim_fault_plan){.parameter = 14 * 8 + 1});
    station_send(a, b, 100, 1);
    run_all(world);
    assert_int_equal(kept[14], 0x80);
    assert_int_equal(last_of(NET_TRACE_FRAME_CORRUPT)->value[1], 14 * 8);
}

static void a_truncated_frame_keeps_its_beginning(void **state) {
    (void)state;
    b->port.ops = &keep_ops;
    struct sim_fault_plan *plan =
        plan_add(world, "link.truncate", (struct sim_fault_plan){.parameter = 60});
    station_send(a, b, 100, 1);
    run_all(world);
    assert_int_equal(kept_length, 60);
    plan->parameter = 0;
    station_send(a, b, 100, 1);
    run_all(world);
    assert_int_equal(kept_length, 50);
    plan->parameter = 1;
    station_send(a, b, 100, 1);
    run_all(world);
    assert_int_equal(kept_length, 14);
}

static void several_faults_may_meet_in_one_frame(void **state) {
    (void)state;
    plan_add(world, "link.corrupt", (struct sim_fault_plan){.nth = 1});
    plan_add(world, "link.duplicate", (struct sim_fault_plan){.nth = 1});
    plan_add(world, "frame.delay", (struct sim_fault_plan){.nth = 1, .parameter = 100000});
    send_row(2);
    run_all(world);
    assert_int_equal(b->count, 3);
    assert_int_equal(b->arrivals[0].touched, NET_TOUCH_CORRUPT | NET_TOUCH_DUPLICATE);
    assert_int_equal(b->arrivals[1].touched, 0);
    assert_int_equal(b->arrivals[2].touched,
                     NET_TOUCH_CORRUPT | NET_TOUCH_DUPLICATE | NET_TOUCH_DELAY);
}

static void losses_by_probability_follow_the_seed(void **state) {
    uint64_t digests[3];
    uint32_t counts[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        world = world_make_seeded(i == 2 ? 7 : 3);
        a = station_make(world, "a");
        b = station_make(world, "b");
        net_link_create(world, NULL, "cable", SIM_NAME_PLAIN, &a->port, &b->port, &gigabit);
        plan_add(world, "link.drop", (struct sim_fault_plan){.ppm = 200000});
        plan_add(world, "frame.reorder", (struct sim_fault_plan){.ppm = 100000});
        send_row(200);
        run_all(world);
        digests[i] = sim_digest(world);
        counts[i] = b->count;
        world_end(world);
    }
    assert_in_range(counts[0], 130, 185);
    assert_int_equal(digests[0], digests[1]);
    assert_int_equal(counts[0], counts[1]);
    assert_true(digests[0] != digests[2]);
}

static void nothing_acts_once_the_plans_are_off(void **state) {
    (void)state;
    plan_add(world, "link.drop", (struct sim_fault_plan){0});
    sim_fault_enable(world, false);
    send_row(2);
    run_all(world);
    assert_tags("01");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_nth_frame_is_dropped),
        TEST(a_port_fault_is_for_the_sending_port_alone),
        TEST(a_link_fault_is_for_both_directions),
        TEST(a_class_picks_the_frames),
        TEST(a_class_pattern_counts_its_own_passings),
        TEST(a_trigger_arms_a_plan),
        TEST(a_duplicate_follows_its_original),
        TEST(a_late_duplicate_holds_nobody_up),
        TEST(a_reordered_frame_is_overtaken_by_one),
        TEST(a_reordered_frame_is_overtaken_by_as_many_as_said),
        TEST(a_reordered_frame_with_nobody_behind_is_just_late),
        TEST(two_reordered_frames_keep_their_order),
        TEST(a_delayed_frame_is_passed_by_others),
        TEST(a_very_late_frame_arrives),
        TEST(exactly_one_bit_is_flipped_behind_the_ethernet_header),
        TEST(the_bit_that_was_asked_for_is_flipped),
        TEST(a_truncated_frame_keeps_its_beginning),
        TEST(several_faults_may_meet_in_one_frame),
        cmocka_unit_test(losses_by_probability_follow_the_seed),
        TEST(nothing_acts_once_the_plans_are_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
