/* SPDX-License-Identifier: Apache-2.0 */
/* What an "oid" step asks of a miniport and expects; and bytes and codes, as other steps have them.
 */
#include "model/build.h"

#include <string.h>

#define OUT_BYTES 4096u

static int hex_digit(char digit) {
    const char *digits = "0123456789abcdef", *found;
    char lower = (char)(digit >= 'A' && digit <= 'F' ? digit + ('a' - 'A') : digit);

    found = lower != '\0' ? strchr(digits, lower) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

/* "00 ff" or "00ff"; blanks between bytes are allowed. */
const uint8_t *scn_build_bytes(struct scn_build *build, const struct scn_value *value,
                               uint32_t *count) {
    const char *at = value->string;
    uint8_t *bytes = scn_build_array(build, strlen(at) / 2 + 1, 1);

    *count = 0;
    while (*at != '\0') {
        int high, low;

        if (*at == ' ') {
            at++;
            continue;
        }
        high = hex_digit(at[0]);
        low = high >= 0 ? hex_digit(at[1]) : -1;
        if (low < 0) {
            scn_diagnose_value(build->diagnostics, value, false,
                               "expected bytes in hexadecimal, as in \"01 a0 ff\"");
            return bytes;
        }
        bytes[(*count)++] = (uint8_t)(high << 4 | low);
        at += 2;
    }
    return bytes;
}

uint32_t scn_build_code(struct scn_build *build, const struct scn_value *value, const char *what) {
    uint64_t number = 0;

    if (value->type == SCN_INTEGER)
        number = (uint64_t)value->integer;
    else if (scn_unit_parse(SCN_UNIT_COUNT, value->string, &number) != NULL)
        scn_diagnose_value(build->diagnostics, value, false,
                           "\"%s\" is no %s; expected a number, as in \"0x222000\"", value->string,
                           what);
    if (number > UINT32_MAX)
        scn_diagnose_value(build->diagnostics, value, false, "a %s has 32 bits", what);
    return (uint32_t)number;
}

static void read_request(struct scn_build *build, const struct scn_value *source,
                         struct scn_oid *oid) {
    static const uint8_t booleans[] = {0, 1};
    const struct scn_value *set = scn_member(source, "set"), *in = scn_member(source, "in");
    const struct scn_value *out = scn_member(source, "out");

    oid->is_set = set != NULL || in != NULL;
    oid->out_bytes = (uint32_t)scn_build_number(source, "out", OUT_BYTES);
    if (set != NULL && in != NULL)
        scn_diagnose_value(build->diagnostics, in, true, "\"set\" and \"in\" exclude each other");
    if (oid->is_set && out != NULL)
        scn_diagnose_value(build->diagnostics, out, true,
                           "\"out\" is the buffer of a query; this sets");
    if (set != NULL) {
        oid->in = &booleans[set->boolean ? 1 : 0];
        oid->in_bytes = 1;
    } else if (in != NULL) {
        oid->in = scn_build_bytes(build, in, &oid->in_bytes);
    }
}

static void read_members(struct scn_build *build, const struct scn_value *list,
                         struct scn_oid *oid) {
    struct scn_oid_member *members = scn_build_array(build, list->count, sizeof(*members));

    for (const struct scn_value *one = list->first; one != NULL; one = one->next) {
        struct scn_oid_member *member = &members[oid->member_count++];

        member->name = one->key;
        member->source = one;
        if (one->type == SCN_STRING)
            member->counter = one->string;
        else
            member->number = (uint64_t)one->integer;
    }
    oid->members = members;
}

static void read_entries(struct scn_build *build, const struct scn_value *list,
                         struct scn_oid *oid) {
    const char **entries = scn_build_array(build, list->count, sizeof(*entries));

    for (const struct scn_value *one = list->first; one != NULL; one = one->next)
        entries[oid->entry_count++] = one->string;
    oid->entries = entries;
    oid->has_entries = true;
}

static void refuse_contents(struct scn_build *build, const struct scn_value *source) {
    static const char *const of_answers[] = {"members", "entries"};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(of_answers); i++) {
        const struct scn_value *value = scn_member(source, of_answers[i]);

        if (value != NULL)
            scn_diagnose_value(build->diagnostics, value, true,
                               "\"%s\" are of a query's answer; this sets", of_answers[i]);
    }
}

const struct scn_oid *scn_build_oid(struct scn_build *build, const struct scn_value *source) {
    struct scn_oid *oid = scn_build_array(build, 1, sizeof(*oid));
    const struct scn_value *name = scn_member(source, "oid");
    const struct scn_value *members = scn_member(source, "members");
    const struct scn_value *entries = scn_member(source, "entries");

    oid->source = source;
    if (name->type == SCN_STRING && strncmp(name->string, "0x", 2) != 0)
        oid->name = name->string;
    else
        oid->number = scn_build_code(build, name, "number of an OID");
    oid->is_direct = scn_build_flag(source, "direct", false);
    read_request(build, source, oid);
    oid->has_needed = scn_member(source, "needed") != NULL;
    oid->needed = (uint32_t)scn_build_number(source, "needed", 0);
    if (oid->is_set)
        refuse_contents(build, source);
    if (members != NULL)
        read_members(build, members, oid);
    if (entries != NULL)
        read_entries(build, entries, oid);
    return oid;
}
