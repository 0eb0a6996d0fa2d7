/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a node: kept in the world, shown in the run's report, never on the host's disk. */
#ifndef KRN_FILE_PRIVATE_H
#define KRN_FILE_PRIVATE_H

#include <krn/file.h>

#include "kernel.h"

#define KRN_FILE_BYTES_MAX (UINT64_C(64) << 20)

struct krn_file {
    struct krn_file *next;
    const char *path;
    unsigned char *bytes;
    uint64_t count;
    uint64_t capacity;
    uint64_t made_ns;
    uint64_t written_ns;
    uint32_t attributes;
    uint32_t readers; /* open handles by what they may, and by what they let others */
    uint32_t writers;
    uint32_t readers_refused;
    uint32_t writers_refused;
};

struct krn_open_file {
    struct krn_file *file;
    uint64_t position;
    bool may_read;
    bool may_write;
    bool append_only;
    bool is_synchronous;
    bool shares_read;
    bool shares_write;
};

/* Room for `count` bytes; false: more than a file may have. */
bool krn_file_grow(struct krn_node *node, struct krn_file *file, uint64_t count);
/* The open file of a handle, or NULL. */
struct krn_open_file *krn_file_of(const struct krn_call *call, void *handle);
void krn_file_close(struct krn_node *node, struct krn_open_file *open);

#endif
