/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validation against scenarios/schema.json, which editors use too. Understood: $ref to
 * "#/$defs/...", type, properties, required, additionalProperties, minProperties, maxProperties,
 * items, minItems, maxItems, minimum, maximum, enum, const, minLength, and two keywords of ours:
 * "x-unit" (a string with that unit, see units.h, or for "count" also a plain integer) and
 * "x-select" (oneOf is decided by this member).
 */
#ifndef SCN_PARSE_SCHEMA_H
#define SCN_PARSE_SCHEMA_H

#include "parse/tree.h"

/* The shipped schema, parsed once per process. */
const struct scn_document *scn_schema(void);

/* Adds an error per violation; true when there was none. */
bool scn_schema_check(const struct scn_document *schema, const struct scn_document *document,
                      struct scn_diagnostics *diagnostics);

#endif
