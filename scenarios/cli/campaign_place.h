/* SPDX-License-Identifier: Apache-2.0 */
/* Where a campaign's files go: one campaign of a name writes in a folder at a time. */
#ifndef SCN_CLI_CAMPAIGN_PLACE_H
#define SCN_CLI_CAMPAIGN_PLACE_H

#include <stdbool.h>

#include "cli/options.h"

/*
 * Takes the place of the campaign file `path` until the process ends. False, after an error has
 * been printed, when another process has it, or this command has written it already.
 */
bool scn_place_take(const char *path);

/* Gives all places back. */
void scn_places_leave(void);

/* False, after an error has been printed, when two operands are the same file. */
bool scn_place_operands_differ(const struct scn_options *options);

#endif
