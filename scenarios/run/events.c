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

static bool is_wrong(const struct known *known, const char *event) {
    size_t family = strcspn(event, ".");
    bool is_ours = false;

    for (size_t i = 0; i < known->count; i++) {
        if (strcmp(known->names[i], event) == 0)
            return false;
        if (strncmp(known->names[i], event, family) == 0 && known->names[i][family] == '.')
            is_ours = true;
    }
    return is_ours;
}

static void check(const struct known *known, const struct scn_value *event,
                  struct scn_diagnostics *diagnostics) {
    const char *nearest;

    if (event == NULL || !is_wrong(known, event->string))
        return;
    nearest = scn_nearest(event->string, known->names, known->count);
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
