/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim explain --rule ID`: what must hold, who is bound, how it is held, what shows it; of a
 * recorded run: see explain_run.h.
 */
#include <dirent.h>
#include <sim/finding.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vrf/verifier.h>

#include "cli/conform.h"
#include "cli/explain_run.h"
#include "cli/rules.h"
#include "parse/complain.h"
#include "report/report.h"
#include "report/story_json.h"
#include "run/machine.h"

#define CASE_COUNT_MAX 64u

static const char *held_text(const struct vrf_rule *rule) {
    static const char *const texts[] = {
        "watched in every run that `ndksim` makes",
        "tested by the cases of `ndksim conform`",
        "by construction: no driver can break it",
        "a permission: nothing breaks it",
    };

    return vrf_rule_is_missing(rule) ? "to be watched; nobody looks yet" : texts[rule->held];
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The scenarios of a folder whose names begin with `prefix`. */
static void print_cases(const char *label, const char *folder, const char *prefix) {
    DIR *directory = opendir(folder);
    char *names[CASE_COUNT_MAX];
    struct dirent *entry;
    size_t count = 0;

    if (directory == NULL)
        return;
    while ((entry = readdir(directory)) != NULL && count < CASE_COUNT_MAX) {
        size_t length = strlen(prefix);

        if (strncmp(entry->d_name, prefix, length) != 0 ||
            (entry->d_name[length] != '.' && entry->d_name[length] != '-'))
            continue;
        names[count] = strdup(entry->d_name);
        SIM_ASSERT(names[count] != NULL);
        count++;
    }
    closedir(directory);
    qsort(names, count, sizeof(names[0]), by_text);
    for (size_t i = 0; i < count; i++) {
        printf("%-8s ndksim run %s/%s\n", i == 0 ? label : "", folder, names[i]);
        free(names[i]);
    }
}

static const char *area_of(const struct vrf_rule *rule) {
    const struct vrf_rule_area *area;

    for (size_t i = 0; (area = vrf_rule_area_at(i)) != NULL; i++)
        if (rule >= area->rows && rule < area->rows + area->count)
            return area->subject;
    return "";
}

static void explain(const struct vrf_rule *rule) {
    char folder[4096];

    printf("%s: %s\n", rule->id, rule->sentence);
    printf("area     %s\n", area_of(rule));
    printf("binds    %s\n", scn_rule_bound(rule));
    printf("held     %s\n", held_text(rule));
    if (rule->seen_as != NULL)
        printf("seen as  %s: %s\n", rule->seen_as, vrf_rule_find(rule->seen_as)->sentence);
    printf("severity %s\n", scn_rule_severity(rule));
    printf("correct  %s\n", rule->remedy);
    snprintf(folder, sizeof(folder), "%s/rules/%s", scn_data_dir(), rule->id);
    print_cases("keeps it", folder, "kept");
    print_cases("breaks", folder, "broken");
    snprintf(folder, sizeof(folder), "%s/conform", scn_data_dir());
    print_cases("tests it", folder, rule->id);
}

static void explain_json(const struct vrf_rule *rule, bool is_first) {
    fputs(is_first ? "[\n  {\"id\": " : ",\n  {\"id\": ", stdout);
    scn_json_string(stdout, rule->id);
    scn_json_member(stdout, "rule", rule->sentence);
    scn_json_member(stdout, "area", area_of(rule));
    scn_json_member(stdout, "binds", scn_rule_bound(rule));
    scn_json_member(stdout, "held", held_text(rule));
    if (rule->seen_as != NULL)
        scn_json_member(stdout, "seen_as", rule->seen_as);
    scn_json_member(stdout, "severity", scn_rule_severity(rule));
    scn_json_member(stdout, "correct", rule->remedy);
    putchar('}');
}

int scn_command_explain(const struct scn_options *options) {
    if ((options->operand_count == 0) == (options->rule_count == 0)) {
        scn_complain("explain: a recorded run or --rule ID is wanted (see ndksim list rules)");
        return SIM_VERDICT_USAGE;
    }
    if (options->operand_count > 0)
        return scn_explain_run(options);
    if (options->object != NULL || options->request != 0) {
        scn_complain("explain: --object and --request are about a recorded run");
        return SIM_VERDICT_USAGE;
    }
    for (uint32_t i = 0; i < options->rule_count; i++) {
        const struct vrf_rule *rule = vrf_rule_find(options->rules[i]);

        if (rule == NULL) {
            scn_say_unknown_rule(options->rules[i]);
            return SIM_VERDICT_USAGE;
        }
        if (options->json) {
            explain_json(rule, i == 0);
            continue;
        }
        if (i > 0)
            putchar('\n');
        explain(rule);
    }
    if (options->json)
        puts("\n]");
    return SIM_VERDICT_HELD;
}
