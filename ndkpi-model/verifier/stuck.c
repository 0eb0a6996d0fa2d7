/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of movement and the end of a run: what is owed, and by whom. In the scheduler: no task
 * runs, so findings have no stack of now.
 */
#include <stdio.h>
#include <string.h>

#include <krn/state.h>
#include <sim/event.h>

#include "doors.h"
#include "find.h"
#include "judge.h"
#include "watch_call.h"

#define LIST_BYTES 640u
/* A wait of this length at a door is for ever. */
#define DOOR_PATIENCE_NS (10 * SIM_NS_PER_S)

/* ---- Who holds up whom ---- */

/* An object that keeps the close of `shadow` from completing; NULL for none. */
static struct vrf_shadow *successor_of(const struct vrf_world *verifier,
                                       const struct vrf_shadow *shadow) {
    for (struct vrf_shadow *other = verifier->shadow_first; other != NULL; other = other->next) {
        bool is_below = shadow->type == NdkObjectTypeAdapter
                            ? other->adapter == shadow && other != shadow
                            : vrf_shadow_relies_on(other, shadow);

        if (is_below && other->phase != VRF_CLOSED) {
            return other;
        }
    }
    return NULL;
}

/* The first open object that a close waits for, through closes that wait themselves. */
static struct vrf_shadow *holder_of(const struct vrf_world *verifier, struct vrf_shadow *shadow) {
    struct vrf_shadow *at = shadow;

    for (uint32_t depth = 0; depth < NdkObjectTypeMax; depth++) {
        at = successor_of(verifier, at);
        if (at == NULL || at->phase == VRF_OPEN) {
            return at;
        }
    }
    return NULL;
}

struct waits {
    const struct krn_driver *driver;
    const struct sim_object *preferred; /* NULL: the first one will do */
    struct sim_blocked blocked;
    bool found;
};

static void see_thread(void *context, const struct krn_thread_state *thread) {
    struct waits *waits = context;

    if (thread->driver != waits->driver || thread->state != SIM_TASK_WAITING) {
        return;
    }
    if (!waits->found || thread->object == waits->preferred) {
        waits->blocked =
            (struct sim_blocked){.task = thread->object, .since_ns = thread->waits_since_ns};
    }
    waits->found = true;
}

/* Whether some thread of the client waits, and which: `preferred` if it does. */
static struct waits waits_of(const struct vrf_client *client, const struct sim_object *preferred) {
    struct waits waits = {.driver = client->driver, .preferred = preferred};

    krn_thread_visit(client->node, see_thread, &waits);
    return waits;
}

/* ---- Lists for reports ---- */

struct list {
    char text[LIST_BYTES];
    size_t length;
    uint32_t left_out;
};

static void list_add(struct list *list, const char *item) {
    size_t length = strlen(item);

    if (list->length + length + 40 > sizeof(list->text)) {
        list->left_out++;
        return;
    }
    list->length += (size_t)snprintf(list->text + list->length, sizeof(list->text) - list->length,
                                     "%s%s", list->length == 0 ? "" : ", ", item);
}

static const char *list_end(struct list *list) {
    if (list->left_out != 0) {
        snprintf(list->text + list->length, sizeof(list->text) - list->length, " and %u more",
                 list->left_out);
    }
    return list->length == 0 ? "nothing" : list->text;
}

static void list_open_objects(const struct vrf_world *verifier, const struct vrf_client *client,
                              struct list *list) {
    for (struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        char item[32];

        if (shadow->client == client && shadow->phase == VRF_OPEN) {
            snprintf(item, sizeof(item), "%s[%u]", shadow->object.label, shadow->object.index);
            list_add(list, item);
        }
    }
}

/* What an owed close waits for that is none of the provider's doing; "" for nothing. */
static const char *held_text(const struct vrf_world *verifier, const struct vrf_request *request,
                             char *text, size_t size) {
    struct vrf_shadow *holder = vrf_functions[request->function].kind == VRF_KIND_CLOSE
                                    ? holder_of(verifier, request->shadow)
                                    : NULL;
    char name[SIM_NAME_BYTES];

    text[0] = '\0';
    if (holder != NULL) {
        snprintf(text, size, ", held up by %s, which is open",
                 vrf_name(holder, name, sizeof(name)));
    }
    return text;
}

static void list_owed_requests(struct vrf_world *verifier, const struct vrf_shadow *adapter,
                               struct list *list) {
    for (struct vrf_request *request = verifier->request_first; request != NULL;
         request = request->next) {
        char text[VRF_TEXT_BYTES];
        char since[32];
        char held[SIM_NAME_BYTES + 40];
        char item[VRF_TEXT_BYTES + SIM_NAME_BYTES + 88];

        if (request->ending != VRF_OWED || request->shadow->adapter != adapter) {
            continue;
        }
        snprintf(item, sizeof(item), "%s since %s%s", vrf_request_text(request, text, sizeof(text)),
                 vrf_time_text(request->site.time_ns, since, sizeof(since)),
                 held_text(verifier, request, held, sizeof(held)));
        list_add(list, item);
    }
}

static void list_owed_results(struct vrf_world *verifier, const struct vrf_shadow *adapter,
                              struct list *list) {
    for (struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        const struct vrf_qp_part *qp = &shadow->part.qp;
        char name[SIM_NAME_BYTES];
        char item[SIM_NAME_BYTES + 64];

        if (shadow->type != NdkObjectTypeQp || shadow->adapter != adapter ||
            qp->initiator->signalled_count + qp->receive->count == 0) {
            continue;
        }
        snprintf(item, sizeof(item), "results of %u initiator request%s and %u receive%s of %s",
                 qp->initiator->signalled_count, qp->initiator->signalled_count == 1 ? "" : "s",
                 qp->receive->count, qp->receive->count == 1 ? "" : "s",
                 vrf_name(shadow, name, sizeof(name)));
        list_add(list, item);
    }
}

void vrf_say_owed(struct sim_world *world, struct sim_finding *finding) {
    struct vrf_world *verifier = vrf_world_of(world);

    for (struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        struct list list = {.length = 0};
        char guilty[64];

        if (shadow->type == NdkObjectTypeAdapter) {
            list_owed_requests(verifier, shadow, &list);
            list_owed_results(verifier, shadow, &list);
            vrf_guilty_provider(shadow, guilty, sizeof(guilty));
            sim_finding_detail(finding, "owed: %s: %s", guilty, list_end(&list));
        }
    }
    for (struct vrf_client *client = verifier->clients; client != NULL; client = client->next) {
        struct list list = {.length = 0};

        list_open_objects(verifier, client, &list);
        sim_finding_detail(finding, "owed: %s: %s%s", vrf_client_name(client),
                           list.length == 0 ? "" : "close ", list_end(&list));
    }
}

bool vrf_only_receives_owed(struct sim_world *world) {
    struct vrf_world *verifier = vrf_world_of(world);
    bool has_receives = false;

    for (const struct vrf_request *request = verifier->request_first; request != NULL;
         request = request->next) {
        if (request->ending == VRF_OWED) {
            return false;
        }
    }
    for (const struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        const struct vrf_qp_part *qp = &shadow->part.qp;

        if (shadow->type == NdkObjectTypeQp && shadow->phase != VRF_CLOSED) {
            if (qp->initiator->signalled_count != 0) {
                return false;
            }
            has_receives = has_receives || qp->receive->count != 0;
        }
    }
    return has_receives;
}

/* ---- Findings: true for an error; a warning lets the next one look ---- */

/* The close that waits for `shadow`, last: who waits, and the call. */
static void add_close(struct vrf_world *verifier, struct sim_finding *finding,
                      struct vrf_shadow *shadow, struct vrf_shadow *closing) {
    struct sim_site called;
    struct waits waits;
    char first[SIM_NAME_BYTES];
    char then[SIM_NAME_BYTES];

    sim_site_expand(verifier->world, &closing->closed, "called", &called);
    waits = waits_of(closing->client, called.actor);
    if (waits.found) {
        struct sim_site *site = &finding->sites[finding->site_count];

        sim_site_of_blocked(site, "waits", &waits.blocked);
        krn_site_begin_with_driver(verifier->world, site);
        finding->site_count += site->frame_count != 0;
    }
    vrf_find_site(verifier, finding, "called", &closing->closed);
    sim_finding_object(finding, vrf_subject(closing));
    snprintf(finding->remedy, sizeof(finding->remedy),
             "Close what uses an object before the object, each after the completion of the one "
             "before: %.48s before %.48s.",
             vrf_name(shadow, first, sizeof(first)), vrf_name(closing, then, sizeof(then)));
}

/* `closing`: whose close waits for it; NULL for none. */
static bool find_left_open(struct vrf_world *verifier, struct vrf_shadow *shadow,
                           struct vrf_shadow *closing, const char *format) {
    struct sim_finding finding;
    struct list list = {.length = 0};
    char name[SIM_NAME_BYTES];

    if (!vrf_find_begin(verifier, &finding, VRF_RULE_OWN_08, shadow)) {
        return false;
    }
    list_open_objects(verifier, shadow->client, &list);
    snprintf(finding.sentence, sizeof(finding.sentence), "%s %s",
             vrf_name(shadow, name, sizeof(name)), format);
    sim_finding_detail(&finding, "open: %s", list_end(&list));
    vrf_find_site(verifier, &finding, "made", &shadow->made);
    if (closing != NULL) {
        add_close(verifier, &finding, shadow, closing);
    }
    vrf_say_owed(verifier->world, &finding);
    return vrf_find(verifier, &finding);
}

static bool find_never_answered(struct vrf_world *verifier, struct vrf_request *request,
                                const char *when) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    char age[32];

    if (!vrf_find_begin(verifier, &finding, VRF_RULE_OWN_09, request->shadow)) {
        return false;
    }
    sim_finding_say(
        &finding, "%s was never completed; %s after %s",
        vrf_request_text(request, text, sizeof(text)), when,
        vrf_time_text(sim_now_ns(verifier->world) - request->site.time_ns, age, sizeof(age)));
    vrf_find_site(verifier, &finding, "accepted", &request->site);
    vrf_say_owed(verifier->world, &finding);
    return vrf_find(verifier, &finding);
}

/* A close that somebody waits for, held up by what the same driver left open. */
static bool blame_closes(struct vrf_world *verifier) {
    const struct vrf_shadow *warned = NULL;

    for (struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        struct vrf_shadow *holder;
        char sentence[200];
        char name[SIM_NAME_BYTES];

        if (shadow->phase != VRF_CLOSING ||
            (shadow->type != NdkObjectTypeAdapter && !waits_of(shadow->client, NULL).found)) {
            continue;
        }
        holder = holder_of(verifier, shadow);
        if (holder == NULL || holder == warned || holder->client != shadow->client) {
            continue;
        }
        warned = holder;
        snprintf(sentence, sizeof(sentence),
                 "is open and keeps the close of %s, which %s waits for, from completing",
                 vrf_name(shadow, name, sizeof(name)), vrf_client_name(shadow->client));
        if (find_left_open(verifier, holder, shadow, sentence)) {
            return true;
        }
    }
    return false;
}

static bool is_held_up(const struct vrf_world *verifier, const struct vrf_request *request) {
    const struct vrf_shadow *shadow = request->shadow;

    return vrf_functions[request->function].kind == VRF_KIND_CLOSE &&
           (shadow->callback_count != 0 || shadow->request_count != 0 ||
            successor_of(verifier, shadow) != NULL);
}

/* A close that waits for nothing any more, or any other request: the provider forgot it. */
static bool blame_provider(struct vrf_world *verifier, const char *when) {
    for (struct vrf_request *request = verifier->request_first; request != NULL;
         request = request->next) {
        if (request->ending == VRF_OWED && !request->is_in_call && !is_held_up(verifier, request) &&
            find_never_answered(verifier, request, when)) {
            return true;
        }
    }
    return false;
}

/* Whether peers, or what moves on a connection, may keep a provider from answering. */
static bool needs_peer(enum vrf_function function) {
    switch (function) {
    case VRF_FN_CONNECT:
    case VRF_FN_CONNECT_WITH_SHARED_ENDPOINT:
    case VRF_FN_COMPLETE_CONNECT:
    case VRF_FN_COMPLETE_CONNECT_EX:
    case VRF_FN_ACCEPT:
    case VRF_FN_ACCEPT_EX:
    case VRF_FN_DISCONNECT:
        return true;
    default:
        return false;
    }
}

/* The owed close of an object, or NULL. */
static const struct vrf_request *close_of(const struct vrf_world *verifier,
                                          const struct vrf_shadow *shadow) {
    const struct vrf_request *request = verifier->request_first;

    while (request != NULL && (request->shadow != shadow || request->ending != VRF_OWED ||
                               vrf_functions[request->function].kind != VRF_KIND_CLOSE)) {
        request = request->next;
    }
    return request;
}

/* Only the provider can be late with it, and is. A close ends what peers have not answered. */
static bool is_late(const struct vrf_world *verifier, const struct vrf_request *request,
                    uint64_t patience_ns) {
    const struct vrf_request *since = request;

    if (request->ending != VRF_OWED || request->is_in_call ||
        request->function == VRF_FN_DEREGISTER_MR || is_held_up(verifier, request)) {
        return false;
    }
    if (needs_peer((enum vrf_function)request->function)) {
        since = close_of(verifier, request->shadow);
    }
    return since != NULL && sim_now_ns(verifier->world) - since->site.time_ns >= patience_ns;
}

/* While the world still moves. Who has to close an adapter may be waiting for just that. */
static bool blame_late(struct vrf_world *verifier, uint64_t patience_ns) {
    for (struct vrf_request *request = verifier->request_first; request != NULL;
         request = request->next) {
        if (is_late(verifier, request, patience_ns) &&
            find_never_answered(verifier, request, "the time limit was reached")) {
            return true;
        }
    }
    return false;
}

static bool blame_idle(struct vrf_world *verifier) {
    return vrf_watch_standstill(verifier) || blame_closes(verifier) ||
           vrf_blame_release(verifier, 0) ||
           blame_provider(verifier, "nothing can happen any more,") ||
           vrf_blame_awaited(verifier, 0);
}

static bool blame_at_limit(struct vrf_world *verifier) {
    return blame_late(verifier, DOOR_PATIENCE_NS) ||
           vrf_blame_release(verifier, DOOR_PATIENCE_NS) ||
           vrf_blame_awaited(verifier, DOOR_PATIENCE_NS);
}

static bool blame_at_end(struct vrf_world *verifier) {
    return blame_provider(verifier, "the run ended");
}

bool vrf_blame_waits(struct vrf_world *verifier, bool (*blame)(struct vrf_world *verifier)) {
    bool is_found;

    if (verifier == NULL || !verifier->is_judging) {
        return false;
    }
    verifier->is_waiting = true;
    is_found = blame(verifier);
    verifier->is_waiting = false;
    return is_found;
}

bool vrf_blame_stuck(struct sim_world *world) {
    return vrf_blame_waits(vrf_world_of(world), blame_idle);
}

bool vrf_blame_doors(struct sim_world *world) {
    return vrf_blame_waits(vrf_world_of(world), blame_at_limit);
}

/* ---- Unload and end ---- */

static struct vrf_request *owed_to(const struct vrf_world *verifier,
                                   const struct vrf_client *client) {
    struct vrf_request *request = verifier->request_first;

    while (request != NULL && (request->shadow->client != client || request->ending != VRF_OWED)) {
        request = request->next;
    }
    return request;
}

static void blame_open(struct vrf_world *verifier, const struct vrf_client *client,
                       const char *sentence) {
    for (struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        if (shadow->client == client && shadow->phase == VRF_OPEN) {
            find_left_open(verifier, shadow, NULL, sentence);
            return;
        }
    }
}

void vrf_judge_adapter_closed(struct vrf_world *verifier, struct vrf_shadow *adapter) {
    for (struct vrf_request *request = verifier->request_first; request != NULL;
         request = request->next) {
        if (request->shadow->adapter == adapter && request->ending == VRF_OWED) {
            find_never_answered(verifier, request, "the adapter's close returned");
            return;
        }
    }
}

void vrf_judge_unloaded(struct vrf_world *verifier, struct vrf_client *client) {
    const struct vrf_request *request = owed_to(verifier, client);
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (request == NULL) {
        blame_open(verifier, client, "was left open at unload");
    } else if (vrf_find_begin(verifier, &finding, VRF_RULE_OWN_11, request->shadow)) {
        sim_finding_say(&finding, "DriverUnload of %s returned while %s is pending",
                        vrf_client_name(client), vrf_request_text(request, text, sizeof(text)));
        vrf_find_site(verifier, &finding, "accepted", &request->site);
        (void)vrf_find(verifier, &finding);
    }
}

void vrf_check_end(struct sim_world *world) {
    struct vrf_world *verifier = vrf_world_of(world);

    if (verifier == NULL || !verifier->is_judging) {
        return;
    }
    for (struct vrf_client *client = verifier->clients; client != NULL; client = client->next) {
        if (client->is_unloaded) {
            blame_open(verifier, client, "was still open at the end of the run");
        }
    }
    vrf_watch_end(verifier);
    if (sim_event_count(world) == 0) {
        (void)vrf_blame_waits(verifier, blame_at_end);
    }
}
