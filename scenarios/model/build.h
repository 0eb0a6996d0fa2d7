/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that build a scenario from its merged and validated document. */
#ifndef SCN_MODEL_BUILD_H
#define SCN_MODEL_BUILD_H

#include "model/scenario.h"
#include "parse/units.h"

struct scn_build {
    struct scn_scenario *scenario;
    struct scn_document *document;
    struct scn_diagnostics *diagnostics;
};

/* Members with a default when absent. The document is valid: types and units need no second look.
 */
uint64_t scn_build_unit(const struct scn_value *object, const char *key, enum scn_unit unit,
                        uint64_t otherwise);
uint64_t scn_build_number(const struct scn_value *object, const char *key, uint64_t otherwise);
bool scn_build_flag(const struct scn_value *object, const char *key, bool otherwise);
const char *scn_build_text(const struct scn_value *object, const char *key); /* or NULL */

/* Zeroed array of `count` elements that lives as long as the scenario. */
void *scn_build_array(struct scn_build *build, size_t count, size_t bytes);

/* "file:line" of a value, kept. */
const char *scn_build_place(struct scn_build *build, const struct scn_value *value);

struct scn_settings scn_build_settings(struct scn_build *build, const struct scn_value *object);

/* Index of a name, SCN_NONE after an error that offers the nearest one. */
uint32_t scn_build_find(struct scn_build *build, const struct scn_value *name, const char *what,
                        const char *const *names, uint32_t count);

/* The "after" of a step or fault; event NULL when absent. */
struct scn_after scn_build_after(const struct scn_value *object);

/* An error unless `name` can be part of a birth name. */
void scn_build_check_name(struct scn_build *build, const struct scn_value *value, bool at_key,
                          const char *name);

void scn_build_machines(struct scn_build *build);  /* nodes, adapters, drivers */
void scn_build_programs(struct scn_build *build);  /* scripts of drivers */
void scn_build_fabric(struct scn_build *build);    /* switches, links */
void scn_build_script(struct scn_build *build);    /* steps */
void scn_build_judgement(struct scn_build *build); /* faults, expectations, rules, explore, end */
void scn_build_shows(struct scn_build *build);     /* checked only: nothing of it is kept */

/* "00 ff" or "00ff": bytes that live as long as the scenario. */
const uint8_t *scn_build_bytes(struct scn_build *build, const struct scn_value *value,
                               uint32_t *count);
/* Bytes, and which bits of them somebody has said (0xFF: the byte). */
struct scn_bytes {
    uint8_t *bytes;
    uint8_t *mask;
    uint32_t count;
};
/* {"NAME": {member: value}}, laid out as "structures" says; what is not named is zero. */
struct scn_bytes scn_build_structure(struct scn_build *build, const struct scn_value *value);
/* A number, or one as text ("0x222000"); `what` for the message. */
uint32_t scn_build_code(struct scn_build *build, const struct scn_value *value, const char *what);
/* What an "oid" step asks and expects. */
const struct scn_oid *scn_build_oid(struct scn_build *build, const struct scn_value *source);

/* Names of all drivers, links, ... for scn_build_find; valid while the scenario lives. */
const char *const *scn_build_driver_names(struct scn_build *build);

#endif
