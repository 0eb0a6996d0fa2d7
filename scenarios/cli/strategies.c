/* SPDX-License-Identifier: Apache-2.0 */
/* See strategies.h. */
#include "cli/strategies.h"

#include <sim/explore.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

#define NAME_COUNT_MAX 64u

static const char *nearest(const char *text) {
    const char *names[NAME_COUNT_MAX];
    size_t count = 0;

    while (count < NAME_COUNT_MAX && sim_strategy_at(count) != NULL) {
        names[count] = sim_strategy_at(count)->name;
        count++;
    }
    return scn_nearest(text, names, count);
}

static bool is_known(const char *name) {
    for (size_t i = 0; sim_strategy_at(i) != NULL; i++)
        if (strcmp(sim_strategy_at(i)->name, name) == 0)
            return true;
    return false;
}

bool scn_strategy_check(const char *text, char *error, size_t size) {
    const char *meant;
    char name[64];
    size_t length;

    if (sim_strategy_check(text, error, size))
        return true;
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ":"), text);
    meant = is_known(name) ? NULL : nearest(name);
    length = strlen(error);
    if (meant != NULL)
        snprintf(error + length, size - length, "; did you mean \"%s\"?", meant);
    else if (!is_known(name))
        snprintf(error + length, size - length, " (see ndksim list strategies)");
    return false;
}

static void print_line(const struct sim_strategy_about *strategy, bool is_default) {
    char name[64];

    snprintf(name, sizeof(name), "%s%s", strategy->name, strategy->argument != NULL ? ":N" : "");
    printf("%-12s %s", name, strategy->about);
    if (strategy->argument != NULL)
        printf(" N: %s, 1 to %u; %u when absent.", strategy->argument, strategy->argument_max,
               strategy->argument_default);
    puts(is_default ? " The default." : "");
}

static void print_json(const struct sim_strategy_about *strategy, bool is_default) {
    fputs(is_default ? "[\n  {\"name\": " : ",\n  {\"name\": ", stdout);
    scn_json_string(stdout, strategy->name);
    fputs(", \"about\": ", stdout);
    scn_json_string(stdout, strategy->about);
    if (strategy->argument != NULL) {
        fputs(", \"argument\": ", stdout);
        scn_json_string(stdout, strategy->argument);
        printf(", \"argument_default\": %u, \"argument_max\": %u", strategy->argument_default,
               strategy->argument_max);
    }
    printf(", \"exhaustive\": %s, \"default\": %s}", strategy->is_exhaustive ? "true" : "false",
           is_default ? "true" : "false");
}

int scn_list_strategies(const struct scn_options *options) {
    for (size_t i = 0; sim_strategy_at(i) != NULL; i++)
        (options->json ? print_json : print_line)(sim_strategy_at(i), i == 0);
    if (options->json)
        puts("\n]");
    return SIM_VERDICT_HELD;
}
