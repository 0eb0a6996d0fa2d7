/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a compiler said, told shortly: a name that neither the driver nor ndksim knows is one line,
 * whatever it led to; incompatible callbacks are findings; the rest is passed on.
 */
#ifndef SCN_BUILD_MESSAGES_H
#define SCN_BUILD_MESSAGES_H

#include <sim/base.h>

#include "build/list.h"

struct build_unknown {
    char name[128];
    const char *kind; /* "function", "type", "name", "header" */
    char place[512];  /* file:line:column of its first use */
    uint32_t uses;    /* in the driver's files; headers: 1 */
};

#define BUILD_UNKNOWN_MAX 512u

struct build_messages {
    struct build_unknown unknown[BUILD_UNKNOWN_MAX];
    size_t unknown_count;
    struct build_list others; /* "file:line:column: error|warning: ..." */
    uint32_t error_count;     /* among the others */
    uint32_t finding_count;   /* incompatible function types, among the others */
};

/* Takes all that a compiler wrote to stderr. */
void build_messages_take(struct build_messages *messages, char *text);
/* Counts the uses of the unknown names in these files. */
void build_messages_count(struct build_messages *messages, const struct build_list *files);
/* To stderr; returns whether nothing stands in the way of a module. */
bool build_messages_print(const struct build_messages *messages, bool is_verbose);
/* `--missing`: a table to stdout. */
void build_messages_list(const struct build_messages *messages);
void build_messages_free(struct build_messages *messages);

#endif
