/* SPDX-License-Identifier: Apache-2.0 */
/* `ndksim list`: what scenarios can name, straight from the tables that the world uses. */
#include <krn/bugcheck.h>
#include <krn/driver.h>
#include <net/topology.h>
#include <rnic/device.h>
#include <sim/check.h>
#include <sim/fault.h>
#include <string.h>
#include <vrf/verifier.h>

#include "cli/list_devices.h"
#include "cli/list_names.h"
#include "cli/rows.h"
#include "cli/rules.h"
#include "cli/session.h"
#include "cli/strategies.h"
#include "parse/complain.h"
#include "run/devices.h"

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

/* ---- Modules ---- */

/* All shipped ones, or the consumers among them. */
static int list_modules(const struct scn_options *options, bool with_provider) {
    struct scn_rows rows = {options->json, 1, {"name"}, {0}, 0};
    char *names[NAME_COUNT_MAX];
    size_t count = scn_module_list(scn_module_dir(), names, NAME_COUNT_MAX);

    if (count == 0)
        scn_complain("%s: no driver modules there", scn_module_dir());
    for (size_t i = 0; i < count; i++)
        if (with_provider || strcmp(names[i], SCN_PROVIDER_MODULE) != 0)
            scn_rows_put(&rows, (const char *const *)&names[i]);
    scn_rows_end(&rows);
    scn_module_free(names, count);
    return SIM_VERDICT_HELD;
}

static int list_drivers(const struct scn_options *options) {
    return list_modules(options, true);
}

static int list_consumers(const struct scn_options *options) {
    return list_modules(options, false);
}

/* ---- Fault points ---- */

struct module_rows {
    struct scn_rows *rows;
    const char *module;
};

static void put_driver_fault(void *context, const char *name, const char *about) {
    const struct module_rows *of = context;

    scn_rows_put(of->rows, (const char *const[]){name, of->module, about, NULL});
}

/* False when it is no device model's module. */
static bool list_device_faults(const struct module_rows *of, const char *path) {
    char error[512];
    struct krn_image *image;
    const struct device_model *model = scn_device_model(NULL, path, &image, error, sizeof(error));

    for (uint32_t i = 0; model != NULL && i < model->fault_count; i++)
        put_driver_fault((void *)(uintptr_t)of, model->faults[i]->name, model->faults[i]->about);
    return model != NULL;
}

/* No such module, or none at all: `error` says it. */
static void wrong_module(const char *module, const char *error) {
    char *names[NAME_COUNT_MAX];
    size_t count = scn_module_list(scn_module_dir(), names, NAME_COUNT_MAX);
    const char *nearest = scn_nearest(module, (const char *const *)names, count);

    scn_complain("%s%s%s%s", error, nearest != NULL ? "; did you mean \"" : "",
                 nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    scn_module_free(names, count);
}

/* A list without a row is no answer to a reader. */
static void say_none(const struct scn_rows *rows, const struct scn_options *options,
                     const char *what, const char *member) {
    if (rows->row_count == 0 && !rows->is_json && options->operand_count == 2)
        printf("%s declares no %s (%s of <ndksim.h>)\n", scn_shown(options->operands[1]), what,
               member);
}

/* Points that a module declares: a shipped name, or a path relative to the working folder. */
static bool list_module_faults(struct scn_rows *rows, const char *module) {
    struct module_rows of = {rows, module};
    char path[4096], error[512];

    scn_module_path(NULL, NULL, module, path, sizeof(path));
    if (krn_module_faults(path, put_driver_fault, &of, error, sizeof(error)) ||
        list_device_faults(&of, path))
        return true;
    wrong_module(module, error);
    return false;
}

static bool list_shipped_faults(struct scn_rows *rows) {
    char *names[NAME_COUNT_MAX];
    size_t count = scn_module_list(scn_module_dir(), names, NAME_COUNT_MAX);
    bool is_good = true;

    for (size_t i = 0; i < count; i++)
        is_good = list_module_faults(rows, names[i]) && is_good;
    scn_module_free(names, count);
    return is_good;
}

/* The simulation's own. */
static void list_own_faults(struct scn_rows *rows) {
    struct sim_world *world = bare_world();
    const struct sim_fault_point *point;
    char about[1024];

    for (size_t i = 0; (point = sim_fault_point_at(world, i)) != NULL; i++) {
        (void)snprintf(about, sizeof(about), "%s%s%s%s", point->about,
                       point->parameter != NULL ? " Value: " : "",
                       point->parameter != NULL ? point->parameter : "",
                       point->parameter != NULL ? "." : "");
        scn_rows_put(rows, (const char *const[]){point->name, point->layer, about});
    }
    sim_world_destroy(world);
}

/* All, or those of the modules that are named. */
static int list_faults(const struct scn_options *options) {
    struct scn_rows own = {options->json, 3, {"name", "layer", "about"}, {28, 9}, 0};
    struct scn_rows rows = {options->json, 3, {"name", "module", "about"}, {58, 12}, 0};
    bool is_good = true;

    for (uint32_t i = 1; i < options->operand_count; i++)
        is_good = list_module_faults(&rows, options->operands[i]) && is_good;
    if (options->operand_count == 1) {
        list_own_faults(&own);
        rows.row_count = own.row_count;
        is_good = list_shipped_faults(&rows);
    }
    scn_rows_end(&rows);
    if (is_good)
        say_none(&rows, options, "fault points", "NdksimFaultPoints");
    return is_good ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE;
}

/* ---- Quirks ---- */

static void put_quirk(void *context, const struct krn_setting *quirk) {
    char value[16], range[32];

    (void)snprintf(value, sizeof(value), "%u", quirk->value);
    (void)snprintf(range, sizeof(range), "%u to %u", quirk->value_min, quirk->value_max);
    scn_rows_put(context, (const char *const[]){quirk->name, value, range, quirk->about});
}

static bool list_module_quirks(struct scn_rows *rows, const char *module) {
    char path[4096], error[512];

    scn_module_path(NULL, NULL, module, path, sizeof(path));
    if (krn_module_settings(path, put_quirk, rows, error, sizeof(error)))
        return true;
    wrong_module(module, error);
    return false;
}

/* Of the shipped provider, or of the modules that are named. */
static int list_quirks(const struct scn_options *options) {
    struct scn_rows rows = {
        options->json, 4, {"name", "default", "range", "about"}, {28, 10, 16}, 0};
    bool is_good = true;

    if (options->operand_count == 1)
        is_good = list_module_quirks(&rows, SCN_PROVIDER_MODULE);
    for (uint32_t i = 1; i < options->operand_count; i++)
        is_good = list_module_quirks(&rows, options->operands[i]) && is_good;
    scn_rows_end(&rows);
    if (is_good)
        say_none(&rows, options, "settings", "NdksimSettings");
    return is_good ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE;
}

/* ---- What the simulation has ---- */

static int list_events(const struct scn_options *options) {
    struct scn_rows rows = {options->json, 1, {"name"}, {0}, 0};
    struct sim_world *world = bare_world();

    for (uint32_t type = 0; type < SIM_TRACE_TYPE_COUNT; type++) {
        const char *name = sim_trace_type_name(world, (uint16_t)type);

        if (name[0] != '?' && name[0] != '\0')
            scn_rows_put(&rows, &name);
    }
    scn_rows_end(&rows);
    sim_world_destroy(world);
    return SIM_VERDICT_HELD;
}

static int list_bugchecks(const struct scn_options *options) {
    struct scn_rows rows = {options->json, 3, {"code", "name", "about"}, {10, 48}, 0};
    const struct krn_bugcheck_code *code;
    char number[16];

    for (size_t i = 0; (code = krn_bugcheck_code_at(i)) != NULL; i++) {
        (void)snprintf(number, sizeof(number), "0x%X", code->code);
        scn_rows_put(&rows, (const char *const[]){number, code->name, code->about});
    }
    scn_rows_end(&rows);
    return SIM_VERDICT_HELD;
}

static int list_invariants(const struct scn_options *options) {
    struct scn_rows rows = {options->json, 2, {"name", "about"}, {18}, 0};
    struct sim_world *world = bare_world();
    const struct sim_check *check;

    for (size_t i = 0; (check = sim_check_at(world, i)) != NULL; i++)
        scn_rows_put(&rows, (const char *const[]){check->name, check->about});
    scn_rows_end(&rows);
    sim_world_destroy(world);
    return SIM_VERDICT_HELD;
}

/* ---- The command ---- */

/* These take modules too, no other list takes anything. */
static bool takes_operands(const struct scn_options *options) {
    if (options->operand_count == 1 || strcmp(options->operands[0], "faults") == 0 ||
        strcmp(options->operands[0], "quirks") == 0 || strcmp(options->operands[0], "devices") == 0)
        return true;
    scn_complain("list %s: takes no \"%s\" (see ndksim list --help)", options->operands[0],
                 options->operands[1]);
    return false;
}

int scn_command_list(const struct scn_options *options) {
    static const struct {
        const char *name;
        int (*print)(const struct scn_options *options);
    } lists[] = {{"drivers", list_drivers},
                 {"consumers", list_consumers},
                 {"devices", scn_list_devices},
                 {"faults", list_faults},
                 {"quirks", list_quirks},
                 {"checks", scn_list_checks},
                 {"rules", scn_list_rules},
                 {"classes", scn_list_classes},
                 {"objects", scn_list_objects},
                 {"events", list_events},
                 {"bugchecks", list_bugchecks},
                 {"limits", scn_list_limits},
                 {"invariants", list_invariants},
                 {"statuses", scn_list_statuses},
                 {"strategies", scn_list_strategies}};
    const char *names[SIM_ARRAY_COUNT(lists)], *nearest;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(lists); i++) {
        names[i] = lists[i].name;
        if (strcmp(lists[i].name, options->operands[0]) == 0) {
            return takes_operands(options) ? lists[i].print(options) : SIM_VERDICT_USAGE;
        }
    }
    nearest = scn_nearest(options->operands[0], names, SIM_ARRAY_COUNT(names));
    scn_complain("there is no list of \"%s\"%s%s%s", scn_shown(options->operands[0]),
                 nearest != NULL ? "; did you mean \"" : " (see ndksim list --help)",
                 nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    return SIM_VERDICT_USAGE;
}
