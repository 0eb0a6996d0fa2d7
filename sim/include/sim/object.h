/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Birth names. Everything that a scenario, a trigger, a trace record or a report can speak of is a
 * `struct sim_object`, embedded first in its owner's structure: nodes, CPUs, tasks, ports, links,
 * device QPs, NDK objects. Its name is its owner's name, its label and, for the indexed ones, its
 * number among its owner's objects of that label in birth order: `init.qp[0]`, `host.cpu1`.
 *
 * Objects are never freed within a run (they outlive what they name, so that reports can still
 * speak of closed ones); ids are serial from 1. An object's address is never printed or compared.
 */
#ifndef SIM_OBJECT_H
#define SIM_OBJECT_H

#include <sim/base.h>

struct sim_object {
    uint32_t id;              /* serial, from 1, in birth order */
    uint32_t index;           /* number among its owner's objects of this label */
    uint64_t name_hash;       /* of the full name; equal in every build */
    const char *label;        /* static storage or PRIVATE region */
    struct sim_object *owner; /* NULL for a root */
    const char *state;        /* static text, or NULL; for reports and footprints */
    uint32_t step_choices;    /* step choices taken so far with this subject */
    uint8_t naming;           /* enum sim_object_naming */
    bool closed;
};

enum sim_object_naming {
    SIM_NAME_INDEXED,  /* owner.label[index] */
    SIM_NAME_NUMBERED, /* owner.label<index>, as in host.cpu0 */
    SIM_NAME_PLAIN,    /* owner.label, unique below its owner */
    SIM_NAME_USUAL,    /* owner.label, and owner.label[index] from the second on */
};

/* Gives `object` its id and name. `label` must outlive the world's run (sim_text_keep makes it so).
 */
void sim_object_init(struct sim_world *world, struct sim_object *object, struct sim_object *owner,
                     const char *label, enum sim_object_naming naming);

/*
 * As sim_object_init with SIM_NAME_INDEXED but outside the world's counting: id 0, index as given.
 * For observers (the verifier) that must not move any number of the model.
 */
void sim_object_init_unseen(struct sim_object *object, struct sim_object *owner, const char *label,
                            uint32_t index);

/* Writes the full name, cut to `size`; returns `buffer`. NULL object: "-". */
const char *sim_object_name(const struct sim_object *object, char *buffer, size_t size);
#define SIM_NAME_BYTES 96

/* NULL for 0 or an unknown id. */
struct sim_object *sim_object_by_id(const struct sim_world *world, uint32_t id);
uint32_t sim_object_count(const struct sim_world *world);

/* True if the full name matches a pattern with `*` (any run of characters, dots included). */
bool sim_object_matches(const struct sim_object *object, const char *pattern);

/* The same for any text. */
bool sim_text_matches(const char *text, const char *pattern);

/* Copies text into the PRIVATE region. */
const char *sim_text_keep(struct sim_world *world, const char *text);

#endif
