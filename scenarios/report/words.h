/* SPDX-License-Identifier: Apache-2.0 */
/* Trace records in words: what a reader of a story is told. */
#ifndef SCN_REPORT_WORDS_H
#define SCN_REPORT_WORDS_H

#include <sim/trace.h>

#define SCN_WORDS_BYTES 256u

/* "NdkCloseQp init.qp[2] answers STATUS_PENDING". Returns `text`. */
const char *scn_record_words(const struct sim_world *world, const struct sim_record *record,
                             char *text, size_t size);

/*
 * The serial of the request whose call or post, completion or result this is; 0: of none. (Other
 * records have other second values.)
 */
uint64_t scn_record_request(const struct sim_world *world, const struct sim_record *record);

/* Who did it: a task's name, or, of an event's delivery, the node or link that it concerns. */
const char *scn_record_actor(const struct sim_world *world, const struct sim_record *record,
                             char *text, size_t size);

/* True for what drivers and peers see of each other; false for what goes on below that. */
bool scn_record_tells(const struct sim_world *world, const struct sim_record *record);

/* Of those, what is a step of the work: NDK calls, messages between peers, states, faults. */
bool scn_record_is_milestone(const struct sim_world *world, const struct sim_record *record);

#endif
