/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --log: the drivers' own lines, and between them what passes the NDK interface: calls,
 * completions, events, results. A line is
 *
 *   TIME CPU IRQL WHO WORDS [PLACE]
 *
 * PLACE, file:line of the driver's code, stands behind what a driver called or printed (a trace
 * macro's line begins with its own). It is looked up when
 * the log is closed, by tools of the host; a log that cannot be rewritten (a pipe) has numbers
 * there and the places behind its last line.
 */
#ifndef SCN_CLI_LOG_H
#define SCN_CLI_LOG_H

#include <sim/trace.h>
#include <stdio.h>

struct scn_log {
    FILE *stream; /* NULL: none is written */
    uintptr_t *codes;
    uint32_t code_count;
    bool is_seekable;
    bool is_cut; /* it could not be given its length */
};

/* False, with errno, when the file cannot be opened. */
bool scn_log_open(struct scn_log *log, const char *path);
/* Nothing to do without a log. */
void scn_log_text(struct scn_log *log, struct sim_world *world, struct sim_object *who,
                  const char *text);
void scn_log_record(struct scn_log *log, struct sim_world *world, const struct sim_record *record);
/* The lines of `early`, a log into memory that had is_seekable, in front of all others. */
void scn_log_begin_with(struct scn_log *log, const struct scn_log *early, const char *text,
                        size_t bytes);
/* Puts the places in and closes; false, with errno, when the log could not be written whole. */
bool scn_log_close(struct scn_log *log);

#endif
