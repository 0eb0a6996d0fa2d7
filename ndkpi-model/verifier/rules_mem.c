/* SPDX-License-Identifier: Apache-2.0 */
/* R-MEM: memory: regions, windows, mappings, tokens. See rules.h. */
#include "rules.h"

static const struct vrf_rule rows[] = {
    {"R-MEM-01", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "An MR is made for fast registration or for plain registration, and refuses the "
     "other use.",
     "Store the kind at creation and check it in register, initialise and fast-register.",
     VRF_ITSELF},
    {"R-MEM-02", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Registering or mapping an MDL chain whose addresses have a gap fails with "
     "STATUS_INVALID_PARAMETER.",
     "Walk the chain and compare each MDL's start with the end of the one before.", VRF_ITSELF},
    {"R-MEM-03", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The virtual address of a registration is a number to count from: the provider does"
     " not touch memory through it.",
     "Use the MDL's page frames for all access, and the address for offsets only.", VRF_ITSELF},
    {"R-MEM-04", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An MDL chain is locked before it is registered or mapped, and left alone while "
     "that request is pending.",
     "Call MmProbeAndLockPages first; build, free or chain MDLs only after the "
     "completion.",
     VRF_ITSELF},
    {"R-MEM-05", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A registration or mapping is not longer than the MDL chain describes.",
     "Take the length from the MDLs with MmGetMdlByteCount.", VRF_ITSELF},
    {"R-MEM-06", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Memory can be used as its flags say and in no other way: local write, remote read,"
     " remote write, read sink.",
     "Turn each flag into its own access bit of the device, and check local access as "
     "well.",
     VRF_ITSELF},
    {"R-MEM-07", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The local token can be asked for once registration or initialisation has "
     "completed.",
     "Assign the token before the completion is started.", VRF_ITSELF},
    {"R-MEM-08", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The remote token of an MR can be asked for once registration or initialisation has"
     " completed.",
     "Assign it together with the local one.", VRF_ITSELF},
    {"R-MEM-09", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Remote addresses count from the region's virtual address, never from zero.",
     "Give the device the base address of the registration and do not offer another "
     "mode.",
     VRF_ITSELF},
    {"R-MEM-10", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Where reads need it, memory that a read writes to was registered with the "
     "read-sink flag.",
     "Set NDK_MR_FLAG_RDMA_READ_SINK (or its fast-register form) unless the adapter says"
     " that it is not required.",
     VRF_ITSELF},
    {"R-MEM-11", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The read-sink flag makes no request fail where it is not required.",
     "Accept the flag and treat it as local write.", VRF_ITSELF},
    {"R-MEM-12", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Deregister is called on an MR that is registered.",
     "Track the state of your MRs; deregister once, after the registration has "
     "completed.",
     VRF_ITSELF},
    {"R-MEM-13", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Initialising for more pages than supported fails with STATUS_IMPLEMENTATION_LIMIT.",
     "Compare with FRMRPageCount first.", VRF_ITSELF},
    {"R-MEM-14", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Several initialisations may run at once or one after another.",
     "Keep the state of an initialisation in its MR and nowhere else.", VRF_ITSELF},
    {"R-MEM-15", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A fast-register that grants remote access on an MR initialised without it fails "
     "with STATUS_ACCESS_VIOLATION.",
     "Keep RemoteAccess with the MR and compare it in the post.", VRF_ITSELF},
    {"R-MEM-16", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A fast-register has no more pages than its MR was initialised for.",
     "Initialise for the largest buffer, and split longer ones over several MRs.", VRF_ITSELF},
    {"R-MEM-17", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Fast-register arguments fit: aligned pages, a length within them, a base address "
     "whose page offset is FBO, and zero only if FBO is.",
     "Take pages and FBO from NdkBuildLam as they are, and use the buffer's virtual "
     "address as base.",
     VRF_ITSELF},
    {"R-MEM-18", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The pages of a fast-register need not lie side by side, yet remote offsets run "
     "through them as one piece.",
     "Give the device the page list; do not merge or sort it.", VRF_ITSELF},
    {"R-MEM-19", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The remote token can be asked for as soon as the fast-register call has returned.",
     "Fix the token before or within the post.", VRF_ITSELF},
    {"R-MEM-20", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Any connected peer with the token may use a fast-registered MR, within the rights "
     "granted.",
     "Attach the token to the PD, not to one QP.", VRF_ITSELF},
    {"R-MEM-21", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Invalidate is for fast-registered MRs and bound MWs, never for plainly registered "
     "MRs.",
     "End a plain registration with NdkDeregisterMr, and a bind with one invalidate, yours "
     "or the peer's.",
     VRF_ITSELF},
    {"R-MEM-22", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "After an invalidate has completed the token gives no access.",
     "Complete the request when the device has dropped the key.", VRF_ITSELF},
    {"R-MEM-23", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A bind needs an address range inside the MR and rights that the MR has, else "
     "STATUS_ACCESS_VIOLATION.",
     "Check range and rights against the MR; remote write needs an MR with local write.",
     VRF_ITSELF},
    {"R-MEM-24", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A window's remote token can be asked for as soon as bind has returned.",
     "Choose the token within the post.", VRF_ITSELF},
    {"R-MEM-25", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The address given to bind is a number inside the MR, and nothing is read or "
     "written through it.",
     "Use it as an offset from the MR's base.", VRF_ITSELF},
    {"R-MEM-26", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Windows and registrations are no longer than the adapter's limits.",
     "Compare with MaxWindowSize and MaxRegistrationSize, and split what is longer.", VRF_ITSELF},
    {"R-MEM-27", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "The privileged token opens local memory by logical addresses, and nothing to a "
     "peer.",
     "Give its key no remote rights in the device.", VRF_ITSELF},
    {"R-MEM-28", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "An SGE with the privileged token has a logical address; with another token an "
     "address inside that token's region.",
     "Fill SGEs from one description of the buffer that knows which of the two it is.", VRF_ITSELF},
    {"R-MEM-29", VRF_CONSUMER, VRF_PERMISSION, SIM_SEVERITY_ERROR,
     "A mapping may need several SGEs, since its pages need not lie side by side.",
     "Build SGEs page by page from the mapping, and join only neighbours.", VRF_ITSELF},
    {"R-MEM-30", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A mapping lists aligned pages of PAGE_SIZE in the order of the buffer, and the "
     "offset of its first byte.",
     "Fill the list from the page frames in order, and store the MDL's byte offset.", VRF_ITSELF},
    {"R-MEM-31", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Mapping into a buffer too small returns STATUS_BUFFER_TOO_SMALL and the size "
     "needed; on success the size used is stored.",
     "Compute the size from the number of pages first.", VRF_ITSELF},
    {"R-MEM-32", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "A mapping that fails leaves nothing mapped.", "Undo page by page on the error path.",
     VRF_ITSELF},
    {"R-MEM-33", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "The AdapterContext of a mapping is the provider's: the consumer leaves it alone.",
     "Hand the mapping back as it came; keep your own data beside it.", VRF_ITSELF},
    {"R-MEM-34", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "A mapping is released after the last request that uses it has completed.",
     "Count requests per mapping, and release with the last result.", VRF_ITSELF},
    {"R-MEM-35", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Releasing a mapping leaves the MDL as it was when it came.",
     "Do not write to the consumer's MDL; keep notes of your own.", VRF_ITSELF},
    {"R-MEM-36", VRF_CONSUMER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Local buffers without a region, and the pages of a fast-register, are given by "
     "logical addresses from a mapping, not by physical ones.",
     "Call NdkBuildLam instead of MmGetPhysicalAddress.", VRF_ITSELF},
    {"R-MEM-37", VRF_PROVIDER, VRF_WATCHED, SIM_SEVERITY_ERROR,
     "Fast registration is supported for at least 16 pages, and the adapter's info says "
     "for how many.",
     "Report the device's real limit in FRMRPageCount, 16 or more.", VRF_ITSELF},
    {"R-MEM-38", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Where in-order DMA is advertised, no byte of a buffer arrives before an earlier "
     "one.",
     "Advertise it only if bus and device keep the order of writes.", VRF_ITSELF},
    {"R-MEM-39", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "SGEs with the privileged token take read data only where the read-sink flag is not"
     " required.",
     "Refuse such reads at execution with an access error on adapters that need the "
     "flag.",
     VRF_ITSELF},
    {"R-MEM-40", VRF_PROVIDER, VRF_TESTED, SIM_SEVERITY_ERROR,
     "Every access through a token is checked for range and right, and a remote "
     "violation touches no memory.",
     "Let the device check before its first write of a packet.", VRF_ITSELF},
};

const struct vrf_rule_area vrf_rules_mem = {"R-MEM", "Memory: regions, windows, mappings, tokens",
                                            rows, SIM_ARRAY_COUNT(rows)};
