/* SPDX-License-Identifier: Apache-2.0 */
/* NTSTATUS values by name, as steps and expectations write them. */
#include "model/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/units.h"

static const struct {
    const char *name;
    uint32_t value;
} statuses[] = {
    {"NDIS_STATUS_ADAPTER_NOT_READY", 0xC0010011},
    {"NDIS_STATUS_BAD_CHARACTERISTICS", 0xC0010005},
    {"NDIS_STATUS_BAD_VERSION", 0xC0010004},
    {"NDIS_STATUS_BUFFER_TOO_SHORT", 0xC0010016},
    {"NDIS_STATUS_DEVICE_FAILED", 0xC0010008},
    {"NDIS_STATUS_FAILURE", 0xC0000001},
    {"NDIS_STATUS_HARD_ERRORS", 0x80010004},
    {"NDIS_STATUS_INVALID_DATA", 0xC0010015},
    {"NDIS_STATUS_INVALID_LENGTH", 0xC0010014},
    {"NDIS_STATUS_INVALID_OID", 0xC0010017},
    {"NDIS_STATUS_INVALID_PARAMETER", 0xC000000D},
    {"NDIS_STATUS_LOW_POWER_STATE", 0xC023002F},
    {"NDIS_STATUS_NOT_RESETTABLE", 0x80010001},
    {"NDIS_STATUS_NOT_SUPPORTED", 0xC00000BB},
    {"NDIS_STATUS_PENDING", 0x00000103},
    {"NDIS_STATUS_RESOURCES", 0xC000009A},
    {"NDIS_STATUS_SUCCESS", 0x00000000},
    {"STATUS_ACCESS_VIOLATION", 0xC0000005},
    {"STATUS_ADDRESS_ALREADY_EXISTS", 0xC000020A},
    {"STATUS_BUFFER_OVERFLOW", 0x80000005},
    {"STATUS_BUFFER_TOO_SMALL", 0xC0000023},
    {"STATUS_CANCELLED", 0xC0000120},
    {"STATUS_CONNECTION_ABORTED", 0xC0000241},
    {"STATUS_CONNECTION_ACTIVE", 0xC000023B},
    {"STATUS_CONNECTION_DISCONNECTED", 0xC000020C},
    {"STATUS_CONNECTION_INVALID", 0xC000023A},
    {"STATUS_CONNECTION_REFUSED", 0xC0000236},
    {"STATUS_CONNECTION_RESET", 0xC000020D},
    {"STATUS_DATA_OVERRUN", 0xC000003C},
    {"STATUS_DEVICE_BUSY", 0x80000011},
    {"STATUS_DEVICE_NOT_READY", 0xC00000A3},
    {"STATUS_DEVICE_REMOVED", 0xC00002B6},
    {"STATUS_GRACEFUL_DISCONNECT", 0xC0000237},
    {"STATUS_HOST_UNREACHABLE", 0xC000023D},
    {"STATUS_IMPLEMENTATION_LIMIT", 0xC000042B},
    {"STATUS_INSUFFICIENT_RESOURCES", 0xC000009A},
    {"STATUS_INTERNAL_ERROR", 0xC00000E5},
    {"STATUS_INVALID_ADDRESS", 0xC0000141},
    {"STATUS_INVALID_BUFFER_SIZE", 0xC0000206},
    {"STATUS_INVALID_DEVICE_REQUEST", 0xC0000010},
    {"STATUS_INVALID_DEVICE_STATE", 0xC0000184},
    {"STATUS_INVALID_PARAMETER", 0xC000000D},
    {"STATUS_INVALID_PARAMETER_MIX", 0xC0000030},
    {"STATUS_IO_TIMEOUT", 0xC00000B5},
    {"STATUS_NETWORK_UNREACHABLE", 0xC000023C},
    {"STATUS_NOINTERFACE", 0xC00002B9},
    {"STATUS_NOT_FOUND", 0xC0000225},
    {"STATUS_NOT_SUPPORTED", 0xC00000BB},
    {"STATUS_NO_MEMORY", 0xC0000017},
    {"STATUS_NO_MORE_ENTRIES", 0x8000001A},
    {"STATUS_PENDING", 0x00000103},
    {"STATUS_REMOTE_RESOURCES", 0xC000013D},
    {"STATUS_SHARING_VIOLATION", 0xC0000043},
    {"STATUS_SUCCESS", 0x00000000},
    {"STATUS_TIMEOUT", 0x00000102},
    {"STATUS_TOO_MANY_ADDRESSES", 0xC0000209},
    {"STATUS_UNSUCCESSFUL", 0xC0000001},
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

const char *scn_status_name_of(uint32_t status) {
    const char *other = NULL;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(statuses); i++) {
        if (statuses[i].value != status)
            continue;
        if (strncmp(statuses[i].name, "NDIS_", 5) != 0)
            return statuses[i].name;
        other = statuses[i].name;
    }
    return other;
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

const char *scn_status_name(size_t index, uint32_t *value) {
    if (index >= SIM_ARRAY_COUNT(statuses))
        return NULL;
    *value = statuses[index].value;
    return statuses[index].name;
}
