/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorded run, the .ndkrun file (JSON): the scenario with all its changes, the modules' names
 * and build ids, seed, exit code and signature, digest, and the deviations from quiet by key and
 * label. It is what replay, explain and shrink start from.
 */
#ifndef SCN_REPORT_RECORD_H
#define SCN_REPORT_RECORD_H

#include "report/decision.h"
#include "run/outcome.h"

struct scn_record_module {
    const char *name; /* of the driver, or of the adapter whose device it is ("node.nic0") */
    bool is_device;
    const char *module;
    const char *build_id;
    bool is_instrumented; /* decisions were made at its loads and stores */
};

struct scn_record {
    struct scn_document *document; /* read ones; owns all texts */
    struct scn_value *scenario;    /* merged; its own document of a read record */
    const char *scenario_file;     /* as seen from here, for relative module paths */
    uint64_t seed;
    uint32_t exit_code;
    uint64_t signature;
    uint64_t kind; /* the signature without call sites */
    uint64_t digest;
    uint64_t event_count;
    uint64_t time_ns;
    bool is_exploring;
    bool special_pool;
    uint64_t check_steps;
    bool keep_going;
    uint64_t until_ns;        /* --until; SIM_TIME_NEVER: none */
    const char *blame;        /* --blame; NULL: none */
    const char *const *rules; /* --rule, in their order */
    uint32_t rule_count;
    const char *strategy;
    const char *sentence;
    struct sim_deviation *deviations;
    const char **words;  /* by deviation; "" when it was not told */
    const char **others; /* by deviation: how a run without it alone ends; "" when not known */
    size_t deviation_count;
    struct scn_record_module *modules;
    size_t module_count;
};

/*
 * Writes a record beside its final name and renames it, so that a reader never sees half of one.
 * Returns 0 or an errno.
 */
int scn_record_write(const char *path, const struct scn_machine *machine,
                     const struct scn_run_options *options, const struct scn_outcome *outcome,
                     const char *strategy);
/* The same with words for the decisions: one for each deviation of the run. NULL: none. */
int scn_record_write_told(const char *path, const struct scn_machine *machine,
                          const struct scn_run_options *options, const struct scn_outcome *outcome,
                          const char *strategy, const struct scn_decision *decisions);

struct scn_record *scn_record_read(const char *path, struct scn_diagnostics *diagnostics);
void scn_record_free(struct scn_record *record);

/* The modules that were loaded in place of the scenario's own (--driver, --device) are loaded
 * again.
 */
void scn_record_use_modules(const struct scn_record *record, struct scn_scenario *scenario);

/* True when every module of the record has the same build id now. */
bool scn_record_same_build(const struct scn_record *record, const struct scn_machine *machine);
/* An instrumented module that is another build now: the record's decisions do not fit it. Or NULL.
 */
const struct scn_record_module *scn_record_foreign(const struct scn_record *record,
                                                   const struct scn_machine *machine);

#endif
