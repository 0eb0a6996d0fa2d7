/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-MEM-21: windows that are invalidated while they are not bound. A window counts as bound while
 * it may be: from a bind's posting to that of an invalidate, unless their results tell otherwise.
 */
#include "watch.h"

enum binding {
    NEVER_BOUND,
    BIND_FAILED,
    BOUND,
    INVALIDATING,
    INVALIDATED,
    INVALIDATED_BY_PEER,
};

/* Of an MW. */
struct window_note {
    struct window_note *next; /* of its PD's */
    struct vrf_shadow *qp;    /* of the last request */
    uint32_t serial;          /* the last request's; 0: none, or its result is in */
    uint32_t remote_token;    /* as told since the last bind */
    bool has_token;
    uint8_t binding; /* enum binding */
    uint8_t before;  /* the last request */
};

/* Of a PD. */
struct windows_note {
    struct window_note *first;
};

static const char window_key, windows_key;

static struct window_note *note_of(struct vrf_world *verifier, struct vrf_shadow *mw) {
    return vrf_note(verifier, &mw->notes, &window_key, sizeof(struct window_note));
}

static struct windows_note *windows_of(struct vrf_world *verifier, struct vrf_shadow *pd) {
    return vrf_note(verifier, &pd->notes, &windows_key, sizeof(struct windows_note));
}

static void look_at_born(struct vrf_world *verifier, struct vrf_shadow *shadow,
                         const void *object) {
    (void)object;
    if (shadow->type == NdkObjectTypeMw) {
        struct window_note *note = note_of(verifier, shadow);
        struct windows_note *windows = windows_of(verifier, shadow->parent);

        note->next = windows->first;
        windows->first = note;
    }
}

static void look_at_closed(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    if (shadow->type == NdkObjectTypeMw) {
        struct window_note *note = note_of(verifier, shadow);
        struct window_note **link = &windows_of(verifier, shadow->parent)->first;

        while (*link != NULL && *link != note) {
            link = &(*link)->next;
        }
        if (*link != NULL) {
            *link = note->next;
        }
    }
}

static void begin_request(struct vrf_call *call, struct window_note *note, enum binding binding) {
    note->before = note->binding;
    note->binding = (uint8_t)binding;
    note->qp = call->shadow;
    note->serial = call->work->serial;
}

/*
 * The last request of the window failed. Behind another one that is under way, or an invalidate
 * that may have been cut short by the end of its QP, the window may be bound still.
 */
static void failed(struct window_note *note) {
    bool was_bind = note->binding == BOUND;
    bool was_loose = note->before != BOUND && note->before != INVALIDATING;

    note->serial = 0;
    note->binding = was_bind && was_loose ? BIND_FAILED : BOUND;
}

static void after_request(struct vrf_call *call, struct vrf_shadow *mw) {
    struct window_note *note;

    if (mw == NULL || mw->type != NdkObjectTypeMw || call->result == (uint32_t)STATUS_SUCCESS) {
        return;
    }
    note = note_of(call->verifier, mw);
    if (note->serial == call->work->serial) {
        failed(note);
    }
}

static void before_bind(struct vrf_call *call) {
    struct window_note *note;

    if (call->args.bind.mw != NULL) {
        note = note_of(call->verifier, call->args.bind.mw);
        begin_request(call, note, BOUND);
        note->has_token = false;
    }
}

static void after_bind(struct vrf_call *call) {
    after_request(call, call->args.bind.mw);
}

/* What is wrong with it, or NULL. */
static const char *misfit(const struct window_note *note, const struct vrf_shadow *qp) {
    switch (note->binding) {
    case NEVER_BOUND:
        return "has not been bound";
    case BIND_FAILED:
        return "is not bound: its last bind failed";
    case INVALIDATING:
        return note->qp == qp ? "is being invalidated already" : NULL;
    case INVALIDATED:
        return "is not bound: it was invalidated before";
    case INVALIDATED_BY_PEER:
        return "is not bound: the peer's send has invalidated it";
    default:
        return NULL;
    }
}

static void before_invalidate(struct vrf_call *call) {
    struct vrf_shadow *mw = call->args.invalidate.object;
    struct window_note *note;
    const char *what;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    char name[SIM_NAME_BYTES];

    if (mw == NULL || mw->type != NdkObjectTypeMw) {
        return;
    }
    note = note_of(call->verifier, mw);
    what = misfit(note, call->shadow);
    if (what == NULL) {
        begin_request(call, note, INVALIDATING);
        return;
    }
    if (!vrf_find_begin(call->verifier, &finding, VRF_RULE_MEM_21, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s is of %s, which %s",
                    vrf_work_text(call->work, text, sizeof(text)), vrf_name(mw, name, sizeof(name)),
                    what);
    vrf_find_here(call->verifier, &finding, "posted");
}

static void after_invalidate(struct vrf_call *call) {
    after_request(call, call->args.invalidate.object);
}

static void after_token(struct vrf_call *call) {
    struct window_note *note = note_of(call->verifier, call->shadow);

    note->remote_token = (uint32_t)call->args.plain.first;
    note->has_token = true;
}

static void settle(struct window_note *note, NTSTATUS status) {
    if (status != STATUS_SUCCESS) {
        failed(note);
        return;
    }
    note->serial = 0;
    if (note->binding == INVALIDATING) {
        note->binding = INVALIDATED;
    }
}

/* A bind that is not known to have succeeded may be a later one than the peer has seen. */
static bool is_what_peer_took(const struct window_note *note, const struct vrf_taken *taken) {
    return note->binding == BOUND && note->serial == 0 && note->has_token &&
           note->remote_token == (uint32_t)taken->extended->TypeSpecificCompletionOutput;
}

static void look_at_result(struct vrf_call *call, const struct vrf_taken *taken) {
    bool is_own = taken->work != NULL && (taken->work->function == VRF_FN_BIND ||
                                          taken->work->function == VRF_FN_INVALIDATE);
    bool is_peers = taken->extended != NULL && taken->status == STATUS_SUCCESS &&
                    taken->extended->Type == NdkOperationTypeReceiveAndInvalidate;

    if (SIM_LIKELY(!is_own && !is_peers) || taken->qp == NULL) {
        return;
    }
    for (struct window_note *note = windows_of(call->verifier, taken->qp->parent)->first;
         note != NULL; note = note->next) {
        if (is_own && note->serial == taken->work->serial) {
            settle(note, taken->status);
        } else if (is_peers && is_what_peer_took(note, taken)) {
            note->binding = INVALIDATED_BY_PEER;
        }
    }
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_BIND, before_bind, after_bind},
    {VRF_FN_INVALIDATE, before_invalidate, after_invalidate},
    {VRF_FN_GET_REMOTE_TOKEN_FROM_MW, NULL, after_token},
};

const struct vrf_watcher vrf_watch_mem_window = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .born = look_at_born,
    .closed = look_at_closed,
    .result = look_at_result,
};
