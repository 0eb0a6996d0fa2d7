/* SPDX-License-Identifier: Apache-2.0 */
/* The first pass: verbs and members of all steps, and the names that they make. */
#include "model/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *scn_list_add(struct scn_list *list) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity > 0 ? 2 * list->capacity : 32;
        list->data = realloc(list->data, (size_t)list->capacity * list->element_bytes);
        SIM_ASSERT(list->data != NULL);
    }
    memset(list->data + (size_t)list->count * list->element_bytes, 0, list->element_bytes);
    return scn_list_at(list, list->count++);
}

void *scn_list_at(const struct scn_list *list, uint32_t index) {
    return list->data + (size_t)index * list->element_bytes;
}

uint32_t scn_name_find(const struct scn_list *list, const char *text) {
    for (uint32_t i = 0; i < list->count; i++) {
        const struct scn_name *name = scn_list_at(list, i);

        if (strcmp(name->text, text) == 0)
            return i;
    }
    return SCRIPT_NONE;
}

uint32_t scn_name_add(struct scn_program *program, struct scn_list *list, const char *text,
                      uint32_t kind, const struct scn_value *where) {
    uint32_t index = scn_name_find(list, text);
    struct scn_name *name;

    if (index != SCRIPT_NONE)
        return index;
    if (list->count == SCN_NAME_COUNT_MAX) {
        scn_diagnose_value(program->build->diagnostics, where, false,
                           "more than %u names of one kind", SCN_NAME_COUNT_MAX);
        return 0;
    }
    name = scn_list_add(list);
    name->text = scn_document_keep(program->build->document, text);
    name->kind = kind;
    name->where = where;
    name->thread = program->thread_now;
    name->order = program->order_now;
    name->memory = SCRIPT_NONE;
    return list->count - 1;
}

static void say_no_verb(struct scn_program *program, const struct scn_value *step) {
    const struct scn_value *first = step->first;
    const char *words[SCRIPT_VERBS + 8], *nearest = NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < SCRIPT_VERBS; i++)
        words[count++] = scn_verb_at(i)->word;
    for (uint32_t i = 0; scn_macro_word(i) != NULL; i++)
        words[count++] = scn_macro_word(i);
    for (; first != NULL && nearest == NULL; first = first->next)
        nearest = scn_nearest(first->key, words, count);
    if (nearest != NULL)
        scn_diagnose_value(program->build->diagnostics, step, false,
                           "this step says nothing to do; did you mean \"%s\"?", nearest);
    else
        scn_diagnose_value(program->build->diagnostics, step, false,
                           "this step says nothing to do: it needs a verb, as in "
                           "{\"create_pd\": \"pd\"}");
}

uint32_t scn_verb_of(struct scn_program *program, const struct scn_value *step,
                     const struct scn_value **principal) {
    uint32_t found = SCRIPT_VERBS;

    *principal = NULL;
    if (step->type != SCN_OBJECT) {
        scn_diagnose_value(program->build->diagnostics, step, false, "expected object, got %s",
                           scn_type_name(step->type));
        return SCRIPT_VERBS;
    }
    for (const struct scn_value *member = step->first; member != NULL; member = member->next) {
        for (uint32_t i = 0; i < SCRIPT_VERBS; i++) {
            if (strcmp(scn_verb_at(i)->word, member->key) != 0)
                continue;
            if (*principal != NULL) {
                scn_diagnose_value(program->build->diagnostics, member, true,
                                   "\"%s\" and \"%s\" are two verbs; a step has one",
                                   (*principal)->key, member->key);
                return SCRIPT_VERBS;
            }
            *principal = member;
            found = i;
        }
    }
    if (*principal == NULL)
        say_no_verb(program, step);
    return found;
}

static bool takes(const struct scn_verb *verb, const char *key) {
    static const char *const common[] = {"about", "at", "after", "misuse"};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(common); i++)
        if (strcmp(common[i], key) == 0)
            return true;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(verb->members) && verb->members[i] != 0; i++)
        if (strcmp(scn_member_kind(verb->members[i])->word, key) == 0)
            return true;
    return false;
}

static void check_members(struct scn_program *program, const struct scn_value *step,
                          const struct scn_verb *verb, const struct scn_value *principal) {
    const char *words[48], *nearest;
    size_t count = 0;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(verb->members) && verb->members[i] != 0; i++)
        words[count++] = scn_member_kind(verb->members[i])->word;
    for (const struct scn_value *member = step->first; member != NULL; member = member->next) {
        if (member == principal || takes(verb, member->key))
            continue;
        nearest = scn_nearest(member->key, words, count);
        if (nearest != NULL)
            scn_diagnose_value(program->build->diagnostics, member, true,
                               "\"%s\" does not go with \"%s\"; did you mean \"%s\"?", member->key,
                               verb->word, nearest);
        else
            scn_diagnose_value(program->build->diagnostics, member, true,
                               "\"%s\" does not go with \"%s\"", member->key, verb->word);
    }
}

static uint32_t kind_of(uint32_t kinds) {
    uint32_t kind = 0;

    while ((kinds & SCN_KIND(kind)) == 0)
        kind++;
    return kind;
}

static bool check_name(struct scn_program *program, const struct scn_value *value) {
    static const char *const allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    if (value->type != SCN_STRING) {
        scn_diagnose_value(program->build->diagnostics, value, false, "expected a name, got %s",
                           scn_type_name(value->type));
        return false;
    }
    if (value->string[0] != '\0' && strlen(value->string) <= 31 &&
        strspn(value->string, allowed) == strlen(value->string) &&
        strcmp(value->string, "it") != 0 && strcmp(value->string, "none") != 0)
        return true;
    scn_diagnose_value(program->build->diagnostics, value, false,
                       "\"%s\" is no name: letters, digits, - and _ only, at most 31, and not "
                       "\"it\" or \"none\"",
                       value->string);
    return false;
}

static uint32_t declare_object(struct scn_program *program, const struct scn_value *value,
                               uint32_t kind) {
    struct scn_name *name;
    uint32_t index;

    if (!check_name(program, value))
        return SCRIPT_NONE;
    index = scn_name_add(program, &program->objects, value->string, kind, value);
    name = scn_list_at(&program->objects, index);
    if (name->kind != kind)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "\"%s\" is the name of a %s already", value->string,
                           scn_kind_word(name->kind));
    if (name->thread != program->thread_now)
        name->thread = SCRIPT_NONE;
    return index;
}

/* A list of names, or one. */
static void declare_objects(struct scn_program *program, const struct scn_value *value,
                            uint32_t kind) {
    uint32_t thread = program->thread_now;

    program->thread_now = SCRIPT_NONE; /* the event makes them, whenever that is */
    if (value->type == SCN_STRING)
        declare_object(program, value, kind);
    for (const struct scn_value *one = value->type == SCN_ARRAY ? value->first : NULL; one != NULL;
         one = one->next)
        declare_object(program, one, kind);
    program->thread_now = thread;
}

const char *scn_label_of(struct scn_program *program, const struct scn_value *step, uint32_t verb,
                         const struct scn_value *principal) {
    const struct scn_value *label = scn_member(step, "async");
    char text[96];

    if (label == NULL)
        label = scn_member(step, "label");
    if (label != NULL && label->type == SCN_STRING)
        return label->string;
    snprintf(text, sizeof(text), "%s %s", scn_verb_at(verb)->word,
             principal->type == SCN_STRING ? principal->string : "");
    if (principal->type != SCN_STRING)
        snprintf(text, sizeof(text), "%s", scn_verb_at(verb)->word);
    return scn_document_keep(program->build->document, text);
}

static void declare_principal(struct scn_program *program, const struct scn_verb *verb,
                              const struct scn_value *value) {
    switch (verb->principal) {
    case SCN_P_NEW:
        declare_object(program, value, kind_of(verb->kinds));
        break;
    case SCN_P_SIGNAL:
        if (check_name(program, value))
            scn_name_add(program, &program->signals, value->string, 0, value);
        break;
    case SCN_P_LOCK:
        if (check_name(program, value))
            scn_name_add(program, &program->locks, value->string, 0, value);
        break;
    case SCN_P_VARIABLE:
        if (check_name(program, value))
            scn_name_add(program, &program->variables, value->string, 0, value);
        break;
    case SCN_P_STEPS:
        scn_declare(program, value);
        break;
    default:
        break;
    }
}

static void declare_into(struct scn_program *program, const struct scn_value *into) {
    for (const struct scn_value *one = into->type == SCN_OBJECT ? into->first : NULL; one != NULL;
         one = one->next)
        if (check_name(program, one))
            scn_name_add(program, &program->variables, one->string, 0, one);
}

static void declare_members(struct scn_program *program, const struct scn_value *step) {
    const struct scn_value *connector = scn_member(step, "connector");
    const struct scn_value *take = scn_member(step, "take"), *into = scn_member(step, "into");
    const struct scn_value *index = scn_member(step, "index"), *of = scn_member(step, "of");
    static const char *const blocks[] = {"then", "steps", "else"};

    if (connector != NULL)
        declare_objects(program, connector, SCRIPT_CONNECTOR);
    if (take != NULL && scn_member(step, "get_connection_data") != NULL)
        declare_object(program, take, SCRIPT_REMOTE);
    if (into != NULL)
        declare_into(program, into);
    if (index != NULL && check_name(program, index))
        scn_name_add(program, &program->variables, index->string, 0, index);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(blocks); i++)
        if (scn_member(step, blocks[i]) != NULL)
            scn_declare(program, scn_member(step, blocks[i]));
    for (const struct scn_value *one = of != NULL && of->type == SCN_OBJECT ? of->first : NULL;
         one != NULL; one = one->next)
        scn_declare(program, one);
}

static uint32_t first_of(const struct scn_program *program, uint32_t kind) {
    for (uint32_t i = 0; i < program->objects.count; i++)
        if (((struct scn_name *)scn_list_at(&program->objects, i))->kind == kind)
            return i;
    return SCRIPT_NONE;
}

/* The object that a member names; the first of its kind when it names none. */
static uint32_t named(const struct scn_program *program, const struct scn_value *step,
                      const char *key, uint32_t kind) {
    const struct scn_value *member = scn_member(step, key);

    if (member == NULL)
        return first_of(program, kind);
    return member->type == SCN_STRING ? scn_name_find(&program->objects, member->string)
                                      : SCRIPT_NONE;
}

/* What an MR or a mapping covers: an SGE that names the memory finds its token by that. */
static void declare_cover(struct scn_program *program, const struct scn_value *step,
                          const struct scn_value *principal, bool of_lam) {
    uint32_t index, of;

    if (principal->type != SCN_STRING)
        return;
    index = scn_name_find(&program->objects, principal->string);
    of = of_lam ? named(program, step, "lam", SCRIPT_LAM)
                : named(program, step, "memory", SCRIPT_MEMORY);
    if (of_lam && of != SCRIPT_NONE)
        of = ((struct scn_name *)scn_list_at(&program->objects, of))->memory;
    if (index != SCRIPT_NONE)
        ((struct scn_name *)scn_list_at(&program->objects, index))->memory = of;
}

static void declare_step(struct scn_program *program, const struct scn_value *step) {
    const struct scn_value *principal;
    uint32_t number = scn_verb_of(program, step, &principal);
    const struct scn_verb *verb;

    if (number == SCRIPT_VERBS)
        return;
    verb = scn_verb_at(number);
    program->order_now++;
    check_members(program, step, verb, principal);
    declare_principal(program, verb, principal);
    declare_members(program, step);
    if (number == SCRIPT_VERB_REGISTER_MR || number == SCRIPT_VERB_BUILD_LAM ||
        number == SCRIPT_VERB_FAST_REGISTER)
        declare_cover(program, step, principal, number == SCRIPT_VERB_FAST_REGISTER);
    if ((verb->traits & (SCN_VERB_CALL | SCN_VERB_POST | SCN_VERB_LABEL)) != 0)
        scn_name_add(program, &program->labels, scn_label_of(program, step, number, principal), 0,
                     step);
}

void scn_declare(struct scn_program *program, const struct scn_value *steps) {
    if (steps->type != SCN_ARRAY) {
        scn_diagnose_value(program->build->diagnostics, steps, false,
                           "expected an array of steps, got %s", scn_type_name(steps->type));
        return;
    }
    if (program->depth == SCRIPT_DEPTH_MAX) {
        scn_diagnose_value(program->build->diagnostics, steps, false,
                           "steps within steps more than %u deep", SCRIPT_DEPTH_MAX);
        return;
    }
    program->depth++;
    steps = scn_expand(program, steps);
    for (const struct scn_value *step = steps->first; step != NULL; step = step->next) {
        if (program->order_now == SCN_STEP_COUNT_MAX) {
            scn_diagnose_value(program->build->diagnostics, step, false, "more than %u steps",
                               SCN_STEP_COUNT_MAX);
            break;
        }
        declare_step(program, step);
    }
    program->depth--;
}
