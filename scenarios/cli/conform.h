/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `ndksim conform` runs: the cases of provider rules. A case is a scenario file named after
 * its rule, in one of two folders of the shipped data:
 *
 *   conform/R-CQ-07.json, conform/R-CQ-07-<what>.json     cases of their own
 *   rules/R-CQ-07/kept.json, rules/R-CQ-07/kept-<what>.json    what keeps a watched rule
 *
 * Adapters of a case that name no driver have the provider under test, and its device.
 *
 * A file of claims says which rules a provider is held to, a line each; a later line wins:
 *
 *   # comment
 *   R-*                                    all of them ...
 *   not R-SRQ-* MaxSrqDepth is 0.          ... but these, and why
 *   not R-CONN-01-shared WHY               a case that a claimed rule does without
 *   not R-LIFE-18/kept-inline WHY          the same in the folder of a rule
 */
#ifndef SCN_CLI_CONFORM_H
#define SCN_CLI_CONFORM_H

#include <sim/finding.h>

#include "cli/options.h"

struct scn_answers;
struct scn_driver;
struct scn_outcome;
struct scn_session;
struct vrf_rule;

enum scn_conform_state {
    SCN_CONFORM_NO_CASE,
    SCN_CONFORM_NOT_REACHED, /* the provider lacks what the case needs, or it ended before */
    SCN_CONFORM_KEPT,
    SCN_CONFORM_BROKEN,
};

struct scn_conform_case {
    size_t rule; /* index of vrf_rule_at */
    char path[4096];
    bool is_left_out; /* by the file of claims */
    enum scn_conform_state state;
    enum sim_verdict verdict;
    bool is_of_provider; /* whom the finding blames */
    char finding[32];    /* the id that decided, "" for none */
    char reason[512];
};

struct scn_conform_cases {
    struct scn_conform_case *entries; /* in the order of the rules, then by name */
    size_t count;
};

/* What a worker process says of a case. */
struct scn_conform_outcome {
    enum scn_conform_state state;
    enum sim_verdict verdict;
    bool is_provider; /* the module under test is one; true where the case does not load it */
    bool was_built;   /* the case could be set up: what is loaded before it runs was loaded */
    bool has_started; /* ... and that ended in no bugcheck */
    bool is_of_provider;
    char finding[sizeof(((struct scn_conform_case *)0)->finding)];
    char reason[sizeof(((struct scn_conform_case *)0)->reason)];
};

/* Adapters that name no driver of their own get the provider under test. */
bool scn_conform_is_under_test(const struct scn_driver *driver);
/* What a run of a case of the rule (index of vrf_rule_at) says. */
void scn_conform_judge(size_t rule, const struct scn_session *session,
                       const struct scn_answers *answers, const struct scn_outcome *outcome,
                       struct scn_conform_outcome *result);

/* All cases of a rule that binds providers. Ends the program when there is no folder of them. */
bool scn_conform_find(struct scn_conform_cases *cases);
void scn_conform_free(struct scn_conform_cases *cases);

#define SCN_CLAIMS_MAX 512u
struct scn_claim {
    bool is_claimed;
    char reason[512]; /* why not; "" of one that no line names */
};
/* By index of vrf_rule_at. */
struct scn_claims {
    struct scn_claim rules[SCN_CLAIMS_MAX];
};
/* Marks cases that it leaves out. False after an error that has been printed. */
bool scn_claims_read(struct scn_claims *claims, struct scn_conform_cases *cases, const char *file);

struct scn_conformance {
    const struct scn_options *options;
    struct scn_conform_cases cases;
    struct scn_options run_options; /* of one case; its driver overrides stand in `drivers` */
    char drivers[SCN_OPTION_LIST_MAX][512];
    char devices[SCN_OPTION_LIST_MAX][512];
    struct scn_claims claims;
    bool is_selected[SCN_CLAIMS_MAX];
    enum scn_conform_state states[SCN_CLAIMS_MAX];
    const struct scn_conform_case *decided_by[SCN_CLAIMS_MAX];
    uint32_t left_out_count; /* cases of claimed rules */
    bool has_bad_input;
    bool has_looked; /* the module is a provider */
};

/* "kept", "not reached"; for JSON with an underscore. */
const char *scn_conform_state_name(enum scn_conform_state state, bool is_json);

/* No file of claims, or one that names the rule. */
bool scn_conform_is_claimed(const struct scn_conformance *conformance, size_t rule);
/* To standard output, as text or JSON; `exit_code` is what the command will return. */
void scn_conform_tell(const struct scn_conformance *conformance, int exit_code);
/* What --junit asks for; false after an error that has been printed. */
bool scn_conform_write_junit(const struct scn_conformance *conformance);

int scn_command_conform(const struct scn_options *options);

#endif
