/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger's own rules over requests, closes and events: who owes what to whom, and in whose
 * memory it lives. The stages are those of judge.h; work requests are judged in ledger_work.c.
 */
#include <stdio.h>

#include "deadlock.h"
#include "find.h"
#include "judge.h"

#define MEMORY_TEXT_BYTES KRN_POINTER_TEXT_BYTES

/* ---- Objects ---- */

void vrf_judge_unknown(struct vrf_call *call, NDK_OBJECT_TYPE type, const void *object) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_shadow *known = vrf_shadow_find(verifier, object);
    struct vrf_shadow *about = known != NULL ? known : call->shadow;
    const char *function = vrf_functions[call->function].name;
    struct sim_finding finding;
    char text[MEMORY_TEXT_BYTES];

    if (!vrf_find_begin(verifier, &finding, VRF_RULE_OWN_10, about)) {
        return;
    }
    if (known != NULL) {
        sim_finding_say(&finding, "%s was given %s where a %s belongs", function,
                        vrf_name(known, text, sizeof(text)), vrf_type_label(type));
    } else if (object == NULL) {
        sim_finding_say(&finding, "%s was given NULL where a %s belongs", function,
                        vrf_type_label(type));
    } else {
        sim_finding_say(&finding, "%s was given %s, which is no %s", function,
                        krn_pointer_story(verifier->world, object, text, sizeof(text)),
                        vrf_type_label(type));
    }
    vrf_find_here(verifier, &finding, "called");
}

void vrf_judge_use(struct vrf_call *call, struct vrf_shadow *shadow) {
    struct vrf_world *verifier = call->verifier;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(shadow->phase == VRF_OPEN) ||
        !vrf_find_begin(verifier, &finding, VRF_RULE_OWN_10, shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s was called with %s, whose close %s",
                    vrf_functions[call->function].name, vrf_name(shadow, name, sizeof(name)),
                    shadow->phase == VRF_CLOSED ? "has completed" : "was asked for");
    vrf_find_site(verifier, &finding, "closed", &shadow->closed);
    vrf_find_here(verifier, &finding, "called");
}

/* ---- Contexts ---- */

static enum vrf_rule_number rule_of(enum vrf_place_fate fate) {
    switch (fate) {
    case VRF_PLACE_FRAME_DIED:
        return VRF_RULE_OWN_01;
    case VRF_PLACE_FREED:
        return VRF_RULE_OWN_02;
    default:
        return VRF_RULE_OWN_11;
    }
}

/* `what` of `about` lies at a place that is gone; `accepted` (may be NULL): where it was given. */
static void find_place(struct vrf_world *verifier, struct vrf_shadow *shadow,
                       const struct vrf_place *place, const struct sim_kept_site *accepted,
                       const char *what, const char *about) {
    enum vrf_place_fate fate = vrf_place_fate(verifier->world, place);
    struct sim_finding finding;
    char story[MEMORY_TEXT_BYTES];

    if (!vrf_find_begin(verifier, &finding, rule_of(fate), shadow)) {
        return;
    }
    if (fate == VRF_PLACE_FRAME_DIED) {
        const struct sim_object *owner = sim_object_by_id(verifier->world, place->task_id);

        sim_finding_say(&finding, "the %s of %s lies in a stack frame of %s that has returned",
                        what, about, sim_object_name(owner, story, sizeof(story)));
    } else {
        sim_finding_say(&finding, "the %s of %s lies in %s", what, about,
                        krn_pointer_story(verifier->world, place->address, story, sizeof(story)));
    }
    if (accepted != NULL) {
        vrf_find_site(verifier, &finding, "accepted", accepted);
    }
    krn_pointer_sites(verifier->world, place->address, &finding);
    if (finding.site_count == SIM_ARRAY_COUNT(finding.sites)) {
        finding.site_count--; /* where it was freed tells more than where it was made */
    }
    vrf_find_here(verifier, &finding, "now");
}

static bool is_gone(const struct vrf_world *verifier, const struct vrf_place *place) {
    return SIM_UNLIKELY(vrf_place_fate(verifier->world, place) != VRF_PLACE_HOLDS);
}

static bool is_establishing(unsigned function) {
    return function == VRF_FN_CONNECT || function == VRF_FN_CONNECT_WITH_SHARED_ENDPOINT ||
           function == VRF_FN_COMPLETE_CONNECT || function == VRF_FN_COMPLETE_CONNECT_EX ||
           function == VRF_FN_ACCEPT || function == VRF_FN_ACCEPT_EX;
}

/*
 * Contexts may be shared by design: one counter for many registrations or closes, one connection
 * structure for requests with routines of their own. Two steps of establishing connections, each
 * awaited alone, cannot share one; nor can two requests on one object with one routine.
 */
static bool is_reuse(const struct vrf_request *old, const struct vrf_request *request) {
    bool both_establish = is_establishing(old->function) && is_establishing(request->function);

    if (old->ending != VRF_OWED || old == request || old->context != request->context ||
        vrf_functions[old->function].kind != VRF_KIND_REQUEST ||
        old->shadow->client != request->shadow->client) {
        return false;
    }
    if (old->shadow == request->shadow) {
        return both_establish || old->routine == request->routine;
    }
    return both_establish && old->routine == request->routine;
}

static void judge_reuse(struct vrf_world *verifier, struct vrf_request *request) {
    struct sim_finding finding;
    char old_text[VRF_TEXT_BYTES];
    char text[VRF_TEXT_BYTES];

    if (request->context == NULL || vrf_functions[request->function].kind != VRF_KIND_REQUEST) {
        return;
    }
    for (struct vrf_request *old = verifier->request_first; old != NULL; old = old->next) {
        if (!is_reuse(old, request) ||
            !vrf_find_begin(verifier, &finding, VRF_RULE_OWN_04, request->shadow)) {
            continue;
        }
        sim_finding_say(&finding, "%s was given the context that %s still owns",
                        vrf_request_text(request, text, sizeof(text)),
                        vrf_request_text(old, old_text, sizeof(old_text)));
        sim_finding_object(&finding, vrf_subject(old->shadow));
        vrf_find_site(verifier, &finding, "accepted", &old->site);
        vrf_find_here(verifier, &finding, "called");
        return;
    }
}

void vrf_judge_request(struct vrf_call *call) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_request *request = call->request;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (SIM_UNLIKELY(request->routine == NULL) && call->function != VRF_FN_BUILD_LAM &&
        vrf_find_begin(verifier, &finding, VRF_RULE_OWN_03, call->shadow)) {
        sim_finding_say(&finding, "%s was given no completion routine",
                        vrf_request_text(request, text, sizeof(text)));
        vrf_find_here(verifier, &finding, "called");
    }
    if (is_gone(verifier, &request->place)) {
        find_place(verifier, call->shadow, &request->place, NULL, "context",
                   vrf_request_text(request, text, sizeof(text)));
    }
    judge_reuse(verifier, request);
}

/* ---- Answers ---- */

void vrf_judge_return(struct vrf_call *call, NTSTATUS status) {
    struct vrf_world *verifier = call->verifier;
    struct vrf_request *request = call->request;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (SIM_UNLIKELY(request->shadow->phase == VRF_CLOSED)) {
        /* Closed meanwhile: what the provider wrote to it since then shows in the pool's fill. */
        krn_pool_check_at(verifier->world, request->shadow->pointer);
    }
    if (SIM_LIKELY(status == STATUS_PENDING || request->ending != VRF_ANSWERED) ||
        !vrf_find_begin(verifier, &finding, VRF_RULE_OWN_06, request->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s was completed by its callback and also returned 0x%08X",
                    vrf_request_text(request, text, sizeof(text)), (unsigned)status);
    vrf_find_site(verifier, &finding, "accepted", &request->site);
    vrf_find_here(verifier, &finding, "returned");
}

static void find_unloaded(struct vrf_world *verifier, struct vrf_shadow *shadow, const char *about,
                          const struct sim_kept_site *accepted) {
    struct sim_finding finding;

    if (vrf_find_begin(verifier, &finding, VRF_RULE_OWN_11, shadow)) {
        sim_finding_say(&finding, "%s calls into %s after its DriverUnload returned", about,
                        vrf_client_name(shadow->client));
        vrf_find_site(verifier, &finding, "accepted", accepted);
        vrf_find_here(verifier, &finding, "now");
    }
}

static void find_after_close(struct vrf_world *verifier, struct vrf_shadow *shadow,
                             const char *about, const struct sim_kept_site *accepted) {
    struct sim_finding finding;

    if (vrf_find_begin(verifier, &finding, VRF_RULE_OWN_07, shadow)) {
        sim_finding_say(&finding, "%s comes after the object's close completed", about);
        vrf_find_site(verifier, &finding, "accepted", accepted);
        vrf_find_site(verifier, &finding, "closed", &shadow->closed);
        vrf_find_here(verifier, &finding, "now");
    }
}

void vrf_judge_answer(struct vrf_world *verifier, struct vrf_request *request) {
    struct vrf_shadow *shadow = request->shadow;
    const struct sim_kept_site *site = &request->site;
    char text[VRF_TEXT_BYTES];

    if (SIM_UNLIKELY(shadow->client->is_unloaded)) {
        find_unloaded(verifier, shadow, vrf_request_text(request, text, sizeof(text)), site);
    }
    if (SIM_UNLIKELY(shadow->phase == VRF_CLOSED) &&
        vrf_functions[request->function].kind != VRF_KIND_CLOSE) {
        find_after_close(verifier, shadow, vrf_request_text(request, text, sizeof(text)), site);
    }
    if (is_gone(verifier, &request->place)) {
        find_place(verifier, shadow, &request->place, site, "context",
                   vrf_request_text(request, text, sizeof(text)));
    }
    if (is_gone(verifier, &request->out_place)) {
        find_place(verifier, shadow, &request->out_place, site, "answer's memory",
                   vrf_request_text(request, text, sizeof(text)));
    }
}

void vrf_judge_stray_answer(struct vrf_world *verifier, const char *what,
                            struct vrf_request *request, bool is_old) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    bool was_answered = request != NULL ? request->ending == VRF_ANSWERED : is_old;

    if (!vrf_find_begin(verifier, &finding, was_answered ? VRF_RULE_OWN_05 : VRF_RULE_OWN_06,
                        request != NULL ? request->shadow : NULL)) {
        return;
    }
    if (request == NULL) {
        sim_finding_say(&finding,
                        was_answered ? "a %s came for a request that was answered before"
                                     : "a %s came with a context that no request gave",
                        what);
    } else if (was_answered) {
        sim_finding_say(&finding, "%s was completed twice",
                        vrf_request_text(request, text, sizeof(text)));
    } else {
        sim_finding_say(&finding, "a %s came for %s, which had returned 0x%08X", what,
                        vrf_request_text(request, text, sizeof(text)), (unsigned)request->status);
    }
    if (request != NULL) {
        vrf_find_site(verifier, &finding, "accepted", &request->site);
    }
    vrf_find_here(verifier, &finding, "now");
}

/* ---- Events ---- */

void vrf_judge_event(struct vrf_world *verifier, struct vrf_subscription *event, const char *what) {
    struct vrf_shadow *shadow = event->shadow;
    bool place_is_gone = is_gone(verifier, &event->place);
    char name[SIM_NAME_BYTES];
    char text[VRF_TEXT_BYTES];

    if (SIM_LIKELY(!shadow->client->is_unloaded && shadow->phase != VRF_CLOSED && !place_is_gone)) {
        return;
    }
    snprintf(text, sizeof(text), "%s of %s", what, vrf_name(shadow, name, sizeof(name)));
    if (shadow->client->is_unloaded) {
        find_unloaded(verifier, shadow, text, &shadow->made);
    }
    if (shadow->phase == VRF_CLOSED) {
        find_after_close(verifier, shadow, text, &shadow->made);
    }
    if (place_is_gone) {
        find_place(verifier, shadow, &event->place, &shadow->made, "context", text);
    }
}

void vrf_judge_stray_event(struct vrf_world *verifier, const char *what) {
    struct sim_finding finding;

    if (vrf_find_begin(verifier, &finding, VRF_RULE_OWN_06, NULL)) {
        sim_finding_say(&finding, "a %s came with a context that nobody gave", what);
        vrf_find_here(verifier, &finding, "now");
    }
}

void vrf_judge_offered(struct vrf_world *verifier, struct vrf_client *client) {
    vrf_deadlock_check(verifier, client, NULL);
}

/* ---- Closes ---- */

static struct vrf_request *first_pending(const struct vrf_world *verifier,
                                         const struct vrf_shadow *shadow) {
    struct vrf_request *request = verifier->request_first;

    while (request != NULL && (request->shadow != shadow || request->ending != VRF_OWED)) {
        request = request->next;
    }
    return request;
}

void vrf_judge_closed(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    char name[SIM_NAME_BYTES];

    vrf_name(shadow, name, sizeof(name));
    if (SIM_UNLIKELY(shadow->request_count != 0) &&
        vrf_find_begin(verifier, &finding, VRF_RULE_OWN_09, shadow)) {
        const struct vrf_request *request = first_pending(verifier, shadow);

        SIM_ASSERT(request != NULL);
        sim_finding_say(&finding, "the close of %s completed, but %s is pending", name,
                        vrf_request_text(request, text, sizeof(text)));
        vrf_find_site(verifier, &finding, "accepted", &request->site);
        vrf_find_here(verifier, &finding, "closed");
    }
    if (SIM_UNLIKELY(shadow->callback_count != 0) &&
        vrf_find_begin(verifier, &finding, VRF_RULE_OWN_07, shadow)) {
        sim_finding_say(&finding, "the close of %s completed while a callback of it is running",
                        name);
        vrf_find_site(verifier, &finding, "closed", &shadow->closed);
        vrf_find_here(verifier, &finding, "now");
    }
}
