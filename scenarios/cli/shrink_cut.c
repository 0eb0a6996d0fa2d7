/* SPDX-License-Identifier: Apache-2.0 */
/* See shrink_cut.h. A place in the scenario is a path of child numbers from the root. */
#include "cli/shrink_cut.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shrink_trial.h"

#define DEPTH_MAX 16u
#define PLACE_COUNT_MAX 512u

enum cut_kind {
    CUT_PART,   /* a node, a driver, a step, a fault */
    CUT_WORK,   /* an instruction of a script */
    CUT_NUMBER, /* of a registry */
    CUT_TIME,   /* of a step or fault */
    CUT_KIND_COUNT,
};

struct place {
    uint32_t path[DEPTH_MAX];
    uint32_t depth;
};

struct places {
    struct place found[PLACE_COUNT_MAX];
    size_t count;
};

struct cutting {
    struct scn_rerun *rerun;
    struct scn_shrink *shrink;
    struct scn_cuts *cuts;
    struct scn_document *now; /* the scenario so far */
    uint64_t events;          /* that its failing run has */
};

/* ---- Where to cut ---- */

static bool is_key(const struct scn_value *value, const char *key) {
    return value != NULL && value->key != NULL && strcmp(value->key, key) == 0;
}

static bool is_below(const struct scn_value *value, const char *key) {
    for (; value != NULL; value = value->parent)
        if (is_key(value, key))
            return true;
    return false;
}

static bool is_cut(const struct scn_value *value, enum cut_kind kind) {
    const struct scn_value *parent = value->parent;

    switch (kind) {
    case CUT_PART:
        return is_key(parent, "drivers") || is_key(parent, "steps") || is_key(parent, "faults") ||
               is_key(parent, "nodes");
    case CUT_WORK:
        return parent != NULL && parent->type == SCN_ARRAY && is_below(parent, "script");
    case CUT_NUMBER:
        return value->type == SCN_INTEGER && value->integer > 1 && is_key(parent, "registry");
    case CUT_TIME:
        return value->type == SCN_STRING && isdigit((unsigned char)value->string[0]) &&
               (is_key(value, "at") || is_key(value, "value") || is_key(value, "delay")) &&
               (is_below(parent, "steps") || is_below(parent, "faults"));
    case CUT_KIND_COUNT:
        break;
    }
    return false;
}

/* Parents before children: from the end on, what is found stays where it is. */
static void find(const struct scn_value *value, enum cut_kind kind, struct place *at,
                 struct places *places) {
    if (at->depth > 0 && is_cut(value, kind) && places->count < PLACE_COUNT_MAX)
        places->found[places->count++] = *at;
    if (at->depth == DEPTH_MAX)
        return;
    for (const struct scn_value *child = value->first; child != NULL; child = child->next) {
        at->path[at->depth++] = child->index;
        find(child, kind, at, places);
        at->depth--;
    }
}

static struct scn_value *value_at(struct scn_value *root, const struct place *place) {
    struct scn_value *value = root;

    for (uint32_t i = 0; i < place->depth; i++) {
        struct scn_value *child = value->first;

        while (child->index != place->path[i])
            child = child->next;
        value = child;
    }
    return value;
}

/* ---- Cuts ---- */

static void unlink_child(struct scn_value *child) {
    struct scn_value *parent = child->parent, **link = &parent->first;

    while (*link != child)
        link = &(*link)->next;
    *link = child->next;
    parent->count--;
    for (struct scn_value *after = child->next; after != NULL; after = after->next)
        after->index--;
}

/* "client" or "client.nic0" of node "client". */
static bool is_of_node(const struct scn_value *end, const char *node) {
    size_t length = strlen(node);

    return end->type == SCN_STRING && strncmp(end->string, node, length) == 0 &&
           (end->string[length] == '\0' || end->string[length] == '.');
}

/* The links that end at a node go with it. */
static void unlink_links(struct scn_value *root, const char *node) {
    struct scn_value *links = root->first, *next;

    while (links != NULL && !is_key(links, "links"))
        links = links->next;
    for (struct scn_value *link = links != NULL ? links->first : NULL; link != NULL; link = next) {
        const struct scn_value *ends = scn_member(link, "between");
        bool goes = false;

        next = link->next;
        for (const struct scn_value *end = ends != NULL ? ends->first : NULL; end != NULL;
             end = end->next)
            goes = goes || is_of_node(end, node);
        if (goes)
            unlink_child(link);
    }
}

/* "1204318ns" gives "1000000ns"; the caller's buffer. */
static void round_text(const char *text, char *rounded, size_t size) {
    snprintf(rounded, size, "%s", text);
    for (size_t i = 1; isdigit((unsigned char)rounded[i]); i++)
        rounded[i] = '0';
}

static void cut(struct scn_document *document, struct scn_value *value, enum cut_kind kind,
                int64_t number) {
    char rounded[64];

    switch (kind) {
    case CUT_PART:
    case CUT_WORK:
        if (is_key(value->parent, "nodes"))
            unlink_links(document->root, value->key);
        unlink_child(value);
        break;
    case CUT_NUMBER:
        value->integer = number;
        break;
    case CUT_TIME:
        round_text(value->string, rounded, sizeof(rounded));
        value->string = scn_document_keep(document, rounded);
        break;
    case CUT_KIND_COUNT:
        break;
    }
}

/* A copy of the scenario so far, as a document of its own. */
static struct scn_document *copy_of(const struct scn_document *now) {
    static struct scn_diagnostics diagnostics;
    struct scn_document *document;

    scn_diagnostics_init(&diagnostics);
    document = scn_document_parse(now->file, "{}", 2, &diagnostics);
    document->root = scn_value_copy(document, now->root);
    return document;
}

/* ---- Trials ---- */

struct attempt {
    struct scn_trials trials;
    bool recurs;
    uint64_t events;
    char end[SCN_OTHER_BYTES]; /* "": there was no run */
    unsigned char is_in[];     /* by decision */
};

struct candidate {
    struct cutting *cutting;
    struct scn_document *document;
    const unsigned char *is_in; /* by decision: those to run with */
};

/* The document becomes the session's; false when it is no scenario any more. */
static bool open_session(struct scn_rerun *rerun, struct scn_document *document,
                         struct scn_diagnostics *diagnostics) {
    struct scn_scenario *scenario =
        scn_scenario_build(document, rerun->record->scenario_file, diagnostics);

    if (scenario == NULL)
        return false;
    scn_record_use_modules(rerun->record, scenario);
    return scn_session_open(&rerun->session, &rerun->options, scenario);
}

static void attempt(void *context, void *shared) {
    static struct scn_diagnostics diagnostics;
    const struct candidate *candidate = context;
    struct scn_shrink *shrink = candidate->cutting->shrink;
    const struct scn_decision_list *list = &shrink->list;
    struct scn_trial_chooser *trial = scn_trial_chooser_create(list->deviations, list->count);
    struct attempt *attempt = shared;
    struct scn_outcome outcome;

    attempt->trials.is_done = true;
    /* What is wrong with a cut scenario is nobody's fault. */
    if (freopen("/dev/null", "w", stderr) == NULL)
        return;
    scn_diagnostics_init(&diagnostics);
    if (!open_session(candidate->cutting->rerun, candidate->document, &diagnostics))
        return;
    scn_trial_take(trial, shrink->anchors, candidate->is_in);
    shrink->run.chooser = scn_trial_chooser_base(trial);
    attempt->recurs = scn_trial(shrink, &attempt->trials, &outcome);
    attempt->events = outcome.event_count;
    scn_trial_end_text(shrink->session, &outcome, attempt->end, sizeof(attempt->end));
    for (size_t i = 0; i < list->count; i++)
        attempt->is_in[i] = list->deviations[i].used;
}

static void skip(struct scn_shrink *shrink, void *shared) {
    (void)shrink;
    (void)shared; /* it is done: there is one trial only */
}

/* One run of a document with some of the decisions; the caller frees. */
static struct attempt *run_document(struct cutting *cutting, struct scn_document *document,
                                    const unsigned char *is_in) {
    static const struct scn_trial_act act = {attempt, skip};
    struct candidate candidate = {cutting, document, is_in};
    size_t bytes = sizeof(struct attempt) + cutting->shrink->list.count;
    struct attempt *result = calloc(1, bytes);

    SIM_ASSERT(result != NULL);
    scn_trials_run(cutting->shrink, &act, &candidate, result, bytes);
    return result;
}

/* Verdicts about work that is not done; a cut may take away the work that it depends on. */
static bool is_of_work(const struct scn_shrink *shrink) {
    return shrink->aim->exit_code == SIM_VERDICT_STUCK ||
           shrink->aim->exit_code == SIM_VERDICT_EXPECTATION;
}

/*
 * A failure that needed decisions, and ends alike without any once something was cut, is another
 * one: its cause is what is not there any more.
 */
static bool needs_decisions(struct cutting *cutting, struct scn_document *document,
                            const char *end) {
    unsigned char *none = calloc(cutting->shrink->list.count + 1, 1);
    struct attempt *quiet;
    bool needs;

    SIM_ASSERT(none != NULL);
    quiet = run_document(cutting, document, none);
    needs = quiet->end[0] != '\0' && strcmp(quiet->end, end) != 0;
    free(quiet);
    free(none);
    return needs;
}

/* Takes the document's place when the failure comes with it; a number must make the run shorter. */
static bool try_document(struct cutting *cutting, struct scn_document *document,
                         enum cut_kind kind) {
    struct scn_shrink *shrink = cutting->shrink;
    struct attempt *result = run_document(cutting, document, shrink->is_in);
    bool stays;

    cutting->cuts->tried++;
    stays = result->recurs && (kind != CUT_NUMBER || result->events < cutting->events) &&
            (!is_of_work(shrink) || scn_shrink_size(shrink) == 0 ||
             needs_decisions(cutting, document, result->end));
    if (stays) {
        memcpy(shrink->is_in, result->is_in, shrink->list.count);
        cutting->events = result->events;
        cutting->cuts->made++;
        scn_document_free(cutting->now);
        cutting->now = document;
    } else {
        scn_document_free(document);
    }
    free(result);
    return stays;
}

static bool try_cut(struct cutting *cutting, const struct place *place, enum cut_kind kind,
                    int64_t number) {
    struct scn_document *document = copy_of(cutting->now);

    cut(document, value_at(document->root, place), kind, number);
    return try_document(cutting, document, kind);
}

static void cut_number(struct cutting *cutting, const struct place *place) {
    int64_t number = value_at(cutting->now->root, place)->integer;

    if (try_cut(cutting, place, CUT_NUMBER, 1))
        return;
    while (number > 3 && !scn_shrink_is_over(cutting->shrink->aim) &&
           try_cut(cutting, place, CUT_NUMBER, number / 2))
        number /= 2;
}

static void cut_time(struct cutting *cutting, const struct place *place) {
    const char *text = value_at(cutting->now->root, place)->string;
    char rounded[64];

    round_text(text, rounded, sizeof(rounded));
    if (strlen(text) < sizeof(rounded) && strcmp(text, rounded) != 0)
        (void)try_cut(cutting, place, CUT_TIME, 0);
}

static void cut_all(struct cutting *cutting, enum cut_kind kind) {
    struct places *places = calloc(1, sizeof(*places));
    struct place root = {.depth = 0};

    SIM_ASSERT(places != NULL);
    find(cutting->now->root, kind, &root, places);
    for (size_t i = places->count; i > 0 && !scn_shrink_is_over(cutting->shrink->aim); i--) {
        const struct place *place = &places->found[i - 1];

        if (kind == CUT_NUMBER)
            cut_number(cutting, place);
        else if (kind == CUT_TIME)
            cut_time(cutting, place);
        else
            (void)try_cut(cutting, place, kind, 0);
    }
    free(places);
}

bool scn_shrink_cut(struct scn_rerun *rerun, struct scn_shrink *shrink, struct scn_cuts *cuts) {
    static struct scn_diagnostics diagnostics;
    struct cutting cutting = {.rerun = rerun, .shrink = shrink, .cuts = cuts};

    cutting.now = copy_of(rerun->session.scenario->document);
    cutting.events = UINT64_MAX;
    /* A process has one world: this one's makes room. */
    scn_session_close(&rerun->session);
    /* As it is: how many events the failing run has. */
    (void)try_document(&cutting, copy_of(cutting.now), CUT_PART);
    cuts->made = 0;
    for (enum cut_kind kind = CUT_PART; kind < CUT_KIND_COUNT; kind++)
        cut_all(&cutting, kind);
    scn_diagnostics_init(&diagnostics);
    sim_run_interrupt_forget();
    return open_session(rerun, cutting.now, &diagnostics);
}
