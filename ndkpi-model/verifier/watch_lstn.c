/* SPDX-License-Identifier: Apache-2.0 */
/* R-LSTN: what a listener must have, what its events bring, and what its close waits for. */
#include "watch.h"

/* R-LSTN-01 */
static void look_create(struct vrf_call *call) {
    struct sim_finding finding;

    if (SIM_LIKELY(call->args.connect.has_routine) ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_LSTN_01, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "a listener is created without a connect event routine");
    vrf_find_here(call->verifier, &finding, "called");
}

/* Of a live one: a close that is still inside its call may be over already. */
static bool is_open(const struct vrf_shadow *shadow) {
    return shadow->closing == NULL || !shadow->closing->is_in_call;
}

/* R-LSTN-04 */
static void look_event(struct vrf_world *verifier, const struct vrf_event *event) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES], text[SIM_NAME_BYTES];

    if (SIM_LIKELY(event->type != VRF_TRACE_EVENT_CONNECT) || event->born == NULL) {
        return;
    }
    for (struct vrf_shadow *other = verifier->live_first; other != NULL; other = other->live_next) {
        if (SIM_LIKELY(other == event->born || other->pointer != event->born->pointer) ||
            !is_open(other) ||
            !vrf_find_begin(verifier, &finding, VRF_RULE_LSTN_04, event->shadow)) {
            continue;
        }
        sim_finding_say(&finding, "a connect event of %s brings %s, which is open already",
                        vrf_name(event->shadow, name, sizeof(name)),
                        vrf_name(other, text, sizeof(text)));
        sim_finding_object(&finding, vrf_subject(other));
        vrf_find_site(verifier, &finding, "made", &other->made);
        vrf_find_here(verifier, &finding, "now");
        return;
    }
}

static bool holds(const struct vrf_shadow *connector, const struct vrf_shadow *listener) {
    return connector->type == NdkObjectTypeConnector && connector->part.connector.is_offered &&
           is_open(connector) && vrf_shadow_relies_on(connector, listener);
}

/* R-LSTN-08, R-LSTN-09 */
static void find_connector(struct vrf_world *verifier, struct vrf_shadow *listener,
                           struct vrf_shadow *connector) {
    bool is_accepted = connector->part.connector.is_accepted;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES], text[SIM_NAME_BYTES];

    if (!vrf_find_begin(verifier, &finding, is_accepted ? VRF_RULE_LSTN_08 : VRF_RULE_LSTN_09,
                        listener)) {
        return;
    }
    sim_finding_say(&finding, "the close of %s completed while %s, which %s, is not closed",
                    vrf_name(listener, name, sizeof(name)), vrf_name(connector, text, sizeof(text)),
                    is_accepted ? "was accepted over it" : "it handed over");
    sim_finding_object(&finding, vrf_subject(connector));
    vrf_find_site(verifier, &finding, "made", &connector->made);
    vrf_find_site(verifier, &finding, "closed", &listener->closed);
    vrf_find_here(verifier, &finding, "now");
}

static void look_closed(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    if (shadow->type != NdkObjectTypeListener) {
        return;
    }
    for (struct vrf_shadow *other = verifier->live_first; other != NULL; other = other->live_next) {
        if (holds(other, shadow)) {
            find_connector(verifier, shadow, other);
            return;
        }
    }
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_CREATE_LISTENER, look_create, NULL},
};

const struct vrf_watcher vrf_watch_lstn = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .closed = look_closed,
    .event = look_event,
};
