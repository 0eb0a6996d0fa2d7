/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of a pcapng file (little-endian), built in host memory and written one at a time. Options
 * must come after the fixed part of a block. Nothing here knows of worlds or ports.
 */
#ifndef NET_PCAPNG_H
#define NET_PCAPNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pcapng_block_type {
    PCAPNG_SECTION = 0x0A0D0D0A,
    PCAPNG_INTERFACE = 1,
    PCAPNG_STATISTICS = 5,
    PCAPNG_PACKET = 6,
};

enum pcapng_option {
    PCAPNG_COMMENT = 1,
    PCAPNG_SECTION_APPLICATION = 4,
    PCAPNG_INTERFACE_NAME = 2,
    PCAPNG_INTERFACE_MAC = 6,
    PCAPNG_INTERFACE_SPEED = 8,
    PCAPNG_INTERFACE_RESOLUTION = 9,
    PCAPNG_PACKET_FLAGS = 2,
    PCAPNG_PACKET_ID = 5,
    PCAPNG_STATISTICS_RECEIVED = 4,
};

#define PCAPNG_LINK_ETHERNET 1u
#define PCAPNG_RESOLUTION_NS 9u
#define PCAPNG_FLAG_IN 1u
#define PCAPNG_FLAG_OUT 2u
#define PCAPNG_SNAP_BYTES 262144u
/* Where the value of the first option of a section header stands, from its start. */
#define PCAPNG_SECTION_FIRST_OPTION_OFFSET 28u

struct pcapng_block {
    uint8_t *bytes; /* malloc'ed; free() it at the end */
    size_t used;
    size_t capacity;
    bool has_options;
    bool has_failed; /* out of memory: the block is not to be written */
};

void pcapng_section_begin(struct pcapng_block *block);
void pcapng_interface_begin(struct pcapng_block *block);
void pcapng_packet_begin(struct pcapng_block *block, uint32_t interface_id, uint64_t time_ns,
                         const uint8_t *bytes, uint32_t length, uint32_t original_length);
void pcapng_statistics_begin(struct pcapng_block *block, uint32_t interface_id, uint64_t time_ns);

void pcapng_option_bytes(struct pcapng_block *block, enum pcapng_option code, const void *value,
                         size_t bytes);
void pcapng_option_text(struct pcapng_block *block, enum pcapng_option code, const char *text);
void pcapng_option_u8(struct pcapng_block *block, enum pcapng_option code, uint8_t value);
void pcapng_option_u32(struct pcapng_block *block, enum pcapng_option code, uint32_t value);
void pcapng_option_u64(struct pcapng_block *block, enum pcapng_option code, uint64_t value);

/* Closes the block; bytes[0, used) can be written then, unless has_failed. */
void pcapng_end(struct pcapng_block *block);

#endif
