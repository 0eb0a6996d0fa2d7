/* SPDX-License-Identifier: Apache-2.0 */
/* A list of texts that owns them: arguments, folders, names. */
#ifndef SCN_BUILD_LIST_H
#define SCN_BUILD_LIST_H

#include <sim/base.h>

struct build_list {
    char **items; /* NULL-terminated once something is in it: an argument vector */
    size_t count;
    size_t capacity;
};

/* Adds a formatted text; returns it. */
const char *build_list_add(struct build_list *list, const char *format, ...) SIM_PRINTF(2, 3);
/* Adds the words of a text that blanks separate. */
void build_list_add_words(struct build_list *list, const char *text);
bool build_list_has(const struct build_list *list, const char *text);
void build_list_free(struct build_list *list);

#endif
