/* SPDX-License-Identifier: Apache-2.0 */
/* R-ADPT: what adapters say of themselves, and features by version. */
#include <stddef.h>
#include <string.h>

#include "watch.h"

static NDK_VERSION version_of(const struct vrf_shadow *shadow) {
    const struct vrf_adapter_part *adapter = &shadow->adapter->part.adapter;

    return (NDK_VERSION){adapter->version_major, adapter->version_minor};
}

static bool is_older(NDK_VERSION version, uint16_t major, uint16_t minor) {
    return version.Major < major || (version.Major == major && version.Minor < minor);
}

/* ---- R-ADPT-14 ---- */

static void too_new(struct vrf_call *call, const char *what, uint16_t major, uint16_t minor) {
    NDK_VERSION version = version_of(call->shadow);
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(!is_older(version, major, minor)) ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_ADPT_14, call->shadow)) {
        return;
    }
    sim_finding_say(&finding,
                    "%s of %s uses %s, which comes with NDK %u.%u; this adapter has %u.%u",
                    vrf_functions[call->function].name, vrf_name(call->shadow, name, sizeof(name)),
                    what, major, minor, version.Major, version.Minor);
    vrf_find_here(call->verifier, &finding, "called");
}

static void look_slot_12(struct vrf_call *call) {
    too_new(call, "the function", 1, 2);
}

static void look_slot_21(struct vrf_call *call) {
    too_new(call, "the function", 2, 1);
}

static void look_at_flags(struct vrf_call *call, ULONG flags) {
    if ((flags & NDK_OP_FLAG_DEFER) != 0) {
        too_new(call, "NDK_OP_FLAG_DEFER", 1, 2);
    } else if ((flags & NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE) != 0) {
        too_new(call, "NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE", 1, 2);
    }
}

static void look_post(struct vrf_call *call) {
    look_at_flags(call, call->args.post.flags);
}

static void look_bind(struct vrf_call *call) {
    look_at_flags(call, call->args.bind.flags);
}

static void look_fast_register(struct vrf_call *call) {
    look_at_flags(call, call->args.fast_register.flags);
}

static void look_invalidate(struct vrf_call *call) {
    look_at_flags(call, call->args.invalidate.flags);
}

/* ---- R-ADPT-12 ---- */

/* What came with 1.2 is not told to 1.1. */
static bool is_left_out(NDK_VERSION version, const NDK_ADAPTER_INFO *info,
                        const NDK_ADAPTER_INFO *told, size_t at) {
    ULONG flags = NDK_ADAPTER_FLAG_RDMA_READ_LOCAL_INVALIDATE_SUPPORTED;

    return is_older(version, 1, 2) && (at == offsetof(NDK_ADAPTER_INFO, RdmaTechnology) ||
                                       (at == offsetof(NDK_ADAPTER_INFO, AdapterFlags) &&
                                        info->AdapterFlags == (told->AdapterFlags & ~flags)));
}

/* The name of the first member that differs, NULL: none does. Not byte for byte: there are gaps. */
static const char *info_differs(NDK_VERSION version, const NDK_ADAPTER_INFO *info,
                                const NDK_ADAPTER_INFO *told) {
#define MEMBER(name)                                                                               \
    { #name, offsetof(NDK_ADAPTER_INFO, name), sizeof(info->name) }
    static const struct {
        const char *name;
        size_t at;
        size_t size;
    } members[] = {
        MEMBER(VendorId),
        MEMBER(DeviceId),
        MEMBER(MaxRegistrationSize),
        MEMBER(MaxWindowSize),
        MEMBER(FRMRPageCount),
        MEMBER(MaxInitiatorRequestSge),
        MEMBER(MaxReceiveRequestSge),
        MEMBER(MaxReadRequestSge),
        MEMBER(MaxTransferLength),
        MEMBER(MaxInlineDataSize),
        MEMBER(MaxInboundReadLimit),
        MEMBER(MaxOutboundReadLimit),
        MEMBER(MaxReceiveQueueDepth),
        MEMBER(MaxInitiatorQueueDepth),
        MEMBER(MaxSrqDepth),
        MEMBER(MaxCqDepth),
        MEMBER(LargeRequestThreshold),
        MEMBER(MaxCallerData),
        MEMBER(MaxCalleeData),
        MEMBER(AdapterFlags),
        MEMBER(RdmaTechnology),
    };
#undef MEMBER

    for (size_t i = 0; i < SIM_ARRAY_COUNT(members); i++) {
        if (memcmp((const char *)info + members[i].at, (const char *)told + members[i].at,
                   members[i].size) != 0 &&
            !is_left_out(version, info, told, members[i].at)) {
            return members[i].name;
        }
    }
    return NULL;
}

static void look_info(struct vrf_call *call) {
    const NDK_ADAPTER_INFO *told = vrf_adapter_info(call->shadow);
    const NDK_ADAPTER_INFO *info = call->args.query.info;
    NDK_VERSION version = version_of(call->shadow);
    struct sim_finding finding;
    const char *member;
    char name[SIM_NAME_BYTES];

    if (call->result != (uint64_t)STATUS_SUCCESS || told == NULL || info == NULL) {
        return;
    }
    member = info_differs(version, info, told);
    if (info->Version.Major != version.Major || info->Version.Minor != version.Minor) {
        member = "Version";
    }
    if (member == NULL ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_ADPT_12, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s of the info of %s is not what %s", member,
                    vrf_name(call->shadow, name, sizeof(name)),
                    strcmp(member, "Version") == 0 ? "its header says" : "NDIS was told");
    vrf_find_here(call->verifier, &finding, "returned");
}

/* ---- R-ADPT-15 ---- */

static void look_extension(struct vrf_call *call) {
    const struct vrf_query_args *query = &call->args.query;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(call->result != (uint64_t)STATUS_SUCCESS) || query->extension == NULL ||
        (query->extension->Dispatch != NULL &&
         query->extension->Dispatch != query->dispatch_before) ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_ADPT_15, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "query_extension of %s succeeded and gave no dispatch",
                    vrf_name(call->shadow, name, sizeof(name)));
    vrf_find_here(call->verifier, &finding, "returned");
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_SEND, look_post, NULL},
    {VRF_FN_READ, look_post, NULL},
    {VRF_FN_WRITE, look_post, NULL},
    {VRF_FN_BIND, look_bind, NULL},
    {VRF_FN_FAST_REGISTER, look_fast_register, NULL},
    {VRF_FN_INVALIDATE, look_invalidate, NULL},
    {VRF_FN_SEND_AND_INVALIDATE, look_slot_12, NULL},
    {VRF_FN_GET_CQ_RESULTS_EX, look_slot_12, NULL},
    {VRF_FN_ACCEPT_EX, look_slot_21, NULL},
    {VRF_FN_COMPLETE_CONNECT_EX, look_slot_21, NULL},
    {VRF_FN_QUERY_ADAPTER_INFO, NULL, look_info},
    {VRF_FN_QUERY_EXTENSION, NULL, look_extension},
};

const struct vrf_watcher vrf_watch_adpt = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
};
