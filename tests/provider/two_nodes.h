/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world of two nodes for the tests of the provider: a device each, one link between them, the
 * provider loaded for both adapters, one consumer driver on each. Node 0 is "server".
 */
#ifndef TESTS_PROVIDER_TWO_NODES_H
#define TESTS_PROVIDER_TWO_NODES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <krn/driver.h>
#include <krn/node.h>
#include <sim/fault.h>
#include <sim/run.h>

#define TWO_NODES 2
#define TWO_NODES_MODULE(name) TEST_DRIVER_DIR "/" name ".so"

struct two_nodes_options {
    bool ipv6;
    uint64_t seed;
    uint32_t random_ppm; /* 0: quiet */
    uint32_t loss_ppm;
    uint32_t chaos_ppm;                 /* duplicates and delays */
    uint32_t cap_flags;                 /* of both devices; 0: all */
    const struct krn_keyword *keywords; /* of both adapters */
    size_t keyword_count;
    const char *consumer; /* module */
    bool provider_only;   /* the consumers misuse the interface on purpose */
    /* Beside "Local", "Peer" and "Seed", which two_nodes_make adds. */
    const struct krn_keyword *values[TWO_NODES];
    size_t value_counts[TWO_NODES];
};

struct two_nodes {
    struct sim_world *world;
    struct sim_chooser *chooser;
    struct krn_node *nodes[TWO_NODES];
    struct krn_driver *providers[TWO_NODES];
    struct krn_driver *consumers[TWO_NODES];
    struct krn_step steps[2 * TWO_NODES];
};

extern struct two_nodes two_nodes;

/* Makes the world and loads both providers. Records go to stderr when PAIR_TRACE is set. */
void two_nodes_make(const struct two_nodes_options *options);
void two_nodes_load_consumer(unsigned side);
void two_nodes_unload_consumer(unsigned side);
/* Unloads the providers; nothing may be left. Returns the digest. */
uint64_t two_nodes_end(void);

/* Runs until it is true; a finding, or an end before that, fails the test. */
void two_nodes_until(bool (*done)(struct sim_world *, void *), void *context);
bool two_nodes_counter_is_set(unsigned side, const char *name);
void two_nodes_until_counter(unsigned side, const char *name);

/* A plan that the caller completes and adds with sim_fault_plan_add. */
struct sim_fault_plan two_nodes_fault_of(const char *name);
void two_nodes_fault(const char *name, uint32_t ppm, uint64_t parameter);

/* PAIR_FIRST, PAIR_RUNS and the like choose other seeds, for campaigns. */
uint64_t two_nodes_number(const char *variable, uint64_t otherwise);

#endif
