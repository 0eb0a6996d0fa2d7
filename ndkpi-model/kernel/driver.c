/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers: creation from a module, and questions about them. Load and unload: driver_load.c. */
#include <krn/driver.h>

#include <stdio.h>
#include <string.h>

#include "bugcheck_guilty.h"
#include "driver_faults.h"
#include "driver_state.h"
#include "place.h"
#include "registry.h"
#include "wide.h"

static bool name_is_taken(const struct krn_world *krn, const char *name) {
    for (const struct krn_driver *driver = krn->driver_first; driver != NULL;
         driver = driver->next) {
        if (strcmp(driver->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void driver_object_init(struct krn_driver *driver) {
    struct sim_world *world = driver->node->world;
    DRIVER_OBJECT *object = &driver->driver_object;
    char text[256];

    object->Type = 4;
    object->Size = sizeof(*object);
    object->DriverExtension = &driver->extension;
    object->DriverInit =
        (PDRIVER_INITIALIZE)(uintptr_t)krn_image_symbol(driver->image, "DriverEntry");
    driver->extension.DriverObject = object;
    (void)snprintf(text, sizeof(text), "\\Driver\\%s", driver->name);
    krn_wide_keep(world, text, &object->DriverName);
    krn_wide_keep(world, driver->name, &driver->extension.ServiceKeyName);
    (void)snprintf(text, sizeof(text), KRN_SERVICES_PATH "\\%s", driver->name);
    krn_wide_keep(world, text, &driver->registry_path);
}

static void driver_append(struct krn_world *krn, struct krn_driver *driver) {
    if (krn->driver_last != NULL) {
        krn->driver_last->next = driver;
    } else {
        krn->driver_first = driver;
    }
    krn->driver_last = driver;
}

struct krn_driver *krn_driver_create(struct krn_node *node, const struct krn_driver_config *config,
                                     char *error, size_t error_bytes) {
    struct sim_world *world = node->world;
    struct krn_image *image = krn_image_open(config->module, error, error_bytes);
    struct sim_world_hook hook = {krn_image_save, krn_image_restore, image};
    struct krn_driver *driver;
    uint64_t *faults;

    if (image == NULL || !krn_faults_declare(node->krn, image, &faults, error, error_bytes)) {
        return NULL;
    }
    driver = sim_alloc(world, sizeof(*driver));
    driver->faults = faults;
    driver->node = node;
    driver->name = sim_text_keep(world, config->name);
    driver->module = sim_text_keep(world, config->module);
    driver->image = image;
    /* A name is a root of birth names; a second driver of that name stands below its node. */
    sim_object_init(world, &driver->object,
                    name_is_taken(node->krn, config->name) ? &node->object : NULL, driver->name,
                    SIM_NAME_PLAIN);
    driver->object.state = "created";
    driver_append(node->krn, driver);
    driver_object_init(driver);
    krn_gate_init(node, &driver->work_idle, &driver->object, "idle");
    krn_registry_service(node, driver->name, config->values, config->value_count);
    for (size_t i = 0; i < config->binary_count; i++) {
        const struct krn_binary *value = &config->binaries[i];

        krn_registry_set(node, krn_registry_parameters(node, driver->name), value->name,
                         REG_BINARY, value->data, value->bytes);
    }
    sim_world_hook_add(world, &hook);
    return driver;
}

struct krn_driver *krn_driver_find(const struct krn_node *node, const char *name) {
    struct krn_driver *driver = node->krn->driver_first;

    while (driver != NULL && (driver->node != node || strcmp(driver->name, name) != 0)) {
        driver = driver->next;
    }
    return driver;
}

struct krn_driver *krn_driver_at(const struct krn_node *node, size_t index) {
    struct krn_driver *driver = node->krn->driver_first;

    for (; driver != NULL; driver = driver->next) {
        if (driver->node == node && index-- == 0) {
            return driver;
        }
    }
    return NULL;
}

struct krn_driver *krn_driver_of_code(const struct sim_world *world, const void *code) {
    struct krn_world *krn = krn_world_of(world);
    struct krn_driver *driver = krn->driver_hit;

    if (driver != NULL && krn_image_holds(driver->image, code)) {
        return driver;
    }
    for (driver = krn->driver_first; driver != NULL; driver = driver->next) {
        if (krn_image_holds(driver->image, code)) {
            krn->driver_hit = driver;
            return driver;
        }
    }
    return NULL;
}

struct krn_driver *krn_driver_of_driver_object(const struct krn_world *krn, const void *object) {
    struct krn_driver *driver = krn->driver_first;

    while (driver != NULL && &driver->driver_object != object) {
        driver = driver->next;
    }
    return driver;
}

struct sim_object *krn_driver_object(struct krn_driver *driver) {
    return &driver->object;
}

struct krn_driver *krn_driver_of_object(const struct sim_world *world,
                                        const struct sim_object *object) {
    const struct krn_world *krn = krn_world_of(world);

    for (; object != NULL; object = object->owner) {
        struct krn_driver *driver = krn->driver_first;

        while (driver != NULL && &driver->object != object) {
            driver = driver->next;
        }
        if (driver != NULL) {
            return driver;
        }
    }
    return NULL;
}

struct krn_node *krn_driver_node(const struct krn_driver *driver) {
    return driver->node;
}

enum krn_driver_state krn_driver_state(const struct krn_driver *driver) {
    return driver->state;
}

const char *krn_driver_name(const struct krn_driver *driver) {
    return driver->name;
}

const char *krn_driver_module(const struct krn_driver *driver) {
    return driver->module;
}

const char *krn_driver_build_id(const struct krn_driver *driver) {
    return driver->image->build_id;
}

uint64_t krn_driver_offset(const struct krn_driver *driver, const void *address) {
    return (uintptr_t)address - driver->image->low;
}

bool krn_driver_is_provider(const struct krn_driver *driver) {
    return driver->miniport != NULL;
}
