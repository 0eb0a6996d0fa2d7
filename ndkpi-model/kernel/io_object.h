/* SPDX-License-Identifier: Apache-2.0 */
/* Device objects and what stands behind the "IO object" parameter of calls. */
#ifndef KRN_IO_OBJECT_H
#define KRN_IO_OBJECT_H

#include <ntddk.h>

#include <sim/path.h>

#include "kernel.h"

struct krn_device {
    struct krn_device *next; /* of the node */
    struct sim_object object;
    struct krn_driver *driver;
    const char *name; /* "" without one */
    DEVICE_OBJECT *device_object;
    bool is_deleted;
    struct sim_kept_site made;
};

struct krn_device *krn_device_of(const struct krn_node *node, const void *device_object);
struct krn_device *krn_device_find(const struct krn_node *node, const char *name);

/* The first device of the driver that is not deleted, or NULL. */
const struct krn_device *krn_device_left(const struct krn_driver *driver);

/* The driver of a device object or a driver object; anything else is a bugcheck. */
struct krn_driver *krn_io_object_driver(const struct krn_call *call, const void *io_object);

/* IRPs of a driver's devices that are not complete. */
uint32_t krn_irp_count(const struct krn_driver *driver);

#endif
