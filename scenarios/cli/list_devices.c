/* SPDX-License-Identifier: Apache-2.0 */
/* `ndksim list devices` and `list limits`, from the tables that device models bring. */
#include "cli/list_devices.h"

#include <rnic/model.h>
#include <sim/finding.h>
#include <stdio.h>
#include <string.h>

#include "cli/rows.h"
#include "parse/complain.h"
#include "run/devices.h"
#include "run/settings.h"

static void put_model(struct scn_rows *rows, const struct device_model *model) {
    char bounds[96];

    if (rows->is_json)
        scn_rows_put(rows,
                     (const char *const[]){model->name, NULL, NULL, model->about, model->version});
    else
        scn_rows_put(rows, (const char *const[]){model->name, model->version, "", model->about});
    for (uint32_t i = 0; i < model->setting_count; i++)
        scn_rows_put(rows, (const char *const[]){
                               model->name, model->settings[i].name,
                               scn_setting_bounds(&model->settings[i], bounds, sizeof(bounds)),
                               model->settings[i].about, NULL});
}

/* A shipped module, or one by its path. NULL with a word on stderr. */
static const struct device_model *model_of(const char *module) {
    char path[4096], error[512];
    struct krn_image *image;
    const struct device_model *model;

    if (strcmp(module, SCN_BUILT_IN_DEVICE) == 0)
        return &rnic_model;
    scn_module_path(NULL, NULL, module, path, sizeof(path));
    model = scn_device_model(NULL, path, &image, error, sizeof(error));
    if (model == NULL)
        scn_complain("%s", error);
    return model;
}

int scn_list_devices(const struct scn_options *options) {
    struct scn_rows rows = {options->json,
                            options->json ? 5 : 4,
                            {"device", "setting", "range", "about", "version"},
                            {16, 24, 32},
                            0};
    int verdict = SIM_VERDICT_HELD;

    if (options->operand_count == 1)
        put_model(&rows, &rnic_model);
    for (uint32_t i = 1; i < options->operand_count; i++) {
        const struct device_model *model = model_of(options->operands[i]);

        if (model != NULL)
            put_model(&rows, model);
        else
            verdict = SIM_VERDICT_USAGE;
    }
    scn_rows_end(&rows);
    return verdict;
}

int scn_list_limits(const struct scn_options *options) {
    struct scn_rows rows = {options->json, 2, {"name", "range"}, {24}, 0};
    char bounds[96];

    for (uint32_t i = 0; i < rnic_model.setting_count; i++)
        if (scn_setting_is_limit(&rnic_model.settings[i]))
            scn_rows_put(&rows, (const char *const[]){rnic_model.settings[i].name,
                                                      scn_setting_bounds(&rnic_model.settings[i],
                                                                         bounds, sizeof(bounds))});
    scn_rows_end(&rows);
    return SIM_VERDICT_HELD;
}
