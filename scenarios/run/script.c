/* SPDX-License-Identifier: Apache-2.0 */
/* See script.h for the machine of a step. One start function per kind, in a constant table. */
#include "run/script.h"

#include <net/fault.h>
#include <net/switch.h>
#include <sim/event.h>
#include <sim/fault.h>
#include <sim/memory.h>
#include <sim/trace.h>
#include <stdio.h>
#include <string.h>

#include "run/step_adapter.h"
#include "run/step_device.h"

struct running {
    enum scn_progress progress;
    uint32_t index;
    uint32_t seen_count; /* of its event */
    struct sim_event timer;
    struct sim_event end_timer; /* "for" */
    struct sim_watch watch;
    struct krn_step step;
    struct krn_ioctl ioctl;
    struct krn_handle *handle; /* of an open step, until it is closed; NULL: not open */
    struct scn_oid_run oid;
    struct scn_machine *machine;
};

/* Loading and unloading of drivers without a step of their own. */
struct carried {
    struct krn_step load;
    struct krn_step unload;
    bool is_loading;
    bool is_unloading;
    uint32_t index;
    struct scn_machine *machine;
};

struct scn_script {
    struct running *steps;
    struct carried *drivers;
    uint32_t done_count;
};

static void start(struct sim_world *world, struct running *running);

static struct scn_script *script_of(const struct scn_machine *machine) {
    return machine->script;
}

static const struct scn_step *step_of(const struct running *running) {
    return &running->machine->scenario->steps[running->index];
}

static void trigger(struct sim_world *world, struct running *running, uint64_t delay_ns) {
    SIM_ASSERT(running->progress == SCN_WAITING);
    sim_event_schedule(world, &running->timer, delay_ns);
}

static void finish(struct running *running) {
    struct scn_machine *machine = running->machine;
    uint32_t next = running->index + 1;

    running->progress = SCN_DONE;
    script_of(machine)->done_count++;
    if (next < machine->scenario->step_count && machine->scenario->steps[next].follows)
        trigger(machine->world, &script_of(machine)->steps[next],
                machine->scenario->steps[next].delay_ns);
}

static void on_step_done(struct krn_step *step) {
    struct running *running = step->context;

    if (step_of(running)->kind == SCN_STEP_OID)
        scn_oid_judge(running->machine, step_of(running), &running->oid, step);
    finish(running);
}

static void on_ioctl_done(struct krn_step *step) {
    struct running *running = step->context;

    if (sim_event_is_scheduled(&running->end_timer))
        sim_event_cancel(running->machine->world, &running->end_timer);
    finish(running);
}

static void on_open_done(struct krn_step *step) {
    struct running *running = step->context;

    if (step->status < 0)
        running->handle = NULL;
    finish(running);
}

static void start_load(struct running *running) {
    krn_driver_load(running->machine->drivers[step_of(running)->target], &running->step);
}

static void start_unload(struct running *running) {
    krn_driver_unload(running->machine->drivers[step_of(running)->target], &running->step);
}

static struct running *opener_of(const struct running *running) {
    return &script_of(running->machine)->steps[step_of(running)->opened_by];
}

/* What its handle is open on, or NULL. */
static struct krn_handle *handle_of(const struct running *running) {
    const struct running *opener = opener_of(running);

    return opener->progress == SCN_DONE ? opener->handle : NULL;
}

static void start_ioctl(struct running *running) {
    const struct scn_step *step = step_of(running);
    struct krn_ioctl *ioctl = &running->ioctl;

    scn_ioctl_fill(running->machine, step, ioctl);
    ioctl->step.done = on_ioctl_done;
    ioctl->step.context = running;
    ioctl->handle = step->handle != NULL ? handle_of(running) : NULL;
    if (step->handle != NULL && ioctl->handle == NULL) {
        scn_step_refuse(&ioctl->step);
        return;
    }
    krn_ioctl_send(krn_driver_node(running->machine->drivers[step->target]), ioctl);
    if (step->cancel_ns != SIM_TIME_NEVER)
        sim_event_schedule(running->machine->world, &running->end_timer, step->cancel_ns);
}

static void start_open(struct running *running) {
    const struct scn_step *step = step_of(running);

    running->step.done = on_open_done;
    running->handle = krn_handle_open(krn_driver_node(running->machine->drivers[step->target]),
                                      scn_step_device(running->machine, step), &running->step);
}

static void start_close(struct running *running) {
    struct krn_handle *handle = handle_of(running);

    if (handle == NULL) {
        scn_step_refuse(&running->step);
        return;
    }
    opener_of(running)->handle = NULL;
    krn_handle_close(handle, &running->step);
}

static void set_link(struct running *running, bool up) {
    net_link_set_up(running->machine->links[step_of(running)->target], up);
}

static void start_link_down(struct running *running) {
    set_link(running, false);
}

static void start_link_up(struct running *running) {
    set_link(running, true);
}

static void start_link_rate(struct running *running) {
    net_link_set_rate(running->machine->links[step_of(running)->target],
                      step_of(running)->rate_bps);
}

static void start_partition(struct running *running) {
    net_switch_partition(running->machine->switches[step_of(running)->target],
                         step_of(running)->apart_mask);
}

static void start_heal(struct running *running) {
    net_switch_partition(running->machine->switches[step_of(running)->target], 0);
}

static void start_switch_down(struct running *running) {
    net_switch_set_up(running->machine->switches[step_of(running)->target], false);
}

static void start_switch_up(struct running *running) {
    net_switch_set_up(running->machine->switches[step_of(running)->target], true);
}

static void start_pnp(struct running *running) {
    scn_pnp_start(running->machine, step_of(running), &running->step);
}

static void start_oid(struct running *running) {
    scn_oid_start(running->machine, step_of(running), &running->oid, &running->step);
}

static void start_silence(struct running *running) {
    net_port_enable(scn_device_port(running->machine, step_of(running)->target), false);
}

static void end_silence(struct running *running) {
    net_port_enable(scn_device_port(running->machine, step_of(running)->target), true);
}

/* `undo` is what happens after "for"; a kind that takes time finishes through its krn_step. */
static const struct {
    const char *name;
    void (*start)(struct running *running);
    void (*undo)(struct running *running);
    bool takes_time;
} kinds[SCN_STEP_KIND_COUNT] = {
    [SCN_STEP_LOAD] = {"load", start_load, NULL, true},
    [SCN_STEP_UNLOAD] = {"unload", start_unload, NULL, true},
    [SCN_STEP_IOCTL] = {"ioctl", start_ioctl, NULL, true},
    [SCN_STEP_OPEN] = {"open", start_open, NULL, true},
    [SCN_STEP_CLOSE] = {"close", start_close, NULL, true},
    [SCN_STEP_LINK_DOWN] = {"link_down", start_link_down, start_link_up, false},
    [SCN_STEP_LINK_UP] = {"link_up", start_link_up, NULL, false},
    [SCN_STEP_LINK_RATE] = {"link_rate", start_link_rate, NULL, false},
    [SCN_STEP_PARTITION] = {"partition", start_partition, start_heal, false},
    [SCN_STEP_HEAL] = {"heal", start_heal, NULL, false},
    [SCN_STEP_SWITCH_DOWN] = {"switch_down", start_switch_down, start_switch_up, false},
    [SCN_STEP_SWITCH_UP] = {"switch_up", start_switch_up, NULL, false},
    [SCN_STEP_PNP] = {"pnp", start_pnp, NULL, true},
    [SCN_STEP_OID] = {"oid", start_oid, NULL, true},
    [SCN_STEP_SILENCE] = {"silence", start_silence, end_silence, false},
};

static void start(struct sim_world *world, struct running *running) {
    const struct scn_step *step = step_of(running);

    running->progress = SCN_STARTED;
    running->step.done = on_step_done;
    running->step.context = running;
    kinds[step->kind].start(running);
    if (kinds[step->kind].takes_time)
        return;
    if (step->for_ns > 0 && step->for_ns != SIM_TIME_NEVER && kinds[step->kind].undo != NULL)
        sim_event_schedule(world, &running->end_timer, step->for_ns);
    else
        finish(running);
}

static void on_timer(struct sim_world *world, struct sim_event *event) {
    start(world, SIM_CONTAINER_OF(event, struct running, timer));
}

static void on_end_timer(struct sim_world *world, struct sim_event *event) {
    struct running *running = SIM_CONTAINER_OF(event, struct running, end_timer);

    (void)world;
    if (step_of(running)->kind == SCN_STEP_IOCTL) {
        krn_ioctl_cancel(&running->ioctl);
        return;
    }
    kinds[step_of(running)->kind].undo(running);
    finish(running);
}

static void on_seen(struct sim_world *world, struct sim_watch *watch,
                    const struct sim_record *record) {
    struct running *running = SIM_CONTAINER_OF(watch, struct running, watch);

    (void)record;
    if (running->progress != SCN_WAITING || ++running->seen_count != step_of(running)->after.nth)
        return;
    trigger(world, running, step_of(running)->delay_ns);
}

static void add_plan(struct scn_machine *machine, const struct scn_fault *fault,
                     struct scn_diagnostics *diagnostics) {
    const char *names[SIM_FAULT_POINT_COUNT_MAX], *nearest;
    const struct sim_fault_point *point = sim_fault_point_find(machine->world, fault->point);
    struct sim_fault_plan plan = {
        .point = point,
        .subject = fault->on,
        .class_pattern = fault->class_pattern,
        .from_ns = fault->from_ns,
        .to_ns = fault->to_ns,
        .nth = fault->nth,
        .count_max = fault->count,
        .ppm = fault->ppm,
        .free_ppm = fault->free_ppm,
        .after_event = fault->after.event,
        .after_object = fault->after.object,
        .after_nth = fault->after.nth,
        .parameter = fault->value,
        .source = fault->place,
    };
    size_t count = 0;

    if (point != NULL) {
        sim_fault_plan_add(machine->world, &plan);
        return;
    }
    for (const struct sim_fault_point *one = sim_fault_point_at(machine->world, 0);
         one != NULL && count < SIM_ARRAY_COUNT(names);
         one = sim_fault_point_at(machine->world, count))
        names[count++] = one->name;
    nearest = scn_nearest(fault->point, names, count);
    if (nearest != NULL)
        scn_diagnose_value(diagnostics, scn_member(fault->source, "point"), false,
                           "there is no fault point \"%s\"; did you mean \"%s\"?", fault->point,
                           nearest);
    else
        scn_diagnose_value(diagnostics, scn_member(fault->source, "point"), false,
                           "there is no fault point \"%s\" (ndksim list faults)", fault->point);
    scn_diagnostics_absent(diagnostics);
}

void scn_script_prepare(struct scn_machine *machine, struct scn_diagnostics *diagnostics) {
    const struct scn_scenario *scenario = machine->scenario;
    struct scn_script *script = sim_alloc(machine->world, sizeof(*script));

    machine->script = script;
    script->steps = sim_alloc(machine->world, (scenario->step_count + 1) * sizeof(*script->steps));
    script->drivers =
        sim_alloc(machine->world, (scenario->driver_count + 1) * sizeof(*script->drivers));
    for (uint32_t i = 0; i < scenario->driver_count; i++) {
        script->drivers[i].index = i;
        script->drivers[i].machine = machine;
    }
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        struct running *running = &script->steps[i];

        running->index = i;
        running->machine = machine;
        sim_event_init(&running->timer, "scenario.step", NULL, on_timer);
        sim_event_init(&running->end_timer, "scenario.step-end", NULL, on_end_timer);
        if (scenario->steps[i].kind == SCN_STEP_OID)
            scn_oid_check(&scenario->steps[i], diagnostics);
    }
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        add_plan(machine, &scenario->faults[i], diagnostics);
}

/* The next driver of the same node that the runner loads itself, after `index`. */
static void load_next(struct scn_machine *machine, uint32_t index, uint32_t node);

static void on_driver_loaded(struct krn_step *step) {
    struct carried *carried = step->context;

    load_next(carried->machine, carried->index + 1,
              carried->machine->scenario->drivers[carried->index].node);
}

static void load_next(struct scn_machine *machine, uint32_t index, uint32_t node) {
    const struct scn_scenario *scenario = machine->scenario;

    for (; index < scenario->driver_count; index++) {
        const struct scn_driver *driver = &scenario->drivers[index];
        struct carried *carried = &script_of(machine)->drivers[index];

        if (driver->node != node || driver->is_in_prelude || driver->has_load_step)
            continue;
        carried->is_loading = true;
        carried->load.done = on_driver_loaded;
        carried->load.context = carried;
        krn_driver_load(machine->drivers[index], &carried->load);
        return;
    }
}

void scn_script_start(struct scn_machine *machine) {
    const struct scn_scenario *scenario = machine->scenario;

    net_fault_arm(machine->world);
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        struct running *running = &script_of(machine)->steps[i];
        const struct scn_step *step = &scenario->steps[i];

        if (step->after.event != NULL) {
            running->watch.type = sim_trace_type_of(machine->world, step->after.event);
            running->watch.pattern = step->after.object;
            running->watch.seen = on_seen;
            sim_watch_add(machine->world, &running->watch);
        } else if (!step->follows) {
            trigger(machine->world, running, step->at_ns);
        }
    }
    for (uint32_t node = 0; node < scenario->node_count; node++) {
        krn_wsk_ready_set(machine->nodes[node],
                          sim_now_ns(machine->world) + scenario->nodes[node].wsk_ready_ns);
        load_next(machine, 0, node);
    }
}

static bool are_drivers_loaded(const struct scn_machine *machine) {
    const struct scn_scenario *scenario = machine->scenario;

    for (uint32_t i = 0; i < scenario->driver_count; i++) {
        const struct scn_driver *driver = &scenario->drivers[i];
        const struct carried *carried = &script_of(machine)->drivers[i];

        if (!driver->is_in_prelude && !driver->has_load_step && !carried->load.is_done &&
            !krn_node_is_off(krn_driver_node(machine->drivers[i])))
            return false;
    }
    return true;
}

bool scn_script_is_done(const struct scn_machine *machine) {
    return script_of(machine)->done_count == machine->scenario->step_count &&
           are_drivers_loaded(machine);
}

bool scn_script_waits_for_events(const struct scn_machine *machine) {
    for (uint32_t i = 0; i < machine->scenario->step_count; i++) {
        const struct running *running = &script_of(machine)->steps[i];

        if (running->progress == SCN_STARTED || sim_event_is_scheduled(&running->timer))
            return false;
    }
    return are_drivers_loaded(machine);
}

enum scn_progress scn_script_progress(const struct scn_machine *machine, uint32_t step) {
    return script_of(machine)->steps[step].progress;
}

void scn_script_heal(struct scn_machine *machine) {
    const struct scn_scenario *scenario = machine->scenario;

    sim_fault_enable(machine->world, false);
    net_heal(machine->world);
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        struct running *running = &script_of(machine)->steps[i];
        const struct scn_step *step = step_of(running);

        if (running->progress == SCN_WAITING || kinds[step->kind].undo == NULL)
            continue;
        if (running->progress == SCN_STARTED)
            sim_event_cancel(machine->world, &running->end_timer);
        kinds[step->kind].undo(running);
        if (running->progress == SCN_STARTED)
            finish(running);
    }
}

/* True when driver `index` is gone; starts its unloading when it can be. */
static bool unload_one(struct scn_machine *machine, uint32_t index) {
    struct carried *carried = &script_of(machine)->drivers[index];

    if (krn_node_is_off(krn_driver_node(machine->drivers[index])))
        return true;
    switch (krn_driver_state(machine->drivers[index])) {
    case KRN_DRIVER_LOADED:
        if (carried->is_unloading && carried->unload.is_done)
            return true; /* it has no DriverUnload; scn_script_failure says so */
        if (!carried->is_unloading) {
            carried->is_unloading = true;
            krn_driver_unload(machine->drivers[index], &carried->unload);
        }
        return false;
    case KRN_DRIVER_UNLOADING:
    case KRN_DRIVER_ENTERING:
        return false;
    case KRN_DRIVER_CREATED:
    case KRN_DRIVER_UNLOADED:
    case KRN_DRIVER_FAILED:
        return true;
    }
    return true;
}

bool scn_script_unload(struct scn_machine *machine) {
    for (uint32_t i = machine->scenario->driver_count; i > 0; i--)
        if (!unload_one(machine, i - 1))
            return false;
    return true;
}

const char *scn_step_text(const struct scn_scenario *scenario, uint32_t step, char *text,
                          size_t size) {
    snprintf(text, size, "steps[%u] (%s)", step, kinds[scenario->steps[step].kind].name);
    return text;
}

static bool status_is_wrong(const struct scn_step *step, int32_t status) {
    return !step->any_status && status != step->status;
}

const char *scn_step_never_began(const struct scn_scenario *scenario, uint32_t step, char *text,
                                 size_t size) {
    const struct scn_step *self = &scenario->steps[step];
    char name[64];

    scn_step_text(scenario, step, name, sizeof(name));
    if (self->after.event != NULL)
        snprintf(text, size, "%s: %s never began: its \"after\" (%s%s%s) never matched",
                 self->place, name, self->after.event, self->after.object != NULL ? " of " : "",
                 self->after.object != NULL ? self->after.object : "");
    else
        snprintf(text, size, "%s: %s never began", self->place, name);
    return text;
}

static bool is_step_wrong(const struct scn_machine *machine, bool is_exploring, uint32_t index,
                          char *text, size_t size) {
    const struct running *running = &script_of(machine)->steps[index];
    const struct scn_step *step = step_of(running);
    const struct krn_step *result =
        step->kind == SCN_STEP_IOCTL ? &running->ioctl.step : &running->step;
    char name[64], was[SCN_STATUS_TEXT_BYTES], wanted[SCN_STATUS_TEXT_BYTES];

    scn_step_text(machine->scenario, index, name, sizeof(name));
    if (running->progress == SCN_WAITING) {
        scn_step_never_began(machine->scenario, index, text, size);
        return !is_exploring;
    }
    if (running->progress != SCN_DONE) {
        snprintf(text, size, "%s: %s did not end", step->place, name);
        return true;
    }
    if (!kinds[step->kind].takes_time || sim_fault_chosen_count(machine->world) > 0)
        return false;
    if (status_is_wrong(step, result->status)) {
        snprintf(text, size, "%s: %s ended with %s, expected %s", step->place, name,
                 scn_status_text(result->status, was, sizeof(was)),
                 scn_status_text(step->status, wanted, sizeof(wanted)));
        return true;
    }
    if (running->oid.wrong != NULL) {
        snprintf(text, size, "%s: %s: %s", step->place, name, running->oid.wrong);
        return true;
    }
    return scn_ioctl_is_wrong(step, &running->ioctl, name, text, size);
}

/* By a step of the scenario: a failure that nobody wants. */
static void visit_load_steps(const struct scn_machine *machine, uint32_t driver,
                             scn_not_loaded_visit *visit, void *context) {
    for (uint32_t i = 0; i < machine->scenario->step_count; i++) {
        const struct running *running = &script_of(machine)->steps[i];
        const struct scn_step *step = &machine->scenario->steps[i];

        if (step->kind == SCN_STEP_LOAD && step->target == driver &&
            running->progress == SCN_DONE && running->step.status < 0 &&
            status_is_wrong(step, running->step.status))
            visit(context, driver, running->step.status);
    }
}

void scn_script_not_loaded(const struct scn_machine *machine, scn_not_loaded_visit *visit,
                           void *context) {
    for (uint32_t i = 0; i < machine->scenario->driver_count && script_of(machine) != NULL; i++) {
        const struct carried *carried = &script_of(machine)->drivers[i];

        if (carried->is_loading && carried->load.is_done && carried->load.status != 0)
            visit(context, i, carried->load.status);
        else
            visit_load_steps(machine, i, visit, context);
    }
}

struct failures {
    const struct scn_machine *machine;
    scn_failure_visit *visit;
    void *context;
};

/* Of drivers without a step; a step's failure is told as that. */
static void tell_load(void *context, uint32_t driver, int32_t status) {
    const struct failures *failures = context;
    const struct scn_driver *self = &failures->machine->scenario->drivers[driver];
    char text[SCN_REASON_BYTES], name[SCN_STATUS_TEXT_BYTES];

    if (!script_of(failures->machine)->drivers[driver].is_loading)
        return;
    snprintf(text, sizeof(text), "driver %s did not load: %s", self->as,
             scn_status_text(status, name, sizeof(name)));
    failures->visit(failures->context, "", text);
}

void scn_script_failures(const struct scn_machine *machine, bool is_exploring,
                         scn_failure_visit *visit, void *context) {
    const struct scn_scenario *scenario = machine->scenario;
    struct failures failures = {machine, visit, context};
    char text[SCN_REASON_BYTES];

    /* First, as steps may have waited for what the driver did not do. */
    if (sim_fault_chosen_count(machine->world) == 0)
        scn_script_not_loaded(machine, tell_load, &failures);
    for (uint32_t i = 0; i < scenario->step_count; i++)
        if (is_step_wrong(machine, is_exploring, i, text, sizeof(text)))
            visit(context, scenario->steps[i].place, text);
    for (uint32_t i = 0; i < scenario->driver_count; i++) {
        const struct carried *carried = &script_of(machine)->drivers[i];

        if (!carried->is_unloading || !carried->unload.is_done || carried->unload.status == 0)
            continue;
        snprintf(text, sizeof(text), "driver %s did not unload: it has no DriverUnload",
                 scenario->drivers[i].as);
        visit(context, "", text);
    }
}
