/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler of scripts: "script" of a driver in a scenario to the block of memory that the
 * script consumer interprets (consumers/script). Shared by program_*.c.
 *
 *   expand    steps that stand for several are replaced by these (program_macro.c)
 *   declare   every step's verb and members are known; names get numbers (program_declare.c)
 *   emit      values become arguments (program_step.c, program_value.c, ...)
 *   write     one block (program_write.c)
 */
#ifndef SCN_MODEL_PROGRAM_H
#define SCN_MODEL_PROGRAM_H

#include <script_program/program.h>

#include "model/build.h"

#define SCN_STEP_COUNT_MAX 4096u
#define SCN_NAME_COUNT_MAX 1024u

/* An array that grows. */
struct scn_list {
    char *data;
    uint32_t count;
    uint32_t capacity;
    uint32_t element_bytes;
};
void *scn_list_add(struct scn_list *list); /* zeroed */
void *scn_list_at(const struct scn_list *list, uint32_t index);
void scn_list_free(struct scn_list *list);

/* A name: of an object (kind: enum script_object_kind), label, variable, signal, lock. */
struct scn_name {
    const char *text;
    uint32_t kind;
    const struct scn_value *where; /* first said */
    uint32_t thread;               /* of a create, SCRIPT_NONE: of several, or a handler */
    uint32_t order;                /* of the step in its thread */
    uint32_t memory;               /* of an MR or mapping: what it covers, SCRIPT_NONE: not known */
};

struct scn_expanded {
    const struct scn_value *from;
    const struct scn_value *to;
};

struct scn_served {
    const char *key; /* "connect listener" */
    const struct scn_value *where;
    const struct scn_value *steps;
};

struct scn_program {
    struct scn_build *build;
    const struct scn_driver *driver;
    const struct scn_value *source;
    struct scn_list args, steps, blocks, threads, handlers, texts;
    struct scn_list objects, labels, variables, signals, locks; /* of struct scn_name */
    struct scn_list expanded; /* struct scn_expanded: each list once */
    struct scn_list served;   /* handlers that macros ask for: struct scn_served */
    const char *offered;      /* MR that macros offer, NULL: none */
    uint32_t flags;
    uint32_t unload_block;
    uint32_t adapter;
    uint32_t own_adapter; /* of the scenario, SCN_NONE */
    uint32_t interface_index;
    uint32_t version;    /* major << 16 | minor */
    uint32_t thread_now; /* while declaring and emitting; SCRIPT_NONE: a handler */
    uint32_t order_now;
    bool can_wait;
    uint32_t depth;
};

/* What a member's value may be. */
enum scn_member_type {
    SCN_M_NUMBER, /* with a unit or not, or a variable */
    SCN_M_TIME,
    SCN_M_FLAG,
    SCN_M_STATUS,
    SCN_M_WORD, /* one of words */
    SCN_M_BITS, /* a list of words */
    SCN_M_LABEL_NEW,
    SCN_M_LABELS,
    SCN_M_STEPS,
    SCN_M_NONE, /* "none", or true for the default */
    SCN_M_CONTEXT,
    SCN_M_OBJECT,
    SCN_M_OBJECTS,
    SCN_M_EXPECT,
    SCN_M_INTO,
    SCN_M_SGL,
    SCN_M_FLAGS,
    SCN_M_TOKEN,
    SCN_M_ADDRESS,
    SCN_M_PATTERN,
    SCN_M_CHOICES,
    SCN_M_VARIABLE,
    SCN_M_TEXT,
    SCN_M_GUID,
    SCN_M_VERSION,
    SCN_M_INTERFACE,
};

/* What a verb is said of. */
enum scn_principal {
    SCN_P_NEW, /* a name that it makes */
    SCN_P_OBJECT,
    SCN_P_SOURCES,
    SCN_P_CONDITION,
    SCN_P_NUMBER,
    SCN_P_CPU, /* a number below the node's processors */
    SCN_P_TIME,
    SCN_P_TEXT,
    SCN_P_STEPS,
    SCN_P_TRUE,
    SCN_P_SIGNAL,
    SCN_P_LOCK,
    SCN_P_VARIABLE,
    SCN_P_IRQL,
    SCN_P_TOPIC, /* a text behind "script." */
};

#define SCN_KIND(kind) (1u << (kind))

/* Kinds of verbs. */
#define SCN_VERB_CALL 1u      /* may pend: has a label */
#define SCN_VERB_POST 2u      /* a request: has a label */
#define SCN_VERB_WAITS 4u     /* PASSIVE_LEVEL only */
#define SCN_VERB_INITIATOR 8u /* its default memory is "out" */
#define SCN_VERB_LABEL 16u    /* has a label for another reason */
#define SCN_VERB_MR_FLAGS 32u

struct scn_verb {
    const char *word;
    enum scn_principal principal;
    uint32_t kinds; /* SCN_KIND bits of the principal */
    uint32_t traits;
    uint16_t members[40]; /* 0 ends them; SCRIPT_MEMBER_... */
};

struct scn_word {
    const char *text;
    uint32_t value;
};

struct scn_member_kind {
    const char *word;
    enum scn_member_type type;
    uint32_t kinds;
    const struct scn_word *words; /* ended by a NULL text */
};

/* program_words.c */
const struct scn_verb *scn_verb_at(uint32_t verb);
const struct scn_member_kind *scn_member_kind(uint32_t member);
const char *scn_output_word(uint32_t output);
const struct scn_word *scn_op_flags(void);
const struct scn_word *scn_mr_flags(void);
const struct scn_word *scn_irql_words(void);
const char *scn_kind_word(uint32_t kind); /* "QP" */
/* Value of a word; false after an error with the nearest one. */
bool scn_word_find(struct scn_program *program, const struct scn_value *value, const char *text,
                   const struct scn_word *words, const char *what, uint64_t *number);

/* program_macro.c: a list of steps with macros replaced; the original when there are none. */
const struct scn_value *scn_expand(struct scn_program *program, const struct scn_value *steps);
bool scn_is_macro(const char *word);
const char *scn_macro_word(uint32_t index); /* or NULL */

/* program_declare.c */
void scn_declare(struct scn_program *program, const struct scn_value *steps);
uint32_t scn_verb_of(struct scn_program *program, const struct scn_value *step,
                     const struct scn_value **principal); /* SCRIPT_VERBS after an error */
uint32_t scn_name_add(struct scn_program *program, struct scn_list *list, const char *text,
                      uint32_t kind, const struct scn_value *where);
uint32_t scn_name_find(const struct scn_list *list, const char *text); /* or SCRIPT_NONE */
/* "async", "label", or made of verb and principal. */
const char *scn_label_of(struct scn_program *program, const struct scn_value *step, uint32_t verb,
                         const struct scn_value *principal);

/* program_step.c */
uint32_t scn_emit_block(struct scn_program *program, const struct scn_value *steps);

/* program_value.c: fill in an argument's value, or say what is wrong with it. */
void scn_emit_number(struct scn_program *program, const struct scn_value *value,
                     struct script_arg *arg);
void scn_emit_time(struct scn_program *program, const struct scn_value *value,
                   struct script_arg *arg);
void scn_emit_object(struct scn_program *program, const struct scn_value *value, uint32_t kinds,
                     struct script_arg *arg);
void scn_emit_objects(struct scn_program *program, const struct scn_value *value, uint32_t kinds,
                      struct script_arg *arg);
void scn_emit_member(struct scn_program *program, const struct scn_value *value, uint32_t member,
                     uint32_t traits, struct script_arg *arg);
/* Adds `count` elements as one list. */
void scn_emit_list(struct scn_program *program, const struct script_arg *elements, uint32_t count,
                   struct script_arg *arg);
uint32_t scn_emit_text(struct scn_program *program, const char *text);

/*
 * program_content.c. The last completes the arguments of a piece of memory with memory and token,
 * and returns their new number.
 */
void scn_emit_pattern(struct scn_program *program, const struct scn_value *value,
                      struct script_arg *arg);
void scn_emit_sgl(struct scn_program *program, const struct scn_value *value, uint32_t traits,
                  struct script_arg *arg);
uint32_t scn_complete_piece(struct scn_program *program, const struct scn_value *source,
                            uint32_t traits, struct script_arg *args, uint32_t count);

/* program_more.c: the larger kinds of values */
void scn_emit_sources(struct scn_program *program, const struct scn_value *value, bool results,
                      struct script_arg *arg);
void scn_emit_condition(struct scn_program *program, const struct scn_value *value,
                        struct script_arg *arg);
void scn_emit_expect(struct scn_program *program, const struct scn_value *value,
                     struct script_arg *arg);
void scn_emit_into(struct scn_program *program, const struct scn_value *value,
                   struct script_arg *arg);
void scn_emit_token(struct scn_program *program, const struct scn_value *value,
                    struct script_arg *arg);
/* One source: its kind and index. False after an error. */
bool scn_source_of(struct scn_program *program, const struct scn_value *value, const char *text,
                   bool results, uint32_t *source, uint32_t *index);

/* program_address.c */
#define SCN_PORT_DEFAULT 5445u
void scn_emit_address(struct scn_program *program, const struct scn_value *value, uint32_t port,
                      struct script_arg *arg);
/* The driver's own address of that family, or the peer's node's. */
void scn_emit_own_address(struct scn_program *program, uint32_t family, uint32_t port,
                          struct script_arg *arg);
void scn_emit_peer_address(struct scn_program *program, const struct scn_value *step,
                           struct script_arg *arg);
uint32_t scn_interface_index(const struct scn_scenario *scenario, uint32_t adapter);
/* Index of an adapter of the driver's node by name; SCN_NONE. */
uint32_t scn_own_adapter(const struct scn_program *program, const char *name);

/* program_write.c */
void scn_program_write(struct scn_program *program, struct scn_driver *driver);

/* program.c: the whole; errors go to the build's diagnostics. */
void scn_build_program(struct scn_build *build, struct scn_driver *driver);

#endif
