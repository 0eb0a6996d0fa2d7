/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's part of a world, and its nodes. */
#include <string.h>

#include <sim/fault.h>

#include "check.h"
#include "driver_state.h"
#include "fault_points.h"
#include "kernel.h"
#include "loader.h"
#include "loop.h"
#include "pins.h"
#include "registry.h"
#include "thread.h"
#include "work.h"

#define NAME_OF(suffix, name) name,
static const char *const trace_names[] = {KRN_TRACE_TYPES(NAME_OF)};
#undef NAME_OF

/* Of which the first value is a status. */
static const uint16_t status_types[] = {KRN_TRACE_DRIVER_LOADED, KRN_TRACE_DRIVER_FAILED,
                                        KRN_TRACE_IRP_COMPLETE, KRN_TRACE_ADAPTER_INITIALIZE,
                                        KRN_TRACE_NDK_OPENED};

void krn_start(struct sim_world *world) {
    struct sim_world_hook hook = {krn_images_save, krn_images_restore, NULL};
    struct krn_world *krn = krn_world_of(world);

    if (krn != NULL) {
        return;
    }
    krn = sim_alloc(world, sizeof(*krn));
    krn->world = world;
    sim_world_slot_set(world, SIM_SLOT_KERNEL, krn);
    sim_trace_register(world, SIM_TRACE_KERNEL, trace_names, SIM_ARRAY_COUNT(trace_names));
    for (size_t i = 0; i < SIM_ARRAY_COUNT(status_types); i++) {
        sim_trace_status_types(world, status_types[i], 1);
    }
    krn_fault_points_register(world);
    krn_checks_register(world);
    krn_loop_watch(world);
    sim_fault_code_hash_set(world, krn_driver_code_hash);
    krn_dma_check_install(krn);
    krn_images_release();
    sim_world_hook_add(world, &hook);
}

static void node_make_cpus(struct krn_node *node, uint32_t count) {
    node->cpus = sim_alloc(node->world, count * sizeof(node->cpus[0]));
    node->cpu_count = count;
    for (uint32_t i = 0; i < count; i++) {
        node->cpus[i].node = node;
        node->cpus[i].index = i;
        node->cpus[i].cpu = sim_cpu_create(node->world, &node->object);
        SIM_ASSERT(sim_cpu_index(node->cpus[i].cpu) == i);
        node->cpus[i].dpc_limit_ns = SIM_TIME_NEVER;
        sim_cpu_context_set(node->cpus[i].cpu, &node->cpus[i]);
    }
}

struct krn_node *krn_node_create(struct sim_world *world, const struct krn_node_config *config) {
    struct krn_world *krn;
    struct krn_node *node;

    krn_start(world);
    krn = krn_world_of(world);
    node = sim_alloc(world, sizeof(*node));
    node->world = world;
    node->krn = krn;
    node->name = sim_text_keep(world, config->name);
    sim_object_init(world, &node->object, NULL, node->name, SIM_NAME_PLAIN);
    node->worker_count = config->worker_count != 0 ? config->worker_count : 4;
    node->pool_max_bytes = config->pool_max_bytes != 0 ? config->pool_max_bytes : UINT64_C(1) << 30;
    node->dpc_limit_ns = config->dpc_limit_ns != 0 ? config->dpc_limit_ns : 7800 * SIM_NS_PER_MS;
    node->boot_ns = config->boot_ns != 0 ? config->boot_ns : 10 * SIM_NS_PER_S;
    node->wsk_ready_ns = config->wsk_ready_ns;
    node->special_pool = config->special_pool;
    if (krn->node_last != NULL) {
        krn->node_last->next = node;
    } else {
        krn->node_first = node;
    }
    krn->node_last = node;
    node_make_cpus(node, config->cpu_count != 0 ? config->cpu_count : 2);
    krn_workers_init(node);
    krn_registry_init(node);
    return node;
}

struct krn_node *krn_node_find(const struct sim_world *world, const char *name) {
    struct krn_world *krn = krn_world_of(world);

    for (struct krn_node *node = krn != NULL ? krn->node_first : NULL; node != NULL;
         node = node->next) {
        if (strcmp(node->name, name) == 0) {
            return node;
        }
    }
    return NULL;
}

struct krn_node *krn_node_at(const struct sim_world *world, size_t index) {
    struct krn_world *krn = krn_world_of(world);
    struct krn_node *node = krn != NULL ? krn->node_first : NULL;

    while (node != NULL && index-- > 0) {
        node = node->next;
    }
    return node;
}

struct krn_node *krn_node_of(const struct sim_cpu *cpu) {
    return krn_cpu_of(cpu)->node;
}

struct sim_object *krn_node_object(struct krn_node *node) {
    return &node->object;
}

struct sim_world *krn_node_world(const struct krn_node *node) {
    return node->world;
}

uint32_t krn_node_cpu_count(const struct krn_node *node) {
    return node->cpu_count;
}

struct sim_cpu *krn_node_cpu(const struct krn_node *node, uint32_t index) {
    return index < node->cpu_count ? node->cpus[index].cpu : NULL;
}
