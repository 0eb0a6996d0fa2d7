/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's own structures: its part of the world, nodes, CPUs, and the frame of a call that a
 * driver makes into it. All live in the PRIVATE region, so that a reset restores them.
 */
#ifndef KRN_KERNEL_H
#define KRN_KERNEL_H

#include <krn/driver.h>
#include <krn/node.h>
#include <sim/event.h>
#include <sim/memory.h>
#include <sim/run.h>
#include <sim/trace.h>

#include "trace_types.h"

struct krn_configuration;
struct krn_chunk;
struct krn_file;
struct krn_irp_record;
struct krn_link;
struct krn_image;
struct krn_ndk_interposer;
struct krn_ndk_opening;
struct krn_pool;
struct krn_record;
struct krn_lock;
struct krn_duty;
struct krn_thread;
struct krn_dpc;
struct krn_races;

#define KRN_RECORD_HIT_COUNT 256u /* power of two */

/* Address -> record; for look-up only, never walked. */
struct krn_record_table {
    struct krn_record **slots;
    uint32_t capacity; /* power of two */
    uint32_t count;
    struct krn_record *hits[KRN_RECORD_HIT_COUNT]; /* of look-ups; what is at home here */
};

#define KRN_CODE_HIT_COUNT 16u

/* An image's whole extent, and whose it is. */
struct krn_code_hit {
    uintptr_t low;
    uintptr_t bytes; /* 0: none */
    struct krn_driver *driver;
};

struct krn_world {
    uint64_t counter_changes; /* publications by drivers */
    struct sim_world *world;
    struct krn_node *node_first;
    struct krn_node *node_last;
    struct krn_record_table records;
    struct krn_lock *held_first; /* held spin locks and mutexes, by time of acquisition */
    struct krn_lock *held_last;
    struct krn_pool *pool;
    struct krn_driver *driver_first; /* of all nodes, by creation */
    struct krn_driver *driver_last;
    struct krn_code_hit code_hits[KRN_CODE_HIT_COUNT]; /* of look-ups by code address */
    const struct krn_ndk_interposer *interposer;
    struct krn_ndk_opening *opening_first;
    struct krn_ndk_opening *opening_last;
    uint32_t opening_serial;
    uint32_t adapter_serial;
    struct krn_races *races; /* NULL: no module is instrumented */
    struct krn_pins *pins;
    struct krn_windows *windows;
    struct _NDKSIM_GUARD *guard_first; /* guarded blocks that are entered, by all tasks */
};

struct krn_cpu {
    struct krn_node *node;
    struct sim_cpu *cpu;
    uint32_t index;
    struct krn_dpc *dpc_running;
    struct krn_driver *driver[3]; /* on whose behalf a layer runs now, by enum sim_layer */
    uint64_t dpc_since_ns;
    uint64_t dpc_late_ns;  /* the CPU's lateness then */
    uint64_t dpc_limit_ns; /* the DPC routine that runs may not go on beyond; else SIM_TIME_NEVER */
    uint64_t calls_ns;     /* time of the last call, and how many there were without any passing */
    uint32_t call_count;
    uint32_t calls_free; /* fewer each time that it is so again at once */
};

struct krn_pins;
struct krn_windows;
struct krn_workers;
struct krn_wsk;
struct krn_registry_key;
struct krn_handle_table;
struct krn_device;
struct krn_event_object;

struct krn_node {
    struct sim_object object;
    struct sim_world *world;
    struct krn_world *krn;
    struct krn_node *next;
    const char *name;
    struct krn_cpu *cpus;
    uint32_t cpu_count;
    uint32_t cpu_next; /* round robin of new threads */
    uint32_t worker_count;
    uint64_t pool_max_bytes;
    uint64_t dpc_limit_ns;
    uint64_t boot_ns;
    uint64_t wsk_ready_ns;
    bool special_pool;
    bool is_off; /* an adapter's shutdown: nothing runs there any more */

    struct krn_duty *duty_first; /* of things that no driver made */
    struct krn_duty *duty_last;

    uint32_t pool_serial;
    uint64_t pool_live_bytes;
    uint64_t pool_live_count;
    struct krn_chunk *live_first;
    struct krn_chunk *live_last;

    struct krn_thread *thread_first; /* alive or ended and still referenced, by birth */
    struct krn_thread *thread_last;
    uint32_t thread_serial;
    struct krn_workers *workers;
    struct krn_registry_key *registry;
    struct krn_handle_table *handles;
    struct krn_device *device_first;
    struct krn_device *device_last;
    struct krn_link *link_first;
    struct krn_irp_record *irp_first; /* IRPs that are not freed, by birth */
    struct krn_irp_record *irp_last;
    uintptr_t cancel_lock; /* KSPIN_LOCK of IoAcquireCancelSpinLock */
    struct krn_adapter *adapter_first;
    struct krn_adapter *adapter_last;
    struct krn_configuration *configuration_first; /* NDIS configurations that are open */
    struct krn_wsk *wsk;
    struct krn_file *file_first;
    struct krn_file *file_last;
    struct krn_event_object *event_first; /* events by handle */
    struct krn_event_object *event_last;
    uint64_t uuid_count;
};

static inline struct krn_world *krn_world_of(const struct sim_world *world) {
    return sim_world_slot(world, SIM_SLOT_KERNEL);
}

static inline struct krn_cpu *krn_cpu_of(const struct sim_cpu *cpu) {
    return sim_cpu_context(cpu);
}

/* One call of a driver into the kernel: who, where, at what level. */
struct krn_call {
    const char *name;
    const void *caller; /* return address in the driver */
    const void *frame;  /* the call's own: what lies below it in this stack is not the driver's */
    struct sim_task *task;
    struct sim_cpu *cpu;
    struct krn_node *node;
    struct krn_world *krn;
    struct sim_world *world;
    uint8_t level;
};

/* First line of every kernel call: fills `call`; a level above `level_max` is a bugcheck. */
#define KRN_CALL(level_max)                                                                        \
    struct krn_call call;                                                                          \
    krn_call_begin(&call, __func__, (level_max), __builtin_return_address(0));                     \
    call.frame = __builtin_frame_address(0)
/* For the kernel's own threads, `caller` NULL: no frame is the driver's. */
void krn_call_begin(struct krn_call *call, const char *name, uint8_t level_max, const void *caller);
/* Without the checks: the rest of a call that has begun. */
void krn_call_fill(struct krn_call *call, const char *name, const void *caller);

/* The driver on whose behalf the call runs (by its code, else by its context), or NULL. */
struct krn_driver *krn_call_driver(const struct krn_call *call);
/* That driver's object, or the node's. */
struct sim_object *krn_call_owner(const struct krn_call *call);
/* Schedule point of a call; false: nobody else ran meanwhile. */
static inline bool krn_call_point(const struct krn_call *call, struct sim_object *object,
                                  enum sim_access access) {
    return sim_point(object != NULL ? object : &call->node->object, access, SIM_POINT_COST_NS);
}

/* The driver on whose behalf a task runs, by context only; NULL in the kernel's own. */
struct krn_driver *krn_task_driver(const struct sim_task *task);

/*
 * Before the kernel calls a driver's routine: NULL is 0x1E / 0x7E, data is 0xFC, an unloaded image
 * is 0xCE. `what` names the routine in the sentence: "DPC routine".
 */
void krn_routine_check(struct sim_world *world, const void *routine, const char *what);

/*
 * Around a routine that must return at the level it was called at and without a spin lock that it
 * took: begin gives a token.
 */
struct krn_routine {
    struct sim_task *task;
    struct krn_driver *driver; /* whose code it is, or NULL */
    const void *code;
    const char *what;
    uint8_t level;
    uint32_t held_count;
};
void krn_routine_begin(struct krn_routine *routine, const void *code, const char *what);
void krn_routine_end(const struct krn_routine *routine);
/* The same for what the system calls one after the other: it comes before all later routines. */
void krn_routine_end_ordered(const struct krn_routine *routine);

/* The running task is here now, as a site for later (sim/path.h). */
struct sim_kept_site;
void krn_site_keep_here(struct sim_world *world, struct sim_kept_site *site);

/* Virtual time as the driver sees it, in 100 ns units. */
uint64_t krn_interrupt_time(const struct krn_node *node);
uint64_t krn_system_time(const struct krn_node *node);
/* Absolute virtual deadline of an NT timeout (negative relative, positive absolute), from now. */
uint64_t krn_deadline_ns(const struct krn_node *node, int64_t timeout);

#endif
