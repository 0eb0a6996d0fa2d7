/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KRN_DRIVER_MACHINES_H
#define KRN_DRIVER_MACHINES_H

#include "driver_state.h"

/* Registers the machines of a module (NdksimMachines). False with a sentence in `error`. */
bool krn_machines_declare(struct krn_world *krn, const struct krn_image *image, char *error,
                          size_t error_bytes);

#endif
