/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accesses of instrumented modules: which words they touch, whether something orders them, and what
 * is said when nothing does. See race.h.
 */
#include <stdio.h>
#include <string.h>

#include <krn/memory.h>
#include <krn/ndk.h>
#include <sim/host.h>

#include "driver_state.h"
#include "place.h"
#include "pool.h"
#include "race.h"

#define PAGE_BYTES 4096u
#define WORD_BYTES 8u
#define PAGE_WORDS (PAGE_BYTES / WORD_BYTES)
#define PAGES_FIRST 64u
#define CHUNK_COUNT 64u
#define SITE_FRAMES 6u
#define TOLD_COUNT 64u
#define NAME_BYTES 96u
#define REACH_MAPS 8u
#define REACH_ACCESSES 1000u /* of so many ... */
#define REACH_WORDS 128u     /* ... so many to different words are work */
/* An access is much shorter than a call of the kernel. */
#define POINT_COST_NS 1u

/* One access to some bytes of a word, with nothing newer behind it that says all it says. */
struct access {
    struct access *next;
    uint32_t actor;
    uint32_t time; /* the actor's own */
    uint32_t told; /* the actor that it was last told to race with, see mark */
    uint8_t mask;  /* a bit for each byte of the word */
    uint8_t kind;  /* enum krn_access_kind */
    struct sim_kept_site site;
};

struct page {
    uintptr_t number;
    bool is_ignored;           /* no memory of drivers that others could touch */
    bool is_shared;            /* the device reaches it: see window.h */
    struct sim_object **names; /* of the words that more than one actor has touched */
    struct access *words[];
};

/* Which words an actor touched in a row, by hash. */
struct krn_reach {
    uint32_t actor;
    uint32_t count; /* accesses */
    uint32_t words;
    uint64_t maps[REACH_MAPS];
};

struct krn_races {
    struct krn_world *krn;
    struct krn_order *order;
    struct page **pages;
    uint32_t page_capacity; /* power of two */
    uint32_t page_count;
    struct page *last;
    struct access *free;
    uint64_t told[TOLD_COUNT]; /* pairs of paths that were reported */
    uint32_t told_count;
    struct krn_reach reach;
};

void krn_races_start(struct krn_world *krn) {
    struct sim_world *world = krn->world;

    if (krn->races == NULL) {
        krn->races = sim_alloc(world, sizeof(*krn->races));
        krn->races->krn = krn;
        krn->races->order = krn_order_create(world);
    }
}

struct krn_order *krn_races_order(struct krn_races *races) {
    return races->order;
}

/* ---- Pages ---- */

static struct page **page_slot(const struct krn_races *races, uintptr_t number) {
    uint64_t hash = number * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t at = (uint32_t)(hash >> 32) & (races->page_capacity - 1);

    while (races->pages[at] != NULL && races->pages[at]->number != number) {
        at = (at + 1) & (races->page_capacity - 1);
    }
    return &races->pages[at];
}

static void pages_grow(struct krn_races *races) {
    struct page **old = races->pages;
    uint32_t capacity = races->page_capacity;

    races->page_capacity = capacity != 0 ? capacity * 2 : PAGES_FIRST;
    races->pages = sim_alloc(races->krn->world, races->page_capacity * sizeof(old[0]));
    for (uint32_t i = 0; i < capacity; i++) {
        if (old[i] != NULL) {
            *page_slot(races, old[i]->number) = old[i];
        }
    }
    if (capacity != 0) {
        sim_free(races->krn->world, old, capacity * sizeof(old[0]));
    }
}

/* Writable bytes of a driver's image. */
static bool is_image_data(const struct sim_world *world, uintptr_t address) {
    const struct krn_driver *driver = krn_driver_of_code(world, (const void *)address);

    if (driver == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < driver->image->span_count; i++) {
        uintptr_t start = (uintptr_t)driver->image->spans[i].start;

        if (address / PAGE_BYTES >= start / PAGE_BYTES &&
            address / PAGE_BYTES <= (start + driver->image->spans[i].bytes - 1) / PAGE_BYTES) {
            return true;
        }
    }
    return false;
}

static bool is_watched(struct sim_world *world, uintptr_t address) {
    struct sim_task *task = NULL;

    switch (sim_region_of(world, (const void *)address)) {
    case SIM_REGION_DRIVER:
        (void)sim_stack_is_live(world, (const void *)address, &task);
        return task == NULL;
    case SIM_REGION_BULK:
        return true;
    default:
        return is_image_data(world, address);
    }
}

static bool is_device_memory(const struct krn_world *krn, uintptr_t address) {
    const struct krn_chunk *chunk = krn_chunk_of(krn, (const void *)address);

    return chunk != NULL && chunk->is_live && chunk->window != 0;
}

static SIM_NOINLINE struct page *page_make(struct krn_races *races, uintptr_t address) {
    struct sim_world *world = races->krn->world;
    bool is_ignored = !is_watched(world, address);
    uint64_t words = is_ignored ? 0 : PAGE_WORDS;
    struct page *page = sim_alloc(world, sizeof(*page) + words * sizeof(page->words[0]));

    if (2 * (races->page_count + 1) > races->page_capacity) {
        pages_grow(races);
    }
    page->number = address / PAGE_BYTES;
    page->is_ignored = is_ignored;
    page->is_shared = !is_ignored && is_device_memory(races->krn, address);
    *page_slot(races, page->number) = page;
    races->page_count++;
    return page;
}

static inline struct page *page_of(struct krn_races *races, uintptr_t address) {
    uintptr_t number = address / PAGE_BYTES;
    struct page *page = races->last;

    if (SIM_LIKELY(page != NULL && page->number == number)) {
        return page;
    }
    page = races->page_capacity != 0 ? *page_slot(races, number) : NULL;
    if (page == NULL) {
        page = page_make(races, address);
    }
    races->last = page;
    return page;
}

/* ---- Names ---- */

/* "Count", "Table+0x10"; of a module without symbols its place in the image. */
static void variable_text(const struct krn_driver *driver, uintptr_t address, char *text,
                          size_t size) {
    char name[NAME_BYTES];
    uint64_t offset;

    sim_host_variable(address, name, sizeof(name), &offset);
    if (name[0] == '\0') {
        (void)snprintf(text, size, "globals+0x%llx",
                       driver != NULL
                           ? (unsigned long long)krn_driver_offset(driver, (const void *)address)
                           : 0ULL);
    } else if (offset == 0) {
        (void)snprintf(text, size, "%s", name);
    } else {
        (void)snprintf(text, size, "%s+0x%llx", name, (unsigned long long)offset);
    }
}

static struct sim_object *name_make(struct krn_races *races, uintptr_t address) {
    struct sim_world *world = races->krn->world;
    struct sim_object *object = sim_alloc(world, sizeof(*object));
    const void *pointer = (const void *)address;
    const struct krn_chunk *chunk = krn_chunk_of(races->krn, pointer);
    struct krn_driver *driver = krn_driver_of_code(world, pointer);
    struct sim_object *owner = driver != NULL ? krn_driver_object(driver) : NULL;
    char text[NAME_BYTES + 24];

    if (chunk != NULL) {
        owner = krn_chunk_owner(chunk);
        (void)snprintf(text, sizeof(text), "pool#%u+0x%llx", chunk->serial,
                       (unsigned long long)(address - (uintptr_t)chunk->start));
    } else {
        variable_text(driver, address, text, sizeof(text));
    }
    sim_object_init(world, object, owner, sim_text_keep(world, text), SIM_NAME_USUAL);
    return object;
}

/* The word by name once a second actor has come; NULL before. */
static struct sim_object *name_of(struct krn_races *races, struct page *page, uintptr_t address,
                                  const struct krn_actor *actor) {
    uint32_t index = (uint32_t)(address % PAGE_BYTES / WORD_BYTES);
    const struct access *access = page->words[index];

    if (page->names != NULL && page->names[index] != NULL) {
        return page->names[index];
    }
    while (access != NULL && access->actor == actor->index) {
        access = access->next;
    }
    if (access == NULL) {
        return NULL;
    }
    if (page->names == NULL) {
        page->names = sim_alloc(races->krn->world, PAGE_WORDS * sizeof(page->names[0]));
    }
    page->names[index] = name_make(races, address - address % WORD_BYTES);
    return page->names[index];
}

/* Words may hold several variables: a report is about the right one. */
static struct sim_object *name_of_byte(struct krn_races *races, uintptr_t address) {
    const struct page *page = page_of(races, address);
    struct sim_object *word =
        page->names != NULL ? page->names[address % PAGE_BYTES / WORD_BYTES] : NULL;

    return word != NULL && address % WORD_BYTES == 0 ? word : name_make(races, address);
}

/* ---- Judging ---- */

/*
 * One race has one report. `x++` against itself is a read and a write on each side, which meet in
 * several ways: while an access that was told to race with an actor is the last of its own, nothing
 * that this one does to its word is told.
 */
static bool mark(struct access *now, struct access *earlier) {
    bool is_new = now->told != earlier->actor + 1 && earlier->told != now->actor + 1;

    now->told = earlier->actor + 1;
    earlier->told = now->actor + 1;
    return is_new;
}

/* Nor is one pair of paths told twice, in whatever order and about whatever word. */
static bool is_told(struct krn_races *races, uint32_t now, uint32_t earlier) {
    uint64_t pair = now < earlier ? (uint64_t)now << 32 | earlier : (uint64_t)earlier << 32 | now;

    for (uint32_t i = 0; i < races->told_count; i++) {
        if (races->told[i] == pair) {
            return true;
        }
    }
    if (races->told_count < TOLD_COUNT) {
        races->told[races->told_count++] = pair;
    }
    return false;
}

static SIM_NOINLINE void tell(struct krn_races *races, struct access *now, struct access *earlier,
                              uintptr_t address, uintptr_t code) {
    struct sim_world *world = races->krn->world;
    const struct krn_ndk_interposer *interposer = races->krn->interposer;
    struct krn_race race = {.site = earlier->site};

    if (interposer == NULL || interposer->raced == NULL || !mark(now, earlier) ||
        is_told(races, now->site.path_level >> 8, earlier->site.path_level >> 8)) {
        return;
    }
    race.driver = krn_driver_of_code(world, (const void *)code);
    race.word = name_of_byte(races, address - address % WORD_BYTES +
                                        (uint32_t)__builtin_ctz(now->mask & earlier->mask));
    race.now = (now->kind & KRN_ACCESS_WRITE) != 0 ? "writes" : "reads";
    race.earlier = (earlier->kind & KRN_ACCESS_WRITE) != 0 ? "wrote" : "read";
    interposer->raced(world, &race);
}

static inline bool may_race(const struct access *a, const struct access *b) {
    return (a->mask & b->mask) != 0 && ((a->kind | b->kind) & KRN_ACCESS_WRITE) != 0 &&
           (a->kind & b->kind & KRN_ACCESS_ATOMIC) == 0;
}

/* `old` is behind `now`, which says as much of the same bytes. */
static inline bool is_superseded(const struct access *old, const struct access *now) {
    return (now->kind & KRN_ACCESS_WRITE) != 0 || (old->kind & KRN_ACCESS_WRITE) == 0;
}

static struct access *access_take(struct krn_races *races) {
    struct access *access = races->free;

    if (access == NULL) {
        struct access *chunk = sim_alloc(races->krn->world, CHUNK_COUNT * sizeof(*chunk));

        for (uint32_t i = 0; i < CHUNK_COUNT; i++) {
            chunk[i].next = races->free;
            races->free = &chunk[i];
        }
        access = races->free;
    }
    races->free = access->next;
    return access;
}

static void access_drop(struct krn_races *races, struct access **at) {
    struct access *access = *at;

    *at = access->next;
    access->next = races->free;
    races->free = access;
}

static inline bool covers(const struct access *known, const struct krn_actor *actor, uint8_t mask,
                          uint32_t kind) {
    return known->actor == actor->index && known->time == krn_actor_now(actor) &&
           (known->mask & mask) == mask &&
           (known->kind & KRN_ACCESS_WRITE) >= (kind & KRN_ACCESS_WRITE) &&
           (known->kind & KRN_ACCESS_ATOMIC) <= (kind & KRN_ACCESS_ATOMIC);
}

static bool is_covered(const struct access *list, const struct krn_actor *actor, uint8_t mask,
                       uint32_t kind) {
    for (; list != NULL; list = list->next) {
        if (covers(list, actor, mask, kind)) {
            return true;
        }
    }
    return false;
}

/* The access enters its word's list; what it races with is told, what is behind it leaves. */
static void word_enter(struct krn_races *races, const struct krn_actor *actor, struct access *now,
                       uintptr_t address, uintptr_t code) {
    struct page *page = page_of(races, address);
    struct access **at = &page->words[address % PAGE_BYTES / WORD_BYTES];
    struct access **first = at;

    while (*at != NULL) {
        struct access *old = *at;
        bool is_ordered =
            old->actor == actor->index || old->time <= krn_actor_knows(actor, old->actor);

        if (!is_ordered && may_race(old, now)) {
            tell(races, now, old, address, code);
            is_ordered = true; /* let pass: said once */
        }
        if (is_ordered && is_superseded(old, now)) {
            old->mask &= (uint8_t)~now->mask;
        }
        if (old->mask == 0) {
            access_drop(races, at);
        } else {
            at = &old->next;
        }
    }
    now->next = *first;
    *first = now;
}

static SIM_NOINLINE void word_judge(struct krn_races *races, const struct krn_actor *actor,
                                    uintptr_t address, uint8_t mask, uint32_t kind, uintptr_t code,
                                    uintptr_t frame) {
    struct access *now = access_take(races);
    uintptr_t frames[SITE_FRAMES];
    uint8_t count = sim_site_walk(frame, frames, SITE_FRAMES);

    now->actor = actor->index;
    now->time = krn_actor_now(actor);
    now->told = 0;
    now->mask = mask;
    now->kind = (uint8_t)kind;
    sim_site_keep(races->krn->world, &now->site, frames, count);
    word_enter(races, actor, now, address, code);
}

/* ---- Work or a poll ---- */

/* Who polls looks at the same few words again and again; who fills or sums a buffer does not. */
static inline void reach_note(struct krn_reach *reach, uint32_t actor, uintptr_t address) {
    uint64_t hash = address / WORD_BYTES * UINT64_C(0x9E3779B97F4A7C15);
    uint32_t bit = (uint32_t)(hash >> 32) % (REACH_MAPS * 64);

    if (reach->actor != actor || ++reach->count > REACH_ACCESSES) {
        *reach = (struct krn_reach){.actor = actor};
    }
    if ((reach->maps[bit / 64] & UINT64_C(1) << bit % 64) == 0) {
        reach->maps[bit / 64] |= UINT64_C(1) << bit % 64;
        if (++reach->words >= REACH_WORDS) {
            sim_task_progress();
            *reach = (struct krn_reach){.actor = actor};
        }
    }
}

/* ---- Entry ---- */

/* The bytes of the word at `address` that [address, end) touches. */
static inline uint8_t mask_of(uintptr_t address, uintptr_t end) {
    uint32_t first = (uint32_t)(address % WORD_BYTES);
    uintptr_t left = end - address;
    uint32_t count = left < WORD_BYTES - first ? (uint32_t)left : WORD_BYTES - first;

    return (uint8_t)(((1u << count) - 1) << first);
}

static void range_judge(struct krn_races *races, const struct krn_actor *actor, uintptr_t address,
                        uintptr_t end, uint32_t kind, uintptr_t code, uintptr_t frame) {
    while (address < end) {
        struct page *page = page_of(races, address);
        uint8_t mask = mask_of(address, end);

        if (!page->is_ignored &&
            !is_covered(page->words[address % PAGE_BYTES / WORD_BYTES], actor, mask, kind)) {
            word_judge(races, actor, address, mask, kind, code, frame);
        }
        address = (address | (WORD_BYTES - 1)) + 1;
    }
}

void krn_race_access(struct sim_task *task, uintptr_t address, uint64_t bytes, uint32_t kind,
                     uintptr_t code, uintptr_t frame) {
    struct krn_node *node = krn_cpu_of(sim_task_cpu(task))->node;
    struct krn_world *krn = node->krn;
    struct krn_races *races = krn->races;
    const struct krn_actor *actor;
    const void *key = (const void *)(address - address % WORD_BYTES);
    struct sim_object *word;
    struct page *page;

    if (races == NULL || bytes == 0) {
        return;
    }
    page = page_of(races, address);
    if (page->is_ignored) {
        return;
    }
    actor = krn_order_actor(races->order, task);
    reach_note(&races->reach, actor->index, address);
    word = name_of(races, page, address, actor);
    (void)sim_point(word != NULL ? word : sim_task_object(task),
                    word == NULL                     ? SIM_ACCESS_NONE
                    : (kind & KRN_ACCESS_WRITE) != 0 ? SIM_ACCESS_WRITE
                                                     : SIM_ACCESS_READ,
                    POINT_COST_NS);
    if ((kind & KRN_ACCESS_ATOMIC) != 0) {
        krn_race_after(krn, key);
    } else if (page->is_shared) {
        /* What the device wrote there came after what it was asked to do. */
        krn_race_after(krn, krn_race_device(node));
    }
    actor = krn_order_actor(races->order, task);
    range_judge(races, actor, address, address + bytes, kind, code, frame);
    if ((kind & KRN_ACCESS_ATOMIC) != 0) {
        krn_race_before(krn, key); /* the access itself too */
    }
}

void krn_race_interlocked(const struct krn_call *call, const volatile void *address, size_t bytes) {
    struct krn_races *races = call->krn->races;
    uintptr_t start = (uintptr_t)address;
    const void *key = (const void *)(start - start % WORD_BYTES);

    if (SIM_LIKELY(races == NULL) || page_of(races, start)->is_ignored) {
        return;
    }
    krn_race_after(call->krn, key);
    range_judge(races, krn_order_actor(races->order, call->task), start, start + bytes,
                KRN_ACCESS_WRITE | KRN_ACCESS_ATOMIC, (uintptr_t)call->caller - 1,
                (uintptr_t)call->frame);
    krn_race_before(call->krn, key);
}

/* Of a page, the words of [start, end): the end of a block is a write to whatever was touched. */
static void page_end(struct krn_races *races, const struct krn_call *call, struct page *page,
                     uintptr_t start, uintptr_t end) {
    for (; start < end; start += WORD_BYTES) {
        uint32_t index = (uint32_t)(start % PAGE_BYTES / WORD_BYTES);

        if (page->words[index] != NULL && call->frame != NULL) {
            word_judge(races, krn_order_actor(races->order, call->task), start, mask_of(start, end),
                       KRN_ACCESS_WRITE, (uintptr_t)call->caller - 1, (uintptr_t)call->frame);
        }
        while (page->words[index] != NULL) {
            access_drop(races, &page->words[index]);
        }
        if (page->names != NULL) {
            page->names[index] = NULL;
        }
    }
}

void krn_race_freed(const struct krn_call *call, const void *block, uint64_t bytes) {
    struct krn_races *races = call->krn->races;
    uintptr_t start = (uintptr_t)block, end = start + bytes;

    if (SIM_LIKELY(races == NULL)) {
        return;
    }
    while (races->page_capacity != 0 && start < end) {
        struct page *page = *page_slot(races, start / PAGE_BYTES);
        uintptr_t next = (start | (PAGE_BYTES - 1)) + 1;

        if (page != NULL && !page->is_ignored) {
            page_end(races, call, page, start, next < end ? next : end);
            /* What the device reaches begins with a page. */
            page->is_shared = page->is_shared && (uintptr_t)block % PAGE_BYTES != 0;
        }
        start = next;
    }
}

void krn_race_shared(struct krn_world *krn, const void *block, uint64_t bytes) {
    struct krn_races *races = krn->races;
    uintptr_t first = (uintptr_t)block / PAGE_BYTES;
    uintptr_t end = ((uintptr_t)block + bytes + PAGE_BYTES - 1) / PAGE_BYTES;

    if (SIM_LIKELY(races == NULL) || races->page_capacity == 0) {
        return;
    }
    for (uintptr_t number = first; number < end; number++) {
        struct page *page = *page_slot(races, number);

        if (page != NULL && !page->is_ignored) {
            page->is_shared = true;
        }
    }
}
