/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a call as its consumer gave them, for watchers. Objects stand as their shadows,
 * NULL when nothing is known of them; their own object and what a completion needs stand in the
 * call and its request. Pointers are the consumer's: read them before the provider is called, or
 * not at all.
 */
#ifndef VRF_ARGS_H
#define VRF_ARGS_H

#include <ndkpi.h>

#include <sim/base.h>

struct vrf_shadow;

/* Sends, receives, reads, writes. `token`: the remote one, or the one to invalidate. */
struct vrf_post_args {
    const NDK_SGE *sgl;
    UINT64 remote_address;
    ULONG sge_count;
    ULONG flags;
    UINT32 token;
};

struct vrf_bind_args {
    struct vrf_shadow *mr;
    struct vrf_shadow *mw;
    PVOID address;
    SIZE_T length;
    ULONG flags;
};

struct vrf_fast_register_args {
    struct vrf_shadow *mr;
    const NDK_LOGICAL_ADDRESS *pages;
    PVOID base;
    SIZE_T length;
    ULONG page_count;
    ULONG fbo;
    ULONG flags;
};

struct vrf_invalidate_args {
    struct vrf_shadow *object; /* MR or MW */
    ULONG flags;
};

struct vrf_create_cq_args {
    const GROUP_AFFINITY *affinity;
    ULONG depth;
    bool has_routine;
};

struct vrf_create_srq_args {
    const GROUP_AFFINITY *affinity;
    ULONG depth;
    ULONG sge_max;
    ULONG threshold;
    bool has_routine;
};

/* With an SRQ: `srq` and no receive queue. */
struct vrf_create_qp_args {
    struct vrf_shadow *receive_cq;
    struct vrf_shadow *initiator_cq;
    struct vrf_shadow *srq;
    ULONG receive_depth;
    ULONG initiator_depth;
    ULONG receive_sge_max;
    ULONG initiator_sge_max;
    ULONG inline_bytes;
};

/* Listen, create_shared_endpoint; and where an address is asked for: `size` points to its room. */
struct vrf_address_args {
    const struct sockaddr *address;
    ULONG length;
    const ULONG *size;
};

/* Connects, accepts, reject. `source` is NULL with a shared endpoint. */
struct vrf_connect_args {
    struct vrf_shadow *qp;
    struct vrf_shadow *endpoint;
    const struct sockaddr *source;
    const struct sockaddr *destination;
    const void *data;
    ULONG source_length;
    ULONG destination_length;
    ULONG inbound_reads;
    ULONG outbound_reads;
    ULONG data_length;
    bool has_routine; /* for the disconnect event */
};

struct vrf_connection_data_args {
    ULONG *inbound_reads;
    ULONG *outbound_reads;
    PVOID data;
    ULONG *data_length;
};

/* build_lam, release_lam (the mapping only), register_mr (MDL, length, flags). */
struct vrf_memory_args {
    MDL *mdl;
    NDK_LOGICAL_ADDRESS_MAPPING *mapping;
    ULONG *mapping_size;
    ULONG *fbo;
    SIZE_T length;
    ULONG flags;
};

struct vrf_poll_args {
    void *results; /* NDK_RESULT or NDK_RESULT_EX, as the function says */
    ULONG asked;
};

struct vrf_query_args {
    const GUID *id;
    NDK_VERSION version;
    NDK_EXTENSION_INTERFACE *extension;
    const void *dispatch_before; /* what stood in it before the call */
    NDK_ADAPTER_INFO *info;      /* query_adapter_info */
    ULONG *size;
};

/*
 * Numbers, in the order of the function's parameters: create_mr (fast register), resize_cq (depth),
 * arm_cq (type), control_cq_interrupt_moderation (interval, count), control_connect_events (pause),
 * initialize_fast_register_mr (pages, remote access), modify_srq (depth, threshold). After
 * get_local_token_from_mr and get_remote_token_from_mr: the token.
 */
struct vrf_plain_args {
    ULONG first;
    ULONG second;
};

struct vrf_args {
    void **out; /* creates: where the object goes; get_privileged_token: the token */
    union {
        struct vrf_post_args post;
        struct vrf_bind_args bind;
        struct vrf_fast_register_args fast_register;
        struct vrf_invalidate_args invalidate;
        struct vrf_create_cq_args create_cq;
        struct vrf_create_srq_args create_srq;
        struct vrf_create_qp_args create_qp;
        struct vrf_address_args address;
        struct vrf_connect_args connect;
        struct vrf_connection_data_args connection_data;
        struct vrf_memory_args memory;
        struct vrf_poll_args poll;
        struct vrf_query_args query;
        struct vrf_plain_args plain;
    };
};

#endif
