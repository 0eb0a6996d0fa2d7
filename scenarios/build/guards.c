/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guarded blocks, read from the tokens: a source that has one is compiled without optimisation, and
 * a way out of one that cannot be honoured (wdm/exception.h) is an error:
 *
 *   break, continue    of a loop or switch around the guarded block or its handler
 *   return, goto       out of a block whose handler is a __finally
 */
#include <stdio.h>
#include <string.h>

#include "build/driver.h"
#include "build/source.h"

enum block_kind { BLOCK_PLAIN, BLOCK_LOOP, BLOCK_SWITCH, BLOCK_TRY, BLOCK_HANDLER };

struct way_out {
    uint32_t line;
    char label[64]; /* of a goto; "" for a return */
};

#define BLOCK_MAX 128u
#define WAY_MAX 32u
#define LABEL_MAX 32u

struct block {
    enum block_kind kind;
    bool is_statement;            /* a loop's body without braces: ends with its first statement */
    struct way_out ways[WAY_MAX]; /* TRY: out of it, if its handler is a __finally */
    uint32_t way_count;
    char labels[LABEL_MAX][64]; /* TRY: within it */
    uint32_t label_count;
};

struct guards {
    struct build_driver *driver;
    const char *path;
    struct block blocks[BLOCK_MAX];
    uint32_t depth;
    struct block ended;   /* the last TRY that ended: its handler is next */
    enum block_kind next; /* of the block that the next brace opens */
    uint32_t parentheses; /* open ones behind a keyword that takes them */
    bool is_header;       /* within the parentheses of a loop, switch or __except */
    bool wants_body;      /* behind them: a brace or a statement */
};

static void refuse(struct guards *guards, uint32_t line, const char *text) {
    fprintf(stderr, "%s:%u: error: %s\n", guards->path, line, text);
    guards->driver->error_count++;
}

static struct block *top(struct guards *guards) {
    return guards->depth != 0 ? &guards->blocks[guards->depth - 1] : NULL;
}

static void push(struct guards *guards, enum block_kind kind, bool is_statement) {
    if (guards->depth < BLOCK_MAX) {
        struct block *block = &guards->blocks[guards->depth++];

        memset(block, 0, sizeof(*block));
        block->kind = kind;
        block->is_statement = is_statement;
    }
}

static void pop(struct guards *guards) {
    struct block *block = top(guards);

    if (block != NULL && block->kind == BLOCK_TRY)
        guards->ended = *block;
    guards->depth -= block != NULL;
    while (top(guards) != NULL && top(guards)->is_statement)
        guards->depth--;
}

static void leave_loop(struct guards *guards, const struct build_token *token) {
    bool is_break = build_token_is(token, "break");

    for (uint32_t i = guards->depth; i > 0; i--) {
        switch (guards->blocks[i - 1].kind) {
        case BLOCK_LOOP:
            return;
        case BLOCK_SWITCH:
            if (is_break)
                return;
            break;
        case BLOCK_TRY:
        case BLOCK_HANDLER:
            refuse(guards, token->line,
                   is_break ? "a break out of a guarded block or its handler cannot be honoured: "
                              "set a variable, and break behind it"
                            : "a continue out of a guarded block or its handler cannot be "
                              "honoured: set a variable, and continue behind it");
            return;
        case BLOCK_PLAIN:
            break;
        }
    }
}

/* A return or goto within guarded blocks: judged when it is known what their handlers are. */
static void note_way(struct guards *guards, uint32_t line, const struct build_token *label) {
    for (uint32_t i = 0; i < guards->depth; i++) {
        struct block *block = &guards->blocks[i];

        if (block->kind == BLOCK_TRY && block->way_count < WAY_MAX) {
            struct way_out *way = &block->ways[block->way_count++];

            way->line = line;
            snprintf(way->label, sizeof(way->label), "%.*s", label != NULL ? (int)label->length : 0,
                     label != NULL ? label->start : "");
        }
    }
}

static void note_label(struct guards *guards, const struct build_token *label) {
    for (uint32_t i = 0; i < guards->depth; i++) {
        struct block *block = &guards->blocks[i];

        if (block->kind == BLOCK_TRY && block->label_count < LABEL_MAX)
            snprintf(block->labels[block->label_count++], sizeof(block->labels[0]), "%.*s",
                     (int)label->length, label->start);
    }
}

static bool is_within(const struct block *block, const struct way_out *way) {
    for (uint32_t i = 0; way->label[0] != '\0' && i < block->label_count; i++)
        if (strcmp(block->labels[i], way->label) == 0)
            return true;
    return false;
}

/* The block that ended has a __finally. */
static void judge_ways(struct guards *guards) {
    for (uint32_t i = 0; i < guards->ended.way_count; i++) {
        const struct way_out *way = &guards->ended.ways[i];

        if (!is_within(&guards->ended, way))
            refuse(guards, way->line,
                   way->label[0] == '\0'
                       ? "a return out of a block with __finally cannot be honoured: say __leave, "
                         "and return behind it"
                       : "a goto out of a block with __finally cannot be honoured: say __leave, "
                         "and go on behind it");
    }
}

static bool is_loop(const struct build_token *token) {
    return build_token_is(token, "for") || build_token_is(token, "while");
}

static void take_keyword(struct guards *guards, const struct build_token *token) {
    if (build_token_is(token, "__try")) {
        guards->next = BLOCK_TRY;
        guards->driver->has_guards = true;
    } else if (build_token_is(token, "__finally")) {
        guards->next = BLOCK_HANDLER;
        judge_ways(guards);
    } else if (build_token_is(token, "__except") || build_token_is(token, "switch") ||
               is_loop(token)) {
        guards->next = build_token_is(token, "__except") ? BLOCK_HANDLER
                       : is_loop(token)                  ? BLOCK_LOOP
                                                         : BLOCK_SWITCH;
        guards->is_header = true;
        guards->parentheses = 0;
    } else if (build_token_is(token, "do")) {
        guards->next = BLOCK_LOOP;
    } else if (build_token_is(token, "break") || build_token_is(token, "continue")) {
        leave_loop(guards, token);
    } else if (build_token_is(token, "return")) {
        note_way(guards, token->line, NULL);
    }
}

static void take_mark(struct guards *guards, char mark) {
    if (guards->is_header) {
        guards->parentheses += mark == '(';
        guards->parentheses -= mark == ')' && guards->parentheses != 0;
        if (mark == ')' && guards->parentheses == 0) {
            guards->is_header = false;
            guards->wants_body = guards->next == BLOCK_LOOP;
        }
        return;
    }
    if (mark == '{') {
        push(guards, guards->next, false);
        guards->next = BLOCK_PLAIN;
    } else if (mark == '}') {
        pop(guards);
    } else if (mark == ';') {
        while (top(guards) != NULL && top(guards)->is_statement)
            guards->depth--;
        guards->next = BLOCK_PLAIN;
    }
}

static bool is_mark(const struct build_token *token, const char *marks) {
    return token->kind == BUILD_MARK && strchr(marks, token->start[0]) != NULL;
}

/* A macro with a guarded block in it: it counts, its ways out are not looked at. */
static bool holds_guard(const struct build_token *directive) {
    const char *end = directive->start + directive->length;

    for (const char *at = directive->start; at + 5 <= end; at++)
        if (memcmp(at, "__try", 5) == 0)
            return true;
    return false;
}

void build_scan_guards(struct build_driver *driver, const struct build_source *source) {
    struct build_token before = {BUILD_MARK, ";", 1, 0}, last = before, token;
    struct guards guards = {.driver = driver, .path = source->path};
    struct build_scan scan;

    build_scan_init(&scan, source->text, source->bytes);
    while (build_scan_next(&scan, &token)) {
        if (token.kind == BUILD_DIRECTIVE) {
            driver->has_guards = driver->has_guards || holds_guard(&token);
            continue;
        }
        if (guards.wants_body && !is_mark(&token, "{")) {
            push(&guards, BLOCK_LOOP, true);
            guards.next = BLOCK_PLAIN;
        }
        guards.wants_body = false;
        if (token.kind == BUILD_MARK)
            take_mark(&guards, token.start[0]);
        else if (token.kind == BUILD_NAME)
            take_keyword(&guards, &token);
        if (is_mark(&token, ":") && last.kind == BUILD_NAME && is_mark(&before, ";{}:"))
            note_label(&guards, &last);
        if (token.kind == BUILD_NAME && build_token_is(&last, "goto"))
            note_way(&guards, token.line, &token);
        before = last;
        last = token;
    }
}
