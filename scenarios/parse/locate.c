/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scanner over valid JSON text that follows one path. It walks values in the order of the text
 * and descends only into the member or element that the path names next.
 */
#include "parse/locate.h"

#include <string.h>

struct scan {
    const char *text;
    const char *at;
};

static void skip_space(struct scan *scan) {
    while (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\n' || *scan->at == '\r')
        scan->at++;
}

static void skip_string(struct scan *scan) {
    scan->at++;
    while (*scan->at != '\0' && *scan->at != '"')
        scan->at += (*scan->at == '\\' && scan->at[1] != '\0') ? 2 : 1;
    if (*scan->at == '"')
        scan->at++;
}

/* Skips one value of any kind; nesting is counted, not recursed into. */
static void skip_value(struct scan *scan) {
    uint32_t depth = 0;

    skip_space(scan);
    do {
        if (*scan->at == '"') {
            skip_string(scan);
        } else if (*scan->at == '{' || *scan->at == '[') {
            depth++;
            scan->at++;
        } else if (*scan->at == '}' || *scan->at == ']') {
            depth--;
            scan->at++;
        } else if (depth == 0) {
            while (*scan->at != '\0' && strchr(",]} \t\r\n", *scan->at) == NULL)
                scan->at++;
        } else {
            scan->at++;
        }
    } while (depth > 0 && *scan->at != '\0');
}

static struct scn_place place_of(const struct scan *scan) {
    struct scn_place place = {1, 1};

    for (const char *p = scan->text; p < scan->at; p++) {
        if (*p == '\n') {
            place.line++;
            place.column = 1;
        } else {
            place.column++;
        }
    }
    return place;
}

/* One step of a path: a key (with its length) or an index. */
struct path_step {
    const char *key;
    size_t key_length;
    uint64_t index;
};

static const char *next_step(const char *path, struct path_step *step) {
    const char *end;

    step->key = NULL;
    step->index = 0;
    if (*path == '.') {
        step->key = path + 1;
        step->key_length = strcspn(path + 1, ".[");
        return path + 1 + step->key_length;
    }
    if (path[0] == '[' && path[1] == '"') {
        step->key = path + 2;
        end = strstr(path + 2, "\"]");
        if (end == NULL)
            return NULL;
        step->key_length = (size_t)(end - step->key);
        return end + 2;
    }
    if (*path != '[')
        return NULL;
    for (path++; *path >= '0' && *path <= '9'; path++)
        step->index = step->index * 10 + (uint64_t)(*path - '0');
    return *path == ']' ? path + 1 : NULL;
}

/* Passes "key:" of a member; the scan stands at its value then. */
static bool pass_key(struct scan *scan, const char **key_at) {
    skip_space(scan);
    if (*scan->at != '"')
        return false;
    *key_at = scan->at;
    skip_string(scan);
    skip_space(scan);
    if (*scan->at != ':')
        return false;
    scan->at++;
    return true;
}

/* Enters the named member; leaves the scan at its value and `*key_at` at its key. */
static bool enter_member(struct scan *scan, const struct path_step *step, const char **key_at) {
    skip_space(scan);
    if (*scan->at != '{')
        return false;
    do {
        scan->at++;
        if (!pass_key(scan, key_at))
            return false;
        if (strncmp(*key_at + 1, step->key, step->key_length) == 0 &&
            (*key_at)[1 + step->key_length] == '"') {
            skip_space(scan);
            return true;
        }
        skip_value(scan);
        skip_space(scan);
    } while (*scan->at == ',');
    return false;
}

/* The n-th element, or the n-th member of an object: then `*key_at` is its key. */
static bool enter_nth(struct scan *scan, uint64_t index, const char **key_at) {
    bool is_object;

    skip_space(scan);
    if (*scan->at != '[' && *scan->at != '{')
        return false;
    is_object = *scan->at++ == '{';
    *key_at = NULL;
    for (; index > 0; index--) {
        if (is_object && !pass_key(scan, key_at))
            return false;
        skip_value(scan);
        skip_space(scan);
        if (*scan->at != ',')
            return false;
        scan->at++;
    }
    if (is_object && !pass_key(scan, key_at))
        return false;
    skip_space(scan);
    return *scan->at != ']';
}

struct scn_place scn_locate(const char *text, const char *path, bool of_key) {
    struct scan scan = {text, text};
    const struct scn_place nowhere = {0, 0};
    const char *key_at = NULL;

    if (*path != '$')
        return nowhere;
    for (path++; *path != '\0';) {
        struct path_step step;

        path = next_step(path, &step);
        if (path == NULL)
            return nowhere;
        if (step.key != NULL ? !enter_member(&scan, &step, &key_at)
                             : !enter_nth(&scan, step.index, &key_at))
            return nowhere;
    }
    skip_space(&scan);
    if (of_key && key_at != NULL)
        scan.at = key_at;
    return place_of(&scan);
}
