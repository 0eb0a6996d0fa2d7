/* SPDX-License-Identifier: Apache-2.0 */
#include "build/list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grow(struct build_list *list) {
    if (list->count + 2 > list->capacity) {
        list->capacity = list->capacity != 0 ? list->capacity * 2 : 16;
        list->items = realloc(list->items, list->capacity * sizeof(*list->items));
        SIM_ASSERT(list->items != NULL);
    }
}

const char *build_list_add(struct build_list *list, const char *format, ...) {
    va_list arguments;
    va_list again;
    int length;
    char *text;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    SIM_ASSERT(length >= 0);
    text = malloc((size_t)length + 1);
    SIM_ASSERT(text != NULL);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    grow(list);
    list->items[list->count++] = text;
    list->items[list->count] = NULL;
    return text;
}

void build_list_add_words(struct build_list *list, const char *text) {
    while (*(text += strspn(text, " ")) != '\0') {
        size_t length = strcspn(text, " ");

        build_list_add(list, "%.*s", (int)length, text);
        text += length;
    }
}

bool build_list_has(const struct build_list *list, const char *text) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], text) == 0)
            return true;
    return false;
}

void build_list_free(struct build_list *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    memset(list, 0, sizeof(*list));
}
