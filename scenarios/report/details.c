/* SPDX-License-Identifier: Apache-2.0 */
/* See details.h. */
#include "report/details.h"

#include <sim/fault.h>

#include "report/plural.h"
#include "run/devices.h"
#include "run/script.h"

void scn_report_cast(FILE *stream, const struct scn_machine *machine) {
    const struct scn_scenario *scenario = machine->scenario;

    for (uint32_t i = 0; i < scenario->driver_count; i++)
        fprintf(stream, "driver   %s on %s: %s, build %s\n", scenario->drivers[i].as,
                scenario->nodes[scenario->drivers[i].node].name, machine->loads[i],
                krn_driver_build_id(machine->drivers[i]));
    for (uint32_t i = 0; i < scenario->adapter_count; i++)
        if (machine->devices[i].image != NULL)
            fprintf(stream, "device   %s: %s, %s %s, build %s\n", scenario->adapters[i].full_name,
                    machine->devices[i].load, machine->devices[i].model->name,
                    machine->devices[i].model->version, scn_device_build_id(&machine->devices[i]));
    fprintf(
        stream,
        "world    %u node%s, %u adapter%s, %u link%s, %u switch%s, %u step%s, %u fault%s, "
        "%u expectation%s\n",
        scenario->node_count, scn_plural(scenario->node_count), scenario->adapter_count,
        scn_plural(scenario->adapter_count), scenario->link_count, scn_plural(scenario->link_count),
        scenario->switch_count, scenario->switch_count == 1 ? "" : "es", scenario->step_count,
        scn_plural(scenario->step_count), scenario->fault_count, scn_plural(scenario->fault_count),
        scenario->expect_count, scn_plural(scenario->expect_count));
}

static void print_faults(FILE *stream, const struct scn_machine *machine) {
    for (size_t i = 0; i < sim_fault_plan_count(machine->world); i++) {
        const struct sim_fault_plan *plan = sim_fault_plan_at(machine->world, i);

        fprintf(stream, "fault    %s: %s fired %u time%s, passed %u time%s%s\n", plan->source,
                plan->point->name, plan->fired_count, scn_plural(plan->fired_count),
                plan->passed_count, scn_plural(plan->passed_count),
                plan->after_event != NULL && !plan->armed ? ", its \"after\" did not match" : "");
    }
}

static void print_steps(FILE *stream, const struct scn_machine *machine) {
    static const char *const states[] = {
        [SCN_WAITING] = "never began", [SCN_STARTED] = "did not end", [SCN_DONE] = "is done"};
    char text[64];

    for (uint32_t i = 0; i < machine->scenario->step_count; i++)
        fprintf(stream, "step     %s: %s %s\n", machine->scenario->steps[i].place,
                scn_step_text(machine->scenario, i, text, sizeof(text)),
                states[scn_script_progress(machine, i)]);
}

void scn_report_details(FILE *stream, const struct scn_machine *machine,
                        const struct scn_outcome *outcome) {
    scn_report_cast(stream, machine);
    print_faults(stream, machine);
    print_steps(stream, machine);
    fprintf(stream, "choices  %llu, of which %zu %s not the quiet one, in %llu step%s\n",
            (unsigned long long)outcome->choice_count, outcome->deviation_count,
            outcome->deviation_count == 1 ? "was" : "were", (unsigned long long)outcome->step_count,
            scn_plural(outcome->step_count));
}
