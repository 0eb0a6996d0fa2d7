/* SPDX-License-Identifier: Apache-2.0 */
/* Paths that a record keeps, so that it can be moved together with what it names. */
#ifndef SCN_REPORT_PATH_H
#define SCN_REPORT_PATH_H

#include <stddef.h>

/*
 * The path of `file` (relative to the working folder) as seen from the folder of `record`: relative
 * when both share more than the root, else whole; as it stands when it is no regular file. Returns
 * `path`.
 */
const char *scn_path_from(const char *record, const char *file, char *path, size_t size);

/*
 * The other way: what `file` of a record is here. One that is not there may be relative to the
 * working folder, as older records have it. Returns `path`.
 */
const char *scn_path_of(const char *record, const char *file, char *path, size_t size);

#endif
