/* SPDX-License-Identifier: Apache-2.0 */
/* See not_loaded.h. */
#include "report/not_loaded.h"

#include <krn/driver.h>
#include <string.h>

#include "report/report.h"
#include "run/script.h"

struct output {
    FILE *stream;
    const struct scn_machine *machine;
    const struct scn_telling *telling;
    uint32_t count;
    bool is_told;
};

/* Its last one, or NULL: none, or so long ago that it is not kept. */
static const char *last_line(const struct output *output, uint32_t driver) {
    const struct scn_chronicle *chronicle =
        output->telling != NULL ? output->telling->chronicle : NULL;
    uint32_t id = krn_driver_object(output->machine->drivers[driver])->id;
    const struct scn_saying *saying = NULL;

    for (uint32_t back = 0;
         chronicle != NULL && (saying = scn_chronicle_saying(chronicle, back)) != NULL; back++)
        if (saying->who_id == id)
            return saying->text;
    return NULL;
}

static void print_one(void *context, uint32_t driver, int32_t status) {
    const struct output *output = context;
    const char *line = last_line(output, driver);
    const char *name = output->machine->scenario->drivers[driver].as;
    char text[SCN_STATUS_TEXT_BYTES];

    if (output->is_told && line == NULL)
        return;
    fprintf(output->stream, "load     driver %s did not load: %s%s%s\n", name,
            scn_status_text(status, text, sizeof(text)), line != NULL ? "; its last line: " : "",
            line != NULL ? line : "");
}

void scn_not_loaded(FILE *stream, const struct scn_machine *machine,
                    const struct scn_telling *telling, bool is_told) {
    struct output output = {stream, machine, telling, 0, is_told};

    scn_script_not_loaded(machine, print_one, &output);
}

static void put_one(void *context, uint32_t driver, int32_t status) {
    struct output *output = context;
    const char *line = last_line(output, driver);
    char text[SCN_STATUS_TEXT_BYTES];

    fputs(output->count++ > 0 ? ", {\"driver\": " : "{\"driver\": ", output->stream);
    scn_json_string(output->stream, output->machine->scenario->drivers[driver].as);
    fputs(", \"status\": ", output->stream);
    scn_json_string(output->stream, scn_status_text(status, text, sizeof(text)));
    fputs(", \"last_line\": ", output->stream);
    scn_json_string(output->stream, line != NULL ? line : "");
    fputc('}', output->stream);
}

void scn_not_loaded_json(FILE *stream, const struct scn_machine *machine,
                         const struct scn_telling *telling) {
    struct output output = {stream, machine, telling, 0, false};

    fputs(", \"not_loaded\": [", stream);
    scn_script_not_loaded(machine, put_one, &output);
    fputc(']', stream);
}

struct list {
    const struct scn_machine *machine;
    char *text;
    size_t size;
};

static void list_one(void *context, uint32_t driver, int32_t status) {
    const struct list *list = context;
    const char *name = list->machine->scenario->drivers[driver].as;
    char text[SCN_STATUS_TEXT_BYTES];
    size_t used = strlen(list->text);

    scn_status_text(status, text, sizeof(text));
    if (used + strlen(name) + strlen(text) + 3 <= list->size)
        snprintf(list->text + used, list->size - used, "%s\t%s\n", name, text);
}

const char *scn_not_loaded_list(const struct scn_machine *machine, char *list, size_t size) {
    struct list all = {machine, list, size};

    list[0] = '\0';
    scn_script_not_loaded(machine, list_one, &all);
    return list;
}

/* One line of a list, cut in two; NULL at the end, else what is behind it. */
static const char *take_line(const char *list, char *name, char *status, size_t size) {
    int name_length = (int)strcspn(list, "\t");
    int status_length = (int)strcspn(list + name_length, "\n") - 1;

    if (list[name_length] == '\0' || status_length < 0)
        return NULL;
    snprintf(name, size, "%.*s", name_length, list);
    snprintf(status, size, "%.*s", status_length, list + name_length + 1);
    list += name_length + 1 + status_length;
    return *list == '\n' ? list + 1 : list;
}

void scn_not_loaded_list_json(FILE *stream, const char *list) {
    char name[SCN_NOT_LOADED_BYTES], status[SCN_NOT_LOADED_BYTES];
    uint32_t count = 0;

    fputs(", \"not_loaded\": [", stream);
    while ((list = take_line(list, name, status, sizeof(name))) != NULL) {
        fputs(count++ > 0 ? ", {\"driver\": " : "{\"driver\": ", stream);
        scn_json_string(stream, name);
        fputs(", \"status\": ", stream);
        scn_json_string(stream, status);
        fputc('}', stream);
    }
    fputc(']', stream);
}

void scn_not_loaded_list_add(const char *list, char *text, size_t size) {
    char name[SCN_NOT_LOADED_BYTES], status[SCN_NOT_LOADED_BYTES];

    while ((list = take_line(list, name, status, sizeof(name))) != NULL) {
        char words[2 * SCN_NOT_LOADED_BYTES + 32];
        size_t used = strlen(text);

        snprintf(words, sizeof(words), "driver %s did not load: %s", name, status);
        if (strstr(text, words) == NULL)
            snprintf(text + used, size - used, "; %s", words);
    }
}
