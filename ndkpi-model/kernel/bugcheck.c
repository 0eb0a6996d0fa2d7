/* SPDX-License-Identifier: Apache-2.0 */
/* Raising a bugcheck: a finding of verdict 6 whose guilty party is the driver on the stack. */
#include <krn/bugcheck.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bugcheck_guilty.h"
#include "kernel.h"
#include "record.h"

static void name_driver(const struct krn_driver *driver, char *text, size_t size) {
    snprintf(text, size, "%s %s", krn_driver_is_provider(driver) ? "provider" : "consumer",
             krn_driver_name(driver));
}

void krn_bugcheck_blame(struct sim_finding *finding, struct krn_driver *driver) {
    if (driver == NULL) {
        return;
    }
    name_driver(driver, finding->guilty, sizeof(finding->guilty));
    sim_finding_object(finding, krn_driver_object(driver));
}

/* The first frame that is a driver's, and whose; frame_count for none. */
static uint8_t driver_frame(const struct sim_world *world, const struct sim_site *site,
                            struct krn_driver **driver) {
    for (uint8_t i = 0; i < site->frame_count; i++) {
        /* A return address may lie one byte past the function that called. */
        *driver = krn_driver_of_code(world, (const void *)(site->frames[i] - 1));
        if (*driver != NULL) {
            return i;
        }
    }
    *driver = NULL;
    return site->frame_count;
}

struct krn_driver *krn_site_driver(const struct sim_world *world, const struct sim_site *site) {
    struct krn_driver *driver;

    (void)driver_frame(world, site, &driver);
    return driver;
}

/* The driver that had called the guilty one, by the first call site. */
static void say_caller(const struct sim_world *world, struct sim_finding *finding) {
    const struct sim_site *site = &finding->sites[0];

    for (uint8_t i = 0; finding->site_count > 0 && i < site->frame_count; i++) {
        struct krn_driver *driver = krn_driver_of_code(world, (const void *)(site->frames[i] - 1));
        char text[sizeof(finding->guilty)];

        if (driver == NULL) {
            continue;
        }
        name_driver(driver, text, sizeof(text));
        if (strcmp(text, finding->guilty) != 0) {
            sim_finding_detail(finding, "inside a call of %s", text);
            return;
        }
    }
}

void krn_site_begin_with_driver(const struct sim_world *world, struct sim_site *site) {
    struct krn_driver *driver;
    uint8_t first = driver_frame(world, site, &driver);

    if (driver == NULL) {
        site->frame_count = 0; /* the kernel's own frames tell a reader nothing */
    } else {
        site->frame_count = (uint8_t)(site->frame_count - first);
        memmove(site->frames, site->frames + first, site->frame_count * sizeof(site->frames[0]));
    }
}

void krn_kept_site_add(const struct sim_world *world, const struct sim_kept_site *kept,
                       const char *what, struct sim_finding *finding) {
    if (kept != NULL && kept->actor_id != 0 &&
        finding->site_count < SIM_ARRAY_COUNT(finding->sites)) {
        krn_pool_site(world, kept, what, &finding->sites[finding->site_count++]);
    }
}

/* Of a kernel call's rules, the advice is the rule's. */
static const char *remedy_of(const struct krn_bugcheck_code *known, uint64_t p1) {
    static const struct {
        uint64_t p1;
        const char *remedy;
    } rules[] = {
        {0x00, "Ask for one byte at least."},
        {0x01, "Allocate and free paged pool below DISPATCH only, or take nonpaged pool."},
        {0x11, "Allocate and free paged pool below DISPATCH only, or take nonpaged pool."},
        {0x30, "Raise the IRQL with KeRaiseIrql, and lower it with KeLowerIrql to what it was."},
        {0x31, "Raise the IRQL with KeRaiseIrql, and lower it with KeLowerIrql to what it was."},
        {0x32, "Release a spin lock at the IRQL at which it was acquired, then lower it."},
        {0x34, "Release the spin lock before the IRQL goes below DISPATCH."},
        {0x3B,
         "Wait below DISPATCH only, with no spin lock held; at DISPATCH ask with a time of 0."},
        {0x40, "At DISPATCH already: KeAcquireSpinLockAtDpcLevel; else KeAcquireSpinLock."},
        {0x41, "Release with the call that belongs to the one that acquired."},
        {0xE1,
         "Keep what must be resident in nonpaged pool, in a device extension or in the image."},
        {0x62, "Free each block before DriverUnload returns, and on each way on which DriverEntry "
               "fails."},
    };

    for (size_t i = 0; known != NULL && known->code == 0xC4 && i < SIM_ARRAY_COUNT(rules); i++) {
        if (rules[i].p1 == p1) {
            return rules[i].remedy;
        }
    }
    return known != NULL ? known->remedy : "";
}

void krn_bugcheck_begin(struct sim_finding *finding, uint32_t code, uint64_t p1, uint64_t p2,
                        uint64_t p3, uint64_t p4) {
    const struct krn_bugcheck_code *known = krn_bugcheck_code_find(code);
    struct sim_task *task = sim_task_current();
    char id[32];

    snprintf(id, sizeof(id), "0x%X", code);
    sim_finding_init(finding, SIM_VERDICT_BUGCHECK, id,
                     known != NULL ? known->name : krn_bugcheck_name(code));
    snprintf(finding->remedy, sizeof(finding->remedy), "%s", remedy_of(known, p1));
    finding->parameters[0] = p1;
    finding->parameters[1] = p2;
    finding->parameters[2] = p3;
    finding->parameters[3] = p4;
    if (task == NULL) {
        return;
    }
    sim_finding_site_here(finding, "called");
    if (finding->site_count > 0) {
        struct krn_driver *driver = krn_site_driver(sim_task_world(task), &finding->sites[0]);

        krn_bugcheck_blame(finding, driver != NULL ? driver : krn_task_driver(task));
        krn_site_begin_with_driver(sim_task_world(task), &finding->sites[0]);
        say_caller(sim_task_world(task), finding);
    }
}

/*
 * What a call may not do at its IRQL, and what a routine left: a spin lock that the context holds
 * is the reason, or at least in the way.
 */
void krn_bugcheck_tell_lock(struct sim_world *world, struct sim_finding *finding) {
    static const struct {
        const char *id;
        uint64_t p1; /* 0: any */
    } wrong[] = {{"0xA", 0},     {"0xB8", 0},    {"0xC8", 0},   {"0xD1", 0},
                 {"0xC4", 0x34}, {"0xC4", 0x3B}, {"0xC4", 0x11}};
    struct sim_task *task = sim_task_current();
    const struct krn_lock *lock = task != NULL ? krn_held_first(krn_world_of(world), task) : NULL;

    for (size_t i = 0; lock != NULL && i < SIM_ARRAY_COUNT(wrong); i++) {
        if (strcmp(finding->id, wrong[i].id) == 0 &&
            (wrong[i].p1 == 0 || wrong[i].p1 == finding->parameters[0])) {
            krn_lock_tell(lock, finding);
            return;
        }
    }
}

void krn_bugcheck_raise(struct sim_world *world, struct sim_finding *finding) {
    SIM_ASSERT(sim_task_current() != NULL);
    sim_trace(world, KRN_TRACE_BUGCHECK, SIM_ACCESS_NONE,
              finding->object_count > 0 ? finding->objects[0] : NULL, NULL, NULL, 0, 0);
    krn_bugcheck_tell_lock(world, finding);
    krn_ndk_explain(world, finding);
    sim_find(world, finding);
    /* A bugcheck always ends the run, so sim_find has left this task behind. */
    sim_task_exit();
}

void krn_bugcheck_of(struct krn_driver *driver, const void *routine, uint32_t code, uint64_t p2,
                     uint64_t p3, const char *format, ...) {
    struct sim_finding finding;
    va_list arguments;

    krn_bugcheck_begin(&finding, code, 0, p2, p3, 0);
    va_start(arguments, format);
    vsnprintf(finding.sentence, sizeof(finding.sentence), format, arguments);
    va_end(arguments);
    if (driver != NULL && finding.guilty[0] == '\0') {
        krn_bugcheck_blame(&finding, driver);
    }
    if (finding.site_count > 0 && finding.sites[0].frame_count == 0 && routine != NULL) {
        finding.sites[0].what = "routine";
        finding.sites[0].frames[finding.sites[0].frame_count++] = (uintptr_t)routine + 1;
    }
    krn_bugcheck_raise(sim_task_world(sim_task_current()), &finding);
}

void krn_bugcheck(uint32_t code, uint64_t p1, uint64_t p2, uint64_t p3, uint64_t p4,
                  const char *format, ...) {
    struct sim_finding finding;
    va_list arguments;

    krn_bugcheck_begin(&finding, code, p1, p2, p3, p4);
    va_start(arguments, format);
    vsnprintf(finding.sentence, sizeof(finding.sentence), format, arguments);
    va_end(arguments);
    krn_bugcheck_raise(sim_task_world(sim_task_current()), &finding);
}
