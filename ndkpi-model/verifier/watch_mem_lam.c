/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-MEM-28, 33, 34, 36: mappings, and what goes by logical addresses. A consumer may keep a copy of
 * a mapping and release that: mappings are told apart by what they hold, too. A page may be in
 * several mappings; the last one that stands counts.
 */
#include "watch.h"

#include <sim/path.h>

#define PAGE_BYTES 4096u
#define USE_COUNT 128u

struct mapping {
    struct mapping *next;
    struct vrf_shadow *adapter; /* NULL: the record is free */
    const NDK_LOGICAL_ADDRESS_MAPPING *pointer;
    const void *context; /* AdapterContext, as the provider left it */
    uint32_t count;
    uint32_t room;
    uint64_t low;
    uint64_t high;
    uint64_t pages[];
};

/* Of the world. */
struct lam_note {
    struct mapping *first;
};

/* Of a QP: its last requests that use mappings, with their first and last page. */
struct use {
    uint32_t serial;
    uint64_t pages[2];
};
struct use_note {
    uint32_t next;
    struct use uses[USE_COUNT];
};

static const char lam_key, use_key;

static struct lam_note *note_of(struct vrf_world *verifier) {
    return vrf_note(verifier, &verifier->notes, &lam_key, sizeof(struct lam_note));
}

static bool is_readable(struct vrf_world *verifier, const void *address) {
    enum krn_place_kind kind = krn_place_kind_of(verifier->world, address);

    return kind == KRN_PLACE_POOL || kind == KRN_PLACE_STACK;
}

/* ---- Mappings that stand ---- */

static struct mapping *take(struct vrf_world *verifier, uint32_t count) {
    struct lam_note *note = note_of(verifier);
    struct mapping *mapping = note->first;

    while (mapping != NULL && (mapping->adapter != NULL || mapping->room < count)) {
        mapping = mapping->next;
    }
    if (mapping == NULL) {
        mapping = sim_alloc(verifier->world, sizeof(*mapping) + count * sizeof(mapping->pages[0]));
        mapping->room = count;
        mapping->next = note->first;
        note->first = mapping;
    }
    return mapping;
}

static bool is_whole(struct vrf_world *verifier, const NDK_LOGICAL_ADDRESS_MAPPING *lam) {
    return is_readable(verifier, lam) && lam->AdapterPageCount != 0 &&
           is_readable(verifier, &lam->AdapterPageArray[lam->AdapterPageCount - 1]);
}

static void built(struct vrf_world *verifier, struct vrf_shadow *adapter,
                  const NDK_LOGICAL_ADDRESS_MAPPING *lam) {
    struct mapping *mapping;

    if (!is_whole(verifier, lam)) {
        return;
    }
    mapping = take(verifier, lam->AdapterPageCount);
    mapping->adapter = adapter;
    mapping->pointer = lam;
    mapping->context = lam->AdapterContext;
    mapping->count = lam->AdapterPageCount;
    mapping->low = UINT64_MAX;
    mapping->high = 0;
    for (uint32_t i = 0; i < mapping->count; i++) {
        uint64_t page = (uint64_t)lam->AdapterPageArray[i].QuadPart / PAGE_BYTES;

        mapping->pages[i] = page;
        mapping->low = page < mapping->low ? page : mapping->low;
        mapping->high = page > mapping->high ? page : mapping->high;
    }
}

static void after_build(struct vrf_call *call) {
    if (call->result == (uint32_t)STATUS_SUCCESS) {
        built(call->verifier, call->shadow, call->args.memory.mapping);
    }
}

static void look_at_answer(struct vrf_world *verifier, struct vrf_request *request,
                           const void *object) {
    (void)object;
    if (request->function == VRF_FN_BUILD_LAM && request->status == STATUS_SUCCESS) {
        built(verifier, request->shadow, request->out_place.address);
    }
}

static bool holds(const struct mapping *mapping, uint64_t page) {
    if (page < mapping->low || page > mapping->high) {
        return false;
    }
    for (uint32_t i = 0; i < mapping->count; i++) {
        if (mapping->pages[i] == page) {
            return true;
        }
    }
    return false;
}

/* In a mapping of this miniport adapter, by whichever opening, but for `other`. */
static bool is_mapped(struct vrf_world *verifier, const struct vrf_shadow *shadow, uint64_t page,
                      const struct mapping *other) {
    const struct krn_adapter *adapter = shadow->adapter->part.adapter.adapter;

    for (const struct mapping *one = note_of(verifier)->first; one != NULL; one = one->next) {
        if (one->adapter != NULL && one != other && one->adapter->part.adapter.adapter == adapter &&
            holds(one, page)) {
            return true;
        }
    }
    return false;
}

/* ---- R-MEM-28, R-MEM-36 ---- */

static void remember(struct vrf_call *call, uint64_t first, uint64_t last) {
    struct use_note *note =
        vrf_note(call->verifier, &call->shadow->notes, &use_key, sizeof(struct use_note));

    note->uses[note->next++ % USE_COUNT] = (struct use){call->work->serial, {first, last}};
}

static void unmapped(struct vrf_call *call, uint64_t address) {
    bool is_memory =
        sim_region_of(call->verifier->world, (const void *)(uintptr_t)address) != SIM_REGION_COUNT;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (!vrf_find_begin(call->verifier, &finding, is_memory ? VRF_RULE_MEM_28 : VRF_RULE_MEM_36,
                        call->shadow)) {
        return;
    }
    vrf_work_text(call->work, text, sizeof(text));
    if (is_memory) {
        sim_finding_say(&finding, "%s has a virtual address where a logical one must be", text);
    } else {
        sim_finding_say(&finding, "%s has an address that is in no mapping that stands", text);
    }
    vrf_find_here(call->verifier, &finding, "posted");
}

/* False, with the finding made, when a piece of it is in no mapping. */
static bool look_at_range(struct vrf_call *call, uint64_t address, uint64_t length) {
    for (uint64_t page = address / PAGE_BYTES; page <= (address + length - 1) / PAGE_BYTES;
         page++) {
        if (!is_mapped(call->verifier, call->shadow, page, NULL)) {
            unmapped(call, address);
            return false;
        }
    }
    return true;
}

static void before_post(struct vrf_call *call) {
    const struct vrf_post_args *post = &call->args.post;
    uint32_t token = call->shadow->parent->part.pd.privileged_token;
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;

    if (SIM_LIKELY(token == 0) || post->sgl == NULL || (post->flags & NDK_OP_FLAG_INLINE) != 0) {
        return;
    }
    for (ULONG i = 0; i < post->sge_count; i++) {
        uint64_t address = (uint64_t)post->sgl[i].LogicalAddress.QuadPart;

        if (post->sgl[i].MemoryRegionToken != token || post->sgl[i].Length == 0 ||
            !look_at_range(call, address, post->sgl[i].Length)) {
            continue;
        }
        last = (address + post->sgl[i].Length - 1) / PAGE_BYTES;
        first = first == UINT64_MAX ? address / PAGE_BYTES : first;
    }
    if (first != UINT64_MAX && call->shadow->type == NdkObjectTypeQp) {
        remember(call, first, last);
    }
}

static void before_fast_register(struct vrf_call *call) {
    const struct vrf_fast_register_args *args = &call->args.fast_register;

    if (args->page_count == 0 || !is_readable(call->verifier, args->pages)) {
        return;
    }
    for (ULONG i = 0; i < args->page_count; i++) {
        if (!look_at_range(call, (uint64_t)args->pages[i].QuadPart, 1)) {
            return;
        }
    }
    remember(call, (uint64_t)args->pages[0].QuadPart / PAGE_BYTES,
             (uint64_t)args->pages[args->page_count - 1].QuadPart / PAGE_BYTES);
}

/* ---- R-MEM-33 ---- */

/* What a mapping looks like but for its context. */
static bool is_like(const struct mapping *mapping, const NDK_LOGICAL_ADDRESS_MAPPING *lam) {
    return mapping->count == lam->AdapterPageCount &&
           mapping->pages[0] == (uint64_t)lam->AdapterPageArray[0].QuadPart / PAGE_BYTES;
}

/* The record of what is released: the same place and contents, a copy, or what became of it. */
static struct mapping *released(struct vrf_call *call, const NDK_LOGICAL_ADDRESS_MAPPING *lam) {
    struct mapping *copy = NULL;
    struct mapping *spoilt = NULL;

    for (struct mapping *one = note_of(call->verifier)->first; one != NULL; one = one->next) {
        if (one->adapter != call->shadow || !is_like(one, lam)) {
            continue;
        }
        if (one->context != lam->AdapterContext) {
            spoilt = one->pointer == lam ? one : spoilt;
        } else if (one->pointer == lam) {
            return one;
        } else {
            copy = one;
        }
    }
    return copy != NULL ? copy : spoilt;
}

static void look_at_context(struct vrf_call *call, const struct mapping *mapping) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    if (mapping->context == call->args.memory.mapping->AdapterContext ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_MEM_33, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "AdapterContext of a mapping of %s was changed before its release",
                    vrf_name(call->shadow, name, sizeof(name)));
    vrf_find_here(call->verifier, &finding, "released");
}

/* ---- R-MEM-34 ---- */

static const struct use_note *uses_of(const struct vrf_shadow *qp) {
    const struct vrf_note *note = qp->notes;

    while (note != NULL && note->key != &use_key) {
        note = note->next;
    }
    return note != NULL ? (const struct use_note *)note->data : NULL;
}

/* The request needs this mapping and no other will do. */
static bool needs(struct vrf_world *verifier, const struct use_note *note,
                  const struct vrf_work *work, const struct mapping *mapping) {
    for (uint32_t i = 0; i < USE_COUNT; i++) {
        const struct use *use = &note->uses[i];

        if (use->serial != work->serial) {
            continue;
        }
        for (uint32_t k = 0; k < SIM_ARRAY_COUNT(use->pages); k++) {
            if (holds(mapping, use->pages[k]) &&
                !is_mapped(verifier, mapping->adapter, use->pages[k], mapping)) {
                return true;
            }
        }
    }
    return false;
}

/* What gives no result is let pass, and so are queues whose results may be lost by right. */
static void look_at_queue(struct vrf_call *call, const struct vrf_queue *queue,
                          const struct mapping *mapping) {
    const struct use_note *note = uses_of(queue->owner);
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (note == NULL || queue->cq == NULL || queue->cq->part.cq.may_overrun) {
        return;
    }
    for (const struct vrf_work *work = queue->first; work != NULL; work = work->next) {
        if (vrf_work_is_silent(work) || work->is_in_call ||
            !needs(call->verifier, note, work, mapping) ||
            !vrf_find_begin(call->verifier, &finding, VRF_RULE_MEM_34, call->shadow)) {
            continue;
        }
        sim_finding_say(&finding, "the mapping of %s is released before its result was taken",
                        vrf_work_text(work, text, sizeof(text)));
        vrf_find_work_site(call->verifier, &finding, "posted", work);
        vrf_find_here(call->verifier, &finding, "released");
        return;
    }
}

static void before_release(struct vrf_call *call) {
    const NDK_LOGICAL_ADDRESS_MAPPING *lam = call->args.memory.mapping;
    struct vrf_world *verifier = call->verifier;
    struct mapping *mapping;

    if (!is_whole(verifier, lam)) {
        return;
    }
    mapping = released(call, lam);
    if (mapping == NULL) {
        return;
    }
    look_at_context(call, mapping);
    for (struct vrf_shadow *qp = verifier->live_first; qp != NULL; qp = qp->live_next) {
        if (qp->type == NdkObjectTypeQp && qp->adapter == call->shadow) {
            look_at_queue(call, qp->part.qp.initiator, mapping);
            look_at_queue(call, qp->part.qp.receive, mapping);
        }
    }
    mapping->adapter = NULL;
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_BUILD_LAM, NULL, after_build},
    {VRF_FN_RELEASE_LAM, before_release, NULL},
    {VRF_FN_FAST_REGISTER, before_fast_register, NULL},
    {VRF_FN_SEND, before_post, NULL},
    {VRF_FN_SEND_AND_INVALIDATE, before_post, NULL},
    {VRF_FN_RECEIVE, before_post, NULL},
    {VRF_FN_READ, before_post, NULL},
    {VRF_FN_WRITE, before_post, NULL},
    {VRF_FN_SRQ_RECEIVE, before_post, NULL},
};

const struct vrf_watcher vrf_watch_mem_lam = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .answer = look_at_answer,
};
