/* SPDX-License-Identifier: Apache-2.0 */
/* R-WSK: The way in through WSK. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-WSK-01", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A client registers with WSK, captures the provider interface and asks for the NDK "
     "dispatch with 'NDKD', an output buffer alone and no IRP.",
     "Call WskControlClient with WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH, no input, room "
     "for the whole dispatch as output and a NULL Irp.",
     VRF_ITSELF},
    {"R-WSK-02", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Each capture is released once and each registration is undone once.",
     "Release and deregister on the unload path and on every failure after them, and "
     "nowhere else.",
     VRF_ITSELF},
    {"R-WSK-03", VRF_PROVIDER, VRF_CONSTRUCTION, SIM_SEVERITY_ERROR,
     "Deregistering waits for captured interfaces, running calls and open sockets.",
     "WSK does this.", VRF_ITSELF},
    {"R-WSK-04", VRF_PROVIDER, VRF_CONSTRUCTION, SIM_SEVERITY_ERROR,
     "A capture without waiting fails with STATUS_DEVICE_NOT_READY, and a wrong version "
     "with STATUS_NOINTERFACE.",
     "WSK does this.", VRF_ITSELF},
    {"R-WSK-05", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Adapters are opened and closed through the NDK dispatch, at PASSIVE_LEVEL and with"
     " the client that the capture gave.",
     "Keep the captured NPI and pass its Client in both calls.", VRF_ITSELF},
    {"R-WSK-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Closing an adapter through WSK returns when the close has finished.",
     "Let the close handler wait for all objects and callbacks below the adapter.", VRF_ITSELF},
    {"R-WSK-07", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "All adapters are closed before the client releases the interface and deregisters.",
     "Undo in reverse order: objects, adapter, release, deregister.", VRF_ITSELF},
    {"R-WSK-08", VRF_PROVIDER, VRF_CONSTRUCTION, SIM_SEVERITY_ERROR,
     "The control call refuses an output buffer that is too small with "
     "STATUS_BUFFER_OVERFLOW.",
     "WSK does this.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_wsk = {"R-WSK", "The way in through WSK", rows,
                                            SIM_ARRAY_COUNT(rows)};
