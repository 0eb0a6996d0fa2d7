/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pcapng.h"

static struct pcapng_block block;

static int tear_down(void **state) {
    (void)state;
    free(block.bytes);
    block = (struct pcapng_block){0};
    return 0;
}

static void assert_block(const void *expected, size_t bytes) {
    assert_false(block.has_failed);
    assert_int_equal(block.used, bytes);
    assert_memory_equal(block.bytes, expected, bytes);
}

static void a_section_header_has_its_golden_bytes(void **state) {
    static const uint8_t expected[] = {
        0x0A, 0x0D, 0x0D, 0x0A, 44,   0,    0,    0,                /* type, length */
        0x4D, 0x3C, 0x2B, 0x1A, 1,    0,    0,    0,                /* magic, version 1.0 */
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 5, 0, /* section length; comment */
        'h',  'e',  'l',  'l',  'o',  0,    0,    0,                /* padded */
        0,    0,    0,    0,    44,   0,    0,    0,
    };
    (void)state;
    pcapng_section_begin(&block);
    pcapng_option_text(&block, PCAPNG_COMMENT, "hello");
    pcapng_end(&block);
    assert_block(expected, sizeof expected);
}

static void the_first_option_of_a_section_stands_where_it_is_said_to(void **state) {
    (void)state;
    pcapng_section_begin(&block);
    pcapng_option_text(&block, PCAPNG_COMMENT, "hello");
    pcapng_end(&block);
    assert_memory_equal(block.bytes + PCAPNG_SECTION_FIRST_OPTION_OFFSET, "hello", 5);
}

static void an_interface_has_its_golden_bytes(void **state) {
    static const uint8_t expected[] = {
        1, 0, 0, 0, 60,  0,    0,    0,    1, 0, 0, 0, 0,  0, 4, 0, /* Ethernet, 262,144 bytes */
        2, 0, 2, 0, 'a', 'b',  0,    0,                             /* name */
        8, 0, 8, 0, 0,   0xE4, 0x0B, 0x54, 2, 0, 0, 0,              /* 10 Gb/s */
        9, 0, 1, 0, 9,   0,    0,    0,                             /* nanoseconds */
        4, 0, 1, 0, 7,   0,    0,    0,    0, 0, 0, 0, 60, 0, 0, 0,
    };
    (void)state;
    pcapng_interface_begin(&block);
    pcapng_option_text(&block, PCAPNG_INTERFACE_NAME, "ab");
    pcapng_option_u64(&block, PCAPNG_INTERFACE_SPEED, UINT64_C(10000000000));
    pcapng_option_u8(&block, PCAPNG_INTERFACE_RESOLUTION, PCAPNG_RESOLUTION_NS);
    pcapng_option_u8(&block, (enum pcapng_option)4, 7);
    pcapng_end(&block);
    assert_block(expected, sizeof expected);
}

static void a_packet_has_its_golden_bytes(void **state) {
    static const uint8_t expected[] = {
        6,    0,   0,   0,   60,   0,    0, 0, 3, 0, 0, 0,              /* interface 3 */
        0x02, 0,   0,   0,   0x04, 0x03, 0, 0, 5, 0, 0, 0, 9,  0, 0, 0, /* time, lengths */
        'd',  'a', 't', 'a', '!',  0,    0, 0, 2, 0, 4, 0, 2,  0, 0, 0, /* flags: out */
        1,    0,   1,   0,   'x',  0,    0, 0, 0, 0, 0, 0, 60, 0, 0, 0,
    };
    (void)state;
    pcapng_packet_begin(&block, 3, UINT64_C(0x200000304), (const uint8_t *)"data!", 5, 9);
    pcapng_option_u32(&block, PCAPNG_PACKET_FLAGS, PCAPNG_FLAG_OUT);
    pcapng_option_text(&block, PCAPNG_COMMENT, "x");
    pcapng_end(&block);
    assert_block(expected, sizeof expected);
}

static void a_packet_without_options_has_no_end_of_options(void **state) {
    (void)state;
    pcapng_packet_begin(&block, 0, 0, (const uint8_t *)"data", 4, 4);
    pcapng_end(&block);
    assert_int_equal(block.used, 36);
    assert_int_equal(block.bytes[4], 36);
    assert_int_equal(block.bytes[32], 36);
}

static void statistics_have_their_golden_bytes(void **state) {
    static const uint8_t expected[] = {
        5, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0,
        4, 0, 8, 0, 2,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40,   0, 0, 0,
    };
    (void)state;
    pcapng_statistics_begin(&block, 1, 16);
    pcapng_option_u64(&block, PCAPNG_STATISTICS_RECEIVED, 2);
    pcapng_end(&block);
    assert_block(expected, sizeof expected);
}

static void a_block_is_used_again_and_grows(void **state) {
    static uint8_t data[9000];
    (void)state;
    memset(data, 0x77, sizeof data);
    for (uint32_t length = 0; length < sizeof data; length += 1234) {
        pcapng_packet_begin(&block, 0, 0, data, length, length);
        pcapng_end(&block);
        assert_int_equal(block.used, 32 + (length + 3) / 4 * 4);
        assert_memory_equal(block.bytes + 28, data, length);
    }
}

#define TEST(f) cmocka_unit_test_teardown(f, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_section_header_has_its_golden_bytes),
        TEST(the_first_option_of_a_section_stands_where_it_is_said_to),
        TEST(an_interface_has_its_golden_bytes),
        TEST(a_packet_has_its_golden_bytes),
        TEST(a_packet_without_options_has_no_end_of_options),
        TEST(statistics_have_their_golden_bytes),
        TEST(a_block_is_used_again_and_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
