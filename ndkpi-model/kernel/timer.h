/* SPDX-License-Identifier: Apache-2.0 */
/* Timers: the record of a KTIMER holds the event that expires it. */
#ifndef KRN_TIMER_H
#define KRN_TIMER_H

#include <sim/event.h>

#include "record.h"

struct krn_timer {
    struct krn_duty duty; /* first */
    struct sim_event event;
    struct krn_cpu *cpu; /* that set it: its DPC is queued there */
    struct krn_dpc *dpc; /* or NULL */
    uint64_t period_ns;  /* 0: once */
};

bool krn_timer_is_set(const struct krn_timer *timer);
struct krn_timer *krn_timer_of(const struct krn_record *record);

#endif
