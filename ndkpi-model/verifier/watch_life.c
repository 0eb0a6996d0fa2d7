/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R-LIFE: objects as they are handed over, and whose code calls through their tables. What a
 * provider wrote through a create's out pointer is looked at within the call only: later the slot
 * may be a frame that is gone, or the consumer's own business.
 */
#include "watch.h"

#include <krn/memory.h>
#include <ndksim_tables.h>

#include "interpose.h"

/* ---- At hand-over ---- */

/* All NDK objects begin alike. */
static const NDK_CQ *begin_of(const void *object) {
    return object;
}

static bool is_zero(const void *bytes, size_t count) {
    const unsigned char *byte = bytes;

    while (count > 0 && *byte == 0) {
        byte++;
        count--;
    }
    return count == 0;
}

static size_t slot_count(unsigned type) {
    static const ULONG bytes[NdkObjectTypeMax] = NDKSIM_TABLE_BYTES;

    return bytes[type] / sizeof(void *);
}

/* The number of the first empty slot, SIZE_MAX for none. */
static size_t empty_slot(const void *table, unsigned type) {
    void *const *slots = table;

    for (size_t i = 0; i < slot_count(type); i++) {
        if (slots[i] == NULL) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* R-LIFE-09, R-LIFE-12 */
static void look_table(struct vrf_world *verifier, struct vrf_shadow *shadow, const void *table) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    size_t empty;

    if (table == vrf_table_of(shadow->type)) {
        return; /* ours: the object was handed over before */
    }
    if (table == NULL) {
        if (vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_09, shadow)) {
            sim_finding_say(&finding, "%s was handed over without a dispatch table",
                            vrf_name(shadow, name, sizeof(name)));
            vrf_find_here(verifier, &finding, "now");
        }
        return;
    }
    empty = empty_slot(table, shadow->type);
    if (empty != SIZE_MAX && vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_12, shadow)) {
        sim_finding_say(&finding, "slot %zu of the dispatch table of %s is NULL", empty,
                        vrf_name(shadow, name, sizeof(name)));
        vrf_find_here(verifier, &finding, "now");
    }
}

/* R-LIFE-06, R-LIFE-07, R-LIFE-08 */
static void look_header(struct vrf_world *verifier, struct vrf_shadow *shadow,
                        const NDK_OBJECT_HEADER *header) {
    const struct vrf_adapter_part *adapter = &shadow->adapter->part.adapter;
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    vrf_name(shadow, name, sizeof(name));
    if (header->ObjectType != (NDK_OBJECT_TYPE)shadow->type &&
        vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_07, shadow)) {
        sim_finding_say(&finding, "the header of %s says type %d, it is of type %u", name,
                        (int)header->ObjectType, shadow->type);
        vrf_find_here(verifier, &finding, "now");
    }
    if ((header->Version.Major != adapter->version_major ||
         header->Version.Minor != adapter->version_minor) &&
        vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_06, shadow)) {
        sim_finding_say(&finding, "the header of %s says version %u.%u, its adapter is at %u.%u",
                        name, header->Version.Major, header->Version.Minor, adapter->version_major,
                        adapter->version_minor);
        vrf_find_here(verifier, &finding, "now");
    }
    if (!is_zero(&header->NdkReserved, sizeof(header->NdkReserved)) &&
        vrf_find_begin(verifier, &finding, VRF_RULE_LIFE_08, shadow)) {
        sim_finding_say(&finding, "the reserved block of %s is not zero", name);
        vrf_find_here(verifier, &finding, "now");
    }
}

static void look_born(struct vrf_world *verifier, struct vrf_shadow *shadow, const void *object) {
    look_header(verifier, shadow, &begin_of(object)->Header);
    look_table(verifier, shadow, begin_of(object)->Dispatch);
}

/* ---- The out pointer ---- */

static bool is_readable(struct vrf_call *call) {
    enum krn_place_kind kind = call->args.out != NULL
                                   ? krn_place_kind_of(call->verifier->world, call->args.out)
                                   : KRN_PLACE_NULL;

    return kind == KRN_PLACE_POOL || kind == KRN_PLACE_STACK;
}

/* R-LIFE-02, R-LIFE-03 */
static void look_after_create(struct vrf_call *call) {
    const struct vrf_request *request = call->request;
    bool is_pending = call->result == (uint32_t)STATUS_PENDING;
    bool is_wrong;
    struct sim_finding finding;
    char text[VRF_TEXT_BYTES];

    if (is_pending) {
        is_wrong = request->ending == VRF_OWED && is_readable(call) && *call->args.out != NULL &&
                   *call->args.out != request->out_before;
    } else {
        is_wrong = call->result == 0 && request->born->phase == VRF_UNBORN;
    }
    if (SIM_LIKELY(!is_wrong) ||
        !vrf_find_begin(call->verifier, &finding, is_pending ? VRF_RULE_LIFE_03 : VRF_RULE_LIFE_02,
                        call->shadow)) {
        return;
    }
    sim_finding_say(&finding,
                    is_pending ? "%s returned STATUS_PENDING and wrote to its out pointer"
                               : "%s returned STATUS_SUCCESS and stored no object",
                    vrf_request_text(request, text, sizeof(text)));
    vrf_find_here(call->verifier, &finding, "returned");
}

/* ---- Whose call it is ---- */

/* R-LIFE-10. Posts, polls and arms are left out: a provider makes none, and they are many. */
static void look_caller(struct vrf_call *call) {
    const struct krn_adapter *adapter = call->shadow->adapter->part.adapter.adapter;
    struct sim_finding finding;
    struct krn_driver *driver;
    uintptr_t caller;
    char name[SIM_NAME_BYTES];

    if (vrf_functions[call->function].kind == VRF_KIND_POST ||
        vrf_functions[call->function].kind == VRF_KIND_POLL || call->function == VRF_FN_ARM_CQ ||
        adapter == NULL || sim_site_walk(call->frame, &caller, 1) == 0) {
        return;
    }
    driver = krn_driver_of_code(call->verifier->world, (const void *)(caller - 1));
    if (driver == NULL || driver == call->shadow->client->driver ||
        driver != krn_ndk_provider(adapter) ||
        !vrf_find_begin(call->verifier, &finding, VRF_RULE_LIFE_10, call->shadow)) {
        return;
    }
    sim_finding_say(&finding, "the provider called %s through the dispatch table of %s",
                    vrf_functions[call->function].name, vrf_name(call->shadow, name, sizeof(name)));
    vrf_find_here(call->verifier, &finding, "called");
}

#define CREATE(function)                                                                           \
    { VRF_FN_CREATE_##function, NULL, look_after_create }
static const struct vrf_call_watch calls[] = {
    {VRF_FN_ANY, look_caller, NULL},
    CREATE(CQ),
    CREATE(PD),
    CREATE(SHARED_ENDPOINT),
    CREATE(CONNECTOR),
    CREATE(LISTENER),
    CREATE(MR),
    CREATE(MW),
    CREATE(SRQ),
    CREATE(QP),
    CREATE(QP_WITH_SRQ),
};

const struct vrf_watcher vrf_watch_life = {
    .calls = calls,
    .call_count = SIM_ARRAY_COUNT(calls),
    .born = look_born,
};
