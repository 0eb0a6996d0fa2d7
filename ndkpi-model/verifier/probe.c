/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look into completion queues when nothing moves any more (R-CQ-07, R-CQ-24). Whether results lie
 * in a queue can only be asked of its provider, in a thread of the consumer's node. In the
 * scheduler; the run is over, and what moves now is only what the question needs.
 */
#include <krn/node.h>
#include <vrf/verifier.h>

#include "find.h"
#include "world.h"

/* An arm that is younger may be met any moment. */
#define ARM_AGE_NS SIM_NS_PER_MS
#define PROBE_LIMIT_NS SIM_NS_PER_MS

struct probe {
    struct vrf_shadow *cq;
    NDK_RESULT result;
    ULONG count;
    bool is_done;
};

static void probe_main(void *argument) {
    struct probe *probe = argument;
    const NDK_CQ_DISPATCH *provider = probe->cq->dispatch;

    probe->count =
        provider->NdkGetCqResults((NDK_CQ *)(uintptr_t)probe->cq->pointer, &probe->result, 1);
    probe->is_done = true;
}

static bool is_done(struct sim_world *world, void *context) {
    const struct probe *probe = context;

    (void)world;
    return probe->is_done;
}

/*
 * Everything that was in it when the last notification began was taken, so whatever is in it now
 * meets an arm of type ANY.
 */
static bool is_worth_it(const struct vrf_world *verifier, const struct vrf_shadow *cq) {
    const struct vrf_cq_part *part = &cq->part.cq;

    return cq->type == NdkObjectTypeCq && cq->phase == VRF_OPEN && part->is_armed &&
           part->armed_type == NDK_CQ_NOTIFY_ANY && part->event != NULL &&
           (part->is_drained || part->notified_ns == 0) && part->polls_running == 0 &&
           cq->callback_count == 0 && part->outstanding_count != 0 && !part->may_overrun &&
           cq->client->node != NULL && !vrf_is_off(cq) &&
           sim_now_ns(verifier->world) - part->armed_ns >= ARM_AGE_NS;
}

/*
 * R-CQ-24: a consumer that relies on notifications did not arm again, or did so while it had left
 * results there, and so is not told of them.
 */
static bool is_forgotten(const struct vrf_world *verifier, const struct vrf_shadow *cq) {
    const struct vrf_cq_part *part = &cq->part.cq;

    return cq->type == NdkObjectTypeCq && cq->phase == VRF_OPEN &&
           (!part->is_armed || (part->armed_type == NDK_CQ_NOTIFY_ANY && !part->is_drained)) &&
           part->event != NULL && part->notified_ns != 0 && part->polls_running == 0 &&
           cq->callback_count == 0 && part->outstanding_count != 0 && !part->may_overrun &&
           cq->client->node != NULL && !vrf_is_off(cq) &&
           sim_now_ns(verifier->world) - part->notified_ns >= ARM_AGE_NS;
}

/* The result that lies in it, or NULL. */
static const NDK_RESULT *look_into(struct vrf_world *verifier, struct vrf_shadow *cq) {
    struct probe *probe = sim_alloc(verifier->world, sizeof(*probe));

    probe->cq = cq;
    krn_node_thread(cq->client->node, "probe", probe_main, probe);
    sim_run(verifier->world, is_done, probe, sim_now_ns(verifier->world) + PROBE_LIMIT_NS);
    return probe->is_done && probe->count != 0 ? &probe->result : NULL;
}

/* What a QP that is closing left behind is often thrown away: that is no oversight. */
static bool holds_success(struct vrf_world *verifier, struct vrf_shadow *cq) {
    const NDK_RESULT *result = look_into(verifier, cq);
    const struct vrf_shadow *qp =
        result != NULL ? vrf_slab_find(&verifier->shadows, result->QPContext, NULL) : NULL;

    return qp != NULL && result->Status == STATUS_SUCCESS && qp->phase == VRF_OPEN;
}

static bool find_forgotten(struct vrf_world *verifier, struct vrf_shadow *cq, uint64_t stuck_ns) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    char since[32];

    if (!vrf_find_begin(verifier, &finding, VRF_RULE_CQ_24, cq)) {
        return false;
    }
    sim_finding_say(&finding,
                    "%s notified %s ago and was %s, results lie in it, and nothing moves any more",
                    vrf_name(cq, name, sizeof(name)),
                    vrf_time_text(stuck_ns - cq->part.cq.notified_ns, since, sizeof(since)),
                    cq->part.cq.is_armed ? "armed again before it was drained" : "not armed again");
    vrf_find_site(verifier, &finding, "made", &cq->made);
    vrf_say_owed(verifier->world, &finding);
    return vrf_find(verifier, &finding);
}

static bool find_unmet(struct vrf_world *verifier, struct vrf_shadow *cq, uint64_t stuck_ns) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];
    char since[32];

    if (!vrf_find_begin(verifier, &finding, VRF_RULE_CQ_07, cq)) {
        return false;
    }
    sim_finding_say(&finding,
                    "%s was armed %s ago and nothing has moved since, but results lie in it and no "
                    "notification came",
                    vrf_name(cq, name, sizeof(name)),
                    vrf_time_text(stuck_ns - cq->part.cq.armed_ns, since, sizeof(since)));
    vrf_find_site(verifier, &finding, "made", &cq->made);
    vrf_say_owed(verifier->world, &finding);
    return vrf_find(verifier, &finding);
}

static bool blame_arms(struct vrf_world *verifier) {
    uint64_t stuck_ns = sim_now_ns(verifier->world);

    for (struct vrf_shadow *cq = verifier->shadow_first; cq != NULL; cq = cq->next) {
        if (is_worth_it(verifier, cq) && look_into(verifier, cq) != NULL &&
            find_unmet(verifier, cq, stuck_ns)) {
            return true;
        }
    }
    return false;
}

static bool blame_forgotten(struct vrf_world *verifier) {
    uint64_t stuck_ns = sim_now_ns(verifier->world);

    for (struct vrf_shadow *cq = verifier->shadow_first; cq != NULL; cq = cq->next) {
        if (is_forgotten(verifier, cq) && holds_success(verifier, cq) &&
            find_forgotten(verifier, cq, stuck_ns)) {
            return true;
        }
    }
    return false;
}

bool vrf_blame_arms(struct sim_world *world) {
    return vrf_blame_waits(vrf_world_of(world), blame_arms);
}

bool vrf_blame_forgotten(struct sim_world *world) {
    return vrf_blame_waits(vrf_world_of(world), blame_forgotten);
}
