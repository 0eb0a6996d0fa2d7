/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bugchecks: what Windows would have stopped with. One table of codes; one way to raise one. A
 * bugcheck is a finding of verdict 6 and ends the run.
 */
#ifndef KRN_BUGCHECK_H
#define KRN_BUGCHECK_H

#include <sim/base.h>
#include <sim/finding.h>
#include <sim/host.h>

struct krn_bugcheck_code {
    uint32_t code;
    const char *name;   /* "IRQL_NOT_LESS_OR_EQUAL" */
    const char *about;  /* what happened, for `ndksim list bugchecks` */
    const char *remedy; /* what a correct driver does */
};
const struct krn_bugcheck_code *krn_bugcheck_code_at(size_t index); /* NULL past the end */
const struct krn_bugcheck_code *krn_bugcheck_code_find(uint32_t code);
/* Windows' name of any code, raised by this kernel or not; "" for none. */
const char *krn_bugcheck_name(uint32_t code);
/* What a bugcheck means, in one sentence without its end; "" for another kind of finding. */
const char *krn_bugcheck_meaning(const struct sim_finding *finding);

/*
 * Raises a bugcheck from a task; does not return. Parameters are Windows'; addresses among them are
 * said by name in the sentence, and given as 0 unless they are the same in each process.
 */
SIM_NORETURN void krn_bugcheck(uint32_t code, uint64_t p1, uint64_t p2, uint64_t p3, uint64_t p4,
                               const char *format, ...) SIM_PRINTF(6, 7);

/* The same in steps, for callers that add objects, sites, a remedy: begin, fill, raise. */
void krn_bugcheck_begin(struct sim_finding *finding, uint32_t code, uint64_t p1, uint64_t p2,
                        uint64_t p3, uint64_t p4);
SIM_NORETURN void krn_bugcheck_raise(struct sim_world *world, struct sim_finding *finding);

/* The judge for sim_host_contain. */
void krn_bugcheck_judge(struct sim_world *world, const struct sim_accident *accident,
                        struct sim_finding *finding);
/* For sim_host_contain_code. */
bool krn_is_driver_code(uintptr_t address);
/* For sim_host_watchdog_blame: the driver whose task it is. */
void krn_watchdog_blame(struct sim_world *world, struct sim_task *task,
                        struct sim_finding *finding);
/* For sim_host_contain_rescue: an exception handler of the driver takes the accident. */
struct sim_rescue;
bool krn_exception_rescue(struct sim_world *world, const struct sim_accident *accident,
                          struct sim_rescue *way);

#endif
