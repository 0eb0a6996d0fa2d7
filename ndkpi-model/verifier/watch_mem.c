/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-MEM: regions and what they are asked to do. A region's state is what its consumer knows: it
 * changes when an answer is on its way to it, so that calls from within the answer are right.
 */
#include "watch.h"

#define PAGE_BYTES 4096u
#define FRMR_PAGES_LEAST 16u

enum mr_state { MR_IDLE, MR_REGISTERED, MR_DEREGISTERING };

/* Of an MR. */
struct mr_note {
    bool is_plain;        /* made for plain registration */
    uint8_t state;        /* enum mr_state */
    bool was_refused;     /* its last deregistration failed: there is nothing better than a close */
    uint32_t pages_max;   /* it is initialised for */
    uint32_t pages_asked; /* the most of those that run */
    uint32_t inits_running;
};

static const char mr_key;

static struct mr_note *note_of(struct vrf_world *verifier, struct vrf_shadow *mr) {
    return vrf_note(verifier, &mr->notes, &mr_key, sizeof(struct mr_note));
}

static bool begin(struct vrf_call *call, struct sim_finding *finding, enum vrf_rule_number rule) {
    return vrf_find_begin(call->verifier, finding, rule, call->shadow);
}

static const char *work_text(struct vrf_call *call, char *text) {
    return vrf_work_text(call->work, text, VRF_TEXT_BYTES);
}

static const char *request_text(struct vrf_call *call, char *text) {
    return vrf_request_text(call->request, text, VRF_TEXT_BYTES);
}

static void before_create(struct vrf_call *call) {
    note_of(call->verifier, call->request->born)->is_plain = call->args.plain.first == 0;
}

/* ---- R-MEM-26, and the state of R-MEM-12 ---- */

static void before_register(struct vrf_call *call) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(call->shadow);
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (info == NULL || call->args.memory.length <= info->MaxRegistrationSize ||
        !begin(call, &finding, VRF_RULE_MEM_26)) {
        return;
    }
    sim_finding_say(&finding, "%s is for %llu bytes; the adapter's MaxRegistrationSize is %llu",
                    request_text(call, text), (unsigned long long)call->args.memory.length,
                    (unsigned long long)info->MaxRegistrationSize);
    vrf_find_here(call->verifier, &finding, "called");
}

static void before_deregister(struct vrf_call *call) {
    struct mr_note *note = note_of(call->verifier, call->shadow);
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (note->state == MR_REGISTERED) {
        note->state = MR_DEREGISTERING;
        return;
    }
    if (!note->is_plain || !begin(call, &finding, VRF_RULE_MEM_12)) {
        return;
    }
    sim_finding_say(&finding, "%s, which %s", request_text(call, text),
                    note->state == MR_IDLE ? "is not registered" : "is being deregistered already");
    vrf_find_here(call->verifier, &finding, "called");
}

static void before_initialize(struct vrf_call *call) {
    struct mr_note *note = note_of(call->verifier, call->shadow);

    if (note->inits_running++ == 0 || call->args.plain.first > note->pages_asked) {
        note->pages_asked = call->args.plain.first;
    }
}

/* Of those that ran side by side nobody knows which came last. */
static void initialized(struct mr_note *note, bool is_good) {
    bool is_alone = note->pages_max == 0 || note->inits_running == 1;

    if (is_good && (is_alone || note->pages_asked > note->pages_max)) {
        note->pages_max = note->pages_asked;
    }
    note->inits_running -= note->inits_running != 0;
}

static void ended(struct vrf_world *verifier, struct vrf_shadow *mr, unsigned function,
                  NTSTATUS status) {
    struct mr_note *note = note_of(verifier, mr);

    if (function == VRF_FN_INITIALIZE_FAST_REGISTER_MR) {
        initialized(note, status == STATUS_SUCCESS);
    } else if (function == VRF_FN_REGISTER_MR && status == STATUS_SUCCESS) {
        note->state = MR_REGISTERED;
        note->was_refused = false;
    } else if (function == VRF_FN_DEREGISTER_MR && note->state == MR_DEREGISTERING) {
        note->state = status == STATUS_SUCCESS ? MR_IDLE : MR_REGISTERED;
        note->was_refused = status != STATUS_SUCCESS;
    }
}

static void after_request(struct vrf_call *call) {
    if (call->result != (uint32_t)STATUS_PENDING) {
        ended(call->verifier, call->shadow, call->function, (NTSTATUS)call->result);
    }
}

static void look_at_answer(struct vrf_world *verifier, struct vrf_request *request,
                           const void *object) {
    (void)object;
    if (request->shadow->type == NdkObjectTypeMr) {
        ended(verifier, request->shadow, request->function, request->status);
    }
}

/* ---- R-OWN-22; of fast registration: watch_mem_fast.c ---- */

static void before_close(struct vrf_call *call) {
    struct mr_note *note = note_of(call->verifier, call->shadow);
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (SIM_LIKELY(note->state != MR_REGISTERED || note->was_refused) ||
        !begin(call, &finding, VRF_RULE_OWN_22)) {
        return;
    }
    sim_finding_say(&finding, "%s, which is still registered", request_text(call, text));
    vrf_find_here(call->verifier, &finding, "closed");
}

/* ---- R-MEM-16, R-MEM-17 ---- */

static void look_at_pages(struct vrf_call *call, const struct vrf_fast_register_args *args) {
    const struct mr_note *note = note_of(call->verifier, args->mr);
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (note->pages_max == 0 || note->inits_running != 0 || args->page_count <= note->pages_max ||
        !begin(call, &finding, VRF_RULE_MEM_16)) {
        return;
    }
    sim_finding_say(&finding, "%s has %u pages, and its MR was initialised for %u",
                    work_text(call, text), args->page_count, note->pages_max);
    vrf_find_here(call->verifier, &finding, "posted");
}

static bool has_aligned_pages(struct vrf_call *call, const struct vrf_fast_register_args *args) {
    enum krn_place_kind kind = krn_place_kind_of(call->verifier->world, args->pages);

    if (kind != KRN_PLACE_POOL && kind != KRN_PLACE_STACK) {
        return true;
    }
    for (ULONG i = 0; i < args->page_count; i++) {
        if ((uint64_t)args->pages[i].QuadPart % PAGE_BYTES != 0) {
            return false;
        }
    }
    return true;
}

/* What is wrong with it, or NULL. */
static const char *misfit(struct vrf_call *call, const struct vrf_fast_register_args *args) {
    uint64_t room = (uint64_t)args->page_count * PAGE_BYTES;

    if (args->fbo >= PAGE_BYTES) {
        return "an offset that is not within its first page";
    }
    if (args->length > room - args->fbo) {
        return "a length that its pages do not hold";
    }
    if ((uintptr_t)args->base % PAGE_BYTES != args->fbo) {
        return "a base address whose offset in its page is not FBO";
    }
    return has_aligned_pages(call, args) ? NULL : "a page that is not aligned";
}

static void before_fast_register(struct vrf_call *call) {
    const struct vrf_fast_register_args *args = &call->args.fast_register;
    const char *what;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (args->mr == NULL || args->page_count == 0) {
        return;
    }
    look_at_pages(call, args);
    what = misfit(call, args);
    if (what == NULL || !begin(call, &finding, VRF_RULE_MEM_17)) {
        return;
    }
    sim_finding_say(&finding, "%s has %s", work_text(call, text), what);
    vrf_find_here(call->verifier, &finding, "posted");
}

/* ---- R-MEM-21 ---- */

static void before_invalidate(struct vrf_call *call) {
    struct vrf_shadow *object = call->args.invalidate.object;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];
    char name[SIM_NAME_BYTES];

    if (object == NULL || object->type != NdkObjectTypeMr ||
        !note_of(call->verifier, object)->is_plain || !begin(call, &finding, VRF_RULE_MEM_21)) {
        return;
    }
    sim_finding_say(&finding, "%s is of %s, which is registered by NdkRegisterMr",
                    work_text(call, text), vrf_name(object, name, sizeof(name)));
    vrf_find_here(call->verifier, &finding, "posted");
}

/* ---- R-MEM-26 ---- */

static void before_bind(struct vrf_call *call) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(call->shadow);
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (info == NULL || call->args.bind.length <= info->MaxWindowSize ||
        !begin(call, &finding, VRF_RULE_MEM_26)) {
        return;
    }
    sim_finding_say(&finding, "%s is for %llu bytes; the adapter's MaxWindowSize is %llu",
                    work_text(call, text), (unsigned long long)call->args.bind.length,
                    (unsigned long long)info->MaxWindowSize);
    vrf_find_here(call->verifier, &finding, "posted");
}

/* ---- R-MEM-37 ---- */

static void look_at_adapter(struct vrf_world *verifier, struct vrf_shadow *shadow,
                            const void *object) {
    const NDK_ADAPTER_INFO *info = vrf_adapter_info(shadow);
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    (void)object;
    if (shadow->type != NdkObjectTypeAdapter || info == NULL ||
        info->FRMRPageCount >= FRMR_PAGES_LEAST ||
        !vrf_find_begin(verifier, &finding, VRF_RULE_MEM_37, shadow)) {
        return;
    }
    sim_finding_say(&finding, "FRMRPageCount of %s is %u, less than %u",
                    vrf_name(shadow, name, sizeof(name)), info->FRMRPageCount, FRMR_PAGES_LEAST);
    vrf_find_here(verifier, &finding, "opened");
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_CREATE_MR, before_create, NULL},
    {VRF_FN_REGISTER_MR, before_register, after_request},
    {VRF_FN_DEREGISTER_MR, before_deregister, after_request},
    {VRF_FN_CLOSE_MR, before_close, NULL},
    {VRF_FN_INITIALIZE_FAST_REGISTER_MR, before_initialize, after_request},
    {VRF_FN_FAST_REGISTER, before_fast_register, NULL},
    {VRF_FN_INVALIDATE, before_invalidate, NULL},
    {VRF_FN_BIND, before_bind, NULL},
};

const struct vrf_watcher vrf_watch_mem = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .born = look_at_adapter,
    .answer = look_at_answer,
};
