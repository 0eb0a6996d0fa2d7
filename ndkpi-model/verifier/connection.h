/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What watchers of R-CONN and R-DISC know of a connector's connection; kept by watch_conn.c. Times
 * are 0 for what has not happened.
 */
#ifndef VRF_CONNECTION_H
#define VRF_CONNECTION_H

#include "world.h"

struct vrf_connection {
    struct vrf_shadow *qp;      /* of the last connect or accept */
    struct vrf_shadow *partner; /* the connector at the other end, as far as one can tell */
    uint64_t connected_ns;      /* its connect has succeeded; 0 again when it was answered */
    uint64_t completed_ns;      /* complete-connect was called */
    uint64_t answered_ns;       /* complete-connect or accept was called */
    uint64_t established_ns;
    uint64_t disconnect_ns; /* disconnect was called */
    uint64_t ended_ns;      /* its completion */
    uint64_t event_ns;      /* the first one */
    uint32_t event_count;
    bool has_routine;
    bool is_answered; /* a disconnect succeeded: the peer has heard of it */
};

/* Made when it is asked for first. */
struct vrf_connection *vrf_connection_of(struct vrf_world *verifier, struct vrf_shadow *connector);
/* When the disconnect of a QP's connection completed, or 0; cheap for QPs that were never asked. */
uint64_t vrf_qp_ended_ns(const struct vrf_shadow *qp);

#endif
