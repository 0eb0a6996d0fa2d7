/* SPDX-License-Identifier: Apache-2.0 */
/* R-MOD: Interrupt moderation of CQs. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-MOD-01", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Moderation is asked for only where the adapter advertises it.",
     "Look at NDK_ADAPTER_FLAG_CQ_INTERRUPT_MODERATION_SUPPORTED in the adapter's info "
     "first.",
     VRF_ITSELF},
    {"R-MOD-02", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Without that capability the function is there and returns STATUS_NOT_SUPPORTED.",
     "Fill the slot with a function that refuses.", VRF_ITSELF},
    {"R-MOD-03", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "With the capability it succeeds, or fails with STATUS_INSUFFICIENT_RESOURCES and "
     "nothing else.",
     "Check arguments, note the new values, program the device; do not refuse what you "
     "advertise.",
     VRF_ITSELF},
    {"R-MOD-04", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR, "It never returns STATUS_PENDING.",
     "Note the values and return; apply them later if the device needs time.",
     VRF_SEEN_AS("R-CMPL-09")},
    {"R-MOD-05", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A new CQ notifies without moderation.", "Start every CQ with interval and count off.",
     VRF_ITSELF},
    {"R-MOD-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "An interval of 0, or a count of 0 or 1, turns moderation off.",
     "Test for these values before anything else.", VRF_ITSELF},
    {"R-MOD-07", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "MAXULONG as one of the two values leaves the other one in charge; so does a count "
     "above the CQ's depth.",
     "Treat either as no bound, and notify by the other.", VRF_ITSELF},
    {"R-MOD-08", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "No interval and no count at once is refused with STATUS_INVALID_PARAMETER_MIX, and"
     " consumers do not ask for it.",
     "Consumer: always give one real bound. Provider: refuse and keep the old values.", VRF_ITSELF},
    {"R-MOD-09", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Interval (in microseconds) and count are upper bounds: a notification comes no "
     "later and gathers no more.",
     "Round down, start the timer at the completion that met the arm, and notify at "
     "whichever bound comes first.",
     VRF_ITSELF},
    {"R-MOD-10", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "New values take effect in a bounded time, and the newest ones win.",
     "Keep one pending pair of values per CQ, overwritten by each call.", VRF_ITSELF},
    {"R-MOD-11", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Calls that set moderation of one CQ come one at a time.",
     "Set it from one place, for instance right after the CQ was created.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_mod = {"R-MOD", "Interrupt moderation of CQs", rows,
                                            SIM_ARRAY_COUNT(rows)};
