/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has another width on Windows, where a long has 32 bits: bare `long`, constants with L or UL.
 * A warning with file and line each; the code is built as it is.
 */
#include <ctype.h>
#include <string.h>

#include "build/driver.h"
#include "build/source.h"

/* "1L", "0x10UL"; not "1LL", "10ull", "1.0L". */
static bool is_long_number(const struct build_token *token) {
    size_t end = token->length, longs = 0;

    if (memchr(token->start, '.', token->length) != NULL)
        return false;
    while (end > 0 && strchr("uUlL", token->start[end - 1]) != NULL) {
        longs += tolower((unsigned char)token->start[end - 1]) == 'l';
        end--;
    }
    return longs == 1;
}

static bool is_long(const struct build_token *token, const struct build_token *before,
                    const struct build_token *after) {
    return build_token_is(token, "long") && !build_token_is(before, "long") &&
           !build_token_is(after, "long") && !build_token_is(after, "double") &&
           !build_token_is(before, "double");
}

static void scan_widths(struct build_driver *driver, const char *path, struct build_scan *scan);

/* What a macro stands for is code too. */
static void look_into(struct build_driver *driver, const char *path,
                      const struct build_token *directive) {
    struct build_scan scan;

    build_scan_init(&scan, directive->start + 1, directive->length - 1);
    scan.line = directive->line;
    scan.is_line_start = false;
    scan_widths(driver, path, &scan);
}

static void look_at(struct build_driver *driver, const char *path, const struct build_token *token,
                    const struct build_token *before, const struct build_token *after) {
    if (token->kind == BUILD_DIRECTIVE)
        look_into(driver, path, token);
    else if (token->kind == BUILD_NAME && is_long(token, before, after))
        build_warn(driver, path, token->line,
                   "\"long\" has 32 bits on Windows and 64 here: say LONG or int");
    else if (token->kind == BUILD_NUMBER && is_long_number(token))
        build_warn(driver, path, token->line,
                   "%.*s has 32 bits on Windows and 64 here: leave the L away, or cast it to LONG "
                   "or ULONG",
                   (int)token->length, token->start);
}

static void scan_widths(struct build_driver *driver, const char *path, struct build_scan *scan) {
    static const struct build_token none = {BUILD_MARK, "", 0, 0};
    struct build_token before = none, token = none, after;
    bool is_more = build_scan_next(scan, &token);

    while (is_more) {
        is_more = build_scan_next(scan, &after);
        if (!is_more)
            after = none;
        look_at(driver, path, &token, &before, &after);
        before = token;
        token = after;
    }
}

void build_scan_widths(struct build_driver *driver, const struct build_source *source) {
    struct build_scan scan;

    build_scan_init(&scan, source->text, source->bytes);
    scan_widths(driver, source->path, &scan);
}
