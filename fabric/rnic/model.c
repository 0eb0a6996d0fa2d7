/* SPDX-License-Identifier: Apache-2.0 */
/* The device as a model: the table by which an adapter gets it, as it gets anybody's. */
#include <rnic/model.h>

#include <string.h>

#include "device.h"

#define TABLE_MAX (1u << 20)
#define RING_MAX (1u << 16)
#define MTU_LEAST 256u
#define MTU_MOST 4096u
#define TIME_MAX_NS (10 * SIM_NS_PER_S)

/* Where a setting goes. */
enum place_kind {
    PLACE_U32,
    PLACE_MTU, /* bytes in the scenario, a code in the device */
    PLACE_FLAG,
    PLACE_U64,
};
struct place {
    enum place_kind kind;
    size_t offset;
    uint32_t bit; /* of a flag: RNIC_CAP_* */
};

/* X(name, place kind, field or bit, setting kind, least, most, about) */
#define COUNT(X, field, kind, most, about) X(field, U32, field, kind, 1, most, about)
#define FLAG(X, name, bit, about) X(name, FLAG, bit, FLAG, 0, 1, about)
#define TIME(X, name, about) X(name, U64, latency.name##_ns, TIME, 1, TIME_MAX_NS, about)
#define SETTINGS(X)                                                                                \
    COUNT(X, qp_count_max, POWER, TABLE_MAX, "Queue pairs.")                                       \
    COUNT(X, cq_count_max, POWER, TABLE_MAX, "Completion queues.")                                 \
    COUNT(X, eq_count_max, POWER, RNIC_VECTOR_COUNT_MAX, "Event queues.")                          \
    COUNT(X, srq_count_max, POWER, TABLE_MAX, "Shared receive queues.")                            \
    COUNT(X, pd_count_max, POWER, TABLE_MAX, "Protection domains.")                                \
    COUNT(X, mkey_count_max, POWER, TABLE_MAX, "Memory keys.")                                     \
    COUNT(X, sq_entry_count_max, POWER, RING_MAX, "Entries of a send queue.")                      \
    COUNT(X, rq_entry_count_max, POWER, RING_MAX, "Entries of a receive queue.")                   \
    COUNT(X, srq_entry_count_max, POWER, RING_MAX, "Entries of a shared receive queue.")           \
    COUNT(X, cq_entry_count_max, POWER, RING_MAX, "Entries of a completion queue.")                \
    COUNT(X, sge_count_max, NUMBER, RNIC_SGE_COUNT_LIMIT, "Pieces of a request.")                  \
    COUNT(X, read_sge_count_max, NUMBER, RNIC_SGE_COUNT_LIMIT, "Pieces of a read.")                \
    COUNT(X, inline_bytes_max, NUMBER, 1024, "Bytes in a request itself.")                         \
    COUNT(X, mkey_page_count_max, NUMBER, TABLE_MAX, "Pages of a memory key.")                     \
    COUNT(X, fast_reg_page_count_max, NUMBER, TABLE_MAX, "Pages of a fast registration.")          \
    COUNT(X, message_bytes_max, NUMBER, 1u << 30, "Bytes of a message.")                           \
    COUNT(X, reads_out_max, NUMBER, 255, "Reads of a queue pair on their way.")                    \
    COUNT(X, reads_in_max, NUMBER, 255, "Reads that a queue pair serves at a time.")               \
    COUNT(X, reads_out_total_max, NUMBER, UINT16_MAX, "Reads on their way, over all queue pairs.") \
    COUNT(X, reads_in_total_max, NUMBER, UINT16_MAX, "Reads served, over all queue pairs.")        \
    COUNT(X, vector_count, NUMBER, RNIC_VECTOR_COUNT_MAX, "Interrupt vectors.")                    \
    COUNT(X, window_packets, NUMBER, 1u << 22, "Request packets of a queue pair on their way.")    \
    COUNT(X, ack_interval_packets, NUMBER, 1u << 22, "Packets of a message per ACK asked for.")    \
    X(path_mtu_max, MTU, path_mtu_max, POWER, MTU_LEAST, MTU_MOST, "Largest path MTU, in bytes.")  \
    FLAG(X, srq, RNIC_CAP_SRQ, "Has shared receive queues.")                                       \
    FLAG(X, cq_resize, RNIC_CAP_CQ_RESIZE, "Can resize completion queues.")                        \
    FLAG(X, cq_moderation, RNIC_CAP_CQ_MODERATION, "Can moderate completion events.")              \
    FLAG(X, windows, RNIC_CAP_MW_TYPE_2, "Has memory windows.")                                    \
    FLAG(X, read_invalidate, RNIC_CAP_READ_INVALIDATE, "A read can invalidate its sink's key.")    \
    FLAG(X, read_sink_required, RNIC_CAP_READ_SINK_REQUIRED, "A read's sink needs its own right.") \
    FLAG(X, in_order_dma, RNIC_CAP_IN_ORDER_DMA, "Data land in the order of their bytes.")         \
    TIME(X, boot, "From being enabled to being ready.")                                            \
    TIME(X, command, "Of one command.")                                                            \
    TIME(X, doorbell, "From a doorbell to the work.")                                              \
    TIME(X, transmit, "From something to send to the first frame.")                                \
    TIME(X, loopback, "Of a frame to the device itself.")

#define AS_SETTING(name, place, where, kind, least, most, about)                                   \
    {#name, about, DEVICE_SETTING_##kind, least, most, 0},
static const struct device_setting settings[] = {SETTINGS(AS_SETTING)};

#define OF_U32(field) offsetof(struct rnic_config, field), 0
#define OF_MTU(field) offsetof(struct rnic_config, field), 0
#define OF_U64(field) offsetof(struct rnic_config, field), 0
#define OF_FLAG(bit) offsetof(struct rnic_config, cap_flags), bit
#define AS_PLACE(name, place, where, kind, least, most, about) {PLACE_##place, OF_##place(where)},
static const struct place places[] = {SETTINGS(AS_PLACE)};

static void put(struct rnic_config *config, const struct place *place, uint64_t number) {
    char *field = (char *)config + place->offset;
    uint32_t small = (uint32_t)number;
    uint8_t code = 1;
    switch (place->kind) {
    case PLACE_U32:
        memcpy(field, &small, sizeof(small));
        break;
    case PLACE_MTU:
        while (MTU_LEAST << (code - 1) < small)
            code++;
        memcpy(field, &code, sizeof(code));
        break;
    case PLACE_FLAG:
        config->cap_flags &= ~place->bit;
        config->cap_flags |= number != 0 ? place->bit : 0;
        break;
    case PLACE_U64:
        memcpy(field, &number, sizeof(number));
        break;
    }
}

static bool create(const struct device_config *told, struct device *device) {
    struct rnic_config config = rnic_config_default;
    struct rnic_device *made;
    config.owner = told->owner;
    config.label = told->label;
    config.mac = told->mac;
    for (size_t i = 0; i < SIM_ARRAY_COUNT(places); i++)
        if (told->settings[i].is_given)
            put(&config, &places[i], told->settings[i].number);
    made = rnic_device_create(told->world, &config);
    device->bus = rnic_device_bus(made);
    device->port = rnic_device_port(made);
    device->state = made;
    return true;
}

static uint64_t counter(const struct device *device, uint32_t index) {
    return rnic_device_counter(device->state, index);
}

static struct sim_fault_point *const faults[RNIC_FAULT_COUNT] = {
    &rnic_faults[0], &rnic_faults[1], &rnic_faults[2], &rnic_faults[3], &rnic_faults[4],
    &rnic_faults[5], &rnic_faults[6], &rnic_faults[7], &rnic_faults[8], &rnic_faults[9]};
_Static_assert(RNIC_FAULT_COUNT == 10, "the table of fault points");

const struct device_model rnic_model = {
    DEVICE_MODEL_HEAD,
    .name = "rnic",
    .version = "1",
    .about = "The built-in RDMA device: RoCEv2, reliable connections and datagrams.",
    .settings = settings,
    .setting_count = SIM_ARRAY_COUNT(settings),
    .event_names = rnic_trace_names,
    .event_count = RNIC_TRACE_END - SIM_TRACE_RNIC,
    .faults = faults,
    .fault_count = RNIC_FAULT_COUNT,
    .counter_names = rnic_counter_names,
    .counter_count = RNIC_COUNTER_SENT_BY_OPCODE,
    .counter = counter,
    .create = create,
};
