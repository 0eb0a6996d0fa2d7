/* SPDX-License-Identifier: Apache-2.0 */
/* R-RES: results. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-RES-01", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The result of a receive says how many bytes came; that of other requests says "
     "nothing there.",
     "Fill BytesTransferred from the message's length for receives. Consumers: read it "
     "for these only.",
     VRF_ITSELF},
    {"R-RES-02", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The type in an extended result is that of the operation that was posted.",
     "Keep the operation with the ring entry and translate it by one table.", VRF_ITSELF},
    {"R-RES-03", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The type-specific output means something for receive-and-invalidate only: there it"
     " is the token.",
     "Write the token there, and leave it out of all other types.", VRF_ITSELF},
    {"R-RES-04", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An extended result that succeeded has ProviderErrorCode zero.",
     "Set the code on failure only, from version 2.1 on; zero when there is nothing to "
     "tell.",
     VRF_ITSELF},
    {"R-RES-05", VRF_BOTH, VRF_CONSTRUCTION, SIM_SEVERITY_ERROR,
     "The record of version 2.1 keeps the size and the offsets of the older one on "
     "64-bit systems.",
     "Use the structures of the headers.", VRF_ITSELF},
    {"R-RES-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Both polls take entries from the same queue in the same order.",
     "Let the plain poll drop the extra fields of the same entry.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_res = {"R-RES", "Results", rows, SIM_ARRAY_COUNT(rows)};
