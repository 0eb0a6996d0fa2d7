/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware's mailbox: one command after the other, each answered by an event. */
#include "nic.h"

#include <string.h>

/* What a command works on and answers with. */
struct job {
    const struct mbx_command *command;
    void *object; /* of the kind that its opcode names */
    uint32_t number, value;
};

typedef enum mbx_status run_fn(struct mbx_nic *nic, struct job *job);

static enum mbx_status create_pd(struct mbx_nic *nic, struct job *job) {
    /* The privilege is a region that holds nothing, so that no peer and no other PD may use it. */
    const struct mbx_region_body nothing = {.page_count = 1};
    struct mbx_pd *pd = sim_alloc(nic->world, sizeof(*pd));

    pd->number = mbx_table_add(nic, &nic->pds, pd);
    if (pd->number != 0 &&
        mbx_region_create(nic, &nothing, true, &pd->privileged_token) == MBX_OK) {
        job->number = pd->number;
        job->value = pd->privileged_token;
        return MBX_OK;
    }
    if (pd->number != 0)
        mbx_table_remove(&nic->pds, pd->number);
    sim_free(nic->world, pd, sizeof(*pd));
    return MBX_NO_RESOURCES;
}

static enum mbx_status destroy_pd(struct mbx_nic *nic, struct job *job) {
    struct mbx_pd *pd = job->object;

    mbx_region_destroy(nic, pd->privileged_token);
    mbx_table_remove(&nic->pds, pd->number);
    sim_free(nic->world, pd, sizeof(*pd));
    return MBX_OK;
}

static enum mbx_status create_cq(struct mbx_nic *nic, struct job *job) {
    return mbx_cq_create(nic, &job->command->body.cq, &job->number);
}

static enum mbx_status resize_cq(struct mbx_nic *nic, struct job *job) {
    return mbx_cq_resize(nic, job->object, &job->command->body.cq);
}

static enum mbx_status destroy_cq(struct mbx_nic *nic, struct job *job) {
    mbx_cq_destroy(nic, job->object);
    return MBX_OK;
}

static enum mbx_status create_qp(struct mbx_nic *nic, struct job *job) {
    return mbx_qp_create(nic, &job->command->body.qp, &job->number);
}

static enum mbx_status flush_qp(struct mbx_nic *nic, struct job *job) {
    mbx_qp_flush(nic, job->object, MBX_FLUSHED);
    return MBX_OK;
}

static enum mbx_status destroy_qp(struct mbx_nic *nic, struct job *job) {
    if (((const struct mbx_qp *)job->object)->connection != NULL)
        return MBX_BAD_STATE;
    mbx_qp_destroy(nic, job->object);
    return MBX_OK;
}

static enum mbx_status create_region(struct mbx_nic *nic, struct job *job) {
    const struct mbx_region_body *body = &job->command->body.region;

    if (mbx_table_find(&nic->pds, body->pd) == NULL || body->page_count == 0)
        return MBX_BAD_OBJECT;
    return mbx_region_create(nic, body, job->command->opcode == MBX_CREATE_FAST, &job->value);
}

static enum mbx_status deregister(struct mbx_nic *nic, struct job *job) {
    return mbx_region_destroy(nic, job->command->object) ? MBX_OK : MBX_BAD_OBJECT;
}

static enum mbx_status run_listen(struct mbx_nic *nic, struct job *job) {
    return mbx_listen(nic, &job->command->body.listen, &job->number, &job->value);
}

static enum mbx_status destroy_listener(struct mbx_nic *nic, struct job *job) {
    mbx_listener_destroy(nic, job->object);
    return MBX_OK;
}

static enum mbx_status create_connection(struct mbx_nic *nic, struct job *job) {
    return mbx_connection_create(nic, &job->number);
}

static enum mbx_status run_connect(struct mbx_nic *nic, struct job *job) {
    return mbx_connect(nic, job->object, &job->command->body.connect, &job->value);
}

static enum mbx_status run_accept(struct mbx_nic *nic, struct job *job) {
    return mbx_accept(nic, job->object, &job->command->body.connect);
}

static enum mbx_status run_confirm(struct mbx_nic *nic, struct job *job) {
    return mbx_confirm(nic, job->object);
}

static enum mbx_status run_reject(struct mbx_nic *nic, struct job *job) {
    return mbx_reject(nic, job->object, &job->command->body.connect);
}

static enum mbx_status run_disconnect(struct mbx_nic *nic, struct job *job) {
    return mbx_disconnect(nic, job->object);
}

static enum mbx_status close_connection(struct mbx_nic *nic, struct job *job) {
    mbx_connection_close(nic, job->object);
    return MBX_OK;
}

#define TABLE(member) (offsetof(struct mbx_nic, member))

static const struct {
    run_fn *run;
    size_t table;  /* of the object that it names; 0: none */
    bool may_lack; /* it takes something that there may be too little of */
} commands[MBX_OPCODE_COUNT] = {
    [MBX_CREATE_PD] = {create_pd, 0, true},
    [MBX_DESTROY_PD] = {destroy_pd, TABLE(pds), false},
    [MBX_CREATE_CQ] = {create_cq, 0, true},
    [MBX_RESIZE_CQ] = {resize_cq, TABLE(cqs), true},
    [MBX_DESTROY_CQ] = {destroy_cq, TABLE(cqs), false},
    [MBX_CREATE_QP] = {create_qp, 0, true},
    [MBX_FLUSH_QP] = {flush_qp, TABLE(qps), false},
    [MBX_DESTROY_QP] = {destroy_qp, TABLE(qps), false},
    [MBX_REGISTER] = {create_region, 0, true},
    [MBX_CREATE_FAST] = {create_region, 0, true},
    [MBX_DEREGISTER] = {deregister, 0, false},
    [MBX_LISTEN] = {run_listen, 0, true},
    [MBX_DESTROY_LISTENER] = {destroy_listener, TABLE(listeners), false},
    [MBX_CREATE_CONNECTION] = {create_connection, 0, true},
    [MBX_CONNECT] = {run_connect, TABLE(connections), false},
    [MBX_ACCEPT] = {run_accept, TABLE(connections), false},
    [MBX_CONFIRM] = {run_confirm, TABLE(connections), false},
    [MBX_REJECT] = {run_reject, TABLE(connections), false},
    [MBX_DISCONNECT] = {run_disconnect, TABLE(connections), false},
    [MBX_CLOSE_CONNECTION] = {close_connection, TABLE(connections), false},
};

static enum mbx_status execute(struct mbx_nic *nic, struct job *job) {
    uint32_t opcode = job->command->opcode;

    if (opcode >= MBX_OPCODE_COUNT || commands[opcode].run == NULL)
        return MBX_BAD_COMMAND;
    if (commands[opcode].table != 0) {
        job->object = mbx_table_find(
            (const struct mbx_table *)(const void *)((const char *)nic + commands[opcode].table),
            job->command->object);
        if (job->object == NULL)
            return MBX_BAD_OBJECT;
    }
    if (commands[opcode].may_lack &&
        sim_fault_hit(nic->world, &mbx_fault_command, &nic->bus.object, NULL))
        return MBX_NO_RESOURCES;
    return commands[opcode].run(nic, job);
}

void mbx_firmware_step(struct sim_world *world, struct sim_event *event) {
    struct mbx_nic *nic = SIM_CONTAINER_OF(event, struct mbx_nic, firmware);
    struct mbx_command command;
    struct job job = {.command = &command};
    struct mbx_event answer = {.type = MBX_EVENT_COMMAND};
    uint64_t at = nic->command_base +
                  (nic->command_head & (MBX_COMMAND_COUNT - 1)) * (uint64_t)sizeof(command);

    if ((nic->status & MBX_STATUS_READY) == 0 || nic->command_head == nic->command_tail)
        return;
    if (sim_fault_hit(world, &mbx_fault_fatal, &nic->bus.object, NULL) ||
        !mbx_dma_read(nic, at, &command, sizeof(command))) {
        mbx_fatal(nic);
        return;
    }
    nic->command_head++;
    answer.status = execute(nic, &job);
    answer.object = job.number;
    answer.body.answer.tag = command.tag;
    answer.body.answer.value = job.value;
    sim_trace(world, nic->events[MBX_TRACE_COMMAND], SIM_ACCESS_NONE, &nic->bus.object, NULL, NULL,
              command.opcode, answer.status);
    mbx_event_push(nic, &answer);
    if (nic->command_head != nic->command_tail)
        sim_event_schedule(world, &nic->firmware, MBX_COMMAND_NS);
}

/* ---- The end of everything: without completions, without a word to peers ---- */

static void drop_connections(struct mbx_nic *nic) {
    struct mbx_connection *connection;
    uint32_t slot = 0;

    while ((connection = mbx_table_next(&nic->connections, &slot)) != NULL) {
        mbx_stream_drop(nic, connection);
        mbx_reads_drop(nic, connection);
        sim_event_cancel(nic->world, &connection->deadline);
        sim_free(nic->world, connection, sizeof(*connection));
    }
    for (size_t i = 0; i < MBX_GHOST_COUNT; i++) {
        sim_event_cancel(nic->world, &nic->ghosts[i].timer);
        nic->ghosts[i].wire = 0;
    }
}

void mbx_drop_all(struct mbx_nic *nic) {
    uint32_t slot = 0;
    void *object;

    drop_connections(nic);
    while ((object = mbx_table_next(&nic->qps, &slot)) != NULL) {
        struct mbx_qp *qp = object;

        sim_free(nic->world, qp->sent, qp->send_count * sizeof(*qp->sent));
        sim_free(nic->world, qp, sizeof(*qp));
    }
    for (slot = 0; (object = mbx_table_next(&nic->cqs, &slot)) != NULL;)
        sim_free(nic->world, object, sizeof(struct mbx_cq));
    for (slot = 0; (object = mbx_table_next(&nic->listeners, &slot)) != NULL;)
        sim_free(nic->world, object, sizeof(struct mbx_listener));
    for (slot = 0; (object = mbx_table_next(&nic->pds, &slot)) != NULL;)
        sim_free(nic->world, object, sizeof(struct mbx_pd));
    for (slot = 0; (object = mbx_table_next(&nic->regions, &slot)) != NULL;) {
        struct mbx_region *region = object;

        sim_free(nic->world, region->pages, region->page_count * sizeof(*region->pages));
        sim_free(nic->world, region, sizeof(*region));
    }
    mbx_table_clear(nic, &nic->connections, 0);
    mbx_table_clear(nic, &nic->wires, 0);
    mbx_table_clear(nic, &nic->qps, 0);
    mbx_table_clear(nic, &nic->cqs, 0);
    mbx_table_clear(nic, &nic->listeners, 0);
    mbx_table_clear(nic, &nic->pds, 0);
    mbx_table_clear(nic, &nic->regions, 0);
    nic->rung_first = NULL;
    nic->rung_last = &nic->rung_first;
}
