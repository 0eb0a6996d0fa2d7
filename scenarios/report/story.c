/* SPDX-License-Identifier: Apache-2.0 */
/* See story.h. */
#include "report/story.h"

#include <sim/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/words.h"

#define CAUSES_MAX 10u
#define SOURCE_COLUMN 84u

struct choice_of_lines {
    struct scn_story_line *lines;
    uint32_t count;
    uint32_t max;
};

static struct scn_story_line *add(struct choice_of_lines *chosen, uint32_t sequence) {
    for (uint32_t i = 0; i < chosen->count; i++)
        if (chosen->lines[i].sequence == sequence)
            return &chosen->lines[i];
    if (chosen->count == chosen->max)
        return NULL;
    chosen->lines[chosen->count] = (struct scn_story_line){.sequence = sequence};
    return &chosen->lines[chosen->count++];
}

static bool concerns(const struct sim_record *record, const struct sim_finding *finding) {
    for (uint32_t i = 0; i < finding->object_count; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (record->object_id[k] != 0 && record->object_id[k] == finding->objects[i]->id)
                return true;
    return false;
}

static void add_decisions(const struct scn_telling *telling, const struct sim_finding *finding,
                          struct choice_of_lines *chosen) {
    if (telling->decision_count > SCN_STORY_DECISIONS)
        return;
    for (size_t i = 0; i < telling->decision_count; i++) {
        const struct scn_decision *decision = &telling->decisions[i];
        struct scn_story_line *line;

        if (decision->sequence == 0 || decision->sequence > finding->sequence)
            continue;
        line = add(chosen, decision->sequence);
        if (line != NULL && line->decision == NULL)
            line->decision = decision;
    }
}

/* Blocks of pool come and go; a story is about those that the finding names. */
static bool is_other_pool(const struct sim_world *world, const struct sim_finding *finding,
                          const struct sim_record *record) {
    char name[32], *at;
    size_t length;

    if (strncmp(sim_trace_type_name(world, record->type), "pool.", 5) != 0)
        return false;
    snprintf(name, sizeof(name), "pool#%llu", (unsigned long long)record->value[0]);
    length = strlen(name);
    for (at = strstr(finding->sentence, name); at != NULL; at = strstr(at + 1, name))
        if (at[length] < '0' || at[length] > '9')
            return false;
    for (at = strstr(finding->detail, name); at != NULL; at = strstr(at + 1, name))
        if (at[length] < '0' || at[length] > '9')
            return false;
    return true;
}

/* Backwards along the causes, from the last record before the finding. */
static void add_causes(const struct sim_world *world, const struct scn_telling *telling,
                       const struct sim_finding *finding, struct choice_of_lines *chosen) {
    uint32_t sequence = finding->sequence, count = 0;

    while (sequence != 0 && count < CAUSES_MAX) {
        const struct scn_moment *moment = scn_chronicle_at(telling->chronicle, sequence);

        if (moment == NULL)
            return;
        if (scn_record_tells(world, &moment->record) &&
            !is_other_pool(world, finding, &moment->record) && add(chosen, sequence) != NULL)
            count++;
        sequence = moment->record.cause;
    }
}

/* What happened to the finding's objects, until `count` lines are chosen. */
static void add_objects(const struct sim_world *world, const struct scn_telling *telling,
                        const struct sim_finding *finding, uint32_t count,
                        struct choice_of_lines *chosen) {
    for (uint32_t sequence = finding->sequence; chosen->count < count; sequence--) {
        const struct scn_moment *moment = scn_chronicle_at(telling->chronicle, sequence);

        if (moment == NULL)
            return;
        if (concerns(&moment->record, finding) && scn_record_tells(world, &moment->record) &&
            !is_other_pool(world, finding, &moment->record))
            add(chosen, sequence);
    }
}

/* What both sides did and what passed between them, last things first. */
static void add_milestones(const struct sim_world *world, const struct scn_telling *telling,
                           const struct sim_finding *finding, struct choice_of_lines *chosen) {
    for (uint32_t sequence = finding->sequence; chosen->count < chosen->max; sequence--) {
        const struct scn_moment *moment = scn_chronicle_at(telling->chronicle, sequence);

        if (moment == NULL)
            return;
        if (scn_record_is_milestone(world, &moment->record))
            add(chosen, sequence);
    }
}

static int by_sequence(const void *a, const void *b) {
    const struct scn_story_line *first = a, *second = b;

    return (first->sequence > second->sequence) - (first->sequence < second->sequence);
}

uint32_t scn_story(const struct scn_machine *machine, const struct scn_telling *telling,
                   const struct sim_finding *finding, uint32_t max,
                   struct scn_story_line lines[SCN_STORY_LONG]) {
    struct choice_of_lines chosen = {.lines = lines, .max = max};

    if (telling == NULL || telling->chronicle == NULL)
        return 0;
    add_decisions(telling, finding, &chosen);
    add_causes(machine->world, telling, finding, &chosen);
    add_objects(machine->world, telling, finding, max - max / 4, &chosen);
    add_milestones(machine->world, telling, finding, &chosen);
    add_objects(machine->world, telling, finding, max, &chosen);
    qsort(lines, chosen.count, sizeof(*lines), by_sequence);
    return chosen.count;
}

const char *scn_code_text(uintptr_t code, char *text, size_t size) {
    char place[512];
    const char *space, *slash, *base = place;

    text[0] = '\0';
    if (code == 0)
        return text;
    sim_host_symbolize(code - 1, place, sizeof(place));
    space = strchr(place, ' ');
    if (space == NULL || space == place || space[-1] < '0' || space[-1] > '9')
        return text;
    place[space - place] = '\0';
    slash = strrchr(place, '/');
    base = slash != NULL ? slash + 1 : place;
    snprintf(text, size, "%s", base);
    return text;
}

bool scn_frame_text(uintptr_t code, char *text, size_t size) {
    char place[512], line[128];
    const char *function;

    sim_host_symbolize(code - 1, place, sizeof(place));
    function = strrchr(place, '(');
    scn_code_text(code, line, sizeof(line));
    if (function == NULL)
        snprintf(text, size, "%.200s", place);
    else
        snprintf(text, size, "%.*s%s%s", (int)strcspn(function + 1, ")"), function + 1,
                 line[0] != '\0' ? " " : "", line);
    return line[0] != '\0';
}

/* A decision speaks for itself. */
static const char *decision_text(const struct scn_decision *decision, char *text, size_t size) {
    char time[SCN_TIME_TEXT_BYTES];

    scn_time_text(decision->deviation->time_ns, time, sizeof(time));
    time[strlen(time) - 2] = '\0'; /* all of them are ms */
    snprintf(text, size, "%12s %s%s%s%s", time, decision->words,
             decision->other[0] != '\0' ? "  (other order: " : "", decision->other,
             decision->other[0] != '\0' ? ")" : "");
    return text;
}

const char *scn_story_text(const struct scn_machine *machine, const struct scn_telling *telling,
                           const struct scn_story_line *line, char *text, size_t size) {
    const struct scn_moment *moment = scn_chronicle_at(telling->chronicle, line->sequence);
    char actor[SIM_NAME_BYTES], words[SCN_WORDS_BYTES], time[SCN_TIME_TEXT_BYTES], code[128];
    int used;

    text[0] = '\0';
    if (line->decision != NULL)
        return decision_text(line->decision, text, size);
    if (moment == NULL)
        return text;
    scn_record_actor(machine->world, &moment->record, actor, sizeof(actor));
    scn_time_text(moment->record.time_ns, time, sizeof(time));
    time[strlen(time) - 2] = '\0';
    used = snprintf(text, size, "%12s %-18s %s", time, actor,
                    scn_record_words(machine->world, &moment->record, words, sizeof(words)));
    if (used < 0 || (size_t)used >= size)
        return text;
    if (*scn_code_text(moment->code, code, sizeof(code)) != '\0')
        snprintf(text + used, size - (size_t)used, "%*s  %s",
                 (unsigned)used < SOURCE_COLUMN ? (int)(SOURCE_COLUMN - (unsigned)used) : 0, "",
                 code);
    return text;
}
