/* SPDX-License-Identifier: Apache-2.0 */
/* See shrink_trial.h. */
#include "cli/shrink_trial.h"
#include "parse/complain.h"

#include <sim/host.h>
#include <stdlib.h>
#include <string.h>

/* Trials may take longer than the failure did, but not without end. */
#define PATIENCE_FACTOR 4u
#define PATIENCE_NS (10 * SIM_NS_PER_MS)

bool scn_shrink_is_over(const struct scn_shrink_aim *aim) {
    return sim_host_interrupted() || aim->trials >= aim->trials_max ||
           (aim->stop_wall_ns != 0 && sim_host_wall_ns() >= aim->stop_wall_ns);
}

bool scn_trials_go_on(const struct scn_shrink *shrink, const struct scn_trials *trials) {
    struct scn_shrink_aim now = *shrink->aim;

    now.trials += trials->count;
    return !trials->is_done && !sim_host_is_spent() && !scn_shrink_is_over(&now);
}

bool scn_trial(struct scn_shrink *shrink, struct scn_trials *trials, struct scn_outcome *outcome) {
    trials->count++;
    trials->is_running = true;
    scn_session_run(shrink->session, &shrink->run, outcome);
    trials->is_running = false;
    return (uint32_t)outcome->verdict == shrink->aim->exit_code &&
           outcome->signature == shrink->aim->signature;
}

void scn_trial_end_text(const struct scn_session *session, const struct scn_outcome *outcome,
                        char *text, size_t size) {
    if (outcome->until_reached)
        snprintf(text, size, "clean for as long as was looked");
    else if (outcome->first_finding != SIZE_MAX)
        snprintf(text, size, "%s",
                 sim_finding_at(session->machine->world, outcome->first_finding)->id);
    else
        snprintf(text, size, "%s",
                 outcome->verdict == SIM_VERDICT_HELD ? "clean"
                                                      : sim_verdict_name(outcome->verdict));
}

void scn_trials_run(struct scn_shrink *shrink, const struct scn_trial_act *act, void *context,
                    void *shared, size_t shared_bytes) {
    struct scn_trials *trials = shared;
    char death[64];

    while (!trials->is_done && !scn_shrink_is_over(shrink->aim)) {
        trials->count = 0;
        if (sim_host_apart(act->act, context, shared, shared_bytes, death, sizeof(death)) ==
            SIM_HOST_APART_REFUSED) {
            scn_complain("shrink: no process for a trial: %s", death);
            shrink->aim->trials_max = 0; /* that is it, then */
            trials->is_done = true;
        }
        /* A trial that killed its process is not the failure that is looked for. */
        if (trials->is_running && !sim_host_interrupted())
            act->skip(shrink, shared);
        trials->is_running = false;
        shrink->aim->trials += trials->count;
    }
}

/* ---- The first run of a list ---- */

struct lesson {
    struct scn_trials trials;
    bool recurs;
    uint64_t time_ns;
    uint64_t anchors[]; /* then a byte for each: it came up */
};

static void learn(void *context, void *shared) {
    struct scn_shrink *shrink = context;
    struct lesson *lesson = shared;
    const struct scn_decision_list *list = &shrink->list;
    struct scn_trial_chooser *trial = scn_trial_chooser_create(list->deviations, list->count);
    unsigned char *is_in = (unsigned char *)(lesson->anchors + list->count);
    struct scn_outcome outcome;

    scn_trial_learn(trial, lesson->anchors);
    shrink->run.chooser = scn_trial_chooser_base(trial);
    lesson->recurs = scn_trial(shrink, &lesson->trials, &outcome);
    lesson->time_ns = outcome.time_ns;
    for (size_t i = 0; i < list->count; i++)
        is_in[i] = list->deviations[i].used;
    lesson->trials.is_done = true;
}

static void give_up(struct scn_shrink *shrink, void *shared) {
    (void)shrink;
    ((struct scn_trials *)shared)->is_done = true;
}

/* A failure at the end of a run has no time of its own to be waited for. */
static void limit_time(struct scn_shrink *shrink, uint64_t failed_ns) {
    if (shrink->aim->exit_code != SIM_VERDICT_STUCK &&
        shrink->aim->exit_code != SIM_VERDICT_EXPECTATION &&
        failed_ns < shrink->run.until_ns / PATIENCE_FACTOR)
        shrink->run.until_ns = failed_ns * PATIENCE_FACTOR + PATIENCE_NS;
}

bool scn_shrink_learn(const struct scn_shrink *shrink, struct scn_decision_list *list,
                      struct scn_shrink *next) {
    static const struct scn_trial_act act = {learn, give_up};
    size_t bytes = sizeof(struct lesson) + list->count * (sizeof(uint64_t) + 1);
    struct lesson *lesson = calloc(1, bytes);
    bool recurs;

    SIM_ASSERT(lesson != NULL);
    *next = *shrink;
    next->list = *list;
    memset(list, 0, sizeof(*list));
    next->anchors = calloc(next->list.count + 1, sizeof(*next->anchors));
    next->is_in = calloc(next->list.count + 1, 1);
    SIM_ASSERT(next->anchors != NULL && next->is_in != NULL);
    scn_trials_run(next, &act, next, lesson, bytes);
    memcpy(next->anchors, lesson->anchors, next->list.count * sizeof(*next->anchors));
    memcpy(next->is_in, lesson->anchors + next->list.count, next->list.count);
    limit_time(next, lesson->time_ns);
    recurs = lesson->recurs;
    free(lesson);
    if (!recurs)
        scn_shrink_end(next);
    return recurs;
}

/* ---- Lists ---- */

static const char *put_text(char *texts, size_t *at, const char *text) {
    char *copy = texts + *at;

    *at += strlen(text) + 1;
    return strcpy(copy, text);
}

static void copy_list(struct scn_decision_list *list, const struct sim_deviation *deviations,
                      size_t count) {
    size_t bytes = 1, at = 0;

    for (size_t i = 0; i < count; i++)
        bytes += strlen(deviations[i].topic) + strlen(deviations[i].subject) +
                 strlen(deviations[i].label) + 3;
    list->count = count;
    list->deviations = calloc(count + 1, sizeof(*list->deviations));
    list->texts = malloc(bytes);
    SIM_ASSERT(list->deviations != NULL && list->texts != NULL);
    for (size_t i = 0; i < count; i++) {
        list->deviations[i] = deviations[i];
        list->deviations[i].topic = put_text(list->texts, &at, deviations[i].topic);
        list->deviations[i].subject = put_text(list->texts, &at, deviations[i].subject);
        list->deviations[i].label = put_text(list->texts, &at, deviations[i].label);
    }
}

bool scn_shrink_begin(struct scn_shrink *shrink, struct scn_shrink_aim *aim,
                      struct scn_session *session, const struct scn_run_options *run,
                      const struct sim_deviation *deviations, size_t count) {
    const struct scn_shrink start = {.aim = aim, .session = session, .run = *run};
    struct scn_decision_list list;

    copy_list(&list, deviations, count);
    return scn_shrink_learn(&start, &list, shrink);
}

void scn_shrink_last_run(struct scn_shrink *shrink, struct scn_outcome *outcome) {
    const struct scn_decision_list *list = &shrink->list;
    struct scn_trial_chooser *trial = scn_trial_chooser_create(list->deviations, list->count);

    shrink->last = scn_trial_chooser_base(trial);
    scn_trial_take(trial, shrink->anchors, shrink->is_in);
    shrink->run.chooser = shrink->last;
    sim_run_interrupt_forget();
    scn_session_run(shrink->session, &shrink->run, outcome);
}

/* After the session's end: its world has the last chooser. */
void scn_shrink_end(struct scn_shrink *shrink) {
    sim_chooser_destroy(shrink->last);
    shrink->last = NULL;
    free(shrink->list.deviations);
    free(shrink->list.texts);
    free(shrink->anchors);
    free(shrink->is_in);
    memset(&shrink->list, 0, sizeof(shrink->list));
    shrink->anchors = NULL;
    shrink->is_in = NULL;
}
