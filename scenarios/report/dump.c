/* SPDX-License-Identifier: Apache-2.0 */
/* See dump.h. */
#include "report/dump.h"

#include <krn/memory.h>
#include <krn/state.h>
#include <stdlib.h>
#include <string.h>

#include "report/plural.h"
#include "report/report.h"
#include "report/words.h"

#define OWNER_COUNT_MAX 256u

struct output {
    FILE *stream;
    const struct scn_machine *machine;
};

static const char *name_of(const struct sim_object *object, char *name) {
    return sim_object_name(object, name, SIM_NAME_BYTES);
}

static const char *time_of(uint64_t time_ns, char *text) {
    return scn_time_text(time_ns, text, SCN_TIME_TEXT_BYTES);
}

/* ---- CPUs ---- */

const char *scn_dump_state(const struct sim_standing *standing) {
    static const char *const names[] = {"is ready", "runs", "waits", "spins", "is done"};

    return standing->is_left_behind ? "was stopped by a finding" : names[standing->state];
}

static void print_level(void *context, const struct sim_standing *standing) {
    const struct output *output = context;
    char task[SIM_NAME_BYTES], subject[SIM_NAME_BYTES];

    if (standing->is_idle || standing->state == SIM_TASK_WAITING)
        return;
    fprintf(output->stream, "           %s %s at %s%s%s\n", name_of(standing->task, task),
            scn_dump_state(standing), krn_irql_name(standing->level),
            standing->subject != NULL ? ", about " : "",
            standing->subject != NULL ? name_of(standing->subject, subject) : "");
}

void scn_dump_levels(FILE *stream, const struct scn_machine *machine) {
    struct output output = {stream, machine};
    char name[SIM_NAME_BYTES];

    for (uint32_t i = 0; i < machine->scenario->node_count; i++) {
        const struct krn_node *node = machine->nodes[i];

        for (uint32_t cpu = 0; cpu < krn_node_cpu_count(node); cpu++)
            fprintf(stream, "irql       %-20s %s\n",
                    name_of(sim_cpu_object(krn_node_cpu(node, cpu)), name),
                    krn_irql_name(sim_cpu_level(krn_node_cpu(node, cpu))));
    }
    sim_standing_visit(machine->world, print_level, &output);
}

/* ---- Contexts ---- */

static bool is_driver(const struct output *output, uintptr_t frame) {
    return krn_driver_of_code(output->machine->world, (const void *)(frame - 1)) != NULL;
}

/* After an accident a task's own stack is not known any more; its finding has it. */
static void take_stack_of_finding(const struct sim_world *world, struct sim_site *site) {
    for (size_t i = sim_finding_count(world); i-- > 0 && site->frame_count == 0;) {
        const struct sim_finding *finding = sim_finding_at(world, i);

        for (uint32_t k = 0; k < finding->site_count; k++)
            if (finding->sites[k].actor == site->actor &&
                finding->sites[k].time_ns == finding->time_ns)
                *site = finding->sites[k];
    }
}

uint32_t scn_dump_frames(const struct scn_machine *machine, const struct sim_standing *standing,
                         char frames[SCN_DUMP_FRAMES][SCN_DUMP_FRAME_BYTES]) {
    const struct output output = {NULL, machine};
    struct sim_site site;
    uint32_t count = 0;

    sim_site_of_standing(&site, "stands", standing);
    if (standing->is_left_behind && site.frame_count == 0)
        take_stack_of_finding(machine->world, &site);
    krn_site_begin_with_driver(machine->world, &site);
    for (uint32_t i = 0; i < site.frame_count && i < SCN_DUMP_FRAMES; i++) {
        scn_frame_text(site.frames[i], frames[i], SCN_DUMP_FRAME_BYTES);
        if (is_driver(&output, site.frames[i]))
            count = i + 1;
    }
    return count;
}

static void print_frames(const struct output *output, const struct sim_standing *standing) {
    char frames[SCN_DUMP_FRAMES][SCN_DUMP_FRAME_BYTES];
    uint32_t count = scn_dump_frames(output->machine, standing, frames);

    for (uint32_t i = 0; i < count; i++)
        fprintf(output->stream, "             %s\n", frames[i]);
}

static void print_stack(void *context, const struct sim_standing *standing) {
    const struct output *output = context;
    char task[SIM_NAME_BYTES], what[SIM_NAME_BYTES], holder[SIM_NAME_BYTES];
    char since[SCN_TIME_TEXT_BYTES];

    if (standing->is_idle)
        return;
    fprintf(output->stream, "stack      %s %s at %s since %s", name_of(standing->task, task),
            scn_dump_state(standing), krn_irql_name(standing->level),
            time_of(standing->since_ns, since));
    if (standing->why != NULL)
        fprintf(output->stream, " in %s", standing->why);
    if (standing->what != NULL)
        fprintf(output->stream, ", %s %s", standing->why != NULL ? "for" : "at",
                name_of(standing->what, what));
    if (standing->holder != NULL)
        fprintf(output->stream, ", which %s holds", name_of(standing->holder, holder));
    fputc('\n', output->stream);
    print_frames(output, standing);
}

void scn_dump_stacks(FILE *stream, const struct scn_machine *machine) {
    struct output output = {stream, machine};

    sim_standing_visit(machine->world, print_stack, &output);
}

/* ---- Locks ---- */

struct lock_output {
    struct output base;
    const struct sim_object *lock;
    uint32_t count;
};

static void print_waiter(void *context, const struct sim_standing *standing) {
    const struct lock_output *output = context;
    char name[SIM_NAME_BYTES], since[SCN_TIME_TEXT_BYTES];

    if (standing->what != output->lock ||
        (standing->state != SIM_TASK_SPINNING && standing->state != SIM_TASK_WAITING))
        return;
    fprintf(output->base.stream, "             %s %s for it since %s\n",
            name_of(standing->task, name), scn_dump_state(standing),
            time_of(standing->since_ns, since));
}

static void print_lock(void *context, const struct krn_lock_state *lock) {
    struct lock_output *output = context;
    char name[SIM_NAME_BYTES], holder[SIM_NAME_BYTES], since[SCN_TIME_TEXT_BYTES];

    output->count++;
    output->lock = lock->object;
    fprintf(output->base.stream, "lock       %s is held by %s since %s\n",
            name_of(lock->object, name), name_of(lock->holder, holder),
            time_of(lock->since_ns, since));
    sim_standing_visit(output->base.machine->world, print_waiter, output);
}

void scn_dump_locks(FILE *stream, const struct scn_machine *machine) {
    struct lock_output output = {{stream, machine}, NULL, 0};

    for (uint32_t i = 0; i < machine->scenario->node_count; i++)
        krn_lock_visit(machine->nodes[i], print_lock, &output);
    if (output.count == 0)
        fputs("lock       none is held\n", stream);
}

/* ---- Pool ---- */

struct pool_sum {
    const struct sim_object *owner;
    uint64_t count;
    uint64_t bytes;
};

struct pool_output {
    struct output base;
    bool each;
    uint32_t count;
    struct pool_sum sums[OWNER_COUNT_MAX];
};

void scn_dump_block_place(const struct scn_machine *machine, const struct krn_pool_block *block,
                          char tag[5], char *place, size_t size) {
    struct sim_site site;

    for (uint32_t i = 0; i < 4; i++) {
        char letter = (char)(block->tag >> (8 * i) & 0xFF);

        tag[i] = letter >= ' ' && letter < 127 ? letter : '.';
    }
    tag[4] = '\0';
    place[0] = '\0';
    krn_pool_site(machine->world, &block->made, "made", &site);
    if (site.frame_count > 0)
        scn_frame_text(site.frames[0], place, size);
}

static void print_block(const struct output *output, const struct krn_pool_block *block) {
    char owner[SIM_NAME_BYTES], tag[5], made[SCN_TIME_TEXT_BYTES], place[256];

    scn_dump_block_place(output->machine, block, tag, place, sizeof(place));
    fprintf(output->stream, "             pool#%u, tag %s, %llu byte%s, of %s, made at %s %s\n",
            block->serial, tag, (unsigned long long)block->bytes, scn_plural(block->bytes),
            name_of(block->owner, owner), time_of(block->made.time_ns, made), place);
}

static void add_block(void *context, const struct krn_pool_block *block) {
    struct pool_output *output = context;
    uint32_t at = 0;

    while (at < output->count && output->sums[at].owner != block->owner)
        at++;
    if (at == OWNER_COUNT_MAX)
        at--;
    if (at == output->count) {
        output->sums[at] = (struct pool_sum){.owner = block->owner};
        output->count++;
    }
    output->sums[at].count++;
    output->sums[at].bytes += block->bytes;
    if (output->each)
        print_block(&output->base, block);
}

void scn_dump_pool(FILE *stream, const struct scn_machine *machine, bool each) {
    struct pool_output *output = calloc(1, sizeof(*output));
    char name[SIM_NAME_BYTES];

    SIM_ASSERT(output != NULL);
    for (uint32_t i = 0; i < machine->scenario->node_count; i++) {
        output->base = (struct output){stream, machine};
        output->each = each;
        output->count = 0;
        fprintf(stream, "pool       %s: %llu block%s, %llu byte%s\n",
                name_of(krn_node_object(machine->nodes[i]), name),
                (unsigned long long)krn_pool_live_count(machine->nodes[i]),
                scn_plural(krn_pool_live_count(machine->nodes[i])),
                (unsigned long long)krn_pool_live_bytes(machine->nodes[i]),
                scn_plural(krn_pool_live_bytes(machine->nodes[i])));
        krn_pool_visit(machine->nodes[i], NULL, add_block, output);
        for (uint32_t k = 0; k < output->count; k++)
            fprintf(stream, "           %s: %llu block%s, %llu byte%s\n",
                    name_of(output->sums[k].owner, name), (unsigned long long)output->sums[k].count,
                    scn_plural(output->sums[k].count), (unsigned long long)output->sums[k].bytes,
                    scn_plural(output->sums[k].bytes));
    }
    free(output);
}

/* ---- Objects ---- */

static void print_object(FILE *stream, const struct sim_object *object) {
    char name[SIM_NAME_BYTES];

    fprintf(stream, "object     %s%s%s%s\n", name_of(object, name),
            object->state != NULL ? " " : "", object->state != NULL ? object->state : "",
            object->closed && (object->state == NULL || (strcmp(object->state, "closed") != 0 &&
                                                         strcmp(object->state, "unloaded") != 0))
                ? ", closed"
                : "");
}

void scn_dump_objects(FILE *stream, const struct scn_machine *machine) {
    for (uint32_t id = 1; id <= sim_object_count(machine->world); id++) {
        const struct sim_object *object = sim_object_by_id(machine->world, id);

        if (object != NULL && object->state != NULL && !object->closed)
            print_object(stream, object);
    }
}

/* The last of them, oldest first. */
uint32_t scn_dump_history(const struct scn_chronicle *chronicle, const struct sim_object *object,
                          struct scn_story_line lines[SCN_DUMP_HISTORY]) {
    uint32_t count = 0;

    for (uint32_t at = chronicle->last;
         at >= chronicle->first && at > 0 && count < SCN_DUMP_HISTORY; at--) {
        const struct sim_record *record = &scn_chronicle_at(chronicle, at)->record;
        bool is_its = false;

        for (uint32_t i = 0; i < SIM_ARRAY_COUNT(record->object_id); i++)
            is_its = is_its || record->object_id[i] == object->id;
        if (is_its)
            lines[count++] = (struct scn_story_line){.sequence = at};
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        struct scn_story_line line = lines[i];

        lines[i] = lines[count - 1 - i];
        lines[count - 1 - i] = line;
    }
    return count;
}

static void print_history(FILE *stream, const struct scn_machine *machine,
                          const struct scn_chronicle *chronicle, const struct sim_object *object) {
    const struct scn_telling telling = {.chronicle = chronicle};
    struct scn_story_line lines[SCN_DUMP_HISTORY];
    uint32_t count = scn_dump_history(chronicle, object, lines);
    char text[SCN_STORY_BYTES];

    for (uint32_t i = 0; i < count; i++)
        fprintf(stream, "  %s\n", scn_story_text(machine, &telling, &lines[i], text, sizeof(text)));
}

bool scn_dump_is_meant(const struct sim_object *object, const char *word) {
    char name[SIM_NAME_BYTES];
    size_t length = strlen(word), full;

    if (sim_object_matches(object, word))
        return true;
    name_of(object, name);
    full = strlen(name);
    return full > length && name[full - length - 1] == '.' &&
           strcmp(name + full - length, word) == 0;
}

uint32_t scn_dump_named(FILE *stream, const struct scn_machine *machine,
                        const struct scn_chronicle *chronicle, const char *word) {
    uint32_t count = 0;

    for (uint32_t id = 1; id <= sim_object_count(machine->world); id++) {
        const struct sim_object *object = sim_object_by_id(machine->world, id);

        if (object == NULL || !scn_dump_is_meant(object, word))
            continue;
        count++;
        print_object(stream, object);
        print_history(stream, machine, chronicle, object);
    }
    return count;
}
