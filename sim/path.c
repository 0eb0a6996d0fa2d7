/* SPDX-License-Identifier: Apache-2.0 */
/* Paths, found by hash and by number; nothing is ever taken out. See sim/path.h. */
#include <sim/path.h>

#include <string.h>

#include "world.h"

#define CAPACITY_FIRST 32u
#define NUMBER_MAX ((1u << 24) - 1)

struct sim_path {
    uint32_t hash;
    uint8_t count;
    uintptr_t frames[];
};

static uint32_t hash_of(const uintptr_t *frames, uint8_t count) {
    uint64_t hash = count;

    for (uint8_t i = 0; i < count; i++) {
        hash = (hash << 7 | hash >> 57) ^ frames[i];
    }
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32);
}

static bool is_path(const struct sim_path *path, uint32_t hash, const uintptr_t *frames,
                    uint8_t count) {
    if (path->hash != hash || path->count != count) {
        return false;
    }
    /* A handful of words: sooner done than a call is made. */
    for (uint8_t i = 0; i < count; i++) {
        if (path->frames[i] != frames[i]) {
            return false;
        }
    }
    return true;
}

/* The slot of a path, or the free one where it belongs. */
static uint32_t *slot_of(const struct sim_paths *paths, uint32_t hash, const uintptr_t *frames,
                         uint8_t count) {
    uint32_t mask = 2 * paths->capacity - 1;
    uint32_t at = hash & mask;

    while (paths->slots[at] != 0 &&
           !is_path(paths->by_number[paths->slots[at] - 1], hash, frames, count)) {
        at = (at + 1) & mask;
    }
    return &paths->slots[at];
}

static void grow(struct sim_world *world) {
    struct sim_paths *paths = &world->paths;
    struct sim_paths old = *paths;

    paths->capacity = old.capacity == 0 ? CAPACITY_FIRST : 2 * old.capacity;
    paths->by_number = sim_alloc(world, paths->capacity * sizeof(struct sim_path *));
    paths->slots = sim_alloc(world, 2 * (uint64_t)paths->capacity * sizeof(paths->slots[0]));
    for (uint32_t i = 0; i < old.count; i++) {
        struct sim_path *path = old.by_number[i];

        paths->by_number[i] = path;
        *slot_of(paths, path->hash, path->frames, path->count) = i + 1;
    }
    sim_free(world, old.by_number, old.capacity * sizeof(struct sim_path *));
    sim_free(world, old.slots, 2 * (uint64_t)old.capacity * sizeof(old.slots[0]));
}

uint32_t sim_path_keep(struct sim_world *world, const uintptr_t *frames, uint8_t count) {
    struct sim_paths *paths = &world->paths;
    uint32_t hash = hash_of(frames, count);
    struct sim_path *path;
    uint32_t *slot;

    SIM_ASSERT(count <= SIM_FINDING_FRAMES);
    if (count == 0) {
        return 0;
    }
    if (SIM_UNLIKELY(paths->count == paths->capacity)) {
        grow(world);
    }
    slot = slot_of(paths, hash, frames, count);
    if (SIM_LIKELY(*slot != 0) || paths->count == NUMBER_MAX) {
        return *slot;
    }
    path = sim_alloc(world, sizeof(*path) + count * sizeof(frames[0]));
    path->hash = hash;
    path->count = count;
    memcpy(path->frames, frames, count * sizeof(frames[0]));
    paths->by_number[paths->count++] = path;
    *slot = paths->count;
    return *slot;
}

uint8_t sim_path_frames(const struct sim_world *world, uint32_t path,
                        uintptr_t frames[SIM_FINDING_FRAMES]) {
    const struct sim_path *found;

    if (path == 0) {
        return 0;
    }
    SIM_ASSERT(path <= world->paths.count);
    found = world->paths.by_number[path - 1];
    memcpy(frames, found->frames, found->count * sizeof(frames[0]));
    return found->count;
}

void sim_site_keep(struct sim_world *world, struct sim_kept_site *kept, const uintptr_t *frames,
                   uint8_t count) {
    kept->time_ns = world->now_ns;
    kept->actor_id = world->actor_id;
    kept->path_level = sim_path_keep(world, frames, count) << 8 | world->actor_level;
}

void sim_site_expand(const struct sim_world *world, const struct sim_kept_site *kept,
                     const char *what, struct sim_site *site) {
    memset(site, 0, sizeof(*site));
    site->what = what;
    site->actor = sim_object_by_id(world, kept->actor_id);
    site->time_ns = kept->time_ns;
    site->level = (uint8_t)kept->path_level;
    site->frame_count = sim_path_frames(world, kept->path_level >> 8, site->frames);
}
