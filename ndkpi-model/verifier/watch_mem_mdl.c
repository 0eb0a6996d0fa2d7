/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-MEM-04, R-MEM-05: the MDLs of a registration or mapping. Those that its length covers are
 * looked at; what the request has of them is compared when it is answered. Mapping an MDL into
 * system space changes it by right, so that only what describes its memory counts.
 */
#include "watch.h"

#define MDL_COUNT_MAX 8u

struct kept_mdl {
    const MDL *mdl;
    const MDL *next; /* of all but the last */
    const void *start;
    ULONG bytes;
    ULONG offset;
};

/* Of a request that runs. */
struct kept {
    struct kept *next;
    uint32_t serial;
    uint32_t count;
    struct kept_mdl mdls[MDL_COUNT_MAX];
};

/* Of the world. */
struct mdl_note {
    struct kept *first;
};

static const char mdl_key;

static struct mdl_note *note_of(struct vrf_world *verifier) {
    return vrf_note(verifier, &verifier->notes, &mdl_key, sizeof(struct mdl_note));
}

static struct kept *keep_begin(struct vrf_world *verifier, uint32_t serial) {
    struct mdl_note *note = note_of(verifier);
    struct kept *kept = sim_alloc(verifier->world, sizeof(*kept));

    kept->serial = serial;
    kept->next = note->first;
    note->first = kept;
    return kept;
}

/* The link to the request's record; what it holds is NULL when there is none. */
static struct kept **link_of(struct vrf_world *verifier, uint32_t serial) {
    struct kept **link = &note_of(verifier)->first;

    while (*link != NULL && (*link)->serial != serial) {
        link = &(*link)->next;
    }
    return link;
}

static void keep_end(struct vrf_world *verifier, struct kept **link) {
    struct kept *kept = *link;

    *link = kept->next;
    sim_free(verifier->world, kept, sizeof(*kept));
}

static bool is_readable(struct vrf_world *verifier, const MDL *mdl) {
    enum krn_place_kind kind = krn_place_kind_of(verifier->world, mdl);

    return kind == KRN_PLACE_POOL || kind == KRN_PLACE_STACK;
}

static void look_at_lock(struct vrf_call *call, const MDL *mdl) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if ((mdl->MdlFlags & (MDL_PAGES_LOCKED | MDL_SOURCE_IS_NONPAGED_POOL)) != 0 ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_MEM_04, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s has an MDL whose pages are not locked",
                    vrf_request_text(call->request, text, sizeof(text)));
    vrf_find_here(call->verifier, &finding, "called");
}

static void look_at_length(struct vrf_call *call, uint64_t described) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (!vrf_find_begin(call->verifier, &finding, VRF_RULE_MEM_05, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "%s is for %llu bytes, and its MDLs describe %llu",
                    vrf_request_text(call->request, text, sizeof(text)),
                    (unsigned long long)call->args.memory.length, (unsigned long long)described);
    vrf_find_here(call->verifier, &finding, "called");
}

static void keep(struct kept *kept, const MDL *mdl, bool is_last) {
    if (kept->count < MDL_COUNT_MAX) {
        kept->mdls[kept->count++] = (struct kept_mdl){.mdl = mdl,
                                                      .next = is_last ? NULL : mdl->Next,
                                                      .start = mdl->StartVa,
                                                      .bytes = mdl->ByteCount,
                                                      .offset = mdl->ByteOffset};
    }
}

static void before_request(struct vrf_call *call) {
    struct vrf_world *verifier = call->verifier;
    const MDL *mdl = call->args.memory.mdl;
    uint64_t length = call->args.memory.length;
    uint64_t described = 0;
    struct kept *kept = keep_begin(verifier, call->request->serial);

    while (mdl != NULL && described < length && is_readable(verifier, mdl)) {
        described += mdl->ByteCount;
        keep(kept, mdl, described >= length || mdl->Next == NULL);
        look_at_lock(call, mdl);
        mdl = mdl->Next;
    }
    if (mdl == NULL && call->args.memory.mdl != NULL && described < length) {
        look_at_length(call, described);
    }
}

/* Over, whether or not it ever waited. */
static void after_request(struct vrf_call *call) {
    struct kept **link = link_of(call->verifier, call->request->serial);

    if (*link != NULL && call->result != (uint32_t)STATUS_PENDING) {
        keep_end(call->verifier, link);
    }
}

/* What became of it while the request had it, or NULL. */
static const char *fate_of(struct vrf_world *verifier, const struct kept_mdl *kept) {
    enum krn_place_kind kind = krn_place_kind_of(verifier->world, kept->mdl);

    if (kind == KRN_PLACE_POOL_FREED || kind == KRN_PLACE_STACK_DEAD) {
        return "is gone";
    }
    if (kind != KRN_PLACE_POOL && kind != KRN_PLACE_STACK) {
        return NULL;
    }
    if (kept->mdl->StartVa != kept->start || kept->mdl->ByteCount != kept->bytes ||
        kept->mdl->ByteOffset != kept->offset ||
        (kept->next != NULL && kept->mdl->Next != kept->next)) {
        return "was changed";
    }
    return NULL;
}

static void look_at_kept(struct vrf_world *verifier, struct vrf_request *request,
                         const struct kept *kept) {
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    for (uint32_t i = 0; i < kept->count; i++) {
        const char *fate = fate_of(verifier, &kept->mdls[i]);

        if (fate == NULL || !vrf_find_begin(verifier, &finding, VRF_RULE_MEM_04, request->shadow)) {
            continue;
        }
        sim_finding_say(&finding, "an MDL of %s %s while the request ran",
                        vrf_request_text(request, text, sizeof(text)), fate);
        vrf_find_site(verifier, &finding, "called", &request->site);
        vrf_find_here(verifier, &finding, "answered");
        return;
    }
}

static void look_at_answer(struct vrf_world *verifier, struct vrf_request *request,
                           const void *object) {
    struct kept **link;

    (void)object;
    if (request->function != VRF_FN_REGISTER_MR && request->function != VRF_FN_BUILD_LAM) {
        return;
    }
    link = link_of(verifier, request->serial);
    if (*link != NULL) {
        look_at_kept(verifier, request, *link);
        keep_end(verifier, link_of(verifier, request->serial));
    }
}

static const struct vrf_call_watch calls[] = {
    {VRF_FN_REGISTER_MR, before_request, after_request},
    {VRF_FN_BUILD_LAM, before_request, after_request},
};

const struct vrf_watcher vrf_watch_mem_mdl = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .answer = look_at_answer,
};
