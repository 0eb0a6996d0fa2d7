/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a scenario: merge, validate, build. The parts are in build_*.c. */
#include "model/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/locate.h"
#include "parse/schema.h"

uint64_t scn_build_unit(const struct scn_value *object, const char *key, enum scn_unit unit,
                        uint64_t otherwise) {
    const struct scn_value *value = scn_member(object, key);
    uint64_t number;

    if (value == NULL)
        return otherwise;
    SIM_ASSERT(scn_unit_parse(unit, value->string, &number) == NULL);
    return number;
}

uint64_t scn_build_number(const struct scn_value *object, const char *key, uint64_t otherwise) {
    const struct scn_value *value = scn_member(object, key);

    return value != NULL ? (uint64_t)value->integer : otherwise;
}

bool scn_build_flag(const struct scn_value *object, const char *key, bool otherwise) {
    const struct scn_value *value = scn_member(object, key);

    return value != NULL ? value->boolean : otherwise;
}

const char *scn_build_text(const struct scn_value *object, const char *key) {
    const struct scn_value *value = scn_member(object, key);

    return value != NULL ? value->string : NULL;
}

void *scn_build_array(struct scn_build *build, size_t count, size_t bytes) {
    return scn_document_take(build->document, count * bytes + 1);
}

const char *scn_build_place(struct scn_build *build, const struct scn_value *value) {
    const struct scn_value *origin = value->origin != NULL ? value->origin : value;
    char path[1024], place[1400];
    struct scn_place found;

    scn_value_path(origin, path, sizeof(path));
    found = scn_locate(origin->document->text, path, false);
    snprintf(place, sizeof(place), "%s:%u", origin->document->file, found.line);
    return scn_document_keep(build->document, place);
}

struct scn_settings scn_build_settings(struct scn_build *build, const struct scn_value *object) {
    struct scn_settings settings = {NULL, 0};
    struct scn_setting *entries;
    char number[32];

    if (object == NULL)
        return settings;
    entries = scn_build_array(build, object->count, sizeof(*entries));
    for (const struct scn_value *member = object->first; member != NULL; member = member->next) {
        struct scn_setting *entry = &entries[settings.count++];

        entry->name = member->key;
        entry->is_number = member->type != SCN_STRING;
        entry->number = member->type == SCN_BOOLEAN ? member->boolean : (uint64_t)member->integer;
        entry->text = member->string;
        if (entry->is_number) {
            snprintf(number, sizeof(number), "%lld", (long long)entry->number);
            entry->text = scn_document_keep(build->document, number);
        }
    }
    settings.entries = entries;
    return settings;
}

uint32_t scn_build_find(struct scn_build *build, const struct scn_value *name, const char *what,
                        const char *const *names, uint32_t count) {
    const char *nearest;

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name->string) == 0)
            return i;
    nearest = scn_nearest(name->string, names, count);
    if (nearest != NULL)
        scn_diagnose_value(build->diagnostics, name, false,
                           "there is no %s \"%s\"; did you mean \"%s\"?", what, name->string,
                           nearest);
    else
        scn_diagnose_value(build->diagnostics, name, false, "there is no %s \"%s\"", what,
                           name->string);
    return SCN_NONE;
}

static const char *name_of_file(struct scn_document *document, const char *file) {
    const char *slash = strrchr(file, '/');
    char name[256];
    size_t length;

    snprintf(name, sizeof(name), "%s", slash != NULL ? slash + 1 : file);
    length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".json") == 0)
        name[length - 5] = '\0';
    return scn_document_keep(document, name);
}

static const char *folder_of_file(struct scn_document *document, const char *file) {
    const char *slash = strrchr(file, '/');
    char folder[4096];

    if (slash == NULL)
        return ".";
    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - file), file);
    return scn_document_keep(document, folder);
}

struct scn_scenario *scn_scenario_build(struct scn_document *document, const char *file,
                                        struct scn_diagnostics *diagnostics) {
    struct scn_build build = {NULL, document, diagnostics};
    const char *name;

    if (!scn_schema_check(scn_schema(), document, diagnostics)) {
        scn_document_free(document);
        return NULL;
    }
    build.scenario = scn_document_take(document, sizeof(*build.scenario));
    build.scenario->document = document;
    build.scenario->file = scn_document_keep(document, file);
    build.scenario->folder = folder_of_file(document, file);
    name = scn_build_text(document->root, "name");
    build.scenario->name =
        name != NULL ? name : scn_document_keep(document, scn_shown(name_of_file(document, file)));
    if (name != NULL && scn_has_control(name))
        scn_diagnose_value(diagnostics, scn_member(document->root, "name"), false,
                           "a name must not hold control characters");
    scn_build_machines(&build);
    if (diagnostics->count == 0)
        scn_build_fabric(&build);
    if (diagnostics->count == 0) {
        scn_build_script(&build);
        scn_build_judgement(&build);
        scn_build_shows(&build);
        scn_build_programs(&build);
    }
    if (diagnostics->count == 0)
        return build.scenario;
    scn_document_free(document);
    return NULL;
}

struct scn_scenario *scn_scenario_load(const char *file, const struct scn_override *overrides,
                                       size_t override_count, uint32_t cell, uint32_t *cell_count,
                                       struct scn_diagnostics *diagnostics) {
    struct scn_document *document =
        scn_merge(file, overrides, override_count, cell, cell_count, diagnostics);
    struct scn_scenario *scenario =
        document != NULL ? scn_scenario_build(document, file, diagnostics) : NULL;

    if (scenario != NULL)
        scenario->cell = scn_cell_text(document, cell);
    return scenario;
}

void scn_scenario_free(struct scn_scenario *scenario) {
    if (scenario != NULL)
        scn_document_free(scenario->document);
}
