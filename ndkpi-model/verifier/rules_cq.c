/* SPDX-License-Identifier: Apache-2.0 */
/* R-CQ: completion queues. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-CQ-01", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Polls and arms of one CQ come one at a time.",
     "Hold one lock around NdkGetCqResults, NdkGetCqResultsEx and NdkArmCq of a CQ, or "
     "do all three in its notification only.",
     VRF_ITSELF},
    {"R-CQ-02", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A CQ notifies when it is armed, once for each arm that was met.",
     "Clear the arm under the CQ's lock before calling, and call only if you cleared it.",
     VRF_ITSELF},
    {"R-CQ-03", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An arm is met at once by a completion that has come since the last notification "
     "began.",
     "Remember up to which entry the last notification knew, and compare when arming.",
     VRF_SEEN_AS("R-CQ-07")},
    {"R-CQ-04", VRF_PROVIDER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "An arm may, but need not, be met at once by completions that were there at the "
     "last notification already.",
     "Consumers: drain before arming, and be ready for a notification with nothing new.",
     VRF_ITSELF},
    {"R-CQ-05", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Notifications of one CQ do not overlap.",
     "Mark the CQ as notifying; what comes meanwhile sets a flag that the end of the "
     "notification looks at.",
     VRF_ITSELF},
    {"R-CQ-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A second arm widens the first: SOLICITED wins over ERRORS, ANY over both.",
     "Combine by a table of three by three; never let a narrower arm replace a wider "
     "one.",
     VRF_ITSELF},
    {"R-CQ-07", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An arm of type ANY is met by the next completion, or at once by one that came "
     "since the last notification began.",
     "Arm from the index that the consumer had seen when its last notification began, "
     "not from where the queue ends now; look again after arming.",
     VRF_ITSELF},
    {"R-CQ-08", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "An arm of type ERRORS is met by failures of the CQ itself: overrun or a fatal "
     "error.",
     "Do not count failed requests among them; raise it where the CQ turns unusable.", VRF_ITSELF},
    {"R-CQ-09", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "An arm of type SOLICITED is met by the receive of a send that asked for a "
     "solicited event, once that receive is in the CQ.",
     "Carry the sender's flag in the packet and into the entry, and look at it when the "
     "entry is placed.",
     VRF_ITSELF},
    {"R-CQ-10", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A request that ended with an error counts as solicited.",
     "Treat error and flush entries as solicited wherever arms are looked at.", VRF_ITSELF},
    {"R-CQ-11", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The solicit flag changes nothing for a receiver that armed ERRORS or nothing.",
     "Provider: compare the arm before notifying. Consumer: arm for what you want to "
     "hear.",
     VRF_ITSELF},
    {"R-CQ-12", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A notification's status tells the CQ's health: STATUS_SUCCESS, "
     "STATUS_BUFFER_OVERFLOW after an overrun, STATUS_INTERNAL_ERROR after a fatal "
     "error.",
     "Keep the failure in the CQ and pass it with the notification; never pass a "
     "request's status.",
     VRF_ITSELF},
    {"R-CQ-13", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "After an overrun or a fatal error neither the CQ nor the QPs on it report anything"
     " more.",
     "Move all QPs of the CQ to error without placing entries, and end their "
     "connections.",
     VRF_ITSELF},
    {"R-CQ-14", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A CQ is deep enough for all that its queues may hold at once: it does not overrun.",
     "Add up the depths of all queues that complete into the CQ, and create or resize it"
     " before making the next QP.",
     VRF_ITSELF},
    {"R-CQ-15", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A CQ deeper than the adapter's MaxCqDepth is refused with "
     "STATUS_INVALID_PARAMETER.",
     "Compare before allocating.", VRF_ITSELF},
    {"R-CQ-16", VRF_BOTH, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "Affinity of a CQ is a wish, and may be left out.",
     "Consumers: let nothing depend on the processor of a callback.", VRF_ITSELF},
    {"R-CQ-17", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A poll gives at most as many results as asked for, returns their number, and "
     "leaves the rest of the array alone.",
     "Write results one by one and stop at nResults or at the end of the queue.", VRF_ITSELF},
    {"R-CQ-18", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The extended poll does the same with extended results, from version 1.2 on.",
     "Build both polls on one routine that takes the next entry.", VRF_ITSELF},
    {"R-CQ-19", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A resize beyond MaxCqDepth is refused with STATUS_INVALID_PARAMETER; others are "
     "carried out, now or later, unless resources lack.",
     "Check first; then move entries to the new ring without losing any or stopping "
     "traffic.",
     VRF_ITSELF},
    {"R-CQ-20", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A CQ is resized only where the adapter advertises it.",
     "Look at NDK_ADAPTER_FLAG_CQ_RESIZE_SUPPORTED in the adapter's info; else create "
     "the CQ as deep as it may ever need to be.",
     VRF_ITSELF},
    {"R-CQ-21", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The close of a CQ waits for its running notification, and none follows.",
     "Count the notification as a callback of the CQ and disarm it in the close.",
     VRF_SEEN_AS("R-OWN-07")},
    {"R-CQ-22", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A CQ that nobody armed does not notify.", "Create CQs disarmed.", VRF_SEEN_AS("R-CQ-02")},
    {"R-CQ-23", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "When a notification runs, the completion behind it can be polled.",
     "Make the entry visible, with the barriers that needs, before deciding to notify.",
     VRF_ITSELF},
    {"R-CQ-24", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A consumer that relies on notifications leaves no result unseen: it drains the CQ "
     "and arms it again.",
     "In the notification poll until 0 comes, arm, and rely on the rule that what came "
     "meanwhile notifies at once.",
     VRF_ITSELF},
    {"R-CQ-25", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Each notification carries the context that its CQ was created with.",
     "Store the context in the CQ and pass nothing else.", VRF_SEEN_AS("R-OWN-06")},
    {"R-CQ-26", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "On a CQ shared by QPs each result carries the QPContext of its own QP.",
     "Take the context from the QP that completed the request, not from the CQ.",
     VRF_SEEN_AS("R-OWN-15")},
};

const struct vrf_rule_area vrf_rules_cq = {"R-CQ", "Completion queues", rows,
                                           SIM_ARRAY_COUNT(rows)};
