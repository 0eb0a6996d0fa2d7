/* SPDX-License-Identifier: Apache-2.0 */
/* R-CMPL: completions and status codes. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-CMPL-01", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A request that returned STATUS_PENDING is completed by one run of its callback.",
     "Take the request out of its slot with one interlocked operation or under the lock;"
     " whoever got it completes it.",
     VRF_SEEN_AS("R-OWN-05")},
    {"R-CMPL-02", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A request that returned anything but STATUS_PENDING is over: its callback does not"
     " run.",
     "Once the callback was called, return STATUS_PENDING, also if it has run within the"
     " call.",
     VRF_SEEN_AS("R-OWN-06")},
    {"R-CMPL-03", VRF_BOTH, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "A completion may come before the call that asked for it has returned; consumers "
     "are written for that.",
     "Set up everything that the completion touches before making the call, and read "
     "nothing of it afterwards.",
     VRF_ITSELF},
    {"R-CMPL-04", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A completion hands back the context that came with its request, bit for bit.",
     "Store the context with the request and pass it on; never recompute it or take it "
     "from the object.",
     VRF_SEEN_AS("R-OWN-06")},
    {"R-CMPL-05", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Callbacks come at DISPATCH_LEVEL or below, and consumers write them for "
     "DISPATCH_LEVEL.",
     "Provider: call from a DPC or lower. Consumer: do not wait, page or take mutexes in"
     " a callback; queue a work item.",
     VRF_ITSELF},
    {"R-CMPL-06", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A request is answered with a status that its function is documented to give.",
     "Translate device and library errors to the codes that the function's page lists, "
     "in one table.",
     VRF_ITSELF},
    {"R-CMPL-07", VRF_CONSUMER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "A status that may come inline or later is handled alike on both routes.",
     "Call the completion routine yourself when the call returns a status other than "
     "STATUS_PENDING.",
     VRF_ITSELF},
    {"R-CMPL-08", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A failing request that was completed through its callback has left the provider "
     "too: the object is not touched afterwards.",
     "Let the failing path do its last work on the object before it starts the "
     "completion, then return without looking at it.",
     VRF_SEEN_AS("R-LIFE-15")},
    {"R-CMPL-09", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Only functions that may pend return STATUS_PENDING; posts, polls, arms, queries "
     "and tokens are done when they return.",
     "Do such work within the call or refuse it; there is no callback that could bring "
     "the answer.",
     VRF_ITSELF},
    {"R-CMPL-10", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A driver unloads after the close of its adapters has returned: only that proves "
     "that no callback is left inside it.",
     "Do not unload on a signal from a completion callback; wait for it, close the "
     "adapter, then return from DriverUnload.",
     VRF_SEEN_AS("R-OWN-11")},
    {"R-CMPL-11", VRF_BOTH, VRF_CONSTRUCTION, SIM_SEVERITY_ERROR,
     "There are three kinds of completion callback and four of event, and nothing else "
     "is called.",
     "Use the routine types of the headers.", VRF_ITSELF},
    {"R-CMPL-12", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A create callback brings success with an object, or a failure without one.",
     "Pass NULL as the object when the status is a failure, after everything half made "
     "was freed.",
     VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_cmpl = {"R-CMPL", "Completions and status codes", rows,
                                             SIM_ARRAY_COUNT(rows)};
