/* SPDX-License-Identifier: Apache-2.0 */
/* See story_json.h. */
#include "report/story_json.h"

#include "report/report.h"
#include "report/words.h"

void scn_json_member(FILE *stream, const char *key, const char *text) {
    fprintf(stream, ", \"%s\": ", key);
    scn_json_string(stream, text);
}

static void begin(FILE *stream, const char *kind, uint64_t time_ns) {
    fprintf(stream, "{\"kind\": \"%s\", \"time_ns\": %llu", kind, (unsigned long long)time_ns);
}

static void end(FILE *stream, uintptr_t code) {
    char place[128];

    if (*scn_code_text(code, place, sizeof(place)) != '\0')
        scn_json_member(stream, "place", place);
    fputc('}', stream);
}

void scn_story_line_json(FILE *stream, const struct scn_machine *machine,
                         const struct scn_telling *telling, const struct scn_story_line *line) {
    const struct scn_moment *moment = scn_chronicle_at(telling->chronicle, line->sequence);
    char actor[SIM_NAME_BYTES], words[SCN_WORDS_BYTES];

    if (line->decision != NULL) {
        begin(stream, "decision", line->decision->deviation->time_ns);
        scn_json_member(stream, "what", line->decision->words);
        if (line->decision->other[0] != '\0')
            scn_json_member(stream, "other_order", line->decision->other);
        end(stream, 0);
        return;
    }
    if (moment == NULL) {
        fputs("null", stream);
        return;
    }
    begin(stream, "event", moment->record.time_ns);
    scn_json_member(stream, "who",
                    scn_record_actor(machine->world, &moment->record, actor, sizeof(actor)));
    scn_json_member(stream, "what",
                    scn_record_words(machine->world, &moment->record, words, sizeof(words)));
    end(stream, moment->code);
}

void scn_saying_json(FILE *stream, const struct scn_machine *machine,
                     const struct scn_saying *saying) {
    char name[SIM_NAME_BYTES];

    begin(stream, "driver", saying->time_ns);
    scn_json_member(
        stream, "who",
        sim_object_name(sim_object_by_id(machine->world, saying->who_id), name, sizeof(name)));
    scn_json_member(stream, "what", saying->text);
    end(stream, saying->code);
}
