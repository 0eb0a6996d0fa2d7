/* SPDX-License-Identifier: Apache-2.0 */
/* When a campaign ends before all its runs are done, and what is said of that. */
#include <sim/host.h>

#include "cli/campaign.h"
#include "report/plural.h"

/* A run under way when the time is over may take this much more, or the time's tenth. */
#define GRACE_NS (2 * SIM_NS_PER_S)
/* A run that an interrupt has cut short is worth a word when it had taken this long. */
#define LONG_NS SIM_NS_PER_S

bool scn_campaign_has_time_left(const struct scn_campaign *campaign) {
    return campaign->stop_wall_ns == 0 || sim_host_wall_ns() < campaign->stop_wall_ns;
}

bool scn_campaign_has_found_enough(const struct scn_campaign *campaign) {
    const struct scn_tally *tally = &campaign->tally;
    uint64_t count = 0;

    for (size_t i = 0; campaign->options->stop_after > 0 && i < tally->distinct_count; i++)
        count += !tally->distinct[i].is_known;
    return campaign->options->stop_after > 0 && count >= campaign->options->stop_after;
}

void scn_campaign_say_stopped(struct scn_campaign *campaign, const char *option, uint64_t next) {
    unsigned long long done = campaign->tally.run_count, into = next - campaign->round_first;

    if (into == 0)
        snprintf(campaign->stopped, sizeof(campaign->stopped),
                 "stopped  by %s after %llu run%s, where round %llu ended", option, done,
                 scn_plural(done), (unsigned long long)campaign->round - 1);
    else
        snprintf(campaign->stopped, sizeof(campaign->stopped),
                 "stopped  by %s after %llu run%s, %llu into round %llu; --runs %llu does the same "
                 "ones",
                 option, done, scn_plural(done), into, (unsigned long long)campaign->round, done);
}

bool scn_campaign_is_late(void *context) {
    const struct scn_campaign *campaign = context;
    uint64_t grace_ns = campaign->options->time_ns / 10;

    if (grace_ns < GRACE_NS)
        grace_ns = GRACE_NS;
    return campaign->stop_wall_ns != 0 && sim_host_wall_ns() > campaign->stop_wall_ns + grace_ns;
}

void scn_campaign_say_interrupted(struct scn_campaign *campaign,
                                  const struct sim_workers *workers) {
    unsigned long long done = campaign->tally.run_count;
    unsigned long long tenths = workers->unfinished_ns / (SIM_NS_PER_S / 10);
    int length = snprintf(campaign->stopped, sizeof(campaign->stopped),
                          "interrupted%s after %llu run%s; what was found is kept",
                          workers->was_late ? " by --time" : "", done, scn_plural(done));

    if (workers->unfinished_ns >= LONG_NS)
        snprintf(campaign->stopped + length, sizeof(campaign->stopped) - (size_t)length,
                 "\nunfinished run %llu (seed %llu) after %llu.%llu s; --seed %llu --runs %llu "
                 "comes to it again",
                 (unsigned long long)workers->unfinished,
                 (unsigned long long)scn_campaign_seed(campaign, workers->unfinished), tenths / 10,
                 tenths % 10, (unsigned long long)campaign->tally.parts[0].seed,
                 ((unsigned long long)workers->unfinished + 1) *
                     campaign->tally.parts[0].shard_count);
}
