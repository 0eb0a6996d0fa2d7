/* SPDX-License-Identifier: Apache-2.0 */
/* R-LSTN: listeners. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-LSTN-01", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A listener is created with a connect event routine.",
     "Pass the routine in NdkCreateListener; there is no later moment for it.", VRF_ITSELF},
    {"R-LSTN-02", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Listen fails for a busy address with STATUS_SHARING_VIOLATION, a foreign one with "
     "STATUS_INVALID_ADDRESS, and STATUS_TOO_MANY_ADDRESSES when no port is left.",
     "Check in the order address, port table, free ports, as for connects.", VRF_ITSELF},
    {"R-LSTN-03", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A listener on port 0 tells the port that it got.",
     "Store the chosen port in the listener's address.", VRF_ITSELF},
    {"R-LSTN-04", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Each incoming request raises one connect event, with a new connector and the "
     "listener's context.",
     "Match requests by the peer's identifiers so that one sent again raises no second "
     "event, and make a connector for each.",
     VRF_ITSELF},
    {"R-LSTN-05", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A paused listener refuses requests as if it was not there.",
     "Look at the pause flag when the request comes in, before anything is queued.", VRF_ITSELF},
    {"R-LSTN-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A resumed listener raises events again for what comes then.",
     "Clear the flag; keep nothing that came during the pause.", VRF_ITSELF},
    {"R-LSTN-07", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A listener refuses requests from the call of its close on, however long the close "
     "takes.",
     "Take the listener out of the look-up table first thing in the close.", VRF_ITSELF},
    {"R-LSTN-08", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The close of a listener stays pending until the connectors accepted over it are "
     "closed.",
     "Reference the listener from each connector that it bore, until that one's close.",
     VRF_ITSELF},
    {"R-LSTN-09", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A connector that a connect event handed over keeps its listener's close pending, "
     "accepted or not.",
     "Take the reference when the connector is made for the event, not when it is "
     "accepted.",
     VRF_ITSELF},
    {"R-LSTN-10", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Every connector from a connect event is accepted, rejected or closed, and closed "
     "in the end.",
     "Close the connector also after a reject and after a failed accept.", VRF_SEEN_AS("R-OWN-08")},
    {"R-LSTN-11", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A running connect event keeps its listener's close pending.",
     "Count connect events as callbacks of the listener.", VRF_SEEN_AS("R-OWN-07")},
    {"R-LSTN-12", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Requests beyond what the provider queues are refused to the peer.",
     "Bound the backlog and answer the rest with a refusal instead of silence.", VRF_ITSELF},
    {"R-LSTN-13", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The peer's address can be asked of a connector within its connect event.",
     "Fill the addresses in before raising the event.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_lstn = {"R-LSTN", "Listeners", rows, SIM_ARRAY_COUNT(rows)};
