/* SPDX-License-Identifier: Apache-2.0 */
/* See quirks.h. */
#include "run/quirks.h"

#include <krn/driver.h>
#include <string.h>

#define SETTING_COUNT_MAX 1024u

struct declared {
    struct krn_setting settings[SETTING_COUNT_MAX];
    size_t count;
};

static void keep(void *context, const struct krn_setting *setting) {
    struct declared *declared = context;

    if (declared->count < SETTING_COUNT_MAX)
        declared->settings[declared->count++] = *setting;
}

static const struct krn_setting *find(const struct declared *declared, const char *name) {
    for (size_t i = 0; i < declared->count; i++)
        if (strcmp(declared->settings[i].name, name) == 0)
            return &declared->settings[i];
    return NULL;
}

static void unknown(const struct declared *declared, const struct scn_value *value,
                    struct scn_diagnostics *diagnostics) {
    const char *names[SETTING_COUNT_MAX], *nearest;

    for (size_t i = 0; i < declared->count; i++)
        names[i] = declared->settings[i].name;
    nearest = scn_nearest(value->key, names, declared->count);
    if (nearest != NULL)
        scn_diagnose_value(diagnostics, value, true,
                           "the adapter's driver has no quirk \"%s\"; did you mean \"%s\"?",
                           value->key, nearest);
    else
        scn_diagnose_value(diagnostics, value, true,
                           "the adapter's driver has no quirk \"%s\" (ndksim list quirks)",
                           value->key);
    scn_diagnostics_absent(diagnostics);
}

static void check(const struct declared *declared, const struct scn_setting *quirk,
                  const struct scn_value *value, struct scn_diagnostics *diagnostics) {
    const struct krn_setting *setting = find(declared, quirk->name);

    if (setting == NULL)
        unknown(declared, value, diagnostics);
    else if (!quirk->is_number)
        scn_diagnose_value(diagnostics, value, false, "expected a number from %u to %u",
                           setting->value_min, setting->value_max);
    else if (quirk->number != setting->value &&
             (quirk->number < setting->value_min || quirk->number > setting->value_max))
        scn_diagnose_value(
            diagnostics, value, false, "%lld is out of range; expected %u to %u, %u when absent",
            (long long)quirk->number, setting->value_min, setting->value_max, setting->value);
}

static bool has_quirks(const struct scn_scenario *scenario, uint32_t driver) {
    for (uint32_t i = 0; i < scenario->adapter_count; i++)
        if (scenario->adapters[i].driver == driver && scenario->adapters[i].quirks.count > 0)
            return true;
    return false;
}

void scn_check_quirks(const struct scn_machine *machine, uint32_t driver, const char *module,
                      struct scn_diagnostics *diagnostics) {
    static struct declared declared;
    const struct scn_scenario *scenario = machine->scenario;
    char error[512];

    if (!has_quirks(scenario, driver))
        return;
    declared.count = 0;
    if (!krn_module_settings(module, keep, &declared, error, sizeof(error))) {
        scn_diagnose(diagnostics, scenario->file, 0, 0, NULL, "cannot be loaded: %s", error);
        return;
    }
    for (uint32_t i = 0; i < scenario->adapter_count && declared.count > 0; i++) {
        const struct scn_adapter *adapter = &scenario->adapters[i];

        for (uint32_t k = 0; adapter->driver == driver && k < adapter->quirks.count; k++) {
            const struct scn_setting *quirk = &adapter->quirks.entries[k];

            check(&declared, quirk, scn_member(scn_member(adapter->source, "quirks"), quirk->name),
                  diagnostics);
        }
    }
}
