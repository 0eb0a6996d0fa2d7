/* SPDX-License-Identifier: Apache-2.0 */
/* See tidy_path.h. */
#include "parse/tidy_path.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Appends each part of `path` to `whole`, which has no slash at its end; false without room. */
static bool walk(char *whole, size_t size, const char *path) {
    size_t used = strlen(whole);

    while (*path != '\0') {
        size_t length = strcspn(path, "/");

        if (length == 2 && strncmp(path, "..", 2) == 0) {
            while (used > 0 && whole[used - 1] != '/')
                used--;
            used -= used > 0;
        } else if (length > 0 && !(length == 1 && *path == '.')) {
            if (used + length + 2 > size)
                return false;
            whole[used++] = '/';
            memcpy(whole + used, path, length);
            used += length;
        }
        whole[used] = '\0';
        path += length + (path[length] == '/');
    }
    return true;
}

/* `whole` as seen from `here`, both without a slash at the end. */
static bool relate(const char *here, const char *whole, char *path, size_t size) {
    size_t same = 0, used = 0, at = 0;

    for (; here[at] == whole[at] && here[at] != '\0'; at++)
        same = here[at] == '/' ? at : same;
    if ((here[at] == '\0' || here[at] == '/') && (whole[at] == '\0' || whole[at] == '/'))
        same = at;
    path[0] = '\0';
    for (const char *up = here + same; *up != '\0'; up++)
        if (*up == '/' && used + 4 < size)
            used += (size_t)snprintf(path + used, size - used, "../");
    if (whole[same] == '\0' && used > 0)
        path[--used] = '\0';
    return used + strlen(whole + same) < size &&
           snprintf(path + used, size - used, "%s",
                    whole[same] == '/'                ? whole + same + 1
                    : used > 0 || whole[same] != '\0' ? whole + same
                                                      : ".") >= 0;
}

static bool is_same(const char *a, const char *b) {
    struct stat one, other;

    if (stat(a, &one) != 0)
        return lstat(b, &other) != 0;
    return stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

char *scn_path_tidy(char *path, size_t size) {
    char here[PATH_MAX] = "", whole[PATH_MAX], tidy[PATH_MAX];
    bool is_relative = path[0] != '/';

    if (strstr(path, "./") == NULL && strstr(path, "//") == NULL)
        return path;
    if (is_relative && (getcwd(here, sizeof(here)) == NULL || here[0] != '/'))
        return path;
    if (strcmp(here, "/") == 0)
        here[0] = '\0';
    snprintf(whole, sizeof(whole), "%s", here);
    if (!walk(whole, sizeof(whole), path) || whole[0] == '\0')
        return path;
    if (!is_relative)
        snprintf(tidy, sizeof(tidy), "%s", whole);
    else if (!relate(here, whole, tidy, sizeof(tidy)))
        return path;
    if (strlen(tidy) < size && is_same(path, tidy))
        snprintf(path, size, "%s", tidy);
    return path;
}
