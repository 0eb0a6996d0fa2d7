/* SPDX-License-Identifier: Apache-2.0 */
/* R-IRQL, and the level of callbacks (R-CMPL-05). What waits at DISPATCH_LEVEL is a bugcheck. */
#include <ntddk.h>

#include <krn/state.h>

#include "watch.h"

static uint8_t level_now(void) {
    return sim_cpu_level(sim_task_cpu(sim_task_current()));
}

/* R-IRQL-01, R-IRQL-02 */
static void look_before(struct vrf_call *call) {
    bool is_query = call->function == VRF_FN_QUERY_ADAPTER_INFO;
    uint8_t level = level_now();
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(level <= (is_query ? PASSIVE_LEVEL : DISPATCH_LEVEL)) ||
        !vrf_find_begin_by(call->verifier, &finding, is_query ? VRF_RULE_IRQL_02 : VRF_RULE_IRQL_01,
                           call->shadow, VRF_CONSUMER)) {
        return;
    }
    sim_finding_say(&finding, "%s of %s was called at %s", vrf_functions[call->function].name,
                    vrf_name(call->shadow, name, sizeof(name)), krn_irql_name(level));
    vrf_find_here(call->verifier, &finding, "called");
}

/* R-CMPL-05 */
static void look_level(struct vrf_world *verifier, struct vrf_shadow *shadow, const char *what) {
    uint8_t level = level_now();
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(level <= DISPATCH_LEVEL) ||
        !vrf_find_begin_by(verifier, &finding, VRF_RULE_CMPL_05, shadow, VRF_PROVIDER)) {
        return;
    }
    sim_finding_say(&finding, "%s of %s comes at %s", what, vrf_name(shadow, name, sizeof(name)),
                    krn_irql_name(level));
    vrf_find_here(verifier, &finding, "now");
}

static void look_answer(struct vrf_world *verifier, struct vrf_request *request,
                        const void *object) {
    (void)object;
    look_level(verifier, request->shadow, "a completion");
}

static void look_event(struct vrf_world *verifier, const struct vrf_event *event) {
    look_level(verifier, event->shadow, "an event");
}

static const struct vrf_call_watch calls[] = {{VRF_FN_ANY, look_before, NULL}};

const struct vrf_watcher vrf_watch_irql = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .answer = look_answer,
    .event = look_event,
};
