/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws: a hash of (seed, key), so that one more draw in one place moves no other.
 */
#ifndef SIM_DRAW_H
#define SIM_DRAW_H

#include <sim/choice.h>

/* True with a probability of `ppm` / 1,000,000. */
static inline bool sim_draw_ppm(uint64_t draw, uint32_t ppm) {
    return ((draw >> 32) * UINT64_C(1000000)) >> 32 < ppm;
}

/* Uniform in [0, count). */
static inline uint32_t sim_draw_below(uint64_t draw, uint32_t count) {
    return (uint32_t)(((draw >> 32) * count) >> 32);
}

/*
 * `ppm` times a power of two from 2^-spread to 2^spread, drawn from `hash`; at most `ppm_max`,
 * unless `ppm` is more already. 0 stays 0.
 */
static inline uint32_t sim_draw_spread(uint64_t hash, uint32_t ppm, uint32_t spread_log2,
                                       uint32_t ppm_max) {
    int32_t exponent =
        (int32_t)sim_draw_below(sim_hash_mix(hash, 2), 2 * spread_log2 + 1) - (int32_t)spread_log2;
    uint64_t value = exponent >= 0 ? (uint64_t)ppm << exponent : (uint64_t)ppm >> -exponent;

    if (ppm != 0 && value == 0) {
        return 1;
    }
    return value > ppm_max && ppm <= ppm_max ? ppm_max : (uint32_t)value;
}

/* Leaves option 0 with probability `ppm`, or the choice's own, for each other one alike. */
static inline uint32_t sim_draw_option(uint64_t draw, const struct sim_choice *choice,
                                       uint32_t ppm) {
    if (choice->free_ppm != 0) {
        return sim_draw_ppm(draw, choice->free_ppm) ? 1 : 0;
    }
    if (!sim_draw_ppm(draw, ppm)) {
        return 0;
    }
    return 1 + sim_draw_below(sim_hash_mix(draw, 1), choice->option_count - 1);
}

#endif
