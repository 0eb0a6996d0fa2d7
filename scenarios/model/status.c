/* SPDX-License-Identifier: Apache-2.0 */
/* NTSTATUS values by name, as steps and expectations write them: all that drivers know. */
#include "model/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/units.h"

static const struct {
    const char *name;
    uint32_t value;
} statuses[] = {
#define SCN_STATUS(name, value) {#name, value},
#include "status_names.h" /* made from the headers of drivers: NTSTATUS, then NDIS_STATUS */
#undef SCN_STATUS
};

bool scn_status_parse(const char *text, int32_t *status) {
    uint64_t number;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(statuses); i++) {
        if (strcmp(statuses[i].name, text) == 0) {
            *status = (int32_t)statuses[i].value;
            return true;
        }
    }
    if (strncmp(text, "0x", 2) != 0 || scn_unit_parse(SCN_UNIT_COUNT, text, &number) != NULL ||
        number > UINT32_MAX)
        return false;
    *status = (int32_t)(uint32_t)number;
    return true;
}

/* Of several names the first one, as the headers have them; the kernel's own come before NDIS's. */
const char *scn_status_name_of(uint32_t status) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(statuses); i++)
        if (statuses[i].value == status)
            return statuses[i].name;
    return NULL;
}

const char *scn_status_text(int32_t status, char *text, size_t size) {
    const char *name = scn_status_name_of((uint32_t)status);

    if (name != NULL)
        snprintf(text, size, "%s (0x%08X)", name, (uint32_t)status);
    else
        snprintf(text, size, "status 0x%08X", (uint32_t)status);
    return text;
}

/* The status at "0x" and exactly eight hexadecimal digits; NULL: none, or none with a name. */
static const char *failure_at(const char *text) {
    static const char digits[] = "0123456789abcdefABCDEF";
    char number[9];

    if (strncmp(text, "0x", 2) != 0 || strspn(text + 2, digits) != 8 ||
        strchr("8cC", text[2]) == NULL)
        return NULL;
    memcpy(number, text + 2, 8);
    number[8] = '\0';
    return scn_status_name_of((uint32_t)strtoul(number, NULL, 16));
}

const char *scn_status_annotate(const char *line, char *to, size_t size) {
    size_t at = 0;

    for (; *line != '\0' && at + 1 < size; line++) {
        const char *name = failure_at(line);

        if (name == NULL) {
            to[at++] = *line;
            continue;
        }
        snprintf(to + at, size - at, "%.10s %s", line, name);
        at += strlen(to + at);
        line += 9;
    }
    to[at] = '\0';
    return to;
}

void scn_diagnose_status(struct scn_diagnostics *diagnostics, const struct scn_value *value) {
    const char *words[SIM_ARRAY_COUNT(statuses)], *nearest;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(statuses); i++)
        words[i] = statuses[i].name;
    nearest = scn_nearest(value->string, words, SIM_ARRAY_COUNT(statuses));
    if (nearest != NULL)
        scn_diagnose_value(diagnostics, value, false, "\"%s\" is no status; did you mean \"%s\"?",
                           value->string, nearest);
    else
        scn_diagnose_value(diagnostics, value, false,
                           "\"%s\" is no status; expected a name such as \"STATUS_SUCCESS\", a "
                           "number such as \"0xC0000120\", or \"any\"",
                           value->string);
}
