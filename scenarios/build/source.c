/* SPDX-License-Identifier: Apache-2.0 */
#include "build/source.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_BYTES_MAX ((off_t)16 << 20)

static char *read_file(FILE *file, size_t bytes, size_t *got) {
    char *text = malloc(bytes + 1);

    SIM_ASSERT(text != NULL);
    *got = fread(text, 1, bytes, file);
    text[*got] = '\0';
    return text;
}

/* Little-endian UTF-16 with its mark, as in some projects of Windows; what is no ASCII becomes '?'.
 */
static void narrow(struct build_source *source) {
    size_t count = 0;

    if (source->bytes < 2 || (uint8_t)source->text[0] != 0xFF || (uint8_t)source->text[1] != 0xFE)
        return;
    for (size_t i = 2; i + 1 < source->bytes; i += 2) {
        bool is_ascii = source->text[i + 1] == 0 && (uint8_t)source->text[i] < 0x80;

        source->text[count++] = (char)(is_ascii ? source->text[i] : '?');
    }
    source->text[count] = '\0';
    source->bytes = count;
}

bool build_source_read(const char *path, struct build_source *source) {
    struct stat about;
    FILE *file;

    memset(source, 0, sizeof(*source));
    if (stat(path, &about) != 0)
        return false;
    if (!S_ISREG(about.st_mode) || about.st_size > SOURCE_BYTES_MAX) {
        errno = S_ISDIR(about.st_mode) ? EISDIR : S_ISREG(about.st_mode) ? EFBIG : EINVAL;
        return false;
    }
    file = fopen(path, "rb");
    if (file == NULL)
        return false;
    source->text = read_file(file, (size_t)about.st_size, &source->bytes);
    fclose(file);
    source->path = strdup(path);
    SIM_ASSERT(source->path != NULL);
    narrow(source);
    return true;
}

void build_source_free(struct build_source *source) {
    free(source->path);
    free(source->text);
    memset(source, 0, sizeof(*source));
}

void build_scan_init(struct build_scan *scan, const char *text, size_t bytes) {
    *scan = (struct build_scan){text, text + bytes, 1, true};
}

static bool is_next(const struct build_scan *scan, const char *text) {
    size_t length = strlen(text);

    return (size_t)(scan->end - scan->at) >= length && memcmp(scan->at, text, length) == 0;
}

static void step(struct build_scan *scan) {
    if (*scan->at == '\n') {
        scan->line++;
        scan->is_line_start = true;
    }
    scan->at++;
}

static void skip_block_comment(struct build_scan *scan) {
    scan->at += 2;
    while (scan->at < scan->end && !is_next(scan, "*/"))
        step(scan);
    scan->at += scan->at < scan->end ? 2 : 0;
}

/* A backslash at the end of a line joins the next one to it. */
static bool is_joined(const struct build_scan *scan) {
    const char *before = scan->at;

    if (before > scan->end - 1 || *before != '\n')
        return false;
    do
        before--;
    while (*before == '\r');
    return *before == '\\';
}

static void skip_line_comment(struct build_scan *scan) {
    while (scan->at < scan->end && (*scan->at != '\n' || is_joined(scan)))
        step(scan);
}

static void skip_space(struct build_scan *scan) {
    while (scan->at < scan->end) {
        if (is_next(scan, "/*"))
            skip_block_comment(scan);
        else if (is_next(scan, "//"))
            skip_line_comment(scan);
        else if (isspace((unsigned char)*scan->at) || *scan->at == '\\')
            step(scan);
        else
            return;
    }
}

static void take_directive(struct build_scan *scan) {
    while (scan->at < scan->end) {
        if (is_next(scan, "/*"))
            skip_block_comment(scan);
        else if (*scan->at == '\n' && !is_joined(scan))
            return;
        else
            step(scan);
    }
}

static void take_quoted(struct build_scan *scan) {
    char quote = *scan->at++;

    while (scan->at < scan->end && *scan->at != quote && *scan->at != '\n') {
        if (*scan->at == '\\' && scan->at + 1 < scan->end)
            step(scan);
        step(scan);
    }
    scan->at += scan->at < scan->end && *scan->at == quote ? 1 : 0;
}

static void take_word(struct build_scan *scan) {
    while (scan->at < scan->end &&
           (isalnum((unsigned char)*scan->at) || *scan->at == '_' || *scan->at == '.'))
        scan->at++;
}

static void take_name(struct build_scan *scan) {
    while (scan->at < scan->end && (isalnum((unsigned char)*scan->at) || *scan->at == '_'))
        scan->at++;
}

static enum build_token_kind take(struct build_scan *scan) {
    unsigned char first = (unsigned char)*scan->at;

    if (first == '#' && scan->is_line_start) {
        take_directive(scan);
        return BUILD_DIRECTIVE;
    }
    if (first == '"' || first == '\'') {
        take_quoted(scan);
        return first == '"' ? BUILD_TEXT : BUILD_CHARACTER;
    }
    if (isalpha(first) || first == '_') {
        take_name(scan);
        return BUILD_NAME;
    }
    if (isdigit(first)) {
        take_word(scan);
        return BUILD_NUMBER;
    }
    scan->at++;
    return BUILD_MARK;
}

bool build_scan_next(struct build_scan *scan, struct build_token *token) {
    skip_space(scan);
    if (scan->at >= scan->end)
        return false;
    token->start = scan->at;
    token->line = scan->line;
    token->kind = take(scan);
    token->length = (size_t)(scan->at - token->start);
    scan->is_line_start = false;
    return true;
}

bool build_token_is(const struct build_token *token, const char *text) {
    return strlen(text) == token->length && memcmp(token->start, text, token->length) == 0;
}
