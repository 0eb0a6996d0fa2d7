/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of checks, and the looking. When, is the stepper's: see step.c. */
#include <sim/check.h>

#include "world.h"

void sim_checks_init(struct sim_world *world) {
    static const struct sim_check checks[] = {
        {"sim.cpus", "Who may run on a CPU is what its layers and levels say.", sim_cpus_hold},
        {"sim.events", "Pending events are where they count, the next ones in their order.",
         sim_events_hold},
    };

    sim_check_register(world, checks, SIM_ARRAY_COUNT(checks));
}

void sim_check_register(struct sim_world *world, const struct sim_check *checks, size_t count) {
    struct sim_checks *all = &world->checks;

    SIM_ASSERT(all->list_count < SIM_CHECK_LIST_MAX);
    all->lists[all->list_count].checks = checks;
    all->lists[all->list_count].count = count;
    all->list_count++;
}

const struct sim_check *sim_check_at(const struct sim_world *world, size_t index) {
    const struct sim_checks *all = &world->checks;

    for (uint32_t i = 0; i < all->list_count; i++) {
        if (index < all->lists[i].count) {
            return &all->lists[i].checks[index];
        }
        index -= all->lists[i].count;
    }
    return NULL;
}

static void find(struct sim_world *world, const struct sim_check *check, const char *text) {
    struct sim_finding finding;

    sim_finding_init(&finding, SIM_VERDICT_INTERNAL, "check", check->name);
    sim_finding_say(&finding, "the check %s does not hold: %s", check->name, text);
    sim_finding_detail(&finding, "%s\n", check->about);
    sim_find(world, &finding);
}

bool sim_check_all(struct sim_world *world) {
    const struct sim_check *check;
    char text[160];

    SIM_ASSERT(sim_task_current() == NULL);
    for (size_t i = 0; (check = sim_check_at(world, i)) != NULL; i++) {
        text[0] = '\0';
        if (!check->holds(world, text, sizeof(text))) {
            find(world, check, text);
            return false;
        }
    }
    return true;
}
