/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are asked of a driver's device: what an ioctl step sends and what must come back. */
#ifndef SCN_RUN_STEP_DEVICE_H
#define SCN_RUN_STEP_DEVICE_H

#include "run/machine.h"

/* Fills in all but the handle and whom to tell. The output buffer is the world's. */
void scn_ioctl_fill(struct scn_machine *machine, const struct scn_step *step,
                    struct krn_ioctl *ioctl);
/* The device of an ioctl or open step. */
const char *scn_step_device(const struct scn_machine *machine, const struct scn_step *step);
/* True with a text, "place: name: why", when the output is not the expected one. */
bool scn_ioctl_is_wrong(const struct scn_step *step, const struct krn_ioctl *ioctl,
                        const char *name, char *text, size_t size);
/* Ends the step as a call with a handle that is none: it was never opened, or is closed again. */
void scn_step_refuse(struct krn_step *step);

#endif
