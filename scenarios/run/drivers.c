/* SPDX-License-Identifier: Apache-2.0 */
/* See drivers.h. */
#include "run/drivers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/quirks.h"

#define MODULE_COUNT_MAX 512u

/* Whether "node.driver=module" or "driver=module" of --driver names this driver. */
static bool names_driver(const struct scn_scenario *scenario, const char *text,
                         const struct scn_driver *driver) {
    size_t length = (size_t)(strchr(text, '=') - text);
    char full[80];

    snprintf(full, sizeof(full), "%s.%s", scenario->nodes[driver->node].name, driver->as);
    return (length == strlen(full) && memcmp(full, text, length) == 0) ||
           (length == strlen(driver->as) && memcmp(driver->as, text, length) == 0);
}

/* The module that --driver gives it, NULL for none. The last one counts. */
static const char *override_of(const struct scn_scenario *scenario,
                               const struct scn_machine_options *options,
                               const struct scn_driver *driver) {
    const char *module = NULL;

    for (size_t i = 0; i < options->driver_override_count; i++)
        if (names_driver(scenario, options->driver_overrides[i], driver))
            module = strchr(options->driver_overrides[i], '=') + 1;
    return module;
}

static void check_override(const struct scn_scenario *scenario, const char *text,
                           struct scn_diagnostics *diagnostics) {
    const char *names[SCN_DRIVER_COUNT_MAX], *nearest, *example = NULL;
    size_t count = 0;
    char name[80], shown[256];

    for (uint32_t i = 0; i < scenario->driver_count; i++) {
        if (names_driver(scenario, text, &scenario->drivers[i]))
            return;
        if (!scenario->drivers[i].is_miniport && example == NULL)
            example = scenario->drivers[i].as;
        if (count < SIM_ARRAY_COUNT(names))
            names[count++] = scenario->drivers[i].as;
    }
    snprintf(name, sizeof(name), "%.*s", (int)(strchr(text, '=') - text), text);
    snprintf(shown, sizeof(shown), "--driver %s", text);
    nearest = scn_nearest(name, names, count);
    if (nearest != NULL)
        scn_diagnose(diagnostics, shown, 0, 0, NULL,
                     "there is no driver \"%s\"; did you mean \"%s\"?", name, nearest);
    else
        scn_diagnose(diagnostics, shown, 0, 0, NULL,
                     "there is no driver \"%s\"; the scenario names its drivers by \"as\"%s%s",
                     name, example != NULL ? ", the first is " : "",
                     example != NULL ? example : "");
}

/* The value that names the module; the adapter, when it is the default one's. */
static const struct scn_value *source_of(const struct scn_driver *driver) {
    const struct scn_value *named = driver->is_miniport
                                        ? scn_member(driver->source, "driver")
                                        : scn_member(driver->source->parent, "load");

    return named != NULL ? named : driver->source;
}

/* A shipped name that is nobody's. */
static void no_module(const struct scn_driver *driver, const char *name, const char *folder,
                      struct scn_diagnostics *diagnostics) {
    char *names[MODULE_COUNT_MAX];
    size_t count = scn_module_list(folder, names, MODULE_COUNT_MAX);
    const char *nearest = scn_nearest(name, (const char *const *)names, count);

    if (strncmp(name, "breaks-", 7) == 0)
        scn_diagnose_value(
            diagnostics, source_of(driver), false,
            "\"%s\" errs on purpose and is built by `make test` alone, into "
            "build/ci-release/tests/rules/modules: --driver %s=FOLDER/%s.so takes it "
            "from there",
            name, driver->as, name);
    else if (nearest != NULL)
        scn_diagnose_value(diagnostics, source_of(driver), false,
                           "there is no shipped driver \"%s\"; did you mean \"%s\"?", name,
                           nearest);
    else
        scn_diagnose_value(diagnostics, source_of(driver), false,
                           "there is no shipped driver \"%s\" (ndksim list drivers); a path has "
                           "a / in it, as in \"./%s.so\"",
                           name, name);
    scn_module_free(names, count);
}

void scn_forget_loads(struct scn_machine *machine) {
    for (uint32_t i = 0; machine->loads != NULL && i < machine->scenario->driver_count; i++)
        free(machine->loads[i]);
    free(machine->loads);
}

static void make_driver(struct scn_machine *machine, uint32_t index,
                        const struct scn_machine_options *options,
                        struct scn_diagnostics *diagnostics) {
    const struct scn_driver *driver = &machine->scenario->drivers[index];
    const char *override = override_of(machine->scenario, options, driver);
    const char *load = override != NULL ? override : driver->load;
    struct krn_keyword *values = calloc(driver->registry.count + 1, sizeof(*values));
    char path[4096], error[512] = "";
    struct krn_driver_config config = {.name = driver->as, .module = path, .values = values};
    const struct krn_binary program = {"Script", driver->program, driver->program_bytes};

    SIM_ASSERT(values != NULL);
    /* A path of the command line is relative to where the command runs. */
    scn_module_path(override != NULL ? NULL : machine->scenario, options->module_dir, load, path,
                    sizeof(path));
    machine->loads[index] = scn_module_load_again(override, load, path);
    for (uint32_t i = 0; i < driver->registry.count; i++)
        values[i] = (struct krn_keyword){driver->registry.entries[i].name,
                                         driver->registry.entries[i].text};
    config.value_count = driver->registry.count;
    config.load_count = driver->load_count + !driver->has_load_step;
    config.is_for_adapters = driver->is_miniport;
    if (driver->program != NULL) {
        config.binaries = &program;
        config.binary_count = 1;
    }
    if (strchr(load, '/') == NULL && access(path, F_OK) != 0)
        no_module(driver, load, options->module_dir, diagnostics);
    else
        machine->drivers[index] =
            krn_driver_create(machine->nodes[driver->node], &config, error, sizeof(error));
    if (machine->drivers[index] == NULL && error[0] != '\0')
        scn_diagnose_value(diagnostics, source_of(driver), false, "cannot be loaded: %s", error);
    /* Another driver than the scenario was written for may have other quirks. */
    if (machine->drivers[index] != NULL && override == NULL)
        scn_check_quirks(machine, index, path, diagnostics);
    free(values);
}

void scn_make_drivers(struct scn_machine *machine, const struct scn_machine_options *options,
                      struct scn_diagnostics *diagnostics) {
    const struct scn_scenario *scenario = machine->scenario;

    for (size_t i = 0; i < options->driver_override_count; i++)
        check_override(scenario, options->driver_overrides[i], diagnostics);
    for (uint32_t i = 0; i < scenario->driver_count; i++)
        make_driver(machine, i, options, diagnostics);
}
