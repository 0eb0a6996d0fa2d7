/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-POST: what consumers owe when they post. The limits that a QP was made with are noted at its
 * create; what runs on its queues is counted between a post's beginning and its end.
 */
#include "watch.h"

#define DEAD_COUNT_MAX 8u

enum { INITIATOR, RECEIVE };

/* Of a QP. */
struct post_note {
    uint32_t running[2];
    uint32_t sge_max[2];
    uint32_t inline_bytes;
    bool has_limits;
    bool has_heard; /* something came from the peer: a message, or data of the connection */
};

/* Of a PD: tokens that a failed read with local invalidate left undefined. */
struct dead_note {
    uint32_t count;
    UINT32 tokens[DEAD_COUNT_MAX];
};

/* Of a connector: its consumer read the peer's data. */
struct data_note {
    bool was_read;
};

static const char post_key, dead_key, data_key;

static struct post_note *note_of(struct vrf_world *verifier, struct vrf_shadow *qp) {
    return vrf_note(verifier, &qp->notes, &post_key, sizeof(struct post_note));
}

static struct dead_note *dead_of(struct vrf_world *verifier, struct vrf_shadow *qp) {
    return vrf_note(verifier, &qp->parent->notes, &dead_key, sizeof(struct dead_note));
}

static bool is_receive(const struct vrf_call *call) {
    return call->function == VRF_FN_RECEIVE;
}

/* Posts that move data, with SGEs. */
static bool has_sges(const struct vrf_call *call) {
    switch (call->function) {
    case VRF_FN_SEND:
    case VRF_FN_SEND_AND_INVALIDATE:
    case VRF_FN_RECEIVE:
    case VRF_FN_READ:
    case VRF_FN_WRITE:
        return true;
    default:
        return false;
    }
}

static ULONG flags_of(const struct vrf_call *call) {
    return has_sges(call) ? call->args.post.flags : 0;
}

static bool begin(struct vrf_call *call, struct sim_finding *finding, enum vrf_rule_number rule) {
    return vrf_find_begin(call->verifier, finding, rule, call->shadow);
}

static const char *text_of(struct vrf_call *call, char *text) {
    return vrf_work_text(call->work, text, VRF_TEXT_BYTES);
}

/* ---- R-POST-02 ---- */

static const struct vrf_work *other_in_call(const struct vrf_call *call) {
    const struct vrf_work *work = call->work->queue->last;

    while (work != NULL && (work == call->work || !work->is_in_call)) {
        work = work->previous;
    }
    return work;
}

static void look_at_serial(struct vrf_call *call, struct post_note *note) {
    uint32_t queue = is_receive(call) ? RECEIVE : INITIATOR;
    const struct vrf_work *other;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (SIM_LIKELY(note->running[queue]++ == 0) || !begin(call, &finding, VRF_RULE_POST_02)) {
        return;
    }
    sim_finding_say(&finding, "%s is posted while another post to the same queue runs",
                    text_of(call, text));
    other = other_in_call(call);
    if (other != NULL) {
        vrf_find_work_site(call->verifier, &finding, "the other", other);
    }
    vrf_find_here(call->verifier, &finding, "now");
}

/* ---- R-POST-15, 18, 19 ---- */

static uint64_t length_of(const struct vrf_post_args *post) {
    uint64_t length = 0;

    for (ULONG i = 0; post->sgl != NULL && i < post->sge_count; i++) {
        length += post->sgl[i].Length;
    }
    return length;
}

static void look_at_inline(struct vrf_call *call, const struct post_note *note) {
    uint64_t length = length_of(&call->args.post);
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (length <= note->inline_bytes || !begin(call, &finding, VRF_RULE_POST_15)) {
        return;
    }
    sim_finding_say(&finding, "%s has %llu inline bytes, and its QP was made for %u",
                    text_of(call, text), (unsigned long long)length, note->inline_bytes);
    vrf_find_here(call->verifier, &finding, "posted");
}

/* Inline data is read at the caller's level: it must not be pageable. */
static void look_at_inline_memory(struct vrf_call *call) {
    const struct vrf_post_args *post = &call->args.post;
    struct krn_place place;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    for (ULONG i = 0; post->sgl != NULL && i < post->sge_count; i++) {
        krn_place_of(call->verifier->world, post->sgl[i].VirtualAddress, &place);
        if (place.kind != KRN_PLACE_POOL || place.block.kind != KRN_POOL_PAGED ||
            !begin(call, &finding, VRF_RULE_POST_15)) {
            continue;
        }
        sim_finding_say(&finding, "%s takes inline bytes from pageable memory",
                        text_of(call, text));
        vrf_find_here(call->verifier, &finding, "posted");
    }
}

static void look_at_sges(struct vrf_call *call, const struct post_note *note) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(call->shadow);
    uint32_t most = note->sge_max[is_receive(call) ? RECEIVE : INITIATOR];
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (call->function == VRF_FN_READ && info != NULL) {
        most = info->MaxReadRequestSge;
    }
    if (SIM_LIKELY(call->args.post.sge_count <= most) || !begin(call, &finding, VRF_RULE_POST_18)) {
        return;
    }
    sim_finding_say(&finding, "%s has %u SGEs; at most %u are allowed", text_of(call, text),
                    call->args.post.sge_count, most);
    vrf_find_here(call->verifier, &finding, "posted");
}

static void look_at_length(struct vrf_call *call) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(call->shadow);
    uint64_t length = length_of(&call->args.post);
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (SIM_LIKELY(info == NULL || length <= info->MaxTransferLength) ||
        !begin(call, &finding, VRF_RULE_POST_19)) {
        return;
    }
    sim_finding_say(&finding, "%s moves %llu bytes; the adapter's MaxTransferLength is %u",
                    text_of(call, text), (unsigned long long)length, info->MaxTransferLength);
    vrf_find_here(call->verifier, &finding, "posted");
}

/* ---- R-POST-23 ---- */

static void look_at_dead_tokens(struct vrf_call *call, const struct dead_note *dead) {
    const struct vrf_post_args *post = &call->args.post;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    for (ULONG i = 0; post->sgl != NULL && i < post->sge_count; i++) {
        for (uint32_t k = 0; k < dead->count; k++) {
            if (post->sgl[i].MemoryRegionToken != dead->tokens[k] ||
                !begin(call, &finding, VRF_RULE_POST_23)) {
                continue;
            }
            sim_finding_say(&finding,
                            "%s uses the token of a read with local invalidate that failed",
                            text_of(call, text));
            vrf_find_here(call->verifier, &finding, "posted");
        }
    }
}

/* Which token the request names first: kept beside the work, for its result. */
struct read_note {
    uint32_t serial;
    UINT32 token;
};

static const char read_key;

#define READ_COUNT_MAX 16u
struct reads_note {
    struct read_note reads[READ_COUNT_MAX]; /* the last ones with local invalidate */
    uint32_t next;
};

static struct reads_note *reads_of(struct vrf_world *verifier, struct vrf_shadow *qp) {
    return vrf_note(verifier, &qp->notes, &read_key, sizeof(struct reads_note));
}

static bool invalidates(struct vrf_shadow *qp, ULONG flags) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(qp);

    return (flags & NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE) != 0 && info != NULL &&
           (info->AdapterFlags & NDK_ADAPTER_FLAG_RDMA_READ_LOCAL_INVALIDATE_SUPPORTED) != 0;
}

static void remember_read(struct vrf_call *call) {
    const struct vrf_post_args *post = &call->args.post;
    struct reads_note *note;

    if (call->function != VRF_FN_READ || !invalidates(call->shadow, post->flags) ||
        post->sgl == NULL || post->sge_count == 0) {
        return;
    }
    note = reads_of(call->verifier, call->shadow);
    note->reads[note->next % READ_COUNT_MAX] =
        (struct read_note){call->work->serial, post->sgl[0].MemoryRegionToken};
    note->next++;
}

static void bury_token(struct vrf_world *verifier, const struct vrf_taken *taken) {
    struct reads_note *note = reads_of(verifier, taken->qp);
    struct dead_note *dead = dead_of(verifier, taken->qp);

    for (uint32_t i = 0; i < READ_COUNT_MAX; i++) {
        if (note->reads[i].serial == taken->work->serial && dead->count < DEAD_COUNT_MAX) {
            dead->tokens[dead->count++] = note->reads[i].token;
        }
    }
}

/* A registration makes tokens anew; which ones is the provider's affair. */
static void forget_tokens(struct vrf_call *call) {
    struct vrf_shadow *pd = call->shadow->parent;
    struct dead_note *dead;

    if (call->function == VRF_FN_FAST_REGISTER || call->function == VRF_FN_REGISTER_MR) {
        dead = vrf_note(call->verifier, &pd->notes, &dead_key, sizeof(*dead));
        dead->count = 0;
    }
}

/* ---- R-POST-28 ---- */

static bool has_read_data(struct vrf_world *verifier, const struct vrf_shadow *qp) {
    for (struct vrf_shadow *one = verifier->shadow_first; one != NULL; one = one->next) {
        for (size_t i = 0; i < VRF_RELIED_COUNT && one->type == NdkObjectTypeConnector; i++) {
            const struct data_note *data;

            if (one->relied[i] != qp) {
                continue;
            }
            data = vrf_note(verifier, &one->notes, &data_key, sizeof(*data));
            if (data->was_read) {
                return true;
            }
        }
    }
    return false;
}

static void look_at_peer(struct vrf_call *call, struct post_note *note) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    note->has_heard = note->has_heard || has_read_data(call->verifier, call->shadow);
    if (note->has_heard || !begin(call, &finding, VRF_RULE_POST_28)) {
        return;
    }
    sim_finding_say(&finding, "%s invalidates at a peer from which nothing was heard yet",
                    text_of(call, text));
    vrf_find_here(call->verifier, &finding, "posted");
}

/* ---- The hooks ---- */

static void before_post(struct vrf_call *call) {
    struct post_note *note = note_of(call->verifier, call->shadow);
    bool is_inline = (flags_of(call) & NDK_OP_FLAG_INLINE) != 0;

    look_at_serial(call, note);
    if (!has_sges(call)) {
        return;
    }
    if (is_inline && note->has_limits) {
        look_at_inline(call, note);
        look_at_inline_memory(call);
    } else if (note->has_limits) {
        look_at_sges(call, note);
    }
    look_at_length(call);
    if (!is_inline) {
        look_at_dead_tokens(call, dead_of(call->verifier, call->shadow));
    }
    remember_read(call);
    if (call->function == VRF_FN_SEND_AND_INVALIDATE) {
        look_at_peer(call, note);
    }
}

/* R-POST-17: refused, and what has not been taken from the CQ alone fills the queue. */
static void look_at_depth(struct vrf_call *call) {
    const struct vrf_queue *queue = call->work->queue;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (SIM_LIKELY(call->result != (uint32_t)STATUS_NO_MORE_ENTRIES) ||
        queue->signalled_count <= queue->depth || !begin(call, &finding, VRF_RULE_POST_17)) {
        return;
    }
    sim_finding_say(&finding, "%s is one more than the %u that fit in its queue",
                    text_of(call, text), queue->depth);
    vrf_find_here(call->verifier, &finding, "posted");
}

static void after_post(struct vrf_call *call) {
    struct post_note *note = note_of(call->verifier, call->shadow);
    uint32_t queue = is_receive(call) ? RECEIVE : INITIATOR;

    if (note->running[queue] > 0) {
        note->running[queue]--;
    }
    look_at_depth(call);
    if (call->function == VRF_FN_FAST_REGISTER) {
        forget_tokens(call);
    }
}

static void before_create(struct vrf_call *call) {
    const struct vrf_create_qp_args *args = &call->args.create_qp;
    struct post_note *note = note_of(call->verifier, call->request->born);

    note->has_limits = true;
    note->sge_max[INITIATOR] = args->initiator_sge_max;
    /* Receives of an SRQ have its limit; the QP itself takes none. */
    note->sge_max[RECEIVE] = args->srq == NULL ? args->receive_sge_max : UINT32_MAX;
    note->inline_bytes = args->inline_bytes;
}

static void after_data(struct vrf_call *call) {
    struct data_note *data;

    if (call->result == (uint32_t)STATUS_SUCCESS && call->args.connection_data.data != NULL) {
        data = vrf_note(call->verifier, &call->shadow->notes, &data_key, sizeof(*data));
        data->was_read = true;
    }
}

static void look_at_result(struct vrf_call *call, const struct vrf_taken *taken) {
    if (taken->work == NULL || taken->qp == NULL) {
        return;
    }
    if (taken->status == STATUS_SUCCESS) {
        if (taken->work->function == VRF_FN_RECEIVE ||
            taken->work->function == VRF_FN_SRQ_RECEIVE) {
            note_of(call->verifier, taken->qp)->has_heard = true;
        }
    } else if (taken->work->function == VRF_FN_READ && invalidates(taken->qp, taken->work->flags)) {
        bury_token(call->verifier, taken);
    }
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_SEND, before_post, after_post},
    {VRF_FN_SEND_AND_INVALIDATE, before_post, after_post},
    {VRF_FN_RECEIVE, before_post, after_post},
    {VRF_FN_READ, before_post, after_post},
    {VRF_FN_WRITE, before_post, after_post},
    {VRF_FN_BIND, before_post, after_post},
    {VRF_FN_FAST_REGISTER, before_post, after_post},
    {VRF_FN_INVALIDATE, before_post, after_post},
    {VRF_FN_CREATE_QP, before_create, NULL},
    {VRF_FN_CREATE_QP_WITH_SRQ, before_create, NULL},
    {VRF_FN_REGISTER_MR, NULL, forget_tokens},
    {VRF_FN_GET_CONNECTION_DATA, NULL, after_data},
};

const struct vrf_watcher vrf_watch_post = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .result = look_at_result,
};
