/* SPDX-License-Identifier: Apache-2.0 */
/* `ndksim list`: what scenarios can name, straight from the tables that the world uses. */
#include <krn/bugcheck.h>
#include <net/topology.h>
#include <sim/fault.h>
#include <string.h>
#include <vrf/verifier.h>

#include "cli/session.h"
#include "run/limits.h"

#define NAME_COUNT_MAX 512u

static struct sim_world *bare_world(void) {
    const struct sim_config config = {0};
    struct sim_world *world = sim_world_create(&config);

    net_init(world);
    rnic_init(world);
    krn_start(world);
    vrf_start(world);
    return world;
}

static void list_drivers(void) {
    char *names[NAME_COUNT_MAX];
    size_t count = scn_module_list(scn_module_dir(), names, NAME_COUNT_MAX);

    if (count == 0)
        fprintf(stderr, "ndksim: %s: no driver modules there\n", scn_module_dir());
    for (size_t i = 0; i < count; i++)
        printf("%s\n", names[i]);
    scn_module_free(names, count);
}

static void list_faults(void) {
    struct sim_world *world = bare_world();
    const struct sim_fault_point *point;

    for (size_t i = 0; (point = sim_fault_point_at(world, i)) != NULL; i++)
        printf("%-28s %-9s %s%s%s%s\n", point->name, point->layer, point->about,
               point->parameter != NULL ? " Value: " : "",
               point->parameter != NULL ? point->parameter : "",
               point->parameter != NULL ? "." : "");
    sim_world_destroy(world);
}

static void list_events(void) {
    struct sim_world *world = bare_world();

    for (uint32_t type = 0; type < SIM_TRACE_TYPE_COUNT; type++) {
        const char *name = sim_trace_type_name(world, (uint16_t)type);

        if (name[0] != '?' && name[0] != '\0')
            printf("%s\n", name);
    }
    sim_world_destroy(world);
}

static void list_rules(void) {
    static const char *const bound[] = {"consumer", "provider", "both"};
    static const char *const severity[] = {"error", "warn", "off"};
    const struct vrf_rule *rule;

    for (size_t i = 0; (rule = vrf_rule_at(i)) != NULL; i++)
        printf("%-12s %-8s %-5s %s\n", rule->id, bound[rule->bound], severity[rule->severity],
               rule->sentence);
}

static void list_bugchecks(void) {
    const struct krn_bugcheck_code *code;

    for (size_t i = 0; (code = krn_bugcheck_code_at(i)) != NULL; i++)
        printf("0x%-8X %-48s %s\n", code->code, code->name, code->about);
}

static void list_limits(void) {
    char bounds[64];

    for (size_t i = 0; scn_limit_name(i) != NULL; i++)
        printf("%-24s %s\n", scn_limit_name(i), scn_limit_bounds(i, bounds, sizeof(bounds)));
}

int scn_command_list(const struct scn_options *options) {
    static const struct {
        const char *name;
        void (*print)(void);
    } lists[] = {{"drivers", list_drivers}, {"faults", list_faults},       {"rules", list_rules},
                 {"events", list_events},   {"bugchecks", list_bugchecks}, {"limits", list_limits}};
    const char *names[SIM_ARRAY_COUNT(lists)], *nearest;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(lists); i++) {
        names[i] = lists[i].name;
        if (strcmp(lists[i].name, options->operands[0]) == 0) {
            lists[i].print();
            return SIM_VERDICT_HELD;
        }
    }
    nearest = scn_nearest(options->operands[0], names, SIM_ARRAY_COUNT(names));
    fprintf(stderr, "ndksim: there is no list of \"%s\"%s%s%s\n", options->operands[0],
            nearest != NULL ? "; did you mean \"" : " (see ndksim list --help)",
            nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    return SIM_VERDICT_USAGE;
}
