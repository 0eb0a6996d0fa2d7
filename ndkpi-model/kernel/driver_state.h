/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of a driver, for the kernel's files. */
#ifndef KRN_DRIVER_STATE_H
#define KRN_DRIVER_STATE_H

#include <ntddk.h>

#include "kernel.h"
#include "loader.h"
#include "record.h"
#include "wait.h"

struct krn_miniport;

#define KRN_FAULT_HIT_COUNT 128u /* power of two */

struct krn_counter {
    struct krn_counter *next;
    const char *name;
    uint64_t value;
};

struct krn_driver {
    struct sim_object object;
    struct krn_driver *next; /* of the world */
    struct krn_node *node;
    const char *name;
    const char *module;
    struct krn_image *image;   /* of the life it is in */
    struct krn_image **images; /* one for each life: what was unloaded stays unmapped */
    uint32_t life;
    uint32_t life_count;
    enum krn_driver_state state;
    DRIVER_OBJECT driver_object;
    DRIVER_EXTENSION extension;
    UNICODE_STRING registry_path;
    struct krn_driver_extension *extensions;
    struct krn_step *step; /* of the load or unload that runs */
    struct krn_miniport *miniport;
    bool is_for_adapters;        /* as its configuration says */
    bool offers_ndk;             /* in one of its lives, rightly or not */
    struct krn_duty *duty_first; /* things it made, by birth, those of ended memory too */
    struct krn_duty *duty_last;
    uint64_t *faults; /* set of the points that its module declares; NULL: none */
    const struct sim_fault_point *fault_hits[KRN_FAULT_HIT_COUNT]; /* by where the name lies */
    uint32_t io_work_items; /* queued or running: they keep the image */
    struct krn_gate work_idle;
    struct krn_counter *counter_first;
    struct krn_counter *counter_last;
};

/* Once more from the beginning, in a fresh image. False: it has been loaded as often as it can. */
bool krn_driver_revive(struct krn_driver *driver);
/* Driver and place in its image; 0 for code of no driver. */
uint64_t krn_driver_code_hash(const struct sim_world *world, uintptr_t code);
/* The driver is unloaded, or this is code or data of an image that it had before. */
bool krn_driver_is_gone(const struct krn_driver *driver, const void *address);

/* After an unload or a failed entry: what it may not leave behind is a bugcheck. */
void krn_driver_leave_check(struct krn_driver *driver);
/* "was unloaded", "failed to load". */
const char *krn_driver_end_text(const struct krn_driver *driver);

/* Done, with a status: runs the step's callback. */
void krn_step_end(struct krn_step *step, NTSTATUS status, uint64_t information);
void krn_step_begin(struct krn_step *step);

/* The driver of a DRIVER_OBJECT, or NULL if the pointer is none. */
struct krn_driver *krn_driver_of_driver_object(const struct krn_world *krn, const void *object);

#endif
