/* SPDX-License-Identifier: Apache-2.0 */
/* The plain kinds of values: numbers, times, names, words, flags, statuses. */
#include "model/program.h"

#include <stdio.h>
#include <string.h>

#define LIST_COUNT_MAX 64u

static void wrong_type(struct scn_program *program, const struct scn_value *value,
                       const char *wanted) {
    scn_diagnose_value(program->build->diagnostics, value, false, "expected %s, got %s", wanted,
                       scn_type_name(value->type));
}

uint32_t scn_emit_text(struct scn_program *program, const char *text) {
    size_t bytes = strlen(text) + 1;
    uint32_t at = program->texts.count;

    for (size_t i = 0; i < bytes; i++)
        *(char *)scn_list_add(&program->texts) = text[i];
    return at;
}

void scn_emit_list(struct scn_program *program, const struct script_arg *elements, uint32_t count,
                   struct script_arg *arg) {
    arg->kind = SCRIPT_ARG_LIST;
    arg->value = program->args.count;
    arg->count = count;
    for (uint32_t i = 0; i < count; i++)
        *(struct script_arg *)scn_list_add(&program->args) = elements[i];
}

static bool emit_variable(struct scn_program *program, const struct scn_value *value,
                          const char *text, struct script_arg *arg) {
    uint32_t index = scn_name_find(&program->variables, text + 1);
    const char *words[LIST_COUNT_MAX], *nearest;
    uint32_t count = 0;

    arg->kind = SCRIPT_ARG_VARIABLE;
    arg->value = index;
    if (index != SCRIPT_NONE)
        return true;
    for (uint32_t i = 0; i < program->variables.count && i < LIST_COUNT_MAX; i++)
        words[count++] = ((struct scn_name *)scn_list_at(&program->variables, i))->text;
    nearest = scn_nearest(text + 1, words, count);
    if (nearest != NULL)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "there is no variable \"%s\"; did you mean \"$%s\"?", text, nearest);
    else
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "there is no variable \"%s\": nothing sets it", text);
    return false;
}

void scn_emit_number(struct scn_program *program, const struct scn_value *value,
                     struct script_arg *arg) {
    int32_t status;

    arg->kind = SCRIPT_ARG_NUMBER;
    if (value->type == SCN_INTEGER) {
        arg->value = (uint64_t)value->integer;
        return;
    }
    if (value->type != SCN_STRING) {
        wrong_type(program, value, "a number");
        return;
    }
    if (value->string[0] == '$') {
        emit_variable(program, value, value->string, arg);
        return;
    }
    if (strcmp(value->string, "max") == 0) {
        arg->value = UINT32_MAX;
        return;
    }
    if (scn_unit_parse(SCN_UNIT_COUNT, value->string, &arg->value) == NULL ||
        scn_unit_parse(SCN_UNIT_SIZE, value->string, &arg->value) == NULL ||
        scn_unit_parse(SCN_UNIT_DURATION, value->string, &arg->value) == NULL)
        return;
    if (scn_status_parse(value->string, &status)) {
        arg->value = (uint32_t)status;
        return;
    }
    scn_diagnose_value(program->build->diagnostics, value, false,
                       "\"%s\" is no number; expected one such as 64, \"0x40\", \"64KiB\", "
                       "\"2us\", \"max\", or a variable such as \"$x\"",
                       value->string);
}

void scn_emit_time(struct scn_program *program, const struct scn_value *value,
                   struct script_arg *arg) {
    const char *wrong;

    arg->kind = SCRIPT_ARG_NUMBER;
    if (value->type != SCN_STRING) {
        wrong_type(program, value, "a duration such as \"2us\"");
        return;
    }
    if (value->string[0] == '$') {
        emit_variable(program, value, value->string, arg);
        return;
    }
    if (strcmp(value->string, "never") == 0) {
        arg->value = UINT64_MAX;
        return;
    }
    wrong = scn_unit_parse(SCN_UNIT_DURATION, value->string, &arg->value);
    if (wrong != NULL)
        scn_diagnose_value(program->build->diagnostics, value, false, "\"%s\": %s; expected %s",
                           value->string, wrong, scn_unit_example(SCN_UNIT_DURATION));
}

static void emit_flag(struct scn_program *program, const struct scn_value *value,
                      struct script_arg *arg) {
    arg->kind = SCRIPT_ARG_NUMBER;
    arg->value = value->boolean;
    if (value->type != SCN_BOOLEAN)
        wrong_type(program, value, "true or false");
}

static void no_object(struct scn_program *program, const struct scn_value *value, uint32_t kinds) {
    const char *words[LIST_COUNT_MAX], *nearest, *what = "object";
    uint32_t count = 0;

    for (uint32_t i = 0; i < program->objects.count && count < LIST_COUNT_MAX; i++) {
        const struct scn_name *name = scn_list_at(&program->objects, i);

        if ((kinds & SCN_KIND(name->kind)) != 0)
            words[count++] = name->text;
    }
    for (uint32_t kind = 0; kind < SCRIPT_OBJECT_KIND_COUNT; kind++)
        if (kinds == SCN_KIND(kind))
            what = scn_kind_word(kind);
    nearest = scn_nearest(value->string, words, count);
    if (nearest != NULL)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "there is no %s \"%s\"; did you mean \"%s\"?", what, value->string,
                           nearest);
    else
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "there is no %s \"%s\": no step makes it", what, value->string);
}

void scn_emit_object(struct scn_program *program, const struct scn_value *value, uint32_t kinds,
                     struct script_arg *arg) {
    const struct scn_name *name;
    uint32_t index;

    arg->kind = SCRIPT_ARG_OBJECT;
    if (value->type != SCN_STRING) {
        wrong_type(program, value, "the name of an object");
        return;
    }
    if (strcmp(value->string, "none") == 0) {
        arg->kind = SCRIPT_ARG_NOTHING;
        return;
    }
    if (strcmp(value->string, "it") == 0) {
        arg->value = SCRIPT_IT;
        return;
    }
    index = scn_name_find(&program->objects, value->string);
    arg->value = index;
    if (index == SCRIPT_NONE) {
        no_object(program, value, kinds);
        return;
    }
    name = scn_list_at(&program->objects, index);
    if ((kinds & SCN_KIND(name->kind)) == 0)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "\"%s\" is a %s, which cannot stand here", value->string,
                           scn_kind_word(name->kind));
    else if (name->thread != SCRIPT_NONE && name->thread == program->thread_now &&
             name->order > program->order_now)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "\"%s\" is used before it is made", value->string);
}

void scn_emit_objects(struct scn_program *program, const struct scn_value *value, uint32_t kinds,
                      struct script_arg *arg) {
    struct script_arg elements[LIST_COUNT_MAX] = {{0}};
    uint32_t count = 0;

    if (value->type != SCN_ARRAY) {
        scn_emit_object(program, value, kinds, &elements[count++]);
    } else {
        for (const struct scn_value *one = value->first; one != NULL && count < LIST_COUNT_MAX;
             one = one->next)
            scn_emit_object(program, one, kinds, &elements[count++]);
    }
    scn_emit_list(program, elements, count, arg);
}

static void emit_one_status(struct scn_program *program, const struct scn_value *value,
                            struct script_arg *arg) {
    int32_t status = 0;

    arg->kind = SCRIPT_ARG_NUMBER;
    if (value->type != SCN_STRING)
        wrong_type(program, value, "a status such as \"STATUS_SUCCESS\"");
    else if (!scn_status_parse(value->string, &status))
        scn_diagnose_status(program->build->diagnostics, value);
    arg->value = (uint32_t)status;
}

static void emit_status(struct scn_program *program, const struct scn_value *value,
                        struct script_arg *arg) {
    struct script_arg elements[LIST_COUNT_MAX] = {{0}};
    uint32_t count = 0;

    if (value->type == SCN_STRING && strcmp(value->string, "any") == 0) {
        arg->kind = SCRIPT_ARG_NOTHING;
        return;
    }
    if (value->type != SCN_ARRAY) {
        emit_one_status(program, value, &elements[count++]);
    } else {
        for (const struct scn_value *one = value->first; one != NULL && count < LIST_COUNT_MAX;
             one = one->next)
            emit_one_status(program, one, &elements[count++]);
    }
    scn_emit_list(program, elements, count, arg);
}

static void emit_word(struct scn_program *program, const struct scn_value *value,
                      const struct scn_member_kind *kind, struct script_arg *arg) {
    arg->kind = SCRIPT_ARG_NUMBER;
    if (value->type == SCN_INTEGER || (value->type == SCN_STRING && value->string[0] == '$') ||
        (value->type == SCN_STRING && strncmp(value->string, "0x", 2) == 0))
        scn_emit_number(program, value, arg);
    else if (value->type != SCN_STRING)
        wrong_type(program, value, "a word");
    else
        scn_word_find(program, value, value->string, kind->words, kind->word, &arg->value);
}

/* A list of words, or one, or their number. */
static void emit_bits(struct scn_program *program, const struct scn_value *value,
                      const struct scn_word *words, const char *what, struct script_arg *arg) {
    uint64_t bits = 0, one_bits = 0;

    arg->kind = SCRIPT_ARG_NUMBER;
    if (value->type == SCN_INTEGER || (value->type == SCN_STRING && value->string[0] == '$') ||
        (value->type == SCN_STRING && strncmp(value->string, "0x", 2) == 0)) {
        scn_emit_number(program, value, arg);
        return;
    }
    if (value->type == SCN_STRING) {
        scn_word_find(program, value, value->string, words, what, &arg->value);
        return;
    }
    if (value->type != SCN_ARRAY) {
        wrong_type(program, value, "a list of words");
        return;
    }
    for (const struct scn_value *one = value->first; one != NULL; one = one->next) {
        struct script_arg element = {0};

        if (one->type != SCN_STRING || strncmp(one->string, "0x", 2) == 0) {
            scn_emit_number(program, one, &element);
            bits |= element.value;
        } else if (scn_word_find(program, one, one->string, words, what, &one_bits)) {
            bits |= one_bits;
        }
    }
    arg->value = bits;
}

static void emit_label(struct scn_program *program, const struct scn_value *value,
                       struct script_arg *arg) {
    const char *words[LIST_COUNT_MAX], *nearest;
    uint32_t count = 0;

    arg->kind = SCRIPT_ARG_NAME;
    if (value->type != SCN_STRING) {
        wrong_type(program, value, "a label");
        return;
    }
    arg->value = scn_name_find(&program->labels, value->string);
    if (arg->value != SCRIPT_NONE)
        return;
    for (uint32_t i = 0; i < program->labels.count && i < LIST_COUNT_MAX; i++)
        words[count++] = ((struct scn_name *)scn_list_at(&program->labels, i))->text;
    nearest = scn_nearest(value->string, words, count);
    if (nearest != NULL)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "there is no label \"%s\"; did you mean \"%s\"?", value->string,
                           nearest);
    else
        scn_diagnose_value(program->build->diagnostics, value, false, "there is no label \"%s\"",
                           value->string);
}

static void emit_labels(struct scn_program *program, const struct scn_value *value,
                        struct script_arg *arg) {
    struct script_arg elements[LIST_COUNT_MAX] = {{0}};
    uint32_t count = 0;

    if (value->type != SCN_ARRAY) {
        emit_label(program, value, &elements[count++]);
    } else {
        for (const struct scn_value *one = value->first; one != NULL && count < LIST_COUNT_MAX;
             one = one->next)
            emit_label(program, one, &elements[count++]);
    }
    scn_emit_list(program, elements, count, arg);
}

static void emit_none(struct scn_program *program, const struct scn_value *value,
                      struct script_arg *arg) {
    arg->kind = SCRIPT_ARG_NOTHING;
    if (value->type != SCN_STRING || strcmp(value->string, "none") != 0)
        scn_diagnose_value(program->build->diagnostics, value, false, "expected \"none\"");
}

static void emit_context(struct scn_program *program, const struct scn_value *value,
                         struct script_arg *arg) {
    static const struct {
        const char *word;
        uint64_t context;
    } kinds[] = {{"pool", SCRIPT_CONTEXT_POOL},
                 {"stack", SCRIPT_CONTEXT_STACK},
                 {"freed", SCRIPT_CONTEXT_FREED}};

    if (value->type == SCN_STRING && strcmp(value->string, "none") == 0) {
        arg->kind = SCRIPT_ARG_NOTHING;
        return;
    }
    for (size_t i = 0; i < SIM_ARRAY_COUNT(kinds); i++) {
        if (value->type == SCN_STRING && strcmp(value->string, kinds[i].word) == 0) {
            arg->kind = SCRIPT_ARG_NUMBER;
            arg->value = kinds[i].context;
            return;
        }
    }
    emit_label(program, value, arg);
}

static void emit_version(struct scn_program *program, const struct scn_value *value,
                         struct script_arg *arg) {
    const char *text = value->type == SCN_STRING ? value->string : "";
    unsigned major = 0, minor = 0;
    int length = 0;
    bool is_version = sscanf(text, "%5u.%5u%n", &major, &minor, &length) >= 2;
    bool is_least = strcmp(text + length, "+") == 0;

    arg->kind = SCRIPT_ARG_NUMBER;
    if (!is_version || (text[length] != '\0' && !is_least) || major > 0x7FFF || minor > 0xFFFF)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "expected a version such as \"2.0\"");
    else if (is_least && major != 1)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "\"+\" stands for major 2 and goes with major 1: \"1.2+\"");
    else
        arg->value = (uint64_t)major << 16 | minor | (is_least ? SCRIPT_VERSION_OR_2 : 0);
}

static void emit_text(struct scn_program *program, const struct scn_value *value,
                      struct script_arg *arg) {
    arg->kind = SCRIPT_ARG_TEXT;
    if (value->type != SCN_STRING)
        wrong_type(program, value, "a text");
    else
        arg->value = scn_emit_text(program, value->string);
}

/*
 * Sixteen bytes as a GUID has them in memory: the first three fields are numbers, lowest byte
 * first, the rest are bytes as they are written.
 */
static void emit_guid(struct scn_program *program, const struct scn_value *value,
                      struct script_arg *arg) {
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    char digits[33] = "";
    uint32_t count = 0;

    arg->kind = SCRIPT_ARG_TEXT;
    arg->value = program->texts.count;
    for (const char *at = value->type == SCN_STRING ? value->string : ""; *at != '\0'; at++)
        if (*at != '-' && *at != '{' && *at != '}' && count < 32)
            digits[count++] = *at;
    for (uint32_t i = 0; i < 16; i++) {
        unsigned byte = 0;

        if (sscanf(digits + 2 * (size_t)order[i], "%2x", &byte) != 1 || count != 32) {
            scn_diagnose_value(program->build->diagnostics, value, false,
                               "expected a GUID such as \"00112233-4455-6677-8899-aabbccddeeff\"");
            return;
        }
        *(char *)scn_list_add(&program->texts) = (char)byte;
    }
}

static void emit_interface(struct scn_program *program, const struct scn_value *value,
                           struct script_arg *arg) {
    uint32_t adapter;

    arg->kind = SCRIPT_ARG_NUMBER;
    if (value->type != SCN_STRING || value->string[0] == '$') {
        scn_emit_number(program, value, arg);
        return;
    }
    adapter = scn_own_adapter(program, value->string);
    if (adapter == SCN_NONE)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "this node has no adapter \"%s\"", value->string);
    else
        arg->value = scn_interface_index(program->build->scenario, adapter);
}

static void emit_choices(struct scn_program *program, const struct scn_value *value,
                         struct script_arg *arg) {
    struct script_arg elements[LIST_COUNT_MAX] = {{0}};
    uint32_t count = 0;

    if (value->type != SCN_OBJECT || value->count < 2 || value->count > LIST_COUNT_MAX) {
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "expected 2 to %u alternatives, as in {\"first\": [steps], \"second\": "
                           "[steps]}",
                           LIST_COUNT_MAX);
        return;
    }
    for (const struct scn_value *one = value->first; one != NULL; one = one->next) {
        struct script_arg *element = &elements[count++];

        element->member = SCRIPT_ELEMENT_BLOCK;
        element->kind = SCRIPT_ARG_BLOCK;
        element->count = scn_emit_text(program, one->key);
        element->value = scn_emit_block(program, one);
    }
    scn_emit_list(program, elements, count, arg);
}

static void emit_variable_name(struct scn_program *program, const struct scn_value *value,
                               struct script_arg *arg) {
    arg->kind = SCRIPT_ARG_NAME;
    arg->value =
        value->type == SCN_STRING ? scn_name_find(&program->variables, value->string) : SCRIPT_NONE;
}

static void emit_steps(struct scn_program *program, const struct scn_value *value, uint32_t member,
                       struct script_arg *arg) {
    bool can_wait = program->can_wait;

    if (member == SCRIPT_MEMBER_THEN)
        program->can_wait = false; /* where a completion finds them */
    arg->kind = SCRIPT_ARG_BLOCK;
    arg->value = scn_emit_block(program, value);
    program->can_wait = can_wait;
}

/* Kinds that need nothing but the value; false: another kind. */
static bool emit_plain(struct scn_program *program, const struct scn_value *value,
                       const struct scn_member_kind *kind, struct script_arg *arg) {
    static void (*const emitters[])(struct scn_program *, const struct scn_value *,
                                    struct script_arg *) = {
        [SCN_M_NUMBER] = scn_emit_number, [SCN_M_TIME] = scn_emit_time,
        [SCN_M_FLAG] = emit_flag,         [SCN_M_STATUS] = emit_status,
        [SCN_M_LABEL_NEW] = emit_label,   [SCN_M_LABELS] = emit_labels,
        [SCN_M_NONE] = emit_none,         [SCN_M_CONTEXT] = emit_context,
        [SCN_M_EXPECT] = scn_emit_expect, [SCN_M_INTO] = scn_emit_into,
        [SCN_M_TOKEN] = scn_emit_token,   [SCN_M_PATTERN] = scn_emit_pattern,
        [SCN_M_CHOICES] = emit_choices,   [SCN_M_VARIABLE] = emit_variable_name,
        [SCN_M_TEXT] = emit_text,         [SCN_M_GUID] = emit_guid,
        [SCN_M_VERSION] = emit_version,   [SCN_M_INTERFACE] = emit_interface,
    };

    if (kind->type >= SIM_ARRAY_COUNT(emitters) || emitters[kind->type] == NULL)
        return false;
    emitters[kind->type](program, value, arg);
    return true;
}

void scn_emit_member(struct scn_program *program, const struct scn_value *value, uint32_t member,
                     uint32_t traits, struct script_arg *arg) {
    const struct scn_member_kind *kind = scn_member_kind(member);

    if (emit_plain(program, value, kind, arg)) {
        arg->member = (uint16_t)member;
        return;
    }
    switch (kind->type) {
    case SCN_M_WORD:
        emit_word(program, value, kind, arg);
        break;
    case SCN_M_BITS:
        emit_bits(program, value, kind->words, kind->word, arg);
        break;
    case SCN_M_STEPS:
        emit_steps(program, value, member, arg);
        break;
    case SCN_M_OBJECT:
        scn_emit_object(program, value, kind->kinds, arg);
        break;
    case SCN_M_OBJECTS:
        scn_emit_objects(program, value, kind->kinds, arg);
        break;
    case SCN_M_SGL:
        scn_emit_sgl(program, value, traits, arg);
        break;
    case SCN_M_FLAGS:
        emit_bits(program, value,
                  (traits & SCN_VERB_MR_FLAGS) != 0 ? scn_mr_flags() : scn_op_flags(), "flag", arg);
        break;
    case SCN_M_ADDRESS:
        scn_emit_address(program, value, member == SCRIPT_MEMBER_FROM ? 0 : SCN_PORT_DEFAULT, arg);
        break;
    default:
        SIM_ASSERT(false); /* a kind of value without an emitter */
    }
    arg->member = (uint16_t)member;
}
