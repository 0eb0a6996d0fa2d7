/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The devices of a scenario's adapters: the built-in one or a module's, by the same table
 * (device/device.h).
 */
#ifndef SCN_RUN_DEVICES_H
#define SCN_RUN_DEVICES_H

#include <device/device.h>
#include <krn/image.h>

#include "run/machine.h"

#define SCN_BUILT_IN_DEVICE "rnic"

/* Host memory, but for what `device` points to. */
struct scn_device {
    const struct device_model *model;
    struct krn_image *image; /* NULL: built in */
    char *load;              /* what to load to have the same module again; NULL: built in */
    struct device_config config;
    struct device *device;       /* the world's */
    struct device_value *values; /* by setting */
    struct wire_ip_addr *addresses;
    struct device_keyword *keywords;
    uint16_t *events;
    struct wire_mac mac;
    char complaint[256];
};

/*
 * Loads and makes the devices of all adapters, in their order. What is wrong goes to `diagnostics`;
 * then there are not all of them.
 */
void scn_make_devices(struct scn_machine *machine, const struct scn_machine_options *options,
                      struct scn_diagnostics *diagnostics);
/* Before the world ends. */
void scn_destroy_devices(struct scn_machine *machine);

/* NULL beyond the last; a gap in the model's table is an end. */
const char *scn_device_counter_name(const struct scn_device *device, uint32_t index);

/* An address of a scenario, as the fabric has it. */
struct wire_ip_addr scn_wire_address(const struct scn_ip *ip);

/* The build id of a device's module; "built in" for the built-in one, which is the program's. */
const char *scn_device_build_id(const struct scn_device *device);

/*
 * The table that a module shows, looked over; nothing of it runs. `path` is a file's. NULL with a
 * sentence in `error`. `image` as krn_image_open gives it, for `world` when there is one.
 */
const struct device_model *scn_device_model(struct sim_world *world, const char *path,
                                            struct krn_image **image, char *error, size_t size);

#endif
