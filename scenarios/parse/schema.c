/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small validator: one function per keyword, called in a row for each (schema, value) pair. The
 * first kind of error at a value ends that value's checks, so one mistake gives one message.
 */
#include "parse/schema.h"

#include <stdio.h>
#include <string.h>

#include "parse/units.h"

/* Built from scenarios/schema.json. */
extern const char scn_schema_text[];
extern const size_t scn_schema_bytes;

struct check {
    const struct scn_document *schema;
    struct scn_diagnostics *diagnostics;
};

#define NAME_COUNT_MAX 256u

const struct scn_document *scn_schema(void) {
    static const struct scn_document *schema;
    static struct scn_diagnostics diagnostics;

    if (schema == NULL) {
        scn_diagnostics_init(&diagnostics);
        schema = scn_document_parse("schema.json", scn_schema_text, scn_schema_bytes, &diagnostics);
        SIM_ASSERT(schema != NULL);
    }
    return schema;
}

static const struct scn_value *resolve(const struct check *check, const struct scn_value *schema) {
    const struct scn_value *reference = scn_member(schema, "$ref");

    while (reference != NULL) {
        const struct scn_value *definitions = scn_member(check->schema->root, "$defs");

        SIM_ASSERT(strncmp(reference->string, "#/$defs/", 8) == 0);
        schema = scn_member(definitions, reference->string + 8);
        SIM_ASSERT(schema != NULL);
        reference = scn_member(schema, "$ref");
    }
    return schema;
}

static bool type_fits(const char *wanted, enum scn_type type) {
    static const struct {
        const char *name;
        enum scn_type type;
    } types[] = {{"object", SCN_OBJECT},   {"array", SCN_ARRAY},     {"string", SCN_STRING},
                 {"integer", SCN_INTEGER}, {"boolean", SCN_BOOLEAN}, {"null", SCN_NULL}};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(types); i++)
        if (types[i].type == type && strcmp(types[i].name, wanted) == 0)
            return true;
    return false;
}

static bool has_unit(const struct scn_value *schema, enum scn_unit *unit) {
    static const struct {
        const char *name;
        enum scn_unit unit;
    } units[] = {{"duration", SCN_UNIT_DURATION},
                 {"moment", SCN_UNIT_MOMENT},
                 {"size", SCN_UNIT_SIZE},
                 {"rate", SCN_UNIT_RATE},
                 {"probability", SCN_UNIT_PROBABILITY},
                 {"count", SCN_UNIT_COUNT}};
    const struct scn_value *name = scn_member(schema, "x-unit");

    for (size_t i = 0; name != NULL && i < SIM_ARRAY_COUNT(units); i++) {
        if (strcmp(name->string, units[i].name) != 0)
            continue;
        *unit = units[i].unit;
        return true;
    }
    return false;
}

static bool check_type(const struct check *check, const struct scn_value *schema,
                       const struct scn_value *value) {
    const struct scn_value *type = scn_member(schema, "type");
    char wanted[128] = "";
    enum scn_unit unit;

    if (type == NULL)
        return true;
    if (type->type == SCN_STRING) {
        if (type_fits(type->string, value->type))
            return true;
        snprintf(wanted, sizeof(wanted), "%s", type->string);
    } else {
        for (const struct scn_value *one = type->first; one != NULL; one = one->next) {
            size_t used = strlen(wanted);

            if (type_fits(one->string, value->type))
                return true;
            snprintf(wanted + used, sizeof(wanted) - used, "%s%s", used > 0 ? " or " : "",
                     one->string);
        }
    }
    if (has_unit(schema, &unit))
        snprintf(wanted, sizeof(wanted), "%s, in quotes", scn_unit_example(unit));
    scn_diagnose_value(check->diagnostics, value, false, "expected %s, got %s", wanted,
                       scn_type_name(value->type));
    return false;
}

static bool same_scalar(const struct scn_value *a, const struct scn_value *b) {
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case SCN_STRING:
        return strcmp(a->string, b->string) == 0;
    case SCN_INTEGER:
        return a->integer == b->integer;
    case SCN_BOOLEAN:
        return a->boolean == b->boolean;
    default:
        return a->type == SCN_NULL;
    }
}

static bool check_enum(const struct check *check, const struct scn_value *schema,
                       const struct scn_value *value) {
    const struct scn_value *allowed = scn_member(schema, "enum");
    const char *words[NAME_COUNT_MAX], *nearest = NULL;
    char list[320] = "";
    size_t count = 0;

    if (allowed == NULL)
        return true;
    for (const struct scn_value *one = allowed->first; one != NULL; one = one->next) {
        size_t used = strlen(list);

        if (same_scalar(one, value))
            return true;
        if (one->type != SCN_STRING || count == NAME_COUNT_MAX)
            continue;
        words[count++] = one->string;
        snprintf(list + used, sizeof(list) - used, "%s\"%s\"", used > 0 ? ", " : "", one->string);
    }
    if (value->type == SCN_STRING)
        nearest = scn_nearest(value->string, words, count);
    if (nearest != NULL)
        scn_diagnose_value(check->diagnostics, value, false,
                           "\"%s\" is not known; did you mean \"%s\"?", value->string, nearest);
    else
        scn_diagnose_value(check->diagnostics, value, false, "expected one of %s", list);
    return false;
}

static bool check_range(const struct check *check, const struct scn_value *schema,
                        const struct scn_value *value) {
    const struct scn_value *minimum = scn_member(schema, "minimum");
    const struct scn_value *maximum = scn_member(schema, "maximum");

    if (value->type != SCN_INTEGER)
        return true;
    if (minimum != NULL && value->integer < minimum->integer) {
        scn_diagnose_value(check->diagnostics, value, false, "%lld is too small; at least %lld",
                           (long long)value->integer, (long long)minimum->integer);
        return false;
    }
    if (maximum != NULL && value->integer > maximum->integer) {
        scn_diagnose_value(check->diagnostics, value, false, "%lld is too large; at most %lld",
                           (long long)value->integer, (long long)maximum->integer);
        return false;
    }
    return true;
}

static bool check_text(const struct check *check, const struct scn_value *schema,
                       const struct scn_value *value) {
    const char *wrong;
    enum scn_unit unit;
    uint64_t number;

    if (value->type != SCN_STRING)
        return true;
    if (scn_member(schema, "minLength") != NULL && value->string[0] == '\0') {
        scn_diagnose_value(check->diagnostics, value, false, "must not be empty");
        return false;
    }
    if (!has_unit(schema, &unit))
        return true;
    wrong = scn_unit_parse(unit, value->string, &number);
    if (wrong == NULL)
        return true;
    scn_diagnose_value(check->diagnostics, value, false, "\"%s\": %s; expected %s", value->string,
                       wrong, scn_unit_example(unit));
    return false;
}

static void check_value(const struct check *check, const struct scn_value *schema,
                        const struct scn_value *value);

static void unknown_key(const struct check *check, const struct scn_value *properties,
                        const struct scn_value *member) {
    const char *words[NAME_COUNT_MAX], *nearest;
    size_t count = 0;

    for (const struct scn_value *one = properties != NULL ? properties->first : NULL;
         one != NULL && count < NAME_COUNT_MAX; one = one->next)
        words[count++] = one->key;
    nearest = scn_nearest(member->key, words, count);
    if (nearest != NULL)
        scn_diagnose_value(check->diagnostics, member, true,
                           "unknown key \"%s\"; did you mean \"%s\"?", member->key, nearest);
    else
        scn_diagnose_value(check->diagnostics, member, true, "unknown key \"%s\"", member->key);
}

/* An object or array that is too large is not looked into. */
static bool check_count(const struct check *check, const struct scn_value *schema,
                        const struct scn_value *value) {
    bool is_object = value->type == SCN_OBJECT;
    const char *what = is_object ? "members" : "elements";
    const struct scn_value *least = scn_member(schema, is_object ? "minProperties" : "minItems");
    const struct scn_value *most = scn_member(schema, is_object ? "maxProperties" : "maxItems");

    if (least != NULL && value->count < (uint64_t)least->integer) {
        scn_diagnose_value(check->diagnostics, value, false, "has %u %s; at least %lld",
                           value->count, what, (long long)least->integer);
        return false;
    }
    if (most != NULL && value->count > (uint64_t)most->integer) {
        scn_diagnose_value(check->diagnostics, value, false, "has %u %s; at most %lld",
                           value->count, what, (long long)most->integer);
        return false;
    }
    return true;
}

static void check_object(const struct check *check, const struct scn_value *schema,
                         const struct scn_value *value) {
    const struct scn_value *properties = scn_member(schema, "properties");
    const struct scn_value *others = scn_member(schema, "additionalProperties");
    const struct scn_value *required = scn_member(schema, "required");

    for (const struct scn_value *member = value->first; member != NULL; member = member->next) {
        const struct scn_value *property = scn_member(properties, member->key);

        if (property != NULL)
            check_value(check, property, member);
        else if (others != NULL && others->type == SCN_OBJECT)
            check_value(check, others, member);
        else if (others != NULL && others->type == SCN_BOOLEAN && !others->boolean)
            unknown_key(check, properties, member);
    }
    for (const struct scn_value *name = required != NULL ? required->first : NULL; name != NULL;
         name = name->next)
        if (scn_member(value, name->string) == NULL)
            scn_diagnose_value(check->diagnostics, value, false, "\"%s\" is missing", name->string);
}

static void check_array(const struct check *check, const struct scn_value *schema,
                        const struct scn_value *value) {
    const struct scn_value *items = scn_member(schema, "items");

    for (const struct scn_value *one = value->first; items != NULL && one != NULL; one = one->next)
        check_value(check, items, one);
}

/* The constant (or the enum) that an alternative demands of its deciding member. */
static bool alternative_takes(const struct check *check, const struct scn_value *alternative,
                              const char *member, const struct scn_value *value) {
    const struct scn_value *wanted = scn_member(scn_member(alternative, "properties"), member);
    const struct scn_value *constant;

    wanted = wanted != NULL ? resolve(check, wanted) : NULL;
    constant = scn_member(wanted, "const");
    if (constant != NULL)
        return same_scalar(constant, value);
    wanted = scn_member(wanted, "enum");
    for (const struct scn_value *one = wanted != NULL ? wanted->first : NULL; one != NULL;
         one = one->next)
        if (same_scalar(one, value))
            return true;
    return false;
}

static void no_alternative(const struct check *check, const struct scn_value *alternatives,
                           const char *member, const struct scn_value *value) {
    const char *words[NAME_COUNT_MAX], *nearest;
    char list[400] = "";
    size_t count = 0;

    for (const struct scn_value *one = alternatives->first; one != NULL && count < NAME_COUNT_MAX;
         one = one->next) {
        const struct scn_value *wanted = resolve(check, one);
        size_t used = strlen(list);

        wanted = scn_member(scn_member(scn_member(wanted, "properties"), member), "const");
        if (wanted == NULL)
            continue;
        words[count++] = wanted->string;
        snprintf(list + used, sizeof(list) - used, "%s%s", used > 0 ? ", " : "", wanted->string);
    }
    nearest = value->type == SCN_STRING ? scn_nearest(value->string, words, count) : NULL;
    if (nearest != NULL)
        scn_diagnose_value(check->diagnostics, value, false,
                           "\"%s\" is not known; did you mean \"%s\"?", value->string, nearest);
    else
        scn_diagnose_value(check->diagnostics, value, false, "expected one of: %s", list);
}

/* oneOf, decided by the member that "x-select" names. */
static void check_selected(const struct check *check, const struct scn_value *schema,
                           const struct scn_value *value) {
    const char *member = scn_member(schema, "x-select")->string;
    const struct scn_value *alternatives = scn_member(schema, "oneOf");
    const struct scn_value *decides = scn_member(value, member);

    if (value->type != SCN_OBJECT) {
        scn_diagnose_value(check->diagnostics, value, false, "expected object, got %s",
                           scn_type_name(value->type));
        return;
    }
    if (decides == NULL) {
        scn_diagnose_value(check->diagnostics, value, false, "\"%s\" is missing", member);
        return;
    }
    for (const struct scn_value *one = alternatives->first; one != NULL; one = one->next) {
        const struct scn_value *alternative = resolve(check, one);

        if (alternative_takes(check, alternative, member, decides)) {
            check_value(check, alternative, value);
            return;
        }
    }
    no_alternative(check, alternatives, member, decides);
}

static void check_value(const struct check *check, const struct scn_value *schema,
                        const struct scn_value *value) {
    schema = resolve(check, schema);
    if (scn_member(schema, "x-select") != NULL) {
        check_selected(check, schema, value);
        return;
    }
    if (!check_type(check, schema, value) || !check_enum(check, schema, value) ||
        !check_range(check, schema, value) || !check_text(check, schema, value))
        return;
    if ((value->type == SCN_OBJECT || value->type == SCN_ARRAY) &&
        !check_count(check, schema, value))
        return;
    if (value->type == SCN_OBJECT)
        check_object(check, schema, value);
    else if (value->type == SCN_ARRAY)
        check_array(check, schema, value);
}

bool scn_schema_check(const struct scn_document *schema, const struct scn_document *document,
                      struct scn_diagnostics *diagnostics) {
    const struct check check = {schema, diagnostics};
    uint32_t before = diagnostics->count;

    check_value(&check, schema->root, document->root);
    return diagnostics->count == before;
}
