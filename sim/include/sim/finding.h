/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings: what a run found wrong, and with it the verdict. The first one ends the run, unless the
 * world keeps going (rules only). Findings live in host memory and survive the run.
 */
#ifndef SIM_FINDING_H
#define SIM_FINDING_H

#include <sim/base.h>
#include <sim/object.h>

/* The numbers are the exit codes of the program. */
enum sim_verdict {
    SIM_VERDICT_HELD = 0,
    SIM_VERDICT_EXPECTATION = 1,
    SIM_VERDICT_USAGE = 2,
    SIM_VERDICT_RULE = 3,
    SIM_VERDICT_STUCK = 4,
    SIM_VERDICT_DIFFERED = 5,
    SIM_VERDICT_BUGCHECK = 6,
    SIM_VERDICT_GONE = 7,
    SIM_VERDICT_INTERRUPTED = 130,
    SIM_VERDICT_INTERNAL = 134,
};

enum sim_severity {
    SIM_SEVERITY_ERROR,
    SIM_SEVERITY_WARN,
    SIM_SEVERITY_OFF,
};

#define SIM_FINDING_OBJECTS 6
#define SIM_FINDING_FRAMES 12
#define SIM_FINDING_COUNT_MAX 256
/* Of these places, the last ones are for errors that nobody expects. */
#define SIM_FINDING_UNEXPECTED 64

/* A place in the drivers' code: return addresses, made into file:line by the report only. */
struct sim_site {
    const char *what;         /* static: "used", "freed", "made", "called" */
    struct sim_object *actor; /* task, may be NULL */
    uint64_t time_ns;
    uint8_t level;
    uint8_t frame_count;
    uintptr_t frames[SIM_FINDING_FRAMES]; /* never hashed, never compared, never printed raw */
};

struct sim_finding {
    enum sim_verdict verdict;
    enum sim_severity severity;
    char id[32];        /* "R-OWN-04", "0xD5", "deadlock" */
    char name[64];      /* "DRIVER_PAGE_FAULT_IN_FREED_SPECIAL_POOL" or "" */
    char sentence[256]; /* one plain sentence: what happened */
    char rule[256];     /* of a numbered rule: what must hold; else "" */
    char remedy[256];   /* what a correct driver does; may be "" */
    char reason[128];   /* why somebody changed its severity; "" for nobody */
    char guilty[64];    /* "consumer init", "provider ndksim-rnic", "" when nobody */
    char detail[1024];  /* further lines, '\n' separated */
    uint64_t parameters[4];
    uint32_t object_count;
    struct sim_object *objects[SIM_FINDING_OBJECTS];
    uint32_t site_count;
    struct sim_site sites[3];
    uint64_t time_ns;   /* filled by sim_find */
    uint32_t sequence;  /* of the last trace record; filled by sim_find */
    uint64_t signature; /* of id, guilty role, labels, without a site states too; by sim_find */
    bool wall_clock;    /* it depends on the host's clock (the watchdog's) */
    bool expected;      /* as the configuration's is_expected says; filled by sim_find */
};

/* Zeroes the finding and sets the common fields. */
SIM_COLD void sim_finding_init(struct sim_finding *finding, enum sim_verdict verdict,
                               const char *id, const char *name);
SIM_COLD void sim_finding_say(struct sim_finding *finding, const char *format, ...)
    SIM_PRINTF(2, 3);
SIM_COLD void sim_finding_detail(struct sim_finding *finding, const char *format, ...)
    SIM_PRINTF(2, 3);
SIM_COLD void sim_finding_object(struct sim_finding *finding, struct sim_object *object);
/* Adds the current call stack of the current task as a site. */
SIM_COLD void sim_finding_site_here(struct sim_finding *finding, const char *what);
void sim_site_capture(struct sim_site *site, const char *what);
/* Where a blocked context waits; true until it goes on. */
struct sim_blocked;
void sim_site_of_blocked(struct sim_site *site, const char *what,
                         const struct sim_blocked *blocked);
/* A call that `task` is in, by a frame of its stack. */
struct sim_task;
void sim_site_of_frame(struct sim_site *site, const char *what, struct sim_task *task,
                       uintptr_t frame);
/*
 * Return addresses of the current task's stack, from the frame at `frame` (what
 * __builtin_frame_address(0) answered in a function of this task); at most `count_max`.
 */
uint8_t sim_site_walk(uintptr_t frame, uintptr_t *frames, uint8_t count_max);

/*
 * Records the finding. In a task, a finding that ends the run does not return (the task is left
 * behind); in the scheduler it returns and the run ends after the current step.
 */
SIM_COLD void sim_find(struct sim_world *world, const struct sim_finding *finding);

/* Those that are kept, in the order in which they came: the first unexpected error always is. */
size_t sim_finding_count(const struct sim_world *world);
/* How many more there were, of all severities but off. */
uint64_t sim_finding_left_out(const struct sim_world *world);
/* A finding has ended the run: nothing moves any more. */
bool sim_has_ended(const struct sim_world *world);
/* Errors among all of them, kept or not. */
uint64_t sim_finding_errors(const struct sim_world *world);
const struct sim_finding *sim_finding_at(const struct sim_world *world, size_t index);
const char *sim_verdict_name(enum sim_verdict verdict);

#endif
