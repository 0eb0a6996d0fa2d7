/* SPDX-License-Identifier: Apache-2.0 */
/* R-CONN: what consumers ask of connectors, and accepts that succeed too early. */
#include "connection.h"
#include "establish.h"
#include "excuse.h"
#include "watch.h"

/* A connect that has succeeded waits so long at most before it counts as forgotten. */
#define FORGOTTEN_NS UINT64_C(1000000000)

struct qp_note {
    uint64_t ended_ns;
};

static const char connector_key;
static const char qp_key;

struct vrf_connection *vrf_connection_of(struct vrf_world *verifier, struct vrf_shadow *connector) {
    return vrf_note(verifier, &connector->notes, &connector_key, sizeof(struct vrf_connection));
}

static struct qp_note *note_of_qp(struct vrf_world *verifier, struct vrf_shadow *qp) {
    return vrf_note(verifier, &qp->notes, &qp_key, sizeof(struct qp_note));
}

uint64_t vrf_qp_ended_ns(const struct vrf_shadow *qp) {
    for (const struct vrf_note *note = qp->notes; note != NULL; note = note->next) {
        if (note->key == &qp_key) {
            return ((const struct qp_note *)(const void *)note->data)->ended_ns;
        }
    }
    return 0;
}

static struct vrf_connection *of_call(struct vrf_call *call) {
    return vrf_connection_of(call->verifier, call->shadow);
}

/* ---- R-CONN-21, 26, 28, 36: the consumer's calls ---- */

static void judge_length(struct vrf_call *call) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(call->shadow);
    bool is_connect =
        call->function == VRF_FN_CONNECT || call->function == VRF_FN_CONNECT_WITH_SHARED_ENDPOINT;
    ULONG length = call->args.connect.data_length;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    ULONG limit;

    if (info == NULL) {
        return;
    }
    limit = is_connect ? info->MaxCallerData : info->MaxCalleeData;
    if (length <= limit ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_CONN_21, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s of %s has %u bytes of private data, and %s is %u",
                    vrf_functions[call->function].name, vrf_name(call->shadow, name, sizeof(name)),
                    (unsigned)length, is_connect ? "MaxCallerData" : "MaxCalleeData",
                    (unsigned)limit);
    vrf_find_here(call->verifier, &finding, "called");
}

static void judge_again(struct vrf_call *call, struct vrf_shadow *used, uint64_t ended_ns) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    char used_name[SIM_NAME_BYTES];
    char time[32];

    if (ended_ns == 0 || !vrf_find_begin_by(call->verifier, &finding, VRF_RULE_CONN_36,
                                            call->shadow, VRF_CONSUMER)) {
        return;
    }
    sim_finding_say(&finding, "%s of %s uses %s, whose connection was disconnected at %s",
                    vrf_functions[call->function].name, vrf_name(call->shadow, name, sizeof(name)),
                    vrf_name(used, used_name, sizeof(used_name)),
                    vrf_time_text(ended_ns, time, sizeof(time)));
    sim_finding_object(&finding, &used->object);
    vrf_find_here(call->verifier, &finding, "called");
}

static void judge_start(struct vrf_call *call) {
    struct vrf_shadow *qp = call->args.connect.qp;

    judge_length(call);
    judge_again(call, call->shadow, of_call(call)->ended_ns);
    if (qp != NULL) {
        judge_again(call, qp, vrf_qp_ended_ns(qp));
        of_call(call)->qp = qp;
    }
}

static void before_accept(struct vrf_call *call) {
    struct vrf_connection *connection = of_call(call);

    judge_start(call);
    connection->answered_ns = sim_now_ns(call->verifier->world);
    connection->has_routine = call->args.connect.has_routine;
}

static void before_complete(struct vrf_call *call) {
    struct vrf_connection *connection = of_call(call);

    connection->has_routine = call->args.connect.has_routine;
    if (connection->connected_ns != 0) {
        connection->completed_ns = sim_now_ns(call->verifier->world);
        connection->answered_ns = connection->completed_ns;
        connection->connected_ns = 0;
    }
}

static void before_reject(struct vrf_call *call) {
    judge_length(call);
    of_call(call)->connected_ns = 0;
}

static void before_close(struct vrf_call *call) {
    of_call(call)->connected_ns = 0;
}

static void before_disconnect(struct vrf_call *call) {
    struct vrf_connection *connection = of_call(call);

    if (connection->disconnect_ns == 0) {
        connection->disconnect_ns = sim_now_ns(call->verifier->world);
    }
}

static void before_data(struct vrf_call *call) {
    const struct vrf_connection_data_args *args = &call->args.connection_data;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (args->data == NULL && args->data_length != NULL && *args->data_length != 0 &&
        vrf_find_begin(call->verifier, &finding, VRF_RULE_CONN_28, call->shadow)) {
        sim_finding_say(&finding, "get_connection_data of %s has no buffer and a length of %u",
                        vrf_name(call->shadow, name, sizeof(name)), (unsigned)*args->data_length);
        vrf_find_here(call->verifier, &finding, "called");
    }
    if (of_call(call)->answered_ns != 0 &&
        vrf_find_begin(call->verifier, &finding, VRF_RULE_CONN_26, call->shadow)) {
        sim_finding_say(&finding, "get_connection_data of %s comes after its accept or completion",
                        vrf_name(call->shadow, name, sizeof(name)));
        vrf_find_here(call->verifier, &finding, "called");
    }
}

/* ---- R-CONN-15: who has completed? ---- */

static bool leads_to(const struct vrf_shadow *active, const struct vrf_shadow *listener) {
    return active->type == NdkObjectTypeConnector && !active->part.connector.is_offered &&
           vrf_address_reaches(active->part.connector.address, listener->part.listener.address);
}

static struct vrf_shadow *listener_of(const struct vrf_shadow *passive) {
    struct vrf_shadow *listener = passive->relied[0];

    return listener != NULL && listener->type == NdkObjectTypeListener ? listener : NULL;
}

struct search {
    struct vrf_shadow *partner; /* the last one that has completed and has no partner yet */
    bool has_active;
    bool has_completed;
};

static void search_partner(struct vrf_world *verifier, struct vrf_shadow *passive,
                           struct search *search) {
    const struct vrf_shadow *listener = listener_of(passive);
    uint64_t since_ns = passive->part.connector.accept_called_ns;
    uint64_t latest_ns = 0;

    for (struct vrf_shadow *active = verifier->shadow_first; active != NULL && listener != NULL;
         active = active->next) {
        struct vrf_connection *other;

        if (!leads_to(active, listener)) {
            continue;
        }
        other = vrf_connection_of(verifier, active);
        search->has_active = true;
        if (other->completed_ns == 0 || other->completed_ns < since_ns) {
            continue;
        }
        search->has_completed = true;
        if (other->partner == NULL && other->completed_ns >= latest_ns) {
            latest_ns = other->completed_ns;
            search->partner = active;
        }
    }
}

static void judge_accepted(struct vrf_world *verifier, struct vrf_request *request) {
    struct search search = {0};
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    search_partner(verifier, request->shadow, &search);
    if (search.partner != NULL) {
        vrf_connection_of(verifier, request->shadow)->partner = search.partner;
        vrf_connection_of(verifier, search.partner)->partner = request->shadow;
    }
    if (!search.has_active || search.has_completed ||
        !vrf_find_begin(verifier, &finding, VRF_RULE_CONN_15, request->shadow)) {
        return;
    }
    sim_finding_say(&finding,
                    "%s succeeded, but nobody who connects there has completed since it was "
                    "asked for",
                    vrf_request_text(request, text, sizeof(text)));
    vrf_find_site(verifier, &finding, "accepted", &request->site);
    vrf_find_here(verifier, &finding, "now");
}

/* ---- R-CONN-10: an accept that timed out, and who has forgotten to complete ---- */

static void judge_timed_out(struct vrf_world *verifier, const struct vrf_request *request) {
    const struct vrf_shadow *listener = listener_of(request->shadow);
    uint64_t now_ns = sim_now_ns(verifier->world);
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    char time[32];

    for (struct vrf_shadow *active = verifier->shadow_first; active != NULL && listener != NULL;
         active = active->next) {
        uint64_t connected_ns =
            leads_to(active, listener) ? vrf_connection_of(verifier, active)->connected_ns : 0;

        if (connected_ns == 0 || active->phase != VRF_OPEN ||
            connected_ns + FORGOTTEN_NS > now_ns ||
            !vrf_find_begin(verifier, &finding, VRF_RULE_CONN_10, active)) {
            continue;
        }
        (void)vrf_excuse_lost(verifier, &finding);
        sim_finding_say(&finding,
                        "%s has connected at %s and was neither completed nor rejected nor "
                        "closed until the peer's accept timed out",
                        vrf_name(active, name, sizeof(name)),
                        vrf_time_text(connected_ns, time, sizeof(time)));
        sim_finding_object(&finding, &request->shadow->object);
        vrf_find_here(verifier, &finding, "now");
        return;
    }
}

/* ---- Ends of requests ---- */

static void ended(struct vrf_world *verifier, struct vrf_shadow *connector) {
    struct vrf_connection *connection = vrf_connection_of(verifier, connector);

    connection->ended_ns = sim_now_ns(verifier->world);
    if (connection->qp != NULL) {
        note_of_qp(verifier, connection->qp)->ended_ns = connection->ended_ns;
    }
}

static void settle(struct vrf_world *verifier, struct vrf_request *request, NTSTATUS status) {
    struct vrf_connection *connection = vrf_connection_of(verifier, request->shadow);
    uint64_t now_ns = sim_now_ns(verifier->world);

    switch (request->function) {
    case VRF_FN_CONNECT:
    case VRF_FN_CONNECT_WITH_SHARED_ENDPOINT:
        connection->connected_ns = status == STATUS_SUCCESS ? now_ns : 0;
        return;
    case VRF_FN_COMPLETE_CONNECT:
    case VRF_FN_COMPLETE_CONNECT_EX:
        connection->established_ns = status == STATUS_SUCCESS ? now_ns : connection->established_ns;
        return;
    case VRF_FN_ACCEPT:
    case VRF_FN_ACCEPT_EX:
        if (status == STATUS_SUCCESS) {
            connection->established_ns = now_ns;
            judge_accepted(verifier, request);
        } else if (status == STATUS_IO_TIMEOUT) {
            judge_timed_out(verifier, request);
        }
        return;
    case VRF_FN_DISCONNECT:
        /* There was nothing to disconnect. */
        connection->is_answered = connection->is_answered || status == STATUS_SUCCESS;
        if (status != STATUS_CONNECTION_INVALID) {
            ended(verifier, request->shadow);
        } else if (connection->ended_ns == 0) {
            connection->disconnect_ns = 0;
        }
        return;
    default:
        return;
    }
}

static void after(struct vrf_call *call) {
    if (call->request != NULL && call->result != (uint32_t)STATUS_PENDING) {
        settle(call->verifier, call->request, (NTSTATUS)(uint32_t)call->result);
    }
}

static void answer(struct vrf_world *verifier, struct vrf_request *request, const void *object) {
    (void)object;
    if (request->shadow->type == NdkObjectTypeConnector) {
        settle(verifier, request, request->status);
    }
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_CONNECT, judge_start, after},
    {VRF_FN_CONNECT_WITH_SHARED_ENDPOINT, judge_start, after},
    {VRF_FN_COMPLETE_CONNECT, before_complete, after},
    {VRF_FN_COMPLETE_CONNECT_EX, before_complete, after},
    {VRF_FN_ACCEPT, before_accept, after},
    {VRF_FN_ACCEPT_EX, before_accept, after},
    {VRF_FN_REJECT, before_reject, NULL},
    {VRF_FN_DISCONNECT, before_disconnect, after},
    {VRF_FN_GET_CONNECTION_DATA, before_data, NULL},
    {VRF_FN_CLOSE_CONNECTOR, before_close, NULL},
};

const struct vrf_watcher vrf_watch_conn = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .answer = answer,
};
