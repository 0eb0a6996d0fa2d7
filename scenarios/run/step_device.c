/* SPDX-License-Identifier: Apache-2.0 */
/* See step_device.h. */
#include "run/step_device.h"

#include <sim/memory.h>
#include <stdio.h>

#define STATUS_INVALID_HANDLE ((int32_t)0xC0000008)

const char *scn_step_device(const struct scn_machine *machine, const struct scn_step *step) {
    return step->device != NULL ? step->device : krn_driver_device(machine->drivers[step->target]);
}

void scn_ioctl_fill(struct scn_machine *machine, const struct scn_step *step,
                    struct krn_ioctl *ioctl) {
    ioctl->device = scn_step_device(machine, step);
    ioctl->code = step->code;
    ioctl->in = step->in;
    ioctl->in_bytes = step->in_bytes;
    ioctl->out_bytes = step->out_bytes;
    ioctl->out = step->out_bytes > 0 ? sim_alloc(machine->world, step->out_bytes) : NULL;
}

bool scn_ioctl_is_wrong(const struct scn_step *step, const struct krn_ioctl *ioctl,
                        const char *name, char *text, size_t size) {
    const uint8_t *out = ioctl->out;

    if (step->expect_out == NULL)
        return false;
    if (ioctl->step.information != step->expect_out_bytes) {
        snprintf(text, size, "%s: %s: the output (%llu bytes) is not the expected one (%u bytes)",
                 step->place, name, (unsigned long long)ioctl->step.information,
                 step->expect_out_bytes);
        return true;
    }
    for (uint32_t i = 0; i < step->expect_out_bytes; i++) {
        uint8_t mask = step->expect_mask != NULL ? step->expect_mask[i] : 0xFF;

        if ((out[i] & mask) != (step->expect_out[i] & mask)) {
            snprintf(text, size, "%s: %s: byte %u of the output (%u bytes) is 0x%02x, not 0x%02x",
                     step->place, name, i, step->expect_out_bytes, out[i], step->expect_out[i]);
            return true;
        }
    }
    return false;
}

void scn_step_refuse(struct krn_step *step) {
    step->status = STATUS_INVALID_HANDLE;
    step->is_done = true;
    step->done(step);
}
