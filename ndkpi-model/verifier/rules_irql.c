/* SPDX-License-Identifier: Apache-2.0 */
/* R-IRQL: levels and blocking. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-IRQL-01", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "NDK functions are called at DISPATCH_LEVEL or below, and none but the adapter "
     "query and open and close waits for anything.",
     "Consumer: no calls above DISPATCH_LEVEL. Provider: spin locks only; what takes "
     "long returns STATUS_PENDING.",
     VRF_ITSELF},
    {"R-IRQL-02", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The adapter query is called at PASSIVE_LEVEL, and its answer is there when it "
     "returns.",
     "Ask for the adapter's properties in the thread that opened it and keep the copy.",
     VRF_ITSELF},
    {"R-IRQL-03", VRF_BOTH, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Adapters are opened and closed at PASSIVE_LEVEL.",
     "Open and close in DriverEntry, a system thread or a work item, holding no spin "
     "lock.",
     VRF_SEEN_AS("R-WSK-05")},
};

const struct vrf_rule_area vrf_rules_irql = {"R-IRQL", "Levels and blocking", rows,
                                             SIM_ARRAY_COUNT(rows)};
