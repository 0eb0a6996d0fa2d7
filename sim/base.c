/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes of names. FNV-1a: byte by byte, so that a child's name hash goes on from its owner's.
 */
#include <sim/base.h>

uint64_t sim_hash_bytes(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *at = bytes;

    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

uint64_t sim_hash_text(const char *text) {
    uint64_t hash = SIM_HASH_TEXT_START;

    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    }
    return hash;
}
