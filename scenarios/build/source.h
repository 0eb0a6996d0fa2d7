/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver's C source as text and as tokens: what must be known of it before the compiler sees it
 * (its includes, its trace macros, what is of another width on Windows). Nothing is preprocessed:
 * code behind an #if that is false is read too.
 */
#ifndef SCN_BUILD_SOURCE_H
#define SCN_BUILD_SOURCE_H

#include <sim/base.h>

struct build_source {
    char *path; /* as named, or as found */
    char *text; /* 0-terminated */
    size_t bytes;
};

/* False with errno. UTF-16 (as some editors of Windows write) is turned into bytes. */
bool build_source_read(const char *path, struct build_source *source);
void build_source_free(struct build_source *source);

enum build_token_kind {
    BUILD_NAME,
    BUILD_NUMBER,
    BUILD_TEXT,      /* "..." with its quotes, without a prefix */
    BUILD_CHARACTER, /* '...' */
    BUILD_MARK,      /* one character */
    BUILD_DIRECTIVE, /* a line that begins with #, continuation lines included */
};

struct build_token {
    enum build_token_kind kind;
    const char *start;
    size_t length;
    uint32_t line; /* of its first character, from 1 */
};

struct build_scan {
    const char *at;
    const char *end;
    uint32_t line;
    bool is_line_start;
};

void build_scan_init(struct build_scan *scan, const char *text, size_t bytes);
/* Comments and white space are left out; false at the end. */
bool build_scan_next(struct build_scan *scan, struct build_token *token);
bool build_token_is(const struct build_token *token, const char *text);

#endif
