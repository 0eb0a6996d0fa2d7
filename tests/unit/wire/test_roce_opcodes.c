/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/roce.h"

#include "support.h"

static unsigned count_bits(uint32_t value) {
    unsigned count = 0;
    for (; value; value &= value - 1) {
        count++;
    }
    return count;
}

static void header_bytes_agree_with_the_header_flags(void **state) {
    (void)state;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        uint32_t flags = wire_roce_opcode_flags[opcode];
        unsigned bytes = (flags & WIRE_OP_RETH ? 16 : 0) + (flags & WIRE_OP_AETH ? 4 : 0) +
                         (flags & WIRE_OP_DETH ? 8 : 0) + (flags & WIRE_OP_IMMDT ? 4 : 0) +
                         (flags & WIRE_OP_IETH ? 4 : 0);
        assert_int_equal(wire_roce_opcode_header_bytes[opcode], bytes);
    }
}

static void every_known_opcode_has_one_position_one_transport_and_a_name(void **state) {
    (void)state;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        uint32_t flags = wire_roce_opcode_flags[opcode];
        if ((flags & WIRE_OP_KNOWN) == 0) {
            assert_int_equal(flags, 0);
            assert_string_equal(wire_roce_opcode_name((uint8_t)opcode), "OPCODE?");
            continue;
        }
        assert_int_equal(count_bits(flags & (WIRE_OP_FIRST | WIRE_OP_MIDDLE | WIRE_OP_END)), 1);
        assert_int_equal(count_bits(flags & (WIRE_OP_RC | WIRE_OP_UD | WIRE_OP_CNP)), 1);
        assert_string_not_equal(wire_roce_opcode_name((uint8_t)opcode), "OPCODE?");
        if (flags & WIRE_OP_RC) {
            assert_int_equal(count_bits(flags & (WIRE_OP_REQUEST | WIRE_OP_RESPONSE)), 1);
        }
    }
}

static void receives_are_consumed_by_ends_of_sends_and_by_immediates(void **state) {
    (void)state;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        uint32_t flags = wire_roce_opcode_flags[opcode];
        bool end_of_send = (flags & WIRE_OP_SEND) && (flags & WIRE_OP_END);
        bool immediate = (flags & WIRE_OP_IMMDT) != 0;
        assert_int_equal((flags & WIRE_OP_CONSUMES) != 0, end_of_send || immediate);
    }
}

static void payload_rules_follow_the_position(void **state) {
    (void)state;
    assert_true(wire_roce_payload_fits(WIRE_RC_WRITE_FIRST, 1024, 1024));
    assert_false(wire_roce_payload_fits(WIRE_RC_WRITE_FIRST, 1023, 1024));
    assert_false(wire_roce_payload_fits(WIRE_RC_WRITE_FIRST, 1025, 1024));
    assert_true(wire_roce_payload_fits(WIRE_RC_SEND_MIDDLE, 256, 256));
    assert_false(wire_roce_payload_fits(WIRE_RC_SEND_MIDDLE, 0, 256));
    assert_true(wire_roce_payload_fits(WIRE_RC_SEND_LAST, 1, 256));
    assert_false(wire_roce_payload_fits(WIRE_RC_SEND_LAST, 0, 256));
    assert_true(wire_roce_payload_fits(WIRE_RC_SEND_ONLY, 0, 256));
    assert_false(wire_roce_payload_fits(WIRE_RC_SEND_ONLY, 257, 256));
    assert_true(wire_roce_payload_fits(WIRE_RC_READ_RESPONSE_ONLY, 0, 256));
    assert_false(wire_roce_payload_fits(WIRE_RC_READ_RESPONSE_LAST, 0, 256));
    assert_true(wire_roce_payload_fits(WIRE_RC_ACK, 0, 256));
    assert_false(wire_roce_payload_fits(WIRE_RC_ACK, 4, 256));
    assert_true(wire_roce_payload_fits(WIRE_CNP, 16, 256));
    assert_false(wire_roce_payload_fits(WIRE_CNP, 0, 256));
    assert_false(wire_roce_payload_fits(0x12, 0, 256));
}

static void aeth_syndromes_split_into_kind_and_value(void **state) {
    (void)state;
    assert_int_equal(wire_aeth_kind(WIRE_SYNDROME_ACK), WIRE_AETH_ACK);
    assert_int_equal(wire_aeth_value(WIRE_SYNDROME_ACK), 31);
    assert_int_equal(wire_aeth_kind(WIRE_SYNDROME_RNR | 12), WIRE_AETH_RNR);
    assert_int_equal(wire_aeth_value(WIRE_SYNDROME_RNR | 12), 12);
    assert_int_equal(wire_aeth_kind(WIRE_SYNDROME_NAK_REMOTE_OPERATION), WIRE_AETH_NAK);
    assert_int_equal(wire_aeth_value(WIRE_SYNDROME_NAK_REMOTE_OPERATION), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_bytes_agree_with_the_header_flags),
        cmocka_unit_test(every_known_opcode_has_one_position_one_transport_and_a_name),
        cmocka_unit_test(receives_are_consumed_by_ends_of_sends_and_by_immediates),
        cmocka_unit_test(payload_rules_follow_the_position),
        cmocka_unit_test(aeth_syndromes_split_into_kind_and_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
