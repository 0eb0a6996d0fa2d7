/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers: creation from a module, and questions about them. Load and unload: driver_load.c. */
#include <krn/driver.h>

#include <stdio.h>
#include <string.h>

#include "bugcheck_guilty.h"
#include "driver_faults.h"
#include "driver_machines.h"
#include "driver_state.h"
#include "place.h"
#include "race.h"
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

/* NULL with a sentence in `error`. */
static struct krn_image **images_open(struct sim_world *world, const char *module, uint32_t count,
                                      char *error, size_t error_bytes) {
    struct krn_image **images = sim_alloc(world, count * sizeof(*images));

    for (uint32_t i = 0; i < count; i++) {
        images[i] = krn_image_take(world, module, "DriverEntry", error, error_bytes);
        if (images[i] == NULL) {
            return NULL;
        }
    }
    return images;
}

struct krn_driver *krn_driver_create(struct krn_node *node, const struct krn_driver_config *config,
                                     char *error, size_t error_bytes) {
    struct sim_world *world = node->world;
    uint32_t life_count = config->load_count > 0 ? config->load_count : 1;
    struct krn_image **images = images_open(world, config->module, life_count, error, error_bytes);
    struct krn_driver *driver;
    uint64_t *faults;

    if (images == NULL || !krn_faults_declare(node->krn, images[0], &faults, error, error_bytes) ||
        !krn_machines_declare(node->krn, images[0], error, error_bytes)) {
        return NULL;
    }
    if (images[0]->is_instrumented) {
        krn_races_start(node->krn);
    }
    driver = sim_alloc(world, sizeof(*driver));
    driver->faults = faults;
    driver->node = node;
    driver->name = sim_text_keep(world, config->name);
    driver->module = sim_text_keep(world, config->module);
    driver->is_for_adapters = config->is_for_adapters;
    driver->images = images;
    driver->image = images[0];
    driver->life_count = life_count;
    krn_faults_look_up(driver);
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

        krn_registry_set(node, krn_registry_parameters(node, driver->name), value->name, REG_BINARY,
                         value->data, value->bytes);
    }
    return driver;
}

bool krn_driver_revive(struct krn_driver *driver) {
    if (driver->state != KRN_DRIVER_UNLOADED || driver->life + 1 == driver->life_count) {
        return false;
    }
    driver->image = driver->images[++driver->life];
    driver->state = KRN_DRIVER_CREATED;
    driver->object.state = "created";
    driver->object.closed = false;
    driver->miniport = NULL;
    driver->extensions = NULL;
    /* It has not done its work in this life; what it counted stands. */
    for (struct krn_counter *counter = driver->counter_first; counter != NULL;
         counter = counter->next) {
        counter->value = strcmp(counter->name, "done") == 0 ? 0 : counter->value;
    }
    memset(&driver->driver_object, 0, sizeof(driver->driver_object));
    memset(&driver->extension, 0, sizeof(driver->extension));
    driver_object_init(driver);
    return true;
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

/* The image of any life, or NULL. */
static const struct krn_image *image_of(const struct krn_driver *driver, const void *address) {
    for (uint32_t i = 0; i < driver->life_count; i++) {
        if (krn_image_holds(driver->images[i], address)) {
            return driver->images[i];
        }
    }
    return NULL;
}

bool krn_driver_is_gone(const struct krn_driver *driver, const void *address) {
    const struct krn_image *image = image_of(driver, address);

    return driver->state == KRN_DRIVER_UNLOADED || (image != NULL && image != driver->image);
}

/* Images stay where they are as long as the world. */
struct krn_driver *krn_driver_of_code(const struct sim_world *world, const void *code) {
    struct krn_world *krn = krn_world_of(world);
    uintptr_t at = (uintptr_t)code;
    struct krn_code_hit *hit = &krn->code_hits[(at >> 16 ^ at >> 20) % KRN_CODE_HIT_COUNT];

    if (SIM_LIKELY(at - hit->low < hit->bytes)) {
        return hit->driver;
    }
    for (struct krn_driver *driver = krn->driver_first; driver != NULL; driver = driver->next) {
        const struct krn_image *image = image_of(driver, code);

        if (image != NULL) {
            *hit = (struct krn_code_hit){image->low, image->high - image->low, driver};
            return driver;
        }
    }
    return NULL;
}

uint64_t krn_driver_code_hash(const struct sim_world *world, uintptr_t code) {
    const struct krn_driver *driver = krn_driver_of_code(world, (const void *)code);
    const struct krn_image *image = driver != NULL ? image_of(driver, (const void *)code) : NULL;

    return image != NULL ? sim_hash_mix(sim_hash_text(driver->name), code - image->low) : 0;
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

bool krn_driver_is_instrumented(const struct krn_driver *driver) {
    return driver->image->is_instrumented;
}

const char *krn_driver_build_id(const struct krn_driver *driver) {
    return driver->image->build_id;
}

uint64_t krn_driver_offset(const struct krn_driver *driver, const void *address) {
    const struct krn_image *image = image_of(driver, address);

    return (uintptr_t)address - (image != NULL ? image : driver->image)->low;
}

bool krn_driver_is_provider(const struct krn_driver *driver) {
    return driver->miniport != NULL || driver->is_for_adapters;
}

bool krn_driver_offers_ndk(const struct krn_driver *driver) {
    return driver->offers_ndk;
}
