/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of the fabric (`ndksim list faults` has the sentences).
 *
 *   per frame   link.drop  .duplicate  .reorder  .corrupt  .delay  .truncate   subject: the link
 *               frame.drop ... the same six                                    subject: the port
 *                                                                              that sends
 *   states      link.down link.flap link.rate                                  subject: the link
 *               switch.down switch.partition switch.pause_storm                subject: the switch
 *
 * All take a class filter (sim_fault_plan.class_pattern, net_class_name). Both families of frame
 * faults are passed at every link a frame crosses, so a frame that crosses a switch passes twice.
 *
 * A plan of a state fault that is certain (no nth, no ppm, no free_ppm, no class) acts once, at
 * from_ns or at its trigger, on every matching object, and ends at to_ns. Any other plan of a state
 * fault is passed by the frames that come to the link or switch.
 */
#ifndef NET_FAULT_H
#define NET_FAULT_H

#include <sim/base.h>

/*
 * Sets the timers of all plans of state faults that stand in the registry and have none yet. Call
 * it after the plans were added and before the run.
 */
void net_fault_arm(struct sim_world *world);

/*
 * Ends every fault that acts: links up (unless a step holds them down) and at their own rates,
 * switches up, whole and quiet, held frames let go. The caller switches the plans off.
 */
void net_heal(struct sim_world *world);

#endif
