/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times, order, queue and pause. At 1 Gb/s a byte takes 8 ns; the wire adds 24 bytes to a frame.
 */
#include "support.h"

static struct sim_world *world;
static struct station *a;
static struct station *b;
static struct net_link *cable;

static void plug(const struct net_link_config *config) {
    cable = net_link_create(world, NULL, "cable", SIM_NAME_PLAIN, &a->port, &b->port, config);
    run_all(world);
}

static struct net_link_config config_of(uint64_t rate_bps) {
    struct net_link_config config = net_link_config_default;
    config.rate_bps = rate_bps;
    config.delay_ns = 1000;
    return config;
}

static int set_up(void **state) {
    (void)state;
    world = world_make();
    a = station_make(world, "a");
    b = station_make(world, "b");
    struct net_link_config config = config_of(GBPS);
    plug(&config);
    return 0;
}

static int set_up_unplugged(void **state) {
    (void)state;
    world = world_make();
    a = station_make(world, "a");
    b = station_make(world, "b");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    world_end(world);
    return 0;
}

static void a_frame_takes_its_bits_and_the_delay(void **state) {
    (void)state;
    station_send(a, b, 976, 7);
    run_all(world);
    assert_int_equal(b->count, 1);
    assert_int_equal(b->arrivals[0].time_ns, (976 + 24) * 8 + 1000);
    assert_int_equal(b->arrivals[0].length, 976);
    assert_int_equal(b->arrivals[0].tag, 7);
}

static void a_short_frame_takes_the_time_of_the_shortest(void **state) {
    (void)state;
    station_send(a, b, 20, 0);
    run_all(world);
    assert_int_equal(b->arrivals[0].time_ns, 84 * 8 + 1000);
}

static void frames_leave_one_after_the_other(void **state) {
    (void)state;
    for (uint8_t i = 0; i < 10; i++)
        station_send(a, b, 976, i);
    run_all(world);
    assert_int_equal(b->count, 10);
    for (uint8_t i = 0; i < 10; i++) {
        assert_int_equal(b->arrivals[i].time_ns, (i + 1u) * 8000 + 1000);
        assert_int_equal(b->arrivals[i].tag, i);
    }
}

static void a_transmitter_that_was_idle_starts_at_once(void **state) {
    (void)state;
    station_send(a, b, 976, 0);
    run_all(world);
    run_until(world, 50000);
    station_send(a, b, 976, 1);
    run_all(world);
    assert_int_equal(b->arrivals[1].time_ns, 59000);
}

static void both_directions_are_independent(void **state) {
    (void)state;
    station_send(a, b, 976, 0);
    station_send(b, a, 476, 0);
    run_all(world);
    assert_int_equal(b->arrivals[0].time_ns, 9000);
    assert_int_equal(a->arrivals[0].time_ns, 5000);
}

/* 100 bytes on the wire are 266.67 ns at 3 Gb/s: three take 800 exactly. */
static void fractions_of_a_nanosecond_add_up(void **state) {
    (void)state;
    struct net_link_config config = config_of(3 * GBPS);
    plug(&config);
    for (uint8_t i = 0; i < 6; i++)
        station_send(a, b, 76, i);
    run_all(world);
    assert_int_equal(b->arrivals[0].time_ns, 1000 + 267);
    assert_int_equal(b->arrivals[1].time_ns, 1000 + 534);
    assert_int_equal(b->arrivals[2].time_ns, 1000 + 800);
    assert_int_equal(b->arrivals[5].time_ns, 1000 + 1600);
}

static void the_backlog_falls_as_time_goes_by(void **state) {
    (void)state;
    assert_int_equal(net_port_backlog_bytes(&a->port), 0);
    station_send(a, b, 976, 0);
    station_send(a, b, 976, 1);
    assert_int_equal(net_port_backlog_bytes(&a->port), 2000);
    run_until(world, 4000);
    assert_int_equal(net_port_backlog_bytes(&a->port), 1500);
    run_all(world);
    assert_int_equal(net_port_backlog_bytes(&a->port), 0);
}

static void a_full_queue_drops_the_newest(void **state) {
    (void)state;
    struct net_link_config config = config_of(GBPS);
    config.queue_bytes_max = 3000;
    plug(&config);
    for (uint8_t i = 0; i < 5; i++)
        station_send(a, b, 976, i);
    run_all(world);
    assert_int_equal(b->count, 3);
    assert_int_equal(b->arrivals[2].tag, 2);
    assert_int_equal(a->port.statistics.drops[NET_DROP_QUEUE], 2);
    assert_int_equal(a->port.statistics.frames_out, 3);
    /* Room again. */
    station_send(a, b, 976, 9);
    run_all(world);
    assert_int_equal(b->count, 4);
}

static void an_idle_transmitter_takes_any_frame(void **state) {
    (void)state;
    struct net_link_config config = config_of(GBPS);
    config.queue_bytes_max = 100;
    plug(&config);
    station_send(a, b, 976, 0);
    station_send(a, b, 976, 1);
    run_all(world);
    assert_int_equal(b->count, 1);
}

static void a_frame_longer_than_the_mtu_is_dropped(void **state) {
    (void)state;
    station_send(a, b, 14 + NET_MTU_BYTES_DEFAULT, 0);
    station_send(a, b, 14 + NET_MTU_BYTES_DEFAULT + 1, 1);
    struct net_frame *tagged = frame_plain(a, b, 18 + NET_MTU_BYTES_DEFAULT, 2);
    memcpy(tagged->bytes + 12, "\x81\x00\x00\x01", 4);
    net_port_send(&a->port, tagged);
    run_all(world);
    assert_int_equal(b->count, 2);
    assert_int_equal(a->port.statistics.drops[NET_DROP_MTU], 1);
}

static void an_unplugged_port_loses_what_it_sends(void **state) {
    (void)state;
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(a->port.statistics.drops[NET_DROP_NO_LINK], 1);
    assert_false(net_port_is_up(&a->port));
    assert_int_equal(net_port_mtu_bytes(&a->port), 0);
    assert_int_equal(net_port_backlog_bytes(&a->port), 0);
}

static void pacing_tells_when_the_backlog_is_low_enough(void **state) {
    (void)state;
    for (uint8_t i = 0; i < 10; i++)
        station_send(a, b, 976, i);
    net_port_sent_when(&a->port, 2000);
    run_all(world);
    assert_int_equal(a->sent_count, 1);
    assert_int_equal(a->sent_ns, 8 * 8000);
}

static void pacing_tells_at_once_when_nothing_waits(void **state) {
    (void)state;
    net_port_sent_when(&a->port, 0);
    assert_int_equal(a->sent_count, 0);
    run_all(world);
    assert_int_equal(a->sent_count, 1);
    assert_int_equal(a->sent_ns, 0);
}

static void pacing_waits_for_what_was_sent_later(void **state) {
    (void)state;
    station_send(a, b, 976, 0);
    net_port_sent_when(&a->port, 0);
    run_until(world, 4000);
    station_send(a, b, 976, 1);
    run_all(world);
    assert_int_equal(a->sent_count, 1);
    assert_int_equal(a->sent_ns, 16000);
}

static void a_second_wish_replaces_the_first(void **state) {
    (void)state;
    station_send(a, b, 976, 0);
    station_send(a, b, 976, 1);
    net_port_sent_when(&a->port, 1000);
    net_port_sent_when(&a->port, 500);
    run_all(world);
    assert_int_equal(a->sent_count, 1);
    assert_int_equal(a->sent_ns, 12000);
}

static void a_sender_below_the_limit_loses_nothing(void **state) {
    (void)state;
    struct net_link_config config = config_of(3 * GBPS);
    config.queue_bytes_max = 8000;
    plug(&config);
    for (unsigned sent = 0; sent < 200; sent++) {
        while (net_port_backlog_bytes(&a->port) + 1024 > 8000) {
            uint32_t before = a->sent_count;
            net_port_sent_when(&a->port, 4000);
            while (a->sent_count == before)
                run_until(world, sim_event_head(world)->due_ns);
        }
        station_send(a, b, 900 + sent % 100, (uint8_t)sent);
    }
    run_all(world);
    assert_int_equal(b->count, 200);
    assert_int_equal(a->port.statistics.drops[NET_DROP_QUEUE], 0);
}

static void send_pause(struct station *from, uint16_t quanta) {
    struct wire_pfc pfc = {.src = from->port.mac, .enabled = 1, .quanta = {quanta}};
    struct net_frame *frame = net_frame_get(world, WIRE_PFC_FRAME_BYTES);
    wire_pfc_encode(&pfc, frame->bytes);
    frame->length = WIRE_PFC_FRAME_BYTES;
    net_port_send(&from->port, frame);
}

/* A quantum is 512 bits: 512 ns at 1 Gb/s. The pause frame arrives after 672 + 1000 ns. */
static void a_pause_frame_holds_the_port_for_its_quanta(void **state) {
    (void)state;
    send_pause(b, 100);
    run_until(world, 1672);
    run_until(world, 2000);
    station_send(a, b, 976, 0);
    station_send(a, b, 976, 1);
    assert_int_equal(net_port_backlog_bytes(&a->port), 2000);
    run_all(world);
    assert_int_equal(a->count, 0);
    assert_int_equal(a->port.statistics.pauses_in, 1);
    assert_int_equal(b->arrivals[0].time_ns, 1672 + 51200 + 9000);
    assert_int_equal(b->arrivals[1].time_ns, 1672 + 51200 + 17000);
}

static void a_pause_of_no_quanta_resumes(void **state) {
    (void)state;
    send_pause(b, 1000);
    run_until(world, 2000);
    station_send(a, b, 976, 0);
    net_port_sent_when(&a->port, 0);
    send_pause(b, 0);
    run_all(world);
    assert_int_equal(b->arrivals[0].time_ns, 2000 + 1672 + 9000);
    assert_int_equal(a->sent_count, 1);
    assert_int_equal(a->sent_ns, 2000 + 1672 + 8000);
}

static void a_paused_queue_has_its_limit(void **state) {
    (void)state;
    struct net_link_config config = config_of(GBPS);
    config.queue_bytes_max = 2500;
    plug(&config);
    send_pause(b, 100);
    run_until(world, 2000);
    for (uint8_t i = 0; i < 4; i++)
        station_send(a, b, 976, i);
    run_all(world);
    assert_int_equal(b->count, 2);
    assert_int_equal(a->port.statistics.drops[NET_DROP_QUEUE], 2);
}

static void what_was_sent_before_the_pause_goes_on(void **state) {
    (void)state;
    send_pause(b, 100);
    station_send(a, b, 976, 0);
    run_all(world);
    assert_int_equal(b->arrivals[0].time_ns, 9000);
}

static void statistics_count_by_opcode_and_class(void **state) {
    static const uint8_t payload[256];
    (void)state;
    net_port_send(&a->port, frame_roce(a, b, false, WIRE_RC_SEND_ONLY, payload, 256, 0));
    net_port_send(&a->port, frame_roce(a, b, true, WIRE_RC_SEND_ONLY, payload, 256, 0));
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    net_port_send(&b->port, frame_roce(b, a, false, WIRE_RC_ACK, NULL, 0, 0x1F));
    run_all(world);
    assert_int_equal(a->port.statistics.opcode_out[net_opcode_slot(WIRE_RC_SEND_ONLY)], 2);
    assert_int_equal(a->port.statistics.opcode_out[net_opcode_slot(WIRE_UD_SEND_ONLY)], 1);
    assert_int_equal(a->port.statistics.class_out[NET_CLASS_CM_REQ], 1);
    assert_int_equal(b->port.statistics.class_out[NET_CLASS_ACK], 1);
    assert_int_equal(b->port.statistics.frames_in, 3);
    assert_int_equal(b->port.statistics.bytes_in, a->port.statistics.bytes_out);
}

static void append(void *context, const char *text) {
    strcat(context, text);
}

static void statistics_are_written_as_json(void **state) {
    static char text[4096];
    (void)state;
    text[0] = '\0';
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    station_send(a, b, 5000, 0);
    run_all(world);
    net_statistics_write(world, append, text);
    assert_string_equal(
        text,
        "{\"a.port0\":{\"frames_out\":1,\"bytes_out\":322,\"frames_in\":0,\"bytes_in\":0,"
        "\"pauses_in\":0,\"opcode_out\":{\"100\":1,\"other\":1},\"class_out\":{\"other\":1,"
        "\"cm.req\":1},\"priority_out\":{\"0\":2},\"drops\":{\"mtu\":1}},\n"
        "\"b.port0\":{\"frames_out\":0,\"bytes_out\":0,\"frames_in\":1,\"bytes_in\":322,"
        "\"pauses_in\":0,\"opcode_out\":{},\"class_out\":{},\"priority_out\":{},\"drops\":{}}}\n");
}

static void every_carried_opcode_has_a_slot_of_its_own(void **state) {
    (void)state;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        uint32_t slot = net_opcode_slot((uint8_t)opcode);
        if (wire_roce_opcode_flags[opcode] != 0) {
            assert_true(slot < NET_OPCODE_SLOT_COUNT - 1);
            assert_int_equal(net_opcode_of_slot(slot), opcode);
        }
    }
    run_all(world);
}

static void each_frame_leaves_one_record_at_its_sender(void **state) {
    (void)state;
    struct net_frame *frame = frame_cm(a, b, WIRE_CM_REP);
    uint64_t id = frame->id;
    uint64_t before = sim_trace_count(world);
    net_port_send(&a->port, frame);
    assert_int_equal(sim_trace_count(world), before + 1);
    const struct sim_record *record = sim_trace_last(world, 0);
    assert_string_equal(sim_trace_type_name(world, record->type), "tx.cm.rep");
    assert_int_equal(record->object_id[0], a->port.object.id);
    assert_int_equal(record->object_id[1], b->port.object.id);
    assert_int_equal(record->value[0], id);
    assert_int_equal(net_trace_packet_length(record->value[1]), 322);
    assert_int_equal(net_trace_packet_qpn(record->value[1]), 1);
    assert_int_equal(net_trace_packet_psn(record->value[1]), 0x345);
    run_all(world);
    assert_int_equal(sim_trace_count(world), before + 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
#define TEST_UNPLUGGED(f) cmocka_unit_test_setup_teardown(f, set_up_unplugged, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_frame_takes_its_bits_and_the_delay),
        TEST(a_short_frame_takes_the_time_of_the_shortest),
        TEST(frames_leave_one_after_the_other),
        TEST(a_transmitter_that_was_idle_starts_at_once),
        TEST(both_directions_are_independent),
        TEST_UNPLUGGED(fractions_of_a_nanosecond_add_up),
        TEST(the_backlog_falls_as_time_goes_by),
        TEST_UNPLUGGED(a_full_queue_drops_the_newest),
        TEST_UNPLUGGED(an_idle_transmitter_takes_any_frame),
        TEST(a_frame_longer_than_the_mtu_is_dropped),
        TEST_UNPLUGGED(an_unplugged_port_loses_what_it_sends),
        TEST(pacing_tells_when_the_backlog_is_low_enough),
        TEST(pacing_tells_at_once_when_nothing_waits),
        TEST(pacing_waits_for_what_was_sent_later),
        TEST(a_second_wish_replaces_the_first),
        TEST_UNPLUGGED(a_sender_below_the_limit_loses_nothing),
        TEST(a_pause_frame_holds_the_port_for_its_quanta),
        TEST(a_pause_of_no_quanta_resumes),
        TEST_UNPLUGGED(a_paused_queue_has_its_limit),
        TEST(what_was_sent_before_the_pause_goes_on),
        TEST(statistics_count_by_opcode_and_class),
        TEST(statistics_are_written_as_json),
        TEST(every_carried_opcode_has_a_slot_of_its_own),
        TEST(each_frame_leaves_one_record_at_its_sender),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
