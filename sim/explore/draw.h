/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws: a hash of (seed, key), so that one more draw in one place moves no other.
 */
#ifndef SIM_DRAW_H
#define SIM_DRAW_H

#include <sim/base.h>

/* True with a probability of `ppm` / 1,000,000. */
static inline bool sim_draw_ppm(uint64_t draw, uint32_t ppm) {
    return ((draw >> 32) * UINT64_C(1000000)) >> 32 < ppm;
}

/* Uniform in [0, count). */
static inline uint32_t sim_draw_below(uint64_t draw, uint32_t count) {
    return (uint32_t)(((draw >> 32) * count) >> 32);
}

#endif
