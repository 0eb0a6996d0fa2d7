/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call sites that are kept while a world runs: who, when, and by which path. A path is a list of
 * return addresses, stored once however many sites have it, so that a site costs 16 bytes.
 *
 * Numbers of paths are given in the order of first use. They depend on the build and are, as the
 * addresses are, never hashed, compared for order, or printed.
 */
#ifndef SIM_PATH_H
#define SIM_PATH_H

#include <sim/finding.h>

struct sim_kept_site {
    uint64_t time_ns;
    uint32_t actor_id;   /* of the running task; 0: none */
    uint32_t path_level; /* path << 8 | level */
};

/* The number of a path of up to SIM_FINDING_FRAMES addresses; 0 for one without any. */
uint32_t sim_path_keep(struct sim_world *world, const uintptr_t *frames, uint8_t count);
/* Its addresses; returns how many there are. */
uint8_t sim_path_frames(const struct sim_world *world, uint32_t path,
                        uintptr_t frames[SIM_FINDING_FRAMES]);

/* The running task is here now, by this path. */
void sim_site_keep(struct sim_world *world, struct sim_kept_site *kept, const uintptr_t *frames,
                   uint8_t count);
/* As it was captured; `what` as in struct sim_site. */
void sim_site_expand(const struct sim_world *world, const struct sim_kept_site *kept,
                     const char *what, struct sim_site *site);

#endif
