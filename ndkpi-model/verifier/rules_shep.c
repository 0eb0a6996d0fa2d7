/* SPDX-License-Identifier: Apache-2.0 */
/* R-SHEP: shared endpoints. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-SHEP-01", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Creating a shared endpoint fails for busy, foreign and used-up addresses as "
     "listening does.",
     "Use the same routine that takes an address for a listener.", VRF_ITSELF},
    {"R-SHEP-02", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A shared endpoint on port 0 tells the port that it got, or the size needed for its"
     " address.",
     "Store the chosen port in the endpoint's address, and compare sizes before copying.",
     VRF_ITSELF},
    {"R-SHEP-03", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Many connectors may connect from one shared endpoint to different remote "
     "addresses.",
     "Tell connections apart by both addresses, not by the local port.", VRF_ITSELF},
    {"R-SHEP-04", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A shared endpoint is held by one reference for itself and one for each connector "
     "on it; the last one frees the address.",
     "Reference the endpoint in the connect and give it back in the connector's close.",
     VRF_ITSELF},
    {"R-SHEP-05", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The close of a shared endpoint waits for the connectors on it, and meanwhile the "
     "address stays taken.",
     "Keep the endpoint in the port table until its last reference is gone.", VRF_ITSELF},
    {"R-SHEP-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A second connect to the same remote address and port over one shared endpoint ends"
     " with STATUS_ADDRESS_ALREADY_EXISTS.",
     "Search the endpoint's connectors for the remote address under its lock.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_shep = {"R-SHEP", "Shared endpoints", rows,
                                             SIM_ARRAY_COUNT(rows)};
