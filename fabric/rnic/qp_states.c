/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MODIFY_QP: the legal transitions and the attributes each needs and takes, as one constant table
 * (IBTA 11.2.4.2). Every cell that is not there is illegal.
 */
#include "qp.h"

#include <string.h>

#include <sim/machine.h>
#include <sim/memory.h>
#include <wire/timers.h>

#include "device.h"

struct transition {
    uint32_t required;
    uint32_t allowed; /* beyond the required */
    bool legal;
};

enum {
    A_RIGHTS = RNIC_ATTR_RIGHTS,
    A_PKEY = RNIC_ATTR_PKEY,
    A_QKEY = RNIC_ATTR_QKEY,
    A_RNR_TIMER = RNIC_ATTR_MIN_RNR_TIMER,
    A_TO_RTR = RNIC_ATTR_ADDRESS | RNIC_ATTR_PATH_MTU | RNIC_ATTR_DEST_QPN | RNIC_ATTR_RQ_PSN |
               RNIC_ATTR_READS_IN | RNIC_ATTR_MIN_RNR_TIMER,
    A_TO_RTS = RNIC_ATTR_SQ_PSN | RNIC_ATTR_TIMEOUT | RNIC_ATTR_RETRY_COUNT | RNIC_ATTR_RNR_RETRY |
               RNIC_ATTR_READS_OUT,
};

/* clang-format off */
static const struct transition transitions[2][RNIC_QPS_COUNT][RNIC_QPS_COUNT] = {
    [RNIC_QP_RC] = {
        [RNIC_QPS_RESET] = {[RNIC_QPS_RESET] = {0, 0, true},
                            [RNIC_QPS_INIT] = {A_RIGHTS, A_PKEY, true},
                            [RNIC_QPS_ERR] = {0, 0, true}},
        [RNIC_QPS_INIT] = {[RNIC_QPS_RESET] = {0, 0, true},
                           [RNIC_QPS_INIT] = {0, A_RIGHTS | A_PKEY, true},
                           [RNIC_QPS_RTR] = {A_TO_RTR, A_RIGHTS | A_PKEY, true},
                           [RNIC_QPS_ERR] = {0, 0, true}},
        [RNIC_QPS_RTR] = {[RNIC_QPS_RESET] = {0, 0, true},
                          [RNIC_QPS_RTS] = {A_TO_RTS, A_RIGHTS | A_RNR_TIMER, true},
                          [RNIC_QPS_ERR] = {0, 0, true}},
        [RNIC_QPS_RTS] = {[RNIC_QPS_RESET] = {0, 0, true},
                          [RNIC_QPS_RTS] = {0, A_RIGHTS | A_RNR_TIMER, true},
                          [RNIC_QPS_ERR] = {0, 0, true}},
        [RNIC_QPS_ERR] = {[RNIC_QPS_RESET] = {0, 0, true},
                          [RNIC_QPS_ERR] = {0, 0, true}},
    },
    [RNIC_QP_GSI] = {
        [RNIC_QPS_RESET] = {[RNIC_QPS_RESET] = {0, 0, true},
                            [RNIC_QPS_INIT] = {A_QKEY, A_PKEY, true},
                            [RNIC_QPS_ERR] = {0, 0, true}},
        [RNIC_QPS_INIT] = {[RNIC_QPS_RESET] = {0, 0, true},
                           [RNIC_QPS_INIT] = {0, A_QKEY | A_PKEY, true},
                           [RNIC_QPS_RTR] = {0, A_QKEY | A_PKEY, true},
                           [RNIC_QPS_ERR] = {0, 0, true}},
        [RNIC_QPS_RTR] = {[RNIC_QPS_RESET] = {0, 0, true},
                          [RNIC_QPS_RTS] = {RNIC_ATTR_SQ_PSN, A_QKEY, true},
                          [RNIC_QPS_ERR] = {0, 0, true}},
        [RNIC_QPS_RTS] = {[RNIC_QPS_RESET] = {0, 0, true},
                          [RNIC_QPS_RTS] = {0, A_QKEY, true},
                          [RNIC_QPS_ERR] = {0, 0, true}},
        [RNIC_QPS_SQE] = {[RNIC_QPS_RESET] = {0, 0, true},
                          [RNIC_QPS_RTS] = {0, A_QKEY, true},
                          [RNIC_QPS_ERR] = {0, 0, true}},
        [RNIC_QPS_ERR] = {[RNIC_QPS_RESET] = {0, 0, true},
                          [RNIC_QPS_ERR] = {0, 0, true}},
    },
};
/* clang-format on */

static const char *const names[RNIC_QPS_COUNT] = {"RESET", "INIT", "RTR", "RTS",
                                                  "SQD",   "SQE",  "ERR"};

const char *rnic_qp_state_name(uint32_t state) {
    return state < RNIC_QPS_COUNT ? names[state] : "?";
}

/* Both services' steps; those to ERR are the device's own too. */
void rnic_qp_machine_register(struct sim_world *world) {
    struct sim_machine *machine = sim_alloc(world, sizeof(*machine));
    uint64_t *next = sim_alloc(world, RNIC_QPS_COUNT * sizeof(*next));
    for (uint32_t from = 0; from < RNIC_QPS_COUNT; from++) {
        next[from] = 0;
        for (uint32_t to = 0; to < RNIC_QPS_COUNT; to++) {
            if (from != to && (transitions[RNIC_QP_RC][from][to].legal ||
                               transitions[RNIC_QP_GSI][from][to].legal))
                next[from] |= UINT64_C(1) << to;
        }
    }
    *machine = (struct sim_machine){.name = "device qp",
                                    .event = "qp.state",
                                    .is_packed = true,
                                    .state_count = RNIC_QPS_COUNT,
                                    .states = names,
                                    .next = next};
    sim_machine_register(world, machine);
}

void rnic_qp_set_state(struct rnic_qp *qp, enum rnic_qp_state state, enum rnic_syndrome syndrome) {
    sim_trace(qp->device->world, RNIC_TRACE_QP_STATE, SIM_ACCESS_WRITE, qp->object, NULL, NULL,
              (uint64_t)qp->state << 8 | state, syndrome);
    qp->state = (uint8_t)state;
    qp->syndrome = (uint8_t)syndrome;
    qp->object->state = rnic_qp_state_name(state);
}

static const uint32_t rights_remote =
    RNIC_RIGHT_REMOTE_READ | RNIC_RIGHT_REMOTE_WRITE | RNIC_RIGHT_BIND;

static enum rnic_status values_check(const struct rnic_config *config,
                                     const struct rnic_qp_attributes *a) {
    uint32_t mask = a->mask;
    if ((mask & RNIC_ATTR_RIGHTS) != 0 && (a->rights & ~rights_remote) != 0)
        return RNIC_STATUS_BAD_PARAMETER;
    if ((mask & RNIC_ATTR_PATH_MTU) != 0 && wire_mtu_bytes(a->path_mtu) == 0)
        return RNIC_STATUS_BAD_PARAMETER;
    if ((mask & RNIC_ATTR_PATH_MTU) != 0 && a->path_mtu > config->path_mtu_max)
        return RNIC_STATUS_LIMIT;
    if ((mask & RNIC_ATTR_READS_IN) != 0 && a->reads_in > config->reads_in_max)
        return RNIC_STATUS_LIMIT;
    if ((mask & RNIC_ATTR_READS_OUT) != 0 && a->reads_out > config->reads_out_max)
        return RNIC_STATUS_LIMIT;
    if ((mask & RNIC_ATTR_TIMEOUT) != 0 && a->timeout >= WIRE_TIMER_CODE_COUNT)
        return RNIC_STATUS_BAD_PARAMETER;
    if ((mask & RNIC_ATTR_MIN_RNR_TIMER) != 0 && a->min_rnr_timer >= WIRE_TIMER_CODE_COUNT)
        return RNIC_STATUS_BAD_PARAMETER;
    if ((mask & RNIC_ATTR_RETRY_COUNT) != 0 && a->retry_count > WIRE_RETRY_COUNT_MAX)
        return RNIC_STATUS_BAD_PARAMETER;
    if ((mask & RNIC_ATTR_RNR_RETRY) != 0 && a->rnr_retry > WIRE_RNR_RETRY_FOREVER)
        return RNIC_STATUS_BAD_PARAMETER;
    return RNIC_STATUS_OK;
}

static void values_take(struct rnic_qp *qp, const struct rnic_qp_attributes *a) {
    struct rnic_qp_attributes *own = &qp->attributes;
    uint32_t mask = a->mask;
    own->mask |= mask;
    own->rights = mask & RNIC_ATTR_RIGHTS ? a->rights : own->rights;
    own->pkey = mask & RNIC_ATTR_PKEY ? a->pkey : own->pkey;
    own->qkey = mask & RNIC_ATTR_QKEY ? a->qkey : own->qkey;
    own->path_mtu = mask & RNIC_ATTR_PATH_MTU ? a->path_mtu : own->path_mtu;
    own->dest_qpn = mask & RNIC_ATTR_DEST_QPN ? a->dest_qpn & WIRE_QPN_MASK : own->dest_qpn;
    own->rq_psn = mask & RNIC_ATTR_RQ_PSN ? a->rq_psn & WIRE_PSN_MASK : own->rq_psn;
    own->sq_psn = mask & RNIC_ATTR_SQ_PSN ? a->sq_psn & WIRE_PSN_MASK : own->sq_psn;
    own->reads_in = mask & RNIC_ATTR_READS_IN ? a->reads_in : own->reads_in;
    own->reads_out = mask & RNIC_ATTR_READS_OUT ? a->reads_out : own->reads_out;
    own->min_rnr_timer = mask & RNIC_ATTR_MIN_RNR_TIMER ? a->min_rnr_timer : own->min_rnr_timer;
    own->timeout = mask & RNIC_ATTR_TIMEOUT ? a->timeout : own->timeout;
    own->retry_count = mask & RNIC_ATTR_RETRY_COUNT ? a->retry_count : own->retry_count;
    own->rnr_retry = mask & RNIC_ATTR_RNR_RETRY ? a->rnr_retry : own->rnr_retry;
    if ((mask & RNIC_ATTR_ADDRESS) != 0)
        own->address = a->address;
}

/* Both queues emptied, as after creation. */
static void to_reset(struct rnic_qp *qp) {
    rnic_work_forget_qp(qp->device, qp->number);
    rnic_transmit_drop(qp);
    rnic_completer_stop(qp);
    rnic_completer_init(qp);
    rnic_requester_reset(qp);
    rnic_responder_close(qp);
    memset(&qp->attributes, 0, sizeof qp->attributes);
    qp->attributes.pkey = WIRE_PKEY_DEFAULT;
}

static void enter(struct rnic_qp *qp, enum rnic_qp_state from, enum rnic_qp_state to) {
    if (to == RNIC_QPS_ERR) {
        if (from != RNIC_QPS_ERR)
            rnic_qp_enter_error(qp, RNIC_SYNDROME_NONE);
        rnic_qp_flush(qp);
        rnic_qp_release_held(qp);
        return;
    }
    /* What was posted before the failure is not sent behind it, however soon the driver is. */
    if (from == RNIC_QPS_SQE && to == RNIC_QPS_RTS)
        rnic_qp_flush(qp);
    if (qp->state != from)
        return;
    rnic_qp_set_state(qp, to, RNIC_SYNDROME_NONE);
    if (to == RNIC_QPS_RESET)
        to_reset(qp);
    else if (to == RNIC_QPS_RTR)
        rnic_responder_open(qp);
    else if (to == RNIC_QPS_RTS) {
        if (from == RNIC_QPS_RTR)
            rnic_completer_open(qp);
        rnic_requester_open(qp);
    }
}

enum rnic_status rnic_qp_modify(struct rnic_qp *qp, const struct rnic_qp_attributes *attributes) {
    uint32_t mask = attributes->mask & ~(uint32_t)(RNIC_ATTR_STATE | RNIC_ATTR_CURRENT_STATE);
    enum rnic_qp_state from = qp->state;
    enum rnic_qp_state to = from;
    if ((attributes->mask & RNIC_ATTR_STATE) != 0)
        to = attributes->state;
    if ((attributes->mask & RNIC_ATTR_CURRENT_STATE) != 0 && attributes->current_state != from)
        return RNIC_STATUS_BAD_STATE;
    if (to >= RNIC_QPS_COUNT)
        return RNIC_STATUS_BAD_PARAMETER;
    const struct transition *t = &transitions[qp->type][from][to];
    if (!t->legal || (mask & t->required) != t->required ||
        (mask & ~(t->required | t->allowed)) != 0)
        return RNIC_STATUS_BAD_STATE;
    enum rnic_status status = values_check(&qp->device->config, attributes);
    if (status == RNIC_STATUS_OK && (mask & RNIC_ATTR_ADDRESS) != 0)
        status = rnic_qp_path_open(qp, attributes);
    if (status != RNIC_STATUS_OK)
        return status;
    values_take(qp, attributes);
    if (to != from || to == RNIC_QPS_RESET || to == RNIC_QPS_ERR)
        enter(qp, from, to);
    return RNIC_STATUS_OK;
}
