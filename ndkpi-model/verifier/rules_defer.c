/* SPDX-License-Identifier: Apache-2.0 */
/* R-DEFER: deferred processing. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-DEFER-01", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "NDK_OP_FLAG_DEFER goes with initiator requests only, from version 1.2 on.",
     "Do not set it on receives or when the adapter's info says a version below 1.2.",
     VRF_SEEN_AS("R-ADPT-14")},
    {"R-DEFER-02", VRF_PROVIDER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "A provider may hold deferred requests back or start them at any time.",
     "Treat the flag as advice about the doorbell; consumers must not count on either.",
     VRF_ITSELF},
    {"R-DEFER-03", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "DEFER changes nothing about results: an accepted request gives one, a refused one "
     "gives none.",
     "Build the ring entry as for any request; leave out the doorbell and nothing else.",
     VRF_SEEN_AS("R-OWN-15")},
    {"R-DEFER-04", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Before an initiator post returns a failure, everything held back before it has "
     "been told to the device.",
     "Ring the doorbell on the error path whenever requests are held.", VRF_ITSELF},
    {"R-DEFER-05", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A chain of deferred requests ends with one that is not deferred, unless a post "
     "failed inline.",
     "Set the flag on all but the last request of a chain, also when the chain is cut "
     "short.",
     VRF_ITSELF},
    {"R-DEFER-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "An initiator post without DEFER starts everything that was held before it.",
     "Ring the doorbell with the index behind the newest request.", VRF_ITSELF},
    {"R-DEFER-07", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "When a deferred fast-register fails inline, the one deferred before it is still "
     "carried out and completed.",
     "On failure indicate the earlier requests, then return the status; do not drop the "
     "chain.",
     VRF_ITSELF},
    {"R-DEFER-08", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A request whose post failed is never carried out, deferred or not.",
     "Move the ring's index only once nothing can fail any more.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_defer = {"R-DEFER", "Deferred processing", rows,
                                              SIM_ARRAY_COUNT(rows)};
