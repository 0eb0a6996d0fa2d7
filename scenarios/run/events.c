/* SPDX-License-Identifier: Apache-2.0 */
/* See events.h. */
#include "run/events.h"

#include <sim/trace.h>
#include <string.h>

struct known {
    const char *names[SIM_TRACE_DRIVER];
    size_t count;
};

static void collect(const struct sim_world *world, struct known *known) {
    known->count = 0;
    for (uint32_t type = 0; type < SIM_TRACE_DRIVER; type++) {
        const char *name = sim_trace_type_name(world, (uint16_t)type);

        if (name[0] != '?' && name[0] != '\0')
            known->names[known->count++] = name;
    }
}

static bool is_known(const struct known *known, const char *event) {
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->names[i], event) == 0)
            return true;
    return false;
}

/* Whether events of the simulation have that family: then no driver's has. */
static bool is_ours(const struct known *known, const char *event) {
    size_t family = strcspn(event, ".");

    for (size_t i = 0; i < known->count; i++)
        if (strncmp(known->names[i], event, family) == 0 && known->names[i][family] == '.')
            return true;
    return false;
}

/*
 * What was perhaps meant by an event of a family that is not ours: such may be a driver's own
 * (NdksimTrace), but for the one that is spelled nearly as ours and ends the same, or that has no
 * family.
 */
static const char *meant(const struct known *known, const char *event) {
    size_t family = strcspn(event, ".");

    if (event[family] == '\0')
        return scn_nearest(event, known->names, known->count);
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(event + family, known->names[i] + strcspn(known->names[i], ".")) == 0 &&
            scn_nearest(event, &known->names[i], 1) != NULL)
            return known->names[i];
    return NULL;
}

static void check(const struct known *known, const struct scn_value *event,
                  struct scn_diagnostics *diagnostics) {
    const char *nearest;

    if (event == NULL || is_known(known, event->string))
        return;
    if (strncmp(event->string, "script.", strlen("script.")) == 0)
        return; /* the step "trace" of scripts */
    if (is_ours(known, event->string)) {
        nearest = scn_nearest(event->string, known->names, known->count);
    } else {
        nearest = meant(known, event->string);
        if (nearest == NULL && strchr(event->string, '.') != NULL)
            return;
    }
    if (nearest != NULL)
        scn_diagnose_value(diagnostics, event, false,
                           "there is no event \"%s\"; did you mean \"%s\"?", event->string,
                           nearest);
    else
        scn_diagnose_value(diagnostics, event, false,
                           "there is no event \"%s\" (ndksim list events)", event->string);
}

void scn_check_events(const struct scn_machine *machine, struct scn_diagnostics *diagnostics) {
    const struct scn_scenario *scenario = machine->scenario;
    struct known known;

    collect(machine->world, &known);
    for (uint32_t i = 0; i < scenario->step_count; i++)
        check(&known, scn_member(scn_member(scenario->steps[i].source, "after"), "event"),
              diagnostics);
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        check(&known, scn_member(scn_member(scenario->faults[i].source, "after"), "event"),
              diagnostics);
    for (uint32_t i = 0; i < scenario->expect_count; i++)
        check(&known, scn_member(scenario->expects[i].source, "event"), diagnostics);
}
