/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault points that driver modules declare (NdksimFaultPoints of ndksim.h). They are read from the
 * opened image, so that they are known before any code of the driver runs. Modules may declare the
 * same name: it is one point then, and a plan's subject tells the drivers apart. A name of the
 * simulation's own is nobody's to declare.
 */
#include "driver_faults.h"

#include <stdio.h>
#include <string.h>

#include <krn/driver.h>
#include <ndksim.h>
#include <sim/fault.h>
#include <sim/memory.h>

#define TABLE "NdksimFaultPoints"
#define NAME_BYTES_MAX 96u
#define BITS 64u

const char krn_fault_layer_driver[] = "driver";

/* "family.word", of letters, digits, and - _ . */
static bool is_name(const char *name) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t length = strlen(name);
    const char *dot = strchr(name, '.');

    return length < NAME_BYTES_MAX && strspn(name, allowed) == length && dot != NULL &&
           dot != name && dot[1] != '\0';
}

/* How many points the table has; SIZE_MAX with a sentence in `error` when it is no good. */
static size_t table_count(const struct krn_image *image, const NDKSIM_FAULT_POINT *table,
                          char *error, size_t error_bytes) {
    size_t count = 0;

    for (; table[count].Name != NULL; count++) {
        const NDKSIM_FAULT_POINT *point = &table[count];

        if (count == SIM_FAULT_POINT_COUNT_MAX) {
            (void)snprintf(error, error_bytes,
                           "%s: " TABLE " has more than %u points; does {NULL, NULL} end it?",
                           image->path, SIM_FAULT_POINT_COUNT_MAX);
            return SIZE_MAX;
        }
        if (!is_name(point->Name)) {
            (void)snprintf(error, error_bytes,
                           "%s: " TABLE ": \"%.100s\" is no name of a fault point; expected "
                           "one such as \"mydriver.reply_lost\"",
                           image->path, point->Name);
            return SIZE_MAX;
        }
        if (point->About == NULL || point->About[0] == '\0') {
            (void)snprintf(error, error_bytes, "%s: " TABLE ": \"%s\" has no sentence", image->path,
                           point->Name);
            return SIZE_MAX;
        }
        for (size_t i = 0; i < count; i++) {
            if (strcmp(table[i].Name, point->Name) == 0) {
                (void)snprintf(error, error_bytes, "%s: " TABLE " has \"%s\" twice", image->path,
                               point->Name);
                return SIZE_MAX;
            }
        }
    }
    return count;
}

static const NDKSIM_FAULT_POINT *table_of(const struct krn_image *image) {
    return krn_image_symbol(image, TABLE);
}

static struct sim_fault_point *point_make(struct sim_world *world,
                                          const NDKSIM_FAULT_POINT *declared) {
    struct sim_fault_point *point = sim_alloc(world, sizeof(*point));

    point->name = sim_text_keep(world, declared->Name);
    point->layer = krn_fault_layer_driver;
    point->about = sim_text_keep(world, declared->About);
    point->free = true;
    sim_fault_register(world, &point, 1);
    return point;
}

static bool declare(struct krn_world *krn, const struct krn_image *image,
                    const NDKSIM_FAULT_POINT *declared, uint64_t *bits, char *error,
                    size_t error_bytes) {
    const struct sim_fault_point *point = sim_fault_point_find(krn->world, declared->Name);

    if (point != NULL && point->layer != krn_fault_layer_driver) {
        (void)snprintf(error, error_bytes,
                       "%s: " TABLE ": \"%s\" is a fault point of the simulation itself",
                       image->path, declared->Name);
        return false;
    }
    if (point == NULL && sim_fault_point_count(krn->world) == SIM_FAULT_POINT_COUNT_MAX) {
        (void)snprintf(error, error_bytes, "%s: " TABLE ": more than %u fault points in all",
                       image->path, SIM_FAULT_POINT_COUNT_MAX);
        return false;
    }
    if (point == NULL) {
        point = point_make(krn->world, declared);
    }
    bits[point->index / BITS] |= UINT64_C(1) << (point->index % BITS);
    return true;
}

bool krn_faults_declare(struct krn_world *krn, const struct krn_image *image, uint64_t **bits,
                        char *error, size_t error_bytes) {
    const NDKSIM_FAULT_POINT *table = table_of(image);
    size_t count = table != NULL ? table_count(image, table, error, error_bytes) : 0;

    *bits = NULL;
    if (count == 0 || count == SIZE_MAX) {
        return count == 0;
    }
    *bits = sim_alloc(krn->world, (SIM_FAULT_POINT_COUNT_MAX / BITS + 1) * sizeof(**bits));
    for (size_t i = 0; i < count; i++) {
        if (!declare(krn, image, &table[i], *bits, error, error_bytes)) {
            return false;
        }
    }
    return true;
}

const struct sim_fault_point *krn_fault_declared(struct krn_driver *driver, const char *name) {
    const struct sim_fault_point **hit;
    const struct sim_fault_point *point;

    if (driver == NULL || driver->faults == NULL) {
        return NULL;
    }
    hit = &driver->fault_hits[((uintptr_t)name * UINT64_C(0x9E3779B97F4A7C15) >> 32) %
                              KRN_FAULT_HIT_COUNT];
    if (*hit != NULL && strcmp((*hit)->name, name) == 0) {
        return *hit;
    }
    point = sim_fault_point_find(driver->node->world, name);
    if (point == NULL || (driver->faults[point->index / BITS] >> (point->index % BITS) & 1) == 0) {
        return NULL;
    }
    *hit = point;
    return point;
}

void krn_faults_look_up(struct krn_driver *driver) {
    const NDKSIM_FAULT_POINT *table = driver->faults != NULL ? table_of(driver->image) : NULL;

    for (size_t i = 0; table != NULL && table[i].Name != NULL; i++) {
        (void)krn_fault_declared(driver, table[i].Name);
    }
}

bool krn_module_faults(const char *module, krn_fault_visit *visit, void *context, char *error,
                       size_t error_bytes) {
    const struct krn_image *image = krn_image_open(module, "DriverEntry", error, error_bytes);
    const NDKSIM_FAULT_POINT *table = image != NULL ? table_of(image) : NULL;
    size_t count = table != NULL ? table_count(image, table, error, error_bytes) : 0;

    for (size_t i = 0; count != SIZE_MAX && i < count; i++) {
        visit(context, table[i].Name, table[i].About);
    }
    return image != NULL && count != SIZE_MAX;
}
