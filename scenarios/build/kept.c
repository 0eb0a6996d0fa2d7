/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `--prepare` leaves for a build system, besides the forwarding headers:
 *
 *   ndksim_prepared.h   goes in front of each source; changes when the sources' options do
 *   KEY.options         of one source, for @: "-O0" when it has a guarded block
 *   prepared.d          all files that were looked at, as a make rule of ...
 *   prepared            ... the mark that all is done
 *
 * KEY is the last 200 characters of the source's path, what is no letter or digit as "_"
 * (cmake/NdksimDriver.cmake has it so too). Files that are as they were keep their time.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/driver.h"

#define PATH_BYTES 2048u
#define KEY_LENGTH 200u

static void key_of(const char *path, char key[KEY_LENGTH + 1]) {
    size_t length = strlen(path);

    if (length > KEY_LENGTH)
        path += length - KEY_LENGTH;
    snprintf(key, KEY_LENGTH + 1, "%s", path);
    for (char *at = key; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
}

static bool write_options(const struct build_driver *driver) {
    bool is_good = true;

    for (size_t i = 0; is_good && i < driver->sources.count; i++) {
        char key[KEY_LENGTH + 1], file[PATH_BYTES];

        key_of(driver->sources.items[i], key);
        snprintf(file, sizeof(file), "%.1000s/%s.options", driver->scratch, key);
        is_good = build_file_write(file, build_has_guard(driver, driver->sources.items[i]) ? "-O0\n"
                                                                                           : "\n");
    }
    return is_good;
}

/* A text of parts, one for each file. */
static bool write_list(const struct build_driver *driver, const char *name, const char *head,
                       const struct build_list *files, const char *before, const char *after) {
    char file[PATH_BYTES];
    size_t bytes = strlen(head) + 1, used;
    char *text;
    bool is_good;

    for (size_t i = 0; i < files->count; i++)
        bytes += 2 * strlen(files->items[i]) + strlen(before) + strlen(after);
    text = malloc(bytes);
    SIM_ASSERT(text != NULL);
    used = (size_t)snprintf(text, bytes, "%s", head);
    for (size_t i = 0; i < files->count; i++) {
        used += (size_t)snprintf(text + used, bytes - used, "%s", before);
        for (const char *at = files->items[i]; *at != '\0'; at++) {
            if (*at == ' ')
                text[used++] = '\\';
            text[used++] = *at;
        }
        used += (size_t)snprintf(text + used, bytes - used, "%s", after);
    }
    snprintf(file, sizeof(file), "%.1000s/%s", driver->scratch, name);
    is_good = build_file_write(file, text);
    free(text);
    return is_good;
}

/* Forwarders of an earlier time that nobody asked for now. */
static void drop_stale(const struct build_driver *driver, const char *folder) {
    DIR *directory = opendir(folder);
    struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char path[PATH_BYTES], whole[PATH_MAX];
        struct stat about;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof(path), "%.1500s/%s", folder, entry->d_name);
        if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode))
            drop_stale(driver, path);
        else if (realpath(path, whole) == NULL || !build_list_has(&driver->made, whole))
            (void)unlink(path);
    }
    if (directory != NULL)
        closedir(directory);
}

bool build_keep(const struct build_driver *driver) {
    char head[PATH_BYTES], mark[PATH_BYTES];
    FILE *file;

    drop_stale(driver, driver->forwarders);
    snprintf(mark, sizeof(mark), "%.1000s/prepared", driver->scratch);
    snprintf(head, sizeof(head), "%.1000s/prepared:", driver->scratch);
    if (!write_options(driver) ||
        !write_list(driver, "ndksim_prepared.h", "/* Made by ndksim build-driver. Guarded: */\n",
                    &driver->guarded, "/* ", " */\n") ||
        !write_list(driver, "prepared.d", head, &driver->scanned, " ", ""))
        return false;
    file = fopen(mark, "w"); /* its time is what counts */
    if (file == NULL)
        return build_fail("%s: cannot be written: %s", mark, strerror(errno));
    fputs("done\n", file);
    return fclose(file) == 0 || build_fail("%s: cannot be written: %s", mark, strerror(errno));
}
