/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shadows of NDK objects. The table maps an object's address to the last object that was there:
 * a provider's allocator may use the address of a closed object for a new one.
 */
#include "shadow.h"

#include <string.h>

#include "interpose.h"
#include "watch_call.h"
#include "work.h"

#define TABLE_BITS_FIRST 6u

void vrf_shadows_init(struct vrf_world *verifier) {
    verifier->table_bits = TABLE_BITS_FIRST;
    verifier->table =
        sim_alloc(verifier->world, sizeof(struct vrf_shadow *) << verifier->table_bits);
}

const char *vrf_type_label(unsigned type) {
    static const char *const labels[NdkObjectTypeMax] = {
        [NdkObjectTypeAdapter] = "adapter",
        [NdkObjectTypeQp] = "qp",
        [NdkObjectTypeCq] = "cq",
        [NdkObjectTypeMr] = "mr",
        [NdkObjectTypeMw] = "mw",
        [NdkObjectTypePd] = "pd",
        [NdkObjectTypeSharedEndpoint] = "shared_endpoint",
        [NdkObjectTypeConnector] = "connector",
        [NdkObjectTypeListener] = "listener",
        [NdkObjectTypeSrq] = "srq",
    };

    SIM_ASSERT(type < NdkObjectTypeMax && labels[type] != NULL);
    return labels[type];
}

/* ---- The table ---- */

/* The slot of the last shadow that was born at `pointer`, or the free one where it belongs. */
static struct vrf_shadow **slot_of(struct vrf_shadow **table, uint32_t bits, const void *pointer) {
    uint64_t mixed = (uint64_t)(uintptr_t)pointer * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t mask = (1u << bits) - 1;
    uint32_t at = (uint32_t)(mixed >> (64 - bits));

    while (table[at] != NULL && table[at]->pointer != pointer) {
        at = (at + 1) & mask;
    }
    return &table[at];
}

static void table_grow(struct vrf_world *verifier) {
    uint32_t bits = verifier->table_bits + 1;
    struct vrf_shadow **table = sim_alloc(verifier->world, sizeof(struct vrf_shadow *) << bits);

    for (uint32_t i = 0; i < 1u << verifier->table_bits; i++) {
        struct vrf_shadow *shadow = verifier->table[i];

        if (shadow != NULL) {
            *slot_of(table, bits, shadow->pointer) = shadow;
        }
    }
    sim_free(verifier->world, verifier->table, sizeof(struct vrf_shadow *) << verifier->table_bits);
    verifier->table = table;
    verifier->table_bits = bits;
}

static void table_put(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    const void *pointer = shadow->pointer;
    struct vrf_shadow **slot = slot_of(verifier->table, verifier->table_bits, pointer);

    if (*slot == NULL) {
        if ((verifier->table_count + 1) * 2 > 1u << verifier->table_bits) {
            table_grow(verifier);
            slot = slot_of(verifier->table, verifier->table_bits, pointer);
        }
        verifier->table_count++;
    }
    *slot = shadow;
}

struct vrf_shadow *vrf_shadow_find(const struct vrf_world *verifier, const void *pointer) {
    if (pointer == NULL) {
        return NULL;
    }
    return *slot_of(verifier->table, verifier->table_bits, pointer);
}

/* ---- Birth and end ---- */

struct vrf_shadow *vrf_shadow_expect(struct vrf_world *verifier, struct vrf_shadow *parent,
                                     NDK_OBJECT_TYPE type) {
    struct vrf_shadow *shadow = vrf_slab_take(&verifier->shadows);

    shadow->type = (uint8_t)type;
    shadow->phase = VRF_UNBORN;
    shadow->parent = parent;
    shadow->adapter = parent != NULL ? parent->adapter : shadow;
    shadow->client = parent != NULL ? parent->client : NULL;
    return shadow;
}

void vrf_shadow_forget(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    SIM_ASSERT(shadow->phase == VRF_UNBORN);
    vrf_queues_free(verifier, shadow);
    vrf_slab_give(&verifier->shadows, shadow);
}

/*
 * All NDK objects begin alike: the header, then the pointer to the table. A table that is ours
 * already means that the provider handed a known object over again, or copied one: its own table
 * is the one that it had before, or that of any object of the type.
 */
static void swap_table(struct vrf_world *verifier, struct vrf_shadow *shadow, void *pointer) {
    NDK_CQ *object = pointer;
    const void *ours = vrf_table_of(shadow->type);
    bool is_known = false;

    _Static_assert(offsetof(NDK_CQ, Dispatch) == offsetof(NDK_QP, Dispatch), "objects differ");
    if (object->Dispatch != ours) {
        shadow->dispatch = object->Dispatch;
        if (shadow->dispatch != NULL) {
            object->Dispatch = ours;
        }
        return;
    }
    for (const struct vrf_shadow *other = verifier->shadow_first; other != NULL;
         other = other->next) {
        if (other->type == shadow->type && other->dispatch != NULL) {
            is_known = is_known || other->pointer == pointer;
            if (!is_known || other->pointer == pointer) {
                shadow->dispatch = other->dispatch;
            }
        }
    }
    SIM_ASSERT(shadow->dispatch != NULL);
}

static void live_add(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    shadow->live_previous = verifier->live_last;
    if (verifier->live_last != NULL) {
        verifier->live_last->live_next = shadow;
    } else {
        verifier->live_first = shadow;
    }
    verifier->live_last = shadow;
}

static void live_remove(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    if (shadow->live_previous != NULL) {
        shadow->live_previous->live_next = shadow->live_next;
    } else {
        verifier->live_first = shadow->live_next;
    }
    if (shadow->live_next != NULL) {
        shadow->live_next->live_previous = shadow->live_previous;
    } else {
        verifier->live_last = shadow->live_previous;
    }
}

void vrf_shadow_bear(struct vrf_world *verifier, struct vrf_shadow *shadow, void *pointer) {
    SIM_ASSERT(shadow->phase == VRF_UNBORN);
    sim_object_init(verifier->world, &shadow->object, shadow->client->owner,
                    vrf_type_label(shadow->type), SIM_NAME_INDEXED);
    shadow->phase = VRF_OPEN;
    shadow->object.state = "open";
    shadow->pointer = pointer;
    if (verifier->is_judging) {
        vrf_watch_born(verifier, shadow, pointer);
    }
    swap_table(verifier, shadow, pointer);
    table_put(verifier, shadow);
    if (shadow->type == NdkObjectTypeQp) {
        vrf_works_born(shadow);
    }
    if (verifier->shadow_last != NULL) {
        verifier->shadow_last->next = shadow;
    } else {
        verifier->shadow_first = shadow;
    }
    verifier->shadow_last = shadow;
    live_add(verifier, shadow);
}

void vrf_shadow_end(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    live_remove(verifier, shadow);
    shadow->phase = VRF_CLOSED;
    shadow->object.state = "closed";
    shadow->object.closed = true;
    shadow->closed_ns = sim_now_ns(verifier->world);
    shadow->closing = NULL;
    vrf_shadow_bury(verifier, shadow);
}

void vrf_shadow_bury(struct vrf_world *verifier, struct vrf_shadow *shadow) {
    NDK_CQ *object = (NDK_CQ *)(uintptr_t)shadow->pointer;

    if (verifier->is_judging) {
        (void)krn_pool_inscribe(verifier->world, &object->Dispatch, vrf_table_of(shadow->type));
    }
}

bool vrf_shadow_is_buried(const struct vrf_world *verifier, const struct vrf_shadow *shadow) {
    return SIM_UNLIKELY(shadow->phase != VRF_OPEN) &&
           krn_place_kind_of(verifier->world, shadow->pointer) == KRN_PLACE_POOL_FREED;
}

/* ---- Antecedents ---- */

void vrf_shadow_rely(struct vrf_shadow *shadow, struct vrf_shadow *antecedent) {
    if (antecedent == NULL || vrf_shadow_relies_on(shadow, antecedent)) {
        return;
    }
    for (uint32_t i = 0; i < VRF_RELIED_COUNT; i++) {
        if (shadow->relied[i] == NULL || shadow->relied[i]->phase == VRF_CLOSED) {
            shadow->relied[i] = antecedent;
            return;
        }
    }
}

bool vrf_shadow_relies_on(const struct vrf_shadow *shadow, const struct vrf_shadow *antecedent) {
    if (shadow->parent == antecedent) {
        return true;
    }
    for (uint32_t i = 0; i < VRF_RELIED_COUNT; i++) {
        if (shadow->relied[i] == antecedent) {
            return true;
        }
    }
    return false;
}

/* ---- Subscriptions and clients ---- */

struct vrf_subscription *vrf_subscribe(struct vrf_world *verifier, struct vrf_shadow *shadow,
                                       void (*routine)(void), void *context, uintptr_t frame) {
    struct vrf_subscription *event = vrf_slab_take(&verifier->subscriptions);

    event->shadow = shadow;
    event->routine = routine;
    event->context = context;
    if (verifier->is_judging) {
        vrf_place_take(verifier->world, context, frame, &event->place);
    } else {
        event->place.address = context;
        event->place.kind = KRN_PLACE_NOWHERE;
    }
    return event;
}

struct vrf_client *vrf_client_of(struct vrf_world *verifier, struct krn_driver *driver,
                                 struct sim_object *owner) {
    struct vrf_client **link = &verifier->clients;

    for (; *link != NULL; link = &(*link)->next) {
        if ((*link)->driver == driver && (*link)->owner == owner) {
            return *link;
        }
    }
    *link = sim_alloc(verifier->world, sizeof(**link));
    (*link)->driver = driver;
    (*link)->owner = owner;
    return *link;
}

const char *vrf_client_name(const struct vrf_client *client) {
    return client->driver != NULL ? krn_driver_name(client->driver) : "the program";
}
