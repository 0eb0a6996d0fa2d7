/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-OWN-22: regions that are closed while their fast registration stands. One that nobody could
 * have invalidated any more, since its QP is closed, flushed or disconnected, goes as it is.
 */
#include "connection.h"
#include "watch.h"

/* Of an MR. */
struct fast_note {
    struct fast_note *next; /* of its PD's, while it stands */
    struct vrf_shadow *qp;  /* through which it was registered; NULL: it does not stand */
    uint32_t remote_token;
    bool has_token;
};

/* Of a PD. */
struct standing_note {
    struct fast_note *first;
};

static const char fast_key, standing_key;

static struct fast_note *note_of(struct vrf_world *verifier, struct vrf_shadow *mr) {
    return vrf_note(verifier, &mr->notes, &fast_key, sizeof(struct fast_note));
}

static struct standing_note *standing_of(struct vrf_world *verifier, struct vrf_shadow *pd) {
    return vrf_note(verifier, &pd->notes, &standing_key, sizeof(struct standing_note));
}

static void begin_standing(struct vrf_world *verifier, struct vrf_shadow *mr,
                           struct vrf_shadow *qp) {
    struct fast_note *note = note_of(verifier, mr);
    struct standing_note *standing = standing_of(verifier, mr->parent);

    if (note->qp == NULL) {
        note->next = standing->first;
        standing->first = note;
    }
    note->qp = qp;
}

static void end_standing(struct vrf_world *verifier, struct vrf_shadow *mr) {
    struct fast_note *note = note_of(verifier, mr);
    struct fast_note **link = &standing_of(verifier, mr->parent)->first;

    while (*link != NULL && *link != note) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = note->next;
    }
    note->qp = NULL;
}

static void after_fast_register(struct vrf_call *call) {
    if (call->result == (uint32_t)STATUS_SUCCESS && call->args.fast_register.mr != NULL) {
        begin_standing(call->verifier, call->args.fast_register.mr, call->shadow);
    }
}

static void before_invalidate(struct vrf_call *call) {
    struct vrf_shadow *object = call->args.invalidate.object;

    if (object != NULL && object->type == NdkObjectTypeMr) {
        end_standing(call->verifier, object);
    }
}

static void after_token(struct vrf_call *call) {
    struct fast_note *note = note_of(call->verifier, call->shadow);

    note->remote_token = (uint32_t)call->args.plain.first;
    note->has_token = true;
}

/* The peer's send took the registration away. */
static void look_at_result(struct vrf_call *call, const struct vrf_taken *taken) {
    struct fast_note **link;

    if (taken->qp == NULL || taken->extended == NULL || taken->status != STATUS_SUCCESS ||
        taken->extended->Type != NdkOperationTypeReceiveAndInvalidate) {
        return;
    }
    link = &standing_of(call->verifier, taken->qp->parent)->first;
    while (*link != NULL) {
        struct fast_note *note = *link;

        if (note->has_token &&
            note->remote_token == (uint32_t)taken->extended->TypeSpecificCompletionOutput) {
            *link = note->next;
            note->qp = NULL;
        } else {
            link = &note->next;
        }
    }
}

static bool could_be_invalidated(const struct vrf_shadow *qp) {
    return qp->phase == VRF_OPEN && !qp->part.qp.is_flushing && vrf_qp_ended_ns(qp) == 0;
}

static void before_close(struct vrf_call *call) {
    struct vrf_shadow *qp = note_of(call->verifier, call->shadow)->qp;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    char name[SIM_NAME_BYTES];

    if (SIM_LIKELY(qp == NULL)) {
        return;
    }
    end_standing(call->verifier, call->shadow);
    if (!could_be_invalidated(qp) ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_OWN_22, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s, which is still registered by a fast registration through %s",
                    vrf_request_text(call->request, text, sizeof(text)),
                    vrf_name(qp, name, sizeof(name)));
    vrf_find_here(call->verifier, &finding, "closed");
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_FAST_REGISTER, NULL, after_fast_register},
    {VRF_FN_INVALIDATE, before_invalidate, NULL},
    {VRF_FN_GET_REMOTE_TOKEN_FROM_MR, NULL, after_token},
    {VRF_FN_CLOSE_MR, before_close, NULL},
};

const struct vrf_watcher vrf_watch_mem_fast = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .result = look_at_result,
};
