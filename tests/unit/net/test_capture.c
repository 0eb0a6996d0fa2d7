/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capture files as a whole, read back by the small reader below, and by Wireshark's tools where the
 * machine has them.
 */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static struct sim_world *world;
static struct station *a;
static struct station *b;
static struct net_switch *sw;
static char path[64];
static char other_path[64];

static int set_up(void **state) {
    const struct net_switch_config config = {.port_count = 2, .latency_ns = 300};
    (void)state;
    (void)snprintf(path, sizeof path, "/tmp/ndksim-net-%ld-1.pcapng", (long)getpid());
    (void)snprintf(other_path, sizeof other_path, "/tmp/ndksim-net-%ld-2.pcapng", (long)getpid());
    world = world_make();
    a = station_make(world, "a");
    b = station_make(world, "b");
    sw = net_switch_create(world, NULL, "sw", SIM_NAME_PLAIN, &config);
    net_link_create(world, NULL, "left", SIM_NAME_PLAIN, &a->port, net_switch_port(sw, 0), NULL);
    net_link_create(world, NULL, "right", SIM_NAME_PLAIN, net_switch_port(sw, 1), &b->port, NULL);
    run_all(world);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    (void)unlink(path);
    (void)unlink(other_path);
    world_end(world);
    return 0;
}

/* ---- A reader: blocks in order; of packets interface, time, bytes, comment. ---- */

struct packet {
    uint32_t interface_id;
    uint64_t time_ns;
    uint32_t length;
    uint32_t flags;
    const uint8_t *bytes;
    char comment[200];
};

static uint8_t file[1 << 20];
static size_t file_bytes;
static struct packet packets[64];
static uint32_t packet_count;
static char interfaces[8][64];
static uint32_t interface_count;
static char section_comment[200];
static uint64_t received[8];

static uint32_t u32(size_t at) {
    return (uint32_t)file[at] | (uint32_t)file[at + 1] << 8 | (uint32_t)file[at + 2] << 16 |
           (uint32_t)file[at + 3] << 24;
}

static const uint8_t *option(size_t at, size_t end, unsigned code, unsigned *length) {
    while (at + 4 <= end) {
        unsigned this_code = u32(at) & 0xFFFF;
        *length = u32(at) >> 16;
        if (this_code == code)
            return file + at + 4;
        at += 4 + (*length + 3u) / 4 * 4;
    }
    *length = 0;
    return NULL;
}

static void option_text(size_t at, size_t end, unsigned code, char *text) {
    unsigned length;
    const uint8_t *value = option(at, end, code, &length);
    if (value != NULL)
        memcpy(text, value, length);
    text[length] = '\0';
}

static void read_packet(size_t at, size_t end) {
    struct packet *packet = &packets[packet_count++];
    size_t options = at + 28 + (u32(at + 20) + 3u) / 4 * 4;
    unsigned length;
    packet->interface_id = u32(at + 8);
    packet->time_ns = (uint64_t)u32(at + 12) << 32 | u32(at + 16);
    packet->length = u32(at + 20);
    packet->bytes = file + at + 28;
    option_text(options, end, 1, packet->comment);
    const uint8_t *flags = option(options, end, 2, &length);
    packet->flags = flags != NULL ? flags[0] : 0;
}

static void read_file(const char *name) {
    FILE *stream = fopen(name, "rb");
    assert_non_null(stream);
    file_bytes = fread(file, 1, sizeof file, stream);
    assert_int_equal(fclose(stream), 0);
    packet_count = interface_count = 0;
    for (size_t at = 0; at != file_bytes; at += u32(at + 4)) {
        size_t end = at + u32(at + 4) - 4;
        unsigned length;
        assert_true(end + 4 <= file_bytes && u32(end) == u32(at + 4));
        if (u32(at) == 0x0A0D0D0A)
            option_text(at + 24, end, 1, section_comment);
        else if (u32(at) == 1)
            option_text(at + 16, end, 2, interfaces[interface_count++]);
        else if (u32(at) == 6)
            read_packet(at, end);
        else if (u32(at) == 5)
            received[u32(at + 8)] = option(at + 20, end, 4, &length)[0];
    }
}

static struct net_capture *open_default(void) {
    struct net_capture *capture = net_capture_open(world, path, "scenario=test seed=1");
    assert_non_null(capture);
    net_capture_tap_all(capture);
    return capture;
}

/* ---- The tests ---- */

static void each_frame_is_seen_once_at_its_sender(void **state) {
    char expected[64];
    (void)state;
    struct net_capture *capture = open_default();
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    run_until(world, 100000);
    net_port_send(&b->port, frame_cm(b, a, WIRE_CM_REP));
    run_all(world);
    assert_int_equal(net_capture_count(capture), 2);
    assert_int_equal(net_capture_close(capture), 0);
    read_file(path);
    assert_int_equal(interface_count, 2);
    assert_string_equal(interfaces[0], "a.port0");
    assert_string_equal(interfaces[1], "b.port0");
    assert_int_equal(packet_count, 2);
    assert_int_equal(packets[0].time_ns, 0);
    assert_int_equal(packets[1].time_ns, 100000);
    assert_int_equal(packets[1].interface_id, 1);
    assert_int_equal(packets[0].length, 322);
    assert_int_equal(packets[0].flags, 2);
    assert_string_equal(packets[0].comment, "");
    assert_int_equal(received[0], 1);
    (void)snprintf(expected, sizeof expected, "scenario=test seed=1 digest=%016llx",
                   (unsigned long long)sim_digest(world));
    assert_string_equal(section_comment, expected);
}

static void a_fault_is_noted_on_the_packet_as_it_was_sent(void **state) {
    (void)state;
    plan_add(world, "link.corrupt", (struct sim_fault_plan){.subject = "left", .nth = 1});
    plan_add(world, "link.drop", (struct sim_fault_plan){.subject = "right", .nth = 2});
    struct net_capture *capture = open_default();
    for (int i = 0; i < 3; i++)
        net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    run_all(world);
    assert_int_equal(net_capture_close(capture), 0);
    read_file(path);
    assert_string_equal(packets[0].comment, "corrupt at a.port0");
    /* On the second link, long after it was captured. */
    assert_string_equal(packets[1].comment, "drop: fault at sw.port1");
    assert_string_equal(packets[2].comment, "");
    for (int i = 0; i < 3; i++) {
        struct wire_roce_packet packet;
        assert_int_equal(wire_roce_decode(packets[i].bytes, packets[i].length, &packet), WIRE_OK);
        assert_true(wire_roce_check_icrc(packets[i].bytes, &packet));
    }
}

static void a_receiving_tap_sees_what_is_left_after_faults(void **state) {
    (void)state;
    plan_add(world, "link.drop", (struct sim_fault_plan){.subject = "left", .nth = 1});
    plan_add(world, "link.duplicate", (struct sim_fault_plan){.subject = "right", .nth = 1});
    struct net_capture *sent = open_default();
    struct net_capture *arrived = net_capture_open(world, other_path, "");
    net_capture_tap(arrived, &b->port, NET_TAP_RECEIVE);
    net_capture_tap(arrived, net_switch_port(sw, 1), NET_TAP_SEND);
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
    net_port_send(&a->port, frame_cm(a, b, WIRE_CM_RTU));
    run_all(world);
    assert_int_equal(net_capture_count(sent), 2);
    assert_int_equal(net_capture_count(arrived), 3);
    assert_int_equal(net_capture_close(arrived), 0);
    assert_int_equal(net_capture_close(sent), 0);
    read_file(other_path);
    assert_int_equal(packet_count, 3);
    assert_string_equal(interfaces[0], "b.port0");
    assert_string_equal(interfaces[1], "sw.port1");
    assert_int_equal(packets[0].interface_id, 1);
    assert_string_equal(packets[0].comment, "duplicate at sw.port1");
    assert_int_equal(packets[1].flags, 1);
    assert_string_equal(packets[1].comment, "duplicate");
    assert_memory_equal(section_comment, "digest=", 7);
}

static void pause_frames_of_a_switch_are_seen_at_its_ports(void **state) {
    (void)state;
    struct net_capture *capture = open_default();
    net_switch_pause_storm(sw, true);
    run_until(world, 1000);
    net_switch_pause_storm(sw, false);
    run_all(world);
    assert_int_equal(net_capture_close(capture), 0);
    read_file(path);
    assert_int_equal(packet_count, 2);
    assert_int_equal(interface_count, 4);
    assert_string_equal(interfaces[packets[0].interface_id], "sw.port0");
    assert_int_equal(packets[0].bytes[12] << 8 | packets[0].bytes[13], 0x8808);
}

static void many_packets_come_out_in_order(void **state) {
    uint64_t last_ns = 0;
    (void)state;
    struct net_capture *capture = open_default();
    for (uint32_t i = 0; i < 10000; i++) {
        station_send(a, b, 60, 0);
        run_all(world);
        b->count = 0;
    }
    assert_int_equal(net_capture_close(capture), 0);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    static uint8_t bytes[2 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    (void)fclose(stream);
    uint32_t count = 0;
    for (size_t at = 0; at < size; at += (size_t)bytes[at + 4] | (size_t)bytes[at + 5] << 8)
        if (bytes[at] == 6) {
            uint64_t time_ns = 0;
            for (int k = 3; k >= 0; k--)
                time_ns = time_ns << 8 | bytes[at + 16 + (size_t)k];
            assert_true(time_ns >= last_ns);
            last_ns = time_ns;
            count++;
        }
    assert_int_equal(count, 10000);
}

static void a_capture_changes_nothing_in_the_world(void **state) {
    uint64_t digests[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        if (i != 0) {
            world_end(world);
            set_up(state);
        }
        plan_add(world, "link.drop", (struct sim_fault_plan){.ppm = 300000});
        struct net_capture *capture = i == 0 ? open_default() : NULL;
        for (int k = 0; k < 50; k++)
            net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
        run_all(world);
        if (capture != NULL)
            assert_int_equal(net_capture_close(capture), 0);
        digests[i] = sim_digest(world);
    }
    assert_int_equal(digests[0], digests[1]);
}

static void two_runs_give_the_same_file(void **state) {
    static uint8_t first[sizeof file];
    size_t first_bytes = 0;
    (void)state;
    for (int i = 0; i < 2; i++) {
        if (i != 0) {
            world_end(world);
            set_up(state);
        }
        plan_add(world, "link.drop", (struct sim_fault_plan){.ppm = 300000});
        struct net_capture *capture = open_default();
        for (int k = 0; k < 20; k++)
            net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
        run_all(world);
        assert_int_equal(net_capture_close(capture), 0);
        read_file(path);
        if (i == 0) {
            memcpy(first, file, file_bytes);
            first_bytes = file_bytes;
        }
    }
    assert_int_equal(first_bytes, file_bytes);
    assert_memory_equal(first, file, file_bytes);
}

static void a_file_that_cannot_be_made_is_told_at_once(void **state) {
    (void)state;
    assert_null(net_capture_open(world, "/nonexistent/x.pcapng", ""));
    assert_int_equal(errno, ENOENT);
}

static void a_full_disk_is_told_at_close(void **state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    struct net_capture *capture = net_capture_open(world, "/dev/full", "");
    assert_non_null(capture);
    net_capture_tap_all(capture);
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(net_capture_close(capture), ENOSPC);
}

static void a_pipe_gets_its_digest_at_the_end(void **state) {
    static char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "cat > %s", path);
    FILE *pipe = popen(command, "w");
    assert_non_null(pipe);
    (void)snprintf(command, sizeof command, "/dev/fd/%d", fileno(pipe));
    struct net_capture *capture = net_capture_open(world, command, "piped");
    if (capture == NULL) {
        (void)pclose(pipe);
        skip();
    }
    net_capture_tap_all(capture);
    station_send(a, b, 100, 0);
    run_all(world);
    assert_int_equal(net_capture_close(capture), 0);
    assert_int_equal(pclose(pipe), 0);
    read_file(path);
    assert_string_equal(section_comment, "piped digest=0000000000000000");
    assert_int_equal(packet_count, 1);
    (void)snprintf(command, sizeof command, "digest=%016llx",
                   (unsigned long long)sim_digest(world));
    size_t at = 0;
    while (at + strlen(command) < file_bytes && memcmp(file + at, command, strlen(command)) != 0)
        at++;
    assert_true(at + strlen(command) < file_bytes);
}

static int tool(const char *format, const char *one, const char *two) {
    static char command[512];
    (void)snprintf(command, sizeof command, format, one, two);
    return system(command);
}

static void wiresharks_tools_accept_the_file(void **state) {
    (void)state;
    if (system("command -v capinfos >/dev/null && command -v editcap >/dev/null && "
               "command -v tshark >/dev/null") != 0) {
        print_message("SKIPPED LOUDLY: capinfos, editcap or tshark is not on this machine\n");
        skip();
    }
    plan_add(world, "link.drop", (struct sim_fault_plan){.subject = "right", .nth = 2});
    struct net_capture *capture = open_default();
    for (int k = 0; k < 5; k++) {
        net_port_send(&a->port, frame_cm(a, b, WIRE_CM_REQ));
        net_port_send(&b->port, frame_roce(b, a, true, WIRE_RC_ACK, NULL, 0, 0x1F));
    }
    net_switch_pause_storm(sw, true);
    run_until(world, 1000);
    net_switch_pause_storm(sw, false);
    run_all(world);
    assert_int_equal(net_capture_close(capture), 0);
    assert_int_equal(tool("capinfos -c -M %s | grep -q 'Number of packets: *12$'", path, ""), 0);
    assert_int_equal(tool("capinfos %s | grep -q 'scenario=test seed=1 digest='", path, ""), 0);
    assert_int_equal(tool("editcap -F pcapng %s %s", path, other_path), 0);
    assert_int_equal(
        tool("tshark -r %s -Y frame.comment 2>/dev/null | wc -l | grep -qx ' *1'", path, ""), 0);
    assert_int_equal(
        tool("tshark -r %s -Y 'frame.interface_name == \"b.port0\" && infiniband.bth.opcode == 17' "
             "2>/dev/null | wc -l | grep -qx ' *5'",
             path, ""),
        0);
    assert_int_equal(
        tool("tshark -r %s -Y _ws.malformed 2>/dev/null | wc -l | grep -qx ' *0'", path, ""), 0);
    assert_int_equal(tool("tshark -r %s -Y macc 2>/dev/null | wc -l | grep -qx ' *2'", path, ""),
                     0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(each_frame_is_seen_once_at_its_sender),
        TEST(a_fault_is_noted_on_the_packet_as_it_was_sent),
        TEST(a_receiving_tap_sees_what_is_left_after_faults),
        TEST(pause_frames_of_a_switch_are_seen_at_its_ports),
        TEST(many_packets_come_out_in_order),
        TEST(a_capture_changes_nothing_in_the_world),
        TEST(two_runs_give_the_same_file),
        TEST(a_file_that_cannot_be_made_is_told_at_once),
        TEST(a_full_disk_is_told_at_close),
        TEST(a_pipe_gets_its_digest_at_the_end),
        TEST(wiresharks_tools_accept_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
