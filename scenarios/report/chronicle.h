/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happened in a run, kept for its story: the last records, with the drivers' code that made
 * them, and the drivers' last own lines. Rings in host memory: a run of any length costs the same.
 */
#ifndef SCN_REPORT_CHRONICLE_H
#define SCN_REPORT_CHRONICLE_H

#include <sim/trace.h>

#define SCN_SAYING_BYTES 232u

struct scn_moment {
    struct sim_record record;
    uintptr_t code; /* a return address in the driver nearest to it; 0: no driver's, or not kept */
};

struct scn_saying {
    uint64_t time_ns;
    uint32_t sequence; /* of the last record before it */
    uint32_t who_id;
    uintptr_t code; /* of the driver that printed; 0: not known */
    char text[SCN_SAYING_BYTES];
};

struct scn_chronicle {
    struct scn_moment *moments; /* by sequence, modulo the room */
    uint32_t room;
    uint32_t first; /* sequence of the oldest kept; 0: none */
    uint32_t last;
    struct scn_saying *sayings;
    uint64_t saying_count; /* since the beginning */
};

/* Kinds of records: enough for the story of a failure, and for whole runs that are compared. */
#define SCN_CHRONICLE_SHORT (UINT32_C(1) << 16)
#define SCN_CHRONICLE_LONG (UINT32_C(1) << 20)

struct scn_chronicle *scn_chronicle_create(uint32_t room);
void scn_chronicle_destroy(struct scn_chronicle *chronicle);
void scn_chronicle_clear(struct scn_chronicle *chronicle);

/* For a sink. */
void scn_chronicle_record(struct scn_chronicle *chronicle, struct sim_world *world,
                          const struct sim_record *record);
void scn_chronicle_text(struct scn_chronicle *chronicle, struct sim_world *world,
                        const struct sim_object *who, const char *text);

/* NULL when it is no longer (or not yet) there. */
const struct scn_moment *scn_chronicle_at(const struct scn_chronicle *chronicle, uint32_t sequence);
/* The n-th last line (0: the last), NULL beyond what is kept. */
const struct scn_saying *scn_chronicle_saying(const struct scn_chronicle *chronicle, uint32_t back);

#endif
