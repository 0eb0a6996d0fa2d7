/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON as a tree of ours, so that jansson stays in one file and the rest of the program can walk
 * values in the order of the text. A document owns its values and its text.
 */
#ifndef SCN_PARSE_TREE_H
#define SCN_PARSE_TREE_H

#include <sim/base.h>

#include "parse/diagnostic.h"

enum scn_type {
    SCN_NULL,
    SCN_BOOLEAN,
    SCN_INTEGER,
    SCN_REAL, /* kept as text only: no value in a scenario is a real number */
    SCN_STRING,
    SCN_ARRAY,
    SCN_OBJECT,
};

struct scn_value {
    enum scn_type type;
    bool boolean;
    uint32_t index; /* among its parent's children */
    uint32_t count; /* of children */
    int64_t integer;
    const char *key;    /* NULL unless a member of an object */
    const char *string; /* strings; UTF-8 */
    struct scn_value *parent;
    struct scn_value *first;
    struct scn_value *next;
    const struct scn_document *document; /* that it stands in */
    const struct scn_value *origin;      /* what it was copied from, where errors point; or NULL */
};

struct scn_document {
    const char *file; /* shown name; owned */
    char *text;
    struct scn_value *root;
    struct scn_arena *arena;
    struct scn_document *adopted; /* documents that live as long as this one */
    uint32_t value_count;
    bool is_option; /* a value of the command line: errors name the option, not a place in it */
};

/* What a file may hold, so that none takes memory or time without bound. */
#define SCN_FILE_BYTES_MAX (UINT64_C(16) << 20)
#define SCN_VALUE_COUNT_MAX 1000000u /* in a file; up to 350 bytes of memory each */
#define SCN_MEMBER_COUNT_MAX 1024u   /* of one object */

/*
 * Reads and parses; NULL with diagnostics when it cannot be read or is no JSON (duplicate keys are
 * errors). The text form parses `text` under the shown name `file`.
 */
struct scn_document *scn_document_read(const char *file, struct scn_diagnostics *diagnostics);
struct scn_document *scn_document_parse(const char *file, const char *text, size_t bytes,
                                        struct scn_diagnostics *diagnostics);
/*
 * A value of the command line: JSON, or a string when it is no JSON; NULL when it is no UTF-8.
 * `option` is its shown name.
 */
struct scn_document *scn_document_option(const char *option, const char *text);
void scn_document_free(struct scn_document *document);

/* `child` is freed with `document`: its values are origins of the document's. */
void scn_document_adopt(struct scn_document *document, struct scn_document *child);

/* Member by key, NULL when absent or `value` is no object (or NULL). */
const struct scn_value *scn_member(const struct scn_value *value, const char *key);

/*
 * Copies `value` and all below it into `document`, as a value without a parent. Errors at the copy
 * speak of the place of the original.
 */
struct scn_value *scn_value_copy(struct scn_document *document, const struct scn_value *value);
/* Sets or replaces a member / appends an element; `child` belongs to `document` already. */
void scn_value_put(struct scn_document *document, struct scn_value *object, const char *key,
                   struct scn_value *child);
struct scn_value *scn_value_new(struct scn_document *document, enum scn_type type);
/* Zeroed memory that lives as long as the document. */
void *scn_document_take(struct scn_document *document, size_t bytes);
const char *scn_document_keep(struct scn_document *document, const char *text);

/* The JSON path of a value, "$.nodes.client.cpus"; returns `buffer`. */
const char *scn_value_path(const struct scn_value *value, char *buffer, size_t size);

/* An error at a value (or at its key); finds the place in the text of the document it came from. */
void scn_diagnose_value(struct scn_diagnostics *diagnostics, const struct scn_value *value,
                        bool at_key, const char *format, ...) SIM_PRINTF(4, 5);

const char *scn_type_name(enum scn_type type);

#endif
