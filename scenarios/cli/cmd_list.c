/* SPDX-License-Identifier: Apache-2.0 */
/* `ndksim list`: what scenarios can name, straight from the tables that the world uses. */
#include <krn/bugcheck.h>
#include <net/topology.h>
#include <sim/check.h>
#include <sim/fault.h>
#include <string.h>
#include <vrf/verifier.h>

#include "cli/rules.h"
#include "cli/strategies.h"
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

static int list_drivers(const struct scn_options *options) {
    char *names[NAME_COUNT_MAX];
    size_t count = scn_module_list(scn_module_dir(), names, NAME_COUNT_MAX);

    (void)options;
    if (count == 0)
        fprintf(stderr, "ndksim: %s: no driver modules there\n", scn_module_dir());
    for (size_t i = 0; i < count; i++)
        printf("%s\n", names[i]);
    scn_module_free(names, count);
    return SIM_VERDICT_HELD;
}

static void print_driver_fault(void *context, const char *name, const char *about) {
    printf("%-58s %-12s %s\n", name, (const char *)context, about);
}

/* Points that a module declares: a shipped name, or a path relative to the working folder. */
static bool list_module_faults(const char *module) {
    char path[4096], error[512];

    scn_module_path(NULL, NULL, module, path, sizeof(path));
    if (krn_module_faults(path, print_driver_fault, (void *)(uintptr_t)module, error,
                          sizeof(error)))
        return true;
    fprintf(stderr, "ndksim: %s\n", error);
    return false;
}

static bool list_shipped_faults(void) {
    char *names[NAME_COUNT_MAX];
    size_t count = scn_module_list(scn_module_dir(), names, NAME_COUNT_MAX);
    bool is_good = true;

    for (size_t i = 0; i < count; i++)
        is_good = list_module_faults(names[i]) && is_good;
    scn_module_free(names, count);
    return is_good;
}

/* The simulation's own, then those of shipped drivers; or of the modules that are named. */
static int list_faults(const struct scn_options *options) {
    bool is_good = true;
    struct sim_world *world;
    const struct sim_fault_point *point;

    for (uint32_t i = 1; i < options->operand_count; i++)
        is_good = list_module_faults(options->operands[i]) && is_good;
    if (options->operand_count > 1)
        return is_good ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE;
    world = bare_world();

    for (size_t i = 0; (point = sim_fault_point_at(world, i)) != NULL; i++)
        printf("%-28s %-9s %s%s%s%s\n", point->name, point->layer, point->about,
               point->parameter != NULL ? " Value: " : "",
               point->parameter != NULL ? point->parameter : "",
               point->parameter != NULL ? "." : "");
    sim_world_destroy(world);
    return list_shipped_faults() ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE;
}

static int list_events(const struct scn_options *options) {
    struct sim_world *world = bare_world();

    (void)options;
    for (uint32_t type = 0; type < SIM_TRACE_TYPE_COUNT; type++) {
        const char *name = sim_trace_type_name(world, (uint16_t)type);

        if (name[0] != '?' && name[0] != '\0')
            printf("%s\n", name);
    }
    sim_world_destroy(world);
    return SIM_VERDICT_HELD;
}

static int list_bugchecks(const struct scn_options *options) {
    const struct krn_bugcheck_code *code;

    (void)options;
    for (size_t i = 0; (code = krn_bugcheck_code_at(i)) != NULL; i++)
        printf("0x%-8X %-48s %s\n", code->code, code->name, code->about);
    return SIM_VERDICT_HELD;
}

static int list_invariants(const struct scn_options *options) {
    struct sim_world *world = bare_world();
    const struct sim_check *check;

    (void)options;
    for (size_t i = 0; (check = sim_check_at(world, i)) != NULL; i++)
        printf("%-18s %s\n", check->name, check->about);
    sim_world_destroy(world);
    return SIM_VERDICT_HELD;
}

static int list_limits(const struct scn_options *options) {
    char bounds[64];

    (void)options;
    for (size_t i = 0; scn_limit_name(i) != NULL; i++)
        printf("%-24s %s\n", scn_limit_name(i), scn_limit_bounds(i, bounds, sizeof(bounds)));
    return SIM_VERDICT_HELD;
}

/* `list faults` takes modules too, no other list takes anything. */
static bool takes_operands(const struct scn_options *options) {
    if (options->operand_count == 1 || strcmp(options->operands[0], "faults") == 0)
        return true;
    fprintf(stderr, "ndksim: list %s: takes no \"%s\" (see ndksim list --help)\n",
            options->operands[0], options->operands[1]);
    return false;
}

int scn_command_list(const struct scn_options *options) {
    static const struct {
        const char *name;
        int (*print)(const struct scn_options *options);
    } lists[] = {{"drivers", list_drivers},       {"faults", list_faults},
                 {"checks", scn_list_checks},     {"rules", scn_list_rules},
                 {"events", list_events},         {"bugchecks", list_bugchecks},
                 {"limits", list_limits},         {"invariants", list_invariants},
                 {"statuses", scn_list_statuses}, {"strategies", scn_list_strategies}};
    const char *names[SIM_ARRAY_COUNT(lists)], *nearest;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(lists); i++) {
        names[i] = lists[i].name;
        if (strcmp(lists[i].name, options->operands[0]) == 0) {
            return takes_operands(options) ? lists[i].print(options) : SIM_VERDICT_USAGE;
        }
    }
    nearest = scn_nearest(options->operands[0], names, SIM_ARRAY_COUNT(names));
    fprintf(stderr, "ndksim: there is no list of \"%s\"%s%s%s\n", options->operands[0],
            nearest != NULL ? "; did you mean \"" : " (see ndksim list --help)",
            nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    return SIM_VERDICT_USAGE;
}
