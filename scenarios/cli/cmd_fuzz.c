/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim fuzz`: many runs of a scenario over worker processes, planned by an explorer in rounds.
 * See campaign.h for what is made of their results.
 */
#include <sim/host.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/campaign.h"
#include "cli/campaign_place.h"
#include "cli/folders.h"
#include "cli/rerun.h"
#include "parse/complain.h"
#include "report/file.h"
#include "report/plural.h"

#define RUNS_DEFAULT 1000u
#define SEED_DEFAULT 1u

/* ---- Between the workers and the campaign ---- */

static void prepare(void *context, uint32_t worker) {
    (void)context;
    (void)worker;
    scn_session_contain();
}

static size_t run_one(void *context, uint64_t index, void *memory) {
    return scn_campaign_work(context, index, memory);
}

static bool on_result(void *context, uint64_t index, const void *memory, size_t bytes,
                      const char *death) {
    struct scn_campaign *campaign = context;
    const struct scn_fuzz_result *result = memory;

    if (bytes == 0)
        scn_campaign_take_death(campaign, index, death != NULL ? death : "no result");
    else if (result->verdict == SIM_VERDICT_INTERRUPTED)
        return false;
    else
        scn_campaign_take(campaign, index, result);
    if (sim_host_interrupted() || campaign->has_no_reader)
        return false;
    if (!scn_campaign_has_found_enough(campaign) && scn_campaign_has_time_left(campaign))
        return true;
    scn_campaign_say_stopped(
        campaign, scn_campaign_has_found_enough(campaign) ? "--stop-after" : "--time", index + 1);
    return false;
}

static uint64_t next_round(void *context, const void **lesson, size_t *bytes) {
    struct scn_campaign *campaign = context;
    uint64_t count, first;

    if (campaign->round++ > 0)
        *bytes = sim_explorer_round_end(campaign->explorer, lesson);
    count = sim_explorer_round(campaign->explorer, &first);
    campaign->round_first = first;
    campaign->has_no_focus = campaign->round == 3 && !scn_campaign_has_focus(campaign);
    if (campaign->has_no_focus)
        return 0;
    campaign->ends_by_itself = count == 0;
    if (count > 0 && !scn_campaign_has_time_left(campaign)) {
        scn_campaign_say_stopped(campaign, "--time", first);
        return 0;
    }
    return count;
}

static void learn(void *context, const void *lesson, size_t bytes) {
    struct scn_campaign *campaign = context;
    const void *own;

    sim_explorer_learn(campaign->explorer, lesson, bytes);
    sim_explorer_round_end(campaign->explorer, &own);
}

static void on_progress(void *context, uint64_t done) {
    struct scn_campaign *campaign = context;
    uint64_t spent_ms = (sim_host_wall_ns() - campaign->start_wall_ns) / SIM_NS_PER_MS;

    campaign->has_no_reader = campaign->has_no_reader || !scn_output_has_reader();
    if (!campaign->is_terminal)
        return;
    fprintf(stderr, "\r%llu of %llu runs, %llu/s, %zu distinct failures, %llu distinct orders ",
            (unsigned long long)done, (unsigned long long)campaign->run_count,
            (unsigned long long)(spent_ms > 0 ? done * 1000 / spent_ms : 0),
            campaign->tally.distinct_count,
            (unsigned long long)scn_orders_count(&campaign->tally.orders, NULL));
    fflush(stderr);
}

/* ---- Making a campaign ---- */

static bool make_explorer(struct scn_campaign *campaign) {
    static const char *const life_events[] = {
        "ndk.create_*", "ndk.close_*", "ndk.*connect*", "ndk.accept*", "ndk.reject*",
        "ndk.listen*",  NULL};
    const struct scn_part *part = &campaign->tally.parts[0];
    struct sim_explorer_options options = {
        .strategy = campaign->options->strategy,
        .focus = campaign->options->focus,
        .seed = part->seed,
        .step_ppm = campaign->scenario->explore_step_ppm,
        .other_ppm = campaign->scenario->explore_other_ppm,
        .life_events = life_events,
    };
    char error[256];

    if (part->shard_count > 1)
        options.seed = sim_hash_mix(sim_hash_mix(part->seed, part->shard_count), part->shard);
    campaign->explorer = sim_explorer_create(&options, error, sizeof(error));
    if (campaign->explorer == NULL) {
        scn_complain("--strategy: %s", error);
        return false;
    }
    if (options.focus != NULL && !sim_explorer_has_focus(campaign->explorer)) {
        scn_complain("--focus: the strategy %s goes by all steps alike",
                     sim_explorer_strategy(campaign->explorer));
        return false;
    }
    if (sim_explorer_is_exhaustive(campaign->explorer) && part->shard_count > 1) {
        scn_complain("--shard: the strategy %s tries all there is, in one campaign",
                     sim_explorer_strategy(campaign->explorer));
        return false;
    }
    return true;
}

SIM_PRINTF(3, 4)
static void append(char *text, size_t size, const char *format, ...) {
    size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

/* What was asked for that changes what a run is. */
static void note_options(struct scn_campaign *campaign) {
    const struct scn_options *options = campaign->options;
    struct scn_identity *identity = &campaign->tally.identity;
    char *text = identity->options;
    size_t size = sizeof(identity->options);

    for (uint32_t i = 0; i < options->rule_count; i++)
        append(text, size, " --rule %s", options->rules[i]);
    if (options->blame != NULL)
        append(text, size, " --blame %s", options->blame);
    if (options->until_ns != SIM_TIME_NEVER)
        append(text, size, " --until %lluns", (unsigned long long)options->until_ns);
    append(text, size, "%s%s", options->special_pool ? " --pool special" : "",
           options->keep_going ? " --keep-going" : "");
    snprintf(identity->strategy, sizeof(identity->strategy), "%s%s%s",
             sim_explorer_strategy(campaign->explorer), options->focus != NULL ? ", focus " : "",
             options->focus != NULL ? options->focus : "");
}

static uint64_t shard_runs(const struct scn_part *part, uint64_t runs) {
    return runs / part->shard_count + (part->shard <= runs % part->shard_count ? 1 : 0);
}

static void count_runs(struct scn_campaign *campaign) {
    const struct scn_options *options = campaign->options;
    uint64_t own = options->time_ns > 0 ? 0 : campaign->scenario->explore_runs;
    uint64_t runs = options->runs > 0 ? options->runs : own;

    if (runs == 0)
        runs = options->time_ns > 0 || sim_explorer_is_exhaustive(campaign->explorer)
                   ? UINT64_MAX / 2
                   : RUNS_DEFAULT;
    campaign->has_own_count = options->runs == 0 && own > 0;
    campaign->run_count = shard_runs(&campaign->tally.parts[0], runs);
    campaign->start_wall_ns = sim_host_wall_ns();
    campaign->stop_wall_ns = options->time_ns > 0 ? campaign->start_wall_ns + options->time_ns : 0;
}

static void make_coverage(struct scn_campaign *campaign) {
    if (campaign->options->coverage_file == NULL && campaign->options->coverage_report == NULL)
        return;
    campaign->coverage = scn_coverage_map_create(campaign->session.machine->world);
    campaign->coverage_words = scn_coverage_words(campaign->coverage);
    campaign->covered = calloc(campaign->coverage_words * 64, sizeof(*campaign->covered));
    SIM_ASSERT(campaign->covered != NULL);
}

/* Takes the scenario. The machine is built once, here; its errors are said once. */
static bool open_campaign(struct scn_campaign *campaign, struct scn_scenario *scenario,
                          uint32_t cell, uint32_t cell_count) {
    const struct scn_options *options = campaign->options;
    struct scn_part part = {.seed = options->has_seed ? options->seed : SEED_DEFAULT,
                            .shard = options->shard_count > 0 ? options->shard : 1,
                            .shard_count = options->shard_count > 0 ? options->shard_count : 1};
    char path[SCN_PATH_BYTES];
    bool is_good;

    campaign->scenario = scenario;
    scn_session_contain();
    is_good = scn_session_open(&campaign->session, options, scenario);
    sim_host_watchdog(0);
    if (!is_good)
        return false;
    scn_tally_init(&campaign->tally, campaign->session.machine, cell, cell_count);
    scn_tally_add_part(&campaign->tally, &part);
    if (!make_explorer(campaign))
        return false;
    campaign->tally.parts[0].has_one_seed = sim_explorer_is_exhaustive(campaign->explorer);
    campaign->met_words = (campaign->tally.demand_count + 63) / 64;
    note_options(campaign);
    make_coverage(campaign);
    count_runs(campaign);
    campaign->out_dir = scn_out_dir(options);
    campaign->owner = (long)getpid();
    campaign->is_terminal = isatty(2) != 0 && options->verbosity > 0;
    scn_tally_path(&campaign->tally, campaign->out_dir, path, sizeof(path));
    return scn_folder_make("--out", campaign->out_dir) && scn_place_take(path);
}

/* ---- Running it ---- */

/* -v: what `replay` would say of each distinct failure. */
static void tell_failures(const struct scn_campaign *campaign) {
    const struct scn_options *options = campaign->options;
    const struct scn_tally *tally = &campaign->tally;

    if (options->verbosity < 2 || options->json)
        return;
    for (size_t i = 0; i < tally->distinct_count && !sim_host_interrupted(); i++)
        if (tally->distinct[i].file[0] != '\0' && !tally->distinct[i].is_known)
            scn_rerun_report(options, tally->distinct[i].file);
}

/* `has_starved`: runs are missing, for no worker could be started any more, or lived. */
static int conclude(struct scn_campaign *campaign, bool has_starved,
                    const struct sim_workers *workers, struct scn_results *results) {
    struct scn_tally *tally = &campaign->tally;
    struct scn_tally_said said = {.options = campaign->options};
    char path[SCN_PATH_BYTES];
    bool is_whole;
    int worst;

    if (campaign->is_terminal)
        fputs("\r\033[K", stderr);
    said.wall_ns = sim_host_wall_ns() - campaign->start_wall_ns;
    tally->was_interrupted =
        has_starved || workers->was_late || sim_host_interrupted() || campaign->has_no_reader;
    if (!tally->was_interrupted && (campaign->has_no_focus || !scn_campaign_has_focus(campaign))) {
        scn_campaign_say_no_focus(campaign);
        campaign->has_no_focus = true;
        snprintf(campaign->stopped, sizeof(campaign->stopped),
                 "stopped  after %llu run%s: --focus names nothing that there is",
                 (unsigned long long)tally->run_count, scn_plural(tally->run_count));
    }
    scn_campaign_settle(campaign);
    if (has_starved && tally->run_count == 0)
        return SIM_VERDICT_USAGE;
    if (tally->was_interrupted)
        scn_campaign_say_interrupted(campaign, workers);
    said.stopped = campaign->stopped[0] != '\0' ? campaign->stopped : NULL;
    said.replaces = access(scn_tally_path(tally, campaign->out_dir, path, sizeof(path)), F_OK) == 0
                        ? path
                        : NULL;
    is_whole = scn_tally_write(tally, campaign->out_dir) && !campaign->record_failed &&
               !campaign->watch_failed;
    scn_campaign_watched_none(campaign);
    tell_failures(campaign);
    scn_tally_report(tally, &said, results);
    is_whole = scn_coverage_files(tally, campaign->options, campaign->suffix) && is_whole;
    is_whole = scn_output_flush() && is_whole;
    worst = (int)scn_tally_worst(tally);
    if (sim_host_interrupted())
        return SIM_VERDICT_INTERRUPTED;
    if (has_starved && tally->failed_count == 0)
        return SIM_VERDICT_USAGE;
    if (campaign->has_differed)
        return SIM_VERDICT_DIFFERED;
    if (campaign->has_no_focus && worst == SIM_VERDICT_HELD)
        return SIM_VERDICT_USAGE;
    return is_whole || worst != SIM_VERDICT_HELD ? worst : SIM_VERDICT_USAGE;
}

static int fuzz_cell(struct scn_campaign *campaign, struct scn_results *results) {
    struct sim_workers workers = {
        .jobs = campaign->options->jobs > 0 ? campaign->options->jobs : sim_host_cpu_count(),
        .count = campaign->run_count,
        .result_bytes = scn_campaign_result_bytes(campaign),
        .context = campaign,
        .prepare = prepare,
        .run = run_one,
        .result = on_result,
        .progress = on_progress,
        .is_late = scn_campaign_is_late,
        .round = next_round,
        .learn = learn,
    };

    sim_host_workers_run(&workers);
    campaign->has_no_reader = campaign->has_no_reader || sim_host_is_unread();
    return conclude(campaign, !scn_workers_check(&workers), &workers, results);
}

/* A case of its own; the campaigns of the other files go on. */
static int note_bad_input(const char *file, struct scn_results *results) {
    struct scn_junit_case one = {.verdict = SIM_VERDICT_USAGE};

    snprintf(one.name, sizeof(one.name), "%.150s", file);
    snprintf(one.text, sizeof(one.text), "%s", scn_first_diagnostic());
    scn_results_add(results, &one);
    return SIM_VERDICT_USAGE;
}

/* All cells of one scenario. */
static int fuzz_file(const struct scn_options *options, const struct scn_known *known,
                     uint32_t operand, struct scn_results *results) {
    static struct scn_diagnostics diagnostics;
    int exit_code = SIM_VERDICT_HELD;
    uint32_t cell_count = 1;

    for (uint32_t cell = 0; cell < cell_count && !sim_host_interrupted(); cell++) {
        struct scn_campaign *campaign = calloc(1, sizeof(*campaign));
        struct scn_scenario *scenario;

        SIM_ASSERT(campaign != NULL);
        scn_diagnostics_init(&diagnostics);
        campaign->options = options;
        campaign->known = known;
        scenario = scn_scenario_load(options->operands[operand], options->sets, options->set_count,
                                     cell, &cell_count, &diagnostics);
        results->is_array = options->operand_count > 1 || cell_count > 1;
        if (scenario == NULL)
            scn_print_diagnostics(&diagnostics);
        scn_suffix(options, operand, cell, cell_count, campaign->suffix, sizeof(campaign->suffix));
        if (scenario != NULL && open_campaign(campaign, scenario, cell, cell_count))
            exit_code = scn_exit_worse(exit_code, fuzz_cell(campaign, results));
        else
            exit_code = note_bad_input(options->operands[operand], results);
        scn_campaign_free(campaign);
    }
    return exit_code;
}

int scn_command_fuzz(const struct scn_options *options) {
    struct scn_results results = {0};
    struct scn_known known = {NULL, 0};
    bool is_good = scn_place_operands_differ(options) && scn_known_read(&known, options);
    int exit_code = is_good ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE;
    bool has_run;

    sim_host_catch_interrupts();
    for (uint32_t i = 0; is_good && i < options->operand_count && !sim_host_interrupted(); i++)
        exit_code = scn_exit_worse(exit_code, fuzz_file(options, &known, i, &results));
    scn_known_free(&known);
    scn_places_leave();
    has_run = scn_results_have_run(&results);
    exit_code = scn_results_end(&results, options) ? exit_code : SIM_VERDICT_USAGE;
    return scn_say_error(options, has_run, exit_code);
}
