/* SPDX-License-Identifier: Apache-2.0 */
/* Looking over the table that a device-model module shows, before anything of it is believed. */
#include <rnic/model.h>
#include <stdio.h>
#include <string.h>

#include "run/devices.h"

#define NAME_BYTES_MAX 64u
#define TABLE_COUNT_MAX 1024u

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

static bool is_of(const char *name, const char *allowed) {
    return name != NULL && *name != '\0' && strlen(name) < NAME_BYTES_MAX &&
           strspn(name, allowed) == strlen(name);
}

/* "family.word" */
static bool is_dotted(const char *name) {
    const char *dot = name != NULL ? strchr(name, '.') : NULL;

    return is_of(name, LETTERS DIGITS "_-.") && dot != NULL && dot != name && dot[1] != '\0';
}

static bool is_sentence(const char *about) {
    return about != NULL && *about != '\0';
}

static bool is_setting(const struct device_setting *setting) {
    return is_of(setting->name, LETTERS DIGITS "_") && is_sentence(setting->about) &&
           (uint32_t)setting->kind <= DEVICE_SETTING_TEXT && setting->least <= setting->most;
}

static bool is_fault(const struct sim_fault_point *point) {
    return point != NULL && is_dotted(point->name) && is_sentence(point->about) &&
           point->layer != NULL &&
           (strcmp(point->layer, "device") == 0 || strcmp(point->layer, "resource") == 0);
}

/* What is wrong with an entry of a list; NULL: nothing. `*which` is its name, for the message. */
static const char *wrong_setting(const struct device_model *model, const char **which) {
    for (uint32_t i = 0; i < model->setting_count; i++) {
        *which = model->settings[i].name;
        if (!is_setting(&model->settings[i]))
            return "a setting needs a name of lower case letters, a sentence, a kind and bounds";
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(model->settings[k].name, *which) == 0)
                return "a setting is there twice";
    }
    return NULL;
}

/* Names with a dot are free. Others are the simulation's; a rebuilt built-in device has its own. */
static bool is_event(const char *name) {
    for (uint32_t i = 0; name != NULL && i < rnic_model.event_count; i++)
        if (strcmp(rnic_model.event_names[i], name) == 0)
            return true;
    return is_dotted(name);
}

static const char *wrong_name(const struct device_model *model, const char **which) {
    for (uint32_t i = 0; i < model->event_count; i++) {
        *which = model->event_names[i];
        if (!is_event(*which))
            return "an event needs a name such as \"mydevice.dma\"";
    }
    for (uint32_t i = 0; i < model->fault_count; i++) {
        *which = model->faults[i] != NULL ? model->faults[i]->name : NULL;
        if (!is_fault(model->faults[i]))
            return "a fault point needs a name such as \"mydevice.dma_lost\", a sentence and a "
                   "layer, \"device\" or \"resource\"";
    }
    for (uint32_t i = 0; i < model->machine_count; i++) {
        *which = model->machines[i].name;
        if (!is_sentence(model->machines[i].name) || !is_dotted(model->machines[i].event) ||
            model->machines[i].state_count > SIM_MACHINE_STATES_MAX)
            return "a state machine needs a name, an event and at most 64 states";
    }
    return NULL;
}

static const char *wrong_with(const struct device_model *model, const char **which) {
    const char *wrong;

    *which = NULL;
    if (!is_of(model->name, LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "_-"))
        return "it has no name of letters, digits, - and _";
    if (model->version == NULL || !is_sentence(model->about))
        return "it has no version, or no sentence about itself";
    if (model->create == NULL)
        return "it has no create";
    if (model->counter_count > 0 && (model->counter_names == NULL || model->counter == NULL))
        return "it has counters without names, or nothing that reads them";
    if (model->setting_count > TABLE_COUNT_MAX || model->event_count > TABLE_COUNT_MAX ||
        model->fault_count > TABLE_COUNT_MAX || model->machine_count > TABLE_COUNT_MAX ||
        model->counter_count > TABLE_COUNT_MAX)
        return "a list of more than 1024";
    wrong = wrong_setting(model, which);
    return wrong != NULL ? wrong : wrong_name(model, which);
}

static bool check(const struct device_model *model, const char *path, char *error, size_t size) {
    const char *which, *wrong;

    if (model == NULL)
        snprintf(error, size, "%s: its " DEVICE_EXPORT_NAME " is NULL", path);
    else if (model->interface_version != DEVICE_INTERFACE_VERSION)
        snprintf(error, size,
                 "%s: is made for version %u of the device interface, this program has %u: build "
                 "it with the headers of this program",
                 path, model->interface_version, DEVICE_INTERFACE_VERSION);
    else if (model->model_bytes != sizeof(*model) || model->layout != DEVICE_LAYOUT)
        snprintf(error, size,
                 "%s: was built with headers of another ndksim: build it with the headers of this "
                 "program",
                 path);
    else if ((wrong = wrong_with(model, &which)) != NULL)
        snprintf(error, size, "%s: its table: %s%s%.100s%s", path, wrong,
                 which != NULL ? " (\"" : "", which != NULL ? which : "",
                 which != NULL ? "\")" : "");
    else
        return true;
    return false;
}

const struct device_model *scn_device_model(struct sim_world *world, const char *path,
                                            struct krn_image **image, char *error, size_t size) {
    const struct device_model *const *shown;

    *image = world != NULL ? krn_image_take(world, path, DEVICE_EXPORT_NAME, error, size)
                           : krn_image_open(path, DEVICE_EXPORT_NAME, error, size);
    if (*image == NULL)
        return NULL;
    shown = krn_image_symbol(*image, DEVICE_EXPORT_NAME);
    return check(*shown, path, error, size) ? *shown : NULL;
}
