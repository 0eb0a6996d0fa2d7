/* SPDX-License-Identifier: Apache-2.0 */
/* What the wire tests share: cmocka with its headers, hex strings, buffers of exact size. */
#ifndef TESTS_UNIT_WIRE_SUPPORT_H
#define TESTS_UNIT_WIRE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline int hex_digit(char c) {
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Reads hex with blanks between any two digits; returns the number of bytes. */
static inline size_t from_hex(const char *text, uint8_t *out, size_t out_bytes_max) {
    size_t digits = 0;
    for (; *text; text++) {
        if (*text == ' ') {
            continue;
        }
        assert_true(digits / 2 < out_bytes_max);
        uint8_t *at = out + digits / 2;
        *at = (uint8_t)((digits % 2 ? *at << 4 : 0) | hex_digit(*text));
        digits++;
    }
    assert_int_equal(digits % 2, 0);
    return digits / 2;
}

/* A heap copy without a byte to spare, so that a sanitizer sees the first byte read beyond it. */
static inline uint8_t *exact_copy(const uint8_t *data, size_t bytes) {
    uint8_t *copy = malloc(bytes ? bytes : 1);
    assert_non_null(copy);
    memcpy(copy, data, bytes);
    return copy;
}

/* The next of a fixed pseudo-random sequence (Numerical Recipes' LCG, upper bits). */
static inline uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline void fill_random(uint8_t *out, size_t bytes, uint32_t seed) {
    for (size_t i = 0; i < bytes; i++) {
        out[i] = (uint8_t)next_random(&seed);
    }
}

#endif
