/* SPDX-License-Identifier: Apache-2.0 */
/* The second pass: steps become verbs with arguments, what is left out gets its default. */
#include "model/program.h"

#include <stdio.h>
#include <string.h>

#define ARG_COUNT_MAX 64u
#define PLACE_BYTES 64u
#define IRQL_MAX 15

struct emitted {
    struct script_arg args[ARG_COUNT_MAX];
    uint32_t count;
};

static bool has(const struct emitted *emitted, uint32_t member) {
    for (uint32_t i = 0; i < emitted->count; i++)
        if (emitted->args[i].member == member)
            return true;
    return false;
}

static bool takes(const struct scn_verb *verb, uint32_t member) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(verb->members) && verb->members[i] != 0; i++)
        if (verb->members[i] == member)
            return true;
    return false;
}

/* A topic of choices and traces: "script.what". */
static void emit_topic(struct scn_program *program, const struct scn_value *value,
                       struct script_arg *arg) {
    char text[96];

    arg->kind = SCRIPT_ARG_TEXT;
    if (value->type != SCN_STRING || value->string[0] == '\0' || strlen(value->string) > 60 ||
        strchr(value->string, ' ') != NULL) {
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "expected a name of at most 60 characters without blanks");
        return;
    }
    snprintf(text, sizeof(text), "script.%s", value->string);
    arg->value = scn_emit_text(program, text);
}

/* A number that stands there; what a variable holds is known when the step runs. */
static void check_literal(struct scn_program *program, const struct scn_value *value, int64_t most,
                          const char *what) {
    if (value->type == SCN_INTEGER && (value->integer < 0 || value->integer > most))
        scn_diagnose_value(program->build->diagnostics, value, false, "%lld is no %s; 0 to %lld",
                           (long long)value->integer, what, (long long)most);
}

static void emit_irql(struct scn_program *program, const struct scn_value *value,
                      struct script_arg *arg) {
    arg->kind = SCRIPT_ARG_NUMBER;
    if (value->type == SCN_STRING && value->string[0] != '$')
        scn_word_find(program, value, value->string, scn_irql_words(), "IRQL", &arg->value);
    else
        scn_emit_number(program, value, arg);
    check_literal(program, value, IRQL_MAX, "IRQL");
}

static void emit_cpu(struct scn_program *program, const struct scn_value *value,
                     struct script_arg *arg) {
    const struct scn_scenario *scenario = program->build->scenario;

    scn_emit_number(program, value, arg);
    check_literal(program, value, scenario->nodes[program->driver->node].cpu_count - 1,
                  "processor of this node");
}

static void emit_name(const struct scn_list *list, const struct scn_value *value,
                      struct script_arg *arg) {
    arg->kind = SCRIPT_ARG_NAME;
    arg->value = value->type == SCN_STRING ? scn_name_find(list, value->string) : SCRIPT_NONE;
}

static void emit_text(struct scn_program *program, const struct scn_value *value,
                      struct script_arg *arg) {
    arg->kind = SCRIPT_ARG_TEXT;
    if (value->type == SCN_STRING)
        arg->value = scn_emit_text(program, value->string);
    else
        scn_diagnose_value(program->build->diagnostics, value, false, "expected a text, got %s",
                           scn_type_name(value->type));
}

static void emit_elsewhere(struct scn_program *program, const struct scn_value *value,
                           uint32_t number, struct script_arg *arg) {
    bool can_wait = program->can_wait;
    uint32_t thread = program->thread_now;

    program->can_wait = number == SCRIPT_VERB_WORK_ITEM;
    program->thread_now = SCRIPT_NONE;
    arg->kind = SCRIPT_ARG_BLOCK;
    arg->value = scn_emit_block(program, value);
    program->can_wait = can_wait;
    program->thread_now = thread;
}

static void emit_principal(struct scn_program *program, const struct scn_value *value,
                           uint32_t number, struct script_arg *arg) {
    const struct scn_verb *verb = scn_verb_at(number);

    switch (verb->principal) {
    case SCN_P_NEW:
    case SCN_P_OBJECT:
        scn_emit_object(program, value, verb->kinds, arg);
        break;
    case SCN_P_SOURCES:
        scn_emit_sources(program, value, number == SCRIPT_VERB_EXPECT_NONE, arg);
        break;
    case SCN_P_CONDITION:
        scn_emit_condition(program, value, arg);
        break;
    case SCN_P_CPU:
        emit_cpu(program, value, arg);
        break;
    case SCN_P_NUMBER:
        scn_emit_number(program, value, arg);
        break;
    case SCN_P_TIME:
        scn_emit_time(program, value, arg);
        break;
    case SCN_P_TEXT:
        emit_text(program, value, arg);
        break;
    case SCN_P_STEPS:
        emit_elsewhere(program, value, number, arg);
        break;
    case SCN_P_TRUE:
        if (value->type != SCN_BOOLEAN || !value->boolean)
            scn_diagnose_value(program->build->diagnostics, value, false, "expected true");
        break;
    case SCN_P_SIGNAL:
        emit_name(&program->signals, value, arg);
        break;
    case SCN_P_LOCK:
        emit_name(&program->locks, value, arg);
        break;
    case SCN_P_VARIABLE:
        emit_name(&program->variables, value, arg);
        break;
    case SCN_P_IRQL:
        emit_irql(program, value, arg);
        break;
    case SCN_P_TOPIC:
        emit_topic(program, value, arg);
        break;
    }
    arg->member = SCRIPT_MEMBER_OBJECT;
}

static uint32_t first_of(const struct scn_program *program, uint32_t kind) {
    for (uint32_t i = 0; i < program->objects.count; i++)
        if (((struct scn_name *)scn_list_at(&program->objects, i))->kind == kind)
            return i;
    return SCRIPT_NONE;
}

/* Members that name an object and have a default: the first of its kind that the script makes. */
static const struct {
    uint16_t member;
    uint16_t kind;
    bool is_needed;
} defaults[] = {
    {SCRIPT_MEMBER_ADAPTER, SCRIPT_ADAPTER, false},
    {SCRIPT_MEMBER_PD, SCRIPT_PD, true},
    {SCRIPT_MEMBER_QP, SCRIPT_QP, true},
    {SCRIPT_MEMBER_SRQ, SCRIPT_SRQ, true},
    {SCRIPT_MEMBER_MR, SCRIPT_MR, true},
    {SCRIPT_MEMBER_LAM, SCRIPT_LAM, true},
    {SCRIPT_MEMBER_MEMORY, SCRIPT_MEMORY, true},
    {SCRIPT_MEMBER_REMOTE, SCRIPT_REMOTE, false},
    {SCRIPT_MEMBER_ENDPOINT, SCRIPT_SHARED_ENDPOINT, true},
    {SCRIPT_MEMBER_WSK, SCRIPT_WSK, false},
    {SCRIPT_MEMBER_CQ, SCRIPT_CQ, true},
};

static bool wants_default(const struct emitted *emitted, const struct scn_verb *verb,
                          uint32_t number, uint32_t member) {
    bool is_post = takes(verb, SCRIPT_MEMBER_SGL);

    if (!takes(verb, member) || has(emitted, member) || number == SCRIPT_VERB_EXPECT_RESULT)
        return false;
    if (member == SCRIPT_MEMBER_CQ)
        return !has(emitted, SCRIPT_MEMBER_RECEIVE_CQ) || !has(emitted, SCRIPT_MEMBER_INITIATOR_CQ);
    /* Pieces of memory have rules of their own. */
    return !is_post || (member != SCRIPT_MEMBER_MEMORY && member != SCRIPT_MEMBER_LAM);
}

static void add_defaults(struct scn_program *program, const struct scn_value *step, uint32_t number,
                         struct emitted *emitted) {
    const struct scn_verb *verb = scn_verb_at(number);

    for (size_t i = 0; i < SIM_ARRAY_COUNT(defaults); i++) {
        struct script_arg *arg = &emitted->args[emitted->count];
        uint32_t index = first_of(program, defaults[i].kind);

        if (!wants_default(emitted, verb, number, defaults[i].member))
            continue;
        if (index == SCRIPT_NONE && defaults[i].is_needed)
            scn_diagnose_value(program->build->diagnostics, step, false,
                               "\"%s\" is missing: the script makes none",
                               scn_member_kind(defaults[i].member)->word);
        if (index == SCRIPT_NONE)
            continue;
        *arg = (struct script_arg){defaults[i].member, SCRIPT_ARG_OBJECT, 0, index};
        emitted->count++;
    }
}

static uint32_t family_of(const struct scn_program *program, const struct emitted *emitted) {
    for (uint32_t i = 0; i < emitted->count; i++)
        if (emitted->args[i].member == SCRIPT_MEMBER_TO &&
            emitted->args[i].kind == SCRIPT_ARG_LIST && emitted->args[i].count > 0)
            return (uint32_t)((struct script_arg *)scn_list_at(&program->args,
                                                               (uint32_t)emitted->args[i].value))
                ->value;
    return 0;
}

static void add_addresses(struct scn_program *program, const struct scn_value *step,
                          uint32_t number, struct emitted *emitted) {
    const struct scn_verb *verb = scn_verb_at(number);
    struct script_arg *arg;

    if (takes(verb, SCRIPT_MEMBER_TO) && !has(emitted, SCRIPT_MEMBER_TO)) {
        arg = &emitted->args[emitted->count++];
        scn_emit_peer_address(program, step, arg);
        arg->member = SCRIPT_MEMBER_TO;
    }
    if (takes(verb, SCRIPT_MEMBER_FROM) && !has(emitted, SCRIPT_MEMBER_FROM)) {
        arg = &emitted->args[emitted->count++];
        scn_emit_own_address(program, family_of(program, emitted), 0, arg);
        arg->member = SCRIPT_MEMBER_FROM;
    }
    if ((number == SCRIPT_VERB_LISTEN || number == SCRIPT_VERB_CREATE_SHARED_ENDPOINT) &&
        !has(emitted, SCRIPT_MEMBER_ADDRESS)) {
        arg = &emitted->args[emitted->count++];
        scn_emit_own_address(program, 0, number == SCRIPT_VERB_LISTEN ? SCN_PORT_DEFAULT : 0, arg);
        arg->member = SCRIPT_MEMBER_ADDRESS;
    }
}

static void emit_members(struct scn_program *program, const struct scn_value *step,
                         const struct scn_value *principal, uint32_t number,
                         struct emitted *emitted) {
    const struct scn_verb *verb = scn_verb_at(number);

    for (const struct scn_value *member = step->first; member != NULL; member = member->next) {
        for (uint32_t i = 1; i < SCRIPT_MEMBERS && emitted->count < ARG_COUNT_MAX - 8; i++) {
            if (member == principal || strcmp(scn_member_kind(i)->word, member->key) != 0)
                continue;
            if (i == SCRIPT_MEMBER_MISUSE)
                continue;
            scn_emit_member(program, member, i, verb->traits, &emitted->args[emitted->count]);
            if (i == SCRIPT_MEMBER_VERSION && number != SCRIPT_VERB_OPEN_ADAPTER &&
                (emitted->args[emitted->count].value & SCRIPT_VERSION_OR_2) != 0)
                scn_diagnose_value(program->build->diagnostics, member, false,
                                   "\"+\" is for adapters that are opened");
            emitted->args[emitted->count++].member = (uint16_t)i;
        }
    }
}

static void check_waiting(struct scn_program *program, const struct scn_value *step,
                          uint32_t number, bool is_misuse) {
    bool waits = (scn_verb_at(number)->traits & SCN_VERB_WAITS) != 0 ||
                 scn_member(step, "for") != NULL || scn_member(step, "at") != NULL ||
                 scn_member(step, "after") != NULL;

    if (waits && !program->can_wait && !is_misuse)
        scn_diagnose_value(program->build->diagnostics, step, false,
                           "a step that waits, where nothing may wait (a handler, \"then\", a DPC, "
                           "a raised IRQL, a lock); one that does so on purpose says \"misuse\": "
                           "true");
}

/* "threads.main[4]" of "$.nodes.client.drivers[0].script.threads.main[4]". */
static const char *path_of(const struct scn_value *step, char *buffer, size_t size) {
    const char *within;

    scn_value_path(step->origin != NULL ? step->origin : step, buffer, size);
    within = strstr(buffer, ".script.");
    return within != NULL ? within + 8 : buffer;
}

/*
 * "case.json:12": without folders and of one size, so that a run is the same wherever its scenario
 * lies and under whatever name, in a record too: a longer program would be a larger block of pool.
 */
static uint32_t emit_place(struct scn_program *program, const struct scn_value *step) {
    const char *place = scn_build_place(program->build, step), *slash = strrchr(place, '/');
    size_t bytes;
    uint32_t at;

    place = slash != NULL ? slash + 1 : place;
    if (strlen(place) >= PLACE_BYTES)
        place += strlen(place) - (PLACE_BYTES - 1);
    at = scn_emit_text(program, place);
    for (bytes = strlen(place) + 1; bytes < PLACE_BYTES; bytes++)
        scn_emit_text(program, "");
    return at;
}

static void finish_step(struct scn_program *program, const struct scn_value *step,
                        const struct scn_value *principal, uint32_t number, struct emitted *emitted,
                        struct script_step *made) {
    const struct scn_verb *verb = scn_verb_at(number);
    struct script_arg list;
    char path[1024];

    scn_emit_list(program, emitted->args, emitted->count, &list);
    made->verb = (uint16_t)number;
    made->arg_first = (uint32_t)list.value;
    made->arg_count = (uint16_t)list.count;
    made->path = scn_emit_text(program, path_of(step, path, sizeof(path)));
    made->place = emit_place(program, step);
    if ((verb->traits & (SCN_VERB_CALL | SCN_VERB_POST | SCN_VERB_LABEL)) != 0)
        made->label =
            scn_name_find(&program->labels, scn_label_of(program, step, number, principal));
}

static void emit_step(struct scn_program *program, const struct scn_value *step,
                      struct script_step *made) {
    const struct scn_value *misuse = scn_member(step, "misuse"), *principal;
    uint32_t number = scn_verb_of(program, step, &principal);
    struct emitted emitted = {{{0}}, 0};
    bool can_wait = program->can_wait;

    program->order_now++;
    made->is_misuse = misuse != NULL && misuse->type == SCN_BOOLEAN && misuse->boolean;
    check_waiting(program, step, number, made->is_misuse);
    emit_principal(program, principal, number, &emitted.args[emitted.count++]);
    if (number == SCRIPT_VERB_LOCK || (number == SCRIPT_VERB_IRQL && emitted.args[0].value != 0))
        program->can_wait = false;
    emit_members(program, step, principal, number, &emitted);
    program->can_wait = can_wait;
    add_defaults(program, step, number, &emitted);
    add_addresses(program, step, number, &emitted);
    if (takes(scn_verb_at(number), SCRIPT_MEMBER_SGL) && !has(&emitted, SCRIPT_MEMBER_SGL))
        emitted.count = scn_complete_piece(program, step, scn_verb_at(number)->traits, emitted.args,
                                           emitted.count);
    finish_step(program, step, principal, number, &emitted, made);
}

uint32_t scn_emit_block(struct scn_program *program, const struct scn_value *steps) {
    struct scn_list made = {.element_bytes = sizeof(struct script_step)};
    struct script_block *block;
    uint32_t first;

    steps = scn_expand(program, steps);
    for (const struct scn_value *step = steps->first; step != NULL; step = step->next) {
        struct script_step one = {0};

        emit_step(program, step, &one);
        *(struct script_step *)scn_list_add(&made) = one;
    }
    first = program->steps.count;
    for (uint32_t i = 0; i < made.count; i++)
        *(struct script_step *)scn_list_add(&program->steps) =
            *(struct script_step *)scn_list_at(&made, i);
    scn_list_free(&made);
    block = scn_list_add(&program->blocks);
    block->step_first = first;
    block->step_count = steps->count;
    return program->blocks.count - 1;
}
