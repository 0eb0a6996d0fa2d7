/* SPDX-License-Identifier: Apache-2.0 */
/* What an adapter sets of its device, by the names of the model's table. */
#ifndef SCN_RUN_SETTINGS_H
#define SCN_RUN_SETTINGS_H

#include <device/device.h>

#include "model/scenario.h"

/*
 * Fills one value for each setting of the model from the adapter's "limits" and its device's
 * "settings". What is wrong with them goes to `diagnostics`.
 */
void scn_settings_take(const struct device_model *model, const struct scn_adapter *adapter,
                       struct device_value *values, struct scn_diagnostics *diagnostics);

/* What a setting may be, in words: "1 to 255". Returns `text`. */
const char *scn_setting_bounds(const struct device_setting *setting, char *text, size_t size);

/* Whether "limits" can say it too. */
bool scn_setting_is_limit(const struct device_setting *setting);

#endif
