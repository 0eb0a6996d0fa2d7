/* SPDX-License-Identifier: Apache-2.0 */
/* See tally.h. */
#include "cli/tally.h"

#include <krn/driver.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/plural.h"
#include "run/devices.h"
#include "run/script.h"

static unsigned long long wide(uint64_t value) {
    return value;
}

/* Room for one more in an array of `count`, which grows by doubling. */
static void *grown(void *entries, size_t count, size_t bytes) {
    if ((count & (count - 1)) != 0)
        return entries;
    entries = realloc(entries, (count > 0 ? 2 * count : 1) * bytes);
    SIM_ASSERT(entries != NULL);
    return entries;
}

/* ---- Filling ---- */

static uint64_t value_hash(const struct scn_value *value) {
    uint64_t hash = sim_hash_mix((uint64_t)value->type, (uint64_t)value->integer);

    hash = sim_hash_mix(hash, value->boolean);
    if (value->key != NULL)
        hash = sim_hash_mix(hash, sim_hash_text(value->key));
    if (value->string != NULL)
        hash = sim_hash_mix(hash, sim_hash_text(value->string));
    for (const struct scn_value *child = value->first; child != NULL; child = child->next)
        hash = sim_hash_mix(hash, value_hash(child));
    return sim_hash_mix(hash, value->count);
}

void scn_tally_add_demand(struct scn_tally *tally, const struct scn_demand *demand) {
    tally->demands = grown(tally->demands, tally->demand_count, sizeof(*tally->demands));
    tally->demands[tally->demand_count++] = *demand;
}

void scn_tally_add_point(struct scn_tally *tally, const struct scn_point *point) {
    tally->points = grown(tally->points, tally->point_count, sizeof(*tally->points));
    tally->points[tally->point_count++] = *point;
}

SIM_PRINTF(3, 4)
static void demand(struct scn_tally *tally, struct scn_demand *one, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(one->about, sizeof(one->about), format, arguments);
    va_end(arguments);
    scn_tally_add_demand(tally, one);
}

/* In the order in which scn_campaign counts them: plans, steps, expected findings. */
static void init_demands(struct scn_tally *tally, const struct scn_scenario *scenario) {
    char text[64];

    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scn_fault *fault = &scenario->faults[i];
        struct scn_demand one = {.is_wanted = fault->free_ppm == 0};

        snprintf(one.missing, sizeof(one.missing), "%s: the fault \"%s\" never fired", fault->place,
                 fault->point);
        demand(tally, &one, "fault    %s: %s fired", fault->place, fault->point);
    }
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        struct scn_demand one = {.is_wanted = true};

        scn_step_never_began(scenario, i, one.missing, sizeof(one.missing));
        demand(tally, &one, "step     %s: %s began", scenario->steps[i].place,
               scn_step_text(scenario, i, text, sizeof(text)));
    }
    for (uint32_t i = 0; i < scenario->expect_count; i++) {
        const struct scn_expect *expect = &scenario->expects[i];
        struct scn_demand one = {.is_wanted = expect->kind == SCN_EXPECT_FINDING};

        snprintf(one.missing, sizeof(one.missing), "%s: \"%s\" was expected and not found",
                 expect->place, expect->name);
        demand(tally, &one, "expect   %s: \"%s\" came", expect->place, expect->name);
    }
}

void scn_tally_init(struct scn_tally *tally, const struct scn_machine *machine, uint32_t cell,
                    uint32_t cell_count) {
    const struct scn_scenario *scenario = machine->scenario;
    struct scn_identity *identity = &tally->identity;
    size_t used = 0;

    memset(tally, 0, sizeof(*tally));
    snprintf(identity->name, sizeof(identity->name), "%s", scenario->name);
    snprintf(identity->file, sizeof(identity->file), "%s", scenario->file);
    identity->cell = cell;
    identity->cell_count = cell_count;
    if (scenario->cell != NULL)
        snprintf(identity->settings, sizeof(identity->settings), "%.255s", scenario->cell);
    identity->scenario = value_hash(scenario->document->root);
    for (uint32_t i = 0; i < scenario->driver_count && used < sizeof(identity->modules); i++)
        used += (size_t)snprintf(identity->modules + used, sizeof(identity->modules) - used,
                                 "%s%s %s", i > 0 ? ", " : "", krn_driver_name(machine->drivers[i]),
                                 krn_driver_build_id(machine->drivers[i]));
    for (uint32_t i = 0; i < scenario->adapter_count && used < sizeof(identity->modules); i++)
        if (machine->devices[i].image != NULL)
            used += (size_t)snprintf(identity->modules + used, sizeof(identity->modules) - used,
                                     ", %s %s", scenario->adapters[i].full_name,
                                     scn_device_build_id(&machine->devices[i]));
    init_demands(tally, scenario);
}

void scn_tally_free(struct scn_tally *tally) {
    scn_orders_free(&tally->orders);
    free(tally->parts);
    free(tally->demands);
    free(tally->distinct);
    free(tally->points);
    memset(tally, 0, sizeof(*tally));
}

struct scn_distinct *scn_tally_find(const struct scn_tally *tally, uint64_t signature) {
    for (size_t i = 0; i < tally->distinct_count; i++)
        if (tally->distinct[i].signature == signature)
            return &tally->distinct[i];
    return NULL;
}

struct scn_distinct *scn_tally_add_distinct(struct scn_tally *tally,
                                            const struct scn_distinct *distinct) {
    tally->distinct = grown(tally->distinct, tally->distinct_count, sizeof(*tally->distinct));
    tally->distinct[tally->distinct_count] = *distinct;
    return &tally->distinct[tally->distinct_count++];
}

struct scn_part *scn_tally_add_part(struct scn_tally *tally, const struct scn_part *part) {
    tally->parts = grown(tally->parts, tally->part_count, sizeof(*tally->parts));
    tally->parts[tally->part_count] = *part;
    return &tally->parts[tally->part_count++];
}

const char *scn_point_group(const char *name) {
    static const char *const groups[] = {"close_order",
                                         "connector_at_close",
                                         "provider_connector_at_close",
                                         "event",
                                         "fault",
                                         "state",
                                         "transition",
                                         "order"};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(groups); i++)
        if (strcmp(groups[i], name) == 0)
            return groups[i];
    return NULL;
}

/* ---- Adding up ---- */

const char *scn_tally_differ(const struct scn_tally *one, const struct scn_tally *other, char *text,
                             size_t size) {
    const struct scn_identity *a = &one->identity, *b = &other->identity;

    if (strcmp(a->name, b->name) != 0 || a->cell != b->cell || a->cell_count != b->cell_count)
        snprintf(text, size, "it is of the scenario %s, cell %u of %u, not of %s, cell %u of %u",
                 b->name, b->cell, b->cell_count, a->name, a->cell, a->cell_count);
    else if (a->scenario != b->scenario)
        snprintf(text, size, "it is of another scenario of the name %s (other contents or --set)",
                 b->name);
    else if (strcmp(a->modules, b->modules) != 0)
        snprintf(text, size, "it is of other builds: %s; not %s", b->modules, a->modules);
    else if (strcmp(a->options, b->options) != 0)
        snprintf(text, size, "its options were \"%s\", not \"%s\"", b->options, a->options);
    else if (strcmp(a->strategy, b->strategy) != 0)
        snprintf(text, size, "its strategy was %s, not %s", b->strategy, a->strategy);
    else if (one->demand_count != other->demand_count)
        snprintf(text, size, "it counts other things: it is of another version of the program");
    else
        return NULL;
    return text;
}

static uint64_t part_seed(const struct scn_part *part, uint64_t number) {
    return part->has_one_seed ? part->seed
                              : part->seed + number * part->shard_count + part->shard - 1;
}

static bool part_has(const struct scn_part *part, uint64_t seed) {
    uint64_t index = seed - part->seed;

    return seed >= part->seed && index % part->shard_count == part->shard - 1 &&
           index / part->shard_count < part->run_count;
}

/* The first seed that both have. */
static bool parts_share(const struct scn_part *one, const struct scn_part *other, uint64_t *seed) {
    const struct scn_part *few = one->run_count < other->run_count ? one : other;
    const struct scn_part *many = few == one ? other : one;

    if (one->has_one_seed || other->has_one_seed) {
        *seed = one->seed;
        return one->has_one_seed && other->has_one_seed;
    }
    for (uint64_t i = 0; i < few->run_count; i++) {
        *seed = part_seed(few, i);
        if (part_has(many, *seed))
            return true;
    }
    return false;
}

const char *scn_tally_overlap(const struct scn_tally *one, const struct scn_tally *other,
                              char *text, size_t size) {
    uint64_t seed;

    for (size_t i = 0; i < one->part_count; i++)
        for (size_t k = 0; k < other->part_count; k++)
            if (parts_share(&one->parts[i], &other->parts[k], &seed)) {
                snprintf(text, size, "seed %llu is in both; a run counts once", wide(seed));
                return text;
            }
    return NULL;
}

static bool is_earlier(const struct scn_distinct *one, const struct scn_distinct *other) {
    return one->first_seed != other->first_seed ? one->first_seed < other->first_seed
                                                : one->first_index < other->first_index;
}

static void merge_distinct(struct scn_tally *tally, const struct scn_distinct *other) {
    struct scn_distinct *one = scn_tally_find(tally, other->signature);
    uint64_t run_count;

    if (one == NULL) {
        scn_tally_add_distinct(tally, other);
        return;
    }
    run_count = one->run_count + other->run_count;
    if (is_earlier(other, one))
        *one = *other;
    one->run_count = run_count;
}

static int by_group_and_name(const void *a, const void *b) {
    const struct scn_point *one = a, *other = b;
    int order = strcmp(one->group, other->group);

    return order != 0 ? order : strcmp(one->name, other->name);
}

/* Both are sorted; orders of events are there only where they were seen. */
static void merge_points(struct scn_tally *tally, const struct scn_tally *other) {
    size_t own = tally->point_count, at = 0;

    for (size_t i = 0; i < other->point_count; i++) {
        const struct scn_point *one = &other->points[i];

        while (at < own && by_group_and_name(&tally->points[at], one) < 0)
            at++;
        if (at < own && by_group_and_name(&tally->points[at], one) == 0)
            tally->points[at].run_count += one->run_count;
        else
            scn_tally_add_point(tally, one);
    }
}

static int by_first(const void *a, const void *b) {
    const struct scn_distinct *one = a, *other = b;

    return is_earlier(one, other) ? -1 : is_earlier(other, one);
}

static int by_part(const void *a, const void *b) {
    const struct scn_part *one = a, *other = b;

    if (one->seed != other->seed)
        return one->seed < other->seed ? -1 : 1;
    if (one->shard_count != other->shard_count)
        return one->shard_count < other->shard_count ? -1 : 1;
    return one->shard < other->shard ? -1 : one->shard > other->shard;
}

/* Whether all shards of each seed are there. */
static bool has_all_shards(const struct scn_tally *tally) {
    for (size_t i = 0; i < tally->part_count; i++) {
        uint32_t there = 0;

        for (size_t k = 0; k < tally->part_count; k++)
            there += tally->parts[k].seed == tally->parts[i].seed &&
                     tally->parts[k].shard_count == tally->parts[i].shard_count;
        if (there < tally->parts[i].shard_count)
            return false;
    }
    return true;
}

void scn_tally_settle(struct scn_tally *tally) {
    if (tally->point_count > 0) /* there is no array before that */
        qsort(tally->points, tally->point_count, sizeof(*tally->points), by_group_and_name);
    tally->is_whole = has_all_shards(tally);
}

void scn_tally_merge(struct scn_tally *tally, const struct scn_tally *other) {
    for (size_t i = 0; i < other->part_count; i++)
        scn_tally_add_part(tally, &other->parts[i]);
    for (size_t i = 0; i < other->demand_count; i++)
        tally->demands[i].run_count += other->demands[i].run_count;
    merge_points(tally, other);
    for (size_t i = 0; i < other->distinct_count; i++)
        merge_distinct(tally, &other->distinct[i]);
    if (tally->distinct_count > 0)
        qsort(tally->distinct, tally->distinct_count, sizeof(*tally->distinct), by_first);
    qsort(tally->parts, tally->part_count, sizeof(*tally->parts), by_part);
    scn_orders_merge(&tally->orders, &other->orders);
    tally->run_count += other->run_count;
    tally->covered_count += other->covered_count;
    tally->failed_count += other->failed_count;
    tally->known_count += other->known_count;
    tally->until_count += other->until_count;
    tally->deviation_total += other->deviation_total;
    tally->event_total += other->event_total;
    tally->was_interrupted = tally->was_interrupted || other->was_interrupted;
    scn_tally_settle(tally);
}

/* ---- Judging ---- */

bool scn_tally_unmet(const struct scn_tally *tally, size_t *at, char *text, size_t size) {
    if (tally->was_interrupted || tally->until_count > 0 || !tally->is_whole)
        return false;
    for (; *at < tally->demand_count; ++*at) {
        const struct scn_demand *one = &tally->demands[*at];

        if (one->is_wanted && one->run_count == 0) {
            snprintf(text, size, "%s in %llu run%s", one->missing, wide(tally->run_count),
                     scn_plural(tally->run_count));
            ++*at;
            return true;
        }
    }
    return false;
}

uint32_t scn_verdict_weight(enum sim_verdict verdict) {
    static const enum sim_verdict order[] = {SIM_VERDICT_HELD,     SIM_VERDICT_EXPECTATION,
                                             SIM_VERDICT_STUCK,    SIM_VERDICT_RULE,
                                             SIM_VERDICT_BUGCHECK, SIM_VERDICT_INTERNAL};

    for (uint32_t i = 0; i < SIM_ARRAY_COUNT(order); i++)
        if (order[i] == verdict)
            return i;
    return SIM_ARRAY_COUNT(order);
}

int scn_exit_worse(int a, int b) {
    static const int first[] = {SIM_VERDICT_USAGE, SIM_VERDICT_INTERRUPTED};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(first); i++)
        if (a == first[i] || b == first[i])
            return first[i];
    return scn_verdict_weight((enum sim_verdict)b) > scn_verdict_weight((enum sim_verdict)a) ? b
                                                                                             : a;
}

enum sim_verdict scn_tally_worst(const struct scn_tally *tally) {
    enum sim_verdict worst = SIM_VERDICT_HELD;
    char text[2 * SCN_TALLY_TEXT_BYTES];
    size_t at = 0;

    for (size_t i = 0; i < tally->distinct_count; i++)
        if (!tally->distinct[i].is_known &&
            scn_verdict_weight(tally->distinct[i].verdict) > scn_verdict_weight(worst))
            worst = tally->distinct[i].verdict;
    if (worst == SIM_VERDICT_HELD && scn_tally_unmet(tally, &at, text, sizeof(text)))
        worst = SIM_VERDICT_EXPECTATION;
    if (worst == SIM_VERDICT_HELD && tally->was_interrupted)
        worst = SIM_VERDICT_INTERRUPTED;
    return worst;
}

/* A chance of p is missed by N runs with (1 - p)^N: at 1 % where N p is the logarithm of 100. */
uint64_t scn_tally_bound(const struct scn_tally *tally) {
    const uint64_t ten_logarithms = 46052, ten_thousand = 10000;

    if (tally->failed_count > 0 || tally->run_count > UINT64_MAX / ten_thousand)
        return 0;
    for (size_t i = 0; i < tally->part_count; i++)
        if (tally->parts[i].has_one_seed)
            return 0;
    return tally->run_count * ten_thousand / ten_logarithms;
}
