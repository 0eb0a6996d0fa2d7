/* SPDX-License-Identifier: Apache-2.0 */
/* What the program says of the verifier's rules. */
#ifndef SCN_CLI_RULES_H
#define SCN_CLI_RULES_H

#include "cli/options.h"

struct vrf_rule;

/* "provider", "watched", "error". */
const char *scn_rule_bound(const struct vrf_rule *rule);
const char *scn_rule_held(const struct vrf_rule *rule);
const char *scn_rule_severity(const struct vrf_rule *rule);

/* "ndksim: --rule ID: there is no such rule; did you mean ...". */
void scn_say_unknown_rule(const char *id);

/* `ndksim list rules`: by area, then how many there are; with --json a list of rows. */
int scn_list_rules(const struct scn_options *options);
/* `ndksim list checks`: the page docs/checks.md. */
int scn_list_checks(const struct scn_options *options);
/* `ndksim list statuses`: what each function may answer, and the scenario that shows it. */
int scn_list_statuses(const struct scn_options *options);

#endif
