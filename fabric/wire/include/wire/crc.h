/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32 of Ethernet (reflected polynomial 0xEDB88320), incremental. Both versions give the same
 * value on every machine; only their speed differs.
 */
#ifndef WIRE_CRC_H
#define WIRE_CRC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Feeds `bytes` bytes to the CRC *register* and returns it. Neither initial value nor final
 * inversion is applied: start with 0xFFFFFFFF and invert the result for the usual CRC-32.
 * Uses carry-less multiplication (x86-64) or CRC instructions (arm64) where the CPU has them.
 */
uint32_t wire_crc32_update(uint32_t state, const uint8_t *data, size_t bytes);

/* The same by tables alone: the fallback, and what the fast one is tested against. */
uint32_t wire_crc32_update_portable(uint32_t state, const uint8_t *data, size_t bytes);

/* The usual CRC-32 of one buffer: "123456789" gives 0xCBF43926. */
static inline uint32_t wire_crc32(const uint8_t *data, size_t bytes) {
    return ~wire_crc32_update(0xFFFFFFFFu, data, bytes);
}

#endif
