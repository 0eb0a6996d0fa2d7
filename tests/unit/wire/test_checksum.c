/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/checksum.h"

#include "support.h"

/* RFC 1071 word by word, with the carry folded at once. */
static uint16_t naive(const uint8_t *data, size_t bytes) {
    uint32_t sum = 0;
    for (size_t i = 0; i < bytes; i += 2) {
        sum += (uint32_t)data[i] << 8 | (i + 1 < bytes ? data[i + 1] : 0u);
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

static void rfc_1071_example_gives_its_sum(void **state) {
    (void)state;
    const uint8_t data[] = {0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7};
    assert_int_equal(wire_checksum(data, sizeof data), (uint16_t)~0xDDF2);
}

static void every_length_equals_the_naive_sum(void **state) {
    (void)state;
    uint8_t data[1200];
    fill_random(data, sizeof data, 4);
    for (size_t bytes = 0; bytes <= sizeof data; bytes++) {
        uint8_t *copy = exact_copy(data, bytes);
        assert_int_equal(wire_checksum(copy, bytes), naive(copy, bytes));
        free(copy);
    }
}

static void large_buffers_of_ones_do_not_overflow(void **state) {
    (void)state;
    static uint8_t data[65536];
    memset(data, 0xFF, sizeof data);
    assert_int_equal(wire_checksum(data, sizeof data), 0);
    assert_int_equal(naive(data, sizeof data), 0);
    data[77] = 0;
    assert_int_equal(wire_checksum(data, sizeof data), naive(data, sizeof data));
}

static void partial_sums_of_even_pieces_add_up(void **state) {
    (void)state;
    uint8_t data[101];
    fill_random(data, sizeof data, 5);
    for (size_t cut = 0; cut < sizeof data; cut += 2) {
        uint64_t sum = wire_checksum_add(0, data, cut);
        sum = wire_checksum_add(sum, data + cut, sizeof data - cut);
        assert_int_equal(wire_checksum_finish(sum), naive(data, sizeof data));
    }
}

static void single_fields_add_with_plus(void **state) {
    (void)state;
    const uint8_t data[] = {0x12, 0x34, 0xAB, 0xCD, 0xFF, 0xFF};
    uint64_t sum = wire_checksum_add(0x1234, data + 2, 2) + 0xFFFF;
    assert_int_equal(wire_checksum_finish(sum), wire_checksum(data, sizeof data));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc_1071_example_gives_its_sum),
        cmocka_unit_test(every_length_equals_the_naive_sum),
        cmocka_unit_test(large_buffers_of_ones_do_not_overflow),
        cmocka_unit_test(partial_sums_of_even_pieces_add_up),
        cmocka_unit_test(single_fields_add_with_plus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
