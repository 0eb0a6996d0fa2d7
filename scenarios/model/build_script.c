/* SPDX-License-Identifier: Apache-2.0 */
/* Steps: what happens, when, to whom. One reader per kind. */
#include "model/build.h"

#include <stdio.h>
#include <string.h>

struct scn_after scn_build_after(const struct scn_value *object) {
    const struct scn_value *source = scn_member(object, "after");
    struct scn_after after = {NULL, NULL, 0};

    if (source == NULL)
        return after;
    after.event = scn_build_text(source, "event");
    after.object = scn_build_text(source, "object");
    after.nth = (uint32_t)scn_build_number(source, "nth", 1);
    return after;
}

static uint32_t find_driver(struct scn_build *build, const struct scn_value *source) {
    return scn_build_find(build, scn_member(source, "driver"), "driver",
                          scn_build_driver_names(build), build->scenario->driver_count);
}

static uint32_t find_link(struct scn_build *build, const struct scn_value *source) {
    const struct scn_scenario *scenario = build->scenario;
    const char **names = scn_build_array(build, scenario->link_count, sizeof(*names));

    for (uint32_t i = 0; i < scenario->link_count; i++)
        names[i] = scenario->links[i].name;
    return scn_build_find(build, scn_member(source, "link"), "link", names, scenario->link_count);
}

static uint32_t find_switch(struct scn_build *build, const struct scn_value *source) {
    const struct scn_scenario *scenario = build->scenario;
    const char **names = scn_build_array(build, scenario->switch_count, sizeof(*names));

    for (uint32_t i = 0; i < scenario->switch_count; i++)
        names[i] = scenario->switches[i].name;
    return scn_build_find(build, scn_member(source, "switch"), "switch", names,
                          scenario->switch_count);
}

static uint32_t find_adapter(struct scn_build *build, const struct scn_value *source) {
    const struct scn_scenario *scenario = build->scenario;
    const char **names = scn_build_array(build, scenario->adapter_count, sizeof(*names));

    for (uint32_t i = 0; i < scenario->adapter_count; i++)
        names[i] = scenario->adapters[i].full_name;
    return scn_build_find(build, scn_member(source, "adapter"), "adapter", names,
                          scenario->adapter_count);
}

static const uint8_t *read_ulongs(struct scn_build *build, const struct scn_value *list,
                                  uint32_t *count) {
    uint8_t *bytes = scn_build_array(build, list->count, 4);

    *count = 0;
    for (const struct scn_value *one = list->first; one != NULL; one = one->next) {
        if (one->integer < INT32_MIN || one->integer > (int64_t)UINT32_MAX)
            scn_diagnose_value(build->diagnostics, one, false, "does not fit in 32 bits");
        for (uint32_t i = 0; i < 4; i++)
            bytes[(*count)++] = (uint8_t)((uint64_t)one->integer >> (8 * i));
    }
    return bytes;
}

/* The open step of that name before this one; SCN_NONE after an error. */
static uint32_t find_open(struct scn_build *build, const struct scn_value *handle,
                          const struct scn_step *step) {
    const struct scn_scenario *scenario = build->scenario;

    for (const struct scn_step *one = step; one != scenario->steps;) {
        one--;
        if (one->kind == SCN_STEP_OPEN && strcmp(one->handle, handle->string) == 0)
            return (uint32_t)(one - scenario->steps);
    }
    scn_diagnose_value(build->diagnostics, handle, false,
                       "no step before this one opens a handle \"%s\"", handle->string);
    return SCN_NONE;
}

static void read_handle(struct scn_build *build, const struct scn_value *source,
                        struct scn_step *step) {
    const struct scn_value *handle = scn_member(source, "handle");

    step->handle = scn_build_text(source, "handle");
    step->opened_by = SCN_NONE;
    if (handle == NULL || step->kind == SCN_STEP_OPEN)
        return;
    step->opened_by = find_open(build, handle, step);
    if (step->opened_by == SCN_NONE)
        return;
    if (step->kind == SCN_STEP_IOCTL &&
        step->target != build->scenario->steps[step->opened_by].target)
        scn_diagnose_value(build->diagnostics, handle, false,
                           "the handle is one of another driver");
    if (step->device != NULL)
        scn_diagnose_value(build->diagnostics, scn_member(source, "device"), true,
                           "the handle says which device");
}

/* One of three ways to say the input; NULL and 0 for none. */
static void read_input(struct scn_build *build, const struct scn_value *source,
                       struct scn_step *step) {
    static const char *const ways[] = {"in", "in_ulongs", "in_struct"};
    const struct scn_value *first = NULL;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(ways); i++) {
        const struct scn_value *value = scn_member(source, ways[i]);

        if (value != NULL && first != NULL)
            scn_diagnose_value(build->diagnostics, value, true,
                               "\"%s\" and \"%s\" exclude each other", first->key, ways[i]);
        first = first == NULL ? value : first;
    }
    if (first == NULL)
        return;
    if (strcmp(first->key, "in") == 0) {
        step->in = scn_build_bytes(build, first, &step->in_bytes);
    } else if (strcmp(first->key, "in_ulongs") == 0) {
        step->in = read_ulongs(build, first, &step->in_bytes);
    } else {
        struct scn_bytes bytes = scn_build_structure(build, first);

        step->in = bytes.bytes;
        step->in_bytes = bytes.count;
    }
}

static void read_output(struct scn_build *build, const struct scn_value *source,
                        struct scn_step *step) {
    const struct scn_value *expect = scn_member(source, "expect_out");
    const struct scn_value *structure = scn_member(source, "expect_struct");

    if (expect != NULL && structure != NULL)
        scn_diagnose_value(build->diagnostics, structure, true,
                           "\"expect_out\" and \"expect_struct\" exclude each other");
    if (expect != NULL) {
        step->expect_out = scn_build_bytes(build, expect, &step->expect_out_bytes);
    } else if (structure != NULL) {
        struct scn_bytes bytes = scn_build_structure(build, structure);

        step->expect_out = bytes.bytes;
        step->expect_mask = bytes.mask;
        step->expect_out_bytes = bytes.count;
    }
    step->out_bytes = (uint32_t)scn_build_number(source, "out", step->expect_out_bytes);
}

static void read_ioctl(struct scn_build *build, const struct scn_value *source,
                       struct scn_step *step) {
    const struct scn_value *code = scn_member(source, "code");

    step->target = find_driver(build, source);
    step->device = scn_build_text(source, "device");
    if (code == NULL)
        scn_diagnose_value(build->diagnostics, source, false, "\"code\" is missing");
    else
        step->code = scn_build_code(build, code, "control code");
    read_handle(build, source, step);
    read_input(build, source, step);
    read_output(build, source, step);
    step->cancel_ns = scn_build_unit(source, "cancel_after", SCN_UNIT_DURATION, SIM_TIME_NEVER);
}

static void read_partition(struct scn_build *build, const struct scn_value *source,
                           struct scn_step *step) {
    const struct scn_scenario *scenario = build->scenario;
    const struct scn_value *apart = scn_member(source, "apart");

    step->target = find_switch(build, source);
    if (step->target == SCN_NONE)
        return;
    for (const struct scn_value *one = apart->first; one != NULL; one = one->next) {
        uint64_t before = step->apart_mask;

        for (uint32_t i = 0; i < scenario->link_count; i++) {
            const struct scn_link_end *ends = scenario->links[i].ends;

            for (uint32_t side = 0; side < 2; side++) {
                const struct scn_link_end *here = &ends[side], *there = &ends[1 - side];
                const char *name = there->adapter != SCN_NONE
                                       ? scenario->adapters[there->adapter].full_name
                                       : scenario->switches[there->switch_index].name;

                if (here->adapter == SCN_NONE && here->switch_index == step->target &&
                    strcmp(name, one->string) == 0)
                    step->apart_mask |= UINT64_C(1) << here->switch_port;
            }
        }
        if (step->apart_mask == before)
            scn_diagnose_value(build->diagnostics, one, false,
                               "\"%s\" is not plugged into this switch", one->string);
    }
}

static const char *const kind_names[SCN_STEP_KIND_COUNT] = {
    [SCN_STEP_LOAD] = "load",
    [SCN_STEP_UNLOAD] = "unload",
    [SCN_STEP_IOCTL] = "ioctl",
    [SCN_STEP_OPEN] = "open",
    [SCN_STEP_CLOSE] = "close",
    [SCN_STEP_LINK_DOWN] = "link_down",
    [SCN_STEP_LINK_UP] = "link_up",
    [SCN_STEP_LINK_RATE] = "link_rate",
    [SCN_STEP_PARTITION] = "partition",
    [SCN_STEP_HEAL] = "heal",
    [SCN_STEP_SWITCH_DOWN] = "switch_down",
    [SCN_STEP_SWITCH_UP] = "switch_up",
    [SCN_STEP_PNP] = "pnp",
    [SCN_STEP_OID] = "oid",
    [SCN_STEP_SILENCE] = "silence",
};

/* In the order of the schema. */
static const char *const pnp_actions[] = {"disable",  "enable",     "surprise_remove",
                                          "shutdown", "power_down", "power_up",
                                          "reset",    "restart",    "insert"};

static void read_pnp(struct scn_build *build, const struct scn_value *source,
                     struct scn_step *step) {
    const struct scn_value *keywords = scn_member(source, "keywords");

    step->target = find_adapter(build, source);
    while (strcmp(pnp_actions[step->pnp], scn_build_text(source, "action")) != 0)
        step->pnp++;
    step->keywords = scn_build_settings(build, keywords);
    if (keywords != NULL && strcmp(pnp_actions[step->pnp], "restart") != 0)
        scn_diagnose_value(build->diagnostics, keywords, true,
                           "keywords change with a restart; this action is \"%s\"",
                           pnp_actions[step->pnp]);
}

static void read_target(struct scn_build *build, const struct scn_value *source,
                        struct scn_step *step) {
    switch (step->kind) {
    case SCN_STEP_LOAD:
    case SCN_STEP_UNLOAD:
        step->target = find_driver(build, source);
        break;
    case SCN_STEP_IOCTL:
        read_ioctl(build, source, step);
        break;
    case SCN_STEP_OPEN:
        step->target = find_driver(build, source);
        step->device = scn_build_text(source, "device");
        read_handle(build, source, step);
        break;
    case SCN_STEP_CLOSE:
        read_handle(build, source, step);
        break;
    case SCN_STEP_LINK_DOWN:
    case SCN_STEP_LINK_UP:
    case SCN_STEP_LINK_RATE:
        step->target = find_link(build, source);
        step->rate_bps = scn_build_unit(source, "rate", SCN_UNIT_RATE, 0);
        if (step->kind == SCN_STEP_LINK_RATE && step->rate_bps == 0)
            scn_diagnose_value(build->diagnostics, scn_member(source, "rate"), false,
                               "a link of no rate carries nothing; use a link_down step");
        break;
    case SCN_STEP_PARTITION:
        read_partition(build, source, step);
        break;
    case SCN_STEP_HEAL:
    case SCN_STEP_SWITCH_DOWN:
    case SCN_STEP_SWITCH_UP:
        step->target = find_switch(build, source);
        break;
    case SCN_STEP_PNP:
        read_pnp(build, source, step);
        break;
    case SCN_STEP_OID:
        step->target = find_adapter(build, source);
        step->oid = scn_build_oid(build, source);
        break;
    case SCN_STEP_SILENCE:
        step->target = find_adapter(build, source);
        break;
    case SCN_STEP_KIND_COUNT:
        break;
    }
}

static void read_when(struct scn_build *build, const struct scn_value *source,
                      struct scn_step *step, bool is_first) {
    const struct scn_value *at = scn_member(source, "at"), *after = scn_member(source, "after");
    const struct scn_value *then = scn_member(source, "then");

    step->at_ns = scn_build_unit(source, "at", SCN_UNIT_DURATION, 0);
    step->after = scn_build_after(source);
    step->delay_ns = scn_build_unit(source, "delay", SCN_UNIT_DURATION, 0);
    step->follows = scn_build_flag(source, "then", false);
    step->for_ns = scn_build_unit(source, "for", SCN_UNIT_DURATION, 0);
    if ((at != NULL) + (after != NULL) + step->follows > 1)
        scn_diagnose_value(build->diagnostics, source, false,
                           "\"at\", \"after\" and \"then\" exclude each other");
    if (step->delay_ns > 0 && after == NULL && !step->follows)
        scn_diagnose_value(
            build->diagnostics, scn_member(source, "delay"), true,
            "\"delay\" goes with \"after\" or \"then\"; a time of its own is \"at\"");
    if (step->follows && is_first)
        scn_diagnose_value(build->diagnostics, then, true, "the first step follows nothing");
}

/* Loaded behind an unload it is loaded again. */
static void add_load(struct scn_driver *driver) {
    driver->has_load_step = driver->has_load_step || !driver->has_unload_step;
    driver->load_count++;
}

static void add_step(struct scn_build *build, const struct scn_value *source) {
    struct scn_scenario *scenario = build->scenario;
    struct scn_step *step = &scenario->steps[scenario->step_count];
    const struct scn_value *status = scn_member(source, "status");

    while (strcmp(kind_names[step->kind], scn_build_text(source, "do")) != 0)
        step->kind++;
    step->source = source;
    step->place = scn_build_place(build, source);
    step->target = SCN_NONE;
    read_when(build, source, step, scenario->step_count == 0);
    read_target(build, source, step);
    step->any_status = status != NULL && strcmp(status->string, "any") == 0;
    if (status != NULL && !step->any_status && !scn_status_parse(status->string, &step->status))
        scn_diagnose_value(build->diagnostics, status, false,
                           "\"%s\" is no status; expected a name such as \"STATUS_SUCCESS\", "
                           "a number such as \"0xC0000120\", or \"any\"",
                           status->string);
    if (step->target != SCN_NONE && step->kind == SCN_STEP_LOAD)
        add_load(&scenario->drivers[step->target]);
    if (step->target != SCN_NONE && step->kind == SCN_STEP_UNLOAD)
        scenario->drivers[step->target].has_unload_step = true;
    scenario->step_count++;
}

void scn_build_script(struct scn_build *build) {
    const struct scn_value *steps = scn_member(build->document->root, "steps");

    if (steps == NULL)
        return;
    build->scenario->steps = scn_build_array(build, steps->count, sizeof(*build->scenario->steps));
    for (const struct scn_value *one = steps->first; one != NULL; one = one->next)
        add_step(build, one);
}
