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
#define WITH_WIDE_CLMUL __attribute__((target("vpclmulqdq,pclmul,avx2")))
/* Below these the folding does not pay for its final reduction. */
#define FOLD_BYTES_MIN 64
#define WIDE_FOLD_BYTES_MIN 256

/* Folding constants over a distance of d bits: x^(d + 32) and x^(d - 32) mod P, bit-reflected. */
#define OVER_16_BYTES 0x0CCAA009E, 0x1751997D0
#define OVER_32_BYTES 0x15A546366, 0x0F1DA05AA
#define OVER_64_BYTES 0x1C6E41596, 0x154442BD4
#define OVER_128_BYTES 0x14A7FE880, 0x1E88EF372

/* Moves `x` over the distance that `k` was made for, and adds the data found there. */
static inline WITH_CLMUL __m128i fold(__m128i x, __m128i k, __m128i data) {
    __m128i low = _mm_clmulepi64_si128(x, k, 0x00);
    __m128i high = _mm_clmulepi64_si128(x, k, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), data);
}

static inline WITH_CLMUL __m128i load(const uint8_t *at) {
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

/* Folds the rest of the data into `x`, which stands for all before it, and ends with tables. */
static inline WITH_CLMUL uint32_t fold_rest(__m128i x, const uint8_t *data, size_t bytes) {
    const __m128i over_16 = _mm_set_epi64x(OVER_16_BYTES);
    for (; bytes >= 16; data += 16, bytes -= 16) {
        x = fold(x, over_16, load(data));
    }
    /* What is left behaves like 16 bytes of data under a register of zero. */
    uint8_t last[16];
    _mm_storeu_si128((__m128i *)(void *)last, x);
    uint32_t state = wire_crc32_update_portable(0, last, sizeof last);
    return wire_crc32_update_portable(state, data, bytes);
}

/* bytes >= FOLD_BYTES_MIN. */
static WITH_CLMUL uint32_t update_clmul(uint32_t state, const uint8_t *data, size_t bytes) {
    const __m128i over_64 = _mm_set_epi64x(OVER_64_BYTES);
    const __m128i over_16 = _mm_set_epi64x(OVER_16_BYTES);
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
    return fold_rest(x3, data, bytes);
}

static inline WITH_WIDE_CLMUL __m256i fold_wide(__m256i x, __m256i k, __m256i data) {
    __m256i low = _mm256_clmulepi64_epi128(x, k, 0x00);
    __m256i high = _mm256_clmulepi64_epi128(x, k, 0x11);
    return _mm256_xor_si256(_mm256_xor_si256(low, high), data);
}

static inline WITH_WIDE_CLMUL __m256i load_wide(const uint8_t *at) {
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

/* The same on 256-bit registers. bytes >= WIDE_FOLD_BYTES_MIN. */
static WITH_WIDE_CLMUL uint32_t update_wide_clmul(uint32_t state, const uint8_t *data,
                                                  size_t bytes) {
    const __m256i over_128 = _mm256_broadcastsi128_si256(_mm_set_epi64x(OVER_128_BYTES));
    const __m256i over_32 = _mm256_broadcastsi128_si256(_mm_set_epi64x(OVER_32_BYTES));
    __m256i x0 =
        _mm256_xor_si256(load_wide(data), _mm256_zextsi128_si256(_mm_cvtsi32_si128((int)state)));
    __m256i x1 = load_wide(data + 32);
    __m256i x2 = load_wide(data + 64);
    __m256i x3 = load_wide(data + 96);
    for (data += 128, bytes -= 128; bytes >= 128; data += 128, bytes -= 128) {
        x0 = fold_wide(x0, over_128, load_wide(data));
        x1 = fold_wide(x1, over_128, load_wide(data + 32));
        x2 = fold_wide(x2, over_128, load_wide(data + 64));
        x3 = fold_wide(x3, over_128, load_wide(data + 96));
    }
    x1 = fold_wide(x0, over_32, x1);
    x2 = fold_wide(x1, over_32, x2);
    x3 = fold_wide(x2, over_32, x3);
    for (; bytes >= 32; data += 32, bytes -= 32) {
        x3 = fold_wide(x3, over_32, load_wide(data));
    }
    __m128i x = fold(_mm256_castsi256_si128(x3), _mm_set_epi64x(OVER_16_BYTES),
                     _mm256_extracti128_si256(x3, 1));
    _mm256_zeroupper();
    return fold_rest(x, data, bytes);
}

uint32_t wire_crc32_update(uint32_t state, const uint8_t *data, size_t bytes) {
    if (bytes >= WIDE_FOLD_BYTES_MIN && __builtin_cpu_supports("vpclmulqdq") &&
        __builtin_cpu_supports("avx2")) {
        return update_wide_clmul(state, data, bytes);
    }
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
