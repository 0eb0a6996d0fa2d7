/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calling the watchers. Which of them want to know of a function's calls is sorted out once, so
 * that a post or a poll costs no more than those that look at it.
 */
#include "watch_call.h"

#include <krn/ndk.h>
#include <ntddndis.h>

#include "watchers.h" /* VRF_WATCHERS, made from the names of the files */

#define CALLS_MAX 12u

#define DECLARE(name) extern const struct vrf_watcher vrf_watch_##name;
VRF_WATCHERS(DECLARE)
#undef DECLARE

#define ADDRESS(name) &vrf_watch_##name,
static const struct vrf_watcher *const watchers[] = {VRF_WATCHERS(ADDRESS)};
#undef ADDRESS

struct calls {
    void (*acts[CALLS_MAX])(struct vrf_call *call);
    uint32_t count;
};

#define MOMENTS(X)                                                                                 \
    X(born)                                                                                        \
    X(closed)                                                                                      \
    X(answer)                                                                                      \
    X(answered)                                                                                    \
    X(event)                                                                                       \
    X(event_returned)                                                                              \
    X(result)                                                                                      \
    X(adapter_closing) X(adapter_closed) X(unloaded) X(standstill) X(end)
#define ENUMERATOR(name) MOMENT_##name,
enum moment { MOMENTS(ENUMERATOR) MOMENT_COUNT };
#undef ENUMERATOR

/* The same for every world of the process; never changed after the first start. */
static const struct vrf_watcher *at[MOMENT_COUNT][SIM_ARRAY_COUNT(watchers) + 1]; /* NULL ends */
static struct calls befores[VRF_FN_COUNT];
static struct calls afters[VRF_FN_COUNT];
static bool is_started;

static void append(struct calls *calls, void (*act)(struct vrf_call *call)) {
    if (act != NULL) {
        SIM_ASSERT(calls->count < CALLS_MAX);
        calls->acts[calls->count++] = act;
    }
}

static void sort_out(const struct vrf_call_watch *watch) {
    for (uint32_t i = 0; i < VRF_FN_COUNT; i++) {
        if (watch->function == VRF_FN_ANY || watch->function == i) {
            append(&befores[i], watch->before);
            append(&afters[i], watch->after);
        }
    }
}

static void note(enum moment moment, const struct vrf_watcher *watcher, bool looks) {
    size_t count = 0;

    if (looks) {
        while (at[moment][count] != NULL) {
            count++;
        }
        at[moment][count] = watcher;
    }
}

void vrf_watch_start(void) {
    if (is_started) {
        return;
    }
    is_started = true;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(watchers); i++) {
        for (size_t k = 0; k < watchers[i]->call_count; k++) {
            sort_out(&watchers[i]->calls[k]);
        }
#define NOTE(name) note(MOMENT_##name, watchers[i], watchers[i]->name != NULL);
        MOMENTS(NOTE)
#undef NOTE
    }
}

void vrf_watch_before(struct vrf_call *call) {
    const struct calls *calls = &befores[call->function];

    for (uint32_t i = 0; i < calls->count; i++) {
        calls->acts[i](call);
    }
}

void vrf_watch_after(struct vrf_call *call) {
    const struct calls *calls = &afters[call->function];

    for (uint32_t i = 0; i < calls->count; i++) {
        calls->acts[i](call);
    }
}

#define EACH(name, ...)                                                                            \
    for (const struct vrf_watcher *const *watcher = at[MOMENT_##name]; *watcher != NULL;           \
         watcher++) {                                                                              \
        (*watcher)->name(__VA_ARGS__);                                                             \
    }

void vrf_watch_born(struct vrf_world *verifier, struct vrf_shadow *shadow, const void *object) {
    EACH(born, verifier, shadow, object)
}

void vrf_watch_closed(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    EACH(closed, verifier, shadow)
}

void vrf_watch_answer(struct vrf_world *verifier, struct vrf_request *request, const void *object) {
    EACH(answer, verifier, request, object)
}

void vrf_watch_answered(struct vrf_world *verifier, struct vrf_request *request) {
    EACH(answered, verifier, request)
}

void vrf_watch_event(struct vrf_world *verifier, const struct vrf_event *event) {
    EACH(event, verifier, event)
}

void vrf_watch_event_returned(struct vrf_world *verifier, const struct vrf_event *event) {
    EACH(event_returned, verifier, event)
}

void vrf_watch_result(struct vrf_call *call, const struct vrf_taken *taken) {
    EACH(result, call, taken)
}

void vrf_watch_adapter_closing(struct vrf_world *verifier, struct vrf_shadow *adapter) {
    EACH(adapter_closing, verifier, adapter)
}

void vrf_watch_adapter_closed(struct vrf_world *verifier, struct vrf_shadow *adapter) {
    EACH(adapter_closed, verifier, adapter)
}

void vrf_watch_unloaded(struct vrf_world *verifier, struct vrf_client *client) {
    EACH(unloaded, verifier, client)
}

bool vrf_watch_standstill(struct vrf_world *verifier) {
    for (const struct vrf_watcher *const *watcher = at[MOMENT_standstill]; *watcher != NULL;
         watcher++) {
        if ((*watcher)->standstill(verifier)) {
            return true;
        }
    }
    return false;
}

void vrf_watch_end(struct vrf_world *verifier) {
    EACH(end, verifier)
}

/* ---- For watchers ---- */

void *vrf_note(struct vrf_world *verifier, struct vrf_note **list, const void *key, size_t size) {
    struct vrf_note *note = *list;

    while (note != NULL && note->key != key) {
        note = note->next;
    }
    if (note == NULL) {
        note = sim_alloc(verifier->world, sizeof(*note) + size);
        note->key = key;
        note->next = *list;
        *list = note;
    }
    return note->data;
}

const NDK_ADAPTER_INFO *vrf_adapter_info(const struct vrf_shadow *shadow) {
    const struct krn_adapter *adapter = shadow->adapter->part.adapter.adapter;
    const NDIS_NDK_CAPABILITIES *capabilities =
        adapter != NULL ? krn_ndk_capabilities(adapter) : NULL;

    return capabilities != NULL ? capabilities->NdkInfo : NULL;
}
