/* SPDX-License-Identifier: Apache-2.0 */
/* The larger kinds of values: sources, conditions, outputs, tokens, contents, SGE lists. */
#include "model/program.h"

#include <stdio.h>
#include <string.h>

#define ELEMENT_COUNT_MAX 64u

static void wrong_type(struct scn_program *program, const struct scn_value *value,
                       const char *wanted) {
    scn_diagnose_value(program->build->diagnostics, value, false, "expected %s, got %s", wanted,
                       scn_type_name(value->type));
}

static const struct {
    const char *word;
    uint32_t source;
    uint32_t kind; /* of its object; SCRIPT_NONE: another kind of name */
} sources[] = {
    {"connect", SCRIPT_SOURCE_CONNECT, SCRIPT_LISTENER},
    {"disconnect", SCRIPT_SOURCE_DISCONNECT, SCRIPT_CONNECTOR},
    {"notify", SCRIPT_SOURCE_NOTIFY, SCRIPT_CQ},
    {"srq", SCRIPT_SOURCE_SRQ, SCRIPT_SRQ},
    {"result", SCRIPT_SOURCE_RESULT, SCRIPT_CQ},
};

static void no_source(struct scn_program *program, const struct scn_value *value,
                      const char *text) {
    char made[ELEMENT_COUNT_MAX][96];
    const char *words[ELEMENT_COUNT_MAX + 8], *nearest;
    uint32_t count = 0, texts = 0;

    for (uint32_t i = 0; i < program->labels.count && count < ELEMENT_COUNT_MAX / 2; i++)
        words[count++] = ((struct scn_name *)scn_list_at(&program->labels, i))->text;
    for (uint32_t i = 0; i < program->signals.count && count < ELEMENT_COUNT_MAX / 2; i++) {
        const struct scn_name *name = scn_list_at(&program->signals, i);

        snprintf(made[texts], sizeof(made[0]), "signal %s", name->text);
        words[count++] = made[texts++];
    }
    for (uint32_t i = 0; i < program->objects.count; i++) {
        const struct scn_name *name = scn_list_at(&program->objects, i);

        for (size_t k = 0; k < SIM_ARRAY_COUNT(sources) && count < ELEMENT_COUNT_MAX; k++) {
            if (sources[k].kind != name->kind)
                continue;
            snprintf(made[texts], sizeof(made[0]), "%s %s", sources[k].word, name->text);
            words[count++] = made[texts++];
        }
    }
    nearest = scn_nearest(text, words, count);
    if (nearest != NULL)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "\"%s\" is nothing that comes; did you mean \"%s\"?", text, nearest);
    else
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "\"%s\" is nothing that comes; expected a label, or as in \"connect "
                           "LISTENER\", \"disconnect CONNECTOR\", \"notify CQ\", \"srq SRQ\", "
                           "\"signal NAME\", \"thread NAME\", \"transport\"",
                           text);
}

static uint32_t thread_find(const struct scn_program *program, const char *name) {
    for (uint32_t i = 0; i < program->threads.count; i++)
        if (strcmp(((struct scn_name *)scn_list_at(&program->threads, i))->text, name) == 0)
            return i;
    return SCRIPT_NONE;
}

static bool event_of(struct scn_program *program, const char *text, bool results, uint32_t *source,
                     uint32_t *index) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(sources); i++) {
        size_t length = strlen(sources[i].word);
        const struct scn_name *name;

        if (strncmp(text, sources[i].word, length) != 0 || text[length] != ' ' ||
            (sources[i].source == SCRIPT_SOURCE_RESULT && !results))
            continue;
        *index = strcmp(text + length + 1, "it") == 0
                     ? SCRIPT_IT
                     : scn_name_find(&program->objects, text + length + 1);
        if (*index == SCRIPT_NONE)
            return false;
        name = *index != SCRIPT_IT ? scn_list_at(&program->objects, *index) : NULL;
        *source = sources[i].source;
        return name == NULL || name->kind == sources[i].kind;
    }
    return false;
}

bool scn_source_of(struct scn_program *program, const struct scn_value *value, const char *text,
                   bool results, uint32_t *source, uint32_t *index) {
    if (strcmp(text, "transport") == 0) {
        *source = SCRIPT_SOURCE_TRANSPORT;
        *index = 0;
        return true;
    }
    if (event_of(program, text, results, source, index))
        return true;
    *index = scn_name_find(&program->labels, text);
    *source = SCRIPT_SOURCE_LABEL;
    if (*index == SCRIPT_NONE && strncmp(text, "signal ", 7) == 0) {
        *source = SCRIPT_SOURCE_SIGNAL;
        *index = scn_name_find(&program->signals, text + 7);
    }
    if (*index == SCRIPT_NONE && strncmp(text, "thread ", 7) == 0) {
        *source = SCRIPT_SOURCE_THREAD;
        *index = thread_find(program, text + 7);
    }
    if (*index == SCRIPT_NONE)
        no_source(program, value, text);
    return *index != SCRIPT_NONE;
}

void scn_emit_sources(struct scn_program *program, const struct scn_value *value, bool results,
                      struct script_arg *arg) {
    struct script_arg elements[ELEMENT_COUNT_MAX] = {{0}};
    const struct scn_value *one = value->type == SCN_ARRAY ? value->first : value;
    uint32_t count = 0, source, index;

    for (; one != NULL && count < ELEMENT_COUNT_MAX;
         one = value->type == SCN_ARRAY ? one->next : NULL) {
        if (one->type != SCN_STRING) {
            wrong_type(program, one, "what is waited for, such as \"disconnect conn\"");
            continue;
        }
        if (!scn_source_of(program, one, one->string, results, &source, &index))
            continue;
        elements[count].member = SCRIPT_ELEMENT_SOURCE;
        elements[count].kind = SCRIPT_ARG_OBJECT;
        elements[count].count = source;
        elements[count++].value = index;
    }
    scn_emit_list(program, elements, count, arg);
}

static const struct {
    const char *text;
    uint64_t comparison;
} comparisons[] = {
    {"==", SCRIPT_EQUAL},         {"!=", SCRIPT_UNEQUAL}, {"<=", SCRIPT_LESS_EQUAL},
    {">=", SCRIPT_GREATER_EQUAL}, {"<", SCRIPT_LESS},     {">", SCRIPT_GREATER},
    {"&", SCRIPT_HAS_BITS},
};

/* A number within a text: through a value of its own, which errors show at the same place. */
static void emit_part(struct scn_program *program, const struct scn_value *value, const char *text,
                      size_t length, struct script_arg *arg) {
    struct scn_value part = *value;
    char copy[96];

    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
    part.type = SCN_STRING;
    part.string = copy;
    scn_emit_number(program, &part, arg);
}

/* Where the first comparison stands, its length in `length`; NULL: nowhere. */
static const char *find_comparison(const char *text, uint64_t *comparison, size_t *length) {
    for (const char *at = text; *at != '\0'; at++) {
        for (size_t i = 0; i < SIM_ARRAY_COUNT(comparisons); i++) {
            *length = strlen(comparisons[i].text);
            *comparison = comparisons[i].comparison;
            if (strncmp(at, comparisons[i].text, *length) == 0)
                return at;
        }
    }
    return NULL;
}

void scn_emit_condition(struct scn_program *program, const struct scn_value *value,
                        struct script_arg *arg) {
    struct script_arg parts[3] = {{0}};
    const char *text = value->type == SCN_STRING ? value->string : "", *at;
    size_t length = 0;

    at = find_comparison(text, &parts[1].value, &length);
    if (at == NULL) {
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "expected a condition such as \"$x == 3\" (==, !=, <, <=, >, >=, & for "
                           "bits)");
        return;
    }
    parts[0].member = SCRIPT_ELEMENT_LEFT;
    parts[1].member = SCRIPT_ELEMENT_COMPARISON;
    parts[1].kind = SCRIPT_ARG_NUMBER;
    parts[2].member = SCRIPT_ELEMENT_RIGHT;
    emit_part(program, value, text, (size_t)(at - text), &parts[0]);
    emit_part(program, value, at + length, strlen(at + length), &parts[2]);
    scn_emit_list(program, parts, 3, arg);
}

static bool output_of(struct scn_program *program, const struct scn_value *member,
                      uint32_t *output) {
    const char *words[SCRIPT_OUTPUTS], *nearest;

    for (*output = 0; *output < SCRIPT_OUTPUTS; ++*output) {
        words[*output] = scn_output_word(*output);
        if (strcmp(words[*output], member->key) == 0)
            return true;
    }
    nearest = scn_nearest(member->key, words, SCRIPT_OUTPUTS);
    if (nearest != NULL)
        scn_diagnose_value(program->build->diagnostics, member, true,
                           "there is no output \"%s\"; did you mean \"%s\"?", member->key, nearest);
    else
        scn_diagnose_value(program->build->diagnostics, member, true, "there is no output \"%s\"",
                           member->key);
    return false;
}

/* 64, ">= 64", "STATUS_SUCCESS". */
static void emit_expectation(struct scn_program *program, const struct scn_value *value,
                             struct script_arg *arg) {
    struct script_arg parts[2] = {{0}};
    const char *at = NULL;
    size_t length = 0;

    parts[0].kind = SCRIPT_ARG_NUMBER;
    if (value->type == SCN_STRING)
        at = find_comparison(value->string, &parts[0].value, &length);
    if (at == value->string && at != NULL) {
        emit_part(program, value, at + length, strlen(at + length), &parts[1]);
    } else {
        parts[0].value = SCRIPT_EQUAL;
        scn_emit_number(program, value, &parts[1]);
    }
    scn_emit_list(program, parts, 2, arg);
}

void scn_emit_expect(struct scn_program *program, const struct scn_value *value,
                     struct script_arg *arg) {
    struct script_arg elements[ELEMENT_COUNT_MAX] = {{0}};
    uint32_t count = 0, output;

    if (value->type != SCN_OBJECT) {
        wrong_type(program, value, "outputs, as in {\"bytes\": 64}");
        return;
    }
    for (const struct scn_value *one = value->first; one != NULL && count < ELEMENT_COUNT_MAX;
         one = one->next) {
        if (!output_of(program, one, &output))
            continue;
        emit_expectation(program, one, &elements[count]);
        elements[count].member = SCRIPT_ELEMENT_OUTPUT;
        elements[count++].count = output;
    }
    scn_emit_list(program, elements, count, arg);
}

void scn_emit_into(struct scn_program *program, const struct scn_value *value,
                   struct script_arg *arg) {
    struct script_arg elements[ELEMENT_COUNT_MAX] = {{0}};
    uint32_t count = 0, output;

    if (value->type != SCN_OBJECT) {
        wrong_type(program, value, "outputs and variables, as in {\"token\": \"t\"}");
        return;
    }
    for (const struct scn_value *one = value->first; one != NULL && count < ELEMENT_COUNT_MAX;
         one = one->next) {
        if (!output_of(program, one, &output) || one->type != SCN_STRING)
            continue;
        elements[count].member = SCRIPT_ELEMENT_OUTPUT;
        elements[count].kind = SCRIPT_ARG_NAME;
        elements[count].count = output;
        elements[count++].value = scn_name_find(&program->variables, one->string);
    }
    scn_emit_list(program, elements, count, arg);
}

/* "mr" (its local token), "remote mr", "privileged pd", a remote memory, a number, a variable. */
void scn_emit_token(struct scn_program *program, const struct scn_value *value,
                    struct script_arg *arg) {
    struct script_arg element = {0};
    struct scn_value part = *value;

    if (value->type != SCN_STRING || value->string[0] == '$' ||
        strncmp(value->string, "0x", 2) == 0) {
        scn_emit_number(program, value, arg);
        return;
    }
    element.member = SCRIPT_ELEMENT_LOCAL;
    if (strncmp(value->string, "remote ", 7) == 0) {
        part.string += 7;
        scn_emit_object(program, &part, SCN_KIND(SCRIPT_MR) | SCN_KIND(SCRIPT_MW), &element);
        element.member = SCRIPT_ELEMENT_REMOTE;
    } else if (strncmp(value->string, "privileged ", 11) == 0) {
        part.string += 11;
        scn_emit_object(program, &part, SCN_KIND(SCRIPT_PD), &element);
    } else {
        scn_emit_object(program, &part,
                        SCN_KIND(SCRIPT_MR) | SCN_KIND(SCRIPT_PD) | SCN_KIND(SCRIPT_REMOTE),
                        &element);
    }
    scn_emit_list(program, &element, 1, arg);
}
