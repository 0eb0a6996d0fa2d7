/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jansson keeps no positions for valid JSON, so errors rescan the text: where in `text` stands the
 * value (or the key) that a JSON path names. `text` must be valid JSON (it has been parsed).
 */
#ifndef SCN_PARSE_LOCATE_H
#define SCN_PARSE_LOCATE_H

#include <sim/base.h>

struct scn_place {
    uint32_t line;   /* from 1; 0: not found */
    uint32_t column; /* from 1, in bytes */
};

/*
 * Paths: "$", then ".key" (plain) or "[\"any key\"]" or "[index]", which also counts the members of
 * an object, however their keys are spelled. `of_key`: the key, not the value.
 */
struct scn_place scn_locate(const char *text, const char *path, bool of_key);

#endif
