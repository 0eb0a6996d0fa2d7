/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Internet checksum (RFC 1071). A partial sum is a uint64_t: the plain sum of big-endian 16-bit
 * words, so that single header fields may be added with +. Of several buffers each but the last
 * must have an even length.
 */
#ifndef WIRE_CHECKSUM_H
#define WIRE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Adds a buffer to a partial sum (0 to begin with); an odd last byte counts as a high byte. */
uint64_t wire_checksum_add(uint64_t sum, const uint8_t *data, size_t bytes);

/* Folds a partial sum and inverts it. The result is stored with wire_put_u16. */
uint16_t wire_checksum_finish(uint64_t sum);

/* Checksum of one buffer whose checksum field is zero; a correct buffer with its field in gives 0.
 */
uint16_t wire_checksum(const uint8_t *data, size_t bytes);

#endif
