/* SPDX-License-Identifier: Apache-2.0 */
/* The phases of a run. See outcome.h. */
#include <sim/check.h>
#include <stdio.h>
#include <string.h>
#include <vrf/verifier.h>

#include "run/judge.h"
#include "run/outcome.h"
#include "run/script.h"
#include "run/stuck.h"

/* After the disturbance everything must finish within this much virtual time, or the scenario's. */
#define HEAL_LIMIT_NS (300 * SIM_NS_PER_S)
/* Of exploring runs, those with special pool: it catches reads, and costs pages and calls. */
#define SPECIAL_ONE_IN 8u
#define UNLOAD_LIMIT_NS (300 * SIM_NS_PER_S)
/* How long an exploring run disturbs when the scenario does not say. */
#define DISTURB_NS (2 * SIM_NS_PER_S)

static bool is_work_done(struct sim_world *world, void *context) {
    struct scn_machine *machine = context;

    (void)world;
    return scn_drivers_are_done(machine) && scn_script_is_done(machine);
}

/* Whether nothing but an event that no longer comes keeps the work from being done. */
static bool is_only_untriggered(struct scn_machine *machine) {
    return scn_script_waits_for_events(machine) && scn_drivers_are_done(machine);
}

static bool is_unloaded(struct sim_world *world, void *context) {
    (void)world;
    return scn_script_unload(context);
}

/* SIM_TIME_NEVER stays never. */
static uint64_t later(uint64_t time_ns, uint64_t by_ns) {
    return by_ns < SIM_TIME_NEVER - time_ns ? time_ns + by_ns : SIM_TIME_NEVER;
}

static uint64_t latest(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t earliest(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/*
 * Runs one phase; true when the next one may begin. A world in which nothing can move any more, or
 * that has reached a limit, is stuck: the finding says who waits for whom. Steps that wait for an
 * event which never came are no reason to be stuck; the judge has a word for them.
 */
static bool phase(struct scn_machine *machine, const struct scn_run_options *options,
                  struct scn_outcome *outcome, bool (*until)(struct sim_world *, void *),
                  uint64_t limit_ns, bool limit_is_stuck) {
    struct sim_world *world = machine->world;
    uint64_t stop_ns = earliest(limit_ns, options->until_ns);
    enum sim_run_end end;

    if (until(world, machine))
        return true;
    end = sim_run(world, until, machine, stop_ns);
    if (until == is_work_done && is_only_untriggered(machine) &&
        (end == SIM_RUN_IDLE || (end == SIM_RUN_UNTIL && stop_ns == limit_ns)))
        return true;
    switch (end) {
    case SIM_RUN_INTERRUPTED:
        outcome->verdict = SIM_VERDICT_INTERRUPTED;
        return false;
    case SIM_RUN_UNTIL:
        if (until(world, machine))
            return true;
        if (stop_ns == options->until_ns) {
            outcome->until_reached = true;
            return false;
        }
        if (limit_is_stuck)
            scn_find_stuck(machine, false, "the time limit was reached");
        return !limit_is_stuck;
    case SIM_RUN_LIMIT:
        if (options->until_step != 0 && sim_step_count(world) >= options->until_step)
            outcome->until_reached = true;
        else
            scn_find_endless(machine);
        return false;
    case SIM_RUN_IDLE:
        scn_find_stuck(machine, true, "nothing can run and nothing will happen");
        return false;
    case SIM_RUN_FINDING:
        return false;
    }
    return false;
}

static void enter(struct scn_outcome *outcome, enum scn_phase now, uint64_t start_ns) {
    outcome->phase = now;
    outcome->phase_start_ns = start_ns;
}

static uint64_t disturb_ns_of(const struct scn_machine *machine) {
    return machine->scenario->disturb_ns > 0 ? machine->scenario->disturb_ns : DISTURB_NS;
}

static bool work(struct scn_machine *machine, const struct scn_run_options *options,
                 struct scn_outcome *outcome) {
    uint64_t start_ns = outcome->phase_start_ns;

    if (!options->is_exploring)
        return phase(machine, options, outcome, is_work_done,
                     later(start_ns, machine->scenario->limit_ns), true);
    if (!phase(machine, options, outcome, is_work_done, start_ns + disturb_ns_of(machine), false))
        return false;
    enter(outcome, SCN_PHASE_HEAL, start_ns);
    scn_script_heal(machine);
    return true;
}

static bool heal(struct scn_machine *machine, const struct scn_run_options *options,
                 struct scn_outcome *outcome) {
    return phase(machine, options, outcome, is_work_done,
                 later(outcome->phase_start_ns + disturb_ns_of(machine),
                       latest(HEAL_LIMIT_NS, machine->scenario->limit_ns)),
                 true);
}

static bool unload(struct scn_machine *machine, const struct scn_run_options *options,
                   struct scn_outcome *outcome) {
    return phase(machine, options, outcome, is_unloaded, outcome->phase_start_ns + UNLOAD_LIMIT_NS,
                 true);
}

/* From the phase in which `outcome` is. */
static void run_phases(struct scn_machine *machine, const struct scn_run_options *options,
                       struct scn_outcome *outcome) {
    if (outcome->phase == SCN_PHASE_WORK && !work(machine, options, outcome))
        return;
    if (outcome->phase == SCN_PHASE_HEAL && !heal(machine, options, outcome))
        return;
    if (machine->scenario->unload_at_end) {
        if (outcome->phase != SCN_PHASE_UNLOAD)
            enter(outcome, SCN_PHASE_UNLOAD, sim_now_ns(machine->world));
        if (!unload(machine, options, outcome))
            return;
    }
    outcome->phase = SCN_PHASE_END;
    scn_check_leftovers(machine);
}

static void measure(const struct scn_machine *machine, struct scn_outcome *outcome) {
    struct sim_world *world = machine->world;

    outcome->digest = sim_digest(world);
    outcome->event_count = sim_trace_count(world);
    outcome->time_ns = sim_now_ns(world);
    outcome->step_count = sim_step_count(world);
    outcome->choice_count = sim_choice_count(world);
    outcome->order_hash = sim_order_hash(world);
    outcome->finding_count = sim_finding_count(world);
    outcome->findings_left_out = sim_finding_left_out(world);
    outcome->deviation_count = sim_deviation_count(world);
}

bool scn_run_has_special_pool(const struct scn_run_options *options) {
    return options->special_pool ||
           (options->is_exploring &&
            sim_hash_mix(sim_hash_text("special pool"), options->seed) % SPECIAL_ONE_IN == 0);
}

static uint64_t steps_max_of(const struct scn_machine *machine,
                             const struct scn_run_options *options) {
    uint64_t limit = machine->scenario->limit_steps;

    return options->until_step != 0 ? earliest(options->until_step, limit) : limit;
}

static void reset(struct scn_machine *machine, const struct scn_run_options *options) {
    const struct sim_config config = {
        .seed = options->seed,
        .chooser = options->chooser,
        .steps_max = steps_max_of(machine, options),
        .check_steps = options->check_steps,
        .keep_going = options->keep_going,
        .special_pool = scn_run_has_special_pool(options),
        .is_expected = scn_judge_expects,
        .expected_context = machine,
    };

    sim_world_reset(machine->world, &config);
}

static void begin(const struct scn_machine *machine, struct scn_outcome *outcome) {
    memset(outcome, 0, sizeof(*outcome));
    outcome->first_finding = SIZE_MAX;
    outcome->phase_start_ns = sim_now_ns(machine->world);
}

static void finish(struct scn_machine *machine, const struct scn_run_options *options,
                   struct scn_outcome *outcome) {
    /* An error may have left a call of the kernel half done; nobody goes on there. */
    if (sim_finding_errors(machine->world) == 0)
        sim_check_all(machine->world);
    measure(machine, outcome);
    if (outcome->verdict != SIM_VERDICT_INTERRUPTED)
        scn_judge(machine, options, outcome);
}

void scn_run(struct scn_machine *machine, const struct scn_run_options *options,
             struct scn_outcome *outcome) {
    if (machine->was_interrupted) {
        begin(machine, outcome);
        measure(machine, outcome);
        outcome->verdict = SIM_VERDICT_INTERRUPTED;
        return;
    }
    if (machine->has_failed_prelude) {
        begin(machine, outcome);
        measure(machine, outcome);
        scn_judge(machine, options, outcome);
        return;
    }
    reset(machine, options);
    begin(machine, outcome);
    if (options->on_begin != NULL) {
        options->on_begin(options->context);
    }
    scn_judge_begin(machine);
    for (size_t i = 0; i < machine->early_count; i++)
        sim_find(machine->world, &machine->early[i]);
    scn_script_start(machine);
    run_phases(machine, options, outcome);
    finish(machine, options, outcome);
}

void scn_run_on(struct scn_machine *machine, const struct scn_run_options *options,
                const struct scn_outcome *stopped, struct scn_outcome *outcome) {
    SIM_ASSERT(stopped->until_reached);
    reset(machine, options);
    begin(machine, outcome);
    enter(outcome, stopped->phase, stopped->phase_start_ns);
    machine->expected_seen = stopped->expected_seen;
    machine->counters_seen = 0; /* outside the world: looked at anew */
    run_phases(machine, options, outcome);
    finish(machine, options, outcome);
}
