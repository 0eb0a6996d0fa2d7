/* SPDX-License-Identifier: Apache-2.0 */
/* Members, outputs, and the words that stand for numbers. */
#include "model/program.h"

#include <stdio.h>
#include <string.h>

static const struct scn_word routes[] = {
    {"inline", SCRIPT_ROUTE_INLINE}, {"pending", SCRIPT_ROUTE_PENDING}, {NULL, 0}};
static const struct scn_word arm_types[] = {
    /* of arm_cq; with expect_result a request's type */
    {"errors", 0},
    {"any", 1},
    {"solicited", 2},
    {"receive", 0x1},
    {"send", 0x2},
    {"fast_register", 0x4},
    {"bind", 0x8},
    {"invalidate", 0x10},
    {"read", 0x20},
    {"write", 0x40},
    {"receive_and_invalidate", 0x8001},
    {NULL, 0}};
static const struct scn_word limit_words[] = {{"both", SCRIPT_LIMITS_BOTH},
                                              {"inbound", SCRIPT_LIMITS_INBOUND},
                                              {"outbound", SCRIPT_LIMITS_OUTBOUND},
                                              {"none", SCRIPT_LIMITS_NONE},
                                              {NULL, 0}};
static const struct scn_word tables[] = {
    {"copy", SCRIPT_SWAP_COPY}, {"trap", SCRIPT_SWAP_TRAP}, {NULL, 0}};
static const struct scn_word checks[] = {{"version", SCRIPT_CHECK_VERSION},
                                         {"type", SCRIPT_CHECK_TYPE},
                                         {"reserved", SCRIPT_CHECK_RESERVED},
                                         {"reserved_kept", SCRIPT_CHECK_RESERVED_KEPT},
                                         {"dispatch", SCRIPT_CHECK_DISPATCH},
                                         {"out", SCRIPT_CHECK_OUT},
                                         {NULL, 0}};
static const struct scn_word irqls[] = {
    {"passive", 0}, {"apc", 1}, {"dispatch", 2}, {"high", 15}, {NULL, 0}};

static const struct scn_word op_flags[] = {{"NDK_OP_FLAG_SILENT_SUCCESS", 0x1},
                                           {"NDK_OP_FLAG_READ_FENCE", 0x2},
                                           {"NDK_OP_FLAG_SEND_AND_SOLICIT_EVENT", 0x4},
                                           {"NDK_OP_FLAG_ALLOW_REMOTE_READ", 0x8},
                                           {"NDK_OP_FLAG_ALLOW_LOCAL_WRITE", 0x10},
                                           {"NDK_OP_FLAG_ALLOW_REMOTE_WRITE", 0x30},
                                           {"NDK_OP_FLAG_INLINE", 0x40},
                                           {"NDK_OP_FLAG_RDMA_READ_SINK", 0x80},
                                           {"NDK_OP_FLAG_RDMA_READ_LOCAL_INVALIDATE", 0x100},
                                           {"NDK_OP_FLAG_DEFER", 0x200},
                                           {NULL, 0}};
static const struct scn_word mr_flags[] = {
    {"NDK_MR_FLAG_ALLOW_LOCAL_READ", 0},    {"NDK_MR_FLAG_ALLOW_LOCAL_WRITE", 0x1},
    {"NDK_MR_FLAG_ALLOW_REMOTE_READ", 0x2}, {"NDK_MR_FLAG_ALLOW_REMOTE_WRITE", 0x5},
    {"NDK_MR_FLAG_RDMA_READ_SINK", 0x8},    {NULL, 0}};

const struct scn_word *scn_op_flags(void) {
    return op_flags;
}

const struct scn_word *scn_mr_flags(void) {
    return mr_flags;
}

const struct scn_word *scn_irql_words(void) {
    return irqls;
}

#define KIND(kind) SCN_KIND(SCRIPT_##kind)
#define ANY_NDK (SCN_KIND(SCRIPT_NDK_KIND_COUNT) - 1)
#define MEMBER(name, ...) [SCRIPT_MEMBER_##name] = {__VA_ARGS__}

static const struct scn_member_kind members[SCRIPT_MEMBERS] = {
    MEMBER(AT, "at", SCN_M_TIME, 0, NULL),
    MEMBER(AFTER, "after", SCN_M_TIME, 0, NULL),
    MEMBER(STATUS, "status", SCN_M_STATUS, 0, NULL),
    MEMBER(ROUTE, "route", SCN_M_WORD, 0, routes),
    MEMBER(ASYNC, "async", SCN_M_LABEL_NEW, 0, NULL),
    MEMBER(LABEL, "label", SCN_M_LABEL_NEW, 0, NULL),
    MEMBER(THEN, "then", SCN_M_STEPS, 0, NULL),
    MEMBER(WITHIN, "within", SCN_M_TIME, 0, NULL),
    MEMBER(GIVE_UP, "give_up", SCN_M_FLAG, 0, NULL),
    MEMBER(COMPLETION, "completion", SCN_M_NONE, 0, NULL),
    MEMBER(CONTEXT, "context", SCN_M_CONTEXT, 0, NULL),
    MEMBER(VIA, "via", SCN_M_OBJECT, ANY_NDK, NULL),
    MEMBER(MISUSE, "misuse", SCN_M_FLAG, 0, NULL),
    MEMBER(EXPECT, "expect", SCN_M_EXPECT, 0, NULL),
    MEMBER(INTO, "into", SCN_M_INTO, 0, NULL),
    MEMBER(WSK, "wsk", SCN_M_OBJECT, KIND(WSK), NULL),
    MEMBER(ADAPTER, "adapter", SCN_M_OBJECT, KIND(ADAPTER), NULL),
    MEMBER(PD, "pd", SCN_M_OBJECT, KIND(PD), NULL),
    MEMBER(CQ, "cq", SCN_M_OBJECT, KIND(CQ), NULL),
    MEMBER(RECEIVE_CQ, "receive_cq", SCN_M_OBJECT, KIND(CQ), NULL),
    MEMBER(INITIATOR_CQ, "initiator_cq", SCN_M_OBJECT, KIND(CQ), NULL),
    MEMBER(QP, "qp", SCN_M_OBJECT, KIND(QP), NULL),
    MEMBER(SRQ, "srq", SCN_M_OBJECT, KIND(SRQ), NULL),
    MEMBER(MR, "mr", SCN_M_OBJECT, KIND(MR), NULL),
    MEMBER(LAM, "lam", SCN_M_OBJECT, KIND(LAM), NULL),
    MEMBER(ENDPOINT, "endpoint", SCN_M_OBJECT, KIND(SHARED_ENDPOINT), NULL),
    MEMBER(CONNECTOR, "connector", SCN_M_OBJECTS, KIND(CONNECTOR), NULL),
    MEMBER(INTERFACE, "interface", SCN_M_INTERFACE, 0, NULL),
    MEMBER(VERSION, "version", SCN_M_VERSION, 0, NULL),
    MEMBER(TIMEOUT, "timeout", SCN_M_TIME, 0, NULL),
    MEMBER(CODE, "code", SCN_M_NUMBER, 0, NULL),
    MEMBER(INPUT_BYTES, "input_bytes", SCN_M_NUMBER, 0, NULL),
    MEMBER(OUTPUT_BYTES, "output_bytes", SCN_M_NUMBER, 0, NULL),
    MEMBER(IRP, "irp", SCN_M_FLAG, 0, NULL),
    MEMBER(GUID, "guid", SCN_M_GUID, 0, NULL),
    MEMBER(DEPTH, "depth", SCN_M_NUMBER, 0, NULL),
    MEMBER(RECEIVE_DEPTH, "receive_depth", SCN_M_NUMBER, 0, NULL),
    MEMBER(INITIATOR_DEPTH, "initiator_depth", SCN_M_NUMBER, 0, NULL),
    MEMBER(SGE, "sge", SCN_M_NUMBER, 0, NULL),
    MEMBER(RECEIVE_SGE, "receive_sge", SCN_M_NUMBER, 0, NULL),
    MEMBER(INITIATOR_SGE, "initiator_sge", SCN_M_NUMBER, 0, NULL),
    MEMBER(INLINE_BYTES, "inline_bytes", SCN_M_NUMBER, 0, NULL),
    MEMBER(THRESHOLD, "threshold", SCN_M_NUMBER, 0, NULL),
    MEMBER(AFFINITY, "affinity", SCN_M_NUMBER, 0, NULL),
    MEMBER(GROUP, "group", SCN_M_NUMBER, 0, NULL),
    MEMBER(CALLBACK, "callback", SCN_M_NONE, 0, NULL),
    MEMBER(FAST, "fast", SCN_M_FLAG, 0, NULL),
    MEMBER(MEMORY, "memory", SCN_M_OBJECT, KIND(MEMORY), NULL),
    MEMBER(OFFSET, "offset", SCN_M_NUMBER, 0, NULL),
    MEMBER(BYTES, "bytes", SCN_M_NUMBER, 0, NULL),
    MEMBER(BUFFER, "buffer", SCN_M_NONE, 0, NULL),
    MEMBER(TOKEN, "token", SCN_M_TOKEN, 0, NULL),
    MEMBER(SGL, "sgl", SCN_M_SGL, 0, NULL),
    MEMBER(FLAGS, "flags", SCN_M_FLAGS, 0, NULL),
    MEMBER(PAGES, "pages", SCN_M_NUMBER, 0, NULL),
    MEMBER(FBO, "fbo", SCN_M_NUMBER, 0, NULL),
    MEMBER(BASE, "base", SCN_M_NUMBER, 0, NULL),
    MEMBER(REMOTE_ACCESS, "remote_access", SCN_M_FLAG, 0, NULL),
    MEMBER(REMOTE, "remote", SCN_M_OBJECT, KIND(REMOTE), NULL),
    MEMBER(REMOTE_OFFSET, "remote_offset", SCN_M_NUMBER, 0, NULL),
    MEMBER(REMOTE_ADDRESS, "remote_address", SCN_M_NUMBER, 0, NULL),
    MEMBER(REMOTE_TOKEN, "remote_token", SCN_M_TOKEN, 0, NULL),
    MEMBER(TYPE, "type", SCN_M_WORD, 0, arm_types),
    MEMBER(COUNT, "count", SCN_M_NUMBER, 0, NULL),
    MEMBER(INTERVAL, "interval", SCN_M_NUMBER, 0, NULL),
    MEMBER(REQUEST, "request", SCN_M_LABELS, 0, NULL),
    MEMBER(FROM, "from", SCN_M_ADDRESS, 0, NULL),
    MEMBER(TO, "to", SCN_M_ADDRESS, 0, NULL),
    MEMBER(ADDRESS, "address", SCN_M_ADDRESS, 0, NULL),
    MEMBER(ADDRESS_BYTES, "address_bytes", SCN_M_NUMBER, 0, NULL),
    MEMBER(INBOUND_READS, "inbound_reads", SCN_M_NUMBER, 0, NULL),
    MEMBER(OUTBOUND_READS, "outbound_reads", SCN_M_NUMBER, 0, NULL),
    MEMBER(PRIVATE_DATA, "private_data", SCN_M_PATTERN, 0, NULL),
    MEMBER(DISCONNECT_EVENT, "disconnect_event", SCN_M_NONE, 0, NULL),
    MEMBER(LIMITS, "limits", SCN_M_WORD, 0, limit_words),
    MEMBER(TAKE, "take", SCN_M_OBJECT, KIND(REMOTE), NULL),
    MEMBER(PAUSE, "pause", SCN_M_FLAG, 0, NULL),
    MEMBER(FOR, "for", SCN_M_TIME, 0, NULL),
    MEMBER(WITH, "with", SCN_M_PATTERN, 0, NULL),
    MEMBER(CHAIN, "chain", SCN_M_NUMBER, 0, NULL),
    MEMBER(WHAT, "what", SCN_M_BITS, 0, checks),
    MEMBER(STEPS, "steps", SCN_M_STEPS, 0, NULL),
    MEMBER(ELSE, "else", SCN_M_STEPS, 0, NULL),
    MEMBER(OF, "of", SCN_M_CHOICES, 0, NULL),
    MEMBER(VALUE, "value", SCN_M_NUMBER, 0, NULL),
    MEMBER(PLUS, "plus", SCN_M_NUMBER, 0, NULL),
    MEMBER(MINUS, "minus", SCN_M_NUMBER, 0, NULL),
    MEMBER(INDEX, "index", SCN_M_VARIABLE, 0, NULL),
    MEMBER(SAYS, "says", SCN_M_TEXT, 0, NULL),
    MEMBER(REPEAT, "repeat", SCN_M_NUMBER, 0, NULL),
    MEMBER(ARM, "arm", SCN_M_FLAG, 0, NULL),
    MEMBER(NEXT, "next", SCN_M_FLAG, 0, NULL),
    MEMBER(EXTENDED, "extended", SCN_M_FLAG, 0, NULL),
    MEMBER(GAP, "gap", SCN_M_NUMBER, 0, NULL),
    MEMBER(RETRY, "retry", SCN_M_TIME, 0, NULL),
    MEMBER(TRIES, "tries", SCN_M_NUMBER, 0, NULL),
    MEMBER(TABLE, "table", SCN_M_WORD, 0, tables),
};

const struct scn_member_kind *scn_member_kind(uint32_t member) {
    return &members[member];
}

const char *scn_output_word(uint32_t output) {
#define WORD(name, word) word,
    static const char *const words[SCRIPT_OUTPUTS] = {SCRIPT_OUTPUT_LIST(WORD)};
#undef WORD

    return words[output];
}

const char *scn_kind_word(uint32_t kind) {
    static const char *const words[SCRIPT_OBJECT_KIND_COUNT] = {
        [SCRIPT_ADAPTER] = "adapter",
        [SCRIPT_CQ] = "CQ",
        [SCRIPT_PD] = "PD",
        [SCRIPT_MR] = "MR",
        [SCRIPT_MW] = "MW",
        [SCRIPT_SRQ] = "SRQ",
        [SCRIPT_QP] = "QP",
        [SCRIPT_SHARED_ENDPOINT] = "shared endpoint",
        [SCRIPT_CONNECTOR] = "connector",
        [SCRIPT_LISTENER] = "listener",
        [SCRIPT_LAM] = "mapping",
        [SCRIPT_MEMORY] = "memory",
        [SCRIPT_REMOTE] = "remote memory",
        [SCRIPT_WSK] = "WSK client",
    };

    return words[kind];
}

#define WORD_COUNT_MAX 32u

/* "NDK_OP_FLAG_INLINE" may be said as "INLINE". */
static const char *shortened(const char *text) {
    if (strncmp(text, "NDK_OP_FLAG_", 12) == 0 || strncmp(text, "NDK_MR_FLAG_", 12) == 0)
        return text + 12;
    return text;
}

bool scn_word_find(struct scn_program *program, const struct scn_value *value, const char *text,
                   const struct scn_word *words, const char *what, uint64_t *number) {
    const char *near[WORD_COUNT_MAX], *nearest;
    char list[400] = "";
    size_t count = 0;

    for (const struct scn_word *word = words; word->text != NULL; word++) {
        size_t used = strlen(list);

        if (strcmp(word->text, text) == 0 || strcmp(shortened(word->text), text) == 0) {
            *number = word->value;
            return true;
        }
        near[count++] = shortened(word->text);
        snprintf(list + used, sizeof(list) - used, "%s%s", used > 0 ? ", " : "",
                 shortened(word->text));
    }
    nearest = scn_nearest(shortened(text), near, count);
    if (nearest != NULL)
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "there is no %s \"%s\"; did you mean \"%s\"?", what, text, nearest);
    else
        scn_diagnose_value(program->build->diagnostics, value, false,
                           "there is no %s \"%s\"; expected one of %s", what, text, list);
    return false;
}
