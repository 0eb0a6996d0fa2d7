/* SPDX-License-Identifier: Apache-2.0 */
/* R-CMPL: what functions and completions may bring. */
#include "watch.h"

#define LIST_MAX 10u

/* What any function may answer: shortages, mixed-up arguments, objects and devices on their way
 * out. */
static const NTSTATUS common[] = {
    STATUS_SUCCESS,
    STATUS_PENDING,
    STATUS_INSUFFICIENT_RESOURCES,
    STATUS_INVALID_PARAMETER,
    STATUS_INVALID_DEVICE_STATE,
    STATUS_INVALID_DEVICE_REQUEST,
    STATUS_NOT_SUPPORTED,
    STATUS_CANCELLED,
    STATUS_INTERNAL_ERROR,
    STATUS_DEVICE_NOT_READY,
    STATUS_DEVICE_REMOVED,
};

#define POST                                                                                       \
    STATUS_CONNECTION_INVALID, STATUS_NO_MORE_ENTRIES, STATUS_DATA_OVERRUN, STATUS_BUFFER_OVERFLOW
#define LOCAL_ADDRESS STATUS_SHARING_VIOLATION, STATUS_INVALID_ADDRESS, STATUS_TOO_MANY_ADDRESSES
#define ESTABLISH STATUS_CONNECTION_ACTIVE, STATUS_INVALID_BUFFER_SIZE
#define REACH                                                                                      \
    STATUS_NETWORK_UNREACHABLE, STATUS_HOST_UNREACHABLE, STATUS_CONNECTION_REFUSED,                \
        STATUS_IO_TIMEOUT, STATUS_ADDRESS_ALREADY_EXISTS
#define ASK STATUS_BUFFER_TOO_SMALL, STATUS_CONNECTION_INVALID
#define ENDED STATUS_CONNECTION_INVALID, STATUS_CONNECTION_ABORTED, STATUS_IO_TIMEOUT

/* Beyond the common ones; 0 ends a list. */
static const NTSTATUS own[VRF_FN_COUNT][LIST_MAX] = {
    [VRF_FN_CREATE_SHARED_ENDPOINT] = {LOCAL_ADDRESS},
    [VRF_FN_BUILD_LAM] = {STATUS_BUFFER_TOO_SMALL},
    [VRF_FN_RESIZE_CQ] = {STATUS_BUFFER_OVERFLOW},
    [VRF_FN_LISTEN] = {LOCAL_ADDRESS},
    [VRF_FN_CONNECT] = {ESTABLISH, REACH, LOCAL_ADDRESS},
    [VRF_FN_CONNECT_WITH_SHARED_ENDPOINT] = {ESTABLISH, REACH}, /* R-CONN-33 */
    [VRF_FN_COMPLETE_CONNECT] = {ENDED},
    [VRF_FN_COMPLETE_CONNECT_EX] = {ENDED},
    [VRF_FN_ACCEPT] = {ESTABLISH, ENDED},
    [VRF_FN_ACCEPT_EX] = {ESTABLISH, ENDED},
    [VRF_FN_DISCONNECT] = {ENDED},
    [VRF_FN_DEREGISTER_MR] = {STATUS_DEVICE_BUSY},
    [VRF_FN_INITIALIZE_FAST_REGISTER_MR] = {STATUS_IMPLEMENTATION_LIMIT},
    [VRF_FN_MODIFY_SRQ] = {STATUS_BUFFER_OVERFLOW},
    [VRF_FN_SEND] = {POST},
    [VRF_FN_SEND_AND_INVALIDATE] = {POST},
    [VRF_FN_RECEIVE] = {STATUS_NO_MORE_ENTRIES, STATUS_DATA_OVERRUN, STATUS_BUFFER_OVERFLOW},
    [VRF_FN_BIND] = {POST, STATUS_ACCESS_VIOLATION},
    [VRF_FN_FAST_REGISTER] = {POST, STATUS_ACCESS_VIOLATION},
    [VRF_FN_INVALIDATE] = {POST},
    [VRF_FN_READ] = {POST},
    [VRF_FN_WRITE] = {POST},
    [VRF_FN_SRQ_RECEIVE] = {STATUS_NO_MORE_ENTRIES, STATUS_DATA_OVERRUN, STATUS_BUFFER_OVERFLOW},
    [VRF_FN_QUERY_ADAPTER_INFO] = {STATUS_BUFFER_TOO_SMALL},
    [VRF_FN_REJECT] = {STATUS_CONNECTION_INVALID, STATUS_CONNECTION_ABORTED,
                       STATUS_INVALID_BUFFER_SIZE},
    [VRF_FN_GET_CONNECTION_DATA] = {ASK},
    [VRF_FN_GET_LOCAL_ADDRESS] = {ASK},
    [VRF_FN_GET_PEER_ADDRESS] = {ASK},
    [VRF_FN_GET_LISTENER_ADDRESS] = {ASK},
    [VRF_FN_GET_ENDPOINT_ADDRESS] = {ASK},
    [VRF_FN_CONTROL_CQ_INTERRUPT_MODERATION] = {STATUS_INVALID_PARAMETER_MIX},
};

static bool is_of_function(enum vrf_function function, NTSTATUS status) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(common); i++) {
        if (common[i] == status) {
            return true;
        }
    }
    for (size_t i = 0; i < LIST_MAX && own[function][i] != 0; i++) {
        if (own[function][i] == status) {
            return true;
        }
    }
    return false;
}

/* R-CMPL-09: a function without a completion cannot pend. */
static void find_pending(struct vrf_call *call) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (!vrf_find_begin(call->verifier, &finding, VRF_RULE_CMPL_09, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s of %s returned STATUS_PENDING, but no completion can follow",
                    vrf_functions[call->function].name, vrf_name(call->shadow, name, sizeof(name)));
    vrf_find_here(call->verifier, &finding, "returned");
}

/* R-CMPL-06. The close's own are those of R-LIFE-19. */
static void look_after(struct vrf_call *call) {
    enum vrf_kind kind = vrf_functions[call->function].kind;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(call->result == 0) || kind == VRF_KIND_POLL || kind == VRF_KIND_CLOSE) {
        return;
    }
    if (call->result == (uint32_t)STATUS_PENDING && call->function >= VRF_FN_PENDING_COUNT) {
        find_pending(call);
        return;
    }
    if (is_of_function(call->function, (NTSTATUS)(uint32_t)call->result) ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_CMPL_06, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s of %s returned 0x%08X, which is no status of that function",
                    vrf_functions[call->function].name, vrf_name(call->shadow, name, sizeof(name)),
                    (unsigned)call->result);
    vrf_find_here(call->verifier, &finding, "returned");
}

/* R-CMPL-12 */
static void look_object(struct vrf_world *verifier, struct vrf_request *request,
                        const void *object) {
    bool is_success = request->status == STATUS_SUCCESS;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (vrf_functions[request->function].kind != VRF_KIND_CREATE ||
        is_success == (object != NULL) ||
        !vrf_find_begin(verifier, &finding, VRF_RULE_CMPL_12, request->shadow)) {
        return;
    }
    if (is_success) {
        sim_finding_say(&finding, "%s was completed with STATUS_SUCCESS and no object",
                        vrf_request_text(request, text, sizeof(text)));
    } else {
        sim_finding_say(&finding, "%s was completed with 0x%08X and an object all the same",
                        vrf_request_text(request, text, sizeof(text)), (unsigned)request->status);
    }
    vrf_find_site(verifier, &finding, "accepted", &request->site);
    vrf_find_here(verifier, &finding, "now");
}

static void look_answer(struct vrf_world *verifier, struct vrf_request *request,
                        const void *object) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    look_object(verifier, request, object);
    if ((request->status != STATUS_PENDING &&
         is_of_function((enum vrf_function)request->function, request->status)) ||
        !vrf_find_begin(verifier, &finding, VRF_RULE_CMPL_06, request->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s was completed with 0x%08X, which is no status of that function",
                    vrf_request_text(request, text, sizeof(text)), (unsigned)request->status);
    vrf_find_site(verifier, &finding, "accepted", &request->site);
    vrf_find_here(verifier, &finding, "now");
}

static const struct vrf_call_watch calls[] = {{VRF_FN_ANY, NULL, look_after}};

const struct vrf_watcher vrf_watch_cmpl = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .answer = look_answer,
};
