/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiled script, as the driver reads it from the value "Script" below its Parameters key. One
 * block of memory: this header, then arrays in the order of their offsets, then texts. Made in the
 * machine's byte order: it never leaves the process.
 *
 * A step has a verb and arguments; an argument has a value of one of the kinds below. Names are
 * numbers: objects, labels, variables, signals and locks each count from 0 in their own array of
 * names. Offsets are in bytes from the header, texts are NUL-terminated.
 */
#ifndef SCRIPT_PROGRAM_PROGRAM_H
#define SCRIPT_PROGRAM_PROGRAM_H

#include <stdint.h>

#include "words.h"

#define SCRIPT_MAGIC 0x4B444E53u /* "SNDK" */
#define SCRIPT_FORMAT 2u
#define SCRIPT_NONE 0xFFFFFFFFu
#define SCRIPT_IT 0xFFFFFFFEu /* as an object: the one that the event is about */
#define SCRIPT_DEPTH_MAX 12u  /* of blocks in blocks */
#define SCRIPT_SGE_MAX 64u
#define SCRIPT_PRIVATE_MAX 1024u

enum script_object_kind {
    SCRIPT_ADAPTER, /* NDK's kinds first */
    SCRIPT_CQ,
    SCRIPT_PD,
    SCRIPT_MR,
    SCRIPT_MW,
    SCRIPT_SRQ,
    SCRIPT_QP,
    SCRIPT_SHARED_ENDPOINT,
    SCRIPT_CONNECTOR,
    SCRIPT_LISTENER,
    SCRIPT_LAM, /* these have no header */
    SCRIPT_MEMORY,
    SCRIPT_REMOTE,
    SCRIPT_WSK,
    SCRIPT_OBJECT_KIND_COUNT,
};
#define SCRIPT_NDK_KIND_COUNT ((uint32_t)SCRIPT_LAM)

/* Kinds of an argument's value. */
enum script_arg_kind {
    SCRIPT_ARG_NOTHING,  /* "none": NULL, where that may be said */
    SCRIPT_ARG_NUMBER,   /* value; times in ns */
    SCRIPT_ARG_VARIABLE, /* index */
    SCRIPT_ARG_OBJECT,   /* index, or SCRIPT_IT */
    SCRIPT_ARG_NAME,     /* index of a label, signal, lock or variable, as the member says */
    SCRIPT_ARG_TEXT,     /* offset */
    SCRIPT_ARG_BLOCK,    /* index */
    SCRIPT_ARG_LIST,     /* index of its first argument; count */
};

/* `member` is enum script_member in a step; in lists it says what the element is. */
struct script_arg {
    uint16_t member;
    uint16_t kind;
    uint32_t count;
    uint64_t value;
};

struct script_step {
    uint16_t verb;
    uint16_t arg_count;
    uint32_t arg_first;
    uint32_t path;      /* text: "threads.main[4]" */
    uint32_t place;     /* text: "case.json:12" */
    uint32_t label;     /* of its call or request; always set for these */
    uint32_t is_misuse; /* refused uses go through */
};

struct script_block {
    uint32_t step_first;
    uint32_t step_count;
};

/* What a script can wait for, and handle. `index`: object, label or signal. */
enum script_source {
    SCRIPT_SOURCE_CONNECT,    /* listener */
    SCRIPT_SOURCE_DISCONNECT, /* connector */
    SCRIPT_SOURCE_NOTIFY,     /* CQ */
    SCRIPT_SOURCE_SRQ,        /* SRQ */
    SCRIPT_SOURCE_LABEL,      /* completion of a call */
    SCRIPT_SOURCE_SIGNAL,
    SCRIPT_SOURCE_TRANSPORT, /* WSK client event, of the driver */
    SCRIPT_SOURCE_THREAD,    /* its end */
    SCRIPT_SOURCE_RESULT,    /* CQ; for what must not come */
    SCRIPT_SOURCE_KIND_COUNT,
};

struct script_object {
    uint32_t kind; /* enum script_object_kind */
    uint32_t name;
};

/* A named thing without a kind of its own. */
struct script_name {
    uint32_t name;
};

struct script_thread {
    uint32_t name;
    uint32_t block;
};

struct script_handler {
    uint32_t source; /* enum script_source */
    uint32_t index;
    uint32_t block;
};

/* Elements of lists, by `member`. */
enum script_element {
    SCRIPT_ELEMENT_PLAIN,
    /* of an SGE list: one list per SGE with these */
    SCRIPT_ELEMENT_SGE,
    /* of conditions: left, comparison, right */
    SCRIPT_ELEMENT_LEFT,
    SCRIPT_ELEMENT_COMPARISON,
    SCRIPT_ELEMENT_RIGHT,
    /* of "expect" and "into": value is the output's number; of "of": label text, block */
    SCRIPT_ELEMENT_OUTPUT,
    SCRIPT_ELEMENT_BLOCK,
    /* of patterns and private data */
    SCRIPT_ELEMENT_SEED,
    SCRIPT_ELEMENT_DATA, /* text of hexadecimal digits, two a byte */
    SCRIPT_ELEMENT_OFFER,
    SCRIPT_ELEMENT_BYTES,
    /* of sources: value is the index, count the enum script_source */
    SCRIPT_ELEMENT_SOURCE,
    /* of tokens: whose */
    SCRIPT_ELEMENT_LOCAL,
    SCRIPT_ELEMENT_REMOTE,
    SCRIPT_ELEMENT_PRIVILEGED,
    /* of addresses: family (4, 6), bytes as two numbers, port */
    SCRIPT_ELEMENT_FAMILY,
    SCRIPT_ELEMENT_HIGH,
    SCRIPT_ELEMENT_LOW,
    SCRIPT_ELEMENT_PORT,
};

enum script_comparison {
    SCRIPT_EQUAL,
    SCRIPT_UNEQUAL,
    SCRIPT_LESS,
    SCRIPT_LESS_EQUAL,
    SCRIPT_GREATER,
    SCRIPT_GREATER_EQUAL,
    SCRIPT_HAS_BITS, /* all of them */
};

enum script_route { SCRIPT_ROUTE_INLINE, SCRIPT_ROUTE_PENDING };
enum script_context {
    SCRIPT_CONTEXT_POOL,
    SCRIPT_CONTEXT_STACK, /* of a frame that returns when the step gives up */
    SCRIPT_CONTEXT_FREED, /* freed while the request has it */
    SCRIPT_CONTEXT_NONE,  /* NULL */
};
enum script_irql { SCRIPT_IRQL_RAISE };
enum script_limits {
    SCRIPT_LIMITS_BOTH,
    SCRIPT_LIMITS_INBOUND,
    SCRIPT_LIMITS_OUTBOUND,
    SCRIPT_LIMITS_NONE
};
enum script_swap { SCRIPT_SWAP_COPY, SCRIPT_SWAP_TRAP };
/* Bits of "what" of check. */
#define SCRIPT_CHECK_VERSION 1u
#define SCRIPT_CHECK_TYPE 2u
#define SCRIPT_CHECK_RESERVED 4u
#define SCRIPT_CHECK_DISPATCH 8u
#define SCRIPT_CHECK_OUT 16u
#define SCRIPT_CHECK_RESERVED_KEPT 32u

/* How the driver ends. */
#define SCRIPT_FLAG_OPENS 1u          /* registers with WSK and opens the first adapter by itself */
#define SCRIPT_FLAG_REGISTERS 2u      /* registers with WSK by itself */
#define SCRIPT_FLAG_CLEANS 4u         /* closes at the end what is open */
#define SCRIPT_FLAG_CLEANS_AT_END 32u /* when its threads have ended, not at unload */
#define SCRIPT_FLAG_WORKS 16u         /* has work items */
#define SCRIPT_FLAG_UNLOADS_AT_ONCE 8u /* DriverUnload waits for nothing */

/* A version of NDK, "1.2+": 2.0 where the adapter offers it, else the one beside this bit. */
#define SCRIPT_VERSION_OR_2 0x80000000u
#define SCRIPT_VERSION_ANY (SCRIPT_VERSION_OR_2 | 1u << 16)

struct script_program {
    uint32_t magic;
    uint32_t format;
    uint32_t bytes;
    uint32_t flags;
    uint32_t node; /* texts */
    uint32_t driver;
    uint32_t adapter; /* object that is opened by itself */
    uint32_t interface_index;
    uint32_t version;      /* major << 16 | minor, may have SCRIPT_VERSION_OR_2 */
    uint32_t unload_block; /* or SCRIPT_NONE */
    uint64_t boot_ns;      /* KeQueryInterruptTime at virtual time 0 */
    uint32_t arg_at, arg_count;
    uint32_t step_at, step_count;
    uint32_t block_at, block_count;
    uint32_t object_at, object_count;
    uint32_t label_at, label_count;
    uint32_t variable_at, variable_count;
    uint32_t signal_at, signal_count;
    uint32_t lock_at, lock_count;
    uint32_t thread_at, thread_count;
    uint32_t handler_at, handler_count;
    uint32_t status_at, status_count; /* struct script_status: names for messages */
    uint32_t text_at, text_bytes;
};

struct script_status {
    uint32_t value;
    uint32_t name;
};

/* What "offer" puts into private data, and "take" reads there. In the machine's byte order. */
#define SCRIPT_OFFER_MAGIC 0x4F46464Fu
struct script_offer {
    uint32_t magic;
    uint32_t token;
    uint64_t address;
    uint64_t bytes;
};

#endif
