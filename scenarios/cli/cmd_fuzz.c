/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim fuzz`: many runs of a scenario, each with its own seed and random deviations from quiet,
 * over worker processes. Results are taken in the order of run numbers, so that what is found does
 * not depend on the number of jobs. A worker writes the record of a failing run before it reports
 * it; the parent keeps the first of each distinct failure.
 */
#include <dirent.h>
#include <errno.h>
#include <sim/fault.h>
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/session.h"
#include "report/coverage_file.h"
#include "report/record.h"
#include "run/script.h"

#define RUNS_DEFAULT 1000u
#define DISTINCT_MAX 256u
#define PLAN_COUNT_MAX 256u
#define STEP_COUNT_MAX 1024u
#define SEED_DEFAULT 1u
#define SPREAD_LOG2 4u

/* What a worker reports of one run. */
struct fuzz_result {
    int32_t verdict;
    uint32_t deviation_count;
    uint64_t signature;
    uint64_t order_hash;
    uint64_t time_ns;
    uint64_t event_count;
    uint64_t fired[PLAN_COUNT_MAX / 64]; /* plans that fired */
    uint64_t begun[STEP_COUNT_MAX / 64]; /* steps that began */
    uint64_t expected;                   /* expected findings that came, by index */
    struct scn_coverage coverage;        /* with --coverage */
    int32_t record_error;                /* errno of writing the record */
    char sentence[256];
};

struct distinct {
    uint64_t signature;
    uint64_t first_index;
    uint64_t count;
    enum sim_verdict verdict;
    char sentence[256];
    char file[512];
};

/* Open addressing over 64-bit hashes; grows by doubling. */
struct hash_set {
    uint64_t *slots;
    size_t capacity;
    size_t count;
};

struct campaign {
    const struct scn_options *options;
    const char *file;
    uint32_t cell;
    struct scn_scenario *scenario; /* the parent's own copy, for names and expectations */
    struct scn_session session;    /* the worker's */
    struct sim_chooser *chooser;
    uint64_t seed;
    uint64_t run_count;
    uint64_t stop_wall_ns; /* 0: none */
    const char *out_dir;
    long owner; /* the parent's process id: campaigns may share a folder */
    /* The parent's sums. */
    struct hash_set orders;
    uint64_t deviation_total;
    uint64_t event_total;
    uint64_t done_count;
    uint64_t failed_count;
    uint64_t fired[PLAN_COUNT_MAX / 64];
    uint64_t begun[STEP_COUNT_MAX / 64];
    uint64_t expected;
    struct scn_coverage_sum coverage;
    struct distinct distinct[DISTINCT_MAX];
    size_t distinct_count;
    uint64_t start_wall_ns;
    bool is_terminal;
    bool record_failed;
};

static bool set_add(struct hash_set *set, uint64_t hash) {
    size_t at;

    if (set->count * 2 >= set->capacity) {
        struct hash_set bigger = {.capacity = set->capacity > 0 ? set->capacity * 2 : 4096};

        bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
        SIM_ASSERT(bigger.slots != NULL);
        for (size_t i = 0; i < set->capacity; i++)
            if (set->slots[i] != 0)
                set_add(&bigger, set->slots[i]);
        free(set->slots);
        *set = bigger;
    }
    if (hash == 0)
        hash = 1;
    for (at = hash & (set->capacity - 1); set->slots[at] != 0; at = (at + 1) & (set->capacity - 1))
        if (set->slots[at] == hash)
            return false;
    set->slots[at] = hash;
    set->count++;
    return true;
}

/* The worker's side. */

static void part_path(const struct campaign *campaign, uint64_t index, char *path, size_t size) {
    snprintf(path, size, "%s/.%s-%ld-%llu.candidate", campaign->out_dir, campaign->scenario->name,
             campaign->owner, (unsigned long long)index);
}

static void prepare(void *context, uint32_t worker) {
    static struct scn_diagnostics diagnostics;
    struct campaign *campaign = context;
    struct sim_chooser_random_options random = {0};
    struct scn_scenario *scenario;

    (void)worker;
    scn_session_host();
    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(campaign->file, campaign->options->sets,
                                 campaign->options->set_count, campaign->cell, NULL, &diagnostics);
    SIM_ASSERT(scenario != NULL); /* the parent has loaded it already */
    if (!scn_session_open(&campaign->session, campaign->options, scenario))
        _exit(SIM_VERDICT_USAGE);
    random.step_ppm = scenario->explore_step_ppm;
    random.other_ppm = scenario->explore_other_ppm;
    random.spread_log2 = SPREAD_LOG2;
    campaign->chooser = sim_chooser_random_create(&random);
}

static void note_plans(const struct campaign *campaign, struct fuzz_result *result) {
    struct sim_world *world = campaign->session.machine->world;

    for (size_t i = 0; i < sim_fault_plan_count(world) && i < PLAN_COUNT_MAX; i++)
        if (sim_fault_plan_at(world, i)->fired_count > 0)
            result->fired[i / 64] |= UINT64_C(1) << (i % 64);
    for (uint32_t i = 0; i < campaign->scenario->step_count && i < STEP_COUNT_MAX; i++)
        if (scn_script_progress(campaign->session.machine, i) != SCN_WAITING)
            result->begun[i / 64] |= UINT64_C(1) << (i % 64);
}

static size_t run_one(void *context, uint64_t index, void *memory) {
    struct campaign *campaign = context;
    struct fuzz_result *result = memory;
    const struct scn_run_options options = {
        .seed = campaign->seed + index,
        .chooser = campaign->chooser,
        .until_ns = campaign->options->until_ns,
        .is_exploring = true,
        .keep_going = campaign->options->keep_going,
        .special_pool = campaign->options->special_pool,
    };
    struct scn_outcome outcome;
    char path[1024];

    memset(result, 0, sizeof(*result));
    if (campaign->options->coverage_file != NULL)
        campaign->session.coverage = &result->coverage;
    campaign->session.is_sink_needed = campaign->scenario->expect_count > 0;
    scn_session_run(&campaign->session, &options, &outcome);
    result->verdict = (int32_t)outcome.verdict;
    result->signature = outcome.signature;
    result->order_hash = outcome.order_hash;
    result->deviation_count = (uint32_t)outcome.deviation_count;
    result->time_ns = outcome.time_ns;
    result->event_count = outcome.event_count;
    result->expected = outcome.expected_seen;
    snprintf(result->sentence, sizeof(result->sentence), "%.255s", outcome.reason);
    note_plans(campaign, result);
    if (outcome.verdict != SIM_VERDICT_HELD && outcome.verdict != SIM_VERDICT_INTERRUPTED) {
        part_path(campaign, index, path, sizeof(path));
        result->record_error =
            scn_record_write(path, campaign->session.machine, &options, &outcome, "random");
    }
    return sizeof(*result);
}

/* The parent's side. */

static struct distinct *distinct_of(struct campaign *campaign, uint64_t signature) {
    for (size_t i = 0; i < campaign->distinct_count; i++)
        if (campaign->distinct[i].signature == signature)
            return &campaign->distinct[i];
    return NULL;
}

static void drop_candidate(const struct campaign *campaign, uint64_t index) {
    char path[1024];

    part_path(campaign, index, path, sizeof(path));
    unlink(path);
}

/* Keeps the candidate of the first run of a failure under its final name. */
static void keep_candidate(struct campaign *campaign, uint64_t index, struct distinct *distinct,
                           int record_error) {
    char path[1024];

    part_path(campaign, index, path, sizeof(path));
    snprintf(distinct->file, sizeof(distinct->file), "%.300s/%.100s-%016llx.ndkrun",
             campaign->out_dir, campaign->scenario->name, (unsigned long long)distinct->signature);
    if (record_error == 0 && rename(path, distinct->file) != 0)
        record_error = errno;
    if (record_error == 0)
        return;
    fprintf(stderr, "ndksim: %s: the failing run %llu could not be kept: %s; seed %llu finds it\n",
            distinct->file, (unsigned long long)index, strerror(record_error),
            (unsigned long long)(campaign->seed + index));
    campaign->record_failed = true;
    distinct->file[0] = '\0';
}

static void note_failure(struct campaign *campaign, uint64_t index, enum sim_verdict verdict,
                         uint64_t signature, const char *sentence, int record_error) {
    struct distinct *distinct = distinct_of(campaign, signature);

    campaign->failed_count++;
    if (distinct != NULL || campaign->distinct_count == DISTINCT_MAX) {
        if (distinct != NULL)
            distinct->count++;
        drop_candidate(campaign, index);
        return;
    }
    distinct = &campaign->distinct[campaign->distinct_count++];
    distinct->signature = signature;
    distinct->first_index = index;
    distinct->count = 1;
    distinct->verdict = verdict;
    snprintf(distinct->sentence, sizeof(distinct->sentence), "%s", sentence);
    keep_candidate(campaign, index, distinct, record_error);
}

/* A worker died with a run: its death is the failure, its seed the way to see it again. */
static void note_death(struct campaign *campaign, uint64_t index, const char *death) {
    char sentence[256];

    snprintf(sentence, sizeof(sentence), "the process died: %s (run it with --seed %llu)", death,
             (unsigned long long)(campaign->seed + index));
    fprintf(stderr, "ndksim: run %llu: %s\n%s", (unsigned long long)index, sentence,
            sim_host_worker_records());
    drop_candidate(campaign, index);
    note_failure(campaign, index, SIM_VERDICT_INTERNAL, sim_hash_text(death), sentence, ENOENT);
}

static bool on_result(void *context, uint64_t index, const void *memory, size_t bytes,
                      const char *death) {
    struct campaign *campaign = context;
    struct fuzz_result result;

    campaign->done_count++;
    if (bytes != sizeof(result)) {
        note_death(campaign, index, death != NULL ? death : "no result");
        return !sim_host_interrupted();
    }
    memcpy(&result, memory, sizeof(result));
    if (result.verdict == SIM_VERDICT_INTERRUPTED) {
        campaign->done_count--;
        return false;
    }
    set_add(&campaign->orders, result.order_hash);
    campaign->deviation_total += result.deviation_count;
    campaign->event_total += result.event_count;
    campaign->expected |= result.expected;
    scn_coverage_add(&campaign->coverage, &result.coverage);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(result.fired); i++)
        campaign->fired[i] |= result.fired[i];
    for (size_t i = 0; i < SIM_ARRAY_COUNT(result.begun); i++)
        campaign->begun[i] |= result.begun[i];
    if (result.verdict != SIM_VERDICT_HELD)
        note_failure(campaign, index, (enum sim_verdict)result.verdict, result.signature,
                     result.sentence, result.record_error);
    return !sim_host_interrupted() &&
           (campaign->stop_wall_ns == 0 || sim_host_wall_ns() < campaign->stop_wall_ns);
}

static void on_progress(void *context, uint64_t done) {
    struct campaign *campaign = context;
    uint64_t spent_ms = (sim_host_wall_ns() - campaign->start_wall_ns) / SIM_NS_PER_MS;

    if (!campaign->is_terminal)
        return;
    fprintf(stderr, "\r%llu of %llu runs, %llu/s, %zu distinct failures, %zu distinct orders ",
            (unsigned long long)done, (unsigned long long)campaign->run_count,
            (unsigned long long)(spent_ms > 0 ? done * 1000 / spent_ms : 0),
            campaign->distinct_count, campaign->orders.count);
    fflush(stderr);
}

static uint32_t weight(enum sim_verdict verdict) {
    static const enum sim_verdict order[] = {SIM_VERDICT_HELD,     SIM_VERDICT_EXPECTATION,
                                             SIM_VERDICT_STUCK,    SIM_VERDICT_RULE,
                                             SIM_VERDICT_BUGCHECK, SIM_VERDICT_INTERNAL};

    for (uint32_t i = 0; i < SIM_ARRAY_COUNT(order); i++)
        if (order[i] == verdict)
            return i;
    return SIM_ARRAY_COUNT(order);
}

/* Plans and expectations are judged once over the whole campaign. */
static bool is_campaign_incomplete(const struct campaign *campaign, char *text, size_t size) {
    const struct scn_scenario *scenario = campaign->scenario;

    for (uint32_t i = 0; i < scenario->fault_count && i < PLAN_COUNT_MAX; i++) {
        if (scenario->faults[i].free_ppm == 0 && (campaign->fired[i / 64] >> (i % 64) & 1) == 0) {
            snprintf(text, size, "%s: the fault \"%s\" never fired in %llu runs",
                     scenario->faults[i].place, scenario->faults[i].point,
                     (unsigned long long)campaign->done_count);
            return true;
        }
    }
    for (uint32_t i = 0; i < scenario->step_count && i < STEP_COUNT_MAX; i++) {
        if ((campaign->begun[i / 64] >> (i % 64) & 1) == 0) {
            scn_step_never_began(scenario, i, text, size);
            return true;
        }
    }
    for (uint32_t i = 0; i < scenario->expect_count; i++) {
        if (scenario->expects[i].kind == SCN_EXPECT_FINDING &&
            (campaign->expected >> (i % 64) & 1) == 0) {
            snprintf(text, size, "%s: \"%s\" was expected and not found in %llu runs",
                     scenario->expects[i].place, scenario->expects[i].name,
                     (unsigned long long)campaign->done_count);
            return true;
        }
    }
    return false;
}

static void print_failures(const struct campaign *campaign) {
    for (size_t i = 0; i < campaign->distinct_count; i++) {
        const struct distinct *one = &campaign->distinct[i];

        printf("%s: %s\n  %llu of %llu runs, first run %llu (seed %llu)%s%s\n",
               sim_verdict_name(one->verdict), one->sentence, (unsigned long long)one->count,
               (unsigned long long)campaign->done_count, (unsigned long long)one->first_index,
               (unsigned long long)(campaign->seed + one->first_index),
               one->file[0] != '\0' ? "\n  replay   ndksim replay " : "", one->file);
    }
}

static bool write_coverage(const struct campaign *campaign) {
    const char *file = campaign->options->coverage_file;
    int error = file != NULL ? scn_coverage_write(file, &campaign->coverage) : 0;

    if (error != 0)
        fprintf(stderr, "ndksim: --coverage %s: %s\n", file, strerror(error));
    return error == 0;
}

static int conclude(struct campaign *campaign) {
    uint64_t done = campaign->done_count, wall_ms;
    enum sim_verdict worst = SIM_VERDICT_HELD;
    uint64_t mean_milli = done > 0 ? campaign->deviation_total * 1000 / done : 0;
    char text[512];

    wall_ms = (sim_host_wall_ns() - campaign->start_wall_ns) / SIM_NS_PER_MS;
    if (campaign->is_terminal)
        fputs("\r\033[K", stderr);
    print_failures(campaign);
    for (size_t i = 0; i < campaign->distinct_count; i++)
        if (weight(campaign->distinct[i].verdict) > weight(worst))
            worst = campaign->distinct[i].verdict;
    if (!sim_host_interrupted() && is_campaign_incomplete(campaign, text, sizeof(text))) {
        printf("EXPECTATION %s\n", text);
        if (worst == SIM_VERDICT_HELD)
            worst = SIM_VERDICT_EXPECTATION;
    }
    if (campaign->options->coverage_file != NULL)
        scn_coverage_print(stdout, &campaign->coverage);
    if (sim_host_interrupted())
        printf("interrupted after %llu runs; what was found is kept\n", (unsigned long long)done);
    printf("%s: %s, seeds %llu to %llu, %llu runs, %llu failed (%zu distinct), %zu distinct "
           "orders, %llu.%03llu deviations per run, %llu runs/s\n",
           sim_verdict_name(worst), campaign->scenario->name, (unsigned long long)campaign->seed,
           (unsigned long long)(campaign->seed + (done > 0 ? done - 1 : 0)),
           (unsigned long long)done, (unsigned long long)campaign->failed_count,
           campaign->distinct_count, campaign->orders.count,
           (unsigned long long)(mean_milli / 1000), (unsigned long long)(mean_milli % 1000),
           (unsigned long long)(wall_ms > 0 ? done * 1000 / wall_ms : 0));
    if (!write_coverage(campaign))
        campaign->record_failed = true;
    if (campaign->record_failed && worst == SIM_VERDICT_HELD)
        worst = SIM_VERDICT_USAGE;
    return sim_host_interrupted() ? SIM_VERDICT_INTERRUPTED : (int)worst;
}

static bool make_folder(const char *folder) {
    struct stat status;

    if ((mkdir(folder, 0777) == 0 || errno == EEXIST) && stat(folder, &status) == 0) {
        if (!S_ISDIR(status.st_mode))
            errno = ENOTDIR;
        else if (access(folder, W_OK | X_OK) == 0)
            return true;
    }
    fprintf(stderr, "ndksim: --out %s: %s\n", folder, strerror(errno));
    return false;
}

/* Builds the machine once in a child of its own, so that its errors are said once. */
static bool is_buildable(const struct scn_options *options, const char *file, uint32_t cell) {
    static struct scn_diagnostics diagnostics;
    struct scn_scenario *scenario;
    struct scn_session session;

    scn_diagnostics_init(&diagnostics);
    scenario = scn_scenario_load(file, options->sets, options->set_count, cell, NULL, &diagnostics);
    if (scenario == NULL || !scn_session_open(&session, options, scenario))
        return false;
    scn_session_close(&session);
    return true;
}

static int fuzz_cell(struct campaign *campaign) {
    const struct scn_options *options = campaign->options;
    struct sim_workers workers = {
        .jobs = options->jobs > 0 ? options->jobs : sim_host_cpu_count(),
        .result_bytes = sizeof(struct fuzz_result),
        .context = campaign,
        .prepare = prepare,
        .run = run_one,
        .result = on_result,
        .progress = on_progress,
    };

    campaign->seed = options->has_seed ? options->seed : SEED_DEFAULT;
    campaign->out_dir = options->out_dir != NULL ? options->out_dir : "out";
    campaign->owner = (long)getpid();
    campaign->run_count = options->runs > 0 ? options->runs : campaign->scenario->explore_runs;
    if (campaign->run_count == 0)
        campaign->run_count = options->time_ns > 0 ? UINT64_MAX / 2 : RUNS_DEFAULT;
    if (!make_folder(campaign->out_dir) || !is_buildable(options, campaign->file, campaign->cell))
        return SIM_VERDICT_USAGE;
    campaign->start_wall_ns = sim_host_wall_ns();
    campaign->stop_wall_ns = options->time_ns > 0 ? campaign->start_wall_ns + options->time_ns : 0;
    campaign->is_terminal = isatty(2) != 0 && options->verbosity > 0;
    workers.count = campaign->run_count;
    sim_host_workers_run(&workers);
    return conclude(campaign);
}

static int worse(int a, int b) {
    if (a == SIM_VERDICT_USAGE || b == SIM_VERDICT_USAGE)
        return SIM_VERDICT_USAGE;
    if (a == SIM_VERDICT_INTERRUPTED || b == SIM_VERDICT_INTERRUPTED)
        return SIM_VERDICT_INTERRUPTED;
    return weight((enum sim_verdict)b) > weight((enum sim_verdict)a) ? b : a;
}

int scn_command_fuzz(const struct scn_options *options) {
    static struct scn_diagnostics diagnostics;
    int exit_code = SIM_VERDICT_HELD;

    sim_host_catch_interrupts();
    for (uint32_t i = 0; i < options->operand_count; i++) {
        uint32_t cell_count = 1;

        for (uint32_t cell = 0; cell < cell_count && !sim_host_interrupted(); cell++) {
            struct campaign *campaign = calloc(1, sizeof(*campaign));

            SIM_ASSERT(campaign != NULL);
            scn_diagnostics_init(&diagnostics);
            campaign->options = options;
            campaign->file = options->operands[i];
            campaign->cell = cell;
            campaign->scenario = scn_scenario_load(
                campaign->file, options->sets, options->set_count, cell, &cell_count, &diagnostics);
            if (campaign->scenario == NULL) {
                scn_print_diagnostics(&diagnostics);
                free(campaign);
                return SIM_VERDICT_USAGE;
            }
            exit_code = worse(exit_code, fuzz_cell(campaign));
            scn_scenario_free(campaign->scenario);
            free(campaign->orders.slots);
            free(campaign);
        }
    }
    return exit_code;
}
