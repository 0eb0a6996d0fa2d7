/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Birth names. The hash of a full name goes on from the owner's, so that it costs only the last
 * part; numbers come from counters under (owner's name, label), which no unrelated birth moves.
 */
#include <stdio.h>
#include <string.h>

#include "world.h"

#define MATCH_NAME_BYTES 512u
#define PAGES_FIRST 8u
#define NUMBER_BYTES 12u

/* Writes the decimal digits of `value`, returns their count. */
static size_t write_number(char *to, uint32_t value) {
    char digits[10];
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    for (size_t i = 0; i < count; i++) {
        to[i] = digits[count - 1 - i];
    }
    return count;
}

/* What stands behind the label; returns how long it is. */
static size_t write_index(const struct sim_object *object, char text[NUMBER_BYTES]) {
    bool is_bare = object->naming == SIM_NAME_PLAIN ||
                   (object->naming == SIM_NAME_USUAL && object->index == 0);
    bool has_brackets = object->naming != SIM_NAME_NUMBERED;
    size_t count = 0;

    if (is_bare) {
        return 0;
    }
    if (has_brackets) {
        text[count++] = '[';
    }
    count += write_number(text + count, object->index);
    if (has_brackets) {
        text[count++] = ']';
    }
    return count;
}

static uint64_t hash_name(const struct sim_object *object) {
    uint64_t hash = SIM_HASH_TEXT_START;
    char number[NUMBER_BYTES];

    if (object->owner != NULL) {
        hash = sim_hash_bytes(object->owner->name_hash, ".", 1);
    }
    hash = sim_hash_bytes(hash, object->label, strlen(object->label));
    return sim_hash_bytes(hash, number, write_index(object, number));
}

static void add_page(struct sim_world *world) {
    struct sim_objects *objects = &world->objects;
    uint32_t count = objects->count / SIM_OBJECT_PAGE_COUNT;
    uint64_t bytes = objects->page_capacity * sizeof(struct sim_object **);

    if (count == objects->page_capacity) {
        uint32_t capacity = count == 0 ? PAGES_FIRST : count * 2;
        struct sim_object ***pages = sim_alloc(world, capacity * sizeof(struct sim_object **));

        if (count != 0) {
            memcpy(pages, objects->pages, bytes);
        }
        sim_free(world, objects->pages, bytes);
        objects->pages = pages;
        objects->page_capacity = capacity;
    }
    objects->pages[count] = sim_alloc(world, SIM_OBJECT_PAGE_COUNT * sizeof(struct sim_object *));
}

static void add_to_table(struct sim_world *world, struct sim_object *object) {
    struct sim_objects *objects = &world->objects;
    uint32_t at = objects->count;

    if (at % SIM_OBJECT_PAGE_COUNT == 0) {
        add_page(world);
    }
    objects->pages[at / SIM_OBJECT_PAGE_COUNT][at % SIM_OBJECT_PAGE_COUNT] = object;
    objects->count++;
    object->id = objects->count;
}

void sim_object_init(struct sim_world *world, struct sim_object *object, struct sim_object *owner,
                     const char *label, enum sim_object_naming naming) {
    uint64_t owner_hash = owner != NULL ? owner->name_hash : SIM_HASH_TEXT_START;
    uint64_t *births = sim_counter_of(world, &world->objects.births,
                                      sim_hash_mix(owner_hash, sim_hash_text(label)));

    SIM_ASSERT(naming != SIM_NAME_PLAIN || *births == 0);
    memset(object, 0, sizeof(*object));
    object->index = (uint32_t)(*births)++;
    object->label = label;
    object->owner = owner;
    object->naming = (uint8_t)naming;
    object->name_hash = hash_name(object);
    add_to_table(world, object);
}

void sim_object_init_unseen(struct sim_object *object, struct sim_object *owner, const char *label,
                            uint32_t index) {
    memset(object, 0, sizeof(*object));
    object->index = index;
    object->label = label;
    object->owner = owner;
    object->naming = SIM_NAME_INDEXED;
    object->name_hash = hash_name(object);
}

/* Appends at `at`, always leaving room for the end; returns the new end. */
static size_t append(char *buffer, size_t size, size_t at, const char *text, size_t count) {
    size_t room = size - 1 - at;

    count = count < room ? count : room;
    memcpy(buffer + at, text, count);
    return at + count;
}

static size_t write_name(const struct sim_object *object, char *buffer, size_t size) {
    char number[NUMBER_BYTES];
    size_t at = 0;

    if (object->owner != NULL) {
        at = write_name(object->owner, buffer, size);
        at = append(buffer, size, at, ".", 1);
    }
    at = append(buffer, size, at, object->label, strlen(object->label));
    return append(buffer, size, at, number, write_index(object, number));
}

const char *sim_object_name(const struct sim_object *object, char *buffer, size_t size) {
    if (size == 0) {
        return buffer;
    }
    if (object == NULL) {
        snprintf(buffer, size, "-");
        return buffer;
    }
    buffer[write_name(object, buffer, size)] = '\0';
    return buffer;
}

struct sim_object *sim_object_by_id(const struct sim_world *world, uint32_t id) {
    uint32_t at = id - 1;

    return id != 0 && id <= world->objects.count
               ? world->objects.pages[at / SIM_OBJECT_PAGE_COUNT][at % SIM_OBJECT_PAGE_COUNT]
               : NULL;
}

uint32_t sim_object_count(const struct sim_world *world) {
    return world->objects.count;
}

/* Goes back to the last star only, so it is linear in practice. */
bool sim_text_matches(const char *text, const char *pattern) {
    const char *star = NULL;
    const char *star_text = NULL;

    while (*text != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            star_text = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++star_text;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}

bool sim_object_matches(const struct sim_object *object, const char *pattern) {
    char name[MATCH_NAME_BYTES];

    if (strchr(pattern, '*') == NULL) {
        return object->name_hash == sim_hash_text(pattern);
    }
    return sim_text_matches(sim_object_name(object, name, sizeof(name)), pattern);
}

const char *sim_text_keep(struct sim_world *world, const char *text) {
    size_t bytes = strlen(text) + 1;

    return memcpy(sim_alloc(world, bytes), text, bytes);
}
