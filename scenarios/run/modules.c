/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where driver modules are: shipped ones beside the program (build tree: drivers/, installed:
 * ../lib/ndksim/drivers), others by path relative to their scenario.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sim/host.h>

#include "run/machine.h"

static bool is_folder(const char *path) {
    return access(path, R_OK | X_OK) == 0;
}

const char *scn_module_dir(void) {
    static char folder[4096];
    static const char *const places[] = {"drivers", "../drivers", "../lib/ndksim/drivers"};
    const char *given = getenv("NDKSIM_DRIVER_DIR");
    char program[2048], *slash;

    if (given != NULL && *given != '\0')
        return given;
    if (folder[0] != '\0')
        return folder;
    sim_host_program(program, sizeof(program));
    slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < SIM_ARRAY_COUNT(places); i++) {
        snprintf(folder, sizeof(folder), "%s/%s", program, places[i]);
        if (is_folder(folder))
            return folder;
    }
    snprintf(folder, sizeof(folder), "%s/drivers", program);
    return folder;
}

const char *scn_module_path(const struct scn_scenario *scenario, const char *module_dir,
                            const char *load, char *path, size_t size) {
    if (load[0] == '/')
        snprintf(path, size, "%s", load);
    else if (strchr(load, '/') != NULL)
        snprintf(path, size, "%s/%s", scenario->folder, load);
    else
        snprintf(path, size, "%s/%s.so", module_dir != NULL ? module_dir : scn_module_dir(), load);
    return path;
}
