/* SPDX-License-Identifier: Apache-2.0 */
/* R-SRQ: shared receive queues. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-SRQ-01", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "An SRQ above the limits of depth or SGEs is refused with STATUS_INVALID_PARAMETER;"
     " MaxSrqDepth 0 means there are none.",
     "Compare both arguments with the adapter's info first.", VRF_ITSELF},
    {"R-SRQ-02", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A receive posted to an SRQ completes into the receive CQ of the QP that used it, "
     "with that QP's context.",
     "Decide CQ and context when a QP takes the receive, not when it is posted.",
     VRF_SEEN_AS("R-OWN-15")},
    {"R-SRQ-03", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The notification comes when the number of queued receives falls below the armed "
     "threshold.",
     "Count down where a QP takes a receive, and compare there.", VRF_ITSELF},
    {"R-SRQ-04", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "After a notification an SRQ stays silent until a modify with a threshold arms it "
     "again.",
     "Disarm under the lock before calling.", VRF_ITSELF},
    {"R-SRQ-05", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A modify with a threshold arms, and notifies if the number is below it already.",
     "Compare right after storing the threshold.", VRF_ITSELF},
    {"R-SRQ-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "In a modify, threshold 0 leaves threshold and arming as they are, and depth 0 the "
     "depth.",
     "Treat each zero as no change.", VRF_ITSELF},
    {"R-SRQ-07", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A modify above MaxSrqDepth is refused with STATUS_INVALID_PARAMETER.",
     "Check before anything changes.", VRF_ITSELF},
    {"R-SRQ-08", VRF_CONSUMER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "The notification routine of an SRQ may be left out.",
     "Pass NULL when you refill by counting results.", VRF_ITSELF},
    {"R-SRQ-09", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A notification's status is STATUS_SUCCESS, or STATUS_INTERNAL_ERROR after a fatal "
     "error; then the SRQ and its QPs are dead.",
     "Move all attached QPs to error, then notify with the failure once.", VRF_ITSELF},
    {"R-SRQ-10", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Posts to one SRQ come one at a time.",
     "Hold one lock around all NdkSrqReceive calls of an SRQ, whichever connection they "
     "are for.",
     VRF_ITSELF},
    {"R-SRQ-11", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The close of an SRQ waits for the QPs on it.", "Reference the SRQ from each QP.",
     VRF_SEEN_AS("R-LIFE-24")},
    {"R-SRQ-12", VRF_BOTH, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "Affinity of an SRQ is a wish, and may be left out.",
     "Consumers: let nothing depend on the processor of a callback.", VRF_ITSELF},
    {"R-SRQ-13", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "No more receives are outstanding on an SRQ than it is deep, and none has more SGEs"
     " than it allows.",
     "Count posts and results of the SRQ over all QPs on it.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_srq = {"R-SRQ", "Shared receive queues", rows,
                                            SIM_ARRAY_COUNT(rows)};
