/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes and their network adapters, as a scenario makes them. A node is one Windows machine: CPUs,
 * worker threads, a registry, drivers, adapters. All texts and arrays of a configuration are
 * copied. No header of krn/ includes a wdk header: NTSTATUS is int32_t here, NDK objects are void
 * pointers.
 */
#ifndef KRN_NODE_H
#define KRN_NODE_H

#include <sim/base.h>
#include <sim/bus.h>
#include <sim/cpu.h>
#include <sim/object.h>

struct krn_node;
struct krn_adapter;
struct krn_driver;

/*
 * Registers the kernel's fault points, trace names and its slot in the world. Idempotent; called by
 * krn_node_create too. A runner calls it first when it plans faults before nodes.
 */
void krn_start(struct sim_world *world);

struct krn_node_config {
    const char *name;        /* the node's birth name */
    uint32_t cpu_count;      /* 0: 2 */
    uint32_t worker_count;   /* work-item threads; 0: 4 */
    uint64_t pool_max_bytes; /* 0: 1 GiB; beyond it allocations fail */
    uint64_t dpc_limit_ns;   /* longest virtual time of one DPC; 0: 7.8 s, as Windows' 500 ticks */
    uint64_t boot_ns;        /* KeQueryInterruptTime at virtual time 0; 0: 10 s */
    uint64_t wsk_ready_ns;   /* virtual time from which WskCaptureProviderNPI succeeds */
    bool special_pool;       /* on in all runs; the world's configuration: in this one */
};

struct krn_node *krn_node_create(struct sim_world *world, const struct krn_node_config *config);
struct krn_node *krn_node_find(const struct sim_world *world, const char *name); /* or NULL */
struct krn_node *krn_node_at(const struct sim_world *world, size_t index);       /* or NULL */
struct krn_node *krn_node_of(const struct sim_cpu *cpu);
struct sim_object *krn_node_object(struct krn_node *node);
struct sim_world *krn_node_world(const struct krn_node *node);
uint32_t krn_node_cpu_count(const struct krn_node *node);
struct sim_cpu *krn_node_cpu(const struct krn_node *node, uint32_t index);

/* From this virtual time on WskCaptureProviderNPI succeeds. Before anybody waits for it. */
void krn_wsk_ready_set(struct krn_node *node, uint64_t time_ns);

/*
 * A step that takes virtual time: load, unload, IOCTL, OID, PnP. Embedded by whoever asks, in
 * memory that lives until `done` has run (PRIVATE region, so that a reset restores it). `done` (may
 * be NULL) runs in a task of the node at PASSIVE, or in the asker when the step ends inside the
 * call.
 */
struct krn_step {
    void (*done)(struct krn_step *step);
    void *context;
    int32_t status;       /* NTSTATUS; STATUS_PENDING (0x103) until done */
    uint64_t information; /* bytes out, for IOCTLs and OIDs */
    bool is_done;
};

/* A kernel thread of the node at PASSIVE: for tests and for scenario steps that must wait. */
void krn_node_thread(struct krn_node *node, const char *label, void (*entry)(void *argument),
                     void *argument);

struct krn_ip {
    uint8_t version; /* 4 or 6 */
    uint8_t prefix_bits;
    uint8_t bytes[16]; /* network order; IPv4 in the first four */
};

/* A neighbour or, for a route's next hop, what stands behind it: the topology knows, nobody asks.
 */
struct krn_neighbour {
    struct krn_ip address;
    uint8_t mac[6];
    bool is_router;
};

/* A standardised keyword or registry value as text: "*NetworkDirect" -> "1". */
struct krn_keyword {
    const char *name;
    const char *value;
};

struct krn_adapter_config {
    const char *name;         /* below the node: "nic0" */
    const char *driver;       /* the miniport's `as` name: it is initialised for this adapter */
    uint32_t interface_index; /* from 1, unique in the node; 0: next free */
    struct sim_bus_device *device;
    uint8_t mac[6];
    uint32_t
        mtu_bytes; /* IP MTU; 0: 4148, a 4096-byte RoCE payload with all headers but Ethernet's */
    uint64_t link_speed_bps; /* 0: 100 Gbps */
    const struct krn_keyword *keywords;
    size_t keyword_count;
    const struct krn_ip *addresses;
    size_t address_count;
    const struct krn_neighbour *neighbours;
    size_t neighbour_count;
};

/*
 * Adds an adapter before its miniport is loaded. The miniport finds keywords through
 * NdisOpenConfigurationEx / NdisReadConfiguration, its MAC through NdisReadNetworkAddress, its
 * addresses through GetUnicastIpAddressTable and neighbours through GetIpNetTable2 (rows carry the
 * interface index; NDIS's MiniportInitParameters give it as IfIndex); changes arrive through
 * NotifyUnicastIpAddressChange and NotifyIpNetChange style calls where wdk declares them.
 */
struct krn_adapter *krn_adapter_add(struct krn_node *node, const struct krn_adapter_config *config);
struct krn_adapter *krn_adapter_find(const struct krn_node *node, const char *name);
struct krn_adapter *krn_adapter_by_index(const struct krn_node *node, uint32_t interface_index);
struct krn_adapter *krn_adapter_at(const struct krn_node *node, size_t position); /* or NULL */
struct sim_object *krn_adapter_object(struct krn_adapter *adapter);
struct krn_node *krn_adapter_node(const struct krn_adapter *adapter);
struct sim_bus_device *krn_adapter_device(const struct krn_adapter *adapter);
uint32_t krn_adapter_interface_index(const struct krn_adapter *adapter);
const char *krn_adapter_keyword(const struct krn_adapter *adapter, const char *name); /* or NULL */
void krn_adapter_keyword_set(struct krn_adapter *adapter, const char *name, const char *value);
void krn_adapter_neighbour_add(struct krn_adapter *adapter, const struct krn_neighbour *neighbour);

/* The link went up or down: passed to the miniport by the device; here for IP-helper state only. */
void krn_adapter_link_set(struct krn_adapter *adapter, bool is_up);

/* It went down with an adapter's shutdown: nothing runs there any more, and nobody is to blame. */
bool krn_node_is_off(const struct krn_node *node);

enum krn_pnp {
    KRN_PNP_HALT,            /* disable: consumers close their NDK adapters, then halt */
    KRN_PNP_INITIALIZE,      /* enable again */
    KRN_PNP_SURPRISE_REMOVE, /* the device is gone, MiniportDevicePnPEventNotify, then halt */
    KRN_PNP_SHUTDOWN,        /* MiniportShutdownEx, then the whole node is off */
    KRN_PNP_POWER_DOWN,      /* NDK adapters closed, pause, OID_PNP_SET_POWER D3, then no power */
    KRN_PNP_POWER_UP,
    KRN_PNP_RESET,   /* MiniportResetEx */
    KRN_PNP_RESTART, /* halt and initialise, as after a change of keywords */
    KRN_PNP_INSERT,  /* the device that was removed is back; initialise */
};
void krn_adapter_pnp(struct krn_adapter *adapter, enum krn_pnp action, struct krn_step *step);

/*
 * Sends an OID request to the miniport from a PASSIVE thread (direct OIDs on the direct path).
 * `buffer` lives until the step is done. step->information: bytes written or read.
 */
struct krn_oid {
    uint32_t oid;
    bool is_set;
    bool is_direct;
    void *buffer;
    uint32_t bytes;
    uint32_t bytes_needed; /* out */
};
void krn_adapter_oid(struct krn_adapter *adapter, struct krn_oid *oid, struct krn_step *step);

#endif
