/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where driver modules, data and headers are: shipped ones beside the program (build tree: drivers/
 * and data/, installed: ../lib/ndksim/drivers, ../share/ndksim and ../include/ndksim), other
 * modules by path relative to their scenario.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sim/host.h>

#include "parse/tidy_path.h"
#include "run/machine.h"

static bool is_folder(const char *path) {
    return access(path, R_OK | X_OK) == 0;
}

/* `places` are relative to the program's folder; the first one when none is there. */
static const char *find_folder(const char *const *places, size_t count, char *folder, size_t size) {
    char program[2048], *slash;

    sim_host_program(program, sizeof(program));
    slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < count; i++) {
        snprintf(folder, size, "%s/%s", program, places[i]);
        if (is_folder(folder))
            return folder;
    }
    snprintf(folder, size, "%s/%s", program, places[0]);
    return folder;
}

const char *scn_module_dir(void) {
    static char folder[4096];
    static const char *const places[] = {"drivers", "../drivers", "../lib/ndksim/drivers"};
    const char *given = getenv("NDKSIM_DRIVER_DIR");

    if (given != NULL && *given != '\0')
        return given;
    if (folder[0] == '\0')
        find_folder(places, SIM_ARRAY_COUNT(places), folder, sizeof(folder));
    return folder;
}

const char *scn_data_dir(void) {
    static char folder[4096];
    static const char *const places[] = {"data", "../data", "../share/ndksim"};
    const char *given = getenv("NDKSIM_DATA_DIR");

    if (given != NULL && *given != '\0')
        return given;
    if (folder[0] == '\0')
        find_folder(places, SIM_ARRAY_COUNT(places), folder, sizeof(folder));
    return folder;
}

const char *scn_include_dir(void) {
    static char folder[4096];
    static const char *const places[] = {"data/include", "../data/include", "../include/ndksim"};

    if (folder[0] == '\0')
        find_folder(places, SIM_ARRAY_COUNT(places), folder, sizeof(folder));
    return folder;
}

static bool ends_with_so(const char *name) {
    size_t length = strlen(name);

    return length > 3 && strcmp(name + length - 3, ".so") == 0;
}

const char *scn_module_path(const struct scn_scenario *scenario, const char *module_dir,
                            const char *load, char *path, size_t size) {
    const char *folder = scenario != NULL ? scenario->folder : ".";

    if (strchr(load, '/') != NULL) {
        while (strncmp(load, "./", 2) == 0)
            load += 2;
        if (load[0] == '/' || strcmp(folder, ".") == 0)
            snprintf(path, size, "%s", load);
        else
            snprintf(path, size, "%s/%s", folder, load);
        scn_path_tidy(path, size);
    } else {
        snprintf(path, size, "%s/%s%s", module_dir != NULL ? module_dir : scn_module_dir(), load,
                 ends_with_so(load) ? "" : ".so");
    }
    return path;
}

char *scn_module_load_again(const char *override, const char *load, const char *path) {
    char *text = override != NULL && strchr(override, '/') != NULL ? realpath(path, NULL) : NULL;

    if (text == NULL)
        text = strdup(load);
    SIM_ASSERT(text != NULL);
    return text;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t scn_module_list(const char *folder, char **names, size_t count_max) {
    DIR *directory = opendir(folder);
    struct dirent *entry;
    size_t count = 0;

    if (directory == NULL)
        return 0;
    while ((entry = readdir(directory)) != NULL && count < count_max) {
        size_t length = strlen(entry->d_name);

        if (length <= 3 || strcmp(entry->d_name + length - 3, ".so") != 0)
            continue;
        names[count] = strdup(entry->d_name);
        SIM_ASSERT(names[count] != NULL);
        names[count++][length - 3] = '\0';
    }
    closedir(directory);
    qsort(names, count, sizeof(names[0]), by_text);
    return count;
}

void scn_module_free(char **names, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(names[i]);
}
