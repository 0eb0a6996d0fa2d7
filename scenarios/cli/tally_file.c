/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The campaign file: a tally as JSON, with the hashes of its orders in a file beside it. What
 * stands in a folder is read back whole or refused with a place.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session.h"
#include "cli/tally.h"
#include "parse/complain.h"
#include "parse/units.h"
#include "report/file.h"

#define CAMPAIGN_FORMAT 1
#define NAME_PART_BYTES 100u

static unsigned long long wide(uint64_t value) {
    return value;
}

/* ---- Names ---- */

const char *scn_file_name(const char *scenario, char *name, size_t size) {
    size_t used = 0;

    size = size < NAME_PART_BYTES ? size : NAME_PART_BYTES;
    for (; *scenario != '\0' && used + 1 < size; scenario++) {
        bool is_plain = (*scenario >= 'a' && *scenario <= 'z') ||
                        (*scenario >= 'A' && *scenario <= 'Z') ||
                        (*scenario >= '0' && *scenario <= '9') || *scenario == '-' ||
                        *scenario == '_' || (*scenario == '.' && used > 0);

        name[used++] = is_plain ? *scenario : '_';
    }
    name[used] = '\0';
    return name;
}

/* "NAME", "NAME-3" of a matrix, "NAME.2of4" of a shard. */
static void base_of(const struct scn_tally *tally, char *base, size_t size) {
    const struct scn_part *part = tally->part_count == 1 ? &tally->parts[0] : NULL;
    char name[NAME_PART_BYTES];
    size_t used;

    scn_file_name(tally->identity.name, name, sizeof(name));
    used = (size_t)snprintf(base, size, "%s", name);
    if (tally->identity.cell_count > 1)
        used += (size_t)snprintf(base + used, size - used, "-%u", tally->identity.cell);
    if (part != NULL && part->shard_count > 1)
        snprintf(base + used, size - used, ".%uof%u", part->shard, part->shard_count);
}

const char *scn_tally_path(const struct scn_tally *tally, const char *folder, char *path,
                           size_t size) {
    char base[NAME_PART_BYTES + 64];

    base_of(tally, base, sizeof(base));
    snprintf(path, size, "%s/%s.ndkcampaign", folder, base);
    return path;
}

static const char *orders_path(const char *campaign, char *path, size_t size) {
    snprintf(path, size, "%.*s.orders", (int)(strlen(campaign) - strlen(".ndkcampaign")), campaign);
    return path;
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* ---- Writing ---- */

static void text_member(FILE *stream, const char *key, const char *text) {
    fprintf(stream, ",\n \"%s\": ", key);
    scn_json_string(stream, text);
}

static void write_identity(FILE *stream, const struct scn_identity *identity) {
    fprintf(stream, "{\n \"ndkcampaign\": %d", CAMPAIGN_FORMAT);
    text_member(stream, "name", identity->name);
    text_member(stream, "file", identity->file);
    fprintf(stream, ",\n \"cell\": %u,\n \"cells\": %u,\n \"scenario\": \"0x%016llx\"",
            identity->cell, identity->cell_count, wide(identity->scenario));
    text_member(stream, "modules", identity->modules);
    text_member(stream, "options", identity->options);
    text_member(stream, "strategy", identity->strategy);
}

static void write_parts(FILE *stream, const struct scn_tally *tally) {
    fputs(",\n \"parts\": [", stream);
    for (size_t i = 0; i < tally->part_count; i++) {
        const struct scn_part *one = &tally->parts[i];

        fprintf(stream,
                "%s\n  {\"seed\": \"0x%016llx\", \"shard\": %u, \"shards\": %u, \"runs\": %llu, "
                "\"one_seed\": %s}",
                i > 0 ? "," : "", wide(one->seed), one->shard, one->shard_count,
                wide(one->run_count), one->has_one_seed ? "true" : "false");
    }
    fputs("\n ]", stream);
}

static void write_counts(FILE *stream, const struct scn_tally *tally) {
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{"runs", tally->run_count},       {"failed", tally->failed_count},
                  {"known", tally->known_count},    {"until", tally->until_count},
                  {"events", tally->event_total},   {"deviations", tally->deviation_total},
                  {"covered", tally->covered_count}};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(counts); i++)
        fprintf(stream, ",\n \"%s\": %llu", counts[i].key, wide(counts[i].value));
    fprintf(stream, ",\n \"interrupted\": %s", tally->was_interrupted ? "true" : "false");
    text_member(stream, "claim", tally->claim);
    text_member(stream, "ending", tally->ending);
}

static void write_distinct(FILE *stream, const struct scn_tally *tally) {
    fputs(",\n \"failures\": [", stream);
    for (size_t i = 0; i < tally->distinct_count; i++) {
        const struct scn_distinct *one = &tally->distinct[i];

        fprintf(stream,
                "%s\n  {\"signature\": \"0x%016llx\", \"exit\": %d, \"runs\": %llu, \"first_run\": "
                "%llu, \"seed\": \"0x%016llx\", \"death\": %s, \"known\": %s,\n   \"sentence\": ",
                i > 0 ? "," : "", wide(one->signature), (int)one->verdict, wide(one->run_count),
                wide(one->first_index), wide(one->first_seed), one->is_death ? "true" : "false",
                one->is_known ? "true" : "false");
        scn_json_string(stream, one->sentence);
        text_member(stream, "not_loaded", one->not_loaded);
        fputs(", \"record\": ", stream);
        scn_json_string(stream, last_part(one->file));
        fputc('}', stream);
    }
    fputs("\n ]", stream);
}

static void write_demands(FILE *stream, const struct scn_tally *tally) {
    fputs(",\n \"demands\": [", stream);
    for (size_t i = 0; i < tally->demand_count; i++) {
        const struct scn_demand *one = &tally->demands[i];

        fprintf(stream, "%s\n  {\"runs\": %llu, \"wanted\": %s, \"about\": ", i > 0 ? "," : "",
                wide(one->run_count), one->is_wanted ? "true" : "false");
        scn_json_string(stream, one->about);
        fputs(", \"missing\": ", stream);
        scn_json_string(stream, one->missing);
        fputc('}', stream);
    }
    fputs("\n ]", stream);
}

/* Group, name and count of a point each. */
static void write_points(FILE *stream, const struct scn_tally *tally) {
    fputs(",\n \"coverage\": [", stream);
    for (size_t i = 0; i < tally->point_count; i++) {
        const struct scn_point *one = &tally->points[i];

        fprintf(stream, "%s\n  [\"%s\", ", i > 0 ? "," : "", one->group);
        scn_json_string(stream, one->name);
        fprintf(stream, ", %llu]", wide(one->run_count));
    }
    fputs("\n ]\n}\n", stream);
}

static bool cannot_write(const char *path, int error) {
    scn_complain("%s: the campaign could not be kept: %s", path, strerror(error));
    return false;
}

bool scn_tally_write(struct scn_tally *tally, const char *folder) {
    char path[SCN_PATH_BYTES], orders[SCN_PATH_BYTES];
    struct scn_file file;
    int error;

    scn_tally_path(tally, folder, path, sizeof(path));
    error = scn_orders_write(&tally->orders, orders_path(path, orders, sizeof(orders)));
    if (error != 0)
        return cannot_write(orders, error);
    if (!scn_file_open(&file, path))
        return cannot_write(path, file.error);
    write_identity(file.stream, &tally->identity);
    write_parts(file.stream, tally);
    write_counts(file.stream, tally);
    write_distinct(file.stream, tally);
    write_demands(file.stream, tally);
    write_points(file.stream, tally);
    error = scn_file_close(&file);
    return error == 0 || cannot_write(path, error);
}

/* ---- Reading ---- */

struct reader {
    struct scn_diagnostics *diagnostics;
    struct scn_tally *tally;
};

static const struct scn_value *want(struct reader *reader, const struct scn_value *object,
                                    const char *key, enum scn_type type) {
    const struct scn_value *value = scn_member(object, key);

    if (value != NULL && value->type == type)
        return value;
    if (value == NULL)
        scn_diagnose_value(reader->diagnostics, object, false, "\"%s\" is missing", key);
    else
        scn_diagnose_value(reader->diagnostics, value, false, "expected %s, got %s",
                           scn_type_name(type), scn_type_name(value->type));
    return NULL;
}

static uint64_t want_number(struct reader *reader, const struct scn_value *object,
                            const char *key) {
    const struct scn_value *value = want(reader, object, key, SCN_INTEGER);

    if (value != NULL && value->integer < 0)
        scn_diagnose_value(reader->diagnostics, value, false, "must not be negative");
    return value != NULL ? (uint64_t)value->integer : 0;
}

static uint64_t want_hash(struct reader *reader, const struct scn_value *object, const char *key) {
    const struct scn_value *value = want(reader, object, key, SCN_STRING);
    const char *wrong;
    uint64_t number = 0;

    if (value == NULL)
        return 0;
    wrong = scn_unit_parse(SCN_UNIT_COUNT, value->string, &number);
    if (wrong != NULL)
        scn_diagnose_value(reader->diagnostics, value, false, "%s", wrong);
    return number;
}

static bool want_flag(struct reader *reader, const struct scn_value *object, const char *key) {
    const struct scn_value *value = want(reader, object, key, SCN_BOOLEAN);

    return value != NULL && value->boolean;
}

static void want_text(struct reader *reader, const struct scn_value *object, const char *key,
                      char *text, size_t size) {
    const struct scn_value *value = want(reader, object, key, SCN_STRING);

    snprintf(text, size, "%s", value != NULL ? value->string : "");
}

static void read_identity(struct reader *reader, const struct scn_value *root) {
    struct scn_identity *identity = &reader->tally->identity;

    want_text(reader, root, "name", identity->name, sizeof(identity->name));
    want_text(reader, root, "file", identity->file, sizeof(identity->file));
    identity->cell = (uint32_t)want_number(reader, root, "cell");
    identity->cell_count = (uint32_t)want_number(reader, root, "cells");
    identity->scenario = want_hash(reader, root, "scenario");
    want_text(reader, root, "modules", identity->modules, sizeof(identity->modules));
    want_text(reader, root, "options", identity->options, sizeof(identity->options));
    want_text(reader, root, "strategy", identity->strategy, sizeof(identity->strategy));
}

static void read_part(struct reader *reader, const struct scn_value *value) {
    struct scn_part part = {
        .seed = want_hash(reader, value, "seed"),
        .shard = (uint32_t)want_number(reader, value, "shard"),
        .shard_count = (uint32_t)want_number(reader, value, "shards"),
        .run_count = want_number(reader, value, "runs"),
        .has_one_seed = want_flag(reader, value, "one_seed"),
    };

    if (part.shard == 0 || part.shard > part.shard_count)
        scn_diagnose_value(reader->diagnostics, value, false, "there is no shard %u of %u",
                           part.shard, part.shard_count);
    scn_tally_add_part(reader->tally, &part);
}

static void read_counts(struct reader *reader, const struct scn_value *root) {
    struct scn_tally *tally = reader->tally;

    tally->run_count = want_number(reader, root, "runs");
    tally->failed_count = want_number(reader, root, "failed");
    tally->known_count = want_number(reader, root, "known");
    tally->until_count = want_number(reader, root, "until");
    tally->event_total = want_number(reader, root, "events");
    tally->deviation_total = want_number(reader, root, "deviations");
    tally->covered_count = want_number(reader, root, "covered");
    tally->was_interrupted = want_flag(reader, root, "interrupted");
    want_text(reader, root, "claim", tally->claim, sizeof(tally->claim));
    if (scn_member(root, "ending") != NULL) /* older campaigns have none */
        want_text(reader, root, "ending", tally->ending, sizeof(tally->ending));
}

static void read_distinct(struct reader *reader, const struct scn_value *value) {
    struct scn_distinct one = {
        .signature = want_hash(reader, value, "signature"),
        .verdict = (enum sim_verdict)want_number(reader, value, "exit"),
        .run_count = want_number(reader, value, "runs"),
        .first_index = want_number(reader, value, "first_run"),
        .first_seed = want_hash(reader, value, "seed"),
        .is_death = want_flag(reader, value, "death"),
        .is_known = want_flag(reader, value, "known"),
    };

    want_text(reader, value, "sentence", one.sentence, sizeof(one.sentence));
    if (scn_member(value, "not_loaded") != NULL)
        want_text(reader, value, "not_loaded", one.not_loaded, sizeof(one.not_loaded));
    want_text(reader, value, "record", one.file, sizeof(one.file));
    if (strchr(one.file, '/') != NULL)
        scn_diagnose_value(reader->diagnostics, value, false,
                           "a record lies beside the campaign, without a path");
    scn_tally_add_distinct(reader->tally, &one);
}

static void read_demand(struct reader *reader, const struct scn_value *value) {
    struct scn_demand one = {.run_count = want_number(reader, value, "runs"),
                             .is_wanted = want_flag(reader, value, "wanted")};

    want_text(reader, value, "about", one.about, sizeof(one.about));
    want_text(reader, value, "missing", one.missing, sizeof(one.missing));
    scn_tally_add_demand(reader->tally, &one);
}

static void read_point(struct reader *reader, const struct scn_value *value) {
    const struct scn_value *group = value->first;
    const struct scn_value *name = group != NULL ? group->next : NULL;
    const struct scn_value *count = name != NULL ? name->next : NULL;
    struct scn_point one = {.group = NULL};

    if (count == NULL || group->type != SCN_STRING || name->type != SCN_STRING ||
        count->type != SCN_INTEGER || count->integer < 0) {
        scn_diagnose_value(reader->diagnostics, value, false, "expected [group, name, runs]");
        return;
    }
    one.group = scn_point_group(group->string);
    one.run_count = (uint64_t)count->integer;
    snprintf(one.name, sizeof(one.name), "%s", name->string);
    if (one.group == NULL)
        scn_diagnose_value(reader->diagnostics, group, false, "there is no group \"%s\"",
                           group->string);
    else
        scn_tally_add_point(reader->tally, &one);
}

static void read_list(struct reader *reader, const struct scn_value *root, const char *key,
                      void (*read_one)(struct reader *reader, const struct scn_value *value)) {
    const struct scn_value *list = want(reader, root, key, SCN_ARRAY);

    for (const struct scn_value *one = list != NULL ? list->first : NULL; one != NULL;
         one = one->next)
        read_one(reader, one);
}

static void read_all(struct reader *reader, const struct scn_value *root) {
    const struct scn_value *format = want(reader, root, "ndkcampaign", SCN_INTEGER);

    if (format == NULL)
        return;
    if (format->integer != CAMPAIGN_FORMAT) {
        scn_diagnose_value(reader->diagnostics, format, false,
                           "format %lld is not known; this program reads format %d",
                           (long long)format->integer, CAMPAIGN_FORMAT);
        return;
    }
    read_identity(reader, root);
    read_counts(reader, root);
    read_list(reader, root, "parts", read_part);
    read_list(reader, root, "failures", read_distinct);
    read_list(reader, root, "demands", read_demand);
    read_list(reader, root, "coverage", read_point);
}

/* Where the records of a campaign file lie: beside it. */
static void place_records(struct scn_tally *tally, const char *path) {
    int folder = (int)(last_part(path) - path);
    char name[SCN_TALLY_TEXT_BYTES];

    for (size_t i = 0; i < tally->distinct_count; i++) {
        char *file = tally->distinct[i].file;

        if (file[0] == '\0')
            continue;
        snprintf(name, sizeof(name), "%s", file);
        snprintf(file, sizeof(tally->distinct[i].file), "%.*s%.200s", folder, path, name);
        if (access(file, R_OK) != 0)
            file[0] = '\0';
    }
}

struct scn_tally *scn_tally_read(const char *path) {
    static struct scn_diagnostics diagnostics;
    struct scn_tally *tally = calloc(1, sizeof(*tally));
    struct reader reader = {&diagnostics, tally};
    struct scn_document *document;
    char orders[SCN_PATH_BYTES];
    int error = 0;

    SIM_ASSERT(tally != NULL);
    scn_diagnostics_init(&diagnostics);
    document = scn_document_read(path, &diagnostics);
    if (document != NULL)
        read_all(&reader, document->root);
    scn_document_free(document);
    scn_print_diagnostics(&diagnostics);
    if (diagnostics.count == 0) {
        error = scn_orders_read(&tally->orders, orders_path(path, orders, sizeof(orders)));
        if (error != 0)
            scn_complain("%s: %s", orders,
                         error == EINVAL ? "these are no orders of a campaign" : strerror(error));
    }
    if (diagnostics.count == 0 && error == 0) {
        scn_tally_settle(tally);
        place_records(tally, path);
        return tally;
    }
    scn_tally_free(tally);
    free(tally);
    return NULL;
}
