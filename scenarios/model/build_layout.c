/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes to and comes from a driver as a structure that the scenario lays out: members in order,
 * each at the next multiple of its own size, as the driver's compiler has it. Little-endian.
 */
#include "model/build.h"

#include <string.h>

#define LAYOUT_BYTES_MAX (UINT64_C(1) << 20)

static const struct {
    const char *name;
    uint32_t bytes;
} types[] = {{"uchar", 1}, {"ushort", 2}, {"wchar", 2}, {"ulong", 4}, {"ulong64", 8}};

struct member {
    const char *name;
    uint32_t unit_bytes;
    uint32_t count;
    uint32_t offset;
};

static uint32_t unit_of(struct scn_build *build, const struct scn_value *type) {
    const char *names[SIM_ARRAY_COUNT(types)];
    uint32_t found;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(types); i++)
        names[i] = types[i].name;
    found = scn_build_find(build, type, "type", names, SIM_ARRAY_COUNT(types));
    return found != SCN_NONE ? types[found].bytes : 1;
}

/* The members of a structure; its size in `*bytes`. */
static struct member *read_layout(struct scn_build *build, const struct scn_value *layout,
                                  uint32_t *bytes) {
    struct member *members = scn_build_array(build, layout->count + 1, sizeof(*members));
    uint64_t offset = 0, widest = 1;
    uint32_t count = 0;

    for (const struct scn_value *one = layout->first; one != NULL; one = one->next) {
        struct member *member = &members[count++];

        member->name = scn_build_text(one, "name");
        member->unit_bytes = unit_of(build, scn_member(one, "type"));
        member->count = (uint32_t)scn_build_number(one, "count", 1);
        offset = (offset + member->unit_bytes - 1) / member->unit_bytes * member->unit_bytes;
        member->offset = (uint32_t)offset;
        offset += (uint64_t)member->unit_bytes * member->count;
        widest = member->unit_bytes > widest ? member->unit_bytes : widest;
        for (uint32_t i = 0; i + 1 < count; i++)
            if (strcmp(members[i].name, member->name) == 0)
                scn_diagnose_value(build->diagnostics, scn_member(one, "name"), false,
                                   "the structure has a member \"%s\" already", member->name);
        if (offset > LAYOUT_BYTES_MAX) {
            scn_diagnose_value(build->diagnostics, one, false,
                               "the structure is larger than 1 MiB");
            offset = 0;
        }
    }
    *bytes = (uint32_t)((offset + widest - 1) / widest * widest);
    return members;
}

static void put(struct scn_build *build, const struct member *member, uint32_t index,
                const struct scn_value *value, int64_t number, const struct scn_bytes *to) {
    uint8_t *at = to->bytes + member->offset + (size_t)index * member->unit_bytes;
    uint32_t bits = 8 * member->unit_bytes;

    if (bits < 64 && (number < -(INT64_C(1) << (bits - 1)) || number >= INT64_C(1) << bits))
        scn_diagnose_value(build->diagnostics, value, false, "does not fit in %u bits", bits);
    for (uint32_t i = 0; i < member->unit_bytes; i++) {
        at[i] = (uint8_t)((uint64_t)number >> (8 * i));
        to->mask[(size_t)(at - to->bytes) + i] = 0xFF;
    }
}

/* What lies behind the end of a text or a list is zero, and is meant to be. */
static void put_many(struct scn_build *build, const struct member *member,
                     const struct scn_value *value, const struct scn_bytes *to) {
    const struct scn_value *one = value->type == SCN_ARRAY ? value->first : NULL;
    size_t length = value->type == SCN_STRING ? strlen(value->string) : value->count;

    if (length > member->count) {
        scn_diagnose_value(build->diagnostics, value, false, "\"%s\" has place for %u",
                           member->name, member->count);
        return;
    }
    for (uint32_t i = 0; i < member->count; i++) {
        int64_t number = 0;

        if (one != NULL && one->type != SCN_INTEGER)
            scn_diagnose_value(build->diagnostics, one, false, "expected a number");
        if (one != NULL)
            number = one->integer;
        else if (value->type == SCN_STRING && i < length)
            number = (uint8_t)value->string[i];
        put(build, member, i, one != NULL ? one : value, number, to);
        one = one != NULL ? one->next : NULL;
    }
}

static void put_values(struct scn_build *build, const struct member *members, uint32_t count,
                       const struct scn_value *values, const struct scn_bytes *to) {
    const char **names = scn_build_array(build, count + 1, sizeof(*names));

    for (uint32_t i = 0; i < count; i++)
        names[i] = members[i].name;
    for (const struct scn_value *value = values->first; value != NULL; value = value->next) {
        uint32_t found = SCN_NONE;

        for (uint32_t i = 0; i < count; i++)
            found = strcmp(names[i], value->key) == 0 ? i : found;
        if (found == SCN_NONE) {
            const char *nearest = scn_nearest(value->key, names, count);

            scn_diagnose_value(build->diagnostics, value, true, "there is no member \"%s\"%s%s%s",
                               value->key, nearest != NULL ? "; did you mean \"" : "",
                               nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
        } else if (value->type == SCN_INTEGER && members[found].count == 1)
            put(build, &members[found], 0, value, value->integer, to);
        else if (value->type == SCN_STRING || value->type == SCN_ARRAY)
            put_many(build, &members[found], value, to);
        else
            scn_diagnose_value(build->diagnostics, value, false,
                               "expected a number, or a text or list for an array");
    }
}

struct scn_bytes scn_build_structure(struct scn_build *build, const struct scn_value *value) {
    const struct scn_value *structures = scn_member(build->document->root, "structures");
    const struct scn_value *layout = scn_member(structures, value->first->key);
    struct scn_bytes bytes = {NULL, NULL, 0};
    struct member *members;

    if (layout == NULL) {
        scn_diagnose_value(build->diagnostics, value->first, true,
                           "there is no structure \"%s\" in \"structures\"", value->first->key);
        return bytes;
    }
    members = read_layout(build, layout, &bytes.count);
    bytes.bytes = scn_build_array(build, (size_t)bytes.count + 1, 1);
    bytes.mask = scn_build_array(build, (size_t)bytes.count + 1, 1);
    put_values(build, members, layout->count, value->first, &bytes);
    return bytes;
}
