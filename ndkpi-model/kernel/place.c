/* SPDX-License-Identifier: Apache-2.0 */
/* What lies behind a pointer: pool, stack, image, device memory; and how to say it. */
#include <krn/memory.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <krn/bugcheck.h>

#include "bar.h"
#include "bugcheck_guilty.h"
#include "driver_state.h"
#include "place.h"
#include "pool.h"

#define NULL_BYTES UINT64_C(0x10000)

void krn_tag_text(uint32_t tag, char text[5]) {
    for (uint32_t i = 0; i < 4; i++) {
        char c = (char)(tag >> (8 * i));

        text[i] = c >= ' ' && c <= '~' ? c : '.';
    }
    text[4] = '\0';
}

void krn_pool_site(const struct sim_world *world, const struct sim_kept_site *kept,
                   const char *what, struct sim_site *site) {
    sim_site_expand(world, kept, what, site);
    krn_site_begin_with_driver(world, site);
}

void krn_chunk_describe(const struct krn_chunk *chunk, struct krn_pool_block *block) {
    block->serial = chunk->serial;
    block->tag = chunk->tag;
    block->bytes = chunk->bytes;
    block->start = chunk->start;
    block->kind = (enum krn_pool_kind)chunk->kind;
    block->is_live = chunk->is_live;
    block->node = krn_chunk_node(chunk);
    block->owner = krn_chunk_owner(chunk);
    block->made = chunk->made;
    block->freed = chunk->is_live ? (struct sim_kept_site){0} : chunk->as.dead.freed;
}

static void place_pool(const struct krn_chunk *chunk, const unsigned char *at,
                       struct krn_place *place) {
    krn_chunk_describe(chunk, &place->block);
    if (krn_chunk_holds(chunk, at)) {
        place->kind = chunk->is_live ? KRN_PLACE_POOL : KRN_PLACE_POOL_FREED;
    } else {
        place->kind = KRN_PLACE_POOL_GUARD;
    }
    place->offset = (uint64_t)(at - chunk->start);
}

bool krn_stack_is_live(struct sim_world *world, const void *address, const void *frame) {
    struct sim_task *task = NULL;

    return sim_stack_is_live(world, address, &task) &&
           (task != sim_task_current() || (uintptr_t)address >= (uintptr_t)frame);
}

void krn_place_of_below(struct sim_world *world, const void *address, const void *frame,
                        struct krn_place *place) {
    krn_place_of(world, address, place);
    if (place->kind == KRN_PLACE_STACK && !krn_stack_is_live(world, address, frame)) {
        place->kind = KRN_PLACE_STACK_DEAD;
    }
}

/* Neither pool nor a stack. */
static void place_elsewhere(struct sim_world *world, const void *address, struct krn_place *place) {
    if ((uintptr_t)address < NULL_BYTES) {
        place->kind = KRN_PLACE_NULL;
        place->offset = (uintptr_t)address;
    } else if (sim_is_stack(world, address)) {
        place->kind = KRN_PLACE_STACK_DEAD;
    } else if ((place->driver = krn_driver_of_code(world, address)) != NULL) {
        place->kind =
            krn_driver_is_gone(place->driver, address) ? KRN_PLACE_IMAGE_UNLOADED : KRN_PLACE_IMAGE;
    } else if (krn_bar_holds(world, address)) {
        place->kind = KRN_PLACE_DEVICE;
    } else if (sim_region_of(world, address) == SIM_REGION_PRIVATE) {
        place->kind = KRN_PLACE_MODEL;
    }
}

void krn_place_of(struct sim_world *world, const void *address, struct krn_place *place) {
    const struct krn_chunk *chunk;
    struct sim_task *task = NULL;
    bool is_live_stack;

    memset(place, 0, sizeof(*place));
    if (krn_is_in_own_frames(address)) {
        place->kind = KRN_PLACE_STACK;
        place->task = sim_task_current();
        return;
    }
    is_live_stack = sim_stack_is_live(world, address, &task);
    if (task != NULL) {
        place->kind = is_live_stack ? KRN_PLACE_STACK : KRN_PLACE_STACK_DEAD;
        place->task = task;
        return;
    }
    chunk = krn_chunk_of(krn_world_of(world), address);
    if (chunk != NULL) {
        place_pool(chunk, address, place);
    } else {
        place_elsewhere(world, address, place);
    }
}

enum krn_place_kind krn_place_kind_of(struct sim_world *world, const void *address) {
    const struct krn_chunk *chunk;
    struct sim_task *task = NULL;

    if (krn_is_in_own_frames(address)) {
        return KRN_PLACE_STACK;
    }
    chunk = krn_chunk_of(krn_world_of(world), address);
    if (chunk == NULL) {
        if (sim_stack_is_live(world, address, &task)) {
            return KRN_PLACE_STACK;
        }
        return task != NULL || sim_is_stack(world, address) ? KRN_PLACE_STACK_DEAD
                                                            : KRN_PLACE_NOWHERE;
    }
    if (!krn_chunk_holds(chunk, address)) {
        return KRN_PLACE_POOL_GUARD;
    }
    return chunk->is_live ? KRN_PLACE_POOL : KRN_PLACE_POOL_FREED;
}

bool krn_place_is_live(const struct krn_place *place) {
    return place->kind == KRN_PLACE_POOL || place->kind == KRN_PLACE_STACK ||
           place->kind == KRN_PLACE_IMAGE;
}

static bool image_serves(const void *address, enum krn_use use) {
    static const int wanted[] = {
        [KRN_USE_READ] = PROT_READ, [KRN_USE_WRITE] = PROT_WRITE, [KRN_USE_CALL] = PROT_EXEC};
    const struct krn_image *image = krn_image_of_address(address);

    return image == NULL || (krn_image_protection(image, address) & wanted[use]) != 0;
}

bool krn_place_serves(struct sim_world *world, const void *address, enum krn_use use) {
    const struct krn_driver *driver;
    struct krn_place place;

    if (use == KRN_USE_CALL && (driver = krn_driver_of_code(world, address)) != NULL) {
        return !krn_driver_is_gone(driver, address) && image_serves(address, use);
    }
    switch (krn_place_kind_of(world, address)) {
    case KRN_PLACE_POOL:
    case KRN_PLACE_STACK:
        return use != KRN_USE_CALL;
    case KRN_PLACE_NOWHERE:
        break;
    default:
        return false;
    }
    krn_place_of(world, address, &place);
    switch (place.kind) {
    case KRN_PLACE_IMAGE:
        return image_serves(address, use);
    case KRN_PLACE_MODEL:
        return use != KRN_USE_CALL;
    case KRN_PLACE_NOWHERE:
        return krn_program_holds(address);
    default:
        return false;
    }
}

static const char *place_text(const struct krn_place *of, char *buffer, size_t size) {
    const struct krn_place place = *of;
    char name[SIM_NAME_BYTES];

    switch (place.kind) {
    case KRN_PLACE_NULL:
        snprintf(buffer, size, place.offset == 0 ? "NULL" : "NULL+0x%llx",
                 (unsigned long long)place.offset);
        break;
    case KRN_PLACE_POOL:
    case KRN_PLACE_POOL_FREED:
    case KRN_PLACE_POOL_GUARD:
        if ((int64_t)place.offset < 0) {
            snprintf(buffer, size, "pool#%u-0x%llx", place.block.serial,
                     (unsigned long long)(0 - place.offset));
        } else {
            snprintf(buffer, size, "pool#%u+0x%llx", place.block.serial,
                     (unsigned long long)place.offset);
        }
        break;
    case KRN_PLACE_STACK:
    case KRN_PLACE_STACK_DEAD:
        snprintf(
            buffer, size, "%s of %s", place.kind == KRN_PLACE_STACK ? "stack" : "dead stack frame",
            place.task != NULL ? sim_object_name(sim_task_object(place.task), name, sizeof(name))
                               : "a thread that has ended");
        break;
    case KRN_PLACE_IMAGE:
        snprintf(buffer, size, "image %s", krn_driver_name(place.driver));
        break;
    case KRN_PLACE_IMAGE_UNLOADED:
        snprintf(buffer, size, "unloaded image %s", krn_driver_name(place.driver));
        break;
    case KRN_PLACE_DEVICE:
        snprintf(buffer, size, "device memory");
        break;
    case KRN_PLACE_MODEL:
        snprintf(buffer, size, "kernel memory");
        break;
    case KRN_PLACE_NOWHERE:
        snprintf(buffer, size, "nowhere");
        break;
    }
    return buffer;
}

const char *krn_pointer_text(struct sim_world *world, const void *address, char *buffer,
                             size_t size) {
    struct krn_place place;

    krn_place_of(world, address, &place);
    return place_text(&place, buffer, size);
}

static const char *place_story(struct sim_world *world, const struct krn_place *of, char *buffer,
                               size_t size) {
    const struct krn_place place = *of;
    char text[KRN_POINTER_TEXT_BYTES];
    char tag[5];

    place_text(&place, text, sizeof(text));
    if (place.block.serial == 0) {
        snprintf(buffer, size, "%s", text);
        return buffer;
    }
    krn_tag_text(place.block.tag, tag);
    if (place.block.is_live) {
        snprintf(buffer, size, "%.48s, tag %s, %llu bytes", text, tag,
                 (unsigned long long)place.block.bytes);
    } else {
        uint64_t ago_ns = sim_now_ns(world) - place.block.freed.time_ns;

        snprintf(buffer, size, "%.48s, tag %s, %llu bytes, freed %llu.%03lluus before", text, tag,
                 (unsigned long long)place.block.bytes, (unsigned long long)(ago_ns / 1000),
                 (unsigned long long)(ago_ns % 1000));
    }
    return buffer;
}

const char *krn_pointer_story(struct sim_world *world, const void *address, char *buffer,
                              size_t size) {
    struct krn_place place;

    krn_place_of(world, address, &place);
    return place_story(world, &place, buffer, size);
}

void krn_pointer_sites(struct sim_world *world, const void *address, struct sim_finding *finding) {
    struct krn_place place;

    krn_place_of(world, address, &place);
    if (place.block.serial == 0) {
        return;
    }
    if (!place.block.is_live && finding->site_count < SIM_ARRAY_COUNT(finding->sites)) {
        krn_pool_site(world, &place.block.freed, "freed", &finding->sites[finding->site_count++]);
    }
    if (finding->site_count < SIM_ARRAY_COUNT(finding->sites)) {
        krn_pool_site(world, &place.block.made, "made", &finding->sites[finding->site_count++]);
    }
}

uint64_t krn_place_stamp(struct sim_world *world, const void *address) {
    const struct krn_chunk *chunk = krn_chunk_of(krn_world_of(world), address);
    struct krn_place place;
    uint64_t stamp;

    if (chunk != NULL) {
        uint64_t offset = (uint64_t)((const unsigned char *)address - chunk->start);

        stamp = sim_hash_mix(krn_chunk_node(chunk)->object.id, chunk->serial);
        return sim_hash_mix(stamp, offset) | 1;
    }
    krn_place_of(world, address, &place);
    switch (place.kind) {
    case KRN_PLACE_STACK: {
        uintptr_t low;
        uintptr_t high;

        sim_task_stack(place.task, &low, &high);
        stamp = sim_hash_mix(sim_task_object(place.task)->id, 0x57);
        return sim_hash_mix(stamp, high - (uintptr_t)address) | 1;
    }
    case KRN_PLACE_IMAGE:
        stamp = sim_hash_mix(krn_driver_object(place.driver)->id, 0x1A);
        return sim_hash_mix(stamp, krn_driver_offset(place.driver, address)) | 1;
    default:
        return 0;
    }
}

/* The code that Windows would stop with, by the kind of place and the level. */
uint32_t krn_place_code(const struct krn_place *place, uint8_t level, bool is_write) {
    switch (place->kind) {
    case KRN_PLACE_POOL_FREED:
        return 0xD5;
    case KRN_PLACE_POOL_GUARD:
        return 0xD6;
    case KRN_PLACE_STACK_DEAD:
        return 0xC3;
    case KRN_PLACE_IMAGE_UNLOADED:
        return 0xCE;
    case KRN_PLACE_IMAGE:
        return is_write ? 0xBE : 0x50;
    default:
        break;
    }
    if (level >= SIM_LEVEL_DISPATCH) {
        return 0xD1;
    }
    return place->kind == KRN_PLACE_NULL ? 0x7E : 0x50;
}

/* Of addresses only those that are the same in each process: of a world's memory, and of none. */
static uint64_t stable(const struct sim_world *world, const struct krn_place *place,
                       const void *address) {
    bool is_stable = place->kind == KRN_PLACE_NULL || (uintptr_t)address >> 47 != 0 ||
                     sim_region_of(world, address) != SIM_REGION_COUNT;

    return is_stable ? (uintptr_t)address : 0;
}

void krn_place_parameters(const struct sim_world *world, const struct krn_place *place,
                          const void *address, uint32_t code, uint8_t level, bool is_write,
                          struct sim_finding *finding) {
    uint64_t *parameters = finding->parameters;

    parameters[0] = stable(world, place, address);
    parameters[1] = 0;
    parameters[2] = 0;
    parameters[3] = 0;
    switch (code) {
    case 0x50:
        parameters[1] = is_write ? 2 : 0;
        break;
    case 0x7E:
        parameters[0] = 0xC0000005; /* STATUS_ACCESS_VIOLATION */
        break;
    case 0xD1:
        parameters[1] = level;
        parameters[2] = is_write;
        break;
    case 0xCE:
    case 0xD5:
    case 0xD6:
        parameters[1] = is_write;
        break;
    default:
        break;
    }
}

void krn_bad_pointer(const struct krn_call *call, const void *pointer, const char *what) {
    struct krn_place place;
    struct sim_finding finding;
    char story[KRN_POINTER_TEXT_BYTES];
    uint32_t code;

    krn_place_of_below(call->world, pointer, call->frame, &place);
    code = krn_place_code(&place, call->level, false);
    krn_bugcheck_begin(&finding, code, 0, 0, 0, 0);
    krn_place_parameters(call->world, &place, pointer, code, call->level, false, &finding);
    place_story(call->world, &place, story, sizeof(story));
    if (place.kind == KRN_PLACE_NULL) {
        sim_finding_say(&finding, "%s was given a NULL %s", call->name, what);
    } else {
        sim_finding_say(&finding, "%s was given a %s that is no live memory: %s", call->name, what,
                        story);
    }
    krn_pointer_sites(call->world, pointer, &finding);
    krn_ndk_judge(call->world, pointer, krn_call_driver(call), &finding);
    krn_bugcheck_raise(call->world, &finding);
}

/* In the order of how often it is so: own stack, pool, other stacks, image, kernel's objects. */
static bool memory_is_good(const struct krn_call *call, const unsigned char *pointer,
                           uint64_t bytes) {
    const struct krn_chunk *chunk;
    struct krn_driver *driver;
    uintptr_t low;
    uintptr_t high;

    sim_task_stack(call->task, &low, &high);
    if (call->frame != NULL && (uintptr_t)pointer - low < high - low) {
        return (uintptr_t)pointer >= (uintptr_t)call->frame;
    }
    chunk = krn_chunk_of(call->krn, pointer);
    if (chunk != NULL) {
        return krn_chunk_is_whole(chunk, pointer, bytes);
    }
    switch (sim_region_of(call->world, pointer)) {
    case SIM_REGION_DRIVER:
        return krn_stack_is_live(call->world, pointer, call->frame);
    case SIM_REGION_PRIVATE:
        return true;
    case SIM_REGION_BULK:
        return false;
    default:
        break;
    }
    driver = krn_driver_of_code(call->world, pointer);
    if (driver != NULL) {
        return !krn_driver_is_gone(driver, pointer);
    }
    /* The program's own memory, when the caller is the program itself (unit tests, steps). */
    return (uintptr_t)pointer >= NULL_BYTES && !krn_bar_holds(call->world, pointer) &&
           krn_call_driver(call) == NULL;
}

void krn_check_memory_fully(const struct krn_call *call, const void *pointer, uint64_t bytes,
                            const char *what) {
    if (SIM_UNLIKELY(!memory_is_good(call, pointer, bytes))) {
        struct krn_place place;

        krn_place_of(call->world, pointer, &place);
        if (place.kind == KRN_PLACE_POOL) {
            pointer = (const unsigned char *)place.block.start + place.block.bytes;
        }
        krn_bad_pointer(call, pointer, what);
    }
}
