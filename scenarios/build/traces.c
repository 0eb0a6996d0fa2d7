/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace macros of the software tracing preprocessor: the functions that a driver declares in its
 * configuration blocks,
 *
 *     // begin_wpp config
 *     // FUNC TraceEvents(LEVEL, FLAGS, MSG, ...);
 *     // FUNC TraceError{LEVEL=TRACE_LEVEL_ERROR}(FLAGS, MSG, ...);
 *     // end_wpp
 *
 * become macros that print into the log. The parameter MSG is the format; what stands before it
 * only chooses at home who listens.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/driver.h"
#include "build/source.h"

/* What every generated header has; drivers define the rest themselves. */
static const char prologue[] =
    "/* Made by ndksim build-driver. */\n"
    "#ifndef NDKSIM_TRACE_MACROS_H\n"
    "#define NDKSIM_TRACE_MACROS_H\n"
    "#include <ndksim.h>\n"
    "#define WPP_INIT_TRACING(...) ((void)0)\n"
    "#define WPP_CLEANUP(...) ((void)0)\n"
    "#define DoTraceMessage(Flags, ...) NdksimPrint(__FILE__, __LINE__, __func__, __VA_ARGS__)\n"
    "#define DoTraceLevelMessage(Level, Flags, ...) \\\n"
    "    NdksimPrint(__FILE__, __LINE__, __func__, __VA_ARGS__)\n";

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t' || *at == '/' || *at == '*')
        at++;
    return at;
}

/* The name at `at`, cut from the text. */
static size_t name_length(const char *at) {
    size_t length = 0;

    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static const char *line_end(const char *at) {
    const char *end = strchr(at, '\n');

    return end != NULL ? end : at + strlen(at);
}

/* Parameters before MSG become "P0, P1, ", so that the macro has as many. */
static bool parameters(const char *at, const char *end, char *list, size_t size) {
    size_t used = 0, count = 0;

    list[0] = '\0';
    while (at < end) {
        size_t length;

        while (at < end && (*at == ' ' || *at == '\t' || *at == ','))
            at++;
        length = name_length(at);
        if (length == 3 && memcmp(at, "MSG", 3) == 0)
            return true;
        if (length == 0)
            return false;
        used += (size_t)snprintf(list + used, size - used, "P%zu, ", count++);
        if (used >= size)
            return false;
        at += length;
    }
    return false;
}

/* "Name{...}(A, B, MSG, ...)" */
static void take_function(struct build_driver *driver, const char *at, const char *end) {
    const char *name = at, *open, *close;
    size_t length = name_length(at);
    char list[128];

    open = memchr(at, '(', (size_t)(end - at));
    close = open != NULL ? memchr(open, ')', (size_t)(end - open)) : NULL;
    if (length == 0 || close == NULL || !parameters(open + 1, close, list, sizeof(list)))
        return;
    build_list_add(&driver->traces,
                   "#undef %.*s\n"
                   "#define %.*s(%s...) NdksimPrint(__FILE__, __LINE__, __func__, __VA_ARGS__)\n",
                   (int)length, name, (int)length, name, list);
}

void build_scan_traces(struct build_driver *driver, const struct build_source *source) {
    const char *at = source->text;
    bool is_inside = false;

    while (*at != '\0') {
        const char *end = line_end(at), *word = skip_blanks(at);

        if (strncmp(word, "begin_wpp config", 16) == 0)
            is_inside = true;
        else if (strncmp(word, "end_wpp", 7) == 0)
            is_inside = false;
        else if (is_inside && strncmp(word, "FUNC ", 5) == 0)
            take_function(driver, skip_blanks(word + 5), end);
        at = *end != '\0' ? end + 1 : end;
    }
}

bool build_write_traces(struct build_driver *driver) {
    char path[1200];
    size_t bytes = sizeof(prologue) + 16;
    char *text;
    bool is_written;

    for (size_t i = 0; i < driver->traces.count; i++)
        bytes += strlen(driver->traces.items[i]);
    text = malloc(bytes);
    SIM_ASSERT(text != NULL);
    snprintf(text, bytes, "%s", prologue);
    for (size_t i = 0; i < driver->traces.count; i++)
        strncat(text, driver->traces.items[i], bytes - strlen(text) - 1);
    strncat(text, "#endif\n", bytes - strlen(text) - 1);
    snprintf(path, sizeof(path), "%s/ndksim_trace_macros.h", driver->forwarders);
    is_written = build_made_write(driver, path, text);
    free(text);
    return is_written;
}
