/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a campaign has seen, as a set of points with names; a run has seen each point or not. Points
 * so far, all about closing:
 *
 *   close_order                  "qp before pd": a QP's close was asked for while a PD of the same
 *                                consumer was open
 *   connector_at_close           what the consumer knew of a connector: "connecting", "connected"
 *   provider_connector_at_close  the provider's own state of it, by number, where it leaves
 *                                "connector.state" records
 *
 * Nothing of this is seen by the world: digests are the same with and without it.
 */
#ifndef SCN_RUN_COVERAGE_H
#define SCN_RUN_COVERAGE_H

#include <sim/run.h>
#include <sim/trace.h>

#define SCN_COVERAGE_KINDS 9u /* of NDK objects below an adapter */
#define SCN_COVERAGE_TEXTS 24u
#define SCN_COVERAGE_NUMBERS 64u
#define SCN_COVERAGE_POINTS                                                                        \
    (SCN_COVERAGE_KINDS * SCN_COVERAGE_KINDS + SCN_COVERAGE_TEXTS + SCN_COVERAGE_NUMBERS)
#define SCN_COVERAGE_WORDS ((SCN_COVERAGE_POINTS + 63u) / 64u)

/* The points of one run. */
struct scn_coverage {
    uint64_t bits[SCN_COVERAGE_WORDS];
};

/* After the world's reset: `coverage` (host memory) is emptied, and filled until the next reset. */
void scn_coverage_begin(struct sim_world *world, struct scn_coverage *coverage);

/* Of several runs. */
struct scn_coverage_sum {
    uint64_t run_count;
    uint64_t seen[SCN_COVERAGE_POINTS]; /* in how many runs */
};
void scn_coverage_add(struct scn_coverage_sum *sum, const struct scn_coverage *coverage);

/* "close_order", "qp before pd"; NULL past the end, and an empty name for a point without one. */
const char *scn_coverage_name(uint32_t point, char *name, size_t size);

/* Points with a name in `group` that were seen. */
uint32_t scn_coverage_count(const struct scn_coverage_sum *sum, const char *group);

#endif
