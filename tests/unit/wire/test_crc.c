/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/crc.h"

#include "support.h"

/* Bit by bit from the polynomial: no table, no instruction. */
static uint32_t naive(uint32_t state, const uint8_t *data, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        state ^= data[i];
        for (int bit = 0; bit < 8; bit++) {
            state = state >> 1 ^ (state & 1 ? 0xEDB88320u : 0);
        }
    }
    return state;
}

static void check_value_is_that_of_ethernet(void **state) {
    (void)state;
    assert_int_equal(wire_crc32((const uint8_t *)"123456789", 9), 0xCBF43926);
    assert_int_equal(wire_crc32((const uint8_t *)"", 0), 0);
}

static void every_length_and_alignment_equals_the_naive_sum(void **state) {
    (void)state;
    uint8_t data[512];
    fill_random(data, sizeof data, 1);
    for (size_t offset = 0; offset < 16; offset++) {
        for (size_t bytes = 0; bytes + offset <= 400; bytes++) {
            uint8_t *copy = exact_copy(data + offset, bytes);
            uint32_t expected = naive(0xFFFFFFFFu, copy, bytes);
            assert_int_equal(wire_crc32_update(0xFFFFFFFFu, copy, bytes), expected);
            assert_int_equal(wire_crc32_update_portable(0xFFFFFFFFu, copy, bytes), expected);
            free(copy);
            assert_int_equal(wire_crc32_update(0xFFFFFFFFu, data + offset, bytes), expected);
        }
    }
}

static void long_buffers_equal_the_naive_sum(void **state) {
    (void)state;
    static uint8_t data[9000];
    fill_random(data, sizeof data, 2);
    for (size_t bytes = 1000; bytes <= sizeof data; bytes += 257) {
        uint32_t expected = naive(0x12345678u, data, bytes);
        assert_int_equal(wire_crc32_update(0x12345678u, data, bytes), expected);
        assert_int_equal(wire_crc32_update_portable(0x12345678u, data, bytes), expected);
    }
}

static void pieces_give_the_same_as_the_whole(void **state) {
    (void)state;
    uint8_t data[300];
    fill_random(data, sizeof data, 3);
    uint32_t whole = wire_crc32_update(0xFFFFFFFFu, data, sizeof data);
    for (size_t cut = 0; cut <= sizeof data; cut++) {
        uint32_t part = wire_crc32_update(0xFFFFFFFFu, data, cut);
        assert_int_equal(wire_crc32_update(part, data + cut, sizeof data - cut), whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_value_is_that_of_ethernet),
        cmocka_unit_test(every_length_and_alignment_equals_the_naive_sum),
        cmocka_unit_test(long_buffers_equal_the_naive_sum),
        cmocka_unit_test(pieces_give_the_same_as_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
