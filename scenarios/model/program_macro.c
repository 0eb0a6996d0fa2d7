/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that stand for several, so that a case is short: "setup", "establish", "serve". What they
 * become is ordinary steps, which errors and failures show at the place of the macro.
 */
#include "model/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 2048u
/* More than a name has, and few enough for all texts below. */
#define NAME_BYTES_MAX 48u

static const char *const words[] = {"setup", "establish", "serve"};

bool scn_is_macro(const char *word) {
    for (size_t i = 0; i < SIM_ARRAY_COUNT(words); i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

const char *scn_macro_word(uint32_t index) {
    return index < SIM_ARRAY_COUNT(words) ? words[index] : NULL;
}

/* Everything below speaks of the macro's place. */
static void set_origin(struct scn_value *value, const struct scn_value *origin) {
    value->origin = origin->origin != NULL ? origin->origin : origin;
    for (struct scn_value *child = value->first; child != NULL; child = child->next)
        set_origin(child, origin);
}

static struct scn_value *parse(struct scn_program *program, const struct scn_value *step,
                               const char *format, ...) SIM_PRINTF(3, 4);

static struct scn_value *parse(struct scn_program *program, const struct scn_value *step,
                               const char *format, ...) {
    struct scn_document *document = program->build->document, *made;
    struct scn_value *copy;
    char text[TEXT_BYTES];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    SIM_ASSERT(length > 0 && (size_t)length < sizeof(text));
    made = scn_document_parse("macro", text, (size_t)length, program->build->diagnostics);
    SIM_ASSERT(made != NULL);
    scn_document_adopt(document, made);
    copy = scn_value_copy(document, made->root);
    set_origin(copy, step);
    return copy;
}

/* Adds the macro's own members to a step, where that step can have them. */
static void pass(struct scn_program *program, const struct scn_value *step, struct scn_value *made,
                 const char *const *keys, size_t count) {
    struct scn_document *document = program->build->document;

    for (size_t i = 0; i < count; i++) {
        const struct scn_value *member = scn_member(step, keys[i]);

        if (member != NULL)
            scn_value_put(document, made, keys[i], scn_value_copy(document, member));
    }
}

/* Appends the elements of a list; they belong to it no longer. */
static void append_all(struct scn_program *program, struct scn_value *list,
                       struct scn_value *elements) {
    struct scn_value *next;

    for (struct scn_value *one = elements->first; one != NULL; one = next) {
        next = one->next;
        scn_value_put(program->build->document, list, NULL, one);
    }
}

/* Text that can stand in what a macro becomes; what a name must look like is checked there. */
static bool can_stand(const char *text) {
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == '"' || *at == '\\')
            return false;
    return strlen(text) <= NAME_BYTES_MAX;
}

static const char *text_of(struct scn_program *program, const struct scn_value *step,
                           const char *key, const char *otherwise) {
    const struct scn_value *member = scn_member(step, key);

    if (member == NULL || member->type != SCN_STRING)
        return otherwise;
    if (can_stand(member->string))
        return member->string;
    scn_diagnose_value(program->build->diagnostics, member, false,
                       "\"%.60s\" is no name: letters, digits, - and _ only, at most 31",
                       member->string);
    return otherwise;
}

/* "all", true, or a list of what is wanted. */
static bool wants(const struct scn_value *what, const char *part) {
    if (what->type != SCN_ARRAY)
        return true;
    for (const struct scn_value *one = what->first; one != NULL; one = one->next)
        if (one->type == SCN_STRING && strcmp(one->string, part) == 0)
            return true;
    return false;
}

static void check_parts(struct scn_program *program, const struct scn_value *what) {
    static const struct scn_word parts[] = {{"pd", 0}, {"cq", 0},  {"qp", 0},
                                            {"in", 0}, {"out", 0}, {NULL, 0}};
    uint64_t ignored;

    for (const struct scn_value *one = what->type == SCN_ARRAY ? what->first : NULL; one != NULL;
         one = one->next)
        if (one->type != SCN_STRING)
            scn_diagnose_value(program->build->diagnostics, one, false, "expected a string, got %s",
                               scn_type_name(one->type));
        else
            scn_word_find(program, one, one->string, parts, "part of setup", &ignored);
}

static void expand_memory(struct scn_program *program, const struct scn_value *step,
                          struct scn_value *list, const char *name, const char *suffix) {
    static const char *const keys[] = {"bytes"};
    struct scn_value *made =
        parse(program, step,
              "[{\"allocate\": \"%s%s\", \"bytes\": \"64KiB\"}, {\"create_mr\": \"%s_mr%s\", "
              "\"pd\": \"pd%s\"}, {\"register_mr\": \"%s_mr%s\", \"memory\": \"%s%s\"}]",
              name, suffix, name, suffix, suffix, name, suffix, name, suffix);

    pass(program, step, made->first, keys, SIM_ARRAY_COUNT(keys));
    append_all(program, list, made);
}

static void expand_setup(struct scn_program *program, const struct scn_value *step,
                         struct scn_value *list) {
    static const char *const cq_keys[] = {"depth", "adapter"};
    static const char *const qp_keys[] = {"receive_depth", "initiator_depth", "receive_sge",
                                          "initiator_sge", "inline_bytes"};
    const struct scn_value *what = scn_member(step, "setup");
    const char *suffix = text_of(program, step, "suffix", "");
    struct scn_value *made;

    check_parts(program, what);
    if (wants(what, "pd"))
        append_all(program, list, parse(program, step, "[{\"create_pd\": \"pd%s\"}]", suffix));
    if (wants(what, "cq")) {
        made = parse(program, step, "[{\"create_cq\": \"cq%s\"}]", suffix);
        pass(program, step, made->first, cq_keys, SIM_ARRAY_COUNT(cq_keys));
        append_all(program, list, made);
    }
    if (wants(what, "qp")) {
        made =
            parse(program, step, "[{\"create_qp\": \"qp%s\", \"pd\": \"pd%s\", \"cq\": \"cq%s\"}]",
                  suffix, suffix, suffix);
        pass(program, step, made->first, qp_keys, SIM_ARRAY_COUNT(qp_keys));
        append_all(program, list, made);
    }
    if (wants(what, "out"))
        expand_memory(program, step, list, "out", suffix);
    if (wants(what, "in"))
        expand_memory(program, step, list, "in", suffix);
}

/* The private data that offers memory, as a member with its comma; "" for none. */
static const char *offer_of(struct scn_program *program, const struct scn_value *step, char *text,
                            size_t size) {
    const char *offer = text_of(program, step, "offer", program->offered);

    text[0] = '\0';
    if (offer != NULL && strcmp(offer, "none") != 0)
        snprintf(text, size, ", \"private_data\": {\"offer\": \"%s\"}", offer);
    return text;
}

static void expand_establish(struct scn_program *program, const struct scn_value *step,
                             struct scn_value *list) {
    static const char *const keys[] = {"qp",     "to",    "from", "inbound_reads", "outbound_reads",
                                       "within", "retry", "tries"};
    const char *retry = scn_member(step, "retry") == NULL ? ", \"retry\": \"1ms\"" : "";
    const char *name = text_of(program, step, "establish", "conn");
    const char *remote = text_of(program, step, "remote", "peer");
    struct scn_value *made;
    char offer[128];

    made =
        parse(program, step,
              "[{\"create_connector\": \"%s\"}, {\"connect\": \"%s\"%s%s}, "
              "{\"get_connection_data\": \"%s\", \"take\": \"%s\"}, "
              "{\"complete_connect\": \"%s\"}]",
              name, name, offer_of(program, step, offer, sizeof(offer)), retry, name, remote, name);
    pass(program, step, made->first->next, keys, SIM_ARRAY_COUNT(keys));
    append_all(program, list, made);
}

static void expand_serve(struct scn_program *program, const struct scn_value *step,
                         struct scn_value *list) {
    static const char *const listen_keys[] = {"address"};
    static const char *const create_keys[] = {"connector", "adapter"};
    static const char *const accept_keys[] = {"qp", "inbound_reads", "outbound_reads"};
    const char *name = text_of(program, step, "serve", "listener");
    struct scn_served *served = scn_list_add(&program->served);
    struct scn_value *made, *handler;
    char offer[128], key[64];

    made = parse(program, step,
                 "[{\"create_listener\": \"%s\", \"connector\": \"conn\"}, {\"listen\": \"%s\"}]",
                 name, name);
    pass(program, step, made->first, create_keys, SIM_ARRAY_COUNT(create_keys));
    pass(program, step, made->first->next, listen_keys, SIM_ARRAY_COUNT(listen_keys));
    append_all(program, list, made);
    handler = parse(program, step,
                    "[{\"get_connection_data\": \"it\", \"take\": \"%s\"}, "
                    "{\"accept\": \"it\", \"label\": \"accepted\", \"status\": \"any\"%s}]",
                    text_of(program, step, "remote", "peer"),
                    offer_of(program, step, offer, sizeof(offer)));
    pass(program, step, handler->first->next, accept_keys, SIM_ARRAY_COUNT(accept_keys));
    snprintf(key, sizeof(key), "connect %s", name);
    served->key = scn_document_keep(program->build->document, key);
    served->where = step;
    served->steps = handler;
}

static bool check_macro(struct scn_program *program, const struct scn_value *step,
                        const char *const *keys, size_t count) {
    static const char *const common[] = {"about", "at", "after", "offer", "remote"};
    uint32_t before = program->build->diagnostics->count;

    for (const struct scn_value *member = step->first; member != NULL; member = member->next) {
        bool known = false;

        for (size_t i = 0; i < count && !known; i++)
            known = strcmp(keys[i], member->key) == 0;
        for (size_t i = 0; i < SIM_ARRAY_COUNT(common) && !known; i++)
            known = strcmp(common[i], member->key) == 0;
        if (!known)
            scn_diagnose_value(program->build->diagnostics, member, true,
                               "\"%s\" does not go with \"%s\"", member->key, keys[0]);
    }
    return program->build->diagnostics->count == before;
}

static const char *const setup_keys[] = {
    "setup",         "suffix",          "bytes",       "depth",         "adapter",
    "receive_depth", "initiator_depth", "receive_sge", "initiator_sge", "inline_bytes"};
static const char *const establish_keys[] = {
    "establish", "qp", "to", "from", "inbound_reads", "outbound_reads", "within", "retry", "tries"};
static const char *const serve_keys[] = {"serve",   "address",       "connector",     "qp",
                                         "adapter", "inbound_reads", "outbound_reads"};

static bool expand_one(struct scn_program *program, const struct scn_value *step,
                       struct scn_value *list) {
    static const char *const times[] = {"at", "after"};
    struct scn_value *last = list->first, *first;

    while (last != NULL && last->next != NULL)
        last = last->next;
    if (scn_member(step, "setup") != NULL) {
        if (check_macro(program, step, setup_keys, SIM_ARRAY_COUNT(setup_keys)))
            expand_setup(program, step, list);
    } else if (scn_member(step, "establish") != NULL) {
        if (check_macro(program, step, establish_keys, SIM_ARRAY_COUNT(establish_keys)))
            expand_establish(program, step, list);
    } else if (scn_member(step, "serve") != NULL) {
        if (check_macro(program, step, serve_keys, SIM_ARRAY_COUNT(serve_keys)))
            expand_serve(program, step, list);
    } else {
        return false;
    }
    first = last != NULL ? last->next : list->first;
    if (first != NULL)
        pass(program, step, first, times, SIM_ARRAY_COUNT(times));
    return true;
}

static bool has_macro(const struct scn_value *steps) {
    for (const struct scn_value *step = steps->first; step != NULL; step = step->next)
        for (size_t i = 0; i < SIM_ARRAY_COUNT(words); i++)
            if (scn_member(step, words[i]) != NULL)
                return true;
    return false;
}

const struct scn_value *scn_expand(struct scn_program *program, const struct scn_value *steps) {
    struct scn_document *document = program->build->document;
    struct scn_expanded *entry;
    struct scn_value *list;

    if (steps->type != SCN_ARRAY || !has_macro(steps))
        return steps;
    for (uint32_t i = 0; i < program->expanded.count; i++) {
        entry = scn_list_at(&program->expanded, i);
        if (entry->from == steps)
            return entry->to;
    }
    list = scn_value_new(document, SCN_ARRAY);
    list->origin = steps->origin != NULL ? steps->origin : steps;
    list->parent = steps->parent;
    list->key = steps->key;
    for (const struct scn_value *step = steps->first; step != NULL; step = step->next)
        if (step->type != SCN_OBJECT || !expand_one(program, step, list))
            scn_value_put(document, list, NULL, scn_value_copy(document, step));
    entry = scn_list_add(&program->expanded);
    entry->from = steps;
    entry->to = list;
    return list;
}
