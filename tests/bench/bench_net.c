/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a frame costs in fabric/net: from net_frame_get to net_frame_put at the receiver, over one
 * link and over a switch, in a stream of 1,126-byte frames paced by the backlog, trace and digest
 * on. Headers are written into each frame, payload is not. Nanoseconds of CPU time, best of five.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <net/capture.h>
#include <net/frame.h>
#include <net/link.h>
#include <net/switch.h>
#include <net/topology.h>
#include <sim/fault.h>
#include <sim/memory.h>
#include <sim/run.h>
#include <wire/roce.h>

#define ROUNDS 5
#define FRAMES 1000000u
#define FRAME_BYTES 1126u
#define BURST_BYTES (64u * 1024u)

struct station {
    struct sim_object object;
    struct net_port port;
    struct sim_world *world;
    uint8_t headers[128];
    uint32_t header_bytes;
    uint32_t left;
    uint32_t arrived;
};

static uint64_t cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void on_frame(void *context, struct net_frame *frame) {
    struct station *station = context;
    station->arrived++;
    net_frame_put(frame);
}

/* Sends up to BURST_BYTES of backlog, and asks to be told when half is left. */
static void on_sent(void *context) {
    struct station *station = context;
    while (station->left != 0 && net_port_backlog_bytes(&station->port) < BURST_BYTES) {
        struct net_frame *frame = net_frame_get(station->world, FRAME_BYTES);
        memcpy(frame->bytes, station->headers, station->header_bytes);
        frame->length = FRAME_BYTES;
        net_port_send(&station->port, frame);
        station->left--;
    }
    if (station->left != 0)
        net_port_sent_when(&station->port, BURST_BYTES / 2);
}

static const struct net_port_ops ops = {.on_frame = on_frame, .on_sent = on_sent};

static struct station *station_make(struct sim_world *world, const char *name) {
    struct station *station = sim_alloc(world, sizeof *station);
    station->world = world;
    sim_object_init(world, &station->object, NULL, name, SIM_NAME_PLAIN);
    net_port_init(world, &station->port, &station->object, NULL, &ops, station);
    return station;
}

static void headers_make(struct station *from, const struct station *to) {
    const struct wire_roce_path path = {.dst_mac = to->port.mac,
                                        .src_mac = from->port.mac,
                                        .src = wire_ip_addr_from_v4(0x0A000001),
                                        .dst = wire_ip_addr_from_v4(0x0A000002),
                                        .udp_src_port = 0xC000,
                                        .hop_limit = 64};
    const struct wire_roce_headers headers = {
        .opcode = WIRE_RC_WRITE_MIDDLE, .pkey = WIRE_PKEY_DEFAULT, .dst_qpn = 17};
    struct wire_roce_template templ;
    wire_roce_template_init(&templ, &path);
    from->header_bytes =
        (uint32_t)wire_roce_encode_headers(&templ, &headers, 1024, 0, from->headers);
}

enum shape { OVER_LINK, OVER_SWITCH, WITH_FAULTS, WITH_CAPTURE };

static void plan_loss(struct sim_world *world) {
    const struct sim_fault_plan plan = {
        .point = sim_fault_point_find(world, "link.drop"), .to_ns = SIM_TIME_NEVER, .ppm = 1000};
    sim_fault_plan_add(world, &plan);
}

static double round_ns(enum shape shape) {
    const struct sim_config config = {.seed = 1, .steps_max = UINT64_C(1) << 40};
    struct sim_world *world = sim_world_create(&config);
    struct net_capture *capture = NULL;
    net_init(world);
    struct station *a = station_make(world, "a");
    struct station *b = station_make(world, "b");
    if (shape == OVER_SWITCH) {
        const struct net_switch_config two = {.port_count = 2, .latency_ns = 300};
        struct net_switch *sw = net_switch_create(world, NULL, "sw", SIM_NAME_PLAIN, &two);
        net_link_create(world, NULL, "left", SIM_NAME_PLAIN, &a->port, net_switch_port(sw, 0),
                        NULL);
        net_link_create(world, NULL, "right", SIM_NAME_PLAIN, net_switch_port(sw, 1), &b->port,
                        NULL);
    } else {
        net_link_create(world, NULL, "cable", SIM_NAME_PLAIN, &a->port, &b->port, NULL);
    }
    if (shape == WITH_FAULTS)
        plan_loss(world);
    if (shape == WITH_CAPTURE) {
        capture = net_capture_open(world, "/dev/null", "bench");
        net_capture_tap_all(capture);
    }
    headers_make(a, b);
    a->left = FRAMES;
    uint64_t begin_ns = cpu_ns();
    on_sent(a);
    sim_run(world, NULL, NULL, SIM_TIME_NEVER);
    uint64_t spent_ns = cpu_ns() - begin_ns;
    if (a->left != 0 || (shape != WITH_FAULTS && b->arrived != FRAMES)) {
        (void)fprintf(stderr, "frames were lost\n");
        exit(1);
    }
    if (capture != NULL)
        (void)net_capture_close(capture);
    sim_world_destroy(world);
    return (double)spent_ns / FRAMES;
}

static void measure(const char *name, enum shape shape) {
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double ns = round_ns(shape);
        if (ns < best)
            best = ns;
    }
    printf("%-44s %7.1f ns per frame %7.2f M/s\n", name, best, 1e3 / best);
}

int main(void) {
    measure("net: port, link, port", OVER_LINK);
    measure("net: port, link, switch, link, port", OVER_SWITCH);
    measure("net: port, link, port, 0.1 % planned loss", WITH_FAULTS);
    measure("net: port, link, port, captured", WITH_CAPTURE);
    return 0;
}
