/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

static struct sim_world *world;
static struct station *a;
static struct station *b;

static int set_up(void **state) {
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

static struct net_frame_kind judge(struct net_frame *frame) {
    struct net_frame_kind kind = net_frame_classify(frame->bytes, frame->length);
    net_frame_put(frame);
    return kind;
}

static void every_rc_opcode_has_its_class(void **state) {
    static const struct {
        uint8_t opcode;
        enum net_frame_class class_id;
    } cases[] = {
        {WIRE_RC_SEND_FIRST, NET_CLASS_SEND},
        {WIRE_RC_SEND_ONLY_INV, NET_CLASS_SEND},
        {WIRE_RC_SEND_LAST_IMM, NET_CLASS_SEND},
        {WIRE_RC_WRITE_FIRST, NET_CLASS_WRITE},
        {WIRE_RC_WRITE_ONLY_IMM, NET_CLASS_WRITE},
        {WIRE_RC_READ_REQUEST, NET_CLASS_READ},
        {WIRE_RC_READ_RESPONSE_FIRST, NET_CLASS_READ_RESPONSE},
        {WIRE_RC_READ_RESPONSE_ONLY, NET_CLASS_READ_RESPONSE},
        {WIRE_CNP, NET_CLASS_CNP},
    };
    static const uint8_t payload[64];
    (void)state;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(cases); i++)
        for (int six = 0; six < 2; six++) {
            bool carries = (wire_roce_opcode_flags[cases[i].opcode] & WIRE_OP_PAYLOAD) != 0;
            struct net_frame_kind kind =
                judge(frame_roce(a, b, six != 0, cases[i].opcode, payload, carries ? 64 : 0, 0));
            assert_int_equal(kind.class_id, cases[i].class_id);
            assert_int_equal(kind.opcode, cases[i].opcode);
            assert_int_equal(kind.dst_qpn, 0x12);
            assert_int_equal(kind.psn, 0x345);
        }
}

static void the_priority_is_that_of_its_ip_header(void **state) {
    static const uint8_t payload[64];
    struct net_frame *v4 = frame_roce(a, b, false, WIRE_RC_SEND_ONLY, payload, 64, 0);
    struct net_frame *v6 = frame_roce(a, b, true, WIRE_RC_SEND_ONLY, payload, 64, 0);
    (void)state;
    v4->bytes[15] = 3 << 5 | 0x1F;
    v6->bytes[14] = 0x60 | 5 << 1;
    assert_int_equal(judge(v4).priority, 3);
    assert_int_equal(judge(v6).priority, 5);
}

static void an_acknowledgement_is_judged_by_its_syndrome(void **state) {
    (void)state;
    assert_int_equal(judge(frame_roce(a, b, false, WIRE_RC_ACK, NULL, 0, 0x1F)).class_id,
                     NET_CLASS_ACK);
    assert_int_equal(judge(frame_roce(a, b, true, WIRE_RC_ACK, NULL, 0, 0x60)).class_id,
                     NET_CLASS_NAK);
    assert_int_equal(judge(frame_roce(a, b, false, WIRE_RC_ACK, NULL, 0, 0x2C)).class_id,
                     NET_CLASS_RNR);
}

static void every_cm_message_has_its_class(void **state) {
    static const enum net_frame_class classes[] = {
        NET_CLASS_CM_REQ, NET_CLASS_CM_MRA,  NET_CLASS_CM_REJ, NET_CLASS_CM_REP,
        NET_CLASS_CM_RTU, NET_CLASS_CM_DREQ, NET_CLASS_CM_DREP};
    (void)state;
    for (unsigned i = 0; i < SIM_ARRAY_COUNT(classes); i++)
        assert_int_equal(judge(frame_cm(a, b, (enum wire_cm_kind)(WIRE_CM_REQ + i))).class_id,
                         classes[i]);
    struct net_frame *frame = frame_cm(a, b, WIRE_CM_REQ);
    frame->bytes[14 + 20 + 8 + 12 + 8 + 17] = 0x19; /* LAP */
    assert_int_equal(judge(frame).class_id, NET_CLASS_CM_OTHER);
}

static void a_tagged_frame_is_judged_behind_its_tag(void **state) {
    (void)state;
    struct net_frame *frame = frame_cm(a, b, WIRE_CM_DREQ);
    memmove(frame->bytes + 16, frame->bytes + 12, frame->length - 12);
    memcpy(frame->bytes + 12, "\x81\x00\x60\x05", 4);
    frame->length += 4;
    assert_int_equal(judge(frame).class_id, NET_CLASS_CM_DREQ);
}

static void a_pause_frame_is_known(void **state) {
    struct wire_pfc pfc = {.enabled = 8};
    (void)state;
    struct net_frame *frame = net_frame_get(world, WIRE_PFC_FRAME_BYTES);
    wire_pfc_encode(&pfc, frame->bytes);
    frame->length = WIRE_PFC_FRAME_BYTES;
    struct net_frame_kind kind = judge(frame);
    assert_int_equal(kind.class_id, NET_CLASS_PFC);
    assert_int_equal(kind.opcode, 0xFF);
}

static void a_cut_frame_is_never_read_past_its_end(void **state) {
    (void)state;
    for (int six = 0; six < 2; six++) {
        uint8_t mad[WIRE_MAD_BYTES] = {1, 7, 2, 3};
        struct net_frame *frame = frame_roce(a, b, six != 0, WIRE_UD_SEND_ONLY, mad, sizeof mad, 0);
        for (uint32_t length = 0; length < frame->length; length++) {
            uint8_t *exact = test_malloc(length + 1);
            memcpy(exact, frame->bytes, length);
            (void)net_frame_classify(exact, length);
            test_free(exact);
        }
        net_frame_put(frame);
    }
}

static void names_and_classes_go_both_ways(void **state) {
    (void)state;
    for (unsigned i = 0; i < NET_CLASS_COUNT; i++)
        assert_int_equal(net_class_find(net_class_name((enum net_frame_class)i)), i);
    assert_int_equal(net_class_find("cm.reqq"), NET_CLASS_COUNT);
    for (unsigned i = 0; i < NET_DROP_COUNT; i++)
        assert_string_not_equal(net_drop_name((enum net_drop)i), "?");
}

static void every_class_has_its_trace_type(void **state) {
    char name[64];
    (void)state;
    for (unsigned i = 0; i < NET_CLASS_COUNT; i++) {
        snprintf(name, sizeof name, "tx.%s", net_class_name((enum net_frame_class)i));
        assert_string_equal(sim_trace_type_name(world, (uint16_t)(NET_TRACE_SENT + i)), name);
    }
    assert_string_equal(sim_trace_type_name(world, NET_TRACE_FRAME_DROP), "frame.drop");
    assert_string_equal(sim_trace_type_name(world, NET_TRACE_LINK_DOWN), "link.down");
    assert_string_equal(sim_trace_type_name(world, NET_TRACE_PORT_RESUMED), "port.resumed");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_rc_opcode_has_its_class),
        TEST(an_acknowledgement_is_judged_by_its_syndrome),
        TEST(the_priority_is_that_of_its_ip_header),
        TEST(an_acknowledgement_is_judged_by_its_syndrome),
        TEST(every_cm_message_has_its_class),
        TEST(a_tagged_frame_is_judged_behind_its_tag),
        TEST(a_pause_frame_is_known),
        TEST(a_cut_frame_is_never_read_past_its_end),
        TEST(names_and_classes_go_both_ways),
        TEST(every_class_has_its_trace_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
