/* SPDX-License-Identifier: Apache-2.0 */
/* See conform.h: the file of what a provider claims. */
#include <ctype.h>
#include <errno.h>
#include <sim/object.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vrf/verifier.h>

#include "cli/conform.h"
#include "parse/complain.h"

static const char *skip_blanks(const char *at) {
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* The word at `at`, cut out of its line; the rest of the line is left. */
static char *take_word(char **at) {
    char *word = (char *)(uintptr_t)skip_blanks(*at);
    char *end = word;

    while (*end != '\0' && !isspace((unsigned char)*end))
        end++;
    *at = end;
    if (*end != '\0')
        *(*at)++ = '\0';
    return word;
}

static bool wrong(const char *file, uint32_t line, const char *what, const char *word) {
    scn_complain("%s:%u: %s%s%s", file, line, word, word[0] != '\0' ? ": " : "", what);
    return false;
}

/* "R-CQ-07-of-two-cqs", or "R-CQ-07/kept" in the folder of a rule. */
static const char *case_name(const struct scn_conform_case *one, char *name, size_t size) {
    const char *file = strrchr(one->path, '/');
    const char *folder = file;

    while (folder > one->path && folder[-1] != '/')
        folder--;
    if (strncmp(file + 1, "kept", 4) == 0)
        snprintf(name, size, "%s", folder);
    else
        snprintf(name, size, "%s", file + 1);
    name[strcspn(name, ".")] = '\0';
    return name;
}

/* False: there is no such case. */
static bool leave_out(struct scn_conform_cases *cases, const char *pattern) {
    bool is_any = false;
    char name[4096];

    for (size_t i = 0; i < cases->count; i++)
        if (sim_text_matches(case_name(&cases->entries[i], name, sizeof(name)), pattern)) {
            cases->entries[i].is_left_out = true;
            is_any = true;
        }
    return is_any;
}

/* A later line wins. False: the pattern matches no rule that binds providers. */
static bool apply(struct scn_claims *claims, const char *pattern, bool is_claimed,
                  const char *reason) {
    const struct vrf_rule *rule;
    bool is_any = false;

    for (size_t i = 0; (rule = vrf_rule_at(i)) != NULL && i < SCN_CLAIMS_MAX; i++) {
        struct scn_claim *claim = &claims->rules[i];

        if (rule->bound == VRF_CONSUMER || !sim_text_matches(rule->id, pattern))
            continue;
        is_any = true;
        claim->is_claimed = is_claimed;
        snprintf(claim->reason, sizeof(claim->reason), "%s", reason);
    }
    return is_any;
}

static bool take_line(struct scn_claims *claims, struct scn_conform_cases *cases, const char *file,
                      uint32_t number, char *line) {
    char *word = take_word(&line);
    bool is_claimed = strcmp(word, "not") != 0;
    const char *reason;

    if (word[0] == '\0' || word[0] == '#')
        return true;
    if (!is_claimed)
        word = take_word(&line);
    reason = skip_blanks(line);
    if (!is_claimed && reason[0] == '\0')
        return wrong(file, number, "say why it is not claimed", word);
    if (is_claimed && reason[0] != '\0')
        return wrong(file, number, "a rule alone claims it; \"not RULE WHY\" does not", word);
    return apply(claims, word, is_claimed, reason) || (!is_claimed && leave_out(cases, word)) ||
           wrong(file, number, "no rule of providers, and no case of one", word);
}

bool scn_claims_read(struct scn_claims *claims, struct scn_conform_cases *cases, const char *file) {
    char line[1024];
    bool is_good = true;
    FILE *stream = fopen(file, "r");

    memset(claims, 0, sizeof(*claims));
    if (stream == NULL) {
        scn_complain("--claims %s: %s", file, strerror(errno));
        return false;
    }
    for (uint32_t number = 1; is_good && fgets(line, sizeof(line), stream) != NULL; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        is_good = take_line(claims, cases, file, number, line);
    }
    fclose(stream);
    return is_good;
}
