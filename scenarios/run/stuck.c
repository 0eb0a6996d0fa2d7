/* SPDX-License-Identifier: Apache-2.0 */
/* See stuck.h. Lists the blocked contexts in birth order; spin holders give the cycle's edges. */
#include "run/stuck.h"

#include <krn/driver.h>
#include <krn/ndk.h>
#include <krn/state.h>
#include <sim/fault.h>
#include <stdio.h>
#include <string.h>
#include <vrf/verifier.h>

#include "report/plural.h"
#include "report/report.h"
#include "run/judge.h"

#define BLOCKED_COUNT_MAX 64u

struct collected {
    struct sim_blocked entries[BLOCKED_COUNT_MAX];
    uint32_t count;
};

static void collect(void *context, const struct sim_blocked *blocked) {
    struct collected *collected = context;

    if (collected->count < BLOCKED_COUNT_MAX)
        collected->entries[collected->count++] = *blocked;
}

/* The kernel knows who holds its mutexes; of a thread it is the thread that keeps it. */
static void add_holder(void *context, const struct krn_lock_state *lock) {
    struct collected *collected = context;

    for (uint32_t i = 0; i < collected->count; i++)
        if (collected->entries[i].holder == NULL && collected->entries[i].what == lock->object)
            collected->entries[i].holder = lock->holder;
}

static void add_holders(const struct scn_machine *machine, struct collected *collected) {
    for (uint32_t i = 0; i < machine->scenario->node_count; i++)
        krn_lock_visit(machine->nodes[i], add_holder, collected);
    for (uint32_t i = 0; i < collected->count; i++) {
        struct sim_blocked *blocked = &collected->entries[i];

        for (uint32_t k = 0; k < collected->count; k++)
            if (blocked->holder == NULL && blocked->what != NULL &&
                blocked->what->owner == collected->entries[k].task)
                blocked->holder = collected->entries[k].task;
    }
}

static const struct sim_blocked *blocked_of(const struct collected *collected,
                                            const struct sim_object *task) {
    for (uint32_t i = 0; i < collected->count; i++)
        if (collected->entries[i].task == task)
            return &collected->entries[i];
    return NULL;
}

/* Follows holders from `start`; true when that leads back to it. */
static bool is_in_cycle(const struct collected *collected, const struct sim_blocked *start) {
    const struct sim_blocked *at = start;

    for (uint32_t hops = 0; hops <= collected->count; hops++) {
        at = at->holder != NULL ? blocked_of(collected, at->holder) : NULL;
        if (at == NULL)
            return false;
        if (at == start)
            return true;
    }
    return false;
}

/* The driver's code that waits; nothing of a context without any. */
static void add_site(const struct scn_machine *machine, struct sim_finding *finding,
                     const struct sim_blocked *blocked) {
    struct sim_site *site;

    if (finding->site_count == SIM_ARRAY_COUNT(finding->sites))
        return;
    site = &finding->sites[finding->site_count];
    sim_site_of_blocked(site, "waits", blocked);
    krn_site_begin_with_driver(machine->world, site);
    if (site->frame_count > 0 &&
        krn_driver_of_code(machine->world, (const void *)(site->frames[0] - 1)) != NULL)
        finding->site_count++;
}

static void say_blocked(struct sim_finding *finding, const struct sim_blocked *blocked) {
    char task[SIM_NAME_BYTES], what[SIM_NAME_BYTES], holder[SIM_NAME_BYTES];
    char since[SCN_TIME_TEXT_BYTES];

    sim_object_name(blocked->task, task, sizeof(task));
    sim_object_name(blocked->what, what, sizeof(what));
    sim_object_name(blocked->holder, holder, sizeof(holder));
    sim_finding_detail(finding, "%s waits since %s in %s%s%s%s%s\n", task,
                       scn_time_text(blocked->since_ns, since, sizeof(since)),
                       blocked->why != NULL ? blocked->why : "a wait",
                       blocked->what != NULL ? " for " : "", blocked->what != NULL ? what : "",
                       blocked->holder != NULL ? ", held by " : "",
                       blocked->holder != NULL ? holder : "");
    sim_finding_object(finding, blocked->task);
}

/* What a silent fault took is all that is known of why nothing moves. */
static void say_lost(const struct sim_fault_plan *plan, struct sim_finding *finding,
                     const char *why) {
    char time[SCN_TIME_TEXT_BYTES];

    sim_finding_say(finding,
                    "%s, and the work is not done: the scenario's fault %s took what somebody may "
                    "wait for",
                    why, plan->point->name);
    sim_finding_detail(finding, "%s: %s fired %u time%s, last at %s ms; no driver can know of it\n",
                       plan->source, plan->point->name, plan->fired_count,
                       scn_plural(plan->fired_count),
                       scn_time_text(plan->fired_ns, time, sizeof(time)));
}

/* That the peers' drivers are what is waited for, only where it is so. */
static void say_stuck(const struct scn_machine *machine, struct sim_finding *finding,
                      const char *why) {
    const struct sim_fault_plan *lost = sim_fault_silent(machine->world);
    const char *first;
    uint32_t count = scn_drivers_not_done(machine, &first);

    if (lost != NULL)
        say_lost(lost, finding, why);
    else if (!vrf_only_receives_owed(machine->world))
        sim_finding_say(finding, "%s, and the work is not done", why);
    else if (count > 1)
        sim_finding_say(finding,
                        "%s, and the work is not done: no provider owes anything but receives, "
                        "consumers wait for each other",
                        why);
    else if (count == 1)
        sim_finding_say(finding,
                        "%s, and the work of %s alone is not done: no provider owes anything but "
                        "receives",
                        why, first);
    else
        sim_finding_say(
            finding, "%s, and the work is not done: no provider owes anything but receives", why);
}

static const char *remedy_of(const struct scn_machine *machine, bool has_cycle) {
    if (has_cycle)
        return "Take locks in one order everywhere, and wait for nobody while holding what they "
               "need.";
    if (sim_fault_silent(machine->world) != NULL)
        return "Let the fault fire where something later makes up for it, or look at what came "
               "before it: no driver is to blame.";
    return "Complete every request that was answered STATUS_PENDING, and wait only for what "
           "somebody will bring about: with a limit where that is the peer.";
}

void scn_find_stuck(struct scn_machine *machine, bool is_idle, const char *why) {
    struct collected collected = {.count = 0};
    struct sim_finding finding;
    bool has_cycle = false;

    if (vrf_blame_arms(machine->world) ||
        (is_idle ? vrf_blame_stuck(machine->world) : vrf_blame_doors(machine->world)) ||
        vrf_blame_forgotten(machine->world))
        return;
    sim_blocked_visit(machine->world, collect, &collected);
    add_holders(machine, &collected);
    for (uint32_t i = 0; i < collected.count; i++)
        has_cycle = has_cycle || is_in_cycle(&collected, &collected.entries[i]);
    sim_finding_init(&finding, SIM_VERDICT_STUCK, has_cycle ? "deadlock" : "stuck", "");
    say_stuck(machine, &finding, why);
    for (uint32_t i = 0; i < collected.count; i++)
        if (!has_cycle || is_in_cycle(&collected, &collected.entries[i])) {
            say_blocked(&finding, &collected.entries[i]);
            add_site(machine, &finding, &collected.entries[i]);
        }
    vrf_say_owed(machine->world, &finding);
    snprintf(finding.remedy, sizeof(finding.remedy), "%s", remedy_of(machine, has_cycle));
    sim_find(machine->world, &finding);
}

/* ---- More steps than allowed ---- */

#define BUSIEST_COUNT 3u

struct busiest {
    struct sim_standing entries[BUSIEST_COUNT]; /* falling */
    uint32_t count;
};

static void keep_busiest(void *context, const struct sim_standing *standing) {
    struct busiest *busiest = context;
    uint32_t at = busiest->count;

    while (at > 0 && busiest->entries[at - 1].steps < standing->steps)
        at--;
    if (at == BUSIEST_COUNT || standing->steps == 0)
        return;
    if (busiest->count < BUSIEST_COUNT)
        busiest->count++;
    for (uint32_t i = busiest->count - 1; i > at; i--)
        busiest->entries[i] = busiest->entries[i - 1];
    busiest->entries[at] = *standing;
}

static void say_busy(const struct scn_machine *machine, struct sim_finding *finding,
                     const struct sim_standing *standing) {
    char name[SIM_NAME_BYTES];

    sim_object_name(standing->task, name, sizeof(name));
    sim_finding_detail(finding, "%s took %llu of them\n", name,
                       (unsigned long long)standing->steps);
    sim_finding_object(finding, standing->task);
    if (!standing->is_idle && finding->site_count < SIM_ARRAY_COUNT(finding->sites)) {
        struct sim_site *site = &finding->sites[finding->site_count];

        sim_site_of_standing(site, "is at", standing);
        krn_site_begin_with_driver(machine->world, site);
        finding->site_count += site->frame_count > 0 ? 1 : 0;
    }
}

void scn_find_endless(struct scn_machine *machine) {
    struct busiest busiest = {.count = 0};
    struct sim_finding finding;

    sim_standing_visit(machine->world, keep_busiest, &busiest);
    sim_finding_init(&finding, SIM_VERDICT_STUCK, "stuck", "");
    sim_finding_say(&finding, "the limit of %llu steps was reached, and the work is not done",
                    (unsigned long long)machine->scenario->limit_steps);
    for (uint32_t i = 0; i < busiest.count; i++)
        say_busy(machine, &finding, &busiest.entries[i]);
    snprintf(finding.remedy, sizeof(finding.remedy), "%s",
             "Wait for an event instead of asking again and again, or ask more seldom; if the work "
             "is that much, give the scenario more with \"end\": {\"steps\": ...}.");
    sim_find(machine->world, &finding);
}
