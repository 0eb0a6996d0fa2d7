/* SPDX-License-Identifier: Apache-2.0 */
/* "script" of a driver: its threads, handlers and settings; see program.h. */
#include "model/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scn_list_free(struct scn_list *list) {
    free(list->data);
    *list = (struct scn_list){.element_bytes = list->element_bytes};
}

static void init(struct scn_program *program, struct scn_build *build,
                 const struct scn_driver *driver) {
    *program = (struct scn_program){
        .build = build,
        .driver = driver,
        .source = driver->script,
        .args = {.element_bytes = sizeof(struct script_arg)},
        .steps = {.element_bytes = sizeof(struct script_step)},
        .blocks = {.element_bytes = sizeof(struct script_block)},
        .threads = {.element_bytes = sizeof(struct scn_name)},
        .handlers = {.element_bytes = sizeof(struct script_handler)},
        .texts = {.element_bytes = 1},
        .objects = {.element_bytes = sizeof(struct scn_name)},
        .labels = {.element_bytes = sizeof(struct scn_name)},
        .variables = {.element_bytes = sizeof(struct scn_name)},
        .signals = {.element_bytes = sizeof(struct scn_name)},
        .locks = {.element_bytes = sizeof(struct scn_name)},
        .expanded = {.element_bytes = sizeof(struct scn_expanded)},
        .served = {.element_bytes = sizeof(struct scn_served)},
        .unload_block = SCRIPT_NONE,
        .adapter = SCRIPT_NONE,
        .own_adapter = SCN_NONE,
        .version = SCRIPT_VERSION_ANY,
        .thread_now = SCRIPT_NONE,
        .can_wait = true,
    };
}

static void deinit(struct scn_program *program) {
    struct scn_list *const lists[] = {&program->args,    &program->steps,    &program->blocks,
                                      &program->threads, &program->handlers, &program->texts,
                                      &program->objects, &program->labels,   &program->variables,
                                      &program->signals, &program->locks,    &program->expanded,
                                      &program->served};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(lists); i++)
        scn_list_free(lists[i]);
}

/* Calls `visit` with every object of the script that is a step, macros included. */
static void visit_steps(const struct scn_value *value, void *context,
                        void (*visit)(void *context, const struct scn_value *step)) {
    if (value == NULL)
        return;
    if (value->type == SCN_OBJECT)
        visit(context, value);
    for (const struct scn_value *child = value->first; child != NULL; child = child->next)
        visit_steps(child, context, visit);
}

struct survey {
    bool registers;
    bool opens;
    bool works;
    bool listens;
    const struct scn_value *setup; /* the first with memory to offer */
};

static bool names(const struct scn_value *list, const char *word) {
    for (const struct scn_value *one = list->type == SCN_ARRAY ? list->first : NULL; one != NULL;
         one = one->next)
        if (one->type == SCN_STRING && strcmp(one->string, word) == 0)
            return true;
    return list->type != SCN_ARRAY;
}

static void survey_step(void *context, const struct scn_value *step) {
    const struct scn_value *open = scn_member(step, "open_adapter");
    const struct scn_value *setup = scn_member(step, "setup");
    struct survey *survey = context;

    survey->registers |= scn_member(step, "wsk_register") != NULL;
    survey->opens |=
        open != NULL && open->type == SCN_STRING && strcmp(open->string, "adapter") == 0;
    survey->listens |=
        scn_member(step, "serve") != NULL || scn_member(step, "create_listener") != NULL;
    survey->works |= scn_member(step, "work_item") != NULL;
    if (survey->setup == NULL && setup != NULL && names(setup, "in"))
        survey->setup = step;
}

/* What the driver does by itself: register, open the node's first adapter. */
static void read_opening(struct scn_program *program, const struct survey *survey) {
    const struct scn_value *adapter = scn_member(program->source, "adapter");
    const struct scn_value *version = scn_member(program->source, "version");
    struct script_arg number = {0};

    for (uint32_t i = 0; i < program->build->scenario->adapter_count; i++)
        if (program->own_adapter == SCN_NONE &&
            program->build->scenario->adapters[i].node == program->driver->node)
            program->own_adapter = i;
    if (adapter != NULL && adapter->type == SCN_STRING) {
        program->own_adapter = scn_own_adapter(program, adapter->string);
        if (program->own_adapter == SCN_NONE)
            scn_diagnose_value(program->build->diagnostics, adapter, false,
                               "this node has no adapter \"%s\"", adapter->string);
    }
    if (version != NULL) {
        scn_emit_member(program, version, SCRIPT_MEMBER_VERSION, 0, &number);
        program->version = (uint32_t)number.value;
    }
    if (program->own_adapter != SCN_NONE)
        program->interface_index =
            scn_interface_index(program->build->scenario, program->own_adapter);
    if (!survey->registers)
        program->flags |= SCRIPT_FLAG_REGISTERS;
    if (!survey->registers && !survey->opens && program->own_adapter != SCN_NONE) {
        program->flags |= SCRIPT_FLAG_OPENS;
        program->adapter =
            scn_name_add(program, &program->objects, "adapter", SCRIPT_ADAPTER, program->source);
    }
}

/* Who listens has peers that still talk when its threads have ended. */
static void read_cleanup(struct scn_program *program, const struct survey *survey) {
    const char *when = scn_build_text(program->source, "cleanup");
    const struct scn_value *threads = scn_member(program->source, "threads");
    bool is_busy = survey->listens || threads == NULL || threads->count == 0;

    if (scn_member(program->source, "cleanup") != NULL && when == NULL)
        when = "never"; /* false */
    if (when == NULL)
        when = is_busy ? "at_unload" : "at_end";
    if (strcmp(when, "never") != 0)
        program->flags |= SCRIPT_FLAG_CLEANS;
    if (strcmp(when, "at_end") == 0)
        program->flags |= SCRIPT_FLAG_CLEANS_AT_END;
}

static void read_settings(struct scn_program *program) {
    const struct scn_value *unload = scn_member(program->source, "unload");
    const struct scn_value *suffix;
    struct survey survey = {0};
    char text[64];

    visit_steps(scn_member(program->source, "threads"), &survey, survey_step);
    visit_steps(scn_member(program->source, "on"), &survey, survey_step);
    if (survey.setup != NULL) {
        suffix = scn_member(survey.setup, "suffix");
        snprintf(text, sizeof(text), "in_mr%s",
                 suffix != NULL && suffix->type == SCN_STRING ? suffix->string : "");
        program->offered = scn_document_keep(program->build->document, text);
    }
    read_cleanup(program, &survey);
    if (unload != NULL && strcmp(unload->string, "at_once") == 0)
        program->flags |= SCRIPT_FLAG_UNLOADS_AT_ONCE;
    if (survey.works)
        program->flags |= SCRIPT_FLAG_WORKS;
    read_opening(program, &survey);
}

static void declare_all(struct scn_program *program) {
    const struct scn_value *threads = scn_member(program->source, "threads");
    const struct scn_value *on = scn_member(program->source, "on");

    for (const struct scn_value *one = threads != NULL ? threads->first : NULL; one != NULL;
         one = one->next) {
        struct scn_name *thread = scn_list_add(&program->threads);

        thread->text = one->key;
        program->thread_now = program->threads.count - 1;
        program->order_now = 0;
        scn_declare(program, one);
    }
    program->thread_now = SCRIPT_NONE;
    for (const struct scn_value *one = on != NULL ? on->first : NULL; one != NULL; one = one->next)
        scn_declare(program, one);
    for (uint32_t i = 0; i < program->served.count; i++)
        scn_declare(program, ((struct scn_served *)scn_list_at(&program->served, i))->steps);
}

static void emit_handler(struct scn_program *program, const struct scn_value *where,
                         const char *key, const struct scn_value *steps) {
    struct script_handler handler = {0};

    if (strcmp(key, "unload") == 0) {
        program->can_wait = true;
        program->unload_block = scn_emit_block(program, steps);
        return;
    }
    if (!scn_source_of(program, where, key, false, &handler.source, &handler.index))
        return;
    if (handler.source == SCRIPT_SOURCE_SIGNAL || handler.source == SCRIPT_SOURCE_THREAD) {
        scn_diagnose_value(program->build->diagnostics, where, true,
                           "\"%s\" is waited for, not handled", key);
        return;
    }
    for (uint32_t i = 0; i < program->handlers.count; i++) {
        const struct script_handler *other = scn_list_at(&program->handlers, i);

        if (other->source == handler.source && other->index == handler.index)
            scn_diagnose_value(program->build->diagnostics, where, false,
                               "\"%s\" has a handler already: \"serve\" brings its own", key);
    }
    program->can_wait = false;
    handler.block = scn_emit_block(program, steps);
    *(struct script_handler *)scn_list_add(&program->handlers) = handler;
}

static void emit_all(struct scn_program *program) {
    const struct scn_value *threads = scn_member(program->source, "threads");
    const struct scn_value *on = scn_member(program->source, "on");
    uint32_t index = 0;

    for (const struct scn_value *one = threads != NULL ? threads->first : NULL; one != NULL;
         one = one->next, index++) {
        program->thread_now = index;
        program->order_now = 0;
        program->can_wait = true;
        /* In the thread's record, "kind" is its block. */
        uint32_t block = scn_emit_block(program, one);
        ((struct scn_name *)scn_list_at(&program->threads, index))->kind = block;
    }
    program->thread_now = SCRIPT_NONE;
    for (const struct scn_value *one = on != NULL ? on->first : NULL; one != NULL; one = one->next)
        emit_handler(program, one, one->key, one);
    for (uint32_t i = 0; i < program->served.count; i++) {
        const struct scn_served *served = scn_list_at(&program->served, i);

        emit_handler(program, served->where, served->key, served->steps);
    }
}

void scn_build_program(struct scn_build *build, struct scn_driver *driver) {
    struct scn_program program;

    init(&program, build, driver);
    if (scn_member(driver->script, "threads") == NULL && scn_member(driver->script, "on") == NULL)
        scn_diagnose_value(build->diagnostics, driver->script, false,
                           "this script does nothing: it needs \"threads\" or \"on\"");
    read_settings(&program);
    declare_all(&program);
    if (build->diagnostics->count == 0)
        emit_all(&program);
    if (build->diagnostics->count == 0)
        scn_program_write(&program, driver);
    deinit(&program);
}
