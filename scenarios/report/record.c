/* SPDX-License-Identifier: Apache-2.0 */
/* Writing and reading of .ndkrun files. See record.h. */
#include "report/record.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "parse/units.h"
#include "report/path.h"
#include "run/devices.h"

#define RECORD_FORMAT 1

static json_t *json_of(const struct scn_value *value) {
    json_t *json;

    switch (value->type) {
    case SCN_OBJECT:
        json = json_object();
        for (const struct scn_value *child = value->first; child != NULL; child = child->next)
            json_object_set_new(json, child->key, json_of(child));
        return json;
    case SCN_ARRAY:
        json = json_array();
        for (const struct scn_value *child = value->first; child != NULL; child = child->next)
            json_array_append_new(json, json_of(child));
        return json;
    case SCN_STRING:
    case SCN_REAL:
        return json_string(value->string);
    case SCN_INTEGER:
        return json_integer(value->integer);
    case SCN_BOOLEAN:
        return json_boolean(value->boolean);
    case SCN_NULL:
        break;
    }
    return json_null();
}

/* 64-bit values go as hexadecimal texts: JSON numbers of other readers may be doubles. */
static json_t *hexadecimal(uint64_t value) {
    char text[24];

    snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)value);
    return json_string(text);
}

static json_t *deviations_json(const struct scn_machine *machine,
                               const struct scn_decision *decisions) {
    json_t *list = json_array();
    size_t count;
    const struct sim_deviation *deviations = sim_deviations(machine->world, &count);

    for (size_t i = 0; i < count; i++) {
        const struct sim_deviation *one = &deviations[i];
        json_t *json = json_object();

        json_object_set_new(json, "kind", json_string(sim_choice_kind_name(one->kind)));
        if (one->topic[0] != '\0')
            json_object_set_new(json, "topic", json_string(one->topic));
        json_object_set_new(json, "subject", json_string(one->subject));
        json_object_set_new(json, "nth", json_integer(one->ordinal));
        json_object_set_new(json, "takes", json_string(one->label));
        json_object_set_new(json, "at_ns", json_integer((json_int_t)one->time_ns));
        if (decisions != NULL)
            json_object_set_new(json, "words", json_string(decisions[i].words));
        if (decisions != NULL && decisions[i].other[0] != '\0')
            json_object_set_new(json, "other_order", json_string(decisions[i].other));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *modules_json(const struct scn_machine *machine) {
    json_t *list = json_array();

    for (uint32_t i = 0; i < machine->scenario->driver_count; i++) {
        struct krn_driver *driver = machine->drivers[i];
        json_t *json = json_object();

        json_object_set_new(json, "driver", json_string(krn_driver_name(driver)));
        json_object_set_new(json, "module", json_string(machine->loads[i]));
        json_object_set_new(json, "build", json_string(krn_driver_build_id(driver)));
        if (krn_driver_is_instrumented(driver))
            json_object_set_new(json, "instrumented", json_true());
        json_array_append_new(list, json);
    }
    for (uint32_t i = 0; i < machine->scenario->adapter_count; i++) {
        const struct scn_adapter *adapter = &machine->scenario->adapters[i];
        const struct scn_device *device = &machine->devices[i];
        json_t *json;

        if (device->load == NULL && strcmp(adapter->device, SCN_BUILT_IN_DEVICE) == 0)
            continue;
        json = json_object();
        json_object_set_new(json, "device", json_string(adapter->full_name));
        json_object_set_new(json, "module",
                            json_string(device->load != NULL ? device->load : SCN_BUILT_IN_DEVICE));
        json_object_set_new(json, "build", json_string(scn_device_build_id(device)));
        json_array_append_new(list, json);
    }
    return list;
}

/* Options that change what a run comes to; left out when they were not given. */
static void put_options(json_t *json, const struct scn_machine *machine,
                        const struct scn_run_options *options) {
    json_object_set_new(json, "special_pool", json_boolean(scn_run_has_special_pool(options)));
    if (options->check_steps != 0)
        json_object_set_new(json, "check_steps", json_integer((json_int_t)options->check_steps));
    if (options->keep_going)
        json_object_set_new(json, "keep_going", json_true());
    if (options->until_ns != SIM_TIME_NEVER)
        json_object_set_new(json, "until_ns", json_integer((json_int_t)options->until_ns));
    if (machine->blame != NULL)
        json_object_set_new(json, "blame", json_string(machine->blame));
    if (machine->rule_count > 0) {
        json_t *rules = json_array();

        for (uint32_t i = 0; i < machine->rule_count; i++)
            json_array_append_new(rules, json_string(machine->rules[i]));
        json_object_set_new(json, "rules", rules);
    }
}

static json_t *record_json(const char *path, const struct scn_machine *machine,
                           const struct scn_run_options *options, const struct scn_outcome *outcome,
                           const char *strategy, const struct scn_decision *decisions) {
    json_t *json = json_object();
    char file[PATH_MAX];

    json_object_set_new(json, "ndkrun", json_integer(RECORD_FORMAT));
    json_object_set_new(json, "name", json_string(machine->scenario->name));
    json_object_set_new(
        json, "file",
        json_string(scn_path_from(path, machine->scenario->file, file, sizeof(file))));
    json_object_set_new(json, "exit", json_integer((json_int_t)outcome->verdict));
    json_object_set_new(json, "sentence", json_string(outcome->reason));
    json_object_set_new(json, "signature", hexadecimal(outcome->signature));
    json_object_set_new(json, "kind", hexadecimal(outcome->kind));
    json_object_set_new(json, "digest", hexadecimal(outcome->digest));
    json_object_set_new(json, "seed", hexadecimal(options->seed));
    json_object_set_new(json, "strategy", json_string(strategy));
    json_object_set_new(json, "exploring", json_boolean(options->is_exploring));
    put_options(json, machine, options);
    json_object_set_new(json, "events", json_integer((json_int_t)outcome->event_count));
    json_object_set_new(json, "time_ns", json_integer((json_int_t)outcome->time_ns));
    json_object_set_new(json, "modules", modules_json(machine));
    json_object_set_new(json, "deviations", deviations_json(machine, decisions));
    json_object_set_new(json, "scenario", json_of(machine->scenario->document->root));
    return json;
}

int scn_record_write(const char *path, const struct scn_machine *machine,
                     const struct scn_run_options *options, const struct scn_outcome *outcome,
                     const char *strategy) {
    return scn_record_write_told(path, machine, options, outcome, strategy, NULL);
}

int scn_record_write_told(const char *path, const struct scn_machine *machine,
                          const struct scn_run_options *options, const struct scn_outcome *outcome,
                          const char *strategy, const struct scn_decision *decisions) {
    json_t *json = record_json(path, machine, options, outcome, strategy, decisions);
    char *text = json_dumps(json, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    char beside[4096];
    struct stat status;
    bool in_place;
    int error = 0;
    FILE *file;

    json_decref(json);
    SIM_ASSERT(text != NULL);
    /* Renaming would put a file in the place of a device or a link. */
    in_place = lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
    snprintf(beside, sizeof(beside), "%s%s", path, in_place ? "" : ".part");
    errno = 0;
    file = fopen(beside, "wb");
    if (file == NULL) {
        error = errno;
    } else {
        if (fwrite(text, 1, strlen(text), file) != strlen(text) || fputc('\n', file) == EOF)
            error = errno != 0 ? errno : EIO;
        if (fclose(file) != 0 && error == 0)
            error = errno;
        if (error == 0 && !in_place && rename(beside, path) != 0)
            error = errno;
        if (error != 0 && !in_place)
            remove(beside);
    }
    free(text);
    return error;
}

static bool want(const struct scn_value *object, const char *key, enum scn_type type,
                 struct scn_diagnostics *diagnostics, const struct scn_value **value) {
    *value = scn_member(object, key);
    if (*value != NULL && (*value)->type == type)
        return true;
    if (*value == NULL)
        scn_diagnose_value(diagnostics, object, false, "\"%s\" is missing", key);
    else
        scn_diagnose_value(diagnostics, *value, false, "expected %s, got %s", scn_type_name(type),
                           scn_type_name((*value)->type));
    return false;
}

static uint64_t want_hexadecimal(const struct scn_value *object, const char *key,
                                 struct scn_diagnostics *diagnostics) {
    const struct scn_value *value;
    const char *wrong;
    uint64_t number = 0;

    if (!want(object, key, SCN_STRING, diagnostics, &value))
        return 0;
    wrong = scn_unit_parse(SCN_UNIT_COUNT, value->string, &number);
    if (wrong != NULL)
        scn_diagnose_value(diagnostics, value, false, "%s", wrong);
    return number;
}

static uint64_t want_number(const struct scn_value *object, const char *key,
                            struct scn_diagnostics *diagnostics) {
    const struct scn_value *value;

    if (!want(object, key, SCN_INTEGER, diagnostics, &value))
        return 0;
    if (value->integer < 0)
        scn_diagnose_value(diagnostics, value, false, "must not be negative");
    return (uint64_t)value->integer;
}

static const char *want_text(const struct scn_value *object, const char *key,
                             struct scn_diagnostics *diagnostics) {
    const struct scn_value *value;

    if (!want(object, key, SCN_STRING, diagnostics, &value))
        return "";
    /* They are shown, and come from a file that anybody may have written. */
    return scn_has_control(value->string)
               ? scn_document_keep((struct scn_document *)(uintptr_t)value->document,
                                   scn_shown(value->string))
               : value->string;
}

/* As want_text, "" when it is not there. */
static const char *text_of(const struct scn_value *object, const char *key,
                           struct scn_diagnostics *diagnostics) {
    return scn_member(object, key) != NULL ? want_text(object, key, diagnostics) : "";
}

static bool want_flag(const struct scn_value *object, const char *key,
                      struct scn_diagnostics *diagnostics) {
    const struct scn_value *value;

    return want(object, key, SCN_BOOLEAN, diagnostics, &value) && value->boolean;
}

static bool want_object(const struct scn_value *value, struct scn_diagnostics *diagnostics) {
    if (value->type != SCN_OBJECT)
        scn_diagnose_value(diagnostics, value, false, "expected an object, got %s",
                           scn_type_name(value->type));
    return value->type == SCN_OBJECT;
}

static void read_deviation(const struct scn_value *value, struct sim_deviation *deviation,
                           struct scn_diagnostics *diagnostics) {
    const struct scn_value *topic = scn_member(value, "topic"), *kind_value;
    const char *kind;
    uint32_t number = 0;

    if (!want_object(value, diagnostics) ||
        !want(value, "kind", SCN_STRING, diagnostics, &kind_value))
        return;
    kind = kind_value->string;
    while (number < SIM_CHOICE_KIND_COUNT &&
           strcmp(sim_choice_kind_name((enum sim_choice_kind)number), kind) != 0)
        number++;
    if (number == SIM_CHOICE_KIND_COUNT)
        scn_diagnose_value(diagnostics, kind_value, false, "\"%s\" is no kind of choice", kind);
    deviation->kind = (enum sim_choice_kind)number;
    deviation->topic = topic != NULL ? want_text(value, "topic", diagnostics) : "";
    deviation->subject = want_text(value, "subject", diagnostics);
    deviation->ordinal = (uint32_t)want_number(value, "nth", diagnostics);
    deviation->label = want_text(value, "takes", diagnostics);
    deviation->time_ns = want_number(value, "at_ns", diagnostics);
}

static void read_lists(struct scn_record *record, struct scn_diagnostics *diagnostics) {
    const struct scn_value *root = record->document->root, *list;

    if (want(root, "deviations", SCN_ARRAY, diagnostics, &list)) {
        record->deviations =
            scn_document_take(record->document, (list->count + 1) * sizeof(*record->deviations));
        record->words =
            scn_document_take(record->document, (list->count + 1) * sizeof(*record->words));
        record->others =
            scn_document_take(record->document, (list->count + 1) * sizeof(*record->others));
        for (const struct scn_value *one = list->first; one != NULL; one = one->next) {
            record->words[record->deviation_count] = text_of(one, "words", diagnostics);
            record->others[record->deviation_count] = text_of(one, "other_order", diagnostics);
            read_deviation(one, &record->deviations[record->deviation_count++], diagnostics);
        }
    }
    if (want(root, "modules", SCN_ARRAY, diagnostics, &list)) {
        record->modules =
            scn_document_take(record->document, (list->count + 1) * sizeof(*record->modules));
        for (const struct scn_value *one = list->first; one != NULL; one = one->next) {
            struct scn_record_module *module = &record->modules[record->module_count++];

            if (!want_object(one, diagnostics))
                continue;
            module->is_device = scn_member(one, "device") != NULL;
            module->name = want_text(one, module->is_device ? "device" : "driver", diagnostics);
            module->module = want_text(one, "module", diagnostics);
            module->build_id = want_text(one, "build", diagnostics);
            if (scn_member(one, "instrumented") != NULL)
                module->is_instrumented = want_flag(one, "instrumented", diagnostics);
        }
    }
}

/* Records of older programs have none of these. */
static void read_options(struct scn_record *record, struct scn_diagnostics *diagnostics) {
    const struct scn_value *root = record->document->root, *list;
    const char **rules;

    record->until_ns = SIM_TIME_NEVER;
    if (scn_member(root, "check_steps") != NULL)
        record->check_steps = want_number(root, "check_steps", diagnostics);
    if (scn_member(root, "keep_going") != NULL)
        record->keep_going = want_flag(root, "keep_going", diagnostics);
    if (scn_member(root, "until_ns") != NULL)
        record->until_ns = want_number(root, "until_ns", diagnostics);
    if (scn_member(root, "blame") != NULL)
        record->blame = want_text(root, "blame", diagnostics);
    if (record->blame != NULL && strcmp(record->blame, "consumer") != 0 &&
        strcmp(record->blame, "provider") != 0)
        scn_diagnose_value(diagnostics, scn_member(root, "blame"), false,
                           "expected \"consumer\" or \"provider\"");
    if (scn_member(root, "rules") == NULL || !want(root, "rules", SCN_ARRAY, diagnostics, &list))
        return;
    rules = scn_document_take(record->document, (list->count + 1) * sizeof(*rules));
    for (const struct scn_value *one = list->first; one != NULL; one = one->next) {
        if (one->type != SCN_STRING)
            scn_diagnose_value(diagnostics, one, false, "expected a string, got %s",
                               scn_type_name(one->type));
        rules[record->rule_count++] = one->string;
    }
    record->rules = rules;
}

struct scn_record *scn_record_read(const char *path, struct scn_diagnostics *diagnostics) {
    struct scn_document *document = scn_document_read(path, diagnostics);
    const struct scn_value *value;
    struct scn_record *record;
    uint32_t before = diagnostics->count;
    char file[PATH_MAX];

    if (document == NULL)
        return NULL;
    record = scn_document_take(document, sizeof(*record));
    record->document = document;
    if (!want_object(document->root, diagnostics) ||
        !want(document->root, "ndkrun", SCN_INTEGER, diagnostics, &value)) {
        scn_record_free(record);
        return NULL;
    }
    if (value->integer != RECORD_FORMAT)
        scn_diagnose_value(diagnostics, value, false,
                           "format %lld is not known; this program reads format %d",
                           (long long)value->integer, RECORD_FORMAT);
    record->scenario_file = scn_document_keep(
        document,
        scn_path_of(path, want_text(document->root, "file", diagnostics), file, sizeof(file)));
    record->seed = want_hexadecimal(document->root, "seed", diagnostics);
    record->signature = want_hexadecimal(document->root, "signature", diagnostics);
    record->kind = record->signature; /* older records have none */
    if (scn_member(document->root, "kind") != NULL)
        record->kind = want_hexadecimal(document->root, "kind", diagnostics);
    record->digest = want_hexadecimal(document->root, "digest", diagnostics);
    record->exit_code = (uint32_t)want_number(document->root, "exit", diagnostics);
    record->event_count = want_number(document->root, "events", diagnostics);
    record->time_ns = want_number(document->root, "time_ns", diagnostics);
    record->is_exploring = want_flag(document->root, "exploring", diagnostics);
    record->special_pool = want_flag(document->root, "special_pool", diagnostics);
    read_options(record, diagnostics);
    record->strategy = want_text(document->root, "strategy", diagnostics);
    record->sentence = want_text(document->root, "sentence", diagnostics);
    if (want(document->root, "scenario", SCN_OBJECT, diagnostics, &value))
        record->scenario = (struct scn_value *)(uintptr_t)value;
    read_lists(record, diagnostics);
    if (diagnostics->count == before)
        return record;
    scn_record_free(record);
    return NULL;
}

void scn_record_free(struct scn_record *record) {
    if (record != NULL)
        scn_document_free(record->document);
}

/* The driver or adapter that a module of the record is for; SCN_NONE: there is none. */
static uint32_t index_of(const struct scn_record_module *module,
                         const struct scn_scenario *scenario) {
    uint32_t count = module->is_device ? scenario->adapter_count : scenario->driver_count;

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(module->name, module->is_device ? scenario->adapters[i].full_name
                                                   : scenario->drivers[i].as) == 0)
            return i;
    return SCN_NONE;
}

void scn_record_use_modules(const struct scn_record *record, struct scn_scenario *scenario) {
    for (size_t k = 0; k < record->module_count; k++) {
        uint32_t index = index_of(&record->modules[k], scenario);

        if (index == SCN_NONE)
            continue;
        if (record->modules[k].is_device)
            scenario->adapters[index].device = record->modules[k].module;
        else
            scenario->drivers[index].load = record->modules[k].module;
    }
}

static bool is_same_build(const struct scn_record_module *module,
                          const struct scn_machine *machine) {
    uint32_t index = index_of(module, machine->scenario);

    return index != SCN_NONE &&
           strcmp(module->build_id, module->is_device
                                        ? scn_device_build_id(&machine->devices[index])
                                        : krn_driver_build_id(machine->drivers[index])) == 0;
}

bool scn_record_same_build(const struct scn_record *record, const struct scn_machine *machine) {
    for (size_t i = 0; i < record->module_count; i++)
        if (!is_same_build(&record->modules[i], machine))
            return false;
    return true;
}

const struct scn_record_module *scn_record_foreign(const struct scn_record *record,
                                                   const struct scn_machine *machine) {
    for (size_t i = 0; i < record->module_count; i++)
        if (record->modules[i].is_instrumented && !is_same_build(&record->modules[i], machine))
            return &record->modules[i];
    return NULL;
}
