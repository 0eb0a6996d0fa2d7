/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capture: pcapng files of what crosses ports. Virtual nanoseconds as stamps (epoch 0 is the start
 * of the world), one interface per tapped port named after it, a comment on each packet that a
 * fault touched, a section comment with what the caller says and the digest.
 *
 * A capture lives in host memory, outside the world, and never influences it. It holds the last
 * packets back for a while, so that a fault further on can still be noted on them. Open it for one
 * run: close it before the world is reset or destroyed.
 */
#ifndef NET_CAPTURE_H
#define NET_CAPTURE_H

#include <sim/base.h>

#include "net/port.h"

struct net_capture;

enum net_tap_point {
    NET_TAP_ORIGIN = 1u << 0,  /* frames that the port's owner made, before faults */
    NET_TAP_SEND = 1u << 1,    /* all that the port sends, forwarded ones too, before faults */
    NET_TAP_RECEIVE = 1u << 2, /* all that arrives at the port, after faults */
};

/*
 * Opens a file. `comment` (scenario, seed; may be "") stands in the section header, followed by the
 * digest, which is filled in at close. NULL when the file cannot be made: errno says why.
 */
struct net_capture *net_capture_open(struct sim_world *world, const char *path,
                                     const char *comment);

/* Taps one port; `points` are bits of enum net_tap_point. A port is added once per capture. */
void net_capture_tap(struct net_capture *capture, struct net_port *port, uint32_t points);

/* The default tap: every port of the world at its origin, so that each frame is seen once. */
void net_capture_tap_all(struct net_capture *capture);

uint64_t net_capture_count(const struct net_capture *capture);

/*
 * Writes what is held back, one statistics block per interface and the digest, closes the file and
 * frees the capture. Returns 0, or the errno of the first thing that went wrong since opening.
 */
int net_capture_close(struct net_capture *capture);

#endif
