/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of frames: five sizes, one last-in-first-out list each. A frame's header is made ready
 * when it is taken; its bytes are left as they were, since nobody reads past `length`.
 */
#include "internal.h"

#include <string.h>

/* RoCEv2 frames of path MTU 1024, 2048 and 4096 fit into the second, third and fourth. */
static const uint32_t pool_capacity[NET_POOL_COUNT] = {448, 1152, 2176, 4224, NET_FRAME_BYTES_MAX};

static struct net_frame *frame_make(struct net *net, uint8_t pool) {
    uint32_t capacity = pool_capacity[pool];
    struct net_frame *frame = sim_alloc(net->world, sizeof *frame + capacity);
    net->frame_made_count++;
    frame->capacity = capacity;
    frame->pool = pool;
    frame->net = net;
    return frame;
}

static struct net_frame *frame_take(struct net *net, uint32_t bytes) {
    uint8_t pool = 0;
    SIM_ASSERT(bytes <= NET_FRAME_BYTES_MAX);
    while (pool_capacity[pool] < bytes)
        pool++;
    struct net_frame *frame = net->pool[pool];
    if (SIM_LIKELY(frame != NULL))
        net->pool[pool] = frame->next;
    else
        frame = frame_make(net, pool);
    frame->next = NULL;
    frame->length = 0;
    frame->id = ++net->frame_serial;
    frame->touched = 0;
    frame->is_pooled = false;
    frame->is_held = false;
    sim_event_init(&frame->event, "frame", NULL, net_frame_deliver);
    net->frame_live_count++;
    return frame;
}

struct net_frame *net_frame_get(struct sim_world *world, uint32_t bytes) {
    return frame_take(net_of(world), bytes);
}

void net_frame_put(struct net_frame *frame) {
    struct net *net = frame->net;
    SIM_ASSERT(!frame->is_pooled && !sim_event_is_scheduled(&frame->event));
    frame->is_pooled = true;
    frame->next = net->pool[frame->pool];
    net->pool[frame->pool] = frame;
    net->frame_live_count--;
}

struct net_frame *net_frame_copy(const struct net_frame *frame) {
    struct net_frame *copy = frame_take(frame->net, frame->length);
    copy->length = frame->length;
    copy->sent_ns = frame->sent_ns;
    copy->touched = frame->touched;
    copy->class_id = frame->class_id;
    copy->opcode = frame->opcode;
    copy->dst_qpn = frame->dst_qpn;
    copy->psn = frame->psn;
    memcpy(copy->bytes, frame->bytes, frame->length);
    return copy;
}

uint64_t net_frame_live_count(const struct sim_world *world) {
    return net_of(world)->frame_live_count;
}
