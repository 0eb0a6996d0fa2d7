/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adapters and miniports, for the kernel's files. An adapter's way through NDIS:
 *
 *   ABSENT -initialize-> INITIALIZING -ok-> PAUSED -restart-> RUNNING -pause-> PAUSED -halt->
 *   HALTING -> ABSENT          '-- failed --> ABSENT
 *   PAUSED -power down (D3)-> LOW_POWER -power up (D0)-> PAUSED;  LOW_POWER -halt-> HALTING
 *
 * NDK adapters are opened in RUNNING only, and only while nothing refuses them. A surprise removal
 * does not wait for what PnP is busy with: the miniport is told at once, and what is under way
 * ends. Ordinary OID requests are serialised per adapter; direct ones are not.
 */
#ifndef KRN_ADAPTER_H
#define KRN_ADAPTER_H

#include <ndis.h>
#include <ndisndk.h>

#include "kernel.h"
#include "wait.h"
#include "work.h"

struct krn_interrupt;
struct krn_oid_request;
struct krn_bar_mapping;

struct krn_keyword_entry {
    struct krn_keyword_entry *next;
    const char *name;
    const char *value;
};

struct krn_neighbour_entry {
    struct krn_neighbour_entry *next;
    struct krn_neighbour neighbour;
};

/* Of a surprise removal; RUNNING, PAUSED and LOW_POWER adapters are told at once. */
enum krn_removal {
    KRN_REMOVAL_NONE,
    KRN_REMOVAL_TELLING, /* the miniport's handler runs: it is not halted meanwhile */
    KRN_REMOVAL_TOLD,
};

enum krn_adapter_state {
    KRN_ADAPTER_ABSENT,
    KRN_ADAPTER_INITIALIZING,
    KRN_ADAPTER_PAUSED,
    KRN_ADAPTER_RUNNING,
    KRN_ADAPTER_LOW_POWER,
    KRN_ADAPTER_HALTING,
    KRN_ADAPTER_STATE_COUNT,
};

struct krn_miniport {
    struct krn_driver *driver;
    NDIS_MINIPORT_DRIVER_CHARACTERISTICS handlers;
    NDIS_HANDLE driver_context;
    NDIS_NDK_PROVIDER_CHARACTERISTICS ndk; /* zero until given */
    bool has_ndk;
    bool in_set_options;
    bool is_registered;
};

struct krn_adapter {
    struct sim_object object;
    struct krn_adapter *next;
    struct krn_node *node;
    const char *name;
    const char *driver_name;
    uint32_t interface_index;
    uint32_t serial; /* of the world, from 1: its place in physical memory */
    struct sim_bus_device *device;
    uint8_t mac[6];
    uint32_t mtu_bytes;
    uint64_t link_speed_bps;
    bool link_is_up;
    struct krn_keyword_entry *keyword_first;
    struct krn_ip *addresses;
    size_t address_count;
    struct krn_neighbour_entry *neighbour_first;
    struct krn_neighbour_entry *neighbour_last;

    struct krn_miniport *miniport; /* while it is not ABSENT */
    enum krn_adapter_state state;
    NDIS_HANDLE context; /* MiniportAdapterContext */
    bool has_registration;
    bool has_general;
    bool has_dma;
    NDIS_NDK_CAPABILITIES ndk_capabilities;
    NDK_ADAPTER_INFO ndk_info;
    bool has_ndk;
    bool ndk_is_enabled;
    bool ndk_is_wanted;      /* by the attributes or the last OID_NDK_SET_STATE */
    bool ndk_keyword_is_off; /* *NetworkDirect was 0 at the last initialisation */
    uint32_t ndk_refusals;   /* reasons to open none now: disable event, halt, low power */
    uint64_t ndk_refused_ns; /* since when there is one */
    struct krn_interrupt *interrupt;
    struct krn_bar_mapping *mapping_first;
    uint32_t shared_blocks;

    uint32_t ndk_open_count; /* opened, and being opened or closed */
    bool ndk_was_opened;
    uint16_t ndk_refused_major; /* of the last open that met BAD_VERSION; 0.0: none */
    uint16_t ndk_refused_minor;
    struct krn_gate ndk_closed;
    enum krn_removal removal;
    struct krn_gate told; /* made when a halt has to wait for it */
    bool has_told;
    bool pnp_is_busy;         /* PnP delivers one device event at a time */
    struct krn_gate pnp_free; /* made when something waits the first time */
    bool has_pnp_free;
    struct krn_gate answer; /* of an OID, a pause, a restart */
    NDIS_STATUS answer_status;
    bool oid_is_running; /* an ordinary one */
    struct krn_gate oid_free;
    struct krn_oid_request *oid_first; /* with the miniport now */
};

struct krn_adapter *krn_adapter_of_handle(const struct krn_call *call, NDIS_HANDLE handle);

/* In a driver's load or unload thread. */
NTSTATUS krn_adapters_initialize(struct krn_driver *driver);
void krn_adapters_halt(struct krn_driver *driver);
NDIS_STATUS krn_adapter_initialize(struct krn_adapter *adapter, struct krn_miniport *miniport);
void krn_adapter_halt(struct krn_adapter *adapter, NDIS_HALT_ACTION action);

NDIS_STATUS krn_adapter_restart(struct krn_adapter *adapter);
void krn_adapter_pause(struct krn_adapter *adapter, ULONG reason);
/* NDIS_STATUS_NOT_RESETTABLE when the miniport has no handler. */
NDIS_STATUS krn_adapter_reset(struct krn_adapter *adapter);
void krn_adapter_state_set(struct krn_adapter *adapter, enum krn_adapter_state state);

/* Around everything that moves an adapter's state: one at a time. */
void krn_adapter_pnp_begin(struct krn_adapter *adapter);
void krn_adapter_pnp_end(struct krn_adapter *adapter);

/* An OID request from a thread of the kernel; returns when it is complete. */
NDIS_STATUS krn_adapter_oid_now(struct krn_adapter *adapter, struct krn_oid *oid, uint64_t *bytes);
/* Ordinary requests wait while somebody has their turn. */
void krn_oid_serialise(struct krn_adapter *adapter);
void krn_oid_serialise_end(struct krn_adapter *adapter);
/* Waits until the miniport has none, direct ones included. */
void krn_oid_wait_none(struct krn_adapter *adapter);
/* The task is inside one of the miniport's OID handlers. */
bool krn_oid_is_in_handler(const struct krn_adapter *adapter, const struct sim_task *task);

uint64_t krn_adapter_luid(const struct krn_adapter *adapter);

/*
 * A reason to have no NDK adapter open: tells WSK's clients and waits until every one is closed.
 * None is opened before the matching end.
 */
void krn_ndk_refuse_begin(struct krn_adapter *adapter);
void krn_ndk_refuse_end(struct krn_adapter *adapter);
/* Its UpperRange has "ndis5", also when no keyword says so. */
bool krn_adapter_is_bound_above(const struct krn_adapter *adapter);
/* At initialisation: what *NetworkDirect says from now on. */
void krn_ndk_keyword_read(struct krn_adapter *adapter);

#endif
