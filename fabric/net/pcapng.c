/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every block: type, total length, fixed part, options, total length again; all padded to 4 bytes.
 */
#include "pcapng.h"

#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MAGIC 0x1A2B3C4Du
#define OPTION_BYTES_MAX 0xFFFFu

static uint8_t *grow(struct pcapng_block *block, size_t bytes) {
    if (block->used + bytes > block->capacity) {
        size_t capacity = 2 * block->capacity + bytes + 256;
        uint8_t *larger = realloc(block->bytes, capacity);
        if (larger == NULL) {
            block->has_failed = true;
            return NULL;
        }
        block->bytes = larger;
        block->capacity = capacity;
    }
    uint8_t *at = block->bytes + block->used;
    block->used += bytes;
    return at;
}

static void put_u32_at(uint8_t *at, uint32_t value) {
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static void put_u16(struct pcapng_block *block, uint32_t value) {
    uint8_t *at = grow(block, 2);
    if (at == NULL)
        return;
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put_u32(struct pcapng_block *block, uint32_t value) {
    uint8_t *at = grow(block, 4);
    if (at != NULL)
        put_u32_at(at, value);
}

/* Padded to 4 with zeroes. */
static void put_bytes(struct pcapng_block *block, const void *value, size_t bytes) {
    size_t padded = (bytes + 3) & ~(size_t)3;
    uint8_t *at = grow(block, padded);
    if (at == NULL || bytes == 0)
        return;
    memcpy(at, value, bytes);
    memset(at + bytes, 0, padded - bytes);
}

/* As the format wants them: high half first, each half little-endian. */
static void put_time(struct pcapng_block *block, uint64_t time_ns) {
    put_u32(block, (uint32_t)(time_ns >> 32));
    put_u32(block, (uint32_t)time_ns);
}

static void block_begin(struct pcapng_block *block, enum pcapng_block_type type) {
    block->used = 0;
    block->has_options = false;
    block->has_failed = false;
    put_u32(block, (uint32_t)type);
    put_u32(block, 0);
}

void pcapng_section_begin(struct pcapng_block *block) {
    block_begin(block, PCAPNG_SECTION);
    put_u32(block, BYTE_ORDER_MAGIC);
    put_u16(block, 1);
    put_u16(block, 0);
    /* Section length: not stated. */
    put_u32(block, UINT32_MAX);
    put_u32(block, UINT32_MAX);
}

void pcapng_interface_begin(struct pcapng_block *block) {
    block_begin(block, PCAPNG_INTERFACE);
    put_u16(block, PCAPNG_LINK_ETHERNET);
    put_u16(block, 0);
    put_u32(block, PCAPNG_SNAP_BYTES);
}

void pcapng_packet_begin(struct pcapng_block *block, uint32_t interface_id, uint64_t time_ns,
                         const uint8_t *bytes, uint32_t length, uint32_t original_length) {
    block_begin(block, PCAPNG_PACKET);
    put_u32(block, interface_id);
    put_time(block, time_ns);
    put_u32(block, length);
    put_u32(block, original_length);
    put_bytes(block, bytes, length);
}

void pcapng_statistics_begin(struct pcapng_block *block, uint32_t interface_id, uint64_t time_ns) {
    block_begin(block, PCAPNG_STATISTICS);
    put_u32(block, interface_id);
    put_time(block, time_ns);
}

void pcapng_option_bytes(struct pcapng_block *block, enum pcapng_option code, const void *value,
                         size_t bytes) {
    if (bytes > OPTION_BYTES_MAX)
        bytes = OPTION_BYTES_MAX;
    block->has_options = true;
    put_u16(block, (uint32_t)code);
    put_u16(block, (uint32_t)bytes);
    put_bytes(block, value, bytes);
}

void pcapng_option_text(struct pcapng_block *block, enum pcapng_option code, const char *text) {
    pcapng_option_bytes(block, code, text, strlen(text));
}

void pcapng_option_u8(struct pcapng_block *block, enum pcapng_option code, uint8_t value) {
    pcapng_option_bytes(block, code, &value, 1);
}

void pcapng_option_u32(struct pcapng_block *block, enum pcapng_option code, uint32_t value) {
    uint8_t bytes[4];
    put_u32_at(bytes, value);
    pcapng_option_bytes(block, code, bytes, sizeof bytes);
}

void pcapng_option_u64(struct pcapng_block *block, enum pcapng_option code, uint64_t value) {
    uint8_t bytes[8];
    put_u32_at(bytes, (uint32_t)value);
    put_u32_at(bytes + 4, (uint32_t)(value >> 32));
    pcapng_option_bytes(block, code, bytes, sizeof bytes);
}

void pcapng_end(struct pcapng_block *block) {
    if (block->has_options)
        put_u32(block, 0);
    uint32_t total = (uint32_t)block->used + 4;
    put_u32(block, total);
    if (!block->has_failed)
        put_u32_at(block->bytes + 4, total);
}
