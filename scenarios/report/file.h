/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of results: written beside its name and renamed when it is whole, so that nobody ever
 * reads half of one and a full disk spoils none that was there. What is no regular file (a device,
 * a link) is written in place.
 */
#ifndef SCN_REPORT_FILE_H
#define SCN_REPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#define SCN_PATH_BYTES 4096u

struct scn_file {
    FILE *stream;
    int error; /* errno of opening it */
    bool is_beside;
    char path[SCN_PATH_BYTES];
    char beside[SCN_PATH_BYTES + 8];
};

bool scn_file_open(struct scn_file *file, const char *path);
/* 0, or the errno of the first failure; then what was there before is untouched. */
int scn_file_close(struct scn_file *file);

#endif
