/* SPDX-License-Identifier: Apache-2.0 */
/* The device as a model (device/device.h): the table by which adapters get it. */
#ifndef RNIC_MODEL_H
#define RNIC_MODEL_H

#include <device/device.h>

/*
 * rnic_init must have been called by the program. `state` of its devices is the struct rnic_device.
 * A module that shows this table is a rebuilt device: its records and faults are the built-in
 * one's.
 */
extern const struct device_model rnic_model;

#endif
