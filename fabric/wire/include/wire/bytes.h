/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Big-endian fields in byte buffers, of any alignment. Compilers make one load and one swap of
 * each.
 */
#ifndef WIRE_BYTES_H
#define WIRE_BYTES_H

#include <stdint.h>

static inline uint16_t wire_get_u16(const uint8_t *at) {
    return (uint16_t)((unsigned)at[0] << 8 | at[1]);
}

static inline uint32_t wire_get_u24(const uint8_t *at) {
    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static inline uint32_t wire_get_u32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline uint64_t wire_get_u64(const uint8_t *at) {
    return (uint64_t)wire_get_u32(at) << 32 | wire_get_u32(at + 4);
}

static inline void wire_put_u16(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

/* The top byte of `value` is ignored. */
static inline void wire_put_u24(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 16);
    at[1] = (uint8_t)(value >> 8);
    at[2] = (uint8_t)value;
}

static inline void wire_put_u32(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

static inline void wire_put_u64(uint8_t *at, uint64_t value) {
    wire_put_u32(at, (uint32_t)(value >> 32));
    wire_put_u32(at + 4, (uint32_t)value);
}

#endif
