/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load and unload: DriverEntry and DriverUnload in system threads, adapters of a miniport in
 * between, and what must be gone after the unload.
 */
#include <krn/bugcheck.h>
#include <krn/ndk.h>
#include <krn/state.h>

#include "adapter.h"
#include "bugcheck_guilty.h"
#include "driver_state.h"
#include "io_object.h"
#include "ndis_judge.h"
#include "pool.h"
#include "thread.h"
#include "wsk_state.h"

static void state_set(struct krn_driver *driver, enum krn_driver_state state, const char *text) {
    driver->state = state;
    driver->object.state = text;
}

void krn_step_begin(struct krn_step *step) {
    step->status = STATUS_PENDING;
    step->information = 0;
    step->is_done = false;
}

void krn_step_end(struct krn_step *step, NTSTATUS status, uint64_t information) {
    if (step == NULL) {
        return;
    }
    step->status = status;
    step->information = information;
    step->is_done = true;
    if (step->done != NULL) {
        step->done(step);
    }
}

static NTSTATUS enter(struct krn_driver *driver) {
    struct krn_routine routine;
    NTSTATUS status;

    krn_routine_begin(&routine, (const void *)driver->driver_object.DriverInit, "DriverEntry");
    status = driver->driver_object.DriverInit(&driver->driver_object, &driver->registry_path);
    krn_routine_end_ordered(&routine);
    return status;
}

static void load_main(void *argument) {
    struct krn_driver *driver = argument;
    struct sim_world *world = driver->node->world;
    struct krn_step *step = driver->step;
    NTSTATUS status;

    sim_trace(world, KRN_TRACE_DRIVER_ENTRY, SIM_ACCESS_CREATE, &driver->object, NULL, NULL, 0, 0);
    sim_point(&driver->object, SIM_ACCESS_CREATE, SIM_POINT_COST_NS);
    status = enter(driver);
    if (!NT_SUCCESS(status)) {
        state_set(driver, KRN_DRIVER_FAILED, "failed");
        sim_trace(world, KRN_TRACE_DRIVER_FAILED, SIM_ACCESS_CLOSE, &driver->object, NULL, NULL,
                  (ULONG)status, 0);
        krn_driver_leave_check(driver);
    } else {
        state_set(driver, KRN_DRIVER_LOADED, "loaded");
        sim_trace(world, KRN_TRACE_DRIVER_LOADED, SIM_ACCESS_CREATE, &driver->object, NULL, NULL,
                  (ULONG)status, 0);
        if (driver->miniport != NULL) {
            status = krn_adapters_initialize(driver);
        }
    }
    driver->step = NULL;
    krn_step_end(step, status, 0);
}

void krn_driver_load(struct krn_driver *driver, struct krn_step *step) {
    krn_step_begin(step);
    if (driver->state != KRN_DRIVER_CREATED && !krn_driver_revive(driver)) {
        krn_step_end(step, STATUS_IMAGE_ALREADY_LOADED, 0);
        return;
    }
    state_set(driver, KRN_DRIVER_ENTERING, "entering");
    driver->step = step;
    (void)krn_thread_create(driver->node, driver, &driver->object, "entry", load_main, driver);
}

const char *krn_driver_end_text(const struct krn_driver *driver) {
    return driver->state == KRN_DRIVER_FAILED ? "failed to load" : "was unloaded";
}

/* `made`: where it was made, or NULL. */
static void leftover_error(struct krn_driver *driver, const char *what,
                           const struct sim_object *object, const struct sim_kept_site *made) {
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    krn_bugcheck_begin(&finding, 0xCE, 0, 0, 0, 0);
    sim_finding_say(&finding, "%s %s and left %s%s%s", driver->name, krn_driver_end_text(driver),
                    what, object != NULL ? ": " : "",
                    object != NULL ? sim_object_name(object, name, sizeof(name)) : "");
    krn_bugcheck_blame(&finding, driver);
    if (object != NULL) {
        sim_finding_object(&finding, (struct sim_object *)(uintptr_t)object);
    }
    krn_kept_site_add(driver->node->world, made, "made", &finding);
    krn_bugcheck_raise(driver->node->world, &finding);
}

static const struct krn_thread *thread_left(const struct krn_driver *driver) {
    for (const struct krn_thread *thread = driver->node->thread_first; thread != NULL;
         thread = thread->next) {
        if (thread->driver == driver && thread->is_driver_routine && !thread->has_ended) {
            return thread;
        }
    }
    return NULL;
}

static const struct krn_duty *duty_left(const struct krn_driver *driver, enum krn_kind kind) {
    for (const struct krn_duty *duty = driver->duty_first; duty != NULL; duty = duty->next) {
        if (duty->record.kind == kind && krn_record_busy(&duty->record) != NULL) {
            return duty;
        }
    }
    return NULL;
}

static void duties_check(struct krn_driver *driver) {
    static const struct {
        enum krn_kind kind;
        const char *what;
    } things[] = {
        {KRN_KIND_TIMER, "a timer set"},
        {KRN_KIND_DPC, "a DPC queued"},
        {KRN_KIND_WORK_ITEM, "a work item queued"},
        {KRN_KIND_LOOKASIDE, "a lookaside list"},
    };

    for (size_t i = 0; i < SIM_ARRAY_COUNT(things); i++) {
        const struct krn_duty *duty = duty_left(driver, things[i].kind);

        if (duty != NULL) {
            leftover_error(driver, things[i].what, &duty->record.object, &duty->made);
        }
    }
}

void krn_driver_leave_check(struct krn_driver *driver) {
    const struct krn_thread *thread = thread_left(driver);
    const struct krn_device *device;
    struct krn_leftovers left;

    if (thread != NULL) {
        leftover_error(driver, "a system thread running", sim_task_object(thread->task),
                       &thread->made);
    }
    duties_check(driver);
    krn_driver_leftovers(driver, &left);
    if (left.ndk_adapters != 0) {
        leftover_error(driver, "an NDK adapter open", NULL, NULL);
    }
    if (left.wsk_registrations != 0) {
        struct krn_wsk_client *client = krn_wsk_left(driver);

        krn_wsk_broken(driver, &client->object, &client->made, "R-WSK-02",
                       "%s %s and left a WSK registration", driver->name,
                       krn_driver_end_text(driver));
        leftover_error(driver, "a WSK registration", &client->object, &client->made);
    }
    if (left.irps != 0) {
        leftover_error(driver, "an IRP pending", NULL, NULL);
    }
    device = krn_device_left(driver);
    if (device != NULL) {
        leftover_error(driver, "a device object", &device->object, &device->made);
    }
    if (driver->miniport != NULL && driver->miniport->is_registered) {
        leftover_error(driver, "a miniport registration", NULL, NULL);
    }
    if (left.locked_mdls != 0) {
        krn_bugcheck(0xCB, 0, 0, 0, left.locked_mdls, "%s %s and left %u MDL%s locked",
                     driver->name, krn_driver_end_text(driver), left.locked_mdls,
                     left.locked_mdls == 1 ? "" : "s");
    }
    krn_pool_leak_check(driver);
}

static void call_unload(struct krn_driver *driver) {
    struct krn_routine routine;

    krn_routine_begin(&routine, (const void *)driver->driver_object.DriverUnload, "DriverUnload");
    driver->driver_object.DriverUnload(&driver->driver_object);
    krn_routine_end_ordered(&routine);
}

static void unload_main(void *argument) {
    struct krn_driver *driver = argument;
    struct sim_world *world = driver->node->world;
    const struct krn_ndk_interposer *interposer = driver->node->krn->interposer;
    struct krn_step *step = driver->step;

    sim_trace(world, KRN_TRACE_DRIVER_UNLOAD, SIM_ACCESS_CLOSE, &driver->object, NULL, NULL, 0, 0);
    if (driver->miniport != NULL) {
        krn_adapters_halt(driver);
    }
    sim_point(&driver->object, SIM_ACCESS_CLOSE, SIM_POINT_COST_NS);
    call_unload(driver);
    if (interposer != NULL && interposer->unloaded != NULL) {
        interposer->unloaded(driver);
    }
    /* The I/O manager keeps the image while a work item of it is queued or runs. */
    while (driver->io_work_items != 0) {
        krn_gate_wait(&driver->work_idle, "unload waits for work items");
    }
    krn_driver_leave_check(driver);
    state_set(driver, KRN_DRIVER_UNLOADED, "unloaded");
    driver->object.closed = true;
    krn_image_unmap(driver->image);
    sim_trace(world, KRN_TRACE_DRIVER_UNLOADED, SIM_ACCESS_CLOSE, &driver->object, NULL, NULL, 0,
              0);
    driver->step = NULL;
    krn_step_end(step, STATUS_SUCCESS, 0);
}

void krn_driver_unload(struct krn_driver *driver, struct krn_step *step) {
    krn_step_begin(step);
    if (driver->state != KRN_DRIVER_LOADED || driver->driver_object.DriverUnload == NULL) {
        krn_step_end(step, STATUS_INVALID_DEVICE_REQUEST, 0);
        return;
    }
    state_set(driver, KRN_DRIVER_UNLOADING, "unloading");
    driver->step = step;
    (void)krn_thread_create(driver->node, driver, &driver->object, "unload", unload_main, driver);
}
