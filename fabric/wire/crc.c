/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32 in three versions of one value: slice-by-8 tables; on x86-64 folding by carry-less
 * multiplication (Gopal et al., "Fast CRC Computation Using PCLMULQDQ", Intel 2009); on arm64 the
 * CRC32 instructions. The CPU is asked at every call, which costs a load: no state is kept.
 */
#include "wire/crc.h"

#include <stdbool.h>
#include <string.h>

#include "crc_tables.h"

static uint32_t load_le32(const uint8_t *at) {
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

uint32_t wire_crc32_update_portable(uint32_t state, const uint8_t *data, size_t bytes) {
    const uint32_t(*table)[256] = wire_crc32_tables;
    for (; bytes >= 8; bytes -= 8, data += 8) {
        uint32_t low = state ^ load_le32(data);
        uint32_t high = load_le32(data + 4);
        state = table[7][low & 0xFF] ^ table[6][low >> 8 & 0xFF] ^ table[5][low >> 16 & 0xFF] ^
                table[4][low >> 24] ^ table[3][high & 0xFF] ^ table[2][high >> 8 & 0xFF] ^
                table[1][high >> 16 & 0xFF] ^ table[0][high >> 24];
    }
    for (; bytes > 0; bytes--, data++) {
        state = state >> 8 ^ table[0][(state ^ *data) & 0xFF];
    }
    return state;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define WITH_CLMUL __attribute__((target("pclmul,sse2")))
/* Below this the folding does not pay for its final reduction. */
#define FOLD_BYTES_MIN 64

/* Moves `x` over the distance that `k` was made for, and adds the data found there. */
static inline WITH_CLMUL __m128i fold(__m128i x, __m128i k, __m128i data) {
    __m128i low = _mm_clmulepi64_si128(x, k, 0x00);
    __m128i high = _mm_clmulepi64_si128(x, k, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), data);
}

static inline WITH_CLMUL __m128i load(const uint8_t *at) {
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

/* bytes >= FOLD_BYTES_MIN. The constants are x^(distance +- 32) mod P, bit-reflected. */
static WITH_CLMUL uint32_t update_clmul(uint32_t state, const uint8_t *data, size_t bytes) {
    const __m128i over_64 = _mm_set_epi64x(0x1C6E41596, 0x154442BD4);
    const __m128i over_16 = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
    __m128i x0 = _mm_xor_si128(load(data), _mm_cvtsi32_si128((int)state));
    __m128i x1 = load(data + 16);
    __m128i x2 = load(data + 32);
    __m128i x3 = load(data + 48);
    for (data += 64, bytes -= 64; bytes >= 64; data += 64, bytes -= 64) {
        x0 = fold(x0, over_64, load(data));
        x1 = fold(x1, over_64, load(data + 16));
        x2 = fold(x2, over_64, load(data + 32));
        x3 = fold(x3, over_64, load(data + 48));
    }
    x1 = fold(x0, over_16, x1);
    x2 = fold(x1, over_16, x2);
    x3 = fold(x2, over_16, x3);
    for (; bytes >= 16; data += 16, bytes -= 16) {
        x3 = fold(x3, over_16, load(data));
    }
    /* What is left behaves like 16 bytes of data under a register of zero. */
    uint8_t rest[16];
    _mm_storeu_si128((__m128i *)(void *)rest, x3);
    state = wire_crc32_update_portable(0, rest, sizeof rest);
    return wire_crc32_update_portable(state, data, bytes);
}

uint32_t wire_crc32_update(uint32_t state, const uint8_t *data, size_t bytes) {
    if (bytes >= FOLD_BYTES_MIN && __builtin_cpu_supports("pclmul")) {
        return update_clmul(state, data, bytes);
    }
    return wire_crc32_update_portable(state, data, bytes);
}

#elif defined(__aarch64__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

static uint32_t update_arm(uint32_t state, const uint8_t *data, size_t bytes) {
    for (; bytes >= 8; bytes -= 8, data += 8) {
        uint64_t word;
        memcpy(&word, data, sizeof word);
        __asm__(".arch_extension crc\n\tcrc32x %w0, %w0, %x1" : "+r"(state) : "r"(word));
    }
    for (; bytes > 0; bytes--, data++) {
        uint32_t byte = *data;
        __asm__(".arch_extension crc\n\tcrc32b %w0, %w0, %w1" : "+r"(state) : "r"(byte));
    }
    return state;
}

uint32_t wire_crc32_update(uint32_t state, const uint8_t *data, size_t bytes) {
    return wire_cpu_has_crc32() ? update_arm(state, data, bytes)
                                : wire_crc32_update_portable(state, data, bytes);
}

#else

uint32_t wire_crc32_update(uint32_t state, const uint8_t *data, size_t bytes) {
    return wire_crc32_update_portable(state, data, bytes);
}

#endif
