/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim fuzz`: many runs of a scenario, each with its own seed and random deviations from quiet,
 * over worker processes. See campaign.h for what is made of their results.
 */
#include <errno.h>
#include <sim/fault.h>
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/campaign.h"
#include "report/coverage_file.h"
#include "report/record.h"
#include "run/script.h"

#define RUNS_DEFAULT 1000u
#define SEED_DEFAULT 1u

/* The worker's side. */

static void prepare(void *context, uint32_t worker) {
    (void)worker;
    if (!scn_campaign_prepare(context))
        _exit(SIM_VERDICT_USAGE);
}

static void note_plans(const struct scn_campaign *campaign, struct scn_fuzz_result *result) {
    struct sim_world *world = campaign->session.machine->world;

    for (size_t i = 0; i < sim_fault_plan_count(world) && i < SCN_CAMPAIGN_PLAN_MAX; i++)
        if (sim_fault_plan_at(world, i)->fired_count > 0)
            result->fired[i / 64] |= UINT64_C(1) << (i % 64);
    for (uint32_t i = 0; i < campaign->scenario->step_count && i < SCN_CAMPAIGN_STEP_MAX; i++)
        if (scn_script_progress(campaign->session.machine, i) != SCN_WAITING)
            result->begun[i / 64] |= UINT64_C(1) << (i % 64);
}

static size_t run_one(void *context, uint64_t index, void *memory) {
    struct scn_campaign *campaign = context;
    struct scn_fuzz_result *result = memory;
    const struct scn_run_options options = scn_campaign_run_options(campaign, index);
    struct scn_outcome outcome;
    char path[1024];

    memset(result, 0, sizeof(*result));
    if (campaign->options->coverage_file != NULL)
        campaign->session.coverage = &result->coverage;
    scn_session_run(&campaign->session, &options, &outcome);
    result->verdict = (int32_t)outcome.verdict;
    result->signature = outcome.signature;
    result->order_hash = outcome.order_hash;
    result->deviation_count = (uint32_t)outcome.deviation_count;
    result->time_ns = outcome.time_ns;
    result->event_count = outcome.event_count;
    result->expected = outcome.expected_seen;
    result->until_reached = outcome.until_reached;
    snprintf(result->sentence, sizeof(result->sentence), "%.255s", outcome.reason);
    note_plans(campaign, result);
    if (outcome.verdict != SIM_VERDICT_HELD && outcome.verdict != SIM_VERDICT_INTERRUPTED) {
        scn_campaign_candidate(campaign, index, path, sizeof(path));
        result->record_error =
            scn_record_write(path, campaign->session.machine, &options, &outcome, "random");
    }
    return sizeof(*result);
}

/* The parent's side. */

static bool on_result(void *context, uint64_t index, const void *memory, size_t bytes,
                      const char *death) {
    struct scn_campaign *campaign = context;
    struct scn_fuzz_result result;

    if (bytes != sizeof(result)) {
        scn_campaign_take_death(campaign, index, death != NULL ? death : "no result");
        return !sim_host_interrupted();
    }
    memcpy(&result, memory, sizeof(result));
    if (result.verdict == SIM_VERDICT_INTERRUPTED)
        return false;
    scn_campaign_take(campaign, index, &result);
    return !sim_host_interrupted() &&
           (campaign->stop_wall_ns == 0 || sim_host_wall_ns() < campaign->stop_wall_ns);
}

static void on_progress(void *context, uint64_t done) {
    struct scn_campaign *campaign = context;
    uint64_t spent_ms = (sim_host_wall_ns() - campaign->start_wall_ns) / SIM_NS_PER_MS;

    if (!campaign->is_terminal)
        return;
    fprintf(stderr, "\r%llu of %llu runs, %llu/s, %zu distinct failures, %zu distinct orders ",
            (unsigned long long)done, (unsigned long long)campaign->run_count,
            (unsigned long long)(spent_ms > 0 ? done * 1000 / spent_ms : 0),
            campaign->distinct_count, campaign->orders.count);
    fflush(stderr);
}

static bool write_coverage(const struct scn_campaign *campaign) {
    const char *file = campaign->options->coverage_file;
    char path[4096];
    int error;

    if (file == NULL)
        return true;
    scn_suffixed(file, campaign->suffix, path, sizeof(path));
    error = scn_coverage_write(path, &campaign->coverage);
    if (error != 0)
        fprintf(stderr, "ndksim: --coverage %s: %s\n", path, strerror(error));
    return error == 0;
}

static int conclude(struct scn_campaign *campaign, struct scn_results *results) {
    enum sim_verdict worst = scn_campaign_worst(campaign);
    bool is_whole;

    if (campaign->is_terminal)
        fputs("\r\033[K", stderr);
    is_whole = write_coverage(campaign) && !campaign->record_failed;
    is_whole = scn_campaign_watch(campaign) && is_whole;
    scn_campaign_report(campaign, results);
    if (sim_host_interrupted())
        return SIM_VERDICT_INTERRUPTED;
    if (campaign->has_differed)
        return SIM_VERDICT_DIFFERED;
    return is_whole || worst != SIM_VERDICT_HELD ? (int)worst : SIM_VERDICT_USAGE;
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

/* Builds the machine once here, so that its errors are said once. */
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

static int fuzz_cell(struct scn_campaign *campaign, struct scn_results *results) {
    const struct scn_options *options = campaign->options;
    struct sim_workers workers = {
        .jobs = options->jobs > 0 ? options->jobs : sim_host_cpu_count(),
        .result_bytes = sizeof(struct scn_fuzz_result),
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
    return scn_workers_check(&workers) ? conclude(campaign, results) : SIM_VERDICT_USAGE;
}

static int worse(int a, int b) {
    if (a == SIM_VERDICT_USAGE || b == SIM_VERDICT_USAGE)
        return SIM_VERDICT_USAGE;
    if (a == SIM_VERDICT_INTERRUPTED || b == SIM_VERDICT_INTERRUPTED)
        return SIM_VERDICT_INTERRUPTED;
    return scn_campaign_weight((enum sim_verdict)b) > scn_campaign_weight((enum sim_verdict)a) ? b
                                                                                               : a;
}

/* All cells of one scenario. */
static int fuzz_file(const struct scn_options *options, uint32_t operand,
                     struct scn_results *results) {
    static struct scn_diagnostics diagnostics;
    int exit_code = SIM_VERDICT_HELD;
    uint32_t cell_count = 1;

    for (uint32_t cell = 0; cell < cell_count && !sim_host_interrupted(); cell++) {
        struct scn_campaign *campaign = calloc(1, sizeof(*campaign));

        SIM_ASSERT(campaign != NULL);
        scn_diagnostics_init(&diagnostics);
        campaign->options = options;
        campaign->file = options->operands[operand];
        campaign->cell = cell;
        campaign->scenario = scn_scenario_load(campaign->file, options->sets, options->set_count,
                                               cell, &cell_count, &diagnostics);
        if (campaign->scenario == NULL) {
            scn_print_diagnostics(&diagnostics);
            free(campaign);
            return SIM_VERDICT_USAGE;
        }
        campaign->cell_count = cell_count;
        scn_suffix(options, operand, cell, cell_count, campaign->suffix, sizeof(campaign->suffix));
        exit_code = worse(exit_code, fuzz_cell(campaign, results));
        scn_campaign_free(campaign);
        if (exit_code == SIM_VERDICT_USAGE)
            break;
    }
    return exit_code;
}

int scn_command_fuzz(const struct scn_options *options) {
    struct scn_results results = {NULL, 0, 0};
    int exit_code = SIM_VERDICT_HELD;

    sim_host_catch_interrupts();
    for (uint32_t i = 0;
         i < options->operand_count && exit_code != SIM_VERDICT_USAGE && !sim_host_interrupted();
         i++)
        exit_code = worse(exit_code, fuzz_file(options, i, &results));
    return scn_results_end(&results, options) ? exit_code : SIM_VERDICT_USAGE;
}
