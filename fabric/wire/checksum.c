/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one's complement sum does not care about byte order as long as it is swapped once at the end
 * (RFC 1071, 2B), so the loop adds host-order words of 32 bits, which compilers make vectors of.
 */
#include "wire/checksum.h"

#include <string.h>

static uint16_t fold(uint64_t sum) {
    sum = (sum & 0xFFFFFFFFu) + (sum >> 32);
    sum = (sum & 0xFFFFFFFFu) + (sum >> 32);
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)sum;
}

/* Sum of words that lie in memory in host order -> the same sum of big-endian words. */
static uint16_t host_to_wire(uint16_t sum) {
    uint8_t bytes[2];
    memcpy(bytes, &sum, sizeof bytes);
    return (uint16_t)((unsigned)bytes[0] << 8 | bytes[1]);
}

uint64_t wire_checksum_add(uint64_t sum, const uint8_t *data, size_t bytes) {
    uint64_t host_sum = 0;
    for (; bytes >= 4; bytes -= 4, data += 4) {
        uint32_t word;
        memcpy(&word, data, sizeof word);
        host_sum += word;
    }
    uint8_t rest[4] = {0};
    memcpy(rest, data, bytes);
    uint32_t word;
    memcpy(&word, rest, sizeof word);
    return sum + host_to_wire(fold(host_sum + word));
}

uint16_t wire_checksum_finish(uint64_t sum) {
    return (uint16_t)~fold(sum);
}

uint16_t wire_checksum(const uint8_t *data, size_t bytes) {
    return wire_checksum_finish(wire_checksum_add(0, data, bytes));
}
