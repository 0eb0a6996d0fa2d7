/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-MEM-10, R-MEM-28: what lies behind the local tokens of MRs. A token is known from the call that
 * asked for it, until its region is registered anew. Ranges are those of plain registrations: which
 * fast registration is in force when a request runs, its posting does not tell.
 */
#include "watch.h"

/* Of an MR. */
struct token_note {
    struct token_note *next; /* of its PD's, while it is open */
    uint64_t base;           /* where it begins */
    uint64_t length;
    uint32_t token; /* 0: not known */
    bool is_plain;
    bool is_standing; /* registered, and not being deregistered */
    bool has_sink;    /* the read-sink flag */
};

/* Of a PD. */
struct open_note {
    struct token_note *first;
};

static const char token_key, open_key;

static struct token_note *note_of(struct vrf_world *verifier, struct vrf_shadow *mr) {
    return vrf_note(verifier, &mr->notes, &token_key, sizeof(struct token_note));
}

static struct open_note *open_of(struct vrf_world *verifier, struct vrf_shadow *pd) {
    return vrf_note(verifier, &pd->notes, &open_key, sizeof(struct open_note));
}

static void look_at_born(struct vrf_world *verifier, struct vrf_shadow *shadow,
                         const void *object) {
    (void)object;
    if (shadow->type == NdkObjectTypeMr) {
        struct token_note *note = note_of(verifier, shadow);
        struct open_note *open = open_of(verifier, shadow->parent);

        note->next = open->first;
        open->first = note;
    }
}

static void look_at_closed(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    if (shadow->type == NdkObjectTypeMr) {
        struct token_note *note = note_of(verifier, shadow);
        struct token_note **link = &open_of(verifier, shadow->parent)->first;

        while (*link != NULL && *link != note) {
            link = &(*link)->next;
        }
        if (*link != NULL) {
            *link = note->next;
        }
    }
}

static bool is_readable(struct vrf_world *verifier, const void *address) {
    enum krn_place_kind kind = krn_place_kind_of(verifier->world, address);

    return kind == KRN_PLACE_POOL || kind == KRN_PLACE_STACK;
}

static void before_create(struct vrf_call *call) {
    note_of(call->verifier, call->request->born)->is_plain = call->args.plain.first == 0;
}

/* A second registration of one that stands will be refused: it changes nothing. */
static void before_register(struct vrf_call *call) {
    struct token_note *note = note_of(call->verifier, call->shadow);
    const MDL *mdl = call->args.memory.mdl;

    if (note->is_standing || mdl == NULL || !is_readable(call->verifier, mdl)) {
        return;
    }
    note->base = (uint64_t)(uintptr_t)mdl->StartVa + mdl->ByteOffset;
    note->length = call->args.memory.length;
    note->has_sink = (call->args.memory.flags & NDK_MR_FLAG_RDMA_READ_SINK) != 0;
    note->token = 0;
}

static void before_deregister(struct vrf_call *call) {
    note_of(call->verifier, call->shadow)->is_standing = false;
}

static void after_register(struct vrf_call *call) {
    if (call->result == (uint32_t)STATUS_SUCCESS) {
        note_of(call->verifier, call->shadow)->is_standing = true;
    }
}

static void look_at_answer(struct vrf_world *verifier, struct vrf_request *request,
                           const void *object) {
    (void)object;
    if (request->function == VRF_FN_REGISTER_MR && request->status == STATUS_SUCCESS) {
        note_of(verifier, request->shadow)->is_standing = true;
    }
}

static void before_fast_register(struct vrf_call *call) {
    const struct vrf_fast_register_args *args = &call->args.fast_register;

    if (args->mr != NULL) {
        struct token_note *note = note_of(call->verifier, args->mr);

        note->has_sink = (args->flags & NDK_OP_FLAG_RDMA_READ_SINK) != 0;
        note->is_standing = true;
    }
}

static void after_token(struct vrf_call *call) {
    note_of(call->verifier, call->shadow)->token = (uint32_t)call->args.plain.first;
}

/* The region of this PD that has the token; NULL when none, or more than one, says so. */
static struct token_note *behind(struct vrf_call *call, uint32_t token) {
    struct token_note *note = open_of(call->verifier, call->shadow->parent)->first;
    struct token_note *found = NULL;

    for (; note != NULL && token != 0; note = note->next) {
        if (note->token == token && found != NULL) {
            return NULL;
        }
        found = note->token == token ? note : found;
    }
    return found != NULL && found->is_standing ? found : NULL;
}

static void outside(struct vrf_call *call) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (!vrf_find_begin(call->verifier, &finding, VRF_RULE_MEM_28, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s has a range that is not inside the region of its token",
                    vrf_work_text(call->work, text, sizeof(text)));
    vrf_find_here(call->verifier, &finding, "posted");
}

static void no_sink(struct vrf_call *call) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(call->shadow);
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (info == NULL || (info->AdapterFlags & NDK_ADAPTER_FLAG_RDMA_READ_SINK_NOT_REQUIRED) != 0 ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_MEM_10, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s goes to memory that was registered without the read-sink flag",
                    vrf_work_text(call->work, text, sizeof(text)));
    vrf_find_here(call->verifier, &finding, "posted");
}

static bool is_inside(const struct token_note *note, const NDK_SGE *sge) {
    uint64_t at = (uint64_t)(uintptr_t)sge->VirtualAddress;

    return at >= note->base && at - note->base <= note->length &&
           sge->Length <= note->length - (at - note->base);
}

static void before_post(struct vrf_call *call) {
    const struct vrf_post_args *post = &call->args.post;
    bool is_inline = (post->flags & NDK_OP_FLAG_INLINE) != 0;
    uint32_t privileged = call->shadow->parent->part.pd.privileged_token;

    for (ULONG i = 0; post->sgl != NULL && !is_inline && i < post->sge_count; i++) {
        const NDK_SGE *sge = &post->sgl[i];
        const struct token_note *note;

        if (sge->Length == 0 || (privileged != 0 && sge->MemoryRegionToken == privileged)) {
            continue;
        }
        note = behind(call, sge->MemoryRegionToken);
        if (note == NULL) {
            continue;
        }
        if (note->is_plain && !is_inside(note, sge)) {
            outside(call);
        }
        if (call->function == VRF_FN_READ && !note->has_sink) {
            no_sink(call);
        }
    }
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_CREATE_MR, before_create, NULL},
    {VRF_FN_REGISTER_MR, before_register, after_register},
    {VRF_FN_DEREGISTER_MR, before_deregister, NULL},
    {VRF_FN_FAST_REGISTER, before_fast_register, NULL},
    {VRF_FN_GET_LOCAL_TOKEN_FROM_MR, NULL, after_token},
    {VRF_FN_SEND, before_post, NULL},
    {VRF_FN_SEND_AND_INVALIDATE, before_post, NULL},
    {VRF_FN_RECEIVE, before_post, NULL},
    {VRF_FN_READ, before_post, NULL},
    {VRF_FN_WRITE, before_post, NULL},
    {VRF_FN_SRQ_RECEIVE, before_post, NULL},
};

const struct vrf_watcher vrf_watch_mem_token = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .born = look_at_born,
    .closed = look_at_closed,
    .answer = look_at_answer,
};
