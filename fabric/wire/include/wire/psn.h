/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packet sequence numbers: 24 bits, compared modulo 2^24 with a half window of 2^23 (IBTA 9.7.1).
 * The struct keeps plain < and + away. Message sequence numbers (MSN) obey the same arithmetic.
 */
#ifndef WIRE_PSN_H
#define WIRE_PSN_H

#include <stdbool.h>
#include <stdint.h>

#define WIRE_PSN_MASK 0x00FFFFFFu

struct wire_psn {
    uint32_t value; /* 0 .. WIRE_PSN_MASK */
};

static inline struct wire_psn wire_psn_make(uint32_t value) {
    struct wire_psn psn = {value & WIRE_PSN_MASK};
    return psn;
}

static inline struct wire_psn wire_psn_add(struct wire_psn psn, uint32_t count) {
    return wire_psn_make(psn.value + count);
}

static inline struct wire_psn wire_psn_sub(struct wire_psn psn, uint32_t count) {
    return wire_psn_make(psn.value - count);
}

static inline struct wire_psn wire_psn_next(struct wire_psn psn) {
    return wire_psn_add(psn, 1);
}

/* Signed distance a - b, in [-2^23, 2^23). */
static inline int32_t wire_psn_diff(struct wire_psn a, struct wire_psn b) {
    int32_t distance = (int32_t)((a.value - b.value) & WIRE_PSN_MASK);
    return distance < 0x800000 ? distance : distance - 0x1000000;
}

/* Unsigned distance from `from` forward to `to`, in [0, 2^24). */
static inline uint32_t wire_psn_distance(struct wire_psn from, struct wire_psn to) {
    return (to.value - from.value) & WIRE_PSN_MASK;
}

static inline bool wire_psn_equal(struct wire_psn a, struct wire_psn b) {
    return a.value == b.value;
}

static inline bool wire_psn_before(struct wire_psn a, struct wire_psn b) {
    return wire_psn_diff(a, b) < 0;
}

static inline bool wire_psn_after(struct wire_psn a, struct wire_psn b) {
    return wire_psn_diff(a, b) > 0;
}

/* True when `psn` is one of the `count` numbers that begin with `first`; count <= 2^24. */
static inline bool wire_psn_in_range(struct wire_psn psn, struct wire_psn first, uint32_t count) {
    return wire_psn_distance(first, psn) < count;
}

#endif
