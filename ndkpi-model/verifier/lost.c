/* SPDX-License-Identifier: Apache-2.0 */
/* See lost.h. Records of networks are known by their names only. */
#include "lost.h"

static const char *const lost_names[VRF_LOST_COUNT] = {"frame.drop", "frame.corrupt",
                                                       "frame.truncate"};

static void on_lost(struct sim_world *world, struct sim_watch *watch,
                    const struct sim_record *record) {
    const struct vrf_lost *lost = SIM_CONTAINER_OF(watch, struct vrf_lost, watch);

    (void)world;
    lost->verifier->lost_ns = record->time_ns;
}

void vrf_lost_watch(struct vrf_world *verifier) {
    for (uint32_t i = 0; i < VRF_LOST_COUNT; i++) {
        struct vrf_lost *lost = &verifier->lost[i];

        if (sim_trace_type_find(verifier->world, lost_names[i], &lost->watch.type)) {
            lost->verifier = verifier;
            lost->watch.seen = on_lost;
            sim_watch_add(verifier->world, &lost->watch);
        }
    }
}

bool vrf_lost_since(const struct vrf_world *verifier, uint64_t time_ns) {
    return verifier->lost_ns != 0 && verifier->lost_ns >= time_ns;
}
