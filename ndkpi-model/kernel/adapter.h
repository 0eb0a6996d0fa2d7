/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adapters and miniports, for the kernel's files. An adapter's way through NDIS:
 *
 *   ABSENT -initialize-> INITIALIZING -ok-> PAUSED -restart-> RUNNING -pause-> PAUSED -halt->
 *   HALTING -> ABSENT          '-- failed --> ABSENT
 *
 * Ordinary OID requests are serialised per adapter; direct ones are not.
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

enum krn_adapter_state {
    KRN_ADAPTER_ABSENT,
    KRN_ADAPTER_INITIALIZING,
    KRN_ADAPTER_PAUSED,
    KRN_ADAPTER_RUNNING,
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
    bool ndk_is_disabling;
    struct krn_interrupt *interrupt;
    struct krn_bar_mapping *mapping_first;
    uint32_t shared_blocks;

    uint32_t ndk_open_count; /* opened, and being opened or closed */
    struct krn_gate ndk_closed;
    bool pnp_is_busy;         /* PnP delivers one device event at a time */
    struct krn_gate pnp_free; /* made when something waits the first time */
    bool has_pnp_free;
    struct krn_gate answer; /* of an OID, a pause, a restart */
    NDIS_STATUS answer_status;
    bool oid_is_running; /* an ordinary one */
    struct krn_gate oid_free;
    struct krn_oid_request *oid_first; /* with the miniport now */
    uint32_t in_oid_task;              /* object id of the task inside the OID handler, 0: none */
};

struct krn_adapter *krn_adapter_of_handle(const struct krn_call *call, NDIS_HANDLE handle);

/* In a driver's load or unload thread. */
NTSTATUS krn_adapters_initialize(struct krn_driver *driver);
void krn_adapters_halt(struct krn_driver *driver);
NDIS_STATUS krn_adapter_initialize(struct krn_adapter *adapter, struct krn_miniport *miniport);
void krn_adapter_halt(struct krn_adapter *adapter, NDIS_HALT_ACTION action);

/* An OID request from a thread of the kernel; returns when it is complete. */
NDIS_STATUS krn_adapter_oid_now(struct krn_adapter *adapter, struct krn_oid *oid, uint64_t *bytes);

uint64_t krn_adapter_luid(const struct krn_adapter *adapter);

/* Tells WSK clients, and waits until every NDK adapter on it is closed. */
void krn_ndk_wait_closed(struct krn_adapter *adapter);

#endif
