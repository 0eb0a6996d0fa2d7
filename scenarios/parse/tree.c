/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jansson's values become ours here. Memory comes from an arena that dies with the document; this
 * is host memory, used before a world starts.
 */
#include "parse/tree.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "parse/locate.h"

#define ARENA_BLOCK_BYTES ((size_t)64 * 1024)

struct scn_arena {
    struct scn_arena *older;
    size_t used;
    size_t size;
    max_align_t bytes[];
};

void *scn_document_take(struct scn_document *document, size_t bytes) {
    struct scn_arena *arena = document->arena;
    void *taken;

    bytes = (bytes + 15) & ~(size_t)15;
    if (arena == NULL || arena->size - arena->used < bytes) {
        size_t size = bytes > ARENA_BLOCK_BYTES ? bytes : ARENA_BLOCK_BYTES;

        arena = calloc(1, sizeof(*arena) + size);
        SIM_ASSERT(arena != NULL);
        arena->older = document->arena;
        arena->size = size;
        document->arena = arena;
    }
    taken = (char *)arena->bytes + arena->used;
    arena->used += bytes;
    return taken;
}

const char *scn_document_keep(struct scn_document *document, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *kept = scn_document_take(document, bytes);

    memcpy(kept, text, bytes);
    return kept;
}

struct scn_value *scn_value_new(struct scn_document *document, enum scn_type type) {
    struct scn_value *value = scn_document_take(document, sizeof(*value));

    value->type = type;
    value->document = document;
    document->value_count++;
    return value;
}

static void append(struct scn_value *parent, struct scn_value *child) {
    struct scn_value **link = &parent->first;

    while (*link != NULL)
        link = &(*link)->next;
    child->parent = parent;
    child->index = parent->count++;
    child->next = NULL;
    *link = child;
}

static struct scn_value *convert(struct scn_document *document, const json_t *json);

/* Children are linked through a tail pointer: arrays may be long. */
static void convert_children(struct scn_document *document, struct scn_value *value,
                             const json_t *json) {
    struct scn_value **tail = &value->first;
    struct scn_value *child;
    const char *key;
    json_t *member;
    size_t index;

    if (json_is_object(json)) {
        json_object_foreach((json_t *)(uintptr_t)json, key, member) {
            child = convert(document, member);
            child->key = scn_document_keep(document, key);
            child->parent = value;
            child->index = value->count++;
            *tail = child;
            tail = &child->next;
        }
        return;
    }
    json_array_foreach(json, index, member) {
        child = convert(document, member);
        child->parent = value;
        child->index = value->count++;
        *tail = child;
        tail = &child->next;
    }
}

static struct scn_value *convert(struct scn_document *document, const json_t *json) {
    struct scn_value *value = scn_value_new(document, SCN_NULL);
    char number[40];

    switch (json_typeof(json)) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        value->type = json_is_object(json) ? SCN_OBJECT : SCN_ARRAY;
        convert_children(document, value, json);
        break;
    case JSON_STRING:
        value->type = SCN_STRING;
        value->string = scn_document_keep(document, json_string_value(json));
        break;
    case JSON_INTEGER:
        value->type = SCN_INTEGER;
        value->integer = json_integer_value(json);
        break;
    case JSON_REAL:
        value->type = SCN_REAL;
        snprintf(number, sizeof(number), "%.17g", json_real_value(json));
        value->string = scn_document_keep(document, number);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        value->type = SCN_BOOLEAN;
        value->boolean = json_is_true(json);
        break;
    case JSON_NULL:
        break;
    }
    return value;
}

static struct scn_document *document_new(const char *file, const char *text, size_t bytes) {
    struct scn_document *document = calloc(1, sizeof(*document));

    SIM_ASSERT(document != NULL);
    document->text = malloc(bytes + 1);
    SIM_ASSERT(document->text != NULL);
    memcpy(document->text, text, bytes);
    document->text[bytes] = '\0';
    document->file = scn_document_keep(document, file);
    return document;
}

/* More than the number of values, for commas in strings count too; asked before any is made. */
static size_t value_count_bound(const char *text, size_t bytes) {
    size_t count = 1;

    for (size_t i = 0; i < bytes; i++)
        count += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return count;
}

/* An object larger than SCN_MEMBER_COUNT_MAX, NULL for none. */
static const struct scn_value *find_crowded(const struct scn_value *value) {
    const struct scn_value *found = NULL;

    if (value->type == SCN_OBJECT && value->count > SCN_MEMBER_COUNT_MAX)
        return value;
    for (const struct scn_value *child = value->first; child != NULL && found == NULL;
         child = child->next)
        found = find_crowded(child);
    return found;
}

static struct scn_document *refuse_crowded(struct scn_document *document,
                                           struct scn_diagnostics *diagnostics) {
    const struct scn_value *crowded = find_crowded(document->root);

    if (crowded == NULL)
        return document;
    scn_diagnose_value(diagnostics, crowded, false, "has %u members; at most %u", crowded->count,
                       SCN_MEMBER_COUNT_MAX);
    scn_document_free(document);
    return NULL;
}

struct scn_document *scn_document_parse(const char *file, const char *text, size_t bytes,
                                        struct scn_diagnostics *diagnostics) {
    struct scn_document *document;
    json_error_t error;
    json_t *json;

    if (bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        scn_diagnose(diagnostics, file, 1, 1, NULL,
                     "starts with a byte order mark; save it as UTF-8 without one");
        return NULL;
    }
    if (value_count_bound(text, bytes) > SCN_VALUE_COUNT_MAX) {
        scn_diagnose(diagnostics, file, 0, 0, NULL, "holds more than %u values",
                     SCN_VALUE_COUNT_MAX);
        return NULL;
    }
    json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (json == NULL) {
        uint32_t line = error.line > 0 ? (uint32_t)error.line : 0;
        uint32_t column = error.column > 0 ? (uint32_t)error.column : 1;

        if (strncmp(error.text, "\\u0000 ", 7) == 0)
            scn_diagnose(diagnostics, file, line, column, NULL, "a text must not hold \\u0000");
        else
            scn_diagnose(diagnostics, file, line, column, NULL, "not valid JSON: %s%s", error.text,
                         strstr(error.text, "near '/") != NULL ? "; JSON has no comments" : "");
        return NULL;
    }
    document = document_new(file, text, bytes);
    document->root = convert(document, json);
    json_decref(json);
    return refuse_crowded(document, diagnostics);
}

struct scn_document *scn_document_option(const char *option, const char *text) {
    struct scn_diagnostics *ignored = calloc(1, sizeof(*ignored));
    json_t *string = json_string(text);
    struct scn_document *document;

    SIM_ASSERT(ignored != NULL);
    if (string == NULL) {
        free(ignored);
        return NULL;
    }
    json_decref(string);
    document = scn_document_parse(option, text, strlen(text), ignored);
    free(ignored);
    if (document == NULL) {
        document = document_new(option, text, strlen(text));
        document->root = scn_value_new(document, SCN_STRING);
        document->root->string = scn_document_keep(document, text);
    }
    document->is_option = true;
    return document;
}

/* Reads up to SCN_FILE_BYTES_MAX + 1 bytes into memory of the caller's. */
static char *read_all(FILE *stream, size_t *bytes) {
    size_t size = (size_t)64 * 1024, got;
    char *text = malloc(size);

    *bytes = 0;
    for (;;) {
        SIM_ASSERT(text != NULL);
        got = fread(text + *bytes, 1, size - *bytes, stream);
        *bytes += got;
        if (got == 0 || *bytes > SCN_FILE_BYTES_MAX)
            return text;
        if (*bytes == size) {
            size *= 2;
            text = realloc(text, size);
        }
    }
}

/* Pipes that the shell made for us ("/dev/stdin", "/dev/fd/63") come to an end, others may not. */
static bool is_given_pipe(const char *file) {
    return strcmp(file, "/dev/stdin") == 0 || strncmp(file, "/dev/fd/", 8) == 0;
}

/* Opening a FIFO would wait for a writer, reading some devices never ends. */
static FILE *open_regular(const char *file, struct scn_diagnostics *diagnostics) {
    struct stat status;
    FILE *stream;

    if (stat(file, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode) &&
        !is_given_pipe(file)) {
        scn_diagnose(diagnostics, file, 0, 0, NULL, "is %s; expected a regular file",
                     S_ISFIFO(status.st_mode)   ? "a pipe"
                     : S_ISSOCK(status.st_mode) ? "a socket"
                                                : "a device");
        return NULL;
    }
    stream = fopen(file, "rb");
    if (stream == NULL)
        scn_diagnose(diagnostics, file, 0, 0, NULL, "cannot be opened: %s", strerror(errno));
    return stream;
}

struct scn_document *scn_document_read(const char *file, struct scn_diagnostics *diagnostics) {
    struct scn_document *document = NULL;
    FILE *stream = open_regular(file, diagnostics);
    char *text;
    size_t bytes;

    if (stream == NULL)
        return NULL;
    errno = 0;
    text = read_all(stream, &bytes);
    if (ferror(stream))
        scn_diagnose(diagnostics, file, 0, 0, NULL, "cannot be read: %s", strerror(errno));
    else if (bytes > SCN_FILE_BYTES_MAX)
        scn_diagnose(diagnostics, file, 0, 0, NULL, "larger than 16 MiB; split it (\"extends\")");
    else if (bytes == 0)
        scn_diagnose(diagnostics, file, 0, 0, NULL, "is empty; a JSON object is wanted");
    else
        document = scn_document_parse(file, text, bytes, diagnostics);
    free(text);
    fclose(stream);
    return document;
}

void scn_document_adopt(struct scn_document *document, struct scn_document *child) {
    struct scn_document **link = &document->adopted;

    while (*link != NULL)
        link = &(*link)->adopted;
    *link = child;
}

void scn_document_free(struct scn_document *document) {
    struct scn_document *adopted;

    if (document == NULL)
        return;
    adopted = document->adopted;
    while (document->arena != NULL) {
        struct scn_arena *older = document->arena->older;

        free(document->arena);
        document->arena = older;
    }
    free(document->text);
    free(document);
    scn_document_free(adopted);
}

const struct scn_value *scn_member(const struct scn_value *value, const char *key) {
    if (value == NULL || value->type != SCN_OBJECT)
        return NULL;
    for (const struct scn_value *child = value->first; child != NULL; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

struct scn_value *scn_value_copy(struct scn_document *document, const struct scn_value *value) {
    struct scn_value *copy = scn_value_new(document, value->type);
    struct scn_value **tail = &copy->first;

    copy->origin = value->origin != NULL ? value->origin : value;
    copy->boolean = value->boolean;
    copy->integer = value->integer;
    if (value->string != NULL)
        copy->string = scn_document_keep(document, value->string);
    for (const struct scn_value *child = value->first; child != NULL; child = child->next) {
        struct scn_value *twin = scn_value_copy(document, child);

        twin->key = child->key != NULL ? scn_document_keep(document, child->key) : NULL;
        twin->parent = copy;
        twin->index = copy->count++;
        *tail = twin;
        tail = &twin->next;
    }
    return copy;
}

void scn_value_put(struct scn_document *document, struct scn_value *object, const char *key,
                   struct scn_value *child) {
    child->key = key != NULL ? scn_document_keep(document, key) : NULL;
    for (struct scn_value **link = &object->first; key != NULL && *link != NULL;
         link = &(*link)->next) {
        if (strcmp((*link)->key, key) != 0)
            continue;
        child->parent = object;
        child->index = (*link)->index;
        child->next = (*link)->next;
        *link = child;
        return;
    }
    append(object, child);
}

static bool is_plain_key(const char *key) {
    return *key != '\0' && strpbrk(key, ".[]\"") == NULL;
}

const char *scn_value_path(const struct scn_value *value, char *buffer, size_t size) {
    size_t used;

    if (value->parent == NULL) {
        snprintf(buffer, size, "$");
        return buffer;
    }
    scn_value_path(value->parent, buffer, size);
    used = strlen(buffer);
    if (value->key == NULL)
        snprintf(buffer + used, size - used, "[%u]", value->index);
    else if (is_plain_key(value->key))
        snprintf(buffer + used, size - used, ".%s", value->key);
    else
        snprintf(buffer + used, size - used, "[\"%s\"]", value->key);
    return buffer;
}

/* The path by positions: "$[0][2]". Keys may be spelled with escapes; positions are always right.
 */
static void position_path(const struct scn_value *value, char *buffer, size_t size) {
    size_t used;

    if (value->parent == NULL) {
        snprintf(buffer, size, "$");
        return;
    }
    position_path(value->parent, buffer, size);
    used = strlen(buffer);
    snprintf(buffer + used, size - used, "[%u]", value->index);
}

void scn_diagnose_value(struct scn_diagnostics *diagnostics, const struct scn_value *value,
                        bool at_key, const char *format, ...) {
    const struct scn_value *origin = value->origin != NULL ? value->origin : value;
    struct scn_place place = {0, 0};
    char text[512], path[4096];
    va_list arguments;

    if (diagnostics->count == SCN_DIAGNOSTIC_COUNT_MAX) {
        diagnostics->dropped++; /* finding its place costs a walk over the text */
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (!origin->document->is_option) {
        position_path(origin, path, sizeof(path));
        place = scn_locate(origin->document->text, path, at_key);
        value = origin;
    }
    scn_value_path(value, path, sizeof(path));
    scn_diagnose(diagnostics, origin->document->file, place.line, place.column, path, "%s", text);
}

const char *scn_type_name(enum scn_type type) {
    static const char *const names[] = {
        [SCN_NULL] = "null",        [SCN_BOOLEAN] = "a boolean", [SCN_INTEGER] = "a whole number",
        [SCN_REAL] = "a number",    [SCN_STRING] = "a string",   [SCN_ARRAY] = "an array",
        [SCN_OBJECT] = "an object",
    };
    return names[type];
}
