/* SPDX-License-Identifier: Apache-2.0 */
/* R-EP: endpoints and reuse of addresses. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-EP-01", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A listener's address is held by one reference for the listener and one for each "
     "connector accepted over it.",
     "Make the endpoint an object with a count of its own.", VRF_ITSELF},
    {"R-EP-02", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Each close of the listener or of an accepted connector drops a reference, and the "
     "last one frees address and port.",
     "Remove the endpoint from the port table with the last reference, under the table's"
     " lock.",
     VRF_ITSELF},
    {"R-EP-03", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "An accepted connector has its listener's local address.",
     "Point the connector at the listener's endpoint; for a wildcard take the address "
     "that the request came to.",
     VRF_ITSELF},
    {"R-EP-04", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A connector that connected has an endpoint of its own until its close.",
     "Take the port in the connect and give it back when the close completes.", VRF_ITSELF},
    {"R-EP-05", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An address and port stay taken while connectors that were accepted over them are "
     "open, also when their listener is closing.",
     "Count references of an endpoint, one for the listener and one for each connector "
     "that was accepted over it, and let the address go with the last of them.",
     VRF_ITSELF},
    {"R-EP-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A disconnect does not free an address; the close of the connector does.",
     "Leave the endpoint alone in the disconnect path.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_ep = {"R-EP", "Endpoints and reuse of addresses", rows,
                                           SIM_ARRAY_COUNT(rows)};
