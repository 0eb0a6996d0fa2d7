/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that did not load, with the last line that each printed: often the cause of the rest. */
#ifndef SCN_REPORT_NOT_LOADED_H
#define SCN_REPORT_NOT_LOADED_H

#include <stdio.h>

#include "report/story.h"

/*
 * A line for each; where an expectation has told the failure (`is_told`), of those that printed
 * something alone. `telling` may be NULL.
 */
void scn_not_loaded(FILE *stream, const struct scn_machine *machine,
                    const struct scn_telling *telling, bool is_told);
/* ", \"not_loaded\": [...]" */
void scn_not_loaded_json(FILE *stream, const struct scn_machine *machine,
                         const struct scn_telling *telling);
/* For where no machine is left: "driver\tstatus" lines, as many as fit. Returns `list`. */
#define SCN_NOT_LOADED_BYTES 256u
const char *scn_not_loaded_list(const struct scn_machine *machine, char *list, size_t size);
/* ", \"not_loaded\": [...]" of such a list, without last lines. */
void scn_not_loaded_list_json(FILE *stream, const char *list);
/* "; driver init did not load: ..." for each of such a list that `text` does not have, added. */
void scn_not_loaded_list_add(const char *list, char *text, size_t size);

#endif
