/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of a posted request through the built-in device: its doorbell, its packets at both ends,
 * what answered them, its completion. Causes do not tell it: the device takes up work in batches.
 */
#ifndef SCN_CLI_EXPLAIN_WIRE_H
#define SCN_CLI_EXPLAIN_WIRE_H

#include "report/chronicle.h"

/*
 * Marks what is of the request posted in record `posted`, by sequence from `first` on to `last`.
 * Nothing is marked of a request that another device works on, or that was rung for with others.
 */
void scn_wire_mark(const struct sim_world *world, const struct scn_chronicle *chronicle,
                   uint32_t posted, uint32_t first, uint32_t last, unsigned char *marks);

/* The doorbell that the post of record `posted` ended with; 0: none of its own. */
uint32_t scn_wire_doorbell(const struct sim_world *world, const struct scn_chronicle *chronicle,
                           uint32_t posted);

#endif
