/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State machines that driver modules declare (NdksimMachines of ndksim.h), for coverage. Which
 * states may follow is asked of the module once, when it is loaded; the answers are the world's.
 */
#include "driver_machines.h"

#include <stdio.h>

#include <ndksim.h>
#include <sim/machine.h>
#include <sim/memory.h>
#include <sim/trace.h>

#define TABLE "NdksimMachines"
#define MACHINES_MAX 16u

static const char *wrong_with(const NDKSIM_MACHINE *declared) {
    if (declared->Event == NULL || declared->StateNames == NULL || declared->MayFollow == NULL) {
        return "lacks its event, its states or MayFollow";
    }
    if (declared->StateCount == 0 || declared->StateCount > SIM_MACHINE_STATES_MAX) {
        return "has no states, or more than 64";
    }
    for (ULONG i = 0; i < declared->StateCount; i++) {
        if (declared->StateNames[i] == NULL) {
            return "has a state without a name";
        }
    }
    return NULL;
}

static void declare(struct sim_world *world, const NDKSIM_MACHINE *declared) {
    struct sim_machine *machine = sim_alloc(world, sizeof(*machine));
    const char **states = sim_alloc(world, declared->StateCount * sizeof(*states));
    uint64_t *next = sim_alloc(world, declared->StateCount * sizeof(*next));

    for (ULONG from = 0; from < declared->StateCount; from++) {
        states[from] = sim_text_keep(world, declared->StateNames[from]);
        next[from] = 0;
        for (ULONG to = 0; to < declared->StateCount; to++) {
            if (from != to && declared->MayFollow(from, to)) {
                next[from] |= UINT64_C(1) << to;
            }
        }
    }
    *machine = (struct sim_machine){.name = sim_text_keep(world, declared->Name),
                                    .event = sim_text_keep(world, declared->Event),
                                    .state_count = declared->StateCount,
                                    .states = states,
                                    .next = next};
    sim_machine_register(world, machine);
}

bool krn_machines_declare(struct krn_world *krn, const struct krn_image *image, char *error,
                          size_t error_bytes) {
    const NDKSIM_MACHINE *table = krn_image_symbol(image, TABLE);

    for (size_t i = 0; table != NULL && table[i].Name != NULL; i++) {
        const char *wrong = i == MACHINES_MAX ? "is one of more than 16; does {NULL} end the table?"
                                              : wrong_with(&table[i]);

        if (wrong != NULL) {
            (void)snprintf(error, error_bytes, "%s: " TABLE ": \"%.100s\" %s", image->path,
                           table[i].Name, wrong);
            return false;
        }
        declare(krn->world, &table[i]);
    }
    return true;
}
