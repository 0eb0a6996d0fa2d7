/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder for each process below TMPDIR, for files that live as long as the process. One that is
 * forked to do something is given its folder by its parent, who removes it when that process is
 * gone: one that was killed leaves nothing behind.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_private.h"

static char own[SIM_SCRATCH_BYTES];
static pid_t owner; /* whose `own` is */

bool sim_host_scratch_make(char path[SIM_SCRATCH_BYTES]) {
    const char *folder = getenv("TMPDIR");
    int length;
    if (folder == NULL || folder[0] == '\0') {
        folder = "/tmp";
    }
    length = snprintf(path, SIM_SCRATCH_BYTES, "%s/ndksim-XXXXXX", folder);
    if (length < 0 || (size_t)length >= SIM_SCRATCH_BYTES) {
        errno = ENAMETOOLONG;
    } else if (mkdtemp(path) != NULL) {
        return true;
    }
    path[0] = '\0';
    return false;
}

/* Whatever is in it, and whether a module was ever opened or not. */
static void on_exit_here(void) {
    if (owner == getpid()) {
        owner = 0;
        sim_host_scratch_remove(own);
    }
}

void sim_host_scratch_take(const char *path) {
    static bool has_exit_handler;
    (void)snprintf(own, sizeof(own), "%s", path);
    owner = getpid();
    if (!has_exit_handler) {
        has_exit_handler = true;
        (void)atexit(on_exit_here);
        sim_leave_hook_add(sim_host_scratch_leave);
    }
}

const char *sim_host_scratch(void) {
    char path[SIM_SCRATCH_BYTES];
    if (owner != getpid()) {
        if (!sim_host_scratch_make(path)) {
            return NULL;
        }
        sim_host_scratch_take(path);
    }
    return own;
}

void sim_host_scratch_leave(void) {
    if (owner == getpid()) {
        (void)rmdir(own);
        owner = 0;
    }
}

void sim_host_scratch_remove(const char *path) {
    char file[SIM_SCRATCH_BYTES + 300];
    struct dirent *entry;
    DIR *folder = path[0] != '\0' ? opendir(path) : NULL;
    if (folder == NULL) {
        if (path[0] != '\0') {
            (void)rmdir(path); /* no descriptor is left to look inside */
        }
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            (void)snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
            (void)unlink(file);
        }
    }
    (void)closedir(folder);
    (void)rmdir(path);
}
