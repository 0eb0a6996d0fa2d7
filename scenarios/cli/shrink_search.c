/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another run with the same failure: random runs that leave the quiet way ever more rarely. What
 * was found in a thousand decisions is often found again in twenty, and those shrink well. The
 * decisions of a run come back from its process as flat bytes. See shrink_trial.h.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/shrink_trial.h"

#define DECISION_COUNT_MAX 2048u
#define TEXT_BYTES_MAX (512u << 10)
/* Rates are the scenario's, divided by 2^1 to 2^3 in turn. */
#define RARITIES 3u

struct flat_decision {
    enum sim_choice_kind kind;
    uint32_t ordinal;
    uint32_t topic; /* where the texts are */
    uint32_t subject;
    uint32_t label;
    uint64_t time_ns;
    uint64_t choice;
};

struct search {
    struct scn_trials trials;
    uint64_t run; /* the one that comes next */
    uint64_t end;
    size_t size_max;
    size_t count; /* of the run that was found */
    bool is_found;
    struct flat_decision decisions[DECISION_COUNT_MAX];
    uint32_t text_bytes;
    char texts[TEXT_BYTES_MAX];
};

/* ---- In the trials' process ---- */

static bool put(struct search *search, const char *text, uint32_t *at) {
    size_t bytes = strlen(text) + 1;

    if (bytes > TEXT_BYTES_MAX - search->text_bytes)
        return false;
    *at = search->text_bytes;
    memcpy(search->texts + search->text_bytes, text, bytes);
    search->text_bytes += (uint32_t)bytes;
    return true;
}

/* False when there are more than what they shall take the place of had. */
static bool flatten(const struct sim_world *world, struct search *search) {
    const struct sim_deviation *deviations = sim_deviations(world, &search->count);

    if (search->count > search->size_max || search->count > DECISION_COUNT_MAX)
        return false;
    search->text_bytes = 0;
    for (size_t i = 0; i < search->count; i++) {
        const struct sim_deviation *one = &deviations[i];
        struct flat_decision *flat = &search->decisions[i];

        *flat = (struct flat_decision){.kind = one->kind,
                                       .ordinal = one->ordinal,
                                       .time_ns = one->time_ns,
                                       .choice = one->choice};
        if (!put(search, one->topic, &flat->topic) || !put(search, one->subject, &flat->subject) ||
            !put(search, one->label, &flat->label))
            return false;
    }
    return true;
}

static uint32_t rarer(uint32_t ppm, uint64_t run) {
    uint32_t less = ppm >> (1 + run % RARITIES);

    return ppm != 0 && less == 0 ? 1 : less;
}

static void look(void *context, void *shared) {
    struct scn_shrink *shrink = context;
    const struct scn_scenario *scenario = shrink->session->scenario;
    struct search *search = shared;
    struct scn_outcome outcome;

    while (scn_trials_go_on(shrink, &search->trials)) {
        const struct sim_chooser_random_options random = {
            .step_ppm = rarer(scenario->explore_step_ppm, search->run),
            .other_ppm = rarer(scenario->explore_other_ppm, search->run),
        };

        /* Lives as long as this process: the world ends with it. */
        shrink->run.chooser = sim_chooser_random_create(&random);
        shrink->run.seed = search->run;
        search->is_found = scn_trial(shrink, &search->trials, &outcome) &&
                           flatten(shrink->session->machine->world, search);
        search->run++;
        search->trials.is_done = search->is_found || search->run == search->end;
    }
}

static void skip(struct scn_shrink *shrink, void *shared) {
    struct search *search = shared;

    (void)shrink;
    search->run++;
    search->trials.is_done = search->run == search->end;
}

/* ---- In this one ---- */

static void unflatten(const struct search *search, struct scn_decision_list *list) {
    list->count = search->count;
    list->deviations = calloc(search->count + 1, sizeof(*list->deviations));
    list->texts = malloc(search->text_bytes + 1);
    SIM_ASSERT(list->deviations != NULL && list->texts != NULL);
    memcpy(list->texts, search->texts, search->text_bytes);
    for (size_t i = 0; i < search->count; i++) {
        const struct flat_decision *flat = &search->decisions[i];

        list->deviations[i] = (struct sim_deviation){.kind = flat->kind,
                                                     .ordinal = flat->ordinal,
                                                     .topic = list->texts + flat->topic,
                                                     .subject = list->texts + flat->subject,
                                                     .label = list->texts + flat->label,
                                                     .time_ns = flat->time_ns,
                                                     .choice = flat->choice};
    }
}

bool scn_shrink_search(struct scn_shrink *shrink, uint64_t runs, struct scn_shrink *next) {
    static const struct scn_trial_act act = {look, skip};
    struct search *search = calloc(1, sizeof(*search));
    struct scn_decision_list list;
    uint64_t seed = shrink->run.seed;
    bool is_found;

    SIM_ASSERT(search != NULL);
    search->run = shrink->searched;
    search->end = shrink->searched + runs;
    search->size_max = shrink->list.count;
    scn_trials_run(shrink, &act, shrink, search, sizeof(*search));
    shrink->searched = search->run;
    is_found = search->is_found;
    if (is_found) {
        unflatten(search, &list);
        shrink->run.seed = search->run - 1;
        is_found = scn_shrink_learn(shrink, &list, next);
        shrink->run.seed = seed;
    }
    free(search);
    return is_found;
}
