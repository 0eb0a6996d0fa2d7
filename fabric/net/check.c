/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants of the fabric: see sim/check.h. */
#include "internal.h"

#include <sim/check.h>
#include <stdio.h>

/* "wire: what", for a thing of the fabric. */
static bool wrong(char *text, size_t size, const struct sim_object *object, const char *what) {
    char name[SIM_NAME_BYTES];
    (void)snprintf(text, size, "%s: %s", sim_object_name(object, name, sizeof name), what);
    return false;
}

static bool frames_hold(struct sim_world *world, char *text, size_t size) {
    struct net *net = net_of(world);
    uint64_t free_count = 0;
    for (uint8_t pool = 0; pool < NET_POOL_COUNT; pool++)
        for (const struct net_frame *f = net->pool[pool]; f != NULL; f = f->next) {
            if (!f->is_pooled || f->pool != pool || sim_event_is_scheduled(&f->event)) {
                (void)snprintf(text, size, "frame %llu is in use and in the pool",
                               (unsigned long long)f->id);
                return false;
            }
            free_count++;
        }
    if (free_count + net->frame_live_count == net->frame_made_count)
        return true;
    (void)snprintf(text, size, "%llu frames made, %llu live, %llu in the pool",
                   (unsigned long long)net->frame_made_count,
                   (unsigned long long)net->frame_live_count, (unsigned long long)free_count);
    return false;
}

static bool queues_hold(struct sim_world *world, char *text, size_t size) {
    for (const struct net_port *port = net_of(world)->first_port; port != NULL; port = port->next) {
        struct net_frame *const *end = &port->held_first;
        uint64_t bytes = 0;
        for (; *end != NULL; end = &(*end)->next)
            bytes += net_wire_bytes((*end)->length);
        if (bytes != port->held_bytes)
            return wrong(text, size, &port->object, "held frames are not the bytes counted");
        if (port->held_last != end)
            return wrong(text, size, &port->object, "the end of the held frames is another");
        if (port->held_first != NULL && !port->is_paused)
            return wrong(text, size, &port->object, "frames are held without a pause");
        if (port->link != NULL && net_port_backlog_bytes(port) > port->queue_bytes_max &&
            net_port_backlog_bytes(port) > net_wire_bytes(NET_FRAME_BYTES_MAX))
            return wrong(text, size, &port->object, "more is queued than the queue takes");
    }
    return true;
}

static bool links_hold(struct sim_world *world, char *text, size_t size) {
    for (const struct net_link *link = net_of(world)->first_link; link != NULL; link = link->next) {
        for (unsigned side = 0; side < 2; side++) {
            const struct net_port *port = link->ports[side];
            if (port->link != link || port->side != side || port->peer != link->ports[1 - side])
                return wrong(text, size, &link->object, "an end is plugged in elsewhere");
        }
        if (((link->down & NET_DOWN_PORT) != 0) != (link->ports_off != 0) ||
            ((link->down & NET_DOWN_SWITCH) != 0) != (link->switches_off != 0))
            return wrong(text, size, &link->object, "its state has not the reasons it should");
        if (link->rate_bps == 0 || link->rate_bps > NET_RATE_BPS_MAX)
            return wrong(text, size, &link->object, "it has no rate that can be");
    }
    return true;
}

static const struct sim_check checks[] = {
    {"net.frames", "Every frame has one owner or is in the pool.", frames_hold},
    {"net.queues", "What a paused port holds back is what it counts; no queue is over-full.",
     queues_hold},
    {"net.links", "Both ends know the link, and its state follows from its reasons.", links_hold},
};

void net_checks_register(struct sim_world *world) {
    sim_check_register(world, checks, SIM_ARRAY_COUNT(checks));
}
