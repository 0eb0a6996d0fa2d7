/* SPDX-License-Identifier: Apache-2.0 */
/* Folders that a command line names for what it writes. */
#ifndef SCN_CLI_FOLDERS_H
#define SCN_CLI_FOLDERS_H

#include <stdbool.h>

/*
 * Makes a folder, with those above it, unless it is there. False, after an error that names
 * `option` has been printed, when that cannot be done or nothing can be written there.
 */
bool scn_folder_make(const char *option, const char *folder);

/*
 * False, after an error that names `option` has been printed, when the folder that `file` would
 * stand in is not there. Makes nothing: a mistyped name would leave folders behind.
 */
bool scn_folder_of_file_check(const char *option, const char *file);

#endif
