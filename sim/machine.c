/* SPDX-License-Identifier: Apache-2.0 */
/* See sim/machine.h. */
#include <string.h>

#include <sim/machine.h>

#include "world.h"

void sim_machine_register(struct sim_world *world, const struct sim_machine *machine) {
    struct sim_machines *machines = &world->machines;

    SIM_ASSERT(machine->state_count <= SIM_MACHINE_STATES_MAX);
    for (uint32_t i = 0; i < machines->count; i++) {
        if (strcmp(machines->entries[i]->name, machine->name) == 0) {
            return;
        }
    }
    SIM_ASSERT(machines->count < SIM_ARRAY_COUNT(machines->entries));
    machines->entries[machines->count++] = machine;
}

size_t sim_machine_count(const struct sim_world *world) {
    return world->machines.count;
}

const struct sim_machine *sim_machine_at(const struct sim_world *world, size_t index) {
    SIM_ASSERT(index < world->machines.count);
    return world->machines.entries[index];
}
