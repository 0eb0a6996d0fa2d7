/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: opened copies of modules, each from a copied file of its own, so that its globals are its
 * own. Drivers are such modules (krn/driver.h), and device models, which come in by the same door.
 */
#ifndef KRN_IMAGE_H
#define KRN_IMAGE_H

#include <sim/base.h>

struct krn_image;

/*
 * A free image of the module, or a new one, in its pristine state, until the next world begins.
 * `entry` is the name that it must show. NULL with a sentence in `error`.
 */
struct krn_image *krn_image_open(const char *path, const char *entry, char *error,
                                 size_t error_bytes);

/*
 * For reading what is constant in a module: any image of it, also one in use, which is not taken.
 */
const struct krn_image *krn_image_peek(const char *path, const char *entry, char *error,
                                       size_t error_bytes);

/*
 * krn_image_open for this world: its writable data are saved with the world's snapshot and restored
 * with its reset (relocated read-only data, coverage and profile counters left alone).
 */
struct krn_image *krn_image_take(struct sim_world *world, const char *path, const char *entry,
                                 char *error, size_t error_bytes);

void *krn_image_symbol(const struct krn_image *image, const char *name); /* or NULL */
/* A hash of the file's bytes, in hex; lives as long as the process. */
const char *krn_image_build_id(const struct krn_image *image);
bool krn_image_has(const struct krn_image *image, const void *address);

#endif
