/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting, ordering and printing of input errors. See diagnostic.h. */
#include "parse/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void scn_diagnostics_init(struct scn_diagnostics *diagnostics) {
    diagnostics->count = 0;
    diagnostics->dropped = 0;
    diagnostics->absent_count = 0;
    diagnostics->idle_count = 0;
}

void scn_diagnostics_absent(struct scn_diagnostics *diagnostics) {
    diagnostics->absent_count++;
}

bool scn_diagnostics_only_absent(const struct scn_diagnostics *diagnostics) {
    return diagnostics->absent_count > 0 &&
           diagnostics->absent_count == diagnostics->count + diagnostics->dropped;
}

void scn_diagnostics_idle(struct scn_diagnostics *diagnostics) {
    diagnostics->idle_count++;
}

bool scn_diagnostics_only_idle(const struct scn_diagnostics *diagnostics) {
    return diagnostics->idle_count > 0 &&
           diagnostics->idle_count == diagnostics->count + diagnostics->dropped;
}

size_t scn_character(const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = bytes[0] < 0x80 ? 1 : bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;

    if (bytes[0] >= 0x80 && (bytes[0] < 0xC2 || bytes[0] > 0xF4))
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
    if ((bytes[0] == 0xE0 && bytes[1] < 0xA0) || (bytes[0] == 0xED && bytes[1] > 0x9F) ||
        (bytes[0] == 0xF0 && bytes[1] < 0x90) || (bytes[0] == 0xF4 && bytes[1] > 0x8F))
        return 0;
    return length;
}

/* C0 and DEL, and C1 as UTF-8 has it: terminals obey them. */
static bool is_control(const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;

    return bytes[0] < 0x20 || bytes[0] == 0x7F || (bytes[0] == 0xC2 && bytes[1] < 0xA0);
}

bool scn_has_control(const char *text) {
    while (*text != '\0' && !is_control(text) && scn_character(text) != 0)
        text += scn_character(text);
    return *text != '\0';
}

const char *scn_visible(const char *text, char *copy, size_t size) {
    size_t used = 0, length, shown;

    for (; *text != '\0' && used + 9 <= size; text += length) {
        shown = scn_character(text);
        length = shown > 0 ? shown : 1;
        if (shown > 0 && (!is_control(text) || *text == '\t')) {
            memcpy(copy + used, text, length);
            used += length;
            continue;
        }
        for (size_t i = 0; i < length; i++)
            used += (size_t)snprintf(copy + used, size - used, "\\x%02x", (unsigned char)text[i]);
    }
    copy[used] = '\0';
    return copy;
}

const char *scn_shown(const char *text) {
    static char copies[4][4200];
    static unsigned next;

    return scn_has_control(text) ? scn_visible(text, copies[next++ % 4], sizeof(copies[0])) : text;
}

void scn_diagnose(struct scn_diagnostics *diagnostics, const char *file, uint32_t line,
                  uint32_t column, const char *path, const char *format, ...) {
    struct scn_diagnostic entry = {.line = line, .column = column};
    uint32_t at;
    char text[sizeof(entry.text)];
    va_list arguments;

    if (diagnostics->count == SCN_DIAGNOSTIC_COUNT_MAX) {
        diagnostics->dropped++;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    (void)scn_visible(file, entry.file, sizeof(entry.file));
    (void)scn_visible(path != NULL ? path : "", entry.path, sizeof(entry.path));
    (void)scn_visible(text, entry.text, sizeof(entry.text));
    /* Insertion keeps the order of places; equal places keep the order in which they came. */
    for (at = diagnostics->count; at > 0; at--) {
        const struct scn_diagnostic *before = &diagnostics->entries[at - 1];
        if (strcmp(before->file, entry.file) != 0 || before->line < line ||
            (before->line == line && before->column <= column))
            break;
        diagnostics->entries[at] = diagnostics->entries[at - 1];
    }
    diagnostics->entries[at] = entry;
    diagnostics->count++;
}

void scn_diagnostics_print(const struct scn_diagnostics *diagnostics,
                           void (*write)(void *context, const char *line), void *context) {
    char line[1280];

    for (uint32_t i = 0; i < diagnostics->count; i++) {
        const struct scn_diagnostic *entry = &diagnostics->entries[i];
        const char *separator = entry->path[0] ? ": " : "";

        if (entry->line == 0)
            snprintf(line, sizeof(line), "%s: %s%s%s", entry->file, entry->path, separator,
                     entry->text);
        else
            snprintf(line, sizeof(line), "%s:%u:%u: %s%s%s", entry->file, entry->line,
                     entry->column, entry->path, separator, entry->text);
        write(context, line);
    }
    if (diagnostics->dropped > 0) {
        snprintf(line, sizeof(line), "%u more errors are not shown", diagnostics->dropped);
        write(context, line);
    }
}

#define WORD_BYTES_MAX 64u

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Letters to insert, drop, change, or swap with their neighbour. */
static uint32_t edit_distance(const char *a, const char *b) {
    uint32_t rows[3][WORD_BYTES_MAX + 1];
    size_t a_length = strlen(a), b_length = strlen(b);

    if (a_length > WORD_BYTES_MAX || b_length > WORD_BYTES_MAX)
        return WORD_BYTES_MAX;
    for (uint32_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i + 2) % 3], *above_that = rows[(i + 1) % 3];

        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], above_that[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

const char *scn_nearest(const char *word, const char *const *words, size_t count) {
    const char *nearest = NULL;
    size_t length = strlen(word);
    uint32_t best = length < 4 ? 2 : (uint32_t)(2 + length / 3);

    for (size_t i = 0; i < count; i++) {
        uint32_t distance = edit_distance(word, words[i]);
        if (distance < best) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}
