/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What driver modules say that they read from keywords and registry (NdksimSettings of ndksim.h).
 * It is read from the opened image: no code of the driver runs.
 */
#include <stdio.h>

#include <krn/driver.h>
#include <ndksim.h>

#include "loader.h"

#define TABLE "NdksimSettings"
#define SETTINGS_MAX 1024u

bool krn_module_settings(const char *module, krn_setting_visit *visit, void *context, char *error,
                         size_t error_bytes) {
    const struct krn_image *image = krn_image_peek(module, "DriverEntry", error, error_bytes);
    const NDKSIM_SETTING *table = image != NULL ? krn_image_symbol(image, TABLE) : NULL;

    for (size_t i = 0; table != NULL && table[i].Name != NULL; i++) {
        if (i == SETTINGS_MAX || table[i].About == NULL) {
            (void)snprintf(
                error, error_bytes, "%s: " TABLE ": \"%.100s\" %s", image->path, table[i].Name,
                i == SETTINGS_MAX ? "is one of more than 1024; does {NULL} end the table?"
                                  : "has no sentence");
            return false;
        }
        visit(context, &(const struct krn_setting){.name = table[i].Name,
                                                   .about = table[i].About,
                                                   .value = table[i].Default,
                                                   .value_min = table[i].Min,
                                                   .value_max = table[i].Max});
    }
    return image != NULL;
}
