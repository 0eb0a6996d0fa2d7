/* SPDX-License-Identifier: Apache-2.0 */
/* See dump_json.h. */
#include "report/dump_json.h"

#include <krn/memory.h>
#include <krn/state.h>
#include <string.h>

#include "report/dump.h"
#include "report/report.h"
#include "report/story_json.h"

struct output {
    FILE *stream;
    const struct scn_machine *machine;
    uint32_t count; /* elements of the array so far */
};

/* In front of the next element, which is an object whose first member is a name. */
static void begin(struct output *output, const char *key, const struct sim_object *object) {
    char name[SIM_NAME_BYTES];

    fprintf(output->stream, "%s\n    {\"%s\": ", output->count++ > 0 ? "," : "", key);
    scn_json_string(output->stream, sim_object_name(object, name, sizeof(name)));
}

static void end_array(const struct output *output) {
    fputs(output->count > 0 ? "\n  ]" : "]", output->stream);
}

static void name_member(FILE *stream, const char *key, const struct sim_object *object) {
    char name[SIM_NAME_BYTES];

    if (object != NULL)
        scn_json_member(stream, key, sim_object_name(object, name, sizeof(name)));
}

static void number_member(FILE *stream, const char *key, uint64_t value) {
    fprintf(stream, ", \"%s\": %llu", key, (unsigned long long)value);
}

void scn_dump_levels_json(FILE *stream, const struct scn_machine *machine) {
    struct output output = {stream, machine, 0};

    fputc('[', stream);
    for (uint32_t i = 0; i < machine->scenario->node_count; i++) {
        const struct krn_node *node = machine->nodes[i];

        for (uint32_t cpu = 0; cpu < krn_node_cpu_count(node); cpu++) {
            begin(&output, "cpu", sim_cpu_object(krn_node_cpu(node, cpu)));
            scn_json_member(stream, "irql", krn_irql_name(sim_cpu_level(krn_node_cpu(node, cpu))));
            fputc('}', stream);
        }
    }
    end_array(&output);
}

/* ---- Contexts ---- */

static void put_frames(const struct output *output, const struct sim_standing *standing) {
    char frames[SCN_DUMP_FRAMES][SCN_DUMP_FRAME_BYTES];
    uint32_t count = scn_dump_frames(output->machine, standing, frames);

    fputs(", \"frames\": [", output->stream);
    for (uint32_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", output->stream);
        scn_json_string(output->stream, frames[i]);
    }
    fputs("]}", output->stream);
}

static void put_stack(void *context, const struct sim_standing *standing) {
    struct output *output = context;
    FILE *stream = output->stream;

    if (standing->is_idle)
        return;
    begin(output, "task", standing->task);
    scn_json_member(stream, "state", scn_dump_state(standing));
    scn_json_member(stream, "irql", krn_irql_name(standing->level));
    number_member(stream, "since_ns", standing->since_ns);
    if (standing->why != NULL)
        scn_json_member(stream, "call", standing->why);
    name_member(stream, "about", standing->what);
    name_member(stream, "holder", standing->holder);
    put_frames(output, standing);
}

void scn_dump_stacks_json(FILE *stream, const struct scn_machine *machine) {
    struct output output = {stream, machine, 0};

    fputc('[', stream);
    sim_standing_visit(machine->world, put_stack, &output);
    end_array(&output);
}

/* ---- Locks ---- */

struct waiters {
    FILE *stream;
    const struct sim_object *lock;
    uint32_t count;
};

static void put_waiter(void *context, const struct sim_standing *standing) {
    struct waiters *waiters = context;
    char name[SIM_NAME_BYTES];

    if (standing->what != waiters->lock ||
        (standing->state != SIM_TASK_SPINNING && standing->state != SIM_TASK_WAITING))
        return;
    fputs(waiters->count++ > 0 ? ", {\"task\": " : "{\"task\": ", waiters->stream);
    scn_json_string(waiters->stream, sim_object_name(standing->task, name, sizeof(name)));
    scn_json_member(waiters->stream, "state", scn_dump_state(standing));
    number_member(waiters->stream, "since_ns", standing->since_ns);
    fputc('}', waiters->stream);
}

static void put_lock(void *context, const struct krn_lock_state *lock) {
    struct output *output = context;
    struct waiters waiters = {output->stream, lock->object, 0};

    begin(output, "lock", lock->object);
    name_member(output->stream, "holder", lock->holder);
    number_member(output->stream, "since_ns", lock->since_ns);
    fputs(", \"waiters\": [", output->stream);
    sim_standing_visit(output->machine->world, put_waiter, &waiters);
    fputs("]}", output->stream);
}

void scn_dump_locks_json(FILE *stream, const struct scn_machine *machine) {
    struct output output = {stream, machine, 0};

    fputc('[', stream);
    for (uint32_t i = 0; i < machine->scenario->node_count; i++)
        krn_lock_visit(machine->nodes[i], put_lock, &output);
    end_array(&output);
}

/* ---- Pool ---- */

static void put_block(void *context, const struct krn_pool_block *block) {
    struct output *output = context;
    FILE *stream = output->stream;
    char tag[5], place[256];

    scn_dump_block_place(output->machine, block, tag, place, sizeof(place));
    fprintf(stream, "%s\n      {\"serial\": %u", output->count++ > 0 ? "," : "", block->serial);
    scn_json_member(stream, "tag", tag);
    number_member(stream, "bytes", block->bytes);
    name_member(stream, "owner", block->owner);
    number_member(stream, "made_ns", block->made.time_ns);
    scn_json_member(stream, "place", place);
    fputc('}', stream);
}

void scn_dump_pool_json(FILE *stream, const struct scn_machine *machine) {
    struct output nodes = {stream, machine, 0};

    fputc('[', stream);
    for (uint32_t i = 0; i < machine->scenario->node_count; i++) {
        struct output blocks = {stream, machine, 0};

        begin(&nodes, "node", krn_node_object(machine->nodes[i]));
        number_member(stream, "count", krn_pool_live_count(machine->nodes[i]));
        number_member(stream, "bytes", krn_pool_live_bytes(machine->nodes[i]));
        fputs(", \"blocks\": [", stream);
        krn_pool_visit(machine->nodes[i], NULL, put_block, &blocks);
        fputs("]}", stream);
    }
    end_array(&nodes);
}

/* ---- Objects ---- */

static void put_object(struct output *output, const struct sim_object *object) {
    begin(output, "object", object);
    if (object->state != NULL)
        scn_json_member(output->stream, "state", object->state);
    fprintf(output->stream, ", \"closed\": %s", object->closed ? "true" : "false");
}

void scn_dump_objects_json(FILE *stream, const struct scn_machine *machine) {
    struct output output = {stream, machine, 0};

    fputc('[', stream);
    for (uint32_t id = 1; id <= sim_object_count(machine->world); id++) {
        const struct sim_object *object = sim_object_by_id(machine->world, id);

        if (object == NULL || object->state == NULL || object->closed)
            continue;
        put_object(&output, object);
        fputc('}', stream);
    }
    end_array(&output);
}

uint32_t scn_dump_named_json(FILE *stream, const struct scn_machine *machine,
                             const struct scn_chronicle *chronicle, const char *word) {
    const struct scn_telling telling = {.chronicle = chronicle};
    struct output output = {stream, machine, 0};

    fputc('[', stream);
    for (uint32_t id = 1; id <= sim_object_count(machine->world); id++) {
        const struct sim_object *object = sim_object_by_id(machine->world, id);
        struct scn_story_line lines[SCN_DUMP_HISTORY];
        uint32_t count;

        if (object == NULL || !scn_dump_is_meant(object, word))
            continue;
        put_object(&output, object);
        count = scn_dump_history(chronicle, object, lines);
        fputs(", \"story\": [", stream);
        for (uint32_t i = 0; i < count; i++) {
            fputs(i > 0 ? ", " : "", stream);
            scn_story_line_json(stream, machine, &telling, &lines[i]);
        }
        fputs("]}", stream);
    }
    end_array(&output);
    return output.count;
}
