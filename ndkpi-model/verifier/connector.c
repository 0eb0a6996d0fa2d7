/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of a connector's life, for reports and for deadlocks. The text is the object's
 * state; it is moved by what the consumer asks and by how that ends:
 *
 *   open -connect-> connecting -> connect done -complete-> completing -> connected
 *   offered -accept-> accepting -> connected          offered -reject-> rejected
 *   connected -disconnect-> disconnecting -> disconnected
 */
#include <vrf/verifier.h>

#include "call.h"
#include "judge.h"

struct state_texts {
    const char *called;
    const char *succeeded;
    const char *failed;
};

static const struct state_texts texts[VRF_FN_PENDING_COUNT] = {
    [VRF_FN_CONNECT] = {"connecting", "connect done", "connect failed"},
    [VRF_FN_CONNECT_WITH_SHARED_ENDPOINT] = {"connecting", "connect done", "connect failed"},
    [VRF_FN_COMPLETE_CONNECT] = {"completing", "connected", "complete failed"},
    [VRF_FN_COMPLETE_CONNECT_EX] = {"completing", "connected", "complete failed"},
    [VRF_FN_ACCEPT] = {"accepting", "connected", "accept failed"},
    [VRF_FN_ACCEPT_EX] = {"accepting", "connected", "accept failed"},
    [VRF_FN_DISCONNECT] = {"disconnecting", "disconnected", "disconnect failed"},
    [VRF_FN_LISTEN] = {"listen asked", "listening", "listen failed"},
};

static const char *const all_states[] = {
    "open",      "connecting",      "connect done", "connect failed",    "completing",
    "connected", "complete failed", "offered",      "accepting",         "accept failed",
    "rejected",  "disconnecting",   "disconnected", "disconnect failed", "peer disconnected",
};

const char *vrf_connector_state_at(size_t index) {
    return index < SIM_ARRAY_COUNT(all_states) ? all_states[index] : NULL;
}

static void say(struct vrf_shadow *shadow, const char *text) {
    if (text != NULL && shadow->phase == VRF_OPEN) {
        shadow->object.state = text;
    }
}

static bool is_connect(unsigned function) {
    return function == VRF_FN_CONNECT || function == VRF_FN_CONNECT_WITH_SHARED_ENDPOINT;
}

static bool is_accept(unsigned function) {
    return function == VRF_FN_ACCEPT || function == VRF_FN_ACCEPT_EX;
}

void vrf_connector_called(struct vrf_call *call) {
    struct vrf_shadow *shadow = call->shadow;
    struct vrf_connector_part *part = &shadow->part.connector;

    if (call->function < VRF_FN_PENDING_COUNT) {
        say(shadow, texts[call->function].called);
    }
    if (is_connect(call->function)) {
        shadow->client->connecting_count++;
    }
    if (shadow->type == NdkObjectTypeConnector && part->is_unanswered) {
        part->is_unanswered = false;
        shadow->client->unanswered_count--;
    }
    if (is_accept(call->function)) {
        part->accept_called_ns = sim_now_ns(call->verifier->world);
    }
    if (call->function == VRF_FN_REJECT) {
        say(shadow, "rejected");
    }
}

void vrf_connector_answered(struct vrf_world *verifier, struct vrf_request *request) {
    const struct state_texts *text = &texts[request->function];

    say(request->shadow, request->status == STATUS_SUCCESS ? text->succeeded : text->failed);
    if (is_connect(request->function)) {
        request->shadow->client->connecting_count--;
    }
    if (request->status != STATUS_SUCCESS) {
        return;
    }
    if (is_accept(request->function)) {
        request->shadow->part.connector.is_accepted = true;
    }
    if (verifier->is_judging) {
        vrf_judge_established(verifier, request);
    }
}
