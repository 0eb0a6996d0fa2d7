/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line: one table of options, each with the commands that take it. Parsing, help and
 * the man page come from it.
 */
#ifndef SCN_CLI_OPTIONS_H
#define SCN_CLI_OPTIONS_H

#include <sim/base.h>

#include "model/scenario.h"

enum scn_command_bit {
    SCN_RUN = 1u << 0,
    SCN_CHECK = 1u << 1,
    SCN_FUZZ = 1u << 2,
    SCN_REPLAY = 1u << 3,
    SCN_LIST = 1u << 4,
    SCN_CONFORM = 1u << 5,
    SCN_EXPLAIN = 1u << 6,
    SCN_BUILD_DRIVER = 1u << 20,
    SCN_INIT = 1u << 21,
    SCN_MERGE = 1u << 16,
    SCN_REGRESS = 1u << 17,
    SCN_SHRINK = 1u << 7,
    SCN_DUMP = 1u << 8,
    SCN_DIFF = 1u << 9,
    SCN_LIKELIHOOD = 1u << 10,
};
#define SCN_RUNNING (SCN_RUN | SCN_FUZZ | SCN_REPLAY)
/* What else runs a record: with the changes that a replay may have. */
#define SCN_RECORDED (SCN_SHRINK | SCN_DUMP | SCN_DIFF | SCN_LIKELIHOOD | SCN_EXPLAIN)

#define SCN_OPTION_LIST_MAX 64u
#define SCN_OPERAND_MAX 4096u

/* build-driver: see build/driver.h. */
struct scn_build_options {
    const char *folders[SCN_OPTION_LIST_MAX];
    uint32_t folder_count;
    const char *defines[SCN_OPTION_LIST_MAX];
    uint32_t define_count;
    const char *shims[SCN_OPTION_LIST_MAX];
    uint32_t shim_count;
    const char *output;
    const char *project;
    const char *compiler;
    const char *kind;
    const char *prepare;
    bool only_missing;
    bool instruments;
    bool writes_commands;
    bool is_device;
};

struct scn_options {
    enum scn_command_bit command;
    const char *operands[SCN_OPERAND_MAX];
    uint32_t operand_count;
    struct scn_override sets[SCN_OPTION_LIST_MAX];
    uint32_t set_count;
    const char *rules[SCN_OPTION_LIST_MAX];
    uint32_t rule_count;
    const char *drivers[SCN_OPTION_LIST_MAX];
    uint32_t driver_count;
    const char *devices[SCN_OPTION_LIST_MAX];
    uint32_t device_count;
    const char *module;        /* conform: the provider under test */
    const char *device_module; /* conform: its hardware; NULL: the built-in one */
    const char *claims_file;   /* conform: the rules that it is held to; NULL: all */
    bool has_seed;
    uint64_t seed;
    const char *log_file;
    const char *trace_file;
    const char *pcaps[SCN_OPTION_LIST_MAX];
    uint32_t pcap_count;
    const char *ports_file;
    const char *files_dir;
    const char *junit_file;
    const char *record_file;
    const char *coverage_file;
    const char *coverage_report; /* a file, "-": standard output */
    const char *out_dir;
    struct scn_build_options build;
    const char *kind;     /* init: "consumer", "provider", "device"; NULL: not given */
    const char *strategy; /* NULL: the default */
    const char *focus;    /* NULL: what the runs show */
    const char *knowns[SCN_OPTION_LIST_MAX];
    uint32_t known_count;
    uint32_t shard;          /* from 1; of ... */
    uint32_t shard_count;    /* 0: not given */
    const char *output_file; /* shrink: the smaller record; NULL: beside the given one */
    bool json;
    bool special_pool;
    bool keep_going;
    const char *annotate; /* "github" or NULL */
    const char *blame;    /* "consumer", "provider", NULL: both */
    bool twice;
    bool help;
    uint64_t until_ns;
    uint64_t check_steps; /* 0: at the end of runs only */
    uint64_t runs;        /* 0: not given */
    uint64_t time_ns;     /* wall clock; 0: not given */
    uint64_t stop_after;  /* distinct failures; 0: not given */
    uint32_t jobs;        /* 0: not given */
    bool has_at;
    uint64_t at_ns;
    uint64_t step;       /* 0: not given */
    uint64_t back_steps; /* 0: not given */
    bool debug;          /* --gdb */
    const char *breaks[SCN_OPTION_LIST_MAX];
    uint32_t break_count;
    bool bisect;        /* replay: exit codes for git bisect */
    const char *object; /* explain */
    uint64_t request;   /* explain; 0: not given */
    int word_count;     /* the command line behind the command */
    char **words;
    uint32_t verbosity; /* 0: -q, 1, 2: -v */
};

/* fuzz: where failing runs and the campaign go. */
const char *scn_out_dir(const struct scn_options *options);

/* False after a usage error, which has been printed to stderr. */
bool scn_options_parse(enum scn_command_bit command, int count, char **words,
                       struct scn_options *options);

/* Prints usage, operands and options of a command. */
void scn_options_help(enum scn_command_bit command);

/* The whole table for the man page and tests; NULL past the end. */
struct scn_option {
    const char *name;  /* "--seed" */
    const char *brief; /* "-v", or NULL */
    const char *value; /* "N", or NULL for a flag */
    uint32_t commands;
    const char *about;
};
const struct scn_option *scn_option_at(size_t index);

struct scn_command {
    const char *name;
    enum scn_command_bit bit;
    const char *operands; /* "SCENARIO..." */
    uint32_t operands_min;
    uint32_t operands_max;
    const char *about;
    int (*act)(const struct scn_options *options);
};
const struct scn_command *scn_command_at(size_t index);
const struct scn_command *scn_command_find(const char *name);
const struct scn_command *scn_command_of(enum scn_command_bit bit);

int scn_command_run(const struct scn_options *options);
int scn_command_check(const struct scn_options *options);
int scn_command_fuzz(const struct scn_options *options);
int scn_command_replay(const struct scn_options *options);
int scn_command_list(const struct scn_options *options);
int scn_command_conform(const struct scn_options *options);
int scn_command_dump(const struct scn_options *options);
int scn_command_diff(const struct scn_options *options);
int scn_command_likelihood(const struct scn_options *options);
int scn_command_shrink(const struct scn_options *options);
int scn_command_explain(const struct scn_options *options);
int scn_command_init(const struct scn_options *options);
int scn_command_build_driver(const struct scn_options *options);
int scn_command_merge(const struct scn_options *options);
int scn_command_regress(const struct scn_options *options);

#endif
