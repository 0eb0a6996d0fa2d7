/* SPDX-License-Identifier: Apache-2.0 */
/* See path.h. */
#include "report/path.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parse/tidy_path.h"

/* The whole path of the folder that `file` is or will be in. */
static bool folder_of(const char *file, char folder[PATH_MAX]) {
    const char *slash = strrchr(file, '/');
    char text[PATH_MAX];

    if (slash == NULL)
        return realpath(".", folder) != NULL;
    if ((size_t)(slash - file) + 2 > sizeof(text))
        return false;
    snprintf(text, sizeof(text), "%.*s", slash == file ? 1 : (int)(slash - file), file);
    return realpath(text, folder) != NULL;
}

/* How many bytes of both are the same folders, without the slash behind. */
static size_t shared(const char *folder, const char *whole) {
    size_t same = 0;

    for (size_t i = 0;; i++) {
        if ((folder[i] == '/' || folder[i] == '\0') && whole[i] == '/')
            same = i;
        if (folder[i] == '\0' || folder[i] != whole[i])
            return same;
    }
}

const char *scn_path_from(const char *record, const char *file, char *path, size_t size) {
    char folder[PATH_MAX], whole[PATH_MAX];
    struct stat status;
    size_t same, used = 0;

    snprintf(path, size, "%s", file);
    if (stat(file, &status) != 0 || !S_ISREG(status.st_mode) || realpath(file, whole) == NULL ||
        !folder_of(record, folder))
        return path;
    same = shared(folder, whole);
    if (same == 0) {
        snprintf(path, size, "%s", whole);
        return path;
    }
    for (const char *at = folder + same; *at != '\0' && used + 4 < size; at++)
        if (*at == '/')
            used += (size_t)snprintf(path + used, size - used, "../");
    snprintf(path + used, size - used, "%s", whole + same + 1);
    return path;
}

const char *scn_path_of(const char *record, const char *file, char *path, size_t size) {
    const char *slash = strrchr(record, '/');

    snprintf(path, size, "%s", file);
    if (file[0] == '/' || slash == NULL)
        return path;
    if (snprintf(path, size, "%.*s/%s", (int)(slash - record), record, file) >= (int)size ||
        access(path, F_OK) != 0)
        if (access(file, F_OK) == 0)
            snprintf(path, size, "%s", file);
    return scn_path_tidy(path, size);
}
