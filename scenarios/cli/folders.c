/* SPDX-License-Identifier: Apache-2.0 */
/* See folders.h. */
#include "cli/folders.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parse/complain.h"
#include "parse/diagnostic.h"

static bool complain(const char *option, const char *path, int error) {
    scn_complain("%s %s: %s", option, scn_shown(path), strerror(error));
    return false;
}

static bool is_there(const char *folder) {
    struct stat status;

    if (stat(folder, &status) != 0)
        return false;
    if (S_ISDIR(status.st_mode))
        return true;
    errno = ENOTDIR;
    return false;
}

/* One of the way; somebody else may make it meanwhile. */
static bool make_one(const char *folder) {
    return (mkdir(folder, 0777) == 0 || errno == EEXIST) && is_there(folder);
}

bool scn_folder_make(const char *option, const char *folder) {
    char part[PATH_MAX];

    if ((size_t)snprintf(part, sizeof(part), "%s", folder) >= sizeof(part))
        return complain(option, folder, ENAMETOOLONG);
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (!is_there(part) && !make_one(part))
            return complain(option, part, errno);
        *slash = '/';
    }
    if (!make_one(part) || access(part, W_OK | X_OK) != 0)
        return complain(option, folder, errno);
    return true;
}

bool scn_folder_of_file_check(const char *option, const char *file) {
    const char *slash = strrchr(file, '/');
    char folder[PATH_MAX];
    int length = slash == NULL || slash == file ? 0 : (int)(slash - file);

    if (length == 0)
        return true;
    if ((size_t)snprintf(folder, sizeof(folder), "%.*s", length, file) >= sizeof(folder))
        return complain(option, file, ENAMETOOLONG);
    if (is_there(folder))
        return true;
    if (errno == ENOENT)
        scn_complain("%s %s: there is no folder %s", option, scn_shown(file), scn_shown(folder));
    else
        (void)complain(option, folder, errno);
    return false;
}
