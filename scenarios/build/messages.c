/* SPDX-License-Identifier: Apache-2.0 */
#include "build/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/source.h"

struct shape {
    const char *text; /* in the message */
    const char *kind;
    bool is_before; /* the name stands before the text, unquoted */
};

/* gcc and clang, in the C locale. */
static const struct shape shapes[] = {
    {"implicit declaration of function", "function", false},
    {"call to undeclared function", "function", false},
    {"call to undeclared library function", "function", false},
    {"implicitly declaring library function", "function", false},
    {"unknown type name", "type", false},
    {"use of undeclared identifier", "name", false},
    {"undeclared (first use", "name", false},
    {"undeclared here", "name", false},
    {"file not found", "header", false},
    {": No such file or directory", "header", true},
};

static const char *const findings[] = {
    "incompatible-pointer-types",
    "incompatible-function-pointer-types",
    "cast-function-type",
};

static void quoted(const char *text, char *name, size_t size) {
    const char *open = strchr(text, '\''), *close = open != NULL ? strchr(open + 1, '\'') : NULL;

    name[0] = '\0';
    if (close != NULL)
        snprintf(name, size, "%.*s", (int)(close - open - 1), open + 1);
}

static struct build_unknown *unknown_of(struct build_messages *messages, const char *name) {
    for (size_t i = 0; i < messages->unknown_count; i++)
        if (strcmp(messages->unknown[i].name, name) == 0)
            return &messages->unknown[i];
    return NULL;
}

static void note_unknown(struct build_messages *messages, const char *name, const char *kind,
                         const char *line, const char *message) {
    struct build_unknown *unknown = unknown_of(messages, name);

    if (unknown != NULL || messages->unknown_count == BUILD_UNKNOWN_MAX)
        return;
    unknown = &messages->unknown[messages->unknown_count++];
    snprintf(unknown->name, sizeof(unknown->name), "%s", name);
    unknown->kind = kind;
    snprintf(unknown->place, sizeof(unknown->place), "%.*s", (int)(message - line), line);
    unknown->uses = 1;
}

static bool take_unknown(struct build_messages *messages, const char *line, const char *message,
                         const char *text) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(shapes); i++) {
        const char *found = strstr(text, shapes[i].text);
        char name[128];

        if (found == NULL)
            continue;
        if (shapes[i].is_before)
            snprintf(name, sizeof(name), "%.*s", (int)(found - text), text);
        else
            quoted(text, name, sizeof(name));
        if (name[0] != '\0') {
            note_unknown(messages, name, shapes[i].kind, line, message);
            return true;
        }
    }
    return false;
}

static void take_line(struct build_messages *messages, const char *line) {
    static const char *const kinds[] = {": fatal error: ", ": error: ", ": warning: "};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(kinds); i++) {
        const char *message = strstr(line, kinds[i]);
        bool is_error = i < 2, is_finding = false;

        if (message == NULL)
            continue;
        if (take_unknown(messages, line, message, message + strlen(kinds[i])))
            return;
        for (size_t f = 0; f < SIM_ARRAY_COUNT(findings); f++)
            is_finding = is_finding || strstr(line, findings[f]) != NULL;
        messages->finding_count += is_finding;
        messages->error_count += is_error;
        build_list_add(&messages->others, "%s", line);
        return;
    }
    /* A linker has a form of its own. */
    if (strstr(line, "undefined reference") != NULL || strstr(line, "ld:") != NULL) {
        messages->error_count++;
        build_list_add(&messages->others, "%s", line);
    }
}

void build_messages_take(struct build_messages *messages, char *text) {
    char *rest = text;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        take_line(messages, line);
}

static void count_uses(struct build_messages *messages, const struct build_source *source) {
    struct build_token token;
    struct build_scan scan;

    build_scan_init(&scan, source->text, source->bytes);
    while (build_scan_next(&scan, &token))
        for (size_t i = 0; token.kind == BUILD_NAME && i < messages->unknown_count; i++)
            messages->unknown[i].uses += build_token_is(&token, messages->unknown[i].name);
}

void build_messages_count(struct build_messages *messages, const struct build_list *files) {
    for (size_t i = 0; i < messages->unknown_count; i++)
        messages->unknown[i].uses = 0;
    for (size_t i = 0; i < files->count; i++) {
        struct build_source source;

        if (!build_source_read(files->items[i], &source))
            continue;
        count_uses(messages, &source);
        build_source_free(&source);
    }
    /* What only a macro of another file writes is used nevertheless. */
    for (size_t i = 0; i < messages->unknown_count; i++)
        messages->unknown[i].uses += messages->unknown[i].uses == 0;
}

bool build_messages_print(const struct build_messages *messages, bool is_verbose) {
    uint32_t hidden = 0;

    for (size_t i = 0; i < messages->unknown_count; i++)
        fprintf(stderr, "%s: error: neither the driver nor ndksim has the %s %s\n",
                messages->unknown[i].place, messages->unknown[i].kind, messages->unknown[i].name);
    for (size_t i = 0; i < messages->others.count; i++) {
        bool is_error = strstr(messages->others.items[i], "error: ") != NULL;

        /* An error beside an unknown name mostly comes of it. */
        if (is_error && messages->unknown_count != 0 && !is_verbose)
            hidden++;
        else
            fprintf(stderr, "%s\n", messages->others.items[i]);
    }
    if (hidden != 0)
        fprintf(stderr, "ndksim: %u more errors may come of these names (-v shows them)\n", hidden);
    return messages->unknown_count == 0 && messages->error_count == 0;
}

static int by_uses(const void *left, const void *right) {
    const struct build_unknown *a = left, *b = right;

    if (a->uses != b->uses)
        return a->uses < b->uses ? 1 : -1;
    return strcmp(a->name, b->name);
}

void build_messages_list(const struct build_messages *messages) {
    struct build_unknown *sorted =
        calloc(messages->unknown_count + 1, sizeof(messages->unknown[0]));

    SIM_ASSERT(sorted != NULL);
    memcpy(sorted, messages->unknown, messages->unknown_count * sizeof(sorted[0]));
    qsort(sorted, messages->unknown_count, sizeof(sorted[0]), by_uses);
    for (size_t i = 0; i < messages->unknown_count; i++)
        printf("%5u  %-9s %-40s %s\n", sorted[i].uses, sorted[i].kind, sorted[i].name,
               sorted[i].place);
    printf("%zu name%s missing\n", messages->unknown_count,
           messages->unknown_count == 1 ? "" : "s");
    free(sorted);
}

void build_messages_free(struct build_messages *messages) {
    build_list_free(&messages->others);
}
