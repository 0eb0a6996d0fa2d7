/* SPDX-License-Identifier: Apache-2.0 */
/* Fault points of drivers, for the kernel's files. */
#ifndef KRN_DRIVER_FAULTS_H
#define KRN_DRIVER_FAULTS_H

#include "driver_state.h"

struct sim_fault_point;

/* The layer of every point that a driver declares. */
extern const char krn_fault_layer_driver[];

/*
 * Registers what the image declares; `*bits` gets the set of its points by index, or NULL. False
 * with a sentence in `error`.
 */
bool krn_faults_declare(struct krn_world *krn, const struct krn_image *image, uint64_t **bits,
                        char *error, size_t error_bytes);

/* Looks the declared points up, so that a run finds the answers. */
void krn_faults_look_up(struct krn_driver *driver);

/* The point of that name if the driver's module declares it, or NULL. */
const struct sim_fault_point *krn_fault_declared(struct krn_driver *driver, const char *name);

#endif
