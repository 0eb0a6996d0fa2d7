/* SPDX-License-Identifier: Apache-2.0 */
/* --files: what drivers wrote with ZwCreateFile and ZwWriteFile, out of the world onto the disk. */
#ifndef SCN_CLI_DRIVER_FILES_H
#define SCN_CLI_DRIVER_FILES_H

#include <stdbool.h>

#include "run/machine.h"

/*
 * FOLDER/<node>/<path>: "\??\C:\result.txt" becomes C/result.txt. No name leads out of the folder.
 * False after a message when something could not be written.
 */
bool scn_driver_files_write(const struct scn_machine *machine, const char *folder);

#endif
