/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-OWN-21; see pointers.h. The table says what each function does behind which of its pointers;
 * the one loop below looks, at the first byte and at the last element or byte.
 */
#include "pointers.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <krn/memory.h>

#include "find.h"

enum room {
    ROOM_FIXED,   /* `unit` bytes */
    ROOM_COUNTED, /* a ULONG of the arguments times `unit` */
    ROOM_TOLD, /* a ULONG that the consumer's pointer leads to, in bytes; the call may use less */
};

enum absent {
    ABSENT_NEVER,
    ABSENT_EMPTY,   /* where no byte is asked for; then anything may stand there */
    ABSENT_ALLOWED, /* NULL: not wanted, or the business of another rule */
};

struct pointer {
    const char *what;
    uint16_t at;    /* of the pointer in struct vrf_args */
    uint16_t count; /* COUNTED: of the number; TOLD: of the pointer to it */
    uint16_t unit;
    uint8_t use; /* enum krn_use */
    uint8_t room;
    uint8_t absent;
};

#define AT(member) ((uint16_t)offsetof(struct vrf_args, member))
#define FIXED(what, member, bytes, use, absent)                                                    \
    { what, AT(member), 0, bytes, KRN_USE_##use, ROOM_FIXED, ABSENT_##absent }
#define COUNTED(what, member, number, bytes, use)                                                  \
    { what, AT(member), AT(number), bytes, KRN_USE_##use, ROOM_COUNTED, ABSENT_EMPTY }
#define TOLD(what, member, size, absent)                                                           \
    { what, AT(member), AT(size), 1, KRN_USE_WRITE, ROOM_TOLD, ABSENT_##absent }
#define SIZE(member) FIXED("size", member, sizeof(ULONG), WRITE, NEVER)
#define OUT FIXED("place for the new object", out, sizeof(void *), WRITE, NEVER)

#define POINTERS_MAX 4u

#define DATA COUNTED("private data", connect.data, connect.data_length, 1, READ)
#define DESTINATION                                                                                \
    COUNTED("destination address", connect.destination, connect.destination_length, 1, READ)
#define ADDRESS COUNTED("address", address.address, address.length, 1, READ)
#define SGL COUNTED("SGL", post.sgl, post.sge_count, sizeof(NDK_SGE), READ)

/* In the order in which they are looked at: a size before what it is the size of. */
static const struct pointer pointers[VRF_FN_COUNT][POINTERS_MAX] = {
    [VRF_FN_CREATE_CQ] = {OUT, FIXED("affinity", create_cq.affinity, sizeof(GROUP_AFFINITY), READ,
                                     ALLOWED)},
    [VRF_FN_CREATE_SRQ] = {OUT, FIXED("affinity", create_srq.affinity, sizeof(GROUP_AFFINITY), READ,
                                      ALLOWED)},
    [VRF_FN_CREATE_PD] = {OUT},
    [VRF_FN_CREATE_SHARED_ENDPOINT] = {OUT, ADDRESS},
    [VRF_FN_CREATE_CONNECTOR] = {OUT},
    [VRF_FN_CREATE_LISTENER] = {OUT},
    [VRF_FN_CREATE_MR] = {OUT},
    [VRF_FN_CREATE_MW] = {OUT},
    [VRF_FN_CREATE_QP] = {OUT},
    [VRF_FN_CREATE_QP_WITH_SRQ] = {OUT},
    [VRF_FN_BUILD_LAM] = {FIXED("MDL", memory.mdl, sizeof(MDL), READ, NEVER),
                          SIZE(memory.mapping_size),
                          TOLD("mapping", memory.mapping, memory.mapping_size, EMPTY),
                          FIXED("place for the offset", memory.fbo, sizeof(ULONG), WRITE, NEVER)},
    [VRF_FN_RELEASE_LAM] = {FIXED("mapping", memory.mapping, 1, READ, NEVER)},
    [VRF_FN_REGISTER_MR] = {FIXED("MDL", memory.mdl, sizeof(MDL), READ, NEVER)},
    [VRF_FN_LISTEN] = {ADDRESS},
    [VRF_FN_CONNECT] = {COUNTED("source address", connect.source, connect.source_length, 1, READ),
                        DESTINATION, DATA},
    [VRF_FN_CONNECT_WITH_SHARED_ENDPOINT] = {DESTINATION, DATA},
    [VRF_FN_ACCEPT] = {DATA},
    [VRF_FN_ACCEPT_EX] = {DATA},
    [VRF_FN_REJECT] = {DATA},
    /* A length without a buffer is R-CONN-28. */
    [VRF_FN_GET_CONNECTION_DATA] = {SIZE(connection_data.data_length),
                                    TOLD("buffer", connection_data.data,
                                         connection_data.data_length, ALLOWED),
                                    FIXED("inbound read limit", connection_data.inbound_reads,
                                          sizeof(ULONG), WRITE, ALLOWED),
                                    FIXED("outbound read limit", connection_data.outbound_reads,
                                          sizeof(ULONG), WRITE, ALLOWED)},
#define ASKED_ADDRESS                                                                              \
    { SIZE(address.size), TOLD("address", address.address, address.size, EMPTY) }
    [VRF_FN_GET_LOCAL_ADDRESS] = ASKED_ADDRESS,
    [VRF_FN_GET_PEER_ADDRESS] = ASKED_ADDRESS,
    [VRF_FN_GET_LISTENER_ADDRESS] = ASKED_ADDRESS,
    [VRF_FN_GET_ENDPOINT_ADDRESS] = ASKED_ADDRESS,
#undef ASKED_ADDRESS
    [VRF_FN_GET_PRIVILEGED_TOKEN] = {FIXED("place for the token", out, sizeof(UINT32), WRITE,
                                           NEVER)},
    [VRF_FN_QUERY_ADAPTER_INFO] = {SIZE(query.size),
                                   TOLD("info buffer", query.info, query.size, EMPTY)},
    [VRF_FN_QUERY_EXTENSION] = {FIXED("id", query.id, sizeof(GUID), READ, NEVER),
                                FIXED("extension", query.extension, sizeof(NDK_EXTENSION_INTERFACE),
                                      WRITE, NEVER)},
    [VRF_FN_SEND] = {SGL},
    [VRF_FN_SEND_AND_INVALIDATE] = {SGL},
    [VRF_FN_RECEIVE] = {SGL},
    [VRF_FN_SRQ_RECEIVE] = {SGL},
    [VRF_FN_READ] = {SGL},
    [VRF_FN_WRITE] = {SGL},
    [VRF_FN_FAST_REGISTER] = {COUNTED("page list", fast_register.pages, fast_register.page_count,
                                      sizeof(NDK_LOGICAL_ADDRESS), READ)},
    [VRF_FN_GET_CQ_RESULTS] = {COUNTED("result array", poll.results, poll.asked, sizeof(NDK_RESULT),
                                       WRITE)},
    [VRF_FN_GET_CQ_RESULTS_EX] = {COUNTED("result array", poll.results, poll.asked, 1, WRITE)},
};

static inline const void *pointer_in(const struct vrf_args *args, size_t at) {
    const void *pointer;

    memcpy(&pointer, (const char *)args + at, sizeof(pointer));
    return pointer;
}

static inline ULONG number_at(const void *at) {
    ULONG number;

    memcpy(&number, at, sizeof(number));
    return number;
}

/* A pointer to a size was looked at before. */
static inline uint64_t bytes_of(const struct vrf_args *args, const struct pointer *pointer) {
    switch (pointer->room) {
    case ROOM_COUNTED:
        return (uint64_t)pointer->unit * number_at((const char *)args + pointer->count);
    case ROOM_TOLD:
        return number_at(pointer_in(args, pointer->count));
    default:
        return pointer->unit;
    }
}

SIM_COLD static void find_bad(struct vrf_call *call, const char *what, const void *address,
                              const char *verb, bool is_end) {
    struct vrf_world *verifier = call->verifier;
    struct sim_finding finding;
    char story[KRN_POINTER_TEXT_BYTES];
    char name[SIM_NAME_BYTES];
    struct krn_place place;

    if (!vrf_find_begin(verifier, &finding, VRF_RULE_OWN_21, call->shadow)) {
        return;
    }
    krn_place_of(verifier->world, address, &place);
    krn_pointer_story(verifier->world, address, story, sizeof(story));
    if (place.kind == KRN_PLACE_NOWHERE) {
        intptr_t high = (intptr_t)address >> 47;

        snprintf(story, sizeof(story), "%s",
                 high == 0 || high == -1 ? "an address with nothing behind it"
                                         : "a number that is no address (not canonical)");
    }
    sim_finding_say(&finding, "%s of %s was given a%s %s that cannot be %s%s: %s",
                    vrf_functions[call->function].name, vrf_name(call->shadow, name, sizeof(name)),
                    strchr("aeiou", what[0]) != NULL ? "n" : "", what, verb,
                    is_end ? " to its end" : "", story);
    krn_pointer_sites(verifier->world, address, &finding);
    vrf_find_here(verifier, &finding, "called");
}

static const char *const verbs[] = {
    [KRN_USE_READ] = "read", [KRN_USE_WRITE] = "written", [KRN_USE_CALL] = "called"};

static bool holds(struct vrf_call *call, const struct pointer *pointer) {
    struct sim_world *world = call->verifier->world;
    const void *address = pointer_in(&call->args, pointer->at);
    enum krn_use use = (enum krn_use)pointer->use;
    uint64_t bytes;

    if (address == NULL && pointer->absent == ABSENT_ALLOWED) {
        return true;
    }
    bytes = bytes_of(&call->args, pointer);
    if (bytes == 0) {
        return true;
    }
    if (SIM_UNLIKELY(!krn_place_serves(world, address, use))) {
        find_bad(call, pointer->what, address, verbs[use], false);
        return false;
    }
    if (pointer->room != ROOM_TOLD && (bytes > pointer->unit || pointer->room == ROOM_FIXED)) {
        const void *last = (const void *)((uintptr_t)address + (uintptr_t)bytes - 1);

        if (SIM_UNLIKELY(!krn_place_serves(world, last, use))) {
            find_bad(call, pointer->what, last, verbs[use], true);
            return false;
        }
    }
    return true;
}

void vrf_routine_judge(struct vrf_call *call, void (*routine)(void), const char *what) {
    const void *code;

    memcpy(&code, &routine, sizeof(code));
    if (code != NULL && call->verifier->is_judging &&
        SIM_UNLIKELY(!krn_place_serves(call->verifier->world, code, KRN_USE_CALL))) {
        find_bad(call, what, code, "called", false);
    }
}

/* Kept by nobody else: the call's frame is there until the provider has returned. */
static void told(struct vrf_call *call) {
    call->told_next = call->verifier->told_first;
    call->verifier->told_first = call;
}

void vrf_pointers_returned(struct vrf_call *call) {
    struct vrf_call **link = &call->verifier->told_first;

    while (SIM_UNLIKELY(*link != NULL)) {
        if (*link == call) {
            *link = call->told_next;
            return;
        }
        link = &(*link)->told_next;
    }
}

const struct vrf_call *vrf_pointers_tell(const struct vrf_world *verifier, const void *address,
                                         const char **what) {
    struct krn_place place;

    for (const struct vrf_call *call = verifier->told_first; call != NULL; call = call->told_next) {
        const struct pointer *list = pointers[call->function];

        krn_place_of(verifier->world, (const void *)call->frame, &place);
        for (uint32_t i = 0; place.task == sim_task_current() && i < POINTERS_MAX; i++) {
            uintptr_t start;

            if (list[i].what == NULL || list[i].room != ROOM_TOLD) {
                continue;
            }
            start = (uintptr_t)pointer_in(&call->args, list[i].at);
            if ((uintptr_t)address - start < bytes_of(&call->args, &list[i])) {
                *what = list[i].what;
                return call;
            }
        }
    }
    return NULL;
}

bool vrf_pointers_hold(struct vrf_call *call) {
    const struct pointer *list = pointers[call->function];
    bool has_told = false;

    for (uint32_t i = 0; i < POINTERS_MAX && list[i].what != NULL; i++) {
        if (!holds(call, &list[i])) {
            return false;
        }
        has_told = has_told || list[i].room == ROOM_TOLD;
    }
    if (has_told) {
        told(call);
    }
    if (call->request != NULL) {
        vrf_routine_judge(call, call->request->routine, "completion routine");
        if (call->request->event != NULL) {
            vrf_routine_judge(call, call->request->event->routine, "routine for its events");
        }
    }
    return true;
}
