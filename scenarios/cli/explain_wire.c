/* SPDX-License-Identifier: Apache-2.0 */
/* See explain_wire.h. Packets are known by QP, direction and PSN. */
#include "cli/explain_wire.h"

#include <string.h>

#define LOOK_BACK 16u
#define DOORBELL_SQ 0u
#define PSN_MASK 0xFFFFFFu
#define READ_REQUEST 0x0Cu
#define RESPONSE_FIRST 0x0Du
#define RESPONSE_READ_LAST 0x0Fu
#define RESPONSE_READ_ONLY 0x10u
#define RESPONSE_LAST 0x12u

struct way {
    const struct sim_world *world;
    uint32_t qp; /* ids of objects: of this end ... */
    uint32_t peer;
    uint64_t index; /* of the work request */
    uint32_t psn_first, psn_last;
    bool is_running; /* its packets go out */
    bool has_sent;
    bool is_read; /* and the last response has not come */
};

static const struct sim_record *record_at(const struct scn_chronicle *chronicle, uint32_t at) {
    const struct scn_moment *moment = scn_chronicle_at(chronicle, at);

    return moment != NULL ? &moment->record : NULL;
}

static bool is_a(const struct sim_world *world, const struct sim_record *record, const char *name) {
    return record != NULL && strcmp(sim_trace_type_name(world, record->type), name) == 0;
}

uint32_t scn_wire_doorbell(const struct sim_world *world, const struct scn_chronicle *chronicle,
                           uint32_t posted) {
    const struct sim_record *post = record_at(chronicle, posted);

    for (uint32_t at = posted - 1; post != NULL && at > 0 && posted - at <= LOOK_BACK; at--) {
        const struct sim_record *record = record_at(chronicle, at);

        if (record == NULL || record->actor_id != post->actor_id)
            continue;
        if (is_a(world, record, "doorbell"))
            return record->value[0] == DOORBELL_SQ ? at : 0;
        if (record->type >= SIM_TRACE_NDK && record->type < SIM_TRACE_SCENARIO)
            return 0;
    }
    return 0;
}

static bool is_response(uint32_t opcode) {
    return opcode >= RESPONSE_FIRST && opcode <= RESPONSE_LAST;
}

/* Of the request's PSNs; those that a read's response takes are known as it comes. */
static bool is_own_psn(const struct way *way, uint32_t psn) {
    return ((psn - way->psn_first) & PSN_MASK) <= ((way->psn_last - way->psn_first) & PSN_MASK);
}

static bool is_request(struct way *way, const struct sim_record *record, uint32_t opcode,
                       uint32_t psn) {
    if (is_response(opcode))
        return false;
    if (record->object_id[0] == way->qp && way->is_running) {
        way->psn_first = way->has_sent ? way->psn_first : psn;
        way->psn_last = psn;
        way->has_sent = true;
        way->is_read = opcode == READ_REQUEST;
    }
    return way->has_sent && is_own_psn(way, psn);
}

static bool is_answer(struct way *way, uint32_t opcode, uint32_t psn) {
    if (!is_response(opcode) || !way->has_sent)
        return false;
    if (way->is_read && ((psn - way->psn_last) & PSN_MASK) == 1)
        way->psn_last = psn;
    if (!is_own_psn(way, psn))
        return false;
    if (opcode == RESPONSE_READ_LAST || opcode == RESPONSE_READ_ONLY)
        way->is_read = false;
    return true;
}

/* A request leaves this end and reaches the other; an answer goes the other way. */
static bool is_packet(struct way *way, const struct sim_record *record) {
    bool is_sent = is_a(way->world, record, "packet.send");
    uint32_t opcode = (uint32_t)(record->value[0] >> 24), psn;

    if (!is_sent && !is_a(way->world, record, "packet.receive"))
        return false;
    psn = (uint32_t)record->value[0] & PSN_MASK;
    if (is_sent == (record->object_id[0] == way->qp) && is_request(way, record, opcode, psn)) {
        way->peer = is_sent ? way->peer : record->object_id[0];
        return is_sent || record->object_id[0] != way->qp;
    }
    return record->object_id[0] == (is_sent ? way->peer : way->qp) && way->peer != 0 &&
           is_answer(way, opcode, psn);
}

static bool is_of_way(struct way *way, const struct sim_record *record) {
    if (is_a(way->world, record, "wqe.start") && record->object_id[0] == way->qp) {
        way->is_running = record->value[0] == way->index;
        return way->is_running;
    }
    if (is_a(way->world, record, "cqe") && record->object_id[1] == way->qp)
        return way->has_sent && (record->value[0] & UINT32_MAX) == way->index;
    return is_packet(way, record);
}

void scn_wire_mark(const struct sim_world *world, const struct scn_chronicle *chronicle,
                   uint32_t posted, uint32_t first, uint32_t last, unsigned char *marks) {
    uint32_t doorbell = scn_wire_doorbell(world, chronicle, posted);
    const struct sim_record *rung = record_at(chronicle, doorbell);
    struct way way = {.world = world};

    if (doorbell < first || rung == NULL)
        return;
    way.qp = rung->object_id[0];
    way.index = (rung->value[1] - 1) & UINT32_MAX;
    marks[doorbell - first] = 3;
    for (uint32_t at = doorbell + 1; at <= last; at++) {
        const struct sim_record *record = record_at(chronicle, at);

        if (record == NULL || !is_of_way(&way, record))
            continue;
        marks[at - first] = 3;
        record = record_at(chronicle, at + 1);
        if (at < last && record != NULL && is_a(world, record_at(chronicle, at), "packet.send") &&
            strncmp(sim_trace_type_name(world, record->type), "tx.", 3) == 0)
            marks[at + 1 - first] = 3;
    }
}
