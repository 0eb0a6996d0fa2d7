/* SPDX-License-Identifier: Apache-2.0 */
/* See conform.h: finding the cases. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vrf/verifier.h>

#include "cli/conform.h"
#include "parse/complain.h"
#include "run/machine.h"

static void add(struct scn_conform_cases *cases, size_t rule, const char *path) {
    struct scn_conform_case *one;

    if ((cases->count & (cases->count - 1)) == 0) {
        size_t capacity = cases->count > 0 ? cases->count * 2 : 1;

        cases->entries = realloc(cases->entries, capacity * sizeof(*cases->entries));
        SIM_ASSERT(cases->entries != NULL);
    }
    one = &cases->entries[cases->count++];
    memset(one, 0, sizeof(*one));
    one->rule = rule;
    snprintf(one->path, sizeof(one->path), "%s", path);
}

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), end_length = strlen(end);

    return length >= end_length && strcmp(name + length - end_length, end) == 0;
}

/* "R-CQ-07.json" and "R-CQ-07-of-two-cqs.json" are cases of R-CQ-07. */
static bool is_case_of(const char *name, const char *id) {
    size_t length = strlen(id);

    return strncmp(name, id, length) == 0 && (name[length] == '.' || name[length] == '-') &&
           ends_with(name, ".json");
}

static bool is_kept(const char *name) {
    return strncmp(name, "kept", 4) == 0 && (name[4] == '.' || name[4] == '-') &&
           ends_with(name, ".json");
}

static bool add_all(struct scn_conform_cases *cases, const char *folder, size_t rule,
                    const char *id) {
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char path[4096];

    if (directory == NULL)
        return false;
    while ((entry = readdir(directory)) != NULL) {
        if (id != NULL ? !is_case_of(entry->d_name, id) : !is_kept(entry->d_name))
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        add(cases, rule, path);
    }
    closedir(directory);
    return true;
}

static int by_rule_and_path(const void *a, const void *b) {
    const struct scn_conform_case *one = a, *other = b;

    if (one->rule != other->rule)
        return one->rule < other->rule ? -1 : 1;
    return strcmp(one->path, other->path);
}

bool scn_conform_find(struct scn_conform_cases *cases) {
    char folder[2048], of_rule[2112];
    const struct vrf_rule *rule;
    bool is_there = true;

    memset(cases, 0, sizeof(*cases));
    snprintf(folder, sizeof(folder), "%s/conform", scn_data_dir());
    for (size_t i = 0; (rule = vrf_rule_at(i)) != NULL && is_there; i++) {
        if (rule->bound == VRF_CONSUMER)
            continue;
        is_there = add_all(cases, folder, i, rule->id);
        snprintf(of_rule, sizeof(of_rule), "%s/rules/%s", scn_data_dir(), rule->id);
        add_all(cases, of_rule, i, NULL);
    }
    if (!is_there)
        scn_complain("%s: no cases there", folder);
    if (cases->count > 0)
        qsort(cases->entries, cases->count, sizeof(*cases->entries), by_rule_and_path);
    return is_there;
}

void scn_conform_free(struct scn_conform_cases *cases) {
    free(cases->entries);
    memset(cases, 0, sizeof(*cases));
}

const char *scn_conform_state_name(enum scn_conform_state state, bool is_json) {
    static const char *const names[][2] = {
        [SCN_CONFORM_NO_CASE] = {"no case", "no_case"},
        [SCN_CONFORM_NOT_REACHED] = {"not reached", "not_reached"},
        [SCN_CONFORM_KEPT] = {"kept", "kept"},
        [SCN_CONFORM_BROKEN] = {"broken", "broken"}};

    return names[state][is_json];
}
