/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: what the kernel knows of an object that lives in a driver's own memory (an event, a spin
 * lock, a DPC). The object's state is in the driver's structure; the record gives it a birth name,
 * its waiters, its holder, and remembers the memory it was made in, so that use after that memory's
 * end is seen. Found by address; made again at the same place by the same driver, a thing keeps its
 * record and name.
 */
#ifndef KRN_RECORD_H
#define KRN_RECORD_H

#include <sim/path.h>

#include "kernel.h"
#include "race.h"

enum krn_kind {
    KRN_KIND_NONE, /* its memory ended */
    KRN_KIND_EVENT,
    KRN_KIND_SEMAPHORE,
    KRN_KIND_MUTEX,
    KRN_KIND_TIMER,
    KRN_KIND_THREAD,
    KRN_KIND_SPIN_LOCK,
    KRN_KIND_DPC,
    KRN_KIND_RUNDOWN,
    KRN_KIND_WORK_ITEM,
    KRN_KIND_FAST_MUTEX,
    KRN_KIND_LOOKASIDE,
    KRN_KIND_MDL, /* while its pages are locked */
    KRN_KIND_RW_SPIN,
    KRN_KIND_REMOVE_LOCK,
    KRN_KIND_COUNT,
};

struct krn_chunk;
struct krn_wait_block;

struct krn_record {
    struct sim_object object;
    const void *address;
    union {
        struct krn_driver *driver; /* who made it */
        struct krn_node *node;     /* nobody's driver did */
    } maker;
    struct krn_chunk *chunk; /* the pool block it lies in, or NULL */
    struct krn_record *chunk_next;
    struct krn_wait_block *waiters; /* the first one; its `previous` is the last */
    uint32_t chunk_serial;
    uint8_t kind; /* enum krn_kind */
    bool is_of_driver;
    bool in_stack;
    bool is_paged; /* it lies in paged pool */
};

/* Spin locks, mutexes, fast mutexes. */
struct krn_lock {
    struct krn_record record; /* first */
    struct sim_task *holder;
    const void *handle; /* of an in-stack queued lock: the holder's, else NULL */
    const void *caller; /* where the holder acquired it: a return address; NULL: it waited for it */
    uint64_t since_ns;
    struct krn_lock *next; /* held ones */
    struct krn_lock *previous;
};

/* A spin lock with readers: what each CPU of the node holds of it, as a lock of its own. */
struct krn_rw_spin {
    struct krn_record record; /* first */
    struct krn_lock *holds;
    uint32_t hold_count;
};

/* Remove locks: the tags of those who are at work, as they came. */
struct krn_remove_lock {
    struct krn_record record; /* first */
    const void **tags;
    uint32_t tag_count;
    uint32_t tag_capacity;
};

/* Timers, DPCs, work items, lookaside lists, locked MDLs: what must be over before an unload. */
struct krn_duty {
    struct krn_record record;  /* first */
    struct krn_duty *next;     /* of one driver (or of no driver), by birth */
    struct sim_kept_site made; /* all zero of an MDL: its block says so */
};

/*
 * (Re)makes the record of a thing that is initialised now at `address`, `bytes` long. Checks that
 * the memory is live and that no busy thing lies there. Kinds with more state have their own size.
 */
struct krn_record *krn_record_make(const struct krn_call *call, const void *address, size_t bytes,
                                   enum krn_kind kind);

static inline uint32_t krn_record_hash(const void *address) {
    return (uint32_t)((uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15) >> 32);
}

/* Where the record of an address is in the table, or would be. */
static inline uint32_t krn_record_slot(const struct krn_record_table *table, const void *address) {
    uint32_t slot = krn_record_hash(address) & (table->capacity - 1);

    while (table->slots[slot] != NULL && table->slots[slot]->address != address) {
        slot = (slot + 1) & (table->capacity - 1);
    }
    return slot;
}

/* Past the table's hits. */
struct krn_record *krn_record_find_fully(struct krn_world *krn, const void *address);

/* The record at an address, whatever it is, or NULL. No check. */
static inline struct krn_record *krn_record_find(struct krn_world *krn, const void *address) {
    struct krn_record *hit = krn->records.hits[krn_record_hash(address) % KRN_RECORD_HIT_COUNT];

    return SIM_LIKELY(hit != NULL && hit->address == address) ? hit
                                                              : krn_record_find_fully(krn, address);
}

/*
 * The record of an initialised thing of `kind`; its memory must still be live. Anything else is a
 * bugcheck that says what is wrong. Most things lie in pool that does not page: then the record's
 * kind says all.
 */
struct krn_record *krn_record_use_fully(const struct krn_call *call, const void *address,
                                        enum krn_kind kind);
static inline struct krn_record *krn_record_use(const struct krn_call *call, const void *address,
                                                enum krn_kind kind) {
    struct krn_record *record = krn_record_find(call->krn, address);

    if (SIM_UNLIKELY(record == NULL || record->kind != kind || record->chunk == NULL ||
                     record->is_paged)) {
        record = krn_record_use_fully(call, address, kind);
    }
    krn_race_sync(call->krn, record);
    return record;
}

/* For a thing of the kernel itself, in PRIVATE memory: named below `owner`. */
void krn_record_own(struct krn_node *node, struct krn_record *record, const void *address,
                    enum krn_kind kind, struct sim_object *owner, const char *label);

/* NULL, or why the thing may not vanish now: "has waiters", "is held", "is queued", "is set". */
const char *krn_record_busy(const struct krn_record *record);

/* Its memory ends (pool freed, image unloaded): later use is use after free. */
void krn_record_end(struct krn_record *record);

/* `call` NULL: as seen by nobody in particular (a timer, a DPC about to run). */
bool krn_record_memory_is_live(const struct krn_call *call, const struct krn_record *record);
const char *krn_kind_name(enum krn_kind kind);

struct krn_driver *krn_record_driver(const struct krn_record *record); /* NULL: nobody's */
struct krn_node *krn_record_node(const struct krn_record *record);

/* The record as a lock; it must be of such a kind. */
static inline struct krn_lock *krn_lock_of(const struct krn_record *record) {
    SIM_ASSERT(record->kind == KRN_KIND_SPIN_LOCK || record->kind == KRN_KIND_MUTEX ||
               record->kind == KRN_KIND_FAST_MUTEX);
    return (struct krn_lock *)(uintptr_t)record;
}

/* Held list of the world. */
static inline void krn_lock_hold(struct krn_world *krn, struct krn_lock *lock,
                                 struct sim_task *task, const void *caller) {
    lock->holder = task;
    lock->caller = caller;
    lock->since_ns = sim_now_ns(krn->world);
    krn_race_after(krn, lock);
    lock->next = NULL;
    lock->previous = krn->held_last;
    if (krn->held_last != NULL) {
        krn->held_last->next = lock;
    } else {
        krn->held_first = lock;
    }
    krn->held_last = lock;
}

static inline void krn_lock_unhold(struct krn_world *krn, struct krn_lock *lock) {
    if (lock->previous != NULL) {
        lock->previous->next = lock->next;
    } else {
        krn->held_first = lock->next;
    }
    if (lock->next != NULL) {
        lock->next->previous = lock->previous;
    } else {
        krn->held_last = lock->previous;
    }
    krn_race_before(krn, lock);
    lock->holder = NULL;
    lock->handle = NULL;
    lock->next = NULL;
    lock->previous = NULL;
}

uint32_t krn_held_count(const struct krn_world *krn, const struct sim_task *task);
struct krn_lock *krn_held_first(const struct krn_world *krn, const struct sim_task *task);
/* Adds a held lock to a finding: its name, and where it was acquired as a site. */
SIM_COLD void krn_lock_tell(const struct krn_lock *lock, struct sim_finding *finding);
/* A spin lock that this CPU holds is acquired again; `object` is what it is called. */
SIM_NORETURN void krn_lock_twice(const struct krn_call *call, const struct krn_lock *lock,
                                 struct sim_object *object);

#endif
