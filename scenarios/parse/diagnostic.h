/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors in what a person wrote: where (file:line:column and JSON path), what, and what instead.
 * Collected, so that one `ndksim check` shows them all; printed file by file in the order of their
 * places.
 */
#ifndef SCN_PARSE_DIAGNOSTIC_H
#define SCN_PARSE_DIAGNOSTIC_H

#include <sim/base.h>

struct scn_diagnostic {
    char file[256];  /* shown name */
    uint32_t line;   /* from 1; 0: the file as a whole */
    uint32_t column; /* from 1, in bytes */
    char path[192];  /* "$.nodes.client.cpus" */
    char text[512];
};

#define SCN_DIAGNOSTIC_COUNT_MAX 64u

struct scn_diagnostics {
    uint32_t count;
    uint32_t dropped;      /* beyond SCN_DIAGNOSTIC_COUNT_MAX */
    uint32_t absent_count; /* of all: a name that no driver and no device of this run declares */
    uint32_t idle_count;   /* of all: a driver that did not start */
    struct scn_diagnostic entries[SCN_DIAGNOSTIC_COUNT_MAX];
};

void scn_diagnostics_init(struct scn_diagnostics *diagnostics);
void scn_diagnose(struct scn_diagnostics *diagnostics, const char *file, uint32_t line,
                  uint32_t column, const char *path, const char *format, ...) SIM_PRINTF(6, 7);

/* After each error that another driver or device would not have given. */
void scn_diagnostics_absent(struct scn_diagnostics *diagnostics);
/* There are errors, and each is such a one. */
bool scn_diagnostics_only_absent(const struct scn_diagnostics *diagnostics);

/* The same of drivers that did not start. */
void scn_diagnostics_idle(struct scn_diagnostics *diagnostics);
bool scn_diagnostics_only_idle(const struct scn_diagnostics *diagnostics);

/* Writes "file:line:column: path: text" lines to `write`, in order of place. */
void scn_diagnostics_print(const struct scn_diagnostics *diagnostics,
                           void (*write)(void *context, const char *line), void *context);

/*
 * Nearest of `words` to `word`, NULL when none is near (farther than 1 + length / 3 changes, or 1
 * for words of up to three letters).
 */
const char *scn_nearest(const char *word, const char *const *words, size_t count);

/* Whether a terminal would obey something in the text instead of showing it. */
bool scn_has_control(const char *text);
/*
 * The text as a terminal shows it as it stands: control characters but tabs become \xNN. Text that
 * does not fit is cut. Returns `copy`.
 */
const char *scn_visible(const char *text, char *copy, size_t size);

/* For messages: `text` itself where it is fit to be shown, else such a copy; the last four live. */
const char *scn_shown(const char *text);

/* How many bytes the character at `text` has; 0: it is no UTF-8. */
size_t scn_character(const char *text);

#endif
