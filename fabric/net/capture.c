/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures: which ports are tapped, and packets on their way into a file.
 *
 *   tapped -> [the last PENDING_COUNT packets, open for comments] -> pcapng block -> FILE
 *
 * A fault on a later link finds the packet by its frame's id among those held back, newest first.
 * The file's place for the digest is written as sixteen zeroes at open and filled in at close; a
 * file that cannot go back (a pipe) gets the digest as a comment of the first statistics block.
 *
 * The first error is kept and told at close; after it nothing more is written.
 */
#include "net/capture.h"

#include "internal.h"
#include "pcapng.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PENDING_COUNT 4096u
#define COMMENT_BYTES 192u
#define FILE_BUFFER_BYTES (UINT64_C(1) << 20)
#define NO_INTERFACE UINT32_MAX
#define DIGEST_KEY "digest="
#define DIGEST_DIGITS 16

struct net_tap {
    struct net_tap *next;         /* of the port */
    struct net_tap *next_capture; /* of the capture, in order of adding */
    struct net_capture *capture;
    struct net_port *port;
    uint32_t points;
    uint32_t interface_id; /* NO_INTERFACE: not in the file yet */
    uint64_t count;
};

struct pending {
    uint64_t frame_id;
    uint64_t time_ns;
    uint32_t interface_id;
    uint32_t flags;
    uint32_t length;
    uint32_t capacity;
    uint8_t *bytes;
    char comment[COMMENT_BYTES];
};

struct net_capture {
    struct net_capture *next;
    struct net *net;
    FILE *file;
    int error;
    uint64_t count; /* packets taken */
    uint64_t written;
    struct pending *pending; /* [PENDING_COUNT], a ring: packets written .. count */
    struct net_tap *first_tap;
    struct net_tap **last_tap;
    uint32_t interface_count;
    long digest_offset; /* -1: the file cannot go back */
    struct pcapng_block block;
};

static void capture_fail(struct net_capture *capture, int error) {
    if (capture->error == 0)
        capture->error = error != 0 ? error : EIO;
}

static void block_write(struct net_capture *capture) {
    struct pcapng_block *block = &capture->block;
    pcapng_end(block);
    if (capture->error != 0)
        return;
    if (block->has_failed)
        capture_fail(capture, ENOMEM);
    else if (fwrite(block->bytes, 1, block->used, capture->file) != block->used)
        capture_fail(capture, errno);
}

static void section_write(struct net_capture *capture, const char *comment) {
    size_t bytes = strlen(comment) + sizeof " " DIGEST_KEY + DIGEST_DIGITS;
    char *text = malloc(bytes);
    if (text == NULL) {
        capture_fail(capture, ENOMEM);
        return;
    }
    int key_at =
        snprintf(text, bytes, "%s%s%s", comment, comment[0] != '\0' ? " " : "", DIGEST_KEY);
    memset(text + key_at, '0', DIGEST_DIGITS);
    text[key_at + DIGEST_DIGITS] = '\0';
    bool can_go_back = ftell(capture->file) == 0;
    capture->digest_offset = can_go_back ? (long)PCAPNG_SECTION_FIRST_OPTION_OFFSET + key_at : -1;
    pcapng_section_begin(&capture->block);
    pcapng_option_text(&capture->block, PCAPNG_COMMENT, text);
    pcapng_option_text(&capture->block, PCAPNG_SECTION_APPLICATION, "ndksim");
    block_write(capture);
    free(text);
}

struct net_capture *net_capture_open(struct sim_world *world, const char *path,
                                     const char *comment) {
    struct net *net = net_of(world);
    struct net_capture *capture = calloc(1, sizeof *capture);
    if (capture == NULL)
        return NULL;
    capture->net = net;
    capture->last_tap = &capture->first_tap;
    capture->pending = calloc(PENDING_COUNT, sizeof *capture->pending);
    capture->file = capture->pending != NULL ? fopen(path, "wb") : NULL;
    if (capture->file == NULL) {
        int error = errno;
        free(capture->pending);
        free(capture);
        errno = error;
        return NULL;
    }
    (void)setvbuf(capture->file, NULL, _IOFBF, FILE_BUFFER_BYTES);
    section_write(capture, comment);
    capture->next = net->captures;
    net->captures = capture;
    return capture;
}

static void interface_write(struct net_capture *capture, struct net_tap *tap) {
    struct pcapng_block *block = &capture->block;
    const struct net_port *port = tap->port;
    char name[SIM_NAME_BYTES];
    tap->interface_id = capture->interface_count++;
    pcapng_interface_begin(block);
    pcapng_option_text(block, PCAPNG_INTERFACE_NAME,
                       sim_object_name(&port->object, name, sizeof name));
    pcapng_option_bytes(block, PCAPNG_INTERFACE_MAC, port->mac.bytes, sizeof port->mac.bytes);
    if (port->link != NULL)
        pcapng_option_u64(block, PCAPNG_INTERFACE_SPEED, port->link->config.rate_bps);
    pcapng_option_u8(block, PCAPNG_INTERFACE_RESOLUTION, PCAPNG_RESOLUTION_NS);
    block_write(capture);
}

void net_capture_tap(struct net_capture *capture, struct net_port *port, uint32_t points) {
    struct net_tap *tap = calloc(1, sizeof *tap);
    if (tap == NULL) {
        capture_fail(capture, ENOMEM);
        return;
    }
    tap->capture = capture;
    tap->port = port;
    tap->points = points;
    tap->interface_id = NO_INTERFACE;
    tap->next = port->taps;
    port->taps = tap;
    *capture->last_tap = tap;
    capture->last_tap = &tap->next_capture;
    /* Most switches make no frame of their own: such an interface comes with its first packet. */
    if (port->owner_switch == NULL || points != NET_TAP_ORIGIN)
        interface_write(capture, tap);
}

void net_capture_tap_all(struct net_capture *capture) {
    for (struct net_port *p = capture->net->first_port; p != NULL; p = p->next)
        net_capture_tap(capture, p, NET_TAP_ORIGIN);
}

static void pending_write(struct net_capture *capture) {
    const struct pending *packet = &capture->pending[capture->written++ % PENDING_COUNT];
    struct pcapng_block *block = &capture->block;
    pcapng_packet_begin(block, packet->interface_id, packet->time_ns, packet->bytes, packet->length,
                        packet->length);
    if (packet->comment[0] != '\0')
        pcapng_option_text(block, PCAPNG_COMMENT, packet->comment);
    pcapng_option_u32(block, PCAPNG_PACKET_FLAGS, packet->flags);
    pcapng_option_u64(block, PCAPNG_PACKET_ID, packet->frame_id);
    block_write(capture);
}

static void comment_add(struct pending *packet, const char *text) {
    size_t used = strlen(packet->comment);
    (void)snprintf(packet->comment + used, COMMENT_BYTES - used, "%s%s", used != 0 ? "; " : "",
                   text);
}

/* What happened to the frame before it came to this tap. */
static void comment_earlier(struct pending *packet, uint32_t touched) {
    static const char *const names[] = {"drop",    "duplicate", "reorder",
                                        "corrupt", "delay",     "truncate"};
    for (unsigned i = 0; i < SIM_ARRAY_COUNT(names); i++)
        if ((touched >> i & 1u) != 0)
            comment_add(packet, names[i]);
}

static bool pending_fill(struct pending *packet, const struct net_frame *frame) {
    if (packet->capacity < frame->length) {
        uint8_t *larger = realloc(packet->bytes, frame->capacity);
        if (larger == NULL)
            return false;
        packet->bytes = larger;
        packet->capacity = frame->capacity;
    }
    memcpy(packet->bytes, frame->bytes, frame->length);
    packet->length = frame->length;
    packet->frame_id = frame->id;
    packet->comment[0] = '\0';
    return true;
}

static void tap_take(struct net_tap *tap, const struct net_frame *frame, bool arrives) {
    struct net_capture *capture = tap->capture;
    if (capture->error != 0)
        return;
    if (tap->interface_id == NO_INTERFACE)
        interface_write(capture, tap);
    if (capture->count - capture->written == PENDING_COUNT)
        pending_write(capture);
    struct pending *packet = &capture->pending[capture->count % PENDING_COUNT];
    if (!pending_fill(packet, frame)) {
        capture_fail(capture, ENOMEM);
        return;
    }
    capture->count++;
    tap->count++;
    packet->interface_id = tap->interface_id;
    packet->time_ns = sim_now_ns(capture->net->world);
    packet->flags = arrives ? PCAPNG_FLAG_IN : PCAPNG_FLAG_OUT;
    comment_earlier(packet, frame->touched);
}

void net_tap_frame(const struct net_port *port, const struct net_frame *frame, uint32_t points) {
    for (struct net_tap *tap = port->taps; tap != NULL; tap = tap->next)
        if ((tap->points & points) != 0)
            tap_take(tap, frame, points == NET_TAP_RECEIVE);
}

void net_capture_note_slow(struct net *net, const struct net_frame *frame, const char *what,
                           const char *detail, const struct sim_object *where) {
    char name[SIM_NAME_BYTES];
    char text[COMMENT_BYTES];
    (void)snprintf(text, sizeof text, "%s%s%s at %s", what, detail != NULL ? ": " : "",
                   detail != NULL ? detail : "", sim_object_name(where, name, sizeof name));
    for (struct net_capture *c = net->captures; c != NULL; c = c->next)
        for (uint64_t n = c->count; n != c->written; n--) {
            struct pending *packet = &c->pending[(n - 1) % PENDING_COUNT];
            if (packet->frame_id == frame->id) {
                comment_add(packet, text);
                break;
            }
        }
}

uint64_t net_capture_count(const struct net_capture *capture) {
    return capture->count;
}

static void statistics_write(struct net_capture *capture, const struct net_tap *tap,
                             const char *digest) {
    struct pcapng_block *block = &capture->block;
    pcapng_statistics_begin(block, tap->interface_id, sim_now_ns(capture->net->world));
    if (digest != NULL)
        pcapng_option_text(block, PCAPNG_COMMENT, digest);
    pcapng_option_u64(block, PCAPNG_STATISTICS_RECEIVED, tap->count);
    block_write(capture);
}

static void capture_finish(struct net_capture *capture) {
    char digest[sizeof DIGEST_KEY + DIGEST_DIGITS];
    bool says_digest = capture->digest_offset < 0;
    (void)snprintf(digest, sizeof digest, "%s%016llx", DIGEST_KEY,
                   (unsigned long long)sim_digest(capture->net->world));
    while (capture->written != capture->count)
        pending_write(capture);
    for (const struct net_tap *tap = capture->first_tap; tap != NULL; tap = tap->next_capture)
        if (tap->interface_id != NO_INTERFACE) {
            statistics_write(capture, tap, says_digest ? digest : NULL);
            says_digest = false;
        }
    if (capture->digest_offset >= 0 && capture->error == 0 &&
        (fseek(capture->file, capture->digest_offset, SEEK_SET) != 0 ||
         fputs(digest + strlen(DIGEST_KEY), capture->file) == EOF))
        capture_fail(capture, errno);
    errno = 0;
    if (fclose(capture->file) != 0)
        capture_fail(capture, errno);
}

static void tap_destroy(struct net_tap *tap) {
    struct net_tap **at = &tap->port->taps;
    while (*at != tap)
        at = &(*at)->next;
    *at = tap->next;
    free(tap);
}

int net_capture_close(struct net_capture *capture) {
    struct net_capture **at = &capture->net->captures;
    capture_finish(capture);
    while (*at != capture)
        at = &(*at)->next;
    *at = capture->next;
    for (struct net_tap *tap = capture->first_tap; tap != NULL;) {
        struct net_tap *next = tap->next_capture;
        tap_destroy(tap);
        tap = next;
    }
    for (uint32_t i = 0; i < PENDING_COUNT; i++)
        free(capture->pending[i].bytes);
    free(capture->pending);
    free(capture->block.bytes);
    int error = capture->error;
    free(capture);
    return error;
}
