/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver that calls the kernel for ever and never waits: every call lets time go on, so that
 * nothing would end it before the limit of the run. Told in the looping context, whose stack says
 * where.
 */
#include <krn/driver.h>
#include <krn/state.h>

#include "bugcheck_guilty.h"
#include "driver_state.h"
#include "loop.h"

static void on_loop(struct sim_task *task, uint64_t point_count) {
    struct sim_world *world = sim_task_world(task);
    struct krn_driver *driver = krn_task_driver(task);
    struct sim_finding finding;
    char name[SIM_NAME_BYTES];

    sim_finding_init(&finding, SIM_VERDICT_STUCK, "loop", "");
    sim_finding_site_here(&finding, "loops");
    if (finding.site_count > 0) {
        struct krn_driver *on_stack = krn_site_driver(world, &finding.sites[0]);

        driver = on_stack != NULL ? on_stack : driver;
        krn_site_begin_with_driver(world, &finding.sites[0]);
    }
    sim_finding_say(&finding,
                    "%s loops: %s made %llu steps in calls of the kernel and never waited",
                    driver != NULL ? driver->name : "the program",
                    sim_object_name(sim_task_object(task), name, sizeof(name)),
                    (unsigned long long)point_count);
    if (driver != NULL) {
        krn_bugcheck_blame(&finding, driver);
    }
    sim_finding_object(&finding, sim_task_object(task));
    sim_find(world, &finding);
}

void krn_watchdog_blame(struct sim_world *world, struct sim_task *task,
                        struct sim_finding *finding) {
    (void)world;
    krn_bugcheck_blame(finding, krn_task_driver(task));
}

void krn_loop_watch(struct sim_world *world) {
    sim_loop_judge(world, on_loop);
}
