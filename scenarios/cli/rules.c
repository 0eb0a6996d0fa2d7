/* SPDX-License-Identifier: Apache-2.0 */
/* See rules.h. Numbered rules and those of our own are counted apart. */
#include "cli/rules.h"

#include <sim/finding.h>
#include <stdio.h>
#include <string.h>
#include <vrf/verifier.h>

#include "parse/complain.h"
#include "report/report.h"

#define OWN "R-OWN"

struct tally {
    uint32_t by_held[VRF_PERMISSION + 1];
    uint32_t by_bound[VRF_BOTH + 1];
    uint32_t missing;
    uint32_t count;
};

const char *scn_rule_bound(const struct vrf_rule *rule) {
    static const char *const names[] = {"consumer", "provider", "both"};

    return names[rule->bound];
}

const char *scn_rule_held(const struct vrf_rule *rule) {
    static const char *const names[] = {"watched", "tested", "construction", "permission"};

    return names[rule->held];
}

const char *scn_rule_severity(const struct vrf_rule *rule) {
    static const char *const names[] = {"error", "warn", "off"};

    return names[rule->severity];
}

void scn_say_unknown_rule(const char *id) {
    const char *names[512], *nearest;
    size_t known = 0;

    while (known < SIM_ARRAY_COUNT(names) && vrf_rule_at(known) != NULL) {
        names[known] = vrf_rule_at(known)->id;
        known++;
    }
    nearest = scn_nearest(id, names, known);
    scn_complain("--rule %s: there is no such rule%s%s%s", id,
                 nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "\"?" : "");
}

static void count(struct tally *tally, const struct vrf_rule *rule) {
    tally->by_held[rule->held]++;
    tally->by_bound[rule->bound]++;
    tally->missing += vrf_rule_is_missing(rule);
    tally->count++;
}

static void print_rule(const struct vrf_rule *rule) {
    printf("%-10s %-8s %-12s %-5s %s", rule->id, scn_rule_bound(rule), scn_rule_held(rule),
           scn_rule_severity(rule), rule->sentence);
    if (rule->seen_as != NULL)
        printf(" (seen as %s)", rule->seen_as);
    puts(vrf_rule_is_missing(rule) ? " (nobody looks yet)" : "");
}

static void print_tally(const struct tally *tally) {
    printf("%u watched", tally->by_held[VRF_WATCHED]);
    if (tally->missing > 0)
        printf(" (%u of them not yet)", tally->missing);
    printf(", %u tested, %u by construction, %u permissions\n", tally->by_held[VRF_TESTED],
           tally->by_held[VRF_CONSTRUCTION], tally->by_held[VRF_PERMISSION]);
}

static void print_all(void) {
    struct tally numbered = {0}, own = {0};
    const struct vrf_rule_area *area;

    for (size_t i = 0; (area = vrf_rule_area_at(i)) != NULL; i++) {
        printf("%s%s: %s (%zu)\n", i > 0 ? "\n" : "", area->name, area->subject, area->count);
        for (size_t k = 0; k < area->count; k++) {
            print_rule(&area->rows[k]);
            count(strcmp(area->name, OWN) == 0 ? &own : &numbered, &area->rows[k]);
        }
    }
    printf("\n%u rules bind %u times providers, %u times consumers, %u times both: ",
           numbered.count, numbered.by_bound[VRF_PROVIDER], numbered.by_bound[VRF_CONSUMER],
           numbered.by_bound[VRF_BOTH]);
    print_tally(&numbered);
    printf("%u of our own (" OWN "): ", own.count);
    print_tally(&own);
}

static void member(const char *key, const char *text) {
    printf(", \"%s\": ", key);
    scn_json_string(stdout, text);
}

static void print_json(void) {
    const struct vrf_rule_area *area;

    for (size_t i = 0; (area = vrf_rule_area_at(i)) != NULL; i++) {
        for (size_t k = 0; k < area->count; k++) {
            const struct vrf_rule *rule = &area->rows[k];

            printf("%s\n  {\"id\": \"%s\"", i + k > 0 ? "," : "[", rule->id);
            member("area", area->name);
            member("bound", scn_rule_bound(rule));
            member("held", scn_rule_held(rule));
            member("severity", scn_rule_severity(rule));
            if (rule->seen_as != NULL)
                member("seen_as", rule->seen_as);
            printf(", \"missing\": %s", vrf_rule_is_missing(rule) ? "true" : "false");
            member("sentence", rule->sentence);
            member("remedy", rule->remedy);
            putchar('}');
        }
    }
    puts("\n]");
}

int scn_list_rules(const struct scn_options *options) {
    if (options->json)
        print_json();
    else
        print_all();
    return SIM_VERDICT_HELD;
}
