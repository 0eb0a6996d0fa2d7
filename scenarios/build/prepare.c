/* SPDX-License-Identifier: Apache-2.0 */
/* Scanning a driver's sources and everything that they include of their own. See driver.h. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build/driver.h"
#include "build/source.h"

bool build_fail(const char *format, ...) {
    va_list arguments;

    fprintf(stderr, "ndksim: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

void build_warn(struct build_driver *driver, const char *path, uint32_t line, const char *format,
                ...) {
    va_list arguments;

    fprintf(stderr, "%s:%u: warning: ", path, line);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    driver->warning_count++;
}

bool build_path_whole(const char *path, char *whole, size_t size) {
    char here[1024];

    if (path[0] == '/') {
        snprintf(whole, size, "%s", path);
        return true;
    }
    if (getcwd(here, sizeof(here)) == NULL)
        return build_fail("the working folder has no name: %s", strerror(errno));
    if ((size_t)snprintf(whole, size, "%s/%s", here, path) >= size)
        return build_fail("%s: the path is too long", path);
    return true;
}

bool build_folders_make(const char *path) {
    char folder[2048];

    snprintf(folder, sizeof(folder), "%s", path);
    for (char *at = strchr(folder + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return build_fail("%s: cannot be made: %s", folder, strerror(errno));
        *at = '/';
    }
    return true;
}

static bool is_there(const char *path, const char *text) {
    struct build_source file;
    bool is_same;

    if (!build_source_read(path, &file))
        return false;
    is_same = strcmp(file.text, text) == 0;
    build_source_free(&file);
    return is_same;
}

bool build_file_write(const char *path, const char *text) {
    FILE *file;

    if (is_there(path, text))
        return true;
    if (!build_folders_make(path))
        return false;
    file = fopen(path, "w");
    if (file == NULL)
        return build_fail("%s: cannot be written: %s", path, strerror(errno));
    fputs(text, file);
    if (fclose(file) != 0)
        return build_fail("%s: cannot be written: %s", path, strerror(errno));
    return true;
}

bool build_made_write(struct build_driver *driver, const char *path, const char *text) {
    char whole[PATH_MAX];

    if (!build_file_write(path, text))
        return false;
    build_list_add(&driver->made, "%s", path);
    if (realpath(path, whole) != NULL)
        build_list_add(&driver->made, "%s", whole);
    return true;
}

static void drop_entry(const char *path) {
    struct stat about;

    if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode))
        build_folder_drop(path);
    else
        (void)unlink(path);
}

void build_folder_drop(const char *path) {
    DIR *directory = opendir(path);
    struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char below[2048];

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(below, sizeof(below), "%.1500s/%s", path, entry->d_name);
        drop_entry(below);
    }
    if (directory != NULL)
        closedir(directory);
    (void)rmdir(path);
}

static bool scan_one(struct build_driver *driver, const char *path) {
    struct build_source source;

    if (!build_source_read(path, &source))
        return build_fail("%s: cannot be read: %s", path, strerror(errno));
    build_scan_includes(driver, &source);
    build_scan_traces(driver, &source);
    build_scan_widths(driver, &source);
    driver->has_guards = false;
    build_scan_guards(driver, &source);
    if (driver->has_guards)
        build_list_add(&driver->guarded, "%s", path);
    build_source_free(&source);
    return true;
}

static void add_once(struct build_driver *driver, const struct build_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (!build_list_has(&driver->scanned, list->items[i]))
            build_list_add(&driver->scanned, "%s", list->items[i]);
}

/* "../x" of a source, spelled in the wrong case, must stay below the scratch folder. */
#define FORWARDER_DEPTH "/forward/up/up/up/up"

bool build_prepare(struct build_driver *driver) {
    char marker[1200];
    bool is_good = true;

    snprintf(driver->forwarders, sizeof(driver->forwarders), "%.1000s%s", driver->scratch,
             FORWARDER_DEPTH);
    snprintf(marker, sizeof(marker), "%s/README", driver->forwarders);
    if (!build_made_write(driver, marker, "Includes as the driver spells them, made by ndksim.\n"))
        return false;
    add_once(driver, &driver->sources);
    add_once(driver, &driver->shims);
    add_once(driver, &driver->includes);
    /* Grows while it is walked: each scan adds what it reaches. */
    for (size_t i = 0; i < driver->scanned.count; i++)
        is_good = scan_one(driver, driver->scanned.items[i]) && is_good;
    /* What is missing is listed in spite of errors, which have been said. */
    return build_write_traces(driver) && is_good &&
           (driver->error_count == 0 || driver->only_missing);
}

void build_driver_free(struct build_driver *driver) {
    struct build_list *const lists[] = {&driver->sources, &driver->shims,    &driver->folders,
                                        &driver->defines, &driver->includes, &driver->scanned,
                                        &driver->traces,  &driver->guarded,  &driver->made};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(lists); i++)
        build_list_free(lists[i]);
}
