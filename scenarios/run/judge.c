/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict of a run. Order: an interrupt, then what was found (expected findings held, the first
 * other one decides), then unexpected outcomes of steps, then expectations, then plans and triggers
 * that never matched. What a stuck run did not do is listed; the verdict is that it was stuck.
 *
 * Where the explorer has let an allocation or a call fail (sweep), a driver that reports it and
 * goes is right: statuses and expectations are of the undisturbed way and not asked for, but those
 * that the scenario asks of every run.
 */
#include "run/judge.h"

#include <krn/counter.h>
#include <krn/memory.h>
#include <net/frame.h>
#include <net/port.h>
#include <sim/fault.h>
#include <sim/memory.h>
#include <sim/trace.h>
#include <stdio.h>
#include <string.h>
#include <vrf/verifier.h>

#include "run/devices.h"
#include "run/names.h"
#include "run/script.h"
#include "run/signature.h"

struct tally {
    struct sim_watch watch;
    uint64_t count;
    uint64_t first_ns;
    const struct scn_expect *expect;
};

/* PRIVATE memory, made anew after each reset. */
struct scn_tallies {
    struct tally *entries;
};

static void on_event(struct sim_world *world, struct sim_watch *watch,
                     const struct sim_record *record) {
    struct tally *tally = SIM_CONTAINER_OF(watch, struct tally, watch);

    (void)world;
    if (tally->count++ == 0)
        tally->first_ns = record->time_ns;
}

void scn_judge_begin(struct scn_machine *machine) {
    const struct scn_scenario *scenario = machine->scenario;
    struct scn_tallies *tallies = sim_alloc(machine->world, sizeof(*tallies));

    machine->counters_seen = 0;
    machine->expected_seen = 0;
    tallies->entries =
        sim_alloc(machine->world, (scenario->expect_count + 1) * sizeof(*tallies->entries));
    sim_world_slot_set(machine->world, SIM_SLOT_SCENARIO, tallies);
    for (uint32_t i = 0; i < scenario->expect_count; i++) {
        struct tally *tally = &tallies->entries[i];

        tally->expect = &scenario->expects[i];
        if (tally->expect->kind != SCN_EXPECT_EVENT)
            continue;
        tally->watch.type = sim_trace_type_of(machine->world, tally->expect->name);
        tally->watch.pattern = tally->expect->object;
        tally->watch.seen = on_event;
        sim_watch_add(machine->world, &tally->watch);
    }
}

static struct tally *tallies_of(const struct scn_machine *machine) {
    struct scn_tallies *tallies = sim_world_slot(machine->world, SIM_SLOT_SCENARIO);

    return tallies->entries;
}

void scn_judge_text(struct scn_machine *machine, const char *text) {
    struct tally *tallies = tallies_of(machine);

    for (uint32_t i = 0; i < machine->scenario->expect_count; i++) {
        const struct scn_expect *expect = &machine->scenario->expects[i];

        if (expect->kind == SCN_EXPECT_LOG && strstr(text, expect->name) != NULL &&
            tallies[i].count++ == 0)
            tallies[i].first_ns = sim_now_ns(machine->world);
    }
}

/* A driver that counts nothing as done is not asked, unless it was named. */
static bool is_driver_done(struct krn_driver *driver, bool is_named) {
    uint64_t value;

    if (krn_node_is_off(krn_driver_node(driver)))
        return true;
    return krn_counter_get(driver, "done", &value) ? value != 0 : !is_named;
}

uint32_t scn_drivers_not_done(const struct scn_machine *machine, const char **first) {
    const struct scn_scenario *scenario = machine->scenario;
    uint32_t count = scenario->has_wait_for ? scenario->wait_for_count : scenario->driver_count;
    uint32_t not_done = 0;

    *first = NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t driver = scenario->has_wait_for ? scenario->wait_for[i] : i;

        if (is_driver_done(machine->drivers[driver], scenario->has_wait_for))
            continue;
        if (not_done++ == 0)
            *first = scenario->drivers[driver].as;
    }
    return not_done;
}

/* Asked after every step: names are looked up only when a counter has changed. */
bool scn_drivers_are_done(struct scn_machine *machine) {
    uint64_t changes = krn_counter_changes(machine->world) + 1;
    const char *first;

    if (machine->counters_seen != changes) {
        machine->counters_seen = changes;
        machine->drivers_are_done = scn_drivers_not_done(machine, &first) == 0;
    }
    return machine->drivers_are_done;
}

static void find_left(struct scn_machine *machine, const char *name, uint64_t count) {
    struct sim_finding finding;

    sim_finding_init(&finding, SIM_VERDICT_INTERNAL, "left-over", "");
    sim_finding_say(&finding, "%llu %s left after everything was unloaded",
                    (unsigned long long)count, name);
    sim_find(machine->world, &finding);
}

void scn_check_leftovers(struct scn_machine *machine) {
    const struct scn_scenario *scenario = machine->scenario;

    vrf_check_end(machine->world);
    if (!scenario->unload_at_end)
        return;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        krn_pool_check(machine->nodes[i]);
    sim_run(machine->world, NULL, NULL, SIM_TIME_NEVER);
    if (net_frame_live_count(machine->world) > 0)
        find_left(machine, "frames", net_frame_live_count(machine->world));
}

/* "owner.name", cut to the buffer. */
static const char *join(char *full, size_t size, const char *owner, const char *name) {
    size_t at = strlen(owner), count = strlen(name);

    at = at < size - 2 ? at : size - 2;
    count = count < size - 2 - at ? count : size - 2 - at;
    memcpy(full, owner, at);
    full[at++] = '.';
    memcpy(full + at, name, count);
    full[at + count] = '\0';
    return full;
}

struct counter_sum {
    const char *pattern;
    uint64_t value;
    bool is_known;
};

static void add_counter(void *context, struct krn_driver *driver, const char *name,
                        uint64_t value) {
    struct counter_sum *sum = context;
    char full[192];

    if (!sim_text_matches(join(full, sizeof(full), krn_driver_name(driver), name), sum->pattern))
        return;
    sum->value += value;
    sum->is_known = true;
}

/* False: the pattern can be of none of the owner's counters. */
static bool may_match(const char *pattern, const char *owner) {
    while (*owner != '\0' && *pattern == *owner) {
        pattern++;
        owner++;
    }
    return *pattern == '*' || (*owner == '\0' && *pattern == '.');
}

static void add_port(struct counter_sum *sum, const struct net_port *port) {
    const struct {
        const char *name;
        uint64_t value;
    } counters[] = {{"frames_out", port->statistics.frames_out},
                    {"bytes_out", port->statistics.bytes_out},
                    {"frames_in", port->statistics.frames_in},
                    {"bytes_in", port->statistics.bytes_in}};
    char name[SIM_NAME_BYTES], full[SIM_NAME_BYTES + 32];

    sim_object_name(&port->object, name, sizeof(name));
    if (!may_match(sum->pattern, name))
        return;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(counters); i++) {
        if (sim_text_matches(join(full, sizeof(full), name, counters[i].name), sum->pattern)) {
            sum->value += counters[i].value;
            sum->is_known = true;
        }
    }
    for (unsigned i = 0; i < NET_PRIORITY_COUNT; i++) {
        snprintf(full, sizeof(full), "%s.priority%u_out", name, i);
        if (sim_text_matches(full, sum->pattern)) {
            sum->value += port->statistics.priority_out[i];
            sum->is_known = true;
        }
    }
}

static void add_device(struct counter_sum *sum, const struct scn_device *device) {
    char name[SIM_NAME_BYTES], full[SIM_NAME_BYTES + 64];

    sim_object_name(&device->device->bus->object, name, sizeof(name));
    if (!may_match(sum->pattern, name))
        return;
    for (uint32_t i = 0; scn_device_counter_name(device, i) != NULL; i++) {
        if (sim_text_matches(join(full, sizeof(full), name, scn_device_counter_name(device, i)),
                             sum->pattern)) {
            sum->value += device->model->counter(device->device, i);
            sum->is_known = true;
        }
    }
}

static struct counter_sum read_counter(const struct scn_machine *machine, const char *pattern) {
    struct counter_sum sum = {.pattern = pattern};

    krn_counter_visit(machine->world, add_counter, &sum);
    for (uint32_t i = 0; i < machine->scenario->adapter_count; i++) {
        add_port(&sum, scn_device_port(machine, i));
        add_device(&sum, &machine->devices[i]);
    }
    return sum;
}

bool scn_counter_read(const struct scn_machine *machine, const char *pattern, uint64_t *value) {
    struct counter_sum sum = read_counter(machine, pattern);

    *value = sum.value;
    return sum.is_known;
}

static void say_bounds(const struct scn_expect *expect, char *text, size_t size) {
    if (expect->at_least == expect->at_most)
        snprintf(text, size, "%llu", (unsigned long long)expect->at_least);
    else if (expect->at_most == UINT64_MAX)
        snprintf(text, size, "at least %llu", (unsigned long long)expect->at_least);
    else
        snprintf(text, size, "%llu to %llu", (unsigned long long)expect->at_least,
                 (unsigned long long)expect->at_most);
}

/* True when the expectation holds; else `text` says what was seen instead. */
static bool expectation_holds(const struct scn_machine *machine, uint32_t index, char *text,
                              size_t size) {
    const struct scn_expect *expect = &machine->scenario->expects[index];
    const struct tally *tally = &tallies_of(machine)[index];
    uint64_t seen = tally->count;
    char bounds[64];

    if (expect->kind == SCN_EXPECT_FINDING)
        return true;
    if (expect->kind == SCN_EXPECT_COUNTER) {
        struct counter_sum sum = read_counter(machine, expect->name);
        char name[160];
        const char *nearest;

        if (!sum.is_known) {
            nearest = scn_counter_nearest(machine, expect->name, name, sizeof(name));
            snprintf(text, size, "%s: nobody has a counter \"%s\"%s%s%s", expect->place,
                     expect->name, nearest != NULL ? "; there is \"" : "",
                     nearest != NULL ? nearest : "", nearest != NULL ? "\"" : "");
            return false;
        }
        seen = sum.value;
    }
    if (seen < expect->at_least || seen > expect->at_most) {
        say_bounds(expect, bounds, sizeof(bounds));
        snprintf(text, size, "%s: \"%s\" is %llu, expected %s", expect->place, expect->name,
                 (unsigned long long)seen, bounds);
        return false;
    }
    if (seen > 0 && expect->before_ns != SIM_TIME_NEVER && tally->first_ns >= expect->before_ns) {
        snprintf(text, size, "%s: \"%s\" came at %llu ns, expected before %llu ns", expect->place,
                 expect->name, (unsigned long long)tally->first_ns,
                 (unsigned long long)expect->before_ns);
        return false;
    }
    return true;
}

const char *scn_judge_needs(const struct scn_machine *machine, char *text, size_t size) {
    char seen[SCN_REASON_BYTES];

    for (uint32_t i = 0; i < machine->scenario->expect_count; i++) {
        const struct scn_expect *expect = &machine->scenario->expects[i];

        if (expect->needs != NULL && !expectation_holds(machine, i, seen, sizeof(seen))) {
            snprintf(text, size, "needs %s: %s", expect->needs, seen);
            return expect->needs;
        }
    }
    return NULL;
}

/* What special pool sees as it happens is a block that was written over without it. */
static bool is_overrun_of(const struct sim_finding *finding, const char *name) {
    return strcmp(finding->id, "0xD6") == 0 &&
           (strcmp(name, "0x19") == 0 || strcmp(name, "BAD_POOL_HEADER") == 0);
}

static bool finding_is(const struct sim_finding *finding, const struct scn_expect *expect) {
    if (strcmp(expect->name, finding->id) != 0 && strcmp(expect->name, finding->name) != 0 &&
        !is_overrun_of(finding, expect->name))
        return false;
    if (expect->guilty != NULL && strcmp(expect->guilty, finding->guilty) != 0)
        return false;
    return expect->says == NULL || strstr(finding->sentence, expect->says) != NULL ||
           strstr(finding->detail, expect->says) != NULL;
}

/* The expectation that asked for this finding, SCN_NONE for none. */
static uint32_t expectation_of(const struct scn_machine *machine,
                               const struct sim_finding *finding) {
    for (uint32_t i = 0; i < machine->scenario->expect_count; i++)
        if (machine->scenario->expects[i].kind == SCN_EXPECT_FINDING &&
            finding_is(finding, &machine->scenario->expects[i]))
            return i;
    return SCN_NONE;
}

/* Worst first: what fuzz returns, and what wins at one instant. */
static uint32_t weight(enum sim_verdict verdict) {
    static const enum sim_verdict order[] = {SIM_VERDICT_HELD,  SIM_VERDICT_EXPECTATION,
                                             SIM_VERDICT_STUCK, SIM_VERDICT_BUGCHECK,
                                             SIM_VERDICT_RULE,  SIM_VERDICT_INTERNAL};

    for (uint32_t i = 0; i < SIM_ARRAY_COUNT(order); i++)
        if (order[i] == verdict)
            return i;
    return SIM_ARRAY_COUNT(order);
}

bool scn_judge_expects(void *context, const struct sim_finding *finding) {
    struct scn_machine *machine = context;
    uint32_t expectation = expectation_of(machine, finding);

    if (expectation == SCN_NONE)
        return false;
    machine->expected_seen |= UINT64_C(1) << (expectation % 64);
    return true;
}

/* The first unexpected error; at one instant a rule wins over a bugcheck. */
static void judge_findings(const struct scn_machine *machine, struct scn_outcome *outcome) {
    const struct sim_finding *decides = NULL;

    outcome->expected_seen = machine->expected_seen;
    for (size_t i = 0; i < outcome->finding_count; i++) {
        const struct sim_finding *finding = sim_finding_at(machine->world, i);

        if (finding->expected || finding->severity != SIM_SEVERITY_ERROR)
            continue;
        if (decides != NULL && (finding->time_ns != decides->time_ns ||
                                weight(finding->verdict) <= weight(decides->verdict)))
            continue;
        decides = finding;
        outcome->first_finding = i;
    }
    if (decides == NULL)
        return;
    outcome->verdict = decides->verdict;
    outcome->kind = decides->signature;
    outcome->signature = scn_signature(machine->world, decides);
    snprintf(outcome->reason, sizeof(outcome->reason), "%.500s", decides->sentence);
}

/*
 * One thing more that is not as wanted; the first one is the reason. `text` begins with `place`,
 * which is no part of the signature: in a record it is another one.
 */
static void fail(void *context, const char *place, const char *text) {
    struct scn_outcome *outcome = context;
    size_t skipped = strlen(place), used = strlen(outcome->unmet);

    SIM_ASSERT(strncmp(text, place, skipped) == 0);
    if (outcome->unmet_count++ == 0 && outcome->verdict == SIM_VERDICT_HELD) {
        outcome->verdict = SIM_VERDICT_EXPECTATION;
        outcome->kind = scn_signature_of_text(text + skipped);
        outcome->signature = outcome->kind;
        snprintf(outcome->reason, sizeof(outcome->reason), "%s", text);
    }
    if (used + strlen(text) + 2 <= sizeof(outcome->unmet))
        snprintf(outcome->unmet + used, sizeof(outcome->unmet) - used, "%s\n", text);
}

/* Expected findings that did not come. */
static void judge_missing(const struct scn_machine *machine, bool is_exploring,
                          struct scn_outcome *outcome) {
    char text[SCN_REASON_BYTES];

    for (uint32_t i = 0; i < machine->scenario->expect_count; i++) {
        const struct scn_expect *expect = &machine->scenario->expects[i];

        if (expect->kind != SCN_EXPECT_FINDING || (outcome->expected_seen >> (i % 64) & 1) != 0 ||
            (is_exploring && !expect->in_every_run))
            continue;
        snprintf(text, sizeof(text), "%s: \"%s\" was expected and not found", expect->place,
                 expect->name);
        fail(outcome, expect->place, text);
    }
}

uint32_t scn_unfired_plan(const struct scn_machine *machine, uint32_t from) {
    for (size_t i = from; i < sim_fault_plan_count(machine->world); i++) {
        const struct sim_fault_plan *plan = sim_fault_plan_at(machine->world, i);

        if (plan->fired_count == 0 && plan->free_ppm == 0)
            return (uint32_t)i;
    }
    return SCN_NONE;
}

static void judge_plans(const struct scn_machine *machine, struct scn_outcome *outcome) {
    char text[SCN_REASON_BYTES];

    for (uint32_t i = scn_unfired_plan(machine, 0); i != SCN_NONE;
         i = scn_unfired_plan(machine, i + 1)) {
        const struct sim_fault_plan *plan = sim_fault_plan_at(machine->world, i);

        snprintf(text, sizeof(text),
                 "%s: the fault \"%s\" never fired (its place was passed %u time%s%s)",
                 plan->source, plan->point->name, plan->passed_count,
                 plan->passed_count == 1 ? "" : "s",
                 plan->after_event != NULL && !plan->armed ? ", its \"after\" never matched" : "");
        fail(outcome, plan->source, text);
    }
}

/* What a run is asked for that came to its end, or to where it could go no further. */
static void judge_rest(const struct scn_machine *machine, bool is_exploring,
                       struct scn_outcome *outcome) {
    const struct scn_scenario *scenario = machine->scenario;
    char text[SCN_REASON_BYTES];

    scn_script_failures(machine, is_exploring, fail, outcome);
    for (uint32_t i = 0; i < scenario->expect_count; i++)
        if ((scenario->expects[i].in_every_run || sim_fault_chosen_count(machine->world) == 0) &&
            !expectation_holds(machine, i, text, sizeof(text)))
            fail(outcome, scenario->expects[i].place, text);
}

static void add_reason(struct scn_outcome *outcome, uint64_t reason) {
    outcome->kind = sim_hash_mix(outcome->kind, reason);
    outcome->signature = sim_hash_mix(outcome->signature, reason);
}

static void add_not_loaded(void *context, uint32_t driver, int32_t status) {
    (void)driver; /* shrinking renumbers them */
    add_reason(context, sim_hash_mix(sim_hash_text("not loaded"), (uint32_t)status));
}

/*
 * A standstill without a cycle is one with its reason: whose work is not done, and which drivers
 * did not load, unless the explorer has let something fail.
 */
static void tell_apart(const struct scn_machine *machine, struct scn_outcome *outcome) {
    const char *not_done;

    if (strcmp(sim_finding_at(machine->world, outcome->first_finding)->id, "stuck") != 0)
        return;
    if (scn_drivers_not_done(machine, &not_done) > 0)
        add_reason(outcome, sim_hash_text(not_done));
    if (sim_fault_chosen_count(machine->world) == 0)
        scn_script_not_loaded(machine, add_not_loaded, outcome);
}

void scn_judge(struct scn_machine *machine, const struct scn_run_options *options,
               struct scn_outcome *outcome) {
    judge_findings(machine, outcome);
    /* A run that ended early, by a finding or by --until, is not asked for the rest. */
    if (outcome->until_reached ||
        (outcome->verdict != SIM_VERDICT_HELD && outcome->verdict != SIM_VERDICT_STUCK))
        return;
    if (outcome->verdict == SIM_VERDICT_STUCK)
        tell_apart(machine, outcome);
    judge_missing(machine, options->is_exploring, outcome);
    if (outcome->phase == SCN_PHASE_END || outcome->verdict == SIM_VERDICT_STUCK)
        judge_rest(machine, options->is_exploring, outcome);
    if (outcome->phase == SCN_PHASE_END && !options->is_exploring)
        judge_plans(machine, outcome);
}
