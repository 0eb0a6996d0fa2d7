/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small fabric for the tests: a world, and stations that note what arrives and when. Everything
 * that a world points to lies in its PRIVATE region.
 */
#ifndef UNIT_NET_SUPPORT_H
#define UNIT_NET_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <net/capture.h>
#include <net/fault.h>
#include <net/frame.h>
#include <net/link.h>
#include <net/port.h>
#include <net/switch.h>
#include <net/topology.h>
#include <sim/fault.h>
#include <sim/memory.h>
#include <sim/run.h>
#include <sim/trace.h>
#include <wire/cm.h>
#include <wire/roce.h>

#define ARRIVAL_COUNT_MAX 256u
#define GBPS UINT64_C(1000000000)

struct arrival {
    uint64_t time_ns;
    uint64_t id;
    uint32_t length;
    uint16_t touched;
    uint8_t tag; /* last byte as sent by station_send */
};

struct station {
    struct sim_object object;
    struct net_port port;
    struct sim_world *world;
    struct arrival arrivals[ARRIVAL_COUNT_MAX];
    uint32_t count;
    uint32_t up_count;
    uint32_t down_count;
    uint32_t sent_count;
    uint64_t sent_ns;
    uint64_t link_ns; /* of the last on_link */
};

static inline void station_on_frame(void *context, struct net_frame *frame) {
    struct station *station = context;
    assert_true(station->count < ARRIVAL_COUNT_MAX);
    station->arrivals[station->count++] =
        (struct arrival){sim_now_ns(station->world), frame->id, frame->length, frame->touched,
                         frame->bytes[frame->length - 1]};
    net_frame_put(frame);
}

static inline void station_on_link(void *context, bool up) {
    struct station *station = context;
    station->link_ns = sim_now_ns(station->world);
    if (up)
        station->up_count++;
    else
        station->down_count++;
}

static inline void station_on_sent(void *context) {
    struct station *station = context;
    station->sent_count++;
    station->sent_ns = sim_now_ns(station->world);
}

static const struct net_port_ops station_ops = {station_on_frame, station_on_link, station_on_sent};

static inline struct sim_world *world_make_seeded(uint64_t seed) {
    const struct sim_config config = {.seed = seed, .steps_max = UINT64_C(1) << 40};
    struct sim_world *world = sim_world_create(&config);
    net_init(world);
    return world;
}

static inline struct sim_world *world_make(void) {
    return world_make_seeded(1);
}

/* Nothing may be left: no event, no frame. */
static inline void world_end(struct sim_world *world) {
    assert_int_equal(sim_event_count(world), 0);
    assert_int_equal(net_frame_live_count(world), 0);
    sim_world_destroy(world);
}

static inline struct station *station_make_as(struct sim_world *world, const char *name,
                                              enum sim_object_naming naming) {
    struct station *station = sim_alloc(world, sizeof *station);
    sim_object_init(world, &station->object, NULL, name, naming);
    station->world = world;
    net_port_init(world, &station->port, &station->object, NULL, &station_ops, station);
    return station;
}

static inline void moment_deliver(struct sim_world *world, struct sim_event *event) {
    (void)world;
    event->label = NULL;
}

static inline bool moment_is_past(struct sim_world *world, void *context) {
    (void)world;
    return ((struct sim_event *)context)->label == NULL;
}

/* Everything up to `until_ns`, also when nothing happens. */
static inline void run_until(struct sim_world *world, uint64_t until_ns) {
    struct sim_event *moment = sim_alloc(world, sizeof *moment);
    sim_event_init(moment, "moment", NULL, moment_deliver);
    sim_event_schedule_at(world, moment, until_ns);
    sim_run(world, moment_is_past, moment, SIM_TIME_NEVER);
    sim_free(world, moment, sizeof *moment);
}

static inline void run_all(struct sim_world *world) {
    assert_int_equal(sim_run(world, NULL, NULL, SIM_TIME_NEVER), SIM_RUN_IDLE);
}

static inline struct station *station_make(struct sim_world *world, const char *name) {
    return station_make_as(world, name, SIM_NAME_PLAIN);
}

/* A frame of no protocol, `length` bytes long; the last byte is `tag`. */
static inline struct net_frame *frame_plain(struct station *from, const struct station *to,
                                            uint32_t length, uint8_t tag) {
    struct net_frame *frame = net_frame_get(from->world, length);
    memset(frame->bytes, 0, length);
    memcpy(frame->bytes, to->port.mac.bytes, 6);
    memcpy(frame->bytes + 6, from->port.mac.bytes, 6);
    frame->bytes[12] = 0x88;
    frame->bytes[13] = 0xB5; /* local experimental */
    frame->bytes[length - 1] = tag;
    frame->length = length;
    return frame;
}

static inline uint64_t station_send(struct station *from, const struct station *to, uint32_t length,
                                    uint8_t tag) {
    struct net_frame *frame = frame_plain(from, to, length, tag);
    uint64_t id = frame->id;
    net_port_send(&from->port, frame);
    return id;
}

/* A RoCEv2 frame over IPv4 or IPv6. */
static inline struct net_frame *frame_roce(struct station *from, const struct station *to,
                                           bool is_ipv6, uint8_t opcode, const uint8_t *payload,
                                           uint32_t payload_bytes, uint8_t syndrome) {
    struct wire_roce_template templ;
    struct wire_roce_path path = {.dst_mac = to->port.mac,
                                  .src_mac = from->port.mac,
                                  .udp_src_port = 0xC001,
                                  .hop_limit = 64};
    if (is_ipv6) {
        path.src = (struct wire_ip_addr){{0xFD, [15] = 1}};
        path.dst = (struct wire_ip_addr){{0xFD, [15] = 2}};
    } else {
        path.src = wire_ip_addr_from_v4(0x0A000001);
        path.dst = wire_ip_addr_from_v4(0x0A000002);
    }
    bool is_ud = (wire_roce_opcode_flags[opcode] & WIRE_OP_UD) != 0;
    struct wire_roce_headers headers = {.opcode = opcode,
                                        .pkey = WIRE_PKEY_DEFAULT,
                                        .dst_qpn = is_ud ? WIRE_MAD_QPN : 0x12,
                                        .psn = wire_psn_make(0x345),
                                        .reth = {.address = 4096, .rkey = 7, .bytes = 64},
                                        .aeth = {.syndrome = syndrome},
                                        .deth = {.qkey = WIRE_MAD_QKEY, .src_qpn = WIRE_MAD_QPN}};
    wire_roce_template_init(&templ, &path);
    size_t bytes = wire_roce_frame_bytes(&templ, opcode, payload_bytes);
    struct net_frame *frame = net_frame_get(from->world, (uint32_t)bytes);
    frame->length =
        (uint32_t)wire_roce_encode(&templ, &headers, payload, payload_bytes, 0, frame->bytes);
    return frame;
}

static inline struct net_frame *frame_cm(struct station *from, const struct station *to,
                                         enum wire_cm_kind kind) {
    static struct wire_cm_message message;
    uint8_t mad[WIRE_MAD_BYTES];
    memset(&message, 0, sizeof message);
    message.kind = kind;
    message.transaction_id = 1;
    message.local_comm_id = 2;
    wire_cm_encode(&message, mad);
    return frame_roce(from, to, false, WIRE_UD_SEND_ONLY, mad, sizeof mad, 0);
}

static inline struct sim_fault_plan *plan_add(struct sim_world *world, const char *point,
                                              struct sim_fault_plan plan) {
    plan.point = sim_fault_point_find(world, point);
    assert_non_null(plan.point);
    if (plan.to_ns == 0)
        plan.to_ns = SIM_TIME_NEVER;
    return sim_fault_plan_add(world, &plan);
}

#endif
