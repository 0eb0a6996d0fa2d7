/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim likelihood`: how probable a recorded failure is, and from where on. At points along the
 * recorded run a snapshot is taken and the run goes on many times at random; how many of these come
 * to the same failure is its probability there. Where it jumps, what lies between decided it.
 *
 * Each point has processes of its own: one until it is spent by a driver's accident, then the next.
 */
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>

#include "cli/rerun.h"

#include "parse/complain.h"
#include "report/plural.h"
#include "report/story_json.h"

#define RUNS_DEFAULT 64u
#define POINTS_EVEN 16u
#define POINT_COUNT_MAX (SCN_STORY_DECISIONS + 2u)
#define JUMP_PPM 50000u
#define JUMPS_MAX 6u
#define PPM UINT64_C(1000000)
#define BAR_COLUMNS 40u

struct point {
    uint64_t until_ns; /* SIM_TIME_NEVER: by step */
    uint64_t until_step;
    size_t decision;  /* that was made last before it; SIZE_MAX: none is known */
    uint64_t time_ns; /* where it was */
    uint64_t runs;
    uint64_t hits;
    uint64_t others; /* that failed otherwise */
    bool is_beyond;  /* the recorded run ended before */
    bool goes_wrong; /* from its snapshot the recorded decisions lead elsewhere: ours to answer */
};

struct likelihood {
    struct scn_rerun *rerun;
    uint64_t runs;
    struct point points[POINT_COUNT_MAX];
    size_t count;
    size_t printed;
    uint64_t digest; /* of the recorded run, now */
};

/* ---- In a point's process ---- */

static void go_on(struct likelihood *likelihood, struct point *point,
                  const struct scn_outcome *stopped) {
    struct scn_rerun *rerun = likelihood->rerun;
    struct sim_chooser *chooser = scn_session_random(rerun->session.scenario);
    struct scn_run_options run = rerun->run;
    struct scn_outcome outcome;

    run.until_ns = SIM_TIME_NEVER;
    run.until_step = 0;
    run.chooser = chooser;
    while (point->runs < likelihood->runs && !sim_host_is_spent() && !sim_host_interrupted()) {
        run.seed = sim_hash_mix(rerun->record->seed, point->runs + 1);
        scn_run_on(rerun->session.machine, &run, stopped, &outcome);
        if (outcome.verdict == SIM_VERDICT_INTERRUPTED)
            return;
        point->runs++;
        if (scn_rerun_recurs(rerun->record, &outcome))
            point->hits++;
        else if (outcome.verdict != SIM_VERDICT_HELD)
            point->others++;
    }
}

/* The world at the point, as a snapshot; false when there is none. */
static bool reach(struct scn_rerun *rerun, struct point *point, struct scn_outcome *stopped) {
    rerun->run.chooser = scn_rerun_recorded(rerun);
    rerun->run.until_ns = point->until_ns;
    rerun->run.until_step = point->until_step;
    scn_session_run(&rerun->session, &rerun->run, stopped);
    point->time_ns = stopped->time_ns;
    point->is_beyond = !stopped->until_reached && stopped->verdict != SIM_VERDICT_INTERRUPTED;
    if (!stopped->until_reached)
        return false;
    sim_world_snapshot(rerun->session.machine->world);
    return true;
}

static void measure(void *context, void *memory) {
    struct likelihood *likelihood = context;
    struct scn_outcome stopped;

    if (reach(likelihood->rerun, memory, &stopped))
        go_on(likelihood, memory, &stopped);
}

/* A snapshot is worth its name when the recorded run goes on from it as it did. */
static void try_recorded(void *context, void *memory) {
    struct likelihood *likelihood = context;
    struct scn_rerun *rerun = likelihood->rerun;
    struct point *point = memory;
    struct scn_outcome stopped, outcome;

    if (!reach(rerun, point, &stopped))
        return;
    rerun->run.until_ns = SIM_TIME_NEVER;
    rerun->run.until_step = 0;
    scn_run_on(rerun->session.machine, &rerun->run, &stopped, &outcome);
    point->goes_wrong =
        outcome.verdict != SIM_VERDICT_INTERRUPTED &&
        (!scn_rerun_recurs(rerun->record, &outcome) || outcome.digest != likelihood->digest);
}

/* ---- Points ---- */

struct whole {
    struct scn_outcome outcome;
    uint64_t first_step;
};

static void run_whole(void *context, void *memory) {
    struct scn_rerun *rerun = context;
    struct whole *whole = memory;

    whole->first_step = sim_step_count(rerun->session.machine->world);
    rerun->run.chooser = scn_rerun_recorded(rerun);
    scn_session_run(&rerun->session, &rerun->run, &whole->outcome);
}

/* Before everything, and behind each decision. */
static void put_decisions(struct likelihood *likelihood, const struct whole *whole) {
    const struct scn_record *record = likelihood->rerun->record;

    likelihood->points[likelihood->count++] = (struct point){
        .until_ns = SIM_TIME_NEVER, .until_step = whole->first_step + 1, .decision = SIZE_MAX};
    for (size_t i = 0; i < record->deviation_count; i++)
        likelihood->points[likelihood->count++] =
            (struct point){.until_ns = record->deviations[i].time_ns + 1, .decision = i};
}

static void put_even(struct likelihood *likelihood, const struct whole *whole) {
    uint64_t steps = whole->outcome.step_count - whole->first_step;

    for (uint64_t i = 0; i < POINTS_EVEN; i++)
        likelihood->points[likelihood->count++] =
            (struct point){.until_ns = SIM_TIME_NEVER,
                           .until_step = whole->first_step + 1 + steps * i / POINTS_EVEN,
                           .decision = SIZE_MAX};
}

/* ---- What is said ---- */

static uint64_t ppm_of(const struct point *point) {
    return point->runs > 0 ? point->hits * PPM / point->runs : 0;
}

static void print_point(const struct point *point) {
    char time[SCN_TIME_TEXT_BYTES], bar[BAR_COLUMNS + 1];
    size_t length = (size_t)(ppm_of(point) * BAR_COLUMNS / PPM);

    memset(bar, '#', length);
    bar[length] = '\0';
    printf("%16s %9llu ppm  %llu of %llu", scn_time_text(point->time_ns, time, sizeof(time)),
           (unsigned long long)ppm_of(point), (unsigned long long)point->hits,
           (unsigned long long)point->runs);
    if (point->others > 0)
        printf(", %llu failed otherwise", (unsigned long long)point->others);
    printf("%s%s", length > 0 ? "  " : "", bar);
    if (point->decision != SIZE_MAX)
        printf("  behind decision %zu", point->decision + 1);
    putchar('\n');
}

static const char *decision_words(const struct scn_record *record, size_t number) {
    static char text[512];
    const char *words = record->words[number];

    return words[0] != '\0' ? words
                            : scn_deviation_text(&record->deviations[number], text, sizeof(text));
}

static void print_jump(const struct scn_record *record, const struct point *before,
                       const struct point *after) {
    char from[SCN_TIME_TEXT_BYTES], to[SCN_TIME_TEXT_BYTES];
    uint64_t count = 0;

    printf("jump     %llu to %llu ppm ", (unsigned long long)ppm_of(before),
           (unsigned long long)ppm_of(after));
    if (after->decision != SIZE_MAX) {
        printf("by decision %zu: %s\n", after->decision + 1,
               decision_words(record, after->decision));
        return;
    }
    for (size_t i = 0; i < record->deviation_count; i++)
        count += record->deviations[i].time_ns > before->time_ns &&
                 record->deviations[i].time_ns <= after->time_ns;
    printf("between %s and %s, where %llu decision%s\n",
           scn_time_text(before->time_ns, from, sizeof(from)),
           scn_time_text(after->time_ns, to, sizeof(to)), (unsigned long long)count,
           count == 1 ? " is" : "s are");
}

/* ---- As JSON ---- */

static void print_point_json(const struct likelihood *likelihood, const struct point *point,
                             bool is_first) {
    printf("%s\n    {\"time_ns\": %llu, \"ppm\": %llu, \"hits\": %llu, \"runs\": %llu, "
           "\"failed_otherwise\": %llu, \"decision\": ",
           is_first ? "" : ",", (unsigned long long)point->time_ns,
           (unsigned long long)ppm_of(point), (unsigned long long)point->hits,
           (unsigned long long)point->runs, (unsigned long long)point->others);
    if (point->decision == SIZE_MAX)
        fputs("null", stdout);
    else
        scn_json_string(stdout, decision_words(likelihood->rerun->record, point->decision));
    putchar('}');
}

static void print_jump_json(const struct point *before, const struct point *after, bool is_first) {
    printf("%s\n    {\"from_ppm\": %llu, \"to_ppm\": %llu, \"from_ns\": %llu, \"to_ns\": %llu, "
           "\"decision\": ",
           is_first ? "" : ",", (unsigned long long)ppm_of(before),
           (unsigned long long)ppm_of(after), (unsigned long long)before->time_ns,
           (unsigned long long)after->time_ns);
    if (after->decision == SIZE_MAX)
        fputs("null}", stdout);
    else
        printf("%zu}", after->decision + 1);
}

static int by_jump(const void *a, const void *b) {
    const struct point *const *first = a, *const *second = b;
    int64_t jump_a = (int64_t)ppm_of(first[0]) - (int64_t)ppm_of(first[0] - 1);
    int64_t jump_b = (int64_t)ppm_of(second[0]) - (int64_t)ppm_of(second[0] - 1);

    if (jump_a != jump_b)
        return jump_a > jump_b ? -1 : 1;
    return first[0] < second[0] ? -1 : 1;
}

static void print_jumps(const struct likelihood *likelihood) {
    const struct point *jumps[POINT_COUNT_MAX];
    size_t count = 0;

    for (size_t i = 1; i < likelihood->count; i++)
        if (likelihood->points[i].runs > 0 &&
            ppm_of(&likelihood->points[i]) >= ppm_of(&likelihood->points[i - 1]) + JUMP_PPM)
            jumps[count++] = &likelihood->points[i];
    qsort(jumps, count, sizeof(*jumps), by_jump);
    for (size_t i = 0; i < count && i < JUMPS_MAX; i++)
        if (likelihood->rerun->options.json)
            print_jump_json(jumps[i] - 1, jumps[i], i == 0);
        else
            print_jump(likelihood->rerun->record, jumps[i] - 1, jumps[i]);
    if (count == 0 && !likelihood->rerun->options.json)
        puts("jump     none of five per cent and more");
}

/* ---- The command ---- */

/* The exit code: 0 to go on. */
static int measure_point(struct likelihood *likelihood, struct point *point) {
    char death[64];

    if (sim_host_apart(try_recorded, likelihood, point, sizeof(*point), death, sizeof(death)) !=
            SIM_HOST_APART_DONE ||
        point->goes_wrong) {
        scn_complain("likelihood: the run does not go on as recorded from %llu ns%s%s",
                     (unsigned long long)point->time_ns, point->goes_wrong ? "" : ": ",
                     point->goes_wrong ? "" : death);
        return SIM_VERDICT_DIFFERED;
    }
    while (point->runs < likelihood->runs && !point->is_beyond && !sim_host_interrupted()) {
        uint64_t before = point->runs;
        enum sim_host_apart_end end =
            sim_host_apart(measure, likelihood, point, sizeof(*point), death, sizeof(death));

        if (end == SIM_HOST_APART_REFUSED) {
            scn_complain("likelihood: no process: %s", death);
            return SIM_VERDICT_USAGE;
        }
        /* One that has killed its process has failed otherwise. */
        if (end == SIM_HOST_APART_DIED || point->runs == before)
            point->runs++;
    }
    if (!point->is_beyond && point->runs > 0 && likelihood->rerun->options.json)
        print_point_json(likelihood, point, likelihood->printed++ == 0);
    else if (!point->is_beyond && point->runs > 0)
        print_point(point);
    (void)fflush(stdout);
    return SIM_VERDICT_HELD;
}

static bool recurs(struct scn_rerun *rerun, struct whole *whole) {
    char death[64];

    return sim_host_apart(run_whole, rerun, whole, sizeof(*whole), death, sizeof(death)) ==
               SIM_HOST_APART_DONE &&
           scn_rerun_recurs(rerun->record, &whole->outcome);
}

static void begin_json(const struct likelihood *likelihood) {
    const struct scn_rerun *rerun = likelihood->rerun;

    fputs("{\n  \"record\": ", stdout);
    scn_json_string(stdout, rerun->options.operands[0]);
    scn_json_member(stdout, "scenario", rerun->session.scenario->name);
    scn_json_member(stdout, "sentence", rerun->record->sentence);
    printf(", \"runs_per_point\": %llu,\n  \"points\": [", (unsigned long long)likelihood->runs);
}

/* Of a run that has been shrunk, which points stand behind. */
static void print_decisions(const struct scn_record *record) {
    for (size_t i = 0; i < record->deviation_count && i < SCN_STORY_DECISIONS &&
                       record->deviation_count <= SCN_STORY_DECISIONS;
         i++)
        printf("decision %zu: %s\n", i + 1, decision_words(record, i));
}

static int likelihood_of(struct scn_rerun *rerun) {
    static struct likelihood likelihood;
    static struct whole whole;
    const struct scn_options *options = &rerun->options;
    int exit_code = SIM_VERDICT_HELD;

    likelihood.rerun = rerun;
    likelihood.runs = options->runs > 0 ? options->runs : RUNS_DEFAULT;
    if (!recurs(rerun, &whole)) {
        if (sim_host_interrupted())
            return SIM_VERDICT_INTERRUPTED;
        scn_complain("%s: the recorded failure did not recur: recorded exit %u (%s)",
                     options->operands[0], rerun->record->exit_code, rerun->record->sentence);
        return SIM_VERDICT_GONE;
    }
    likelihood.digest = whole.outcome.digest;
    if (rerun->record->deviation_count <= SCN_STORY_DECISIONS)
        put_decisions(&likelihood, &whole);
    else
        put_even(&likelihood, &whole);
    if (options->json) {
        begin_json(&likelihood);
    } else {
        printf("%s\n", rerun->record->sentence);
        printf("its probability when the run goes on at random, %llu time%s from each point\n",
               (unsigned long long)likelihood.runs, scn_plural(likelihood.runs));
        print_decisions(rerun->record);
    }
    for (size_t i = 0; i < likelihood.count && !sim_host_interrupted(); i++) {
        exit_code = measure_point(&likelihood, &likelihood.points[i]);
        if (exit_code != SIM_VERDICT_HELD)
            return exit_code;
    }
    if (options->json)
        fputs("\n  ],\n  \"jumps\": [", stdout);
    print_jumps(&likelihood);
    if (options->json)
        puts("\n  ]\n}");
    return sim_host_interrupted() ? SIM_VERDICT_INTERRUPTED : SIM_VERDICT_HELD;
}

int scn_command_likelihood(const struct scn_options *options) {
    static struct scn_rerun rerun;
    int exit_code;

    scn_session_host();
    if (!scn_rerun_open(&rerun, options, options->operands[0]))
        return SIM_VERDICT_USAGE;
    if (rerun.record->exit_code == SIM_VERDICT_HELD) {
        scn_complain("%s: the recorded run held: there is no failure to measure",
                     options->operands[0]);
        exit_code = SIM_VERDICT_USAGE;
    } else {
        exit_code = likelihood_of(&rerun);
    }
    scn_rerun_close(&rerun);
    return exit_code;
}
