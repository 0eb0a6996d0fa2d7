/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of things in drivers' memory: an open-addressing table by address, never walked, so that
 * the order of addresses decides nothing.
 */
#include "record.h"

#include <string.h>

#include <krn/bugcheck.h>

#include "call_error.h"
#include "dpc.h"
#include "driver_state.h"
#include "mdl.h"
#include "place.h"
#include "pool.h"
#include "timer.h"
#include "work_record.h"

#define TABLE_CAPACITY_FIRST 256u

static const struct {
    const char *name;
    size_t bytes;
} kinds[KRN_KIND_COUNT] = {
    [KRN_KIND_NONE] = {"nothing", sizeof(struct krn_record)},
    [KRN_KIND_EVENT] = {"event", sizeof(struct krn_record)},
    [KRN_KIND_SEMAPHORE] = {"semaphore", sizeof(struct krn_record)},
    [KRN_KIND_MUTEX] = {"mutex", sizeof(struct krn_lock)},
    [KRN_KIND_TIMER] = {"timer", sizeof(struct krn_timer)},
    [KRN_KIND_THREAD] = {"thread", sizeof(struct krn_record)},
    [KRN_KIND_SPIN_LOCK] = {"lock", sizeof(struct krn_lock)},
    [KRN_KIND_DPC] = {"dpc", sizeof(struct krn_dpc)},
    [KRN_KIND_RUNDOWN] = {"rundown", sizeof(struct krn_record)},
    [KRN_KIND_WORK_ITEM] = {"work", sizeof(struct krn_work_record)},
    [KRN_KIND_FAST_MUTEX] = {"fastmutex", sizeof(struct krn_lock)},
    [KRN_KIND_MDL] = {"mdl", sizeof(struct krn_mdl_record)},
    [KRN_KIND_LOOKASIDE] = {"lookaside", sizeof(struct krn_duty)},
    [KRN_KIND_RW_SPIN] = {"rwlock", sizeof(struct krn_rw_spin)},
    [KRN_KIND_REMOVE_LOCK] = {"removelock", sizeof(struct krn_remove_lock)},
};

const char *krn_kind_name(enum krn_kind kind) {
    return kinds[kind].name;
}

static void table_grow(struct krn_world *krn) {
    struct krn_record_table *table = &krn->records;
    struct krn_record_table old = *table;

    table->capacity = old.capacity != 0 ? 2 * old.capacity : TABLE_CAPACITY_FIRST;
    table->slots = sim_alloc(krn->world, table->capacity * sizeof(table->slots[0]));
    for (uint32_t i = 0; i < old.capacity; i++) {
        if (old.slots[i] != NULL) {
            table->slots[krn_record_slot(table, old.slots[i]->address)] = old.slots[i];
        }
    }
    if (old.slots != NULL) {
        sim_free(krn->world, old.slots, old.capacity * sizeof(old.slots[0]));
    }
}

static void table_put(struct krn_world *krn, struct krn_record *record) {
    struct krn_record_table *table = &krn->records;
    uint32_t slot;

    if (2 * (table->count + 1) > table->capacity) {
        table_grow(krn);
    }
    slot = krn_record_slot(table, record->address);
    if (table->slots[slot] == NULL) {
        table->count++;
    }
    table->slots[slot] = record;
    table->hits[krn_record_hash(record->address) % KRN_RECORD_HIT_COUNT] = record;
}

struct krn_record *krn_record_find_fully(struct krn_world *krn, const void *address) {
    struct krn_record_table *table = &krn->records;
    struct krn_record *record;

    if (table->capacity == 0) {
        return NULL;
    }
    record = table->slots[krn_record_slot(table, address)];
    if (record != NULL) {
        table->hits[krn_record_hash(address) % KRN_RECORD_HIT_COUNT] = record;
    }
    return record;
}

static void record_place(const struct krn_call *call, struct krn_record *record) {
    struct krn_chunk *chunk = krn_chunk_of(call->krn, record->address);
    struct sim_task *task = NULL;

    record->chunk = chunk;
    record->in_stack = false;
    record->is_paged = chunk != NULL && chunk->kind == KRN_POOL_PAGED;
    if (chunk != NULL) {
        record->chunk_serial = chunk->serial;
        record->chunk_next = chunk->as.live.records;
        chunk->as.live.records = record;
    } else if (sim_region_of(call->world, record->address) == SIM_REGION_DRIVER) {
        (void)sim_stack_is_live(call->world, record->address, &task);
        record->in_stack = task != NULL;
    }
}

struct krn_driver *krn_record_driver(const struct krn_record *record) {
    return record->is_of_driver ? record->maker.driver : NULL;
}

struct krn_node *krn_record_node(const struct krn_record *record) {
    return record->is_of_driver ? record->maker.driver->node : record->maker.node;
}

static void record_made_by(struct krn_record *record, struct krn_driver *driver,
                           struct krn_node *node) {
    record->is_of_driver = driver != NULL;
    if (driver != NULL) {
        record->maker.driver = driver;
    } else {
        record->maker.node = node;
    }
}

static bool is_lock(const struct krn_record *record) {
    return record->kind == KRN_KIND_SPIN_LOCK || record->kind == KRN_KIND_MUTEX ||
           record->kind == KRN_KIND_FAST_MUTEX;
}

static bool is_duty(const struct krn_record *record) {
    switch (record->kind) {
    case KRN_KIND_TIMER:
    case KRN_KIND_DPC:
    case KRN_KIND_WORK_ITEM:
    case KRN_KIND_LOOKASIDE:
    case KRN_KIND_MDL:
        return true;
    default:
        return false;
    }
}

static void duty_append(struct krn_duty *duty) {
    struct krn_driver *driver = krn_record_driver(&duty->record);
    struct krn_node *node = krn_record_node(&duty->record);
    struct krn_duty **first = driver != NULL ? &driver->duty_first : &node->duty_first;
    struct krn_duty **last = driver != NULL ? &driver->duty_last : &node->duty_last;

    if (*last != NULL) {
        (*last)->next = duty;
    } else {
        *first = duty;
    }
    *last = duty;
}

static void busy_error(const struct krn_call *call, const struct krn_record *record,
                       const char *busy) {
    char name[SIM_NAME_BYTES];
    uint32_t code = record->kind == KRN_KIND_TIMER || record->kind == KRN_KIND_DPC ? 0xC7 : 0xC4;

    krn_bugcheck(code, record->kind == KRN_KIND_DPC, 0, 0, 0, "%s on %s, which %s", call->name,
                 sim_object_name(&record->object, name, sizeof(name)), busy);
}

static void record_reset(struct krn_record *record) {
    record->waiters = NULL;
    record->object.closed = false;
}

/*
 * What its page says: all but rundown protection, which may page as long as nobody uses it at
 * DISPATCH.
 */
static bool is_resident(const struct krn_record *record) {
    return !record->is_paged || record->kind == KRN_KIND_RUNDOWN ||
           record->chunk->locked_pages != 0;
}

static void resident_error(const struct krn_call *call, const struct krn_record *record) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES], story[KRN_POINTER_TEXT_BYTES];

    krn_bugcheck_begin(&finding, 0xC4, 0xE1, 0, 0, 0);
    sim_finding_say(&finding, "%s: %s lies in paged pool (%s), and must be resident", call->name,
                    sim_object_name(&record->object, name, sizeof(name)),
                    krn_pointer_story(call->world, record->address, story, sizeof(story)));
    krn_pointer_sites(call->world, record->address, &finding);
    krn_bugcheck_raise(call->world, &finding);
}

struct krn_record *krn_record_make(const struct krn_call *call, const void *address, size_t bytes,
                                   enum krn_kind kind) {
    struct krn_record *old = krn_record_find(call->krn, address);
    struct krn_driver *driver = krn_call_driver(call);
    struct krn_record *record;

    krn_check_memory(call, address, bytes, kinds[kind].name);
    if (old != NULL && old->kind != KRN_KIND_NONE && krn_record_memory_is_live(call, old)) {
        const char *busy = krn_record_busy(old);

        if (busy != NULL) {
            busy_error(call, old, busy);
        }
        /* Which frames share a stack address is the compiler's choice: there, every init is a
         * birth. */
        if (old->kind == kind && krn_record_driver(old) == driver && !old->in_stack) {
            record_reset(old);
            return old;
        }
    }
    if (old != NULL) {
        krn_record_end(old);
    }
    record = sim_alloc(call->world, kinds[kind].bytes);
    sim_object_init(call->world, &record->object, krn_call_owner(call), kinds[kind].name,
                    SIM_NAME_INDEXED);
    record->address = address;
    record->kind = (uint8_t)kind;
    record_made_by(record, driver, call->node);
    record_place(call, record);
    if (is_duty(record)) {
        struct krn_duty *duty = (struct krn_duty *)(uintptr_t)record;

        duty_append(duty);
        if (kind != KRN_KIND_MDL) {
            krn_site_keep_here(call->world, &duty->made);
        }
    }
    table_put(call->krn, record);
    if (SIM_UNLIKELY(!is_resident(record))) {
        resident_error(call, record);
    }
    return record;
}

void krn_record_own(struct krn_node *node, struct krn_record *record, const void *address,
                    enum krn_kind kind, struct sim_object *owner, const char *label) {
    sim_object_init(node->world, &record->object, owner, label, SIM_NAME_INDEXED);
    record->address = address;
    record->kind = (uint8_t)kind;
    record_made_by(record, NULL, node);
    table_put(node->krn, record);
}

bool krn_record_memory_is_live(const struct krn_call *call, const struct krn_record *record) {
    if (record->chunk != NULL) {
        /* A block's end is the end of the records in it. */
        return record->kind != KRN_KIND_NONE;
    }
    if (record->in_stack) {
        return krn_stack_is_live(krn_record_node(record)->world, record->address,
                                 call != NULL ? call->frame : NULL);
    }
    return !record->is_of_driver || !krn_driver_is_gone(record->maker.driver, record->address);
}

static void paged_error(const struct krn_call *call, const struct krn_record *record) {
    char name[SIM_NAME_BYTES];

    krn_bugcheck(0x0A, 0, call->level, 1, 0, "%s at DISPATCH: %s lies in paged pool", call->name,
                 sim_object_name(&record->object, name, sizeof(name)));
}

struct krn_record *krn_record_use_fully(const struct krn_call *call, const void *address,
                                        enum krn_kind kind) {
    struct krn_record *record = krn_record_find(call->krn, address);
    char text[KRN_POINTER_TEXT_BYTES];

    if (record != NULL && record->kind == kind && krn_record_memory_is_live(call, record)) {
        if (call->level >= SIM_LEVEL_DISPATCH && record->is_paged) {
            paged_error(call, record);
        }
        return record;
    }
    if (kind == KRN_KIND_SPIN_LOCK || kind == KRN_KIND_RW_SPIN) {
        /* Zeroed memory is an initialised spin lock. */
        size_t bytes = kind == KRN_KIND_SPIN_LOCK ? sizeof(uintptr_t) : sizeof(uint32_t);
        uintptr_t word = 0;

        krn_check_memory(call, address, bytes, "spin lock");
        if (krn_pool_is_paged_out(call->world, address)) {
            return krn_record_make(call, address, bytes, kind); /* which tells it */
        }
        memcpy(&word, address, bytes);
        if (word != 0) {
            krn_bugcheck(0x81, 0, 0, 0, 0, "%s: the spin lock at %s was never initialised",
                         call->name, krn_pointer_text(call->world, address, text, sizeof(text)));
        }
        return krn_record_make(call, address, bytes, kind);
    }
    krn_check_memory(call, address, sizeof(uintptr_t), kinds[kind].name);
    krn_bugcheck(0x0A, 0, call->level, 1, 0, "%s: %s is no initialised %s", call->name,
                 krn_pointer_text(call->world, address, text, sizeof(text)), kinds[kind].name);
}

static bool is_held_by_readers(const struct krn_record *record) {
    const struct krn_rw_spin *spin = (const struct krn_rw_spin *)record;
    uint32_t count = 0;

    for (uint32_t i = 0; record->kind == KRN_KIND_RW_SPIN && i < spin->hold_count; i++) {
        count += spin->holds[i].holder != NULL;
    }
    return count != 0;
}

const char *krn_record_busy(const struct krn_record *record) {
    if (record->waiters != NULL) {
        return "somebody waits for";
    }
    if (is_held_by_readers(record)) {
        return "is held";
    }
    if (record->kind == KRN_KIND_REMOVE_LOCK &&
        ((const struct krn_remove_lock *)record)->tag_count != 0) {
        return "is acquired";
    }
    if (is_lock(record) && krn_lock_of(record)->holder != NULL) {
        return "is held";
    }
    if (record->kind == KRN_KIND_DPC && krn_dpc_is_queued((const struct krn_dpc *)record)) {
        return "is queued";
    }
    if (record->kind == KRN_KIND_WORK_ITEM &&
        ((const struct krn_work_record *)record)->work.is_queued) {
        return "is queued";
    }
    if (record->kind == KRN_KIND_MDL) {
        return "has locked pages";
    }
    if (record->kind == KRN_KIND_LOOKASIDE) {
        return "was not deleted";
    }
    if (record->kind == KRN_KIND_TIMER && krn_timer_is_set((const struct krn_timer *)record)) {
        return "is set";
    }
    return NULL;
}

void krn_record_end(struct krn_record *record) {
    record->kind = KRN_KIND_NONE;
    record->object.closed = true;
}

void krn_lock_tell(const struct krn_lock *lock, struct sim_finding *finding) {
    struct sim_world *world = sim_task_world(lock->holder);
    struct sim_object *object = (struct sim_object *)(uintptr_t)&lock->record.object;
    char name[SIM_NAME_BYTES], holder[SIM_NAME_BYTES];
    struct sim_site site = {.what = "acquired",
                            .actor = sim_task_object(lock->holder),
                            .time_ns = lock->since_ns,
                            .level = lock->record.kind == KRN_KIND_SPIN_LOCK ? SIM_LEVEL_DISPATCH
                                                                             : SIM_LEVEL_APC,
                            .frame_count = lock->caller != NULL,
                            .frames = {(uintptr_t)lock->caller}};

    sim_finding_detail(finding, "%s holds %s", sim_object_name(site.actor, holder, sizeof(holder)),
                       sim_object_name(object, name, sizeof(name)));
    sim_finding_object(finding, object);
    krn_site_begin_with_driver(world, &site);
    if (site.frame_count != 0 && finding->site_count < SIM_ARRAY_COUNT(finding->sites)) {
        finding->sites[finding->site_count++] = site;
    }
}

void krn_lock_twice(const struct krn_call *call, const struct krn_lock *lock,
                    struct sim_object *object) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    krn_bugcheck_begin(&finding, 0x0F, 0, 0, 0, 0);
    sim_finding_say(&finding, "%s: this CPU holds %s already", call->name,
                    sim_object_name(object, name, sizeof(name)));
    krn_lock_tell(lock, &finding);
    krn_bugcheck_raise(call->world, &finding);
}

uint32_t krn_held_count(const struct krn_world *krn, const struct sim_task *task) {
    uint32_t count = 0;

    for (const struct krn_lock *held = krn->held_first; held != NULL; held = held->next) {
        count += held->holder == task && held->record.kind == KRN_KIND_SPIN_LOCK;
    }
    return count;
}

struct krn_lock *krn_held_first(const struct krn_world *krn, const struct sim_task *task) {
    struct krn_lock *held = krn->held_first;

    while (held != NULL && (held->holder != task || held->record.kind != KRN_KIND_SPIN_LOCK)) {
        held = held->next;
    }
    return held;
}
