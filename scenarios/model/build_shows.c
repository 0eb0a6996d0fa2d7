/* SPDX-License-Identifier: Apache-2.0 */
/* "shows": the statuses that a scenario brings about, held against the facts of the interface. */
#include <string.h>

#include "model/build.h"
#include "model/status_facts.h"

#define NAME_COUNT_MAX 512u

static void diagnose_function(struct scn_build *build, const struct scn_value *function) {
    const char *names[NAME_COUNT_MAX], *nearest;
    const struct scn_status_fact *fact;
    size_t count = 0;

    for (size_t i = 0; (fact = scn_status_fact_at(i)) != NULL && count < NAME_COUNT_MAX; i++)
        if (count == 0 || strcmp(names[count - 1], fact->function) != 0)
            names[count++] = fact->function;
    nearest = scn_nearest(function->key, names, count);
    scn_diagnose_value(build->diagnostics, function, true,
                       "there is no function \"%s\" that answers with a status%s%s%s",
                       function->key, nearest != NULL ? "; did you mean \"" : "",
                       nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

static void check_status(struct scn_build *build, const char *function, enum scn_route route,
                         const struct scn_value *status) {
    const struct scn_status_fact *fact = scn_status_fact_find(function, status->string);

    if (fact == NULL)
        scn_diagnose_value(build->diagnostics, status, false, "%s is not listed with %s", function,
                           status->string);
    else if ((fact->routes >> route & 1) == 0)
        scn_diagnose_value(build->diagnostics, status, false,
                           "%s is not listed with %s on the route \"%s\"", function, status->string,
                           scn_route_name(route));
}

static bool is_function(const char *name) {
    const struct scn_status_fact *fact;

    for (size_t i = 0; (fact = scn_status_fact_at(i)) != NULL; i++)
        if (strcmp(fact->function, name) == 0)
            return true;
    return false;
}

static void check_function(struct scn_build *build, const struct scn_value *function) {
    if (!is_function(function->key)) {
        diagnose_function(build, function);
        return;
    }
    for (uint32_t route = 0; route < SCN_ROUTE_COUNT; route++) {
        const struct scn_value *list = scn_member(function, scn_route_name(route));

        for (const struct scn_value *one = list ? list->first : NULL; one; one = one->next)
            check_status(build, function->key, (enum scn_route)route, one);
    }
}

void scn_build_shows(struct scn_build *build) {
    const struct scn_value *shows = scn_member(build->document->root, "shows");

    for (const struct scn_value *one = shows ? shows->first : NULL; one; one = one->next)
        check_function(build, one);
}
