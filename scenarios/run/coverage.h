/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs have seen, as points with names in groups; a run has seen each point or not.
 *
 *   event                        every event that the simulation's modules know: calls of NDK,
 * their completions, what devices, links and the kernel tell fault                        fault
 * points that fired state, transition            of every machine that says its states
 * (sim/machine.h): "connector: ReqSent", "connector: ReqSent to RepRcvd" close_order "qp before
 * pd": a QP's close was asked for while a PD of the same consumer was open connector_at_close what
 * the consumer knew of a connector: "connecting", "connected" order "close_qp.done before
 * event.disconnect": one consumer saw a first with a second behind it
 *
 * Nothing of this is seen by the world: digests are the same with and without it.
 */
#ifndef SCN_RUN_COVERAGE_H
#define SCN_RUN_COVERAGE_H

#include <sim/run.h>

/*
 * The points of a world that is set up; the same in every process. Host memory, borrows the world's
 * names: it goes before the world does.
 */
struct scn_coverage_map;
struct scn_coverage_map *scn_coverage_map_create(const struct sim_world *world);
void scn_coverage_map_free(struct scn_coverage_map *map);

uint32_t scn_coverage_point_count(const struct scn_coverage_map *map);
/* The group; `name` is "" for a point that there is not. */
const char *scn_coverage_name(const struct scn_coverage_map *map, uint32_t point, char *name,
                              size_t size);
/* Of a group of which nobody knows what can be seen at all: only what was seen is told. */
bool scn_coverage_is_open(const struct scn_coverage_map *map, uint32_t point);
#define SCN_COVERAGE_NAME_BYTES 128u
static inline size_t scn_coverage_words(const struct scn_coverage_map *map) {
    return (scn_coverage_point_count(map) + 63u) / 64u;
}

/*
 * After the world's reset: `bits` (scn_coverage_words of host memory) are emptied, and filled until
 * scn_coverage_end, which is called before the next reset.
 */
void scn_coverage_begin(struct sim_world *world, struct scn_coverage_map *map, uint64_t *bits);
void scn_coverage_end(struct sim_world *world, struct scn_coverage_map *map, uint64_t *bits);

#endif
