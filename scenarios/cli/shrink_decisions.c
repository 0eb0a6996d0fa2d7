/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delta debugging over decisions: pieces of half the list are left out, then of a quarter, down to
 * single ones, which go round until none can be left out. What did not come up in a trial that
 * reached its aim goes, too.
 *
 * A run with many deviations has made its own way to the failure: whatever is left out, the rest no
 * longer fits. There a random half of the list has better prospects than all but a piece of it
 * (the same failure comes at another place), and a new run, found by rare deviations, better ones
 * still. So pieces stay large while much is left. See shrink.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim/host.h>

#include "cli/shrink_trial.h"

#define PIECES_COARSE 16u
#define THIN_TRIALS 24u
#define SEARCH_RUNS 300u
#define SEARCHES_MAX 3u

struct rounds {
    struct scn_trials trials;
    size_t piece_min; /* the end is reached when pieces would be smaller */
    size_t piece;     /* decisions that are left out at once */
    size_t at;        /* how many of the last ones that are in have had their turn */
    uint64_t thin;    /* not 0: trials so far that leave out random ones */
    bool has_moved;
    unsigned char is_in[]; /* by decision */
};

static size_t count_in(const unsigned char *is_in, size_t count) {
    size_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += is_in[i];
    return sum;
}

size_t scn_shrink_size(const struct scn_shrink *shrink) {
    return count_in(shrink->is_in, shrink->list.count);
}

/* The list without the piece that ends `at` before its end. */
static void leave_piece_out(const struct rounds *rounds, size_t count, unsigned char *is_in) {
    size_t behind = 0;

    memcpy(is_in, rounds->is_in, count);
    for (size_t i = count; i > 0; i--) {
        if (is_in[i - 1] == 0)
            continue;
        if (behind >= rounds->at && behind < rounds->at + rounds->piece)
            is_in[i - 1] = 0;
        behind++;
    }
}

/* Half of them, in the second half of the trials a quarter. */
static void leave_random_out(const struct rounds *rounds, size_t count, unsigned char *is_in) {
    uint64_t mask = rounds->thin <= THIN_TRIALS / 2 ? 1 : 3;

    for (size_t i = 0; i < count; i++) {
        uint64_t draw = sim_hash_mix(sim_hash_mix(UINT64_C(0x7468696E), rounds->thin), i) >> 32;

        is_in[i] = rounds->is_in[i] != 0 && (draw & mask) != 0;
    }
}

/* After a turn: the next piece, the next round, or the end. */
static void next_piece(struct rounds *rounds, size_t count, bool was_left_out) {
    size_t left = count_in(rounds->is_in, count);

    if (was_left_out)
        rounds->has_moved = true;
    else
        rounds->at += rounds->piece;
    if (rounds->at < left)
        return;
    rounds->trials.is_done =
        left == 0 || (rounds->piece <= rounds->piece_min && !rounds->has_moved);
    if (rounds->piece > rounds->piece_min)
        rounds->piece = (rounds->piece + 1) / 2;
    if (rounds->piece > left && left > 0)
        rounds->piece = left;
    rounds->at = 0;
    rounds->has_moved = false;
}

static void go_on(struct rounds *rounds, size_t count, bool was_left_out) {
    if (rounds->thin == 0)
        next_piece(rounds, count, was_left_out);
    else
        rounds->trials.is_done = was_left_out || rounds->thin++ == THIN_TRIALS;
}

static void skip(struct scn_shrink *shrink, void *shared) {
    go_on(shared, shrink->list.count, false);
}

static void make_trials(void *context, void *shared) {
    struct scn_shrink *shrink = context;
    const struct scn_decision_list *list = &shrink->list;
    struct rounds *rounds = shared;
    struct scn_trial_chooser *trial = scn_trial_chooser_create(list->deviations, list->count);
    unsigned char *is_in = calloc(list->count + 1, 1);
    struct scn_outcome outcome;

    SIM_ASSERT(is_in != NULL);
    scn_trial_take(trial, shrink->anchors, is_in);
    shrink->run.chooser = scn_trial_chooser_base(trial);
    while (scn_trials_go_on(shrink, &rounds->trials)) {
        bool recurs;

        if (rounds->thin == 0)
            leave_piece_out(rounds, list->count, is_in);
        else
            leave_random_out(rounds, list->count, is_in);
        recurs = scn_trial(shrink, &rounds->trials, &outcome);
        if (outcome.verdict == SIM_VERDICT_INTERRUPTED)
            break;
        for (size_t i = 0; recurs && i < list->count; i++)
            rounds->is_in[i] = list->deviations[i].used;
        go_on(rounds, list->count, recurs);
    }
    free(is_in);
}

/* True when something was left out. */
static bool make_rounds(struct scn_shrink *shrink, size_t piece_min, bool is_thinning) {
    static const struct scn_trial_act act = {make_trials, skip};
    size_t bytes = sizeof(struct rounds) + shrink->list.count;
    struct rounds *rounds = calloc(1, bytes);
    size_t before = scn_shrink_size(shrink);

    SIM_ASSERT(rounds != NULL);
    memcpy(rounds->is_in, shrink->is_in, shrink->list.count);
    rounds->piece = before;
    rounds->piece_min = piece_min < before || before == 0 ? piece_min : before;
    rounds->thin = is_thinning ? 1 : 0;
    rounds->trials.is_done = before == 0;
    scn_trials_run(shrink, &act, shrink, rounds, bytes);
    memcpy(shrink->is_in, rounds->is_in, shrink->list.count);
    free(rounds);
    return scn_shrink_size(shrink) < before;
}

static void coarse(struct scn_shrink *shrink) {
    do {
        size_t piece = scn_shrink_size(shrink) / PIECES_COARSE;

        (void)make_rounds(shrink, piece > 0 ? piece : 1, false);
    } while (scn_shrink_size(shrink) > SCN_SHRINK_ENOUGH && make_rounds(shrink, 1, true));
}

/* The smaller of what is there and what a search finds takes the place; false: nothing found. */
static bool search(struct scn_shrink *shrink) {
    struct scn_shrink next;

    if (!scn_shrink_search(shrink, SEARCH_RUNS, &next))
        return false;
    coarse(&next);
    if (scn_shrink_size(&next) < scn_shrink_size(shrink)) {
        struct scn_shrink before = *shrink;

        *shrink = next;
        next = before;
    }
    scn_shrink_end(&next);
    return true;
}

void scn_shrink_decisions(struct scn_shrink *shrink) {
    coarse(shrink);
    for (uint32_t i = 0; i < SEARCHES_MAX && scn_shrink_size(shrink) > SCN_SHRINK_ENOUGH; i++)
        if (!shrink->run.is_exploring || !search(shrink))
            break;
    (void)make_rounds(shrink, 1, false);
}

/* ---- What the other order does ---- */

struct without {
    struct scn_trials trials;
    struct scn_shrink *shrink;
    size_t index;
    char text[64];
};

static void run_without(void *context, void *shared) {
    struct scn_shrink *shrink = context;
    struct without *without = shared;
    const struct scn_decision_list *list = &shrink->list;
    struct scn_trial_chooser *trial = scn_trial_chooser_create(list->deviations, list->count);
    unsigned char *is_in = calloc(list->count + 1, 1);
    struct scn_outcome outcome;

    SIM_ASSERT(is_in != NULL);
    memcpy(is_in, shrink->is_in, list->count);
    is_in[without->index] = 0;
    scn_trial_take(trial, shrink->anchors, is_in);
    shrink->run.chooser = scn_trial_chooser_base(trial);
    (void)scn_trial(shrink, &without->trials, &outcome);
    scn_trial_end_text(shrink->session, &outcome, without->text, sizeof(without->text));
    without->trials.is_done = true;
    free(is_in);
}

static void say_death(struct scn_shrink *shrink, void *shared) {
    struct without *without = shared;

    (void)shrink;
    snprintf(without->text, sizeof(without->text), "the process dies");
    without->trials.is_done = true;
}

void scn_shrink_without(struct scn_shrink *shrink, size_t index, char *text, size_t size) {
    static const struct scn_trial_act act = {run_without, say_death};
    struct without without = {.index = index};

    snprintf(without.text, sizeof(without.text), "not tried");
    scn_trials_run(shrink, &act, shrink, &without, sizeof(without));
    snprintf(text, size, "%s", without.text);
}
