/* SPDX-License-Identifier: Apache-2.0 */
/* See file.h. */
#include "report/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

bool scn_file_open(struct scn_file *file, const char *path) {
    struct stat status;

    memset(file, 0, sizeof(*file));
    if (strlen(path) >= sizeof(file->path)) {
        file->error = ENAMETOOLONG;
        return false;
    }
    snprintf(file->path, sizeof(file->path), "%s", path);
    file->is_beside = lstat(path, &status) != 0 || S_ISREG(status.st_mode);
    snprintf(file->beside, sizeof(file->beside), "%s%s", file->path,
             file->is_beside ? ".part" : "");
    errno = 0;
    file->stream = fopen(file->beside, "wb");
    file->error = file->stream == NULL ? errno : 0;
    return file->stream != NULL;
}

int scn_file_close(struct scn_file *file) {
    int error = 0;

    errno = 0;
    if (fflush(file->stream) != 0 || ferror(file->stream) != 0)
        error = errno != 0 ? errno : EIO;
    if (fclose(file->stream) != 0 && error == 0)
        error = errno;
    if (error == 0 && file->is_beside && rename(file->beside, file->path) != 0)
        error = errno;
    if (error != 0 && file->is_beside)
        remove(file->beside);
    return error;
}
