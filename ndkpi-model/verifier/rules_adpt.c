/* SPDX-License-Identifier: Apache-2.0 */
/* R-ADPT: adapters, versions, capabilities. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-ADPT-01", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Opening with an unknown major version fails with NDIS_STATUS_BAD_VERSION.",
     "Compare the major with the list of those you have.", VRF_ITSELF},
    {"R-ADPT-02", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Opening with a known major and a minor that is not too high succeeds with the "
     "highest minor of that major.",
     "Use the highest minor in the adapter's info and in all headers.", VRF_ITSELF},
    {"R-ADPT-03", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Opening with a known major and a minor that is too high fails with "
     "NDIS_STATUS_BAD_VERSION.",
     "Compare with the highest minor of that major.", VRF_ITSELF},
    {"R-ADPT-04", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "What worked with a lower minor works with a higher one.",
     "Add functions and members at the end, and change the meaning of none.", VRF_ITSELF},
    {"R-ADPT-05", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Opening fails with NDIS_STATUS_ADAPTER_NOT_READY while NDK is disabled, and with "
     "NDIS_STATUS_RESOURCES when resources lack.",
     "Test the state under the lock that the disabling takes.", VRF_ITSELF},
    {"R-ADPT-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Several adapter objects may be open on one miniport, each with its own header.",
     "Allocate an object per open; keep what is shared in the miniport's adapter.", VRF_ITSELF},
    {"R-ADPT-07", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The close handler closes the adapter that it is given, one that the open handler "
     "made.",
     "Free the object of this open and leave others alone.", VRF_ITSELF},
    {"R-ADPT-08", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The adapter query fills the structure and stores its size, or returns "
     "STATUS_BUFFER_TOO_SMALL and the size needed.",
     "Compare sizes first; write nothing into a buffer that is too small.", VRF_ITSELF},
    {"R-ADPT-09", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A query for an extension that nobody knows returns STATUS_NOT_SUPPORTED, on "
     "objects of every type.",
     "Share one query function that knows the extensions you have.", VRF_ITSELF},
    {"R-ADPT-10", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Each advertised limit holds: what is at the limit is not refused for it.",
     "Refuse only what is greater than the limit, and advertise what the device gives "
     "after your own needs.",
     VRF_ITSELF},
    {"R-ADPT-11", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Connections to an own address work only where loopback is advertised.",
     "Look at the destination before sending, and refuse it without the capability.", VRF_ITSELF},
    {"R-ADPT-12", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The adapter's info agrees with the capabilities that NDIS was given.",
     "Keep one structure and copy it for both.", VRF_ITSELF},
    {"R-ADPT-13", VRF_CONSUMER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "The flags for several engines and large requests are hints for speed.",
     "Let nothing but the choice of sizes depend on them.", VRF_ITSELF},
    {"R-ADPT-14", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Features of version 1.2 are used from 1.2 on, those of 2.1 from 2.1 on.",
     "Keep the version of the adapter's info and test it before using a newer slot, flag"
     " or member.",
     VRF_ITSELF},
    {"R-ADPT-15", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A successful extension query stores the dispatch pointer of the extension asked "
     "for, in a version that fits.",
     "Compare GUID and version, then fill the caller's structure.", VRF_ITSELF},
    {"R-ADPT-16", VRF_PROVIDER, VRF_CONSTRUCTION, SIM_SEVERITY_ERROR,
     "Order and number of the members of the ten dispatch tables are fixed.",
     "Use the structures of the headers.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_adpt = {"R-ADPT", "Adapters, versions, capabilities", rows,
                                             SIM_ARRAY_COUNT(rows)};
