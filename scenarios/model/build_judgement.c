/* SPDX-License-Identifier: Apache-2.0 */
/* Faults, expectations, rule severities, hints for exploring, and the end. */
#include "model/build.h"

#include <string.h>

#define LIMIT_NS (300 * SIM_NS_PER_S)
#define LIMIT_STEPS 100000000
#define EXPLORE_STEP_PPM 20000u
#define EXPLORE_OTHER_PPM 50000u

/* A fault's parameter: a plain number, or any text with a unit. */
static uint64_t read_value(struct scn_build *build, const struct scn_value *value) {
    static const enum scn_unit units[] = {SCN_UNIT_COUNT, SCN_UNIT_DURATION, SCN_UNIT_SIZE,
                                          SCN_UNIT_RATE, SCN_UNIT_PROBABILITY};
    uint64_t number = 0;

    if (value == NULL)
        return 0;
    if (value->type == SCN_INTEGER)
        return (uint64_t)value->integer;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(units); i++)
        if (scn_unit_parse(units[i], value->string, &number) == NULL)
            return number;
    scn_diagnose_value(build->diagnostics, value, false,
                       "\"%s\" is neither a number nor a value with a unit (\"2us\", \"64KiB\", "
                       "\"100Gbps\", \"0.1%%\")",
                       value->string);
    return 0;
}

static void add_fault(struct scn_build *build, const struct scn_value *source) {
    struct scn_fault *fault = &build->scenario->faults[build->scenario->fault_count++];

    fault->point = scn_build_text(source, "point");
    fault->on = scn_build_text(source, "on");
    fault->class_pattern = scn_build_text(source, "class");
    fault->from_ns = scn_build_unit(source, "from", SCN_UNIT_DURATION, 0);
    fault->to_ns = scn_build_unit(source, "to", SCN_UNIT_MOMENT, SIM_TIME_NEVER);
    fault->nth = (uint32_t)scn_build_number(source, "nth", 0);
    fault->count = (uint32_t)scn_build_number(source, "count", 0);
    fault->ppm = (uint32_t)scn_build_unit(source, "probability", SCN_UNIT_PROBABILITY, 0);
    fault->free_ppm = (uint32_t)scn_build_unit(source, "explore", SCN_UNIT_PROBABILITY, 0);
    fault->after = scn_build_after(source);
    fault->value = read_value(build, scn_member(source, "value"));
    fault->place = scn_build_place(build, source);
    fault->source = source;
    if (fault->from_ns >= fault->to_ns)
        scn_diagnose_value(build->diagnostics, source, false,
                           "\"from\" is not before \"to\": the fault could never fire");
    if (scn_member(source, "probability") != NULL && fault->ppm == 0)
        scn_diagnose_value(build->diagnostics, scn_member(source, "probability"), false,
                           "a probability of 0 never fires; leave the fault out");
    if (fault->ppm != 0 && fault->free_ppm != 0)
        scn_diagnose_value(build->diagnostics, scn_member(source, "explore"), true,
                           "\"probability\" and \"explore\" exclude each other");
}

static void read_bounds(struct scn_build *build, const struct scn_value *source,
                        struct scn_expect *expect) {
    const struct scn_value *equals = scn_member(source, "equals");
    const struct scn_value *least = scn_member(source, "at_least");
    const struct scn_value *most = scn_member(source, "at_most");

    expect->at_most = UINT64_MAX;
    if (equals != NULL && (least != NULL || most != NULL))
        scn_diagnose_value(build->diagnostics, equals, true,
                           "\"equals\" excludes \"at_least\" and \"at_most\"");
    if (equals != NULL)
        expect->at_least = expect->at_most = read_value(build, equals);
    else if (least == NULL && most == NULL)
        expect->at_least = 1;
    if (least != NULL)
        expect->at_least = read_value(build, least);
    if (most != NULL)
        expect->at_most = read_value(build, most);
    if (expect->at_least > expect->at_most)
        scn_diagnose_value(build->diagnostics, source, false,
                           "\"at_least\" is above \"at_most\": it could never hold");
}

/* Keys that say nothing of this kind of expectation. */
static void refuse_keys(struct scn_build *build, const struct scn_value *source,
                        enum scn_expect_kind kind) {
    static const struct {
        const char *key;
        uint32_t kinds;
        const char *goes_with;
    } keys[] = {
        {"object", 1u << SCN_EXPECT_EVENT, "event"},
        {"guilty", 1u << SCN_EXPECT_FINDING, "finding"},
        {"says", 1u << SCN_EXPECT_FINDING, "finding"},
        {"needs", ~(1u << SCN_EXPECT_FINDING), "counter\", \"event\" or \"log"},
        {"before", 1u << SCN_EXPECT_EVENT | 1u << SCN_EXPECT_LOG, "event\" or \"log"},
        {"equals", ~(1u << SCN_EXPECT_FINDING), "counter\", \"event\" or \"log"},
        {"at_least", ~(1u << SCN_EXPECT_FINDING), "counter\", \"event\" or \"log"},
        {"at_most", ~(1u << SCN_EXPECT_FINDING), "counter\", \"event\" or \"log"},
    };

    for (size_t i = 0; i < SIM_ARRAY_COUNT(keys); i++) {
        const struct scn_value *value = scn_member(source, keys[i].key);

        if (value != NULL && (keys[i].kinds >> kind & 1) == 0)
            scn_diagnose_value(build->diagnostics, value, true, "\"%s\" goes with \"%s\"",
                               keys[i].key, keys[i].goes_with);
    }
}

static void add_expect(struct scn_build *build, const struct scn_value *source) {
    static const char *const keys[] = {
        [SCN_EXPECT_COUNTER] = "counter",
        [SCN_EXPECT_EVENT] = "event",
        [SCN_EXPECT_FINDING] = "finding",
        [SCN_EXPECT_LOG] = "log",
    };
    struct scn_expect *expect = &build->scenario->expects[build->scenario->expect_count++];
    const char *in = scn_build_text(source, "in");
    uint32_t named = 0;

    for (uint32_t i = 0; i < SIM_ARRAY_COUNT(keys); i++) {
        if (scn_member(source, keys[i]) == NULL)
            continue;
        expect->kind = (enum scn_expect_kind)i;
        expect->name = scn_build_text(source, keys[i]);
        named++;
    }
    if (named != 1)
        scn_diagnose_value(build->diagnostics, source, false,
                           "expected exactly one of \"counter\", \"event\", \"finding\", \"log\"");
    else
        refuse_keys(build, source, expect->kind);
    if (in != NULL && strcmp(in, "some") == 0 && expect->kind != SCN_EXPECT_FINDING)
        scn_diagnose_value(build->diagnostics, scn_member(source, "in"), true,
                           "\"some\" goes with \"finding\"");
    expect->object = scn_build_text(source, "object");
    expect->guilty = scn_build_text(source, "guilty");
    expect->says = scn_build_text(source, "says");
    expect->needs = scn_build_text(source, "needs");
    expect->in_every_run = in != NULL && strcmp(in, "every") == 0;
    expect->before_ns = scn_build_unit(source, "before", SCN_UNIT_MOMENT, SIM_TIME_NEVER);
    expect->place = scn_build_place(build, source);
    expect->source = source;
    read_bounds(build, source, expect);
}

static void add_rule(struct scn_build *build, const struct scn_value *source) {
    struct scn_rule_setting *rule = &build->scenario->rules[build->scenario->rule_count++];
    const char *colon = strchr(source->string, ':');

    rule->id = source->key;
    rule->reason = "";
    rule->source = source;
    if (strcmp(source->string, "error") == 0)
        rule->level = "error";
    else if (colon != NULL &&
             strncmp(source->string, "warn", (size_t)(colon - source->string)) == 0)
        rule->level = "warn";
    else if (colon != NULL && strncmp(source->string, "off", (size_t)(colon - source->string)) == 0)
        rule->level = "off";
    if (colon != NULL)
        rule->reason = colon + 1 + strspn(colon + 1, " ");
    if (rule->level == NULL || (colon != NULL && *rule->reason == '\0'))
        scn_diagnose_value(build->diagnostics, source, false,
                           "expected \"error\", \"warn: reason\" or \"off: reason\"");
}

static void read_end(struct scn_build *build, const struct scn_value *end) {
    struct scn_scenario *scenario = build->scenario;
    const struct scn_value *wait_for = scn_member(end, "wait_for");
    uint32_t *drivers;

    scenario->limit_ns = scn_build_unit(end, "limit", SCN_UNIT_MOMENT, LIMIT_NS);
    scenario->limit_steps = scn_build_number(end, "steps", LIMIT_STEPS);
    scenario->unload_at_end = scn_build_flag(end, "unload", true);
    if (wait_for == NULL)
        return;
    drivers = scn_build_array(build, wait_for->count, sizeof(*drivers));
    for (const struct scn_value *one = wait_for->first; one != NULL; one = one->next)
        drivers[scenario->wait_for_count++] = scn_build_find(
            build, one, "driver", scn_build_driver_names(build), scenario->driver_count);
    scenario->wait_for = drivers;
    scenario->has_wait_for = true;
}

static void read_prelude(struct scn_build *build, const struct scn_value *prelude) {
    struct scn_scenario *scenario = build->scenario;

    for (uint32_t i = 0; i < scenario->driver_count; i++)
        scenario->drivers[i].is_in_prelude =
            scenario->drivers[i].is_miniport && !scenario->drivers[i].has_load_step;
    for (const struct scn_value *one = prelude ? prelude->first : NULL; one; one = one->next) {
        const struct scn_value *before = prelude->first;
        uint32_t driver = scn_build_find(build, one, "driver", scn_build_driver_names(build),
                                         scenario->driver_count);

        if (driver == SCN_NONE)
            continue;
        while (strcmp(before->string, one->string) != 0)
            before = before->next;
        if (before != one)
            scn_diagnose_value(build->diagnostics, one, false, "\"%s\" is named already",
                               one->string);
        if (scenario->drivers[driver].has_load_step)
            scn_diagnose_value(build->diagnostics, one, false,
                               "\"%s\" has a load step; it cannot be loaded before too",
                               one->string);
        scenario->drivers[driver].is_in_prelude = true;
    }
}

void scn_build_judgement(struct scn_build *build) {
    struct scn_scenario *scenario = build->scenario;
    const struct scn_value *root = build->document->root;
    const struct scn_value *faults = scn_member(root, "faults");
    const struct scn_value *expects = scn_member(root, "expect");
    const struct scn_value *rules = scn_member(root, "rules");
    const struct scn_value *explore = scn_member(root, "explore");

    scenario->faults =
        scn_build_array(build, faults ? faults->count : 0, sizeof(*scenario->faults));
    for (const struct scn_value *one = faults ? faults->first : NULL; one; one = one->next)
        add_fault(build, one);
    scenario->expects =
        scn_build_array(build, expects ? expects->count : 0, sizeof(*scenario->expects));
    for (const struct scn_value *one = expects ? expects->first : NULL; one; one = one->next)
        add_expect(build, one);
    scenario->rules = scn_build_array(build, rules ? rules->count : 0, sizeof(*scenario->rules));
    for (const struct scn_value *one = rules ? rules->first : NULL; one; one = one->next)
        add_rule(build, one);
    scenario->explore_step_ppm =
        (uint32_t)scn_build_unit(explore, "steps", SCN_UNIT_PROBABILITY, EXPLORE_STEP_PPM);
    scenario->explore_other_ppm =
        (uint32_t)scn_build_unit(explore, "others", SCN_UNIT_PROBABILITY, EXPLORE_OTHER_PPM);
    scenario->disturb_ns = scn_build_unit(explore, "disturb", SCN_UNIT_DURATION, 0);
    scenario->explore_runs = scn_build_number(explore, "runs", 0);
    read_prelude(build, scn_member(root, "prelude"));
    read_end(build, scn_member(root, "end"));
}
