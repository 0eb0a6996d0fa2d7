/* SPDX-License-Identifier: Apache-2.0 */
/* See known.h. */
#include "cli/known.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "parse/complain.h"
#include "parse/tidy_path.h"
#include "report/record.h"

static bool ends_in(const char *name, const char *suffix) {
    size_t length = strlen(name), wanted = strlen(suffix);

    return name[0] != '.' && length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **scn_folder_list(const char *option, const char *folder, const char *suffix, size_t *count) {
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    char **paths = malloc(sizeof(*paths));
    size_t length = strlen(folder);

    *count = 0;
    SIM_ASSERT(paths != NULL);
    if (directory == NULL) {
        scn_complain("%s%s%s: %s", option, option[0] != '\0' ? " " : "", folder, strerror(errno));
        free(paths);
        return NULL;
    }
    while ((entry = readdir(directory)) != NULL) {
        size_t bytes = length + strlen(entry->d_name) + 2;

        if (!ends_in(entry->d_name, suffix))
            continue;
        paths = realloc(paths, (*count + 1) * sizeof(*paths));
        SIM_ASSERT(paths != NULL);
        paths[*count] = malloc(bytes);
        SIM_ASSERT(paths[*count] != NULL);
        snprintf(paths[(*count)++], bytes, "%s%s%s", folder,
                 length > 0 && folder[length - 1] == '/' ? "" : "/", entry->d_name);
        scn_path_tidy(paths[*count - 1], bytes);
    }
    closedir(directory);
    if (*count > 0)
        qsort(paths, *count, sizeof(*paths), by_text);
    return paths;
}

void scn_folder_free(char **paths, size_t count) {
    for (size_t i = 0; paths != NULL && i < count; i++)
        free(paths[i]);
    free(paths);
}

/* Takes over `file`. */
static bool add(struct scn_known *known, char *file) {
    static struct scn_diagnostics diagnostics;
    struct scn_record *record;

    known->entries = realloc(known->entries, (known->count + 1) * sizeof(*known->entries));
    SIM_ASSERT(known->entries != NULL);
    known->entries[known->count++] = (struct scn_known_one){0, file};
    scn_diagnostics_init(&diagnostics);
    record = scn_record_read(file, &diagnostics);
    if (record == NULL) {
        scn_print_diagnostics(&diagnostics);
        return false;
    }
    known->entries[known->count - 1].signature = record->signature;
    scn_record_free(record);
    return true;
}

bool scn_known_read(struct scn_known *known, const struct scn_options *options) {
    bool is_good = true;

    for (uint32_t i = 0; i < options->known_count; i++) {
        size_t count;
        char **paths = scn_folder_list("--known", options->knowns[i], ".ndkrun", &count);

        is_good = is_good && paths != NULL;
        for (size_t k = 0; paths != NULL && k < count; k++)
            is_good = add(known, paths[k]) && is_good;
        free(paths);
    }
    return is_good;
}

void scn_known_free(struct scn_known *known) {
    for (size_t i = 0; i < known->count; i++)
        free(known->entries[i].file);
    free(known->entries);
    memset(known, 0, sizeof(*known));
}

const char *scn_known_find(const struct scn_known *known, uint64_t signature) {
    for (size_t i = 0; i < known->count; i++)
        if (known->entries[i].signature == signature)
            return known->entries[i].file;
    return NULL;
}
