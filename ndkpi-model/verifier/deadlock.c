/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that only the waiter could end; see deadlock.h. */
#include "deadlock.h"

#include <stdio.h>
#include <string.h>

#include <krn/state.h>
#include <sim/event.h>

#include "establish.h"
#include "find.h"

/* An unanswered connector of `client` to whose listener `connect` goes; NULL for none. */
static struct vrf_shadow *offered_by(const struct vrf_world *verifier,
                                     const struct vrf_client *client,
                                     const struct vrf_request *connect) {
    const uint8_t *destination = connect->shadow->part.connector.address;

    for (struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        const struct vrf_shadow *listener = shadow->relied[0];

        if (shadow->type == NdkObjectTypeConnector && shadow->client == client &&
            shadow->phase == VRF_OPEN && shadow->part.connector.is_unanswered && listener != NULL &&
            vrf_address_reaches(destination, listener->part.listener.address)) {
            return shadow;
        }
    }
    return NULL;
}

struct look {
    const struct krn_driver *driver;
    const struct sim_object *about;
    uint32_t connecting_id; /* the task that called connect */
    uint32_t waiting_count;
    bool connecting_waits;
    bool can_go_on;
};

static void look_at_thread(void *context, const struct krn_thread_state *thread) {
    struct look *look = context;
    bool waits = thread->object == look->about ||
                 (thread->state == SIM_TASK_WAITING && thread->deadline_ns == SIM_TIME_NEVER);

    if (thread->driver != look->driver || thread->state == SIM_TASK_DONE) {
        return;
    }
    if (!waits) {
        look->can_go_on = true;
        return;
    }
    look->waiting_count++;
    if (thread->object->id == look->connecting_id) {
        look->connecting_waits = true;
    }
}

static void look_at_pending(void *context, const struct krn_pending *pending) {
    struct look *look = context;

    /* An IRP is what the driver owes, not what moves it. */
    if (pending->driver == look->driver && pending->kind != KRN_PENDING_IRP) {
        look->can_go_on = true;
    }
}

static bool is_connect(const struct vrf_request *request) {
    return request->function == VRF_FN_CONNECT ||
           request->function == VRF_FN_CONNECT_WITH_SHARED_ENDPOINT;
}

/* A request whose completion comes without anything that `client` does, or runs already. */
static bool is_moved_by_provider(const struct vrf_world *verifier, const struct vrf_client *client,
                                 const struct vrf_request *request) {
    if (request->shadow->client != client) {
        return false;
    }
    if (request->is_in_callback) {
        return true;
    }
    return request->ending == VRF_OWED &&
           (!is_connect(request) || offered_by(verifier, client, request) == NULL);
}

static bool has_completion_to_come(const struct vrf_world *verifier,
                                   const struct vrf_client *client) {
    for (const struct vrf_request *request = verifier->request_first; request != NULL;
         request = request->next) {
        if (is_moved_by_provider(verifier, client, request)) {
            return true;
        }
    }
    return false;
}

static bool is_cycle(const struct vrf_world *verifier, const struct vrf_client *client,
                     const struct vrf_request *connect, const struct vrf_shadow *offered,
                     const struct sim_object *about) {
    struct look look = {
        .driver = client->driver,
        .about = about,
        .connecting_id = connect->site.actor_id,
    };

    /* The connect event that brought it runs, on a processor that no thread has. */
    if (offered->relied[0]->callback_count != 0) {
        return false;
    }
    krn_thread_visit(client->node, look_at_thread, &look);
    if (look.can_go_on || !look.connecting_waits || has_completion_to_come(verifier, client)) {
        return false;
    }
    krn_pending_visit(client->node, look_at_pending, &look);
    return !look.can_go_on;
}

static void find_cycle(struct vrf_world *verifier, struct vrf_client *client,
                       struct vrf_request *connect, struct vrf_shadow *offered) {
    struct sim_object *waiter = sim_object_by_id(verifier->world, connect->site.actor_id);
    struct sim_finding finding;
    char waiter_name[SIM_NAME_BYTES];
    char offered_name[SIM_NAME_BYTES];
    char text[VRF_TEXT_BYTES];

    sim_finding_init(&finding, SIM_VERDICT_STUCK, "deadlock", NULL);
    sim_object_name(waiter, waiter_name, sizeof(waiter_name));
    vrf_name(offered, offered_name, sizeof(offered_name));
    vrf_request_text(connect, text, sizeof(text));
    sim_finding_say(&finding,
                    "%s waits for the %s, which waits for the accept of %s, which nobody but %s "
                    "could call",
                    waiter_name, text, offered_name, waiter_name);
    sim_finding_detail(&finding, "cycle: %s -> %s -> accept of %s -> %s", waiter_name, text,
                       offered_name, waiter_name);
    sim_finding_detail(&finding,
                       "every thread of %s waits without a limit, no request of it is with the "
                       "provider, and no DPC, timer or work item of it is queued",
                       vrf_client_name(client));
    snprintf(finding.remedy, sizeof(finding.remedy),
             "Accept in the connect event, or hand the connector to another thread or work item, "
             "before anybody waits for the connection.");
    vrf_guilty_consumer(client, finding.guilty, sizeof(finding.guilty));
    sim_finding_object(&finding, &connect->shadow->object);
    sim_finding_object(&finding, &offered->object);
    sim_finding_object(&finding, &offered->relied[0]->object);
    sim_finding_object(&finding, waiter);
    vrf_find_site(verifier, &finding, "waits", &connect->site);
    vrf_find_here(verifier, &finding, "now");
}

/* A step of the scenario is still to come, and might make somebody accept. */
static bool is_step(void *context, const struct sim_event *event) {
    (void)context;
    return strcmp(event->label, "scenario.step") == 0;
}

void vrf_deadlock_check(struct vrf_world *verifier, struct vrf_client *client,
                        const struct sim_object *about) {
    if (client->unanswered_count == 0 || client->connecting_count == 0) {
        return;
    }
    for (struct vrf_request *request = verifier->request_first; request != NULL;
         request = request->next) {
        struct vrf_shadow *offered;

        if (!is_connect(request) || request->ending != VRF_OWED || request->is_in_call ||
            request->shadow->client != client) {
            continue;
        }
        offered = offered_by(verifier, client, request);
        if (offered != NULL && is_cycle(verifier, client, request, offered, about) &&
            !sim_event_any(verifier->world, is_step, NULL)) {
            find_cycle(verifier, client, request, offered);
            return;
        }
    }
}

static void on_wait(struct sim_world *world, struct sim_watch *watch,
                    const struct sim_record *record) {
    struct vrf_world *verifier = SIM_CONTAINER_OF(watch, struct vrf_world, wait_watch);
    bool has_deadline = record->value[1] != 0;

    if (!verifier->is_judging || has_deadline) {
        return;
    }
    for (struct vrf_client *client = verifier->clients; client != NULL; client = client->next) {
        vrf_deadlock_check(verifier, client, sim_object_by_id(world, record->actor_id));
    }
}

void vrf_deadlock_watch(struct vrf_world *verifier) {
    uint16_t type;

    if (sim_trace_type_find(verifier->world, "wait.begin", &type)) {
        verifier->wait_watch.type = type;
        verifier->wait_watch.seen = on_wait;
        sim_watch_add(verifier->world, &verifier->wait_watch);
    }
}
