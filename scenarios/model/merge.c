/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From files to one document: "extends" chains are merged (objects member by member, all else
 * replaced), then "set", the matrix cell and the command line's changes are applied, in that order.
 */
#include "model/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXTENDS_DEPTH_MAX 16u
#define CELL_COUNT_MAX 4096u

static void merge_into(struct scn_document *document, struct scn_value *base,
                       const struct scn_value *over) {
    for (const struct scn_value *member = over->first; member != NULL; member = member->next) {
        struct scn_value *old = (struct scn_value *)(uintptr_t)scn_member(base, member->key);

        if (old != NULL && old->type == SCN_OBJECT && member->type == SCN_OBJECT)
            merge_into(document, old, member);
        else
            scn_value_put(document, base, member->key, scn_value_copy(document, member));
    }
}

static void path_beside(const char *file, const char *relative, char *path, size_t size) {
    const char *slash = strrchr(file, '/');

    if (relative[0] == '/' || slash == NULL)
        snprintf(path, size, "%s", relative);
    else
        snprintf(path, size, "%.*s/%s", (int)(slash - file), file, relative);
}

/* The documents of a chain stay alive as long as the merged one: errors point into them. */
struct chain {
    struct scn_document *documents[EXTENDS_DEPTH_MAX];
    uint32_t count;
};

static bool read_chain(const char *file, struct chain *chain, struct scn_diagnostics *diagnostics) {
    char path[4096];

    snprintf(path, sizeof(path), "%s", file);
    for (;;) {
        const struct scn_value *extends;
        struct scn_document *document;

        document = scn_document_read(path, diagnostics);
        if (document == NULL)
            return false;
        chain->documents[chain->count++] = document;
        if (document->root->type != SCN_OBJECT) {
            scn_diagnose_value(diagnostics, document->root, false, "expected object, got %s",
                               scn_type_name(document->root->type));
            return false;
        }
        extends = scn_member(document->root, "extends");
        if (extends == NULL)
            return true;
        if (extends->type != SCN_STRING) {
            scn_diagnose_value(diagnostics, extends, false, "expected string, got %s",
                               scn_type_name(extends->type));
            return false;
        }
        if (chain->count == EXTENDS_DEPTH_MAX) {
            scn_diagnose_value(diagnostics, extends, false,
                               "more than %u files extend each other; is this a circle?",
                               EXTENDS_DEPTH_MAX);
            return false;
        }
        path_beside(document->file, extends->string, path, sizeof(path));
    }
}

/* Follows dotted members and [index] elements; makes missing objects on the way. */
static struct scn_value *walk(struct scn_document *document, struct scn_value *value, char *path,
                              char **last) {
    char *at = path, *dot;

    for (;;) {
        struct scn_value *child;
        char *bracket;

        dot = strchr(at, '.');
        bracket = strchr(at, '[');
        if (bracket != NULL && (dot == NULL || bracket < dot) && bracket != at) {
            dot = bracket;
        } else if (bracket == at) {
            char *end = strchr(at, ']');
            uint32_t index = (uint32_t)strtoul(at + 1, NULL, 10);

            if (end == NULL || value->type != SCN_ARRAY || index >= value->count)
                return NULL;
            if (end[1] == '\0') {
                *last = at;
                return value;
            }
            for (child = value->first; index > 0; index--)
                child = child->next;
            value = child;
            at = end + (end[1] == '.' ? 2 : 1);
            continue;
        }
        if (dot == NULL) {
            *last = at;
            return value->type == SCN_OBJECT ? value : NULL;
        }
        if (value->type != SCN_OBJECT)
            return NULL;
        {
            char keep = *dot;

            *dot = '\0';
            child = (struct scn_value *)(uintptr_t)scn_member(value, at);
            if (child == NULL) {
                child = scn_value_new(document, keep == '[' ? SCN_ARRAY : SCN_OBJECT);
                scn_value_put(document, value, at, child);
            }
            *dot = keep;
            at = keep == '[' ? dot : dot + 1;
        }
        value = child;
    }
}

static bool apply(struct scn_document *document, const char *path, const struct scn_value *value) {
    struct scn_value *copy = scn_value_copy(document, value), *parent;
    char words[1024], *last;

    if (strlen(path) >= sizeof(words))
        return false;
    snprintf(words, sizeof(words), "%s", strncmp(path, "$.", 2) == 0 ? path + 2 : path);
    parent = walk(document, document->root, words, &last);
    if (parent == NULL || *last == '\0')
        return false;
    if (*last == '[') {
        struct scn_value **link = &parent->first;

        for (uint32_t index = (uint32_t)strtoul(last + 1, NULL, 10); index > 0; index--)
            link = &(*link)->next;
        copy->index = (*link)->index;
        copy->next = (*link)->next;
        copy->parent = parent;
        *link = copy;
        return true;
    }
    scn_value_put(document, parent, last, copy);
    return true;
}

static void apply_set(struct scn_document *document, struct scn_diagnostics *diagnostics) {
    const struct scn_value *set = scn_member(document->root, "set");

    if (set == NULL || set->type != SCN_OBJECT)
        return;
    for (const struct scn_value *change = set->first; change != NULL; change = change->next)
        if (!apply(document, change->key, change))
            scn_diagnose_value(diagnostics, change, true,
                               "\"%s\" leads to no place in the scenario", change->key);
}

/* The cell's value of each axis; cells count with the last axis fastest. */
static uint32_t apply_cell(struct scn_document *document, uint32_t cell,
                           struct scn_diagnostics *diagnostics) {
    const struct scn_value *matrix = scn_member(document->root, "matrix");
    uint64_t count = 1, stride;

    if (matrix == NULL || matrix->type != SCN_OBJECT)
        return 1;
    for (const struct scn_value *axis = matrix->first; axis != NULL; axis = axis->next) {
        if (axis->type != SCN_ARRAY || axis->count == 0)
            return 1; /* the schema will say so */
        count *= axis->count;
        if (count > CELL_COUNT_MAX) {
            scn_diagnose_value(diagnostics, matrix, false, "the matrix has more than %u cells",
                               CELL_COUNT_MAX);
            return 1;
        }
    }
    stride = count;
    for (const struct scn_value *axis = matrix->first; axis != NULL; axis = axis->next) {
        const struct scn_value *value = axis->first;

        stride /= axis->count;
        for (uint64_t at = cell / stride % axis->count; at > 0; at--)
            value = value->next;
        if (!apply(document, axis->key, value))
            scn_diagnose_value(diagnostics, axis, true, "\"%s\" leads to no place in the scenario",
                               axis->key);
    }
    return (uint32_t)count;
}

static void apply_override(struct scn_document *document, const struct scn_override *override,
                           struct scn_diagnostics *diagnostics) {
    const char *equals = strchr(override->text, '=');
    struct scn_diagnostics ignored;
    struct scn_document *parsed;
    char shown[256], path[1024];
    struct scn_value *text;
    bool is_done;

    snprintf(shown, sizeof(shown), "--set %s", override->text);
    if (equals == NULL || equals == override->text ||
        (size_t)(equals - override->text) >= sizeof(path)) {
        scn_diagnose(diagnostics, shown, 0, 0, NULL,
                     "expected path=value, as in nodes.client.cpus=1");
        return;
    }
    snprintf(path, sizeof(path), "%.*s", (int)(equals - override->text), override->text);
    scn_diagnostics_init(&ignored);
    parsed = scn_document_parse(shown, equals + 1, strlen(equals + 1), &ignored);
    text = scn_value_new(document, SCN_STRING);
    text->string = scn_document_keep(document, equals + 1);
    is_done = apply(document, path, parsed != NULL ? parsed->root : text);
    if (parsed != NULL)
        scn_document_adopt(document, parsed);
    if (!is_done)
        scn_diagnose(diagnostics, shown, 0, 0, NULL, "\"%s\" leads to no place in the scenario",
                     path);
}

bool scn_merge_overrides(struct scn_document *document, const struct scn_override *overrides,
                         size_t override_count, struct scn_diagnostics *diagnostics) {
    uint32_t before = diagnostics->count;

    for (size_t i = 0; i < override_count; i++)
        apply_override(document, &overrides[i], diagnostics);
    return diagnostics->count == before;
}

struct scn_document *scn_merge(const char *file, const struct scn_override *overrides,
                               size_t override_count, uint32_t cell, uint32_t *cell_count,
                               struct scn_diagnostics *diagnostics) {
    struct scn_document *merged = NULL;
    struct chain chain = {.count = 0};
    uint32_t before = diagnostics->count, cells;

    if (!read_chain(file, &chain, diagnostics)) {
        for (uint32_t i = 0; i < chain.count; i++)
            scn_document_free(chain.documents[i]);
        return NULL;
    }
    merged = scn_document_parse(file, "{}", 2, diagnostics);
    for (uint32_t i = chain.count; i > 0; i--) {
        merge_into(merged, merged->root, chain.documents[i - 1]->root);
        scn_document_adopt(merged, chain.documents[i - 1]);
    }
    merged->root->origin = chain.documents[0]->root;
    apply_set(merged, diagnostics);
    cells = apply_cell(merged, cell, diagnostics);
    scn_merge_overrides(merged, overrides, override_count, diagnostics);
    if (cell_count != NULL)
        *cell_count = cells;
    if (diagnostics->count == before)
        return merged;
    scn_document_free(merged);
    return NULL;
}
