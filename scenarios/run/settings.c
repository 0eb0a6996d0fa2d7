/* SPDX-License-Identifier: Apache-2.0 */
/* See settings.h. */
#include "run/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/units.h"

/* Powers of two that are few are named one by one. */
#define POWERS_NAMED_MAX 6u

bool scn_setting_is_limit(const struct device_setting *setting) {
    return setting->kind == DEVICE_SETTING_NUMBER || setting->kind == DEVICE_SETTING_POWER ||
           setting->kind == DEVICE_SETTING_FLAG;
}

static const char *power_bounds(const struct device_setting *setting, char *text, size_t size) {
    uint64_t power = setting->least;
    size_t used = 0;

    if (setting->least <= 1 || setting->most / setting->least >= 1u << POWERS_NAMED_MAX) {
        snprintf(text, size, "a power of two, %llu to %llu", (unsigned long long)setting->least,
                 (unsigned long long)setting->most);
        return text;
    }
    for (; power <= setting->most && used < size; power *= 2)
        used += (size_t)snprintf(text + used, size - used, "%s%llu",
                                 power == setting->least      ? ""
                                 : power * 2 <= setting->most ? ", "
                                                              : " or ",
                                 (unsigned long long)power);
    return text;
}

const char *scn_setting_bounds(const struct device_setting *setting, char *text, size_t size) {
    unsigned long long least = setting->least, most = setting->most;

    switch (setting->kind) {
    case DEVICE_SETTING_NUMBER:
        snprintf(text, size, "%llu to %llu", least, most);
        break;
    case DEVICE_SETTING_POWER:
        return power_bounds(setting, text, size);
    case DEVICE_SETTING_FLAG:
        snprintf(text, size, "0 or 1");
        break;
    case DEVICE_SETTING_TIME:
        snprintf(text, size, "a time, %lluns to %lluns", least, most);
        break;
    case DEVICE_SETTING_BYTES:
        snprintf(text, size, "a size, %lluB to %lluB", least, most);
        break;
    case DEVICE_SETTING_TEXT:
        snprintf(text, size, "a text of %llu to %llu characters", least, most);
        break;
    }
    return text;
}

/* The number that a value stands for; NULL, or what is wrong: the name of its type, or words. */
static const char *number_of(const struct device_setting *setting, const struct scn_value *value,
                             uint64_t *number) {
    enum scn_unit unit = setting->kind == DEVICE_SETTING_TIME ? SCN_UNIT_DURATION : SCN_UNIT_SIZE;

    if (setting->kind == DEVICE_SETTING_FLAG && value->type == SCN_BOOLEAN) {
        *number = value->boolean;
        return NULL;
    }
    if ((setting->kind == DEVICE_SETTING_TIME || setting->kind == DEVICE_SETTING_BYTES) &&
        value->type == SCN_STRING)
        return scn_unit_parse(unit, value->string, number);
    if (value->type != SCN_INTEGER || setting->kind == DEVICE_SETTING_TIME)
        return scn_type_name(value->type);
    if (value->integer < 0)
        return "must not be negative";
    *number = (uint64_t)value->integer;
    return NULL;
}

static bool is_within(const struct device_setting *setting, uint64_t number) {
    if (setting->kind == DEVICE_SETTING_FLAG)
        return number <= 1;
    return number >= setting->least && number <= setting->most &&
           (setting->kind != DEVICE_SETTING_POWER || (number & (number - 1)) == 0);
}

static void take(const struct device_setting *setting, const struct scn_value *value,
                 struct device_value *taken, struct scn_diagnostics *diagnostics) {
    const char *wrong;
    char bounds[96];

    scn_setting_bounds(setting, bounds, sizeof(bounds));
    if (setting->kind == DEVICE_SETTING_TEXT) {
        taken->text = value->type == SCN_STRING ? value->string : NULL;
        taken->number = taken->text != NULL ? strlen(taken->text) : 0;
        wrong = taken->text == NULL ? scn_type_name(value->type) : NULL;
    } else {
        wrong = number_of(setting, value, &taken->number);
    }
    if (wrong != NULL && strcmp(wrong, scn_type_name(value->type)) == 0)
        scn_diagnose_value(diagnostics, value, false, "expected %s, got %s", bounds, wrong);
    else if (wrong != NULL)
        scn_diagnose_value(diagnostics, value, false, "%s; expected %s", wrong, bounds);
    else if (!is_within(setting, taken->number))
        scn_diagnose_value(diagnostics, value, false, "%llu is out of bounds; expected %s",
                           (unsigned long long)taken->number, bounds);
    taken->is_given = true;
}

/* `what` is "limit" or "setting". */
static void no_such(const struct device_model *model, const struct scn_value *value,
                    const char *what, struct scn_diagnostics *diagnostics) {
    const char **names = calloc(model->setting_count + 1, sizeof(*names)), *nearest;
    bool is_limit = strcmp(what, "limit") == 0;
    size_t count = 0;

    SIM_ASSERT(names != NULL);
    for (uint32_t i = 0; i < model->setting_count; i++)
        if (!is_limit || scn_setting_is_limit(&model->settings[i]))
            names[count++] = model->settings[i].name;
    nearest = scn_nearest(value->key, names, count);
    if (nearest != NULL)
        scn_diagnose_value(diagnostics, value, true, "there is no %s \"%s\"; did you mean \"%s\"?",
                           what, value->key, nearest);
    else
        scn_diagnose_value(diagnostics, value, true, "there is no %s \"%s\" (ndksim list %s)", what,
                           value->key, is_limit ? "limits" : "devices MODULE");
    scn_diagnostics_absent(diagnostics);
    free(names);
}

static void take_all(const struct device_model *model, const struct scn_value *object,
                     const char *what, struct device_value *values,
                     struct scn_diagnostics *diagnostics) {
    const struct scn_value *value = object != NULL ? object->first : NULL;

    for (; value != NULL; value = value->next) {
        uint32_t at = 0;

        while (at < model->setting_count && strcmp(model->settings[at].name, value->key) != 0)
            at++;
        if (at == model->setting_count ||
            (strcmp(what, "limit") == 0 && !scn_setting_is_limit(&model->settings[at])))
            no_such(model, value, what, diagnostics);
        else if (values[at].is_given)
            scn_diagnose_value(diagnostics, value, true, "is set by \"limits\" too");
        else
            take(&model->settings[at], value, &values[at], diagnostics);
    }
}

void scn_settings_take(const struct device_model *model, const struct scn_adapter *adapter,
                       struct device_value *values, struct scn_diagnostics *diagnostics) {
    for (uint32_t i = 0; i < model->setting_count; i++)
        values[i] = (struct device_value){.number = model->settings[i].kind == DEVICE_SETTING_TEXT
                                                        ? 0
                                                        : model->settings[i].otherwise};
    take_all(model, scn_member(adapter->source, "limits"), "limit", values, diagnostics);
    take_all(model, scn_member(scn_member(adapter->source, "device"), "settings"), "setting",
             values, diagnostics);
}
