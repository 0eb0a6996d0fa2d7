/* SPDX-License-Identifier: Apache-2.0 */
/* R-DISC: ends of connections, and who hears of them. */
#include "connection.h"
#include "excuse.h"
#include "lost.h"
#include "watch.h"

/* Who has heard of the end so long ago has forgotten it. */
#define FORGOTTEN_NS UINT64_C(10000000000)
/* An event may be on its way while the consumer disconnects (R-DISC-08), and waits for its DPC. */
#define CROSSING_NS UINT64_C(1000000000)

/* ---- R-DISC-07, R-DISC-09: events ---- */

static void say_event(struct vrf_world *verifier, struct vrf_shadow *connector,
                      enum vrf_rule_number rule, const char *what) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (!vrf_find_begin(verifier, &finding, rule, connector)) {
        return;
    }
    sim_finding_say(&finding, "the disconnect event of %s %s",
                    vrf_name(connector, name, sizeof(name)), what);
    vrf_find_here(verifier, &finding, "now");
}

/* Whether anything has happened at the other end that could be a reason. */
static bool is_untouched(struct vrf_world *verifier, struct vrf_shadow *partner) {
    const struct vrf_connection *other = vrf_connection_of(verifier, partner);

    return partner->phase == VRF_OPEN && other->disconnect_ns == 0;
}

static void look_event(struct vrf_world *verifier, const struct vrf_event *event) {
    struct vrf_connection *connection;
    uint64_t now_ns = sim_now_ns(verifier->world);

    if (event->type != VRF_TRACE_EVENT_DISCONNECT) {
        return;
    }
    connection = vrf_connection_of(verifier, event->shadow);
    connection->event_count++;
    if (connection->event_count > 1) {
        say_event(verifier, event->shadow, VRF_RULE_DISC_07, "comes a second time");
        return;
    }
    connection->event_ns = now_ns;
    if (connection->disconnect_ns != 0 && connection->disconnect_ns + CROSSING_NS < now_ns &&
        connection->partner != NULL && is_untouched(verifier, connection->partner)) {
        say_event(verifier, event->shadow, VRF_RULE_DISC_09,
                  "comes although its own consumer has disconnected, and nobody else");
    }
}

/* ---- R-DISC-13: requests under way ---- */

static void before_disconnect(struct vrf_call *call) {
    struct vrf_shadow *qp = vrf_connection_of(call->verifier, call->shadow)->qp;
    struct vrf_queue *queue = qp != NULL && qp->phase == VRF_OPEN ? qp->part.qp.initiator : NULL;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    char qp_name[SIM_NAME_BYTES];

    if (queue == NULL || queue->signalled_count == 0 ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_DISC_13, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "disconnect of %s while %u request%s of %s %s no result yet",
                    vrf_name(call->shadow, name, sizeof(name)), (unsigned)queue->signalled_count,
                    queue->signalled_count == 1 ? "" : "s", vrf_name(qp, qp_name, sizeof(qp_name)),
                    queue->signalled_count == 1 ? "has" : "have");
    sim_finding_object(&finding, &qp->object);
    vrf_find_work_site(call->verifier, &finding, "posted", queue->first);
    vrf_find_here(call->verifier, &finding, "called");
}

/* ---- R-DISC-16: who was told and did nothing ---- */

static void judge_silent(struct vrf_world *verifier, const struct vrf_request *request) {
    struct vrf_shadow *partner = vrf_connection_of(verifier, request->shadow)->partner;
    struct vrf_connection *other = partner != NULL ? vrf_connection_of(verifier, partner) : NULL;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    char time[32];

    if (other == NULL || partner->phase != VRF_OPEN || other->event_count == 0 ||
        other->disconnect_ns != 0 || other->event_ns + FORGOTTEN_NS > sim_now_ns(verifier->world) ||
        !vrf_find_begin(verifier, &finding, VRF_RULE_DISC_16, partner)) {
        return;
    }
    (void)vrf_excuse_lost(verifier, &finding);
    sim_finding_say(&finding,
                    "%s got its disconnect event at %s and was neither disconnected nor closed "
                    "until the peer's disconnect timed out",
                    vrf_name(partner, name, sizeof(name)),
                    vrf_time_text(other->event_ns, time, sizeof(time)));
    sim_finding_object(&finding, &request->shadow->object);
    vrf_find_here(verifier, &finding, "now");
}

static void answer(struct vrf_world *verifier, struct vrf_request *request, const void *object) {
    (void)object;
    if (request->function == VRF_FN_DISCONNECT && request->status == STATUS_IO_TIMEOUT) {
        judge_silent(verifier, request);
    }
}

/* ---- R-DISC-12: what came through behind the end ---- */

static void look_result(struct vrf_call *call, const struct vrf_taken *taken) {
    uint64_t ended_ns;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    char time[32];

    if (SIM_LIKELY(taken->qp == NULL || taken->qp->notes == NULL) || taken->work == NULL ||
        taken->status != STATUS_SUCCESS) {
        return;
    }
    ended_ns = vrf_qp_ended_ns(taken->qp);
    if (ended_ns == 0 || taken->work->site.time_ns <= ended_ns ||
        !vrf_find_begin_by(call->verifier, &finding, VRF_RULE_DISC_12, taken->qp, VRF_PROVIDER)) {
        return;
    }
    sim_finding_say(&finding, "%s succeeded, though the disconnect had completed at %s",
                    vrf_work_text(taken->work, text, sizeof(text)),
                    vrf_time_text(ended_ns, time, sizeof(time)));
    vrf_find_work_site(call->verifier, &finding, "posted", taken->work);
    vrf_find_here(call->verifier, &finding, "taken");
}

/* ---- R-DISC-06: who waits for an event that never came ---- */

/* Unless the peer has answered, what tells it may be among the frames that were lost since. */
static bool may_be_unheard(const struct vrf_world *verifier, const struct vrf_shadow *connector,
                           const struct vrf_connection *connection) {
    uint64_t began_ns =
        connection->disconnect_ns != 0 ? connection->disconnect_ns : connector->closed.time_ns;

    return !connection->is_answered && vrf_lost_since(verifier, began_ns);
}

/*
 * This end ended the connection itself, so that the other end heard of it. One that was told by an
 * event may have lost its adapter: then nothing left it any more, and an idle peer cannot know.
 */
static bool is_over(const struct vrf_world *verifier, const struct vrf_shadow *connector,
                    const struct vrf_connection *connection) {
    return connection->event_count == 0 &&
           (connector->phase == VRF_CLOSED || connection->ended_ns != 0) &&
           !may_be_unheard(verifier, connector, connection);
}

static bool was_not_told(struct vrf_world *verifier, struct vrf_shadow *connector) {
    const struct vrf_connection *connection = vrf_connection_of(verifier, connector);
    struct vrf_shadow *partner = connection->partner;

    return connector->phase == VRF_OPEN && connection->established_ns != 0 &&
           connection->has_routine && connection->disconnect_ns == 0 &&
           connection->event_count == 0 && partner != NULL &&
           is_over(verifier, partner, vrf_connection_of(verifier, partner));
}

static bool standstill(struct vrf_world *verifier) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    char partner_name[SIM_NAME_BYTES];

    for (struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        struct vrf_shadow *partner;

        if (shadow->type != NdkObjectTypeConnector || !was_not_told(verifier, shadow) ||
            !vrf_find_begin(verifier, &finding, VRF_RULE_DISC_06, shadow)) {
            continue;
        }
        partner = vrf_connection_of(verifier, shadow)->partner;
        sim_finding_say(&finding, "the connection of %s ended at %s, and its event never came",
                        vrf_name(shadow, name, sizeof(name)),
                        vrf_name(partner, partner_name, sizeof(partner_name)));
        sim_finding_object(&finding, &partner->object);
        if (vrf_find(verifier, &finding)) {
            return true;
        }
    }
    return false;
}

static const struct vrf_call_watch calls[] = {{VRF_FN_DISCONNECT, before_disconnect, NULL}};

const struct vrf_watcher vrf_watch_disc = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .answer = answer,
    .event = look_event,
    .result = look_result,
    .standstill = standstill,
};
