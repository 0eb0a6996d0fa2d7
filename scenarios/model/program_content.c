/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of memory and private data; SGE lists. */
#include "model/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENT_COUNT_MAX 8u
#define DATA_BYTES_MAX 4096u
#define SEEDED_BYTES 32u /* of private data that name a seed alone */

static void wrong(struct scn_program *program, const struct scn_value *value) {
    scn_diagnose_value(program->build->diagnostics, value, false,
                       "expected contents: a number (a pattern's seed, 0 for zeros), "
                       "\"hex:00a0ff\", \"text:hello\", {\"offer\": MR}, or {\"seed\": 7, "
                       "\"bytes\": 32}");
}

/* Hexadecimal digits in lower case, two a byte; returns the bytes, or UINT32_MAX when wrong. */
static uint32_t digits_of(const char *text, char *digits) {
    uint32_t bytes = 0;

    if (strncmp(text, "text:", 5) == 0) {
        for (text += 5; *text != '\0' && bytes < DATA_BYTES_MAX; text++, bytes++)
            snprintf(digits + 2 * (size_t)bytes, 3, "%02x", (unsigned char)*text);
        return *text == '\0' && bytes > 0 ? bytes : UINT32_MAX;
    }
    if (strncmp(text, "hex:", 4) != 0)
        return UINT32_MAX;
    for (text += 4; *text != '\0' && bytes < DATA_BYTES_MAX; bytes++) {
        unsigned byte;
        char pair[3] = {text[0], text[1], '\0'};

        if (strspn(pair, "0123456789abcdefABCDEF") != 2 || sscanf(pair, "%2x", &byte) != 1)
            return UINT32_MAX;
        snprintf(digits + 2 * (size_t)bytes, 3, "%02x", byte);
        text += text[2] == ' ' ? 3 : 2;
    }
    return *text == '\0' && bytes > 0 ? bytes : UINT32_MAX;
}

static uint32_t add_bytes(struct script_arg *elements, uint32_t count, uint64_t bytes) {
    elements[count].member = SCRIPT_ELEMENT_BYTES;
    elements[count].kind = SCRIPT_ARG_NUMBER;
    elements[count].value = bytes;
    return count + 1;
}

static uint32_t add_data(struct scn_program *program, const struct scn_value *value,
                         struct script_arg *elements, uint32_t count) {
    char *digits = calloc(1, 2 * (size_t)DATA_BYTES_MAX + 1);
    uint32_t bytes;

    SIM_ASSERT(digits != NULL);
    bytes = digits_of(value->string, digits);
    if (bytes == UINT32_MAX) {
        wrong(program, value);
    } else {
        elements[count].member = SCRIPT_ELEMENT_DATA;
        elements[count].kind = SCRIPT_ARG_TEXT;
        elements[count++].value = scn_emit_text(program, digits);
        count = add_bytes(elements, count, bytes);
    }
    free(digits);
    return count;
}

static uint32_t add_seed(struct scn_program *program, const struct scn_value *value,
                         struct script_arg *elements, uint32_t count) {
    scn_emit_number(program, value, &elements[count]);
    elements[count].member = SCRIPT_ELEMENT_SEED;
    return count + 1;
}

static uint32_t add_object(struct scn_program *program, const struct scn_value *value,
                           struct script_arg *elements) {
    const struct scn_value *offer = scn_member(value, "offer"), *seed = scn_member(value, "seed");
    const struct scn_value *bytes = scn_member(value, "bytes"), *data = scn_member(value, "data");
    uint32_t count = 0;

    for (const struct scn_value *one = value->first; one != NULL; one = one->next)
        if (one != offer && one != seed && one != bytes && one != data)
            scn_diagnose_value(program->build->diagnostics, one, true,
                               "unknown key \"%s\"; contents have offer, seed, data, bytes",
                               one->key);
    if (bytes != NULL) { /* first: what the content itself says comes later and is not found */
        scn_emit_number(program, bytes, &elements[count]);
        elements[count++].member = SCRIPT_ELEMENT_BYTES;
    }
    if ((offer != NULL) + (seed != NULL) + (data != NULL) != 1) {
        wrong(program, value);
    } else if (offer != NULL) {
        scn_emit_object(program, offer,
                        SCN_KIND(SCRIPT_MR) | SCN_KIND(SCRIPT_MW) | SCN_KIND(SCRIPT_LAM),
                        &elements[count]);
        elements[count++].member = SCRIPT_ELEMENT_OFFER;
        count = add_bytes(elements, count, sizeof(struct script_offer));
    } else if (data != NULL && data->type == SCN_STRING) {
        count = add_data(program, data, elements, count);
    } else if (seed != NULL) {
        count = add_seed(program, seed, elements, count);
    } else {
        wrong(program, value);
    }
    return count;
}

void scn_emit_pattern(struct scn_program *program, const struct scn_value *value,
                      struct script_arg *arg) {
    struct script_arg elements[ELEMENT_COUNT_MAX] = {{0}};
    const struct scn_value *bytes = scn_member(value, "bytes");
    uint32_t count = 0;

    if (value->type == SCN_STRING && strcmp(value->string, "none") == 0) {
        arg->kind = SCRIPT_ARG_NOTHING;
        return;
    }
    if (bytes != NULL && bytes->type == SCN_INTEGER &&
        (bytes->integer < 0 || bytes->integer > SCRIPT_PRIVATE_MAX) &&
        strcmp(value->key, "private_data") == 0)
        scn_diagnose_value(program->build->diagnostics, bytes, false,
                           "private data of %lld bytes; at most %u can be said here",
                           (long long)bytes->integer, SCRIPT_PRIVATE_MAX);
    if (value->type == SCN_OBJECT)
        count = add_object(program, value, elements);
    else if (value->type == SCN_STRING && value->string[0] != '$')
        count = add_data(program, value, elements, count);
    else
        count = add_bytes(elements, add_seed(program, value, elements, count), SEEDED_BYTES);
    scn_emit_list(program, elements, count, arg);
}

/* Token of an SGE's memory or mapping when none is said: of what covers it. */
static bool default_token(struct scn_program *program, const struct script_arg *of,
                          struct script_arg *arg) {
    const struct scn_name *name = of->value < program->objects.count
                                      ? scn_list_at(&program->objects, (uint32_t)of->value)
                                      : NULL;
    uint32_t wanted = name != NULL && name->kind == SCRIPT_LAM ? SCRIPT_PD : SCRIPT_MR;
    struct script_arg element = {.member = SCRIPT_ELEMENT_LOCAL, .kind = SCRIPT_ARG_OBJECT};
    uint32_t first = SCRIPT_NONE, found = SCRIPT_NONE;

    for (uint32_t i = 0; i < program->objects.count; i++) {
        const struct scn_name *one = scn_list_at(&program->objects, i);

        if (one->kind != wanted)
            continue;
        first = first == SCRIPT_NONE ? i : first;
        if (found == SCRIPT_NONE && wanted == SCRIPT_MR && one->memory == of->value)
            found = i;
    }
    element.value = found != SCRIPT_NONE ? found : first;
    if (element.value == SCRIPT_NONE)
        return false;
    scn_emit_list(program, &element, 1, arg);
    arg->member = SCRIPT_MEMBER_TOKEN;
    return true;
}

static uint32_t first_memory(const struct scn_program *program, const char *preferred) {
    uint32_t first = SCRIPT_NONE;

    for (uint32_t i = 0; i < program->objects.count; i++) {
        const struct scn_name *name = scn_list_at(&program->objects, i);

        if (name->kind != SCRIPT_MEMORY)
            continue;
        if (strcmp(name->text, preferred) == 0)
            return i;
        first = first == SCRIPT_NONE ? i : first;
    }
    return first;
}

uint32_t scn_complete_piece(struct scn_program *program, const struct scn_value *source,
                            uint32_t traits, struct script_arg *args, uint32_t count) {
    const struct script_arg *of = NULL;
    bool has_token = false;

    for (uint32_t i = 0; i < count; i++) {
        if (args[i].member == SCRIPT_MEMBER_MEMORY || args[i].member == SCRIPT_MEMBER_LAM)
            of = &args[i];
        if (args[i].member == SCRIPT_MEMBER_TOKEN)
            has_token = true;
    }
    if (of == NULL) {
        struct script_arg *memory = &args[count];

        memory->member = SCRIPT_MEMBER_MEMORY;
        memory->kind = SCRIPT_ARG_OBJECT;
        memory->value = first_memory(program, (traits & SCN_VERB_INITIATOR) != 0 ? "out" : "in");
        if (memory->value == SCRIPT_NONE) {
            scn_diagnose_value(program->build->diagnostics, source, false,
                               "\"memory\" is missing: the script allocates none");
            return count;
        }
        of = memory;
        count++;
    }
    if (!has_token && default_token(program, of, &args[count]))
        count++;
    return count;
}

static const uint16_t sge_members[] = {
    SCRIPT_MEMBER_MEMORY, SCRIPT_MEMBER_LAM,    SCRIPT_MEMBER_OFFSET, SCRIPT_MEMBER_BYTES,
    SCRIPT_MEMBER_TOKEN,  SCRIPT_MEMBER_REPEAT, SCRIPT_MEMBER_BASE};

static void emit_sge(struct scn_program *program, const struct scn_value *value, uint32_t traits,
                     struct script_arg *arg) {
    struct script_arg elements[16] = {{0}};
    uint32_t count = 0;

    arg->kind = SCRIPT_ARG_LIST;
    if (value->type != SCN_OBJECT) {
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "expected an SGE such as {\"memory\": \"out\", \"bytes\": 64}");
        return;
    }
    for (const struct scn_value *one = value->first; one != NULL; one = one->next) {
        size_t at = 0;

        while (at < SIM_ARRAY_COUNT(sge_members) &&
               strcmp(scn_member_kind(sge_members[at])->word, one->key) != 0)
            at++;
        if (at == SIM_ARRAY_COUNT(sge_members))
            scn_diagnose_value(
                program->build->diagnostics, one, true,
                "unknown key \"%s\"; an SGE has memory or lam, offset, bytes, token, "
                "repeat, base",
                one->key);
        else
            scn_emit_member(program, one, sge_members[at], traits, &elements[count++]);
    }
    count = scn_complete_piece(program, value, traits, elements, count);
    scn_emit_list(program, elements, count, arg);
    arg->member = SCRIPT_ELEMENT_SGE;
}

void scn_emit_sgl(struct scn_program *program, const struct scn_value *value, uint32_t traits,
                  struct script_arg *arg) {
    struct script_arg elements[SCRIPT_SGE_MAX] = {{0}};
    uint32_t count = 0;

    if (value->type == SCN_STRING && strcmp(value->string, "none") == 0) {
        arg->kind = SCRIPT_ARG_NOTHING;
        return;
    }
    if (value->type != SCN_ARRAY || value->count > SCRIPT_SGE_MAX) {
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "expected \"none\", or a list of at most %u SGEs", SCRIPT_SGE_MAX);
        return;
    }
    for (const struct scn_value *one = value->first; one != NULL; one = one->next)
        emit_sge(program, one, traits, &elements[count++]);
    scn_emit_list(program, elements, count, arg);
}
