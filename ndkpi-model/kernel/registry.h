/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry of a node: a tree of keys with typed values, in the PRIVATE region. Names are kept
 * as UTF-8 and compared without regard to case. Paths begin with \Registry\Machine.
 */
#ifndef KRN_REGISTRY_H
#define KRN_REGISTRY_H

#include "kernel.h"

#define KRN_SERVICES_PATH "\\Registry\\Machine\\System\\CurrentControlSet\\Services"
#define KRN_REGISTRY_NAME_BYTES 256u

struct krn_registry_value {
    struct krn_registry_value *next;
    const char *name;
    uint32_t type; /* REG_... */
    uint32_t bytes;
    unsigned char *data;
};

struct krn_registry_key {
    struct krn_registry_key *next; /* of the same parent, by creation */
    struct krn_registry_key *parent;
    struct krn_registry_key *child_first;
    struct krn_registry_key *child_last;
    struct krn_registry_value *value_first;
    struct krn_registry_value *value_last;
    const char *name;
    bool is_deleted;
};

void krn_registry_init(struct krn_node *node);

/* Makes the service key of a driver, with its Parameters key and the values in it. */
void krn_registry_service(struct krn_node *node, const char *name, const struct krn_keyword *values,
                          size_t count);

/* The Parameters key of a driver's service key; made when it is not there. */
struct krn_registry_key *krn_registry_parameters(struct krn_node *node, const char *driver_name);

/*
 * Walks `path` below `from` (NULL: an absolute path). With `create`, missing keys are made;
 * `*created` (may be NULL) says whether the last one was. NULL: no such key.
 */
struct krn_registry_key *krn_registry_find(struct krn_node *node, struct krn_registry_key *from,
                                           const char *path, bool create, bool *created);
struct krn_registry_value *krn_registry_value(const struct krn_registry_key *key, const char *name);
void krn_registry_set(struct krn_node *node, struct krn_registry_key *key, const char *name,
                      uint32_t type, const void *data, uint32_t bytes);
bool krn_registry_unset(struct krn_node *node, struct krn_registry_key *key, const char *name);

/* A text as a value: a number (decimal or 0x) becomes REG_DWORD or REG_QWORD, else REG_SZ. */
void krn_registry_set_text(struct krn_node *node, struct krn_registry_key *key, const char *name,
                           const char *text);
/* Decimal or 0x hexadecimal, whole text. */
bool krn_number_of(const char *text, uint64_t *number);

#endif
