/* SPDX-License-Identifier: Apache-2.0 */
/* R-CMPL: what functions and completions may bring. */
#include "watch.h"

/* R-CMPL-09: a function without a completion cannot pend. */
static void look_after(struct vrf_call *call) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(call->result != (uint32_t)STATUS_PENDING) ||
        call->function < VRF_FN_PENDING_COUNT ||
        vrf_functions[call->function].kind == VRF_KIND_POLL ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_CMPL_09, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s of %s returned STATUS_PENDING, but no completion can follow",
                    vrf_functions[call->function].name, vrf_name(call->shadow, name, sizeof(name)));
    vrf_find_here(call->verifier, &finding, "returned");
}

/* R-CMPL-12 */
static void look_answer(struct vrf_world *verifier, struct vrf_request *request,
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

static const struct vrf_call_watch calls[] = {{VRF_FN_ANY, NULL, look_after}};

const struct vrf_watcher vrf_watch_cmpl = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .answer = look_answer,
};
