/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A failing run of a campaign, once more, with files that watch it. That happens in the round in
 * which it failed, while the explorer knows what it knew then, so that this run is that one; should
 * it be another all the same, that is verdict 5. It happens in a process of its own, as it may end
 * in an accident, or in the death that it died.
 */
#include <sim/host.h>
#include <stdio.h>
#include <string.h>

#include "cli/campaign.h"
#include "parse/complain.h"

struct seen {
    bool is_ready; /* the machine and the files could be made */
    bool is_whole;
    bool is_interrupted;
    uint64_t signature;
};

struct wanted {
    struct scn_campaign *campaign;
    const struct scn_distinct *distinct;
};

/* A process that dies leaves only what has been written out. */
static void write_each_line(const struct scn_session *session) {
    if (session->log.stream != NULL)
        setvbuf(session->log.stream, NULL, _IOLBF, 0);
    if (session->trace != NULL)
        setvbuf(session->trace, NULL, _IOLBF, 0);
}

static void run_again(void *context, void *result) {
    struct wanted *wanted = context;
    struct scn_campaign *campaign = wanted->campaign;
    uint64_t index = wanted->distinct->first_index;
    const struct scn_run_options options = scn_campaign_run_options(campaign, index);
    struct scn_outcome outcome;
    struct seen *seen = result;

    scn_session_contain();
    if (!scn_session_watch(&campaign->session, options.seed, campaign->suffix, false))
        return;
    seen->is_ready = true;
    if (wanted->distinct->is_death)
        write_each_line(&campaign->session);
    scn_campaign_run(campaign, index, &options, &outcome, NULL);
    seen->signature = outcome.signature;
    seen->is_interrupted = outcome.verdict == SIM_VERDICT_INTERRUPTED;
    seen->is_whole = scn_session_unwatch(&campaign->session);
}

static FILE *stream_of(const struct scn_campaign *campaign) {
    return campaign->options->json ? stderr : stdout;
}

static void say(const struct scn_campaign *campaign, const char *option, const char *file) {
    char path[4096];

    if (file != NULL)
        fprintf(stream_of(campaign), " %s %s", option,
                scn_suffixed(file, campaign->suffix, path, sizeof(path)));
}

static void say_files(const struct scn_campaign *campaign) {
    const struct scn_options *options = campaign->options;

    say(campaign, "--log", options->log_file);
    say(campaign, "--trace", options->trace_file);
    say(campaign, "--ports", options->ports_file);
    for (uint32_t i = 0; i < options->pcap_count; i++)
        say(campaign, "--pcap", options->pcaps[i]);
    fputc('\n', stream_of(campaign));
}

static bool judge(struct scn_campaign *campaign, const struct scn_distinct *distinct,
                  const struct seen *seen, const char *death) {
    unsigned long long index = distinct->first_index;

    if (death == NULL && !seen->is_ready)
        return false;
    if (death != NULL && !distinct->is_death) {
        scn_complain("run %llu, once more for its files, died: %s", index, death);
        return false;
    }
    if (death == NULL && !seen->is_interrupted && seen->signature != distinct->signature) {
        fprintf(stderr, "ndksim: run %llu, once more for its files, failed otherwise\n", index);
        campaign->has_differed = true;
    }
    if (campaign->options->verbosity > 0) {
        fprintf(stream_of(campaign), "files    run %llu (seed %llu), the first that failed:", index,
                (unsigned long long)distinct->first_seed);
        say_files(campaign);
    }
    return death != NULL || seen->is_whole;
}

bool scn_campaign_watch(struct scn_campaign *campaign, const struct scn_distinct *distinct) {
    struct wanted wanted = {campaign, distinct};
    struct seen seen = {0};
    char death[128];
    enum sim_host_apart_end end;

    if (sim_host_interrupted())
        return true;
    end = sim_host_apart(run_again, &wanted, &seen, sizeof(seen), death, sizeof(death));
    if (end == SIM_HOST_APART_REFUSED) {
        scn_complain("run %llu, once more for its files: no process: %s",
                     (unsigned long long)distinct->first_index, death);
        return false;
    }
    return judge(campaign, distinct, &seen, end == SIM_HOST_APART_DONE ? NULL : death);
}

void scn_campaign_watched_none(const struct scn_campaign *campaign) {
    if (!scn_session_has_files(campaign->options) || campaign->tally.failed_count > 0 ||
        campaign->options->verbosity == 0 || sim_host_interrupted())
        return;
    fputs("files    no run failed, none is written:", stream_of(campaign));
    say_files(campaign);
}
