/* SPDX-License-Identifier: Apache-2.0 */
/* --known: the signatures of the records in folders. A failure that has one is no news. */
#ifndef SCN_CLI_KNOWN_H
#define SCN_CLI_KNOWN_H

#include "cli/options.h"

/* All zero: none. */
struct scn_known {
    struct scn_known_one {
        uint64_t signature;
        char *file;
    } * entries;
    size_t count;
};

/* Reads all of options->knowns. False after an error, which has been printed. */
bool scn_known_read(struct scn_known *known, const struct scn_options *options);
void scn_known_free(struct scn_known *known);
/* The record's file, NULL when it is not known. */
const char *scn_known_find(const struct scn_known *known, uint64_t signature);

/*
 * Paths "folder/name" of the entries of a folder whose names end in `suffix`, sorted by name; the
 * caller frees them with scn_folder_free. NULL after an error, which has been printed with
 * `option`.
 */
char **scn_folder_list(const char *option, const char *folder, const char *suffix, size_t *count);
void scn_folder_free(char **paths, size_t count);

#endif
