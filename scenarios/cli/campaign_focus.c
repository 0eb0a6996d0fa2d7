/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --focus: whether some run has had what it names. Objects are born in runs, some of them only in
 * runs that go wrong, so that this is known when two rounds are over (64 runs), and not before.
 */
#include <sim/host.h>
#include <stdlib.h>
#include <string.h>

#include "cli/campaign.h"
#include "parse/complain.h"
#include "report/plural.h"

#define NAMES_MAX 96u
#define COLUMNS 96u

bool scn_campaign_has_focus(struct scn_campaign *campaign) {
    const char *focus = campaign->options->focus;
    const void *lesson;

    if (focus == NULL || strcmp(focus, "none") == 0)
        return true;
    if (sim_explorer_counts(campaign->explorer).object_count == 0)
        sim_explorer_round_end(campaign->explorer, &lesson);
    return sim_explorer_counts(campaign->explorer).object_count > 0;
}

/* "client.qp[3]" becomes "client.qp[*]". */
static void generalise(char *name) {
    char *to = name;

    for (const char *from = name; *from != '\0'; from++) {
        *to++ = *from;
        if (*from == '[' && from[1] >= '0' && from[1] <= '9') {
            while (from[1] >= '0' && from[1] <= '9')
                from++;
            *to++ = '*';
        }
    }
    *to = '\0';
}

struct names {
    char texts[NAMES_MAX][SIM_NAME_BYTES];
    uint32_t count;
    bool has_more;
};

static void add(struct names *names, const struct sim_object *object) {
    char name[SIM_NAME_BYTES + 2];

    sim_object_name(object, name, SIM_NAME_BYTES);
    generalise(name);
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->texts[i], name) == 0)
            return;
    names->has_more = names->count == NAMES_MAX;
    if (!names->has_more)
        snprintf(names->texts[names->count++], SIM_NAME_BYTES, "%.*s", (int)SIM_NAME_BYTES - 1,
                 name);
}

static void print_names(const struct names *names) {
    size_t column = 0;

    for (uint32_t i = 0; i < names->count; i++) {
        size_t length = strlen(names->texts[i]) + 1;

        if (column == 0 || column + length > COLUMNS)
            column = (size_t)fprintf(stderr, "%s  %s", column > 0 ? "\n" : "", names->texts[i]);
        else
            column += (size_t)fprintf(stderr, " %s", names->texts[i]);
    }
    fprintf(stderr, "%s\n", names->has_more ? " ..." : "");
}

/* A quiet run, for the names of what is there. */
static void list(void *context, void *memory) {
    struct scn_campaign *campaign = context;
    const struct sim_world *world = campaign->session.machine->world;
    const struct scn_run_options options = {.seed = scn_campaign_seed(campaign, 0),
                                            .until_ns = campaign->options->until_ns};
    struct scn_outcome outcome;
    struct names *names = memory;

    scn_session_contain();
    scn_session_run(&campaign->session, &options, &outcome);
    krn_images_readable(); /* names may be a driver's */
    for (uint32_t id = 1; id <= sim_object_count(world); id++)
        if (sim_object_by_id(world, id) != NULL)
            add(names, sim_object_by_id(world, id));
}

static const char *nearest_of(const struct names *names, const char *focus) {
    const char *words[NAMES_MAX];

    for (uint32_t i = 0; i < names->count; i++)
        words[i] = names->texts[i];
    return scn_nearest(focus, words, names->count);
}

void scn_campaign_say_no_focus(struct scn_campaign *campaign) {
    struct names *names = calloc(1, sizeof(*names));
    char death[64];
    const char *nearest;
    bool is_listed;

    SIM_ASSERT(names != NULL);
    is_listed = sim_host_apart(list, campaign, names, sizeof(*names), death, sizeof(death)) ==
                SIM_HOST_APART_DONE;
    nearest = is_listed ? nearest_of(names, campaign->options->focus) : NULL;
    scn_complain("--focus %s: nothing of that name was in %llu run%s of %s%s%s%s; a quiet run has "
                 "(ndksim list objects):",
                 campaign->options->focus, (unsigned long long)campaign->tally.run_count,
                 scn_plural(campaign->tally.run_count), campaign->scenario->name,
                 nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "\"?" : "");
    if (is_listed)
        print_names(names);
    else
        fprintf(stderr, "  (%s)\n", death);
    free(names);
}
