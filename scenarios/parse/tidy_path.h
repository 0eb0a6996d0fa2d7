/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as people want to see them. */
#ifndef SCN_PARSE_TIDY_PATH_H
#define SCN_PARSE_TIDY_PATH_H

#include <stddef.h>

/*
 * Takes "." and "..", where they can go, out of a path, in place: "out/../a.json" becomes "a.json",
 * and so does "../here/a.json" in a folder called here. A relative path stays one; one that would
 * lead elsewhere through a symbolic link stays as it is. Returns `path`.
 */
char *scn_path_tidy(char *path, size_t size);

#endif
