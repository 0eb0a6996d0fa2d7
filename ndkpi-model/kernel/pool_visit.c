/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over live pool: leaks and reports. */
#include <stdio.h>

#include <krn/bugcheck.h>

#include "bugcheck_guilty.h"
#include "driver_state.h"
#include "pool.h"

#define LEAK_LINES 8u

void krn_pool_visit(struct krn_node *node, struct sim_object *owner,
                    void (*visit)(void *context, const struct krn_pool_block *block),
                    void *context) {
    for (const struct krn_chunk *chunk = node->live_first; chunk != NULL;
         chunk = chunk->as.live.next) {
        struct krn_pool_block block;

        if (owner == NULL || krn_chunk_owner(chunk) == owner) {
            krn_chunk_describe(chunk, &block);
            visit(context, &block);
        }
    }
}

uint64_t krn_pool_live_bytes(const struct krn_node *node) {
    return node->pool_live_bytes;
}

uint64_t krn_pool_live_count(const struct krn_node *node) {
    return node->pool_live_count;
}

struct leaks {
    uint64_t count;
    uint64_t bytes;
    struct krn_pool_block first;
    struct sim_finding *finding;
};

static void leak_seen(void *context, const struct krn_pool_block *block) {
    struct leaks *leaks = context;
    char tag[5];

    if (leaks->count++ == 0) {
        leaks->first = *block;
    }
    leaks->bytes += block->bytes;
    if (leaks->finding != NULL && leaks->count <= LEAK_LINES) {
        krn_tag_text(block->tag, tag);
        sim_finding_detail(leaks->finding, "pool#%u, tag %s, %llu bytes, made at %llu ns",
                           block->serial, tag, (unsigned long long)block->bytes,
                           (unsigned long long)block->made.time_ns);
    }
}

void krn_pool_leak_check(struct krn_driver *driver) {
    struct krn_node *node = krn_driver_node(driver);
    struct leaks leaks = {0};
    struct sim_finding finding;

    krn_pool_visit(node, krn_driver_object(driver), leak_seen, &leaks);
    if (leaks.count == 0) {
        return;
    }
    krn_bugcheck_begin(&finding, 0xC4, 0x62, 0, 0, leaks.count);
    sim_finding_say(&finding, "%s %s and left %llu pool block%s, %llu bytes",
                    krn_driver_name(driver), krn_driver_end_text(driver),
                    (unsigned long long)leaks.count, leaks.count == 1 ? "" : "s",
                    (unsigned long long)leaks.bytes);
    leaks.count = 0;
    leaks.finding = &finding;
    krn_pool_visit(node, krn_driver_object(driver), leak_seen, &leaks);
    krn_bugcheck_blame(&finding, driver);
    if (finding.site_count < SIM_ARRAY_COUNT(finding.sites)) {
        krn_pool_site(node->world, &leaks.first.made, "made", &finding.sites[finding.site_count++]);
    }
    krn_bugcheck_raise(node->world, &finding);
}
