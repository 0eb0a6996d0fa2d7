/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads of a fresh node, in many orders. */
#ifndef TESTS_UNIT_KERNEL_ORDERS_H
#define TESTS_UNIT_KERNEL_ORDERS_H

#include "node.h"

#define ORDERS 12u

struct orders {
    void (*prepare)(void *argument);
    void (*one)(void *argument);
    void (*other)(void *argument);
    void (*judge)(void); /* after both */
};

__attribute__((unused)) static void in_many_orders(void **state, const struct orders *orders) {
    struct sim_chooser_random_options options = {.step_ppm = 300000};
    struct sim_chooser *chooser = sim_chooser_random_create(&options);

    for (uint64_t seed = 1; seed <= ORDERS; seed++) {
        struct sim_config config = {.seed = seed, .chooser = chooser};
        struct krn_node_config node_config = {.name = "host"};

        end_node(state);
        world = sim_world_create(&config);
        node = krn_node_create(world, &node_config);
        in_thread(orders->prepare, NULL);
        krn_node_thread(node, "one", orders->one, NULL);
        in_thread(orders->other, NULL);
        orders->judge();
    }
    end_node(state);
    sim_chooser_destroy(chooser);
    make_node(state);
}

#endif
