/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From files to one document: "extends" chains are merged (objects member by member, all else
 * replaced), then "set", the matrix cell and the command line's changes are applied, in that order.
 */
#include "model/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parse/tidy_path.h"

#define EXTENDS_DEPTH_MAX 16u
#define CELL_COUNT_MAX 4096u
#define CHAIN_VALUE_COUNT_MAX 200000u /* in all files that extend each other */

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
    scn_path_tidy(path, size);
}

/* The documents of a chain stay alive as long as the merged one: errors point into them. */
struct chain {
    struct scn_document *documents[EXTENDS_DEPTH_MAX];
    uint32_t count;
};

static bool expect_type(const struct scn_value *value, enum scn_type type, const char *name,
                        struct scn_diagnostics *diagnostics) {
    if (value->type != type)
        scn_diagnose_value(diagnostics, value, false, "expected %s, got %s", name,
                           scn_type_name(value->type));
    return value->type == type;
}

static bool same_file(const char *a, const char *b) {
    struct stat one, other;

    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* The file that `extends` names; false when it cannot be opened, is in the chain or one too many.
 */
static bool follow(const struct chain *chain, const struct scn_value *extends, char *path,
                   size_t size, struct scn_diagnostics *diagnostics) {
    path_beside(extends->document->file, extends->string, path, size);
    if (access(path, R_OK) != 0) {
        scn_diagnose_value(diagnostics, extends, false, "%s cannot be opened: %s", path,
                           strerror(errno));
        return false;
    }
    for (uint32_t i = 0; i < chain->count; i++) {
        if (!same_file(chain->documents[i]->file, path))
            continue;
        scn_diagnose_value(diagnostics, extends, false, "a circle: %s extends this file already",
                           path);
        return false;
    }
    if (chain->count == EXTENDS_DEPTH_MAX)
        scn_diagnose_value(diagnostics, extends, false, "more than %u files extend each other",
                           EXTENDS_DEPTH_MAX);
    return chain->count < EXTENDS_DEPTH_MAX;
}

static bool read_chain(const char *file, struct chain *chain, struct scn_diagnostics *diagnostics) {
    uint32_t value_count = 0;
    char path[4096];

    snprintf(path, sizeof(path), "%s", file);
    for (;;) {
        struct scn_document *document = scn_document_read(path, diagnostics);
        const struct scn_value *extends;

        if (document == NULL)
            return false;
        chain->documents[chain->count++] = document;
        value_count += document->value_count;
        if (value_count > CHAIN_VALUE_COUNT_MAX) {
            scn_diagnose(diagnostics, path, 0, 0, NULL, "holds %u values; at most %u in a scenario",
                         value_count, CHAIN_VALUE_COUNT_MAX);
            return false;
        }
        if (!expect_type(document->root, SCN_OBJECT, "object", diagnostics))
            return false;
        if (scn_member(document->root, "ndkrun") != NULL) {
            scn_diagnose(diagnostics, path, 0, 0, NULL,
                         "is a recorded run, no scenario (ndksim replay)");
            return false;
        }
        extends = scn_member(document->root, "extends");
        if (extends == NULL)
            return true;
        if (!expect_type(extends, SCN_STRING, "string", diagnostics) ||
            !follow(chain, extends, path, sizeof(path), diagnostics))
            return false;
    }
}

/* "[7]" at `at`: the index and what stands behind it; NULL when it is no index. */
static char *read_index(char *at, uint32_t *index) {
    uint64_t number = 0;
    char *digit = at + 1;

    for (; *digit >= '0' && *digit <= '9' && number < UINT32_MAX; digit++)
        number = number * 10 + (uint64_t)(*digit - '0');
    *index = (uint32_t)(number < UINT32_MAX ? number : UINT32_MAX);
    return digit > at + 1 && *digit == ']' ? digit + 1 : NULL;
}

/* A change on its way to its place. */
struct change {
    struct scn_document *document;
    const struct scn_value *value;
    char why[160]; /* it leads nowhere */
};

static void no_member(struct change *change, const struct scn_value *object, const char *key) {
    const char *words[SCN_MEMBER_COUNT_MAX], *nearest;
    size_t count = 0;

    for (const struct scn_value *one = object->first; one != NULL && count < SIM_ARRAY_COUNT(words);
         one = one->next)
        words[count++] = one->key;
    nearest = scn_nearest(key, words, count);
    snprintf(change->why, sizeof(change->why), "there is no \"%.40s\"%s%.40s%s", key,
             nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
             nearest != NULL ? "\"?" : "");
}

/* Nodes, adapters and switches are found, not made, by a path to something in them. */
static bool is_by_name(const struct scn_value *object) {
    return object->key != NULL &&
           (strcmp(object->key, "nodes") == 0 || strcmp(object->key, "adapters") == 0 ||
            strcmp(object->key, "switches") == 0);
}

/* The member of that name; an object may be made where none is: it stands for the change. */
static struct scn_value *member_at(struct change *change, struct scn_value *object, const char *key,
                                   bool may_make) {
    struct scn_value *child = (struct scn_value *)(uintptr_t)scn_member(object, key);

    if (child != NULL)
        return child;
    if (!may_make || is_by_name(object)) {
        no_member(change, object, key);
        return NULL;
    }
    child = scn_value_new(change->document, SCN_OBJECT);
    child->origin = change->value->origin != NULL ? change->value->origin : change->value;
    scn_value_put(change->document, object, key, child);
    return child;
}

static struct scn_value *element_at(struct change *change, struct scn_value *array,
                                    uint32_t index) {
    struct scn_value *child = array->first;

    if (array->type != SCN_ARRAY) {
        snprintf(change->why, sizeof(change->why), "[%u] of what is no array", index);
        return NULL;
    }
    if (index >= array->count) {
        snprintf(change->why, sizeof(change->why), "[%u] of an array of %u element%s", index,
                 array->count, array->count == 1 ? "" : "s");
        return NULL;
    }
    for (; index > 0; index--)
        child = child->next;
    return child;
}

/* Puts a copy of the change in the place of element `index`. */
static bool replace_element(struct change *change, struct scn_value *array, uint32_t index) {
    const struct scn_value *old = element_at(change, array, index);
    struct scn_value **link = &array->first;
    struct scn_value *copy;

    if (old == NULL)
        return false;
    while (*link != old)
        link = &(*link)->next;
    copy = scn_value_copy(change->document, change->value);
    copy->index = index;
    copy->next = old->next;
    copy->parent = array;
    *link = copy;
    return true;
}

/* "7" of "links.7.rate": an index without brackets. */
static bool is_bare_index(const char *word, uint32_t *index) {
    char bracketed[32];

    if (*word == '\0' || word[strspn(word, "0123456789")] != '\0')
        return false;
    snprintf(bracketed, sizeof(bracketed), "[%.24s]", word);
    return read_index(bracketed, index) != NULL;
}

/* A name where an index is wanted. */
static void no_element(struct change *change, const struct scn_value *array, const char *word) {
    const char *key = array->key != NULL ? array->key : "it";

    if (array->count == 0)
        snprintf(change->why, sizeof(change->why), "\"%.40s\" is an empty array, without \"%.40s\"",
                 key, word);
    else
        snprintf(change->why, sizeof(change->why),
                 "\"%.40s\" is an array, without \"%.40s\"; its elements are [0] to [%u]", key,
                 word, array->count - 1);
}

/* Takes one word of a path ("key", "[7]", or "7" in an array) from `*at`; true when the last one
 * was put. */
static bool take_word(struct change *change, char **word, struct scn_value **at) {
    char *end = *word + strcspn(*word, ".["), stop;
    uint32_t index;

    if (**word == '[') {
        end = read_index(*word, &index);
        if (end == NULL || (*end != '\0' && *end != '.' && *end != '[')) {
            snprintf(change->why, sizeof(change->why), "\"%.40s\" is no index", *word);
            *at = NULL;
            return false;
        }
        if (*end == '\0')
            return replace_element(change, *at, index) || (*at = NULL, false);
        *at = element_at(change, *at, index);
        *word = *end == '.' ? end + 1 : end;
        return false;
    }
    stop = *end;
    *end = '\0';
    if ((*at)->type == SCN_ARRAY && is_bare_index(*word, &index)) {
        if (stop == '\0')
            return replace_element(change, *at, index) || (*at = NULL, false);
        *at = element_at(change, *at, index);
        *end = stop;
        *word = stop == '.' ? end + 1 : end;
        return false;
    }
    if ((*at)->type == SCN_ARRAY && **word != '\0') {
        no_element(change, *at, *word);
        *at = NULL;
        return false;
    }
    if (**word == '\0' || (*at)->type != SCN_OBJECT) {
        snprintf(change->why, sizeof(change->why), "%s",
                 **word == '\0' ? "a name is missing" : "a member of what is no object");
        *at = NULL;
        return false;
    }
    if (stop == '\0') {
        scn_value_put(change->document, *at, *word,
                      scn_value_copy(change->document, change->value));
        return true;
    }
    *at = member_at(change, *at, *word, stop == '.');
    *end = stop;
    *word = stop == '.' ? end + 1 : end;
    return false;
}

/*
 * Follows "member.member[index].member" and puts a copy of the change there. Objects on the way are
 * made, elements are not. False when the path leads nowhere: change->why.
 */
static bool apply(struct change *change, const char *path) {
    struct scn_value *at = change->document->root;
    char words[1024], *word = words;

    if (strlen(path) >= sizeof(words)) {
        snprintf(change->why, sizeof(change->why), "longer than %zu bytes", sizeof(words) - 1);
        return false;
    }
    snprintf(words, sizeof(words), "%s", strncmp(path, "$.", 2) == 0 ? path + 2 : path);
    while (at != NULL)
        if (take_word(change, &word, &at))
            return true;
    return false;
}

/* What says how the document is made cannot be changed by what it makes. */
static const char *fixed_member(const char *path) {
    static const char *const fixed[] = {"extends", "set", "matrix"};
    const char *first = strncmp(path, "$.", 2) == 0 ? path + 2 : path;
    size_t length = strcspn(first, ".[");

    for (size_t i = 0; i < SIM_ARRAY_COUNT(fixed); i++)
        if (length == strlen(fixed[i]) && strncmp(first, fixed[i], length) == 0)
            return fixed[i];
    return NULL;
}

/* Applies a value under the path that `key` spells. */
static void apply_at(struct scn_document *document, const struct scn_value *key,
                     const struct scn_value *value, struct scn_diagnostics *diagnostics) {
    struct change change = {.document = document, .value = value};
    const char *fixed = fixed_member(key->key);

    if (fixed != NULL)
        scn_diagnose_value(diagnostics, key, true,
                           "\"%s\" cannot be changed here: it is read before", fixed);
    else if (!apply(&change, key->key))
        scn_diagnose_value(diagnostics, key, true, "the path leads nowhere: %s", change.why);
}

static void apply_set(struct scn_document *document, struct scn_diagnostics *diagnostics) {
    const struct scn_value *set = scn_member(document->root, "set");

    if (set == NULL || set->type != SCN_OBJECT)
        return;
    for (const struct scn_value *one = set->first; one != NULL; one = one->next)
        apply_at(document, one, one, diagnostics);
}

/* The value that an axis has in a cell; `*stride` becomes that of this axis. */
static const struct scn_value *axis_value(const struct scn_value *axis, uint32_t cell,
                                          uint64_t *stride) {
    const struct scn_value *value = axis->first;

    *stride /= axis->count;
    for (uint64_t at = cell / *stride % axis->count; at > 0; at--)
        value = value->next;
    return value;
}

static size_t put_scalar(const struct scn_value *value, char *text, size_t size) {
    switch (value->type) {
    case SCN_STRING:
    case SCN_REAL:
        return (size_t)snprintf(text, size, "%s", value->string);
    case SCN_INTEGER:
        return (size_t)snprintf(text, size, "%lld", (long long)value->integer);
    case SCN_BOOLEAN:
        return (size_t)snprintf(text, size, "%s", value->boolean ? "true" : "false");
    case SCN_NULL:
        return (size_t)snprintf(text, size, "null");
    case SCN_OBJECT:
    case SCN_ARRAY:
        break;
    }
    return (size_t)snprintf(text, size, value->type == SCN_OBJECT ? "{%u}" : "[%u]", value->count);
}

const char *scn_cell_text(struct scn_document *document, uint32_t cell) {
    const struct scn_value *matrix = scn_member(document->root, "matrix");
    uint64_t stride = 1;
    char text[160];
    size_t used;

    if (matrix == NULL || matrix->count == 0)
        return NULL;
    for (const struct scn_value *axis = matrix->first; axis != NULL; axis = axis->next)
        stride *= axis->count;
    if (stride == 1)
        return NULL;
    used = (size_t)snprintf(text, sizeof(text), "%u: ", cell);
    for (const struct scn_value *axis = matrix->first; axis != NULL && used < sizeof(text);
         axis = axis->next) {
        const struct scn_value *value = axis_value(axis, cell, &stride);

        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 "%s%s=", axis != matrix->first ? ", " : "", axis->key);
        if (used < sizeof(text))
            used += put_scalar(value, text + used, sizeof(text) - used);
    }
    if (used >= sizeof(text))
        snprintf(text + sizeof(text) - 4, 4, "...");
    return scn_document_keep(document, text);
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
    for (const struct scn_value *axis = matrix->first; axis != NULL; axis = axis->next)
        apply_at(document, axis, axis_value(axis, cell, &stride), diagnostics);
    return (uint32_t)count;
}

static void apply_override(struct scn_document *document, const struct scn_override *override,
                           struct scn_diagnostics *diagnostics) {
    const char *equals = strchr(override->text, '=');
    struct change change = {.document = document};
    struct scn_document *value;
    char shown[256], path[1024];

    snprintf(shown, sizeof(shown), "--set %s", override->text);
    if (equals == NULL || equals == override->text ||
        (size_t)(equals - override->text) >= sizeof(path)) {
        scn_diagnose(diagnostics, shown, 0, 0, NULL,
                     "expected path=value, as in nodes.client.cpus=1");
        return;
    }
    snprintf(path, sizeof(path), "%.*s", (int)(equals - override->text), override->text);
    value = scn_document_option(shown, equals + 1);
    if (value == NULL) {
        scn_diagnose(diagnostics, shown, 0, 0, NULL, "the value is not UTF-8");
        return;
    }
    scn_document_adopt(document, value);
    change.value = value->root;
    if (fixed_member(path) != NULL)
        scn_diagnose(diagnostics, shown, 0, 0, NULL,
                     "\"%s\" cannot be changed here: it is read before", fixed_member(path));
    else if (!apply(&change, path))
        scn_diagnose(diagnostics, shown, 0, 0, NULL, "the path leads nowhere: %s", change.why);
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
