/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ndksim list statuses`: for each function, status and route of the interface the shipped scenario
 * that brings it about, as the scenarios themselves declare it.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/rules.h"
#include "cli/session.h"
#include "model/status_facts.h"
#include "parse/complain.h"
#include "report/report.h"
#include "run/machine.h"

#define FILE_COUNT_MAX 512u

struct shown_file {
    char name[256];
    struct scn_document *document;
};

struct shown {
    struct shown_file files[FILE_COUNT_MAX];
    size_t count;
};

static int by_name(const void *a, const void *b) {
    const struct shown_file *one = a, *other = b;

    return strcmp(one->name, other->name);
}

static bool find_files(struct shown *shown, const char *folder) {
    DIR *directory = opendir(folder);
    struct dirent *entry;

    if (directory == NULL) {
        scn_complain("list statuses: the folder of the scenarios that show them is not there: "
                     "%s (installed beside the program: share/ndksim)",
                     folder);
        return false;
    }
    while ((entry = readdir(directory)) != NULL && shown->count < FILE_COUNT_MAX) {
        size_t length = strlen(entry->d_name);

        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0 ||
            length >= sizeof(shown->files[0].name))
            continue;
        memcpy(shown->files[shown->count++].name, entry->d_name, length + 1);
    }
    closedir(directory);
    if (shown->count > 0)
        qsort(shown->files, shown->count, sizeof(shown->files[0]), by_name);
    return true;
}

static bool load_files(struct shown *shown, const char *folder) {
    static struct scn_diagnostics diagnostics;
    char path[4096];

    for (size_t i = 0; i < shown->count; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, shown->files[i].name);
        scn_diagnostics_init(&diagnostics);
        shown->files[i].document = scn_merge(path, NULL, 0, 0, NULL, &diagnostics);
        if (shown->files[i].document == NULL) {
            scn_print_diagnostics(&diagnostics);
            return false;
        }
    }
    return true;
}

static bool declares(const struct scn_document *document, const struct scn_status_fact *fact,
                     enum scn_route route) {
    const struct scn_value *shows = scn_member(document->root, "shows");
    const struct scn_value *list =
        scn_member(scn_member(shows, fact->function), scn_route_name(route));

    for (const struct scn_value *one = list ? list->first : NULL; one; one = one->next)
        if (one->type == SCN_STRING && strcmp(one->string, fact->status) == 0)
            return true;
    return false;
}

/* The first in the order of names; NULL when none does. */
static const char *shown_by(const struct shown *shown, const struct scn_status_fact *fact,
                            enum scn_route route) {
    for (size_t i = 0; i < shown->count; i++)
        if (declares(shown->files[i].document, fact, route))
            return shown->files[i].name;
    return NULL;
}

static void print_one(const struct scn_status_fact *fact, enum scn_route route, const char *by,
                      bool is_first, bool is_json) {
    if (!is_json) {
        printf("%-32s %-32s %-8s %s\n", fact->function, fact->status, scn_route_name(route),
               by != NULL ? by : "no scenario yet");
        return;
    }
    printf("%s\n  {\"function\": \"%s\", \"status\": \"%s\", \"route\": \"%s\", \"scenario\": ",
           is_first ? "[" : ",", fact->function, fact->status, scn_route_name(route));
    if (by != NULL)
        scn_json_string(stdout, by);
    else
        fputs("null", stdout);
    putchar('}');
}

static void print_all(const struct shown *shown, const char *folder, bool is_json) {
    const struct scn_status_fact *fact;
    uint32_t listed = 0, missing = 0;

    for (size_t i = 0; (fact = scn_status_fact_at(i)) != NULL; i++) {
        for (uint32_t route = 0; route < SCN_ROUTE_COUNT; route++) {
            const char *by;

            if ((fact->routes >> route & 1) == 0)
                continue;
            by = shown_by(shown, fact, (enum scn_route)route);
            print_one(fact, (enum scn_route)route, by, listed == 0, is_json);
            listed++;
            missing += by == NULL;
        }
    }
    if (is_json)
        puts("\n]");
    else
        printf("\n%u statuses on their routes, %u without a scenario; scenarios are in %s\n",
               listed, missing, folder);
}

int scn_list_statuses(const struct scn_options *options) {
    static struct shown shown;
    char folder[2048];
    bool is_good;

    memset(&shown, 0, sizeof(shown));
    snprintf(folder, sizeof(folder), "%s/statuses", scn_data_dir());
    is_good = find_files(&shown, folder) && load_files(&shown, folder);
    if (is_good)
        print_all(&shown, folder, options->json);
    for (size_t i = 0; i < shown.count; i++)
        scn_document_free(shown.files[i].document);
    return is_good ? SIM_VERDICT_HELD : SIM_VERDICT_USAGE;
}
