/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The RNIC as a simulation sees it: made with a configuration, plugged into the fabric by its port,
 * given to a kernel as a bus device. Everything else goes through the registers, doorbells and
 * rings of rnic_hw/rnic.h.
 */
#ifndef RNIC_DEVICE_H
#define RNIC_DEVICE_H

#include <net/port.h>
#include <sim/base.h>
#include <sim/bus.h>
#include <rnic_hw/rnic.h>

struct rnic_device;

/* How long the device takes, in ns. All of them pass in the event queue. */
struct rnic_latency {
    uint64_t boot_ns;     /* CONTROL.ENABLE to STATUS.READY */
    uint64_t command_ns;  /* per command of the ring */
    uint64_t doorbell_ns; /* doorbell to work: the write on the bus and the fetch of the WQE */
    uint64_t
        transmit_ns; /* something to send to the first frame; acknowledgements gather so long */
    uint64_t loopback_ns; /* a frame to the device's own MAC; it never reaches the port */
};

/* Zero in any count, size or latency field means the default; see rnic_config_default. */
struct rnic_config {
    struct sim_object *owner;   /* the node; may be NULL. The device is named owner.label */
    const char *label;          /* unique below its owner; NULL: "nic0" */
    const struct wire_mac *mac; /* NULL: one made by the port */
    uint32_t cap_flags;         /* RNIC_CAP_* */
    uint32_t qp_count_max;      /* table sizes: powers of two */
    uint32_t cq_count_max;
    uint32_t eq_count_max;
    uint32_t srq_count_max;
    uint32_t pd_count_max;
    uint32_t mkey_count_max;
    uint32_t address_count_max;
    uint32_t neighbour_count_max;
    uint32_t sq_entry_count_max; /* ring sizes: powers of two */
    uint32_t rq_entry_count_max;
    uint32_t srq_entry_count_max;
    uint32_t cq_entry_count_max;
    uint32_t eq_entry_count_max;
    uint32_t sge_count_max; /* at most RNIC_SGE_COUNT_LIMIT */
    uint32_t read_sge_count_max;
    uint32_t inline_bytes_max;
    uint32_t mkey_page_count_max;
    uint32_t fast_reg_page_count_max;
    uint32_t translation_count_max; /* page addresses that all rings and keys together hold */
    uint32_t message_bytes_max;     /* at most 2^30 */
    uint32_t reads_out_max;         /* at most 255 */
    uint32_t reads_in_max;
    uint32_t reads_out_total_max; /* over all QPs; 0: none, also by default */
    uint32_t reads_in_total_max;
    uint32_t vector_count;         /* at most RNIC_VECTOR_COUNT_MAX */
    uint32_t window_packets;       /* request packets of one QP on their way; at most 2^22 */
    uint32_t ack_interval_packets; /* within a message every n-th packet asks for an ACK */
    uint32_t burst_bytes;          /* handed to the port ahead of the wire */
    uint8_t path_mtu_max;          /* code 1..5 */
    uint8_t ack_delay;             /* code, for QUERY_CAPS */
    struct rnic_latency latency;
};

#define RNIC_SGE_COUNT_LIMIT 32u

/* Everything filled in; `owner`, `label` and `mac` NULL. */
extern const struct rnic_config rnic_config_default;

/*
 * Registers trace names and fault points. Once per world at set-up, after net_init and before the
 * first device.
 */
void rnic_init(struct sim_world *world);

/*
 * A device that is present and disabled. It owns its port, `name`.port0; the caller plugs it in and
 * gives it addresses (net_port_address_add), which stand in the address table from CONTROL.ENABLE
 * on. Lives as long as the world. `config` is copied; NULL: the default.
 */
struct rnic_device *rnic_device_create(struct sim_world *world, const struct rnic_config *config);

struct sim_bus_device *rnic_device_bus(struct rnic_device *device);
struct net_port *rnic_device_port(struct rnic_device *device);
/* The device of a bus device that is an RNIC, NULL for any other. */
struct rnic_device *rnic_device_of_bus(struct sim_bus_device *bus);

/* One of enum rnic_counter. They run on over resets. */
uint64_t rnic_device_counter(const struct rnic_device *device, uint32_t counter);
/* "frames_sent", ...; NULL for the counters by opcode and beyond. */
const char *rnic_counter_name(uint32_t counter);
/* Those names alone. */
extern const char *const rnic_counter_names[RNIC_COUNTER_SENT_BY_OPCODE];

/* Objects that stand now, for leak checks: QPs, CQs, EQs, SRQs, PDs, MKEYs (privileged ones not).
 */
struct rnic_census {
    uint32_t qps;
    uint32_t cqs;
    uint32_t eqs;
    uint32_t srqs;
    uint32_t pds;
    uint32_t mkeys;
};
struct rnic_census rnic_device_census(const struct rnic_device *device);

/* The QP of a number, as QUERY_QP tells it; false when there is none. For dumps and tests. */
bool rnic_device_qp_info(const struct rnic_device *device, uint32_t qpn, struct rnic_qp_info *info);

/* Texts for reports: "INIT", "RTS"; "remote access"; "key bounds"; "CREATE_QP". Never NULL. */
const char *rnic_qp_state_name(uint32_t state);
const char *rnic_cqe_status_name(uint32_t status);
const char *rnic_syndrome_name(uint32_t syndrome);
const char *rnic_command_name(uint32_t opcode);

#endif
