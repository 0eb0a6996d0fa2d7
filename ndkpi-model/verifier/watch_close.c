/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-LIFE: closes. When a consumer may close, and what a provider must have waited for when a close
 * completes. Listeners and what was accepted over them have rules of their own (R-LSTN-08, 09); a
 * bound window lets go of its region by itself.
 */
#include <string.h>

#include <krn/state.h>

#include "watch.h"

#define RUNNING_MAX 32u
#define MAPPINGS_MAX 16u

/* Of the world: tasks that run a consumer's callback, by the id of their object. */
struct running {
    uint32_t tasks[RUNNING_MAX];
    uint32_t count;
};

/* Of an adapter: mappings that were built and not released. */
struct mappings {
    struct {
        const void *pointer;
        struct sim_kept_site built;
    } entries[MAPPINGS_MAX];
    uint32_t count;
};

extern const struct vrf_watcher vrf_watch_close;

/* ---- R-LIFE-13: calls that are running ---- */

/* Calls whose completion has begun: the consumer may close from there. */
static uint32_t completing_count(const struct vrf_world *verifier,
                                 const struct vrf_shadow *shadow) {
    uint32_t count = 0;

    for (const struct vrf_request *request = verifier->request_first; request != NULL;
         request = request->next) {
        count += request->shadow == shadow && request->is_in_call && request->ending != VRF_OWED;
    }
    return count;
}

/* The last one that keeps a close from being right; `own`: the close's call, NULL for an adapter.
 */
static const struct vrf_call *other_call(const struct vrf_shadow *shadow,
                                         const struct vrf_call *own) {
    const struct vrf_call *other = shadow->calls;

    while (other != NULL &&
           (other == own || (other->request != NULL && other->request->ending != VRF_OWED))) {
        other = other->next;
    }
    return other;
}

static void add_running(struct vrf_world *verifier, struct sim_finding *finding,
                        const struct vrf_call *other) {
    struct sim_site *site = &finding->sites[finding->site_count];
    struct sim_task *task = NULL;

    if (!sim_stack_is_live(verifier->world, other, &task) || task == NULL) {
        return;
    }
    sim_site_of_frame(site, "running", task, other->frame);
    site->time_ns = other->entered_ns;
    krn_site_begin_with_driver(verifier->world, site);
    finding->site_count++;
}

static void look_running(struct vrf_world *verifier, struct vrf_shadow *shadow,
                         const struct vrf_call *own) {
    uint32_t own_count = own != NULL;
    const struct vrf_call *other;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(shadow->call_count == own_count) ||
        shadow->call_count - own_count <= completing_count(verifier, shadow) ||
        !vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_13, shadow)) {
        return;
    }
    other = other_call(shadow, own);
    sim_finding_say(&finding, "%s is closed while another call on it is running: %s",
                    vrf_name(shadow, name, sizeof(name)),
                    other != NULL ? vrf_functions[other->function].name
                                  : "it cannot be told which");
    if (other != NULL) {
        add_running(verifier, &finding, other);
    }
    vrf_find_here(verifier, &finding, "called");
}

static void look_close(struct vrf_call *call) {
    if (call->shadow->closing == call->request) {
        look_running(call->verifier, call->shadow, call);
    }
}

static void look_before(struct vrf_call *call) {
    if (SIM_UNLIKELY(vrf_functions[call->function].kind == VRF_KIND_CLOSE)) {
        look_close(call);
    }
}

/* R-LIFE-19 */
static void count_out(struct vrf_call *call) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    struct vrf_call **link = &call->shadow->calls;

    call->shadow->call_count--;
    while (*link != NULL && *link != call) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = call->next;
    }
    if (SIM_LIKELY(vrf_functions[call->function].kind != VRF_KIND_CLOSE) || call->result == 0 ||
        call->result == (uint32_t)STATUS_PENDING ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_LIFE_19, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s of %s returned 0x%08X", vrf_functions[call->function].name,
                    vrf_name(call->shadow, name, sizeof(name)), (unsigned)call->result);
    vrf_find_here(call->verifier, &finding, "returned");
}

/* ---- R-LIFE-24, R-LIFE-27: what rests on it ---- */

/* A connector holds its QP for certain once a connection is up. */
static bool is_tied(const struct vrf_shadow *connector) {
    static const char *const states[] = {"connected", "peer disconnected"};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(states); i++) {
        if (connector->phase == VRF_OPEN && strcmp(connector->object.state, states[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A close that is still inside its call may be over already. */
static bool rests_on(const struct vrf_shadow *shadow, const struct vrf_shadow *antecedent) {
    if (shadow->phase == VRF_UNBORN || (shadow->closing != NULL && shadow->closing->is_in_call) ||
        !vrf_shadow_relies_on(shadow, antecedent) || antecedent->type == NdkObjectTypeListener ||
        antecedent->type == NdkObjectTypeMr) {
        return false;
    }
    return antecedent->type != NdkObjectTypeQp || is_tied(shadow);
}

static void find_resting(struct vrf_world *verifier, struct vrf_shadow *closed,
                         struct vrf_shadow *other) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES], text[SIM_NAME_BYTES];

    if (!vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_24, closed)) {
        return;
    }
    sim_finding_say(&finding, "the close of %s completed while %s rests on it and is not closed",
                    vrf_name(closed, name, sizeof(name)), vrf_name(other, text, sizeof(text)));
    sim_finding_object(&finding, vrf_subject(other));
    vrf_find_site(verifier, &finding, "made", &other->made);
    vrf_find_site(verifier, &finding, "closed", &closed->closed);
    vrf_find_here(verifier, &finding, "now");
}

static void look_resting(struct vrf_world *verifier, struct vrf_shadow *closed) {
    for (struct vrf_shadow *other = verifier->live_first; other != NULL; other = other->live_next) {
        if (other != closed && rests_on(other, closed)) {
            find_resting(verifier, closed, other);
            return;
        }
    }
}

/* Close callbacks that are running of what rests on it; of an adapter: of all below it. */
static void look_callbacks(struct vrf_world *verifier, struct vrf_shadow *closed,
                           enum vrf_rule_number rule) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES], text[SIM_NAME_BYTES];

    for (struct vrf_request *request = verifier->request_first; request != NULL;
         request = request->next) {
        struct vrf_shadow *other = request->shadow;

        if (SIM_LIKELY(!request->is_in_callback) || other == closed ||
            vrf_functions[request->function].kind != VRF_KIND_CLOSE ||
            !(other->adapter == closed || vrf_shadow_relies_on(other, closed)) ||
            !vrf_find_begin(verifier, &finding, rule, closed)) {
            continue;
        }
        sim_finding_say(&finding, "the close of %s completed while the close callback of %s runs",
                        vrf_name(closed, name, sizeof(name)), vrf_name(other, text, sizeof(text)));
        sim_finding_object(&finding, vrf_subject(other));
        vrf_find_site(verifier, &finding, "accepted", &request->site);
        vrf_find_here(verifier, &finding, "now");
        return;
    }
}

static void look_closed(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    look_resting(verifier, shadow);
    look_callbacks(verifier, shadow, VRF_RULE_LIFE_27);
}

/* ---- Callbacks that are running ---- */

static struct running *running_of(struct vrf_world *verifier) {
    return vrf_note(verifier, &verifier->notes, &vrf_watch_close, sizeof(struct running));
}

static void begin_callback(struct vrf_world *verifier) {
    struct running *running = running_of(verifier);

    if (running->count < RUNNING_MAX) {
        running->tasks[running->count] = sim_task_object(sim_task_current())->id;
    }
    running->count++;
}

/* The last of this task's: callbacks of a task nest. */
static void end_callback(struct vrf_world *verifier) {
    struct running *running = running_of(verifier);
    uint32_t task = sim_task_object(sim_task_current())->id;
    uint32_t known = running->count < RUNNING_MAX ? running->count : RUNNING_MAX;

    for (uint32_t i = known; i > 0; i--) {
        if (running->tasks[i - 1] == task) {
            running->tasks[i - 1] = running->tasks[known - 1];
            break;
        }
    }
    running->count -= running->count > 0;
}

/* R-LIFE-16. The consumer may have called with locks of its own; those are not the provider's. */
static void look_locks(struct vrf_world *verifier, struct vrf_shadow *shadow, const char *what) {
    const struct krn_adapter *adapter = shadow->adapter->part.adapter.adapter;
    const struct krn_driver *provider = adapter != NULL ? krn_ndk_provider(adapter) : NULL;
    struct sim_object *lock = provider != NULL ? krn_lock_held_of(verifier->world, provider) : NULL;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES], text[SIM_NAME_BYTES];

    if (SIM_LIKELY(lock == NULL) || !vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_16, shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s of %s is called while the provider holds %s", what,
                    vrf_name(shadow, name, sizeof(name)),
                    sim_object_name(lock, text, sizeof(text)));
    sim_finding_object(&finding, lock);
    vrf_find_here(verifier, &finding, "now");
}

static void look_answer(struct vrf_world *verifier, struct vrf_request *request,
                        const void *object) {
    (void)object;
    look_locks(verifier, request->shadow, "a completion");
    begin_callback(verifier);
}

static void look_event(struct vrf_world *verifier, const struct vrf_event *event) {
    look_locks(verifier, event->shadow, "an event");
    begin_callback(verifier);
}

/* ---- R-LIFE-33: mappings ---- */

static struct mappings *mappings_of(struct vrf_world *verifier, struct vrf_shadow *adapter) {
    return vrf_note(verifier, &adapter->notes, &vrf_watch_close, sizeof(struct mappings));
}

static void note_mapping(struct vrf_world *verifier, const struct vrf_request *request) {
    struct mappings *mappings = mappings_of(verifier, request->shadow);

    if (request->out_place.address != NULL && mappings->count < MAPPINGS_MAX) {
        mappings->entries[mappings->count].pointer = request->out_place.address;
        mappings->entries[mappings->count].built = request->site;
        mappings->count++;
    }
}

static void after_build(struct vrf_call *call) {
    if (call->result == 0) {
        note_mapping(call->verifier, call->request);
    }
}

static void before_release(struct vrf_call *call) {
    struct mappings *mappings = mappings_of(call->verifier, call->shadow);

    for (uint32_t i = 0; i < mappings->count; i++) {
        if (mappings->entries[i].pointer == call->args.memory.mapping) {
            mappings->entries[i] = mappings->entries[--mappings->count];
            return;
        }
    }
}

static void look_answered(struct vrf_world *verifier, struct vrf_request *request) {
    if (request->function == VRF_FN_BUILD_LAM && request->status == STATUS_SUCCESS) {
        note_mapping(verifier, request);
    }
    end_callback(verifier);
}

static void look_event_returned(struct vrf_world *verifier, const struct vrf_event *event) {
    (void)event;
    end_callback(verifier);
}

/* ---- Adapters ---- */

/* R-LIFE-29 */
static void look_callback_of_caller(struct vrf_world *verifier, struct vrf_shadow *adapter) {
    const struct running *running = running_of(verifier);
    uint32_t task = sim_task_object(sim_task_current())->id;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    for (uint32_t i = 0; i < running->count && i < RUNNING_MAX; i++) {
        if (running->tasks[i] != task ||
            !vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_29, adapter)) {
            continue;
        }
        sim_finding_say(&finding, "%s is closed from within a callback",
                        vrf_name(adapter, name, sizeof(name)));
        vrf_find_here(verifier, &finding, "called");
        return;
    }
}

static void look_adapter_closing(struct vrf_world *verifier, struct vrf_shadow *adapter) {
    const struct mappings *mappings = mappings_of(verifier, adapter);
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    look_callback_of_caller(verifier, adapter);
    look_running(verifier, adapter, NULL);
    if (mappings->count == 0 || !vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_33, adapter)) {
        return;
    }
    sim_finding_say(&finding, "%s is closed while %u of its mappings are not released",
                    vrf_name(adapter, name, sizeof(name)), mappings->count);
    vrf_find_site(verifier, &finding, "built", &mappings->entries[0].built);
    vrf_find_here(verifier, &finding, "called");
}

/* R-LIFE-28 */
static void look_adapter_closed(struct vrf_world *verifier, struct vrf_shadow *adapter) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES], text[SIM_NAME_BYTES];

    for (struct vrf_shadow *shadow = verifier->shadow_first; shadow != NULL;
         shadow = shadow->next) {
        if (shadow->adapter != adapter || shadow == adapter || shadow->callback_count == 0 ||
            !vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_28, adapter)) {
            continue;
        }
        sim_finding_say(&finding, "the close of %s returned while a callback of %s is running",
                        vrf_name(adapter, name, sizeof(name)),
                        vrf_name(shadow, text, sizeof(text)));
        sim_finding_object(&finding, vrf_subject(shadow));
        vrf_find_here(verifier, &finding, "now");
        return;
    }
    look_callbacks(verifier, adapter, VRF_RULE_LIFE_28);
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_ANY, look_before, count_out},
    {VRF_FN_BUILD_LAM, NULL, after_build},
    {VRF_FN_RELEASE_LAM, before_release, NULL},
};

const struct vrf_watcher vrf_watch_close = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .closed = look_closed,
    .answer = look_answer,
    .answered = look_answered,
    .event = look_event,
    .event_returned = look_event_returned,
    .adapter_closing = look_adapter_closing,
    .adapter_closed = look_adapter_closed,
};
