/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scenario as the runner wants it: plain structures, all texts and arrays owned by the scenario,
 * all names resolved to indexes. Made once per cell of the matrix, before any world.
 */
#ifndef SCN_MODEL_SCENARIO_H
#define SCN_MODEL_SCENARIO_H

#include <sim/base.h>

#include "parse/diagnostic.h"
#include "parse/tree.h"

#define SCN_NONE UINT32_MAX
#define SCN_CPU_COUNT_MAX 64u /* of all nodes */
#define SCN_DRIVER_COUNT_MAX 256u
#define SCN_PROVIDER_MODULE "ndksim-rnic" /* an adapter's driver when it names none */

struct scn_ip {
    uint8_t version; /* 4 or 6 */
    uint8_t prefix_bits;
    uint8_t bytes[16]; /* network order; IPv4 in the first four */
};

/* A named value: registry, keyword, quirk. `text` is always set. */
struct scn_setting {
    const char *name;
    const char *text;
    bool is_number;
    uint64_t number;
};

struct scn_settings {
    const struct scn_setting *entries;
    uint32_t count;
};

struct scn_adapter {
    const char *name;         /* "nic0" */
    const char *full_name;    /* "client.nic0" */
    const char *device;       /* as written: "rnic", a shipped module's name or a path */
    uint32_t node;            /* index */
    uint32_t driver;          /* index of its miniport */
    uint32_t interface_index; /* 0: next free */
    bool has_mac;
    uint8_t mac[6];
    const char *technology; /* NULL: the provider's default */
    const struct scn_ip *addresses;
    uint32_t address_count;
    struct scn_settings keywords;
    struct scn_settings quirks;
    const struct scn_value *source;
};

struct scn_driver {
    const char *as;
    const char *load; /* as written: a shipped name or a path */
    uint32_t node;
    bool is_miniport;
    bool is_in_prelude; /* miniports that no step loads first, and those of "prelude" */
    bool has_load_step; /* the first load of it is a step, else it is loaded by itself */
    bool has_unload_step;
    uint32_t load_count; /* steps that load it */
    struct scn_settings registry;
    const struct scn_value *script; /* NULL: none */
    const void *program;            /* the script compiled; see program.h */
    uint32_t program_bytes;
    const struct scn_value *source;
};

struct scn_node {
    const char *name;
    uint32_t cpu_count;
    uint32_t worker_count;
    uint64_t pool_max_bytes; /* 0: the kernel's default */
    uint64_t wsk_ready_ns;   /* until then WSK has no provider to capture */
    const struct scn_value *source;
};

struct scn_switch {
    const char *name;
    uint64_t latency_ns;
    uint64_t queue_bytes; /* 0: the link's */
    uint32_t port_count;
    const struct scn_value *source;
};

/* One end of a link: an adapter or a port of a switch. */
struct scn_link_end {
    uint32_t adapter; /* SCN_NONE: the switch */
    uint32_t switch_index;
    uint32_t switch_port;
};

struct scn_link {
    const char *name;
    struct scn_link_end ends[2];
    uint64_t rate_bps;
    uint64_t delay_ns;
    uint64_t queue_bytes;
    uint64_t jitter_ns;
    uint32_t mtu_bytes;
    const struct scn_value *source;
};

struct scn_after {
    const char *event;  /* NULL: not used */
    const char *object; /* NULL: any */
    uint32_t nth;
};

enum scn_step_kind {
    SCN_STEP_LOAD,
    SCN_STEP_UNLOAD,
    SCN_STEP_IOCTL,
    SCN_STEP_OPEN,
    SCN_STEP_CLOSE,
    SCN_STEP_LINK_DOWN,
    SCN_STEP_LINK_UP,
    SCN_STEP_LINK_RATE,
    SCN_STEP_PARTITION,
    SCN_STEP_HEAL,
    SCN_STEP_SWITCH_DOWN,
    SCN_STEP_SWITCH_UP,
    SCN_STEP_PNP,
    SCN_STEP_OID,
    SCN_STEP_SILENCE,
    SCN_STEP_KIND_COUNT,
};

/* A member of an OID's answer and what it must be: a number, or what a counter shows then. */
struct scn_oid_member {
    const char *name;
    const char *counter; /* NULL: `number` */
    uint64_t number;
    const struct scn_value *source;
};

struct scn_oid {
    const char *name; /* of the OID; NULL: `number` */
    uint32_t number;
    bool is_set;
    bool is_direct;
    const uint8_t *in; /* of a set request */
    uint32_t in_bytes;
    uint32_t out_bytes; /* the buffer of a query */
    bool has_needed;
    uint32_t needed; /* what a refusal must say */
    const struct scn_oid_member *members;
    uint32_t member_count;
    bool has_entries;
    const char *const *entries; /* patterns, each for one entry, in any order */
    uint32_t entry_count;
    const struct scn_value *source;
};

struct scn_step {
    enum scn_step_kind kind;
    bool follows;   /* "then": starts when the step before it is done */
    uint64_t at_ns; /* when it neither follows nor waits for an event */
    struct scn_after after;
    uint64_t delay_ns; /* after the event or the step before */
    uint32_t target;   /* driver, link, switch or adapter, by kind */
    uint64_t for_ns;   /* 0: for good */
    uint64_t rate_bps;
    uint32_t pnp;                 /* order of the schema's "action" */
    struct scn_settings keywords; /* restart: set before */
    const struct scn_oid *oid;
    uint64_t apart_mask; /* partition: ports of the switch */
    const char *device;  /* ioctl, open: NULL: the driver's first */
    uint32_t code;
    const uint8_t *in;
    uint32_t in_bytes;
    uint32_t out_bytes;
    const char *handle;        /* open, close, ioctl; NULL: one of its own */
    uint32_t opened_by;        /* the step that opens the handle */
    uint64_t cancel_ns;        /* ioctl: cancelled so long after it was sent; SIM_TIME_NEVER: not */
    const uint8_t *expect_out; /* NULL: not compared */
    const uint8_t *expect_mask; /* the bits of it that are compared; NULL: all */
    uint32_t expect_out_bytes;
    bool any_status;
    int32_t status;    /* NTSTATUS */
    const char *place; /* "file:line", for reports */
    const struct scn_value *source;
};

struct scn_fault {
    const char *point;
    const char *on;
    const char *class_pattern;
    uint64_t from_ns;
    uint64_t to_ns;
    uint32_t nth;
    uint32_t count;
    uint32_t ppm;      /* 0: certain */
    uint32_t free_ppm; /* "explore" */
    struct scn_after after;
    uint64_t value;
    const char *place; /* "file:line", for reports */
    const struct scn_value *source;
};

enum scn_expect_kind {
    SCN_EXPECT_COUNTER,
    SCN_EXPECT_EVENT,
    SCN_EXPECT_FINDING,
    SCN_EXPECT_LOG,
};

struct scn_expect {
    enum scn_expect_kind kind;
    const char *name; /* counter, event, finding or text */
    const char *object;
    const char *guilty;
    const char *says;
    const char *needs; /* what a provider lacks when this does not hold; NULL: it must hold */
    bool in_every_run; /* also where the explorer has let something fail */
    uint64_t at_least;
    uint64_t at_most;
    uint64_t before_ns; /* SIM_TIME_NEVER: any time */
    const char *place;
    const struct scn_value *source;
};

struct scn_rule_setting {
    const char *id;
    const char *level;  /* "error", "warn", "off" */
    const char *reason; /* "" for error */
    const struct scn_value *source;
};

struct scn_scenario {
    const char *name;
    const char *cell; /* "2: nodes.client.cpus=1" of a matrix, else NULL */
    const char *file;
    const char *folder;            /* of the file; paths in it are relative to that */
    struct scn_document *document; /* merged and set; owned */
    struct scn_node *nodes;
    uint32_t node_count;
    struct scn_adapter *adapters;
    uint32_t adapter_count;
    struct scn_driver *drivers; /* miniports first, then consumers in the order of the file */
    uint32_t driver_count;
    struct scn_switch *switches;
    uint32_t switch_count;
    struct scn_link *links;
    uint32_t link_count;
    struct scn_step *steps;
    uint32_t step_count;
    struct scn_fault *faults;
    uint32_t fault_count;
    struct scn_expect *expects;
    uint32_t expect_count;
    struct scn_rule_setting *rules;
    uint32_t rule_count;
    uint32_t explore_step_ppm;
    uint32_t explore_other_ppm;
    uint64_t disturb_ns;   /* 0: the runner's default */
    uint64_t explore_runs; /* 0: the command's default */
    uint64_t limit_ns;
    uint64_t limit_steps;
    bool unload_at_end;
    const uint32_t *wait_for; /* driver indexes */
    uint32_t wait_for_count;
    bool has_wait_for;
};

/* A change given on the command line: path=value. Value is JSON, or a string when it is no JSON. */
struct scn_override {
    const char *text;
};

/*
 * Loads a scenario: reads, follows "extends", applies "set" and the overrides, validates, builds.
 * Cell `cell` of the matrix (0 without one); `*cell_count` (may be NULL) gets the number of cells.
 * NULL with diagnostics when anything is wrong.
 */
struct scn_scenario *scn_scenario_load(const char *file, const struct scn_override *overrides,
                                       size_t override_count, uint32_t cell, uint32_t *cell_count,
                                       struct scn_diagnostics *diagnostics);
/* The second half: from a merged document, which it owns from now on (also when it fails). */
struct scn_scenario *scn_scenario_build(struct scn_document *document, const char *file,
                                        struct scn_diagnostics *diagnostics);
void scn_scenario_free(struct scn_scenario *scenario);

/* "1: nodes.client.cpus=2, links[0].rate=25Gbps" of the merged document's matrix; NULL without. */
const char *scn_cell_text(struct scn_document *document, uint32_t cell);

/* Merged document of a file: the first half of scn_scenario_load, for tests. */
struct scn_document *scn_merge(const char *file, const struct scn_override *overrides,
                               size_t override_count, uint32_t cell, uint32_t *cell_count,
                               struct scn_diagnostics *diagnostics);

/* Applies overrides to a merged document; false after an error. */
bool scn_merge_overrides(struct scn_document *document, const struct scn_override *overrides,
                         size_t override_count, struct scn_diagnostics *diagnostics);

/* NTSTATUS by name ("STATUS_SUCCESS") or number ("0xC0000120"); false when neither. */
bool scn_status_parse(const char *text, int32_t *status);
/* "STATUS_CANCELLED", or NULL for a status without a name here. */
const char *scn_status_name_of(uint32_t status);
/* "STATUS_CANCELLED (0xC0000120)" or "status 0xC0009999"; returns `text`. */
#define SCN_STATUS_TEXT_BYTES 80u
const char *scn_status_text(int32_t status, char *text, size_t size);
/*
 * A driver's line with the names of the failures in it: "0xC0000120" becomes
 * "0xC0000120 STATUS_CANCELLED". Only numbers of eight digits that say error or warning: others
 * are too often something else. Returns `to`.
 */
const char *scn_status_annotate(const char *line, char *to, size_t size);
/* Says that a string is no status, with the nearest one. */
void scn_diagnose_status(struct scn_diagnostics *diagnostics, const struct scn_value *value);
#endif
