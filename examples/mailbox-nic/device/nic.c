/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device as the bus sees it: registers, doorbells, the event ring and its interrupt; and the
 * table by which the simulator knows the model.
 *
 *   off --CONTROL.ENABLE--> READY --DMA error, fault--> FATAL
 *    ^                        |                           |
 *    +--- CONTROL.RESET, function-level reset, removal ---+
 */
#include "nic.h"

#include <string.h>
#include <wire/bytes.h>

_Static_assert(sizeof(struct mbx_command) == MBX_COMMAND_BYTES, "layout");
_Static_assert(sizeof(struct mbx_event) == MBX_EVENT_BYTES, "layout");
_Static_assert(sizeof(struct mbx_work) == 64 + MBX_INLINE_BYTES_MAX, "layout");
_Static_assert(sizeof(struct mbx_completion) == 48, "layout");

struct sim_fault_point mbx_fault_command = {
    .name = "mailbox.command_fail",
    .layer = "resource",
    .about = "A command that creates something, registers or listens is answered NO_RESOURCES.",
    .free = true};
struct sim_fault_point mbx_fault_fatal = {
    .name = "mailbox.fatal",
    .layer = "device",
    .about = "The firmware stops instead of executing a command; the device says FATAL."};

/* ---- DMA, events, interrupt ---- */

void mbx_fatal(struct mbx_nic *nic) {
    if ((nic->status & MBX_STATUS_READY) == 0)
        return;
    nic->status = (nic->status & ~MBX_STATUS_READY) | MBX_STATUS_FATAL;
    net_port_enable(&nic->port, false);
    mbx_drop_all(nic);
    sim_bus_interrupt(&nic->bus, 0);
}

/*
 * A page that is not there is the driver's fault, and nothing that this device could survive. The
 * objects are in use up the stack, so that the end waits for the next event.
 */
static bool dma_checked(struct mbx_nic *nic, bool is_good) {
    if (!is_good && (nic->status & MBX_STATUS_READY) != 0) {
        nic->is_broken = true;
        if (!sim_event_is_scheduled(&nic->engine))
            sim_event_schedule(nic->world, &nic->engine, 0);
    }
    return is_good;
}

bool mbx_dma_read(struct mbx_nic *nic, uint64_t address, void *to, uint64_t bytes) {
    return dma_checked(nic, sim_dma_read(&nic->bus, address, to, bytes));
}

bool mbx_dma_write(struct mbx_nic *nic, uint64_t address, const void *from, uint64_t bytes) {
    return dma_checked(nic, sim_dma_write(&nic->bus, address, from, bytes));
}

/* Those that found no room wait in order. */
static void events_flush(struct mbx_nic *nic) {
    struct mbx_waiting_event *waiting;

    while (nic->event_tail - nic->event_head < MBX_EVENT_COUNT &&
           (waiting = nic->waiting_first) != NULL) {
        uint64_t at = nic->event_base +
                      (nic->event_tail & (MBX_EVENT_COUNT - 1)) * (uint64_t)sizeof(waiting->event);

        waiting->event.sequence = ++nic->event_tail;
        mbx_dma_write(nic, at, &waiting->event, sizeof(waiting->event));
        nic->waiting_first = waiting->next;
        if (nic->waiting_first == NULL)
            nic->waiting_last = &nic->waiting_first;
        sim_free(nic->world, waiting, sizeof(*waiting));
    }
    if (nic->is_interrupt_armed && nic->event_tail != nic->event_head) {
        nic->is_interrupt_armed = false;
        sim_bus_interrupt(&nic->bus, 0);
    }
}

void mbx_event_push(struct mbx_nic *nic, const struct mbx_event *event) {
    struct mbx_waiting_event *waiting = sim_alloc(nic->world, sizeof(*waiting));

    waiting->event = *event;
    *nic->waiting_last = waiting;
    nic->waiting_last = &waiting->next;
    events_flush(nic);
}

void mbx_event_simple(struct mbx_nic *nic, enum mbx_event_type type, uint32_t object,
                      enum mbx_status status) {
    const struct mbx_event event = {.type = type, .object = object, .status = status};

    mbx_event_push(nic, &event);
}

/* ---- The port ---- */

void mbx_frame_send(struct mbx_nic *nic, struct net_frame *frame, const struct wire_mac *to) {
    memcpy(frame->bytes, to->bytes, sizeof(to->bytes));
    memcpy(frame->bytes + 6, nic->port.mac.bytes, sizeof(nic->port.mac.bytes));
    wire_put_u16(frame->bytes + 12, MBX_ETHERTYPE);
    if (memcmp(to->bytes, nic->port.mac.bytes, sizeof(to->bytes)) != 0) {
        net_port_send(&nic->port, frame);
        return;
    }
    frame->next = NULL;
    *nic->loop_last = frame;
    nic->loop_last = &frame->next;
    if (!sim_event_is_scheduled(&nic->loop))
        sim_event_schedule(nic->world, &nic->loop, 500);
}

static void on_link(void *context, bool up) {
    struct mbx_nic *nic = context;

    if ((nic->status & MBX_STATUS_READY) != 0)
        mbx_event_simple(nic, MBX_EVENT_LINK, up, MBX_OK);
}

static void on_sent(void *context) {
    struct mbx_nic *nic = context;

    nic->is_paced = false;
    mbx_pump_all(nic);
}

static const struct net_port_ops port_ops = {
    .on_frame = mbx_on_frame, .on_link = on_link, .on_sent = on_sent};

/* What doorbells asked for. */
static void engine_run(struct sim_world *world, struct sim_event *event) {
    struct mbx_nic *nic = SIM_CONTAINER_OF(event, struct mbx_nic, engine);
    struct mbx_qp *qp;

    (void)world;
    while ((qp = nic->rung_first) != NULL && !nic->is_broken) {
        nic->rung_first = qp->rung_next;
        if (nic->rung_first == NULL)
            nic->rung_last = &nic->rung_first;
        qp->is_rung = false;
        if (qp->is_failed || qp->is_silent)
            mbx_qp_flush(nic, qp, MBX_FLUSHED);
        else if (qp->connection != NULL)
            mbx_pump(nic, qp->connection);
    }
    if (nic->is_broken)
        mbx_fatal(nic);
}

/* ---- Enable and reset ---- */

static void lists_init(struct mbx_nic *nic) {
    nic->waiting_first = NULL;
    nic->waiting_last = &nic->waiting_first;
    nic->rung_first = NULL;
    nic->rung_last = &nic->rung_first;
    nic->loop_first = NULL;
    nic->loop_last = &nic->loop_first;
}

/* Numbers on the wire begin anew somewhere else, so that late packets find nobody. */
static void enable(struct mbx_nic *nic) {
    const struct net_port_statistics *counts = &nic->port.statistics;

    if ((nic->status & (MBX_STATUS_READY | MBX_STATUS_FATAL)) != 0)
        return;
    nic->wires.generation = (uint32_t)(sim_now_ns(nic->world) >> 10) & 0x3FFFFu;
    nic->status = MBX_STATUS_READY;
    nic->is_interrupt_armed = true;
    nic->frames_out_base = counts->frames_out;
    nic->bytes_out_base = counts->bytes_out;
    nic->frames_in_base = counts->frames_in;
    nic->bytes_in_base = counts->bytes_in;
    net_port_enable(&nic->port, true);
}

static void reset(struct mbx_nic *nic) {
    struct mbx_waiting_event *waiting;
    struct net_frame *frame;

    net_port_enable(&nic->port, false);
    mbx_drop_all(nic);
    while ((waiting = nic->waiting_first) != NULL) {
        nic->waiting_first = waiting->next;
        sim_free(nic->world, waiting, sizeof(*waiting));
    }
    while ((frame = nic->loop_first) != NULL) {
        nic->loop_first = frame->next;
        net_frame_put(frame);
    }
    sim_event_cancel(nic->world, &nic->firmware);
    sim_event_cancel(nic->world, &nic->engine);
    sim_event_cancel(nic->world, &nic->loop);
    lists_init(nic);
    nic->status = 0;
    nic->is_broken = nic->is_paced = nic->is_interrupt_armed = false;
    nic->command_base = nic->event_base = 0;
    nic->command_tail = nic->command_head = nic->event_tail = nic->event_head = 0;
}

/* ---- BARs ---- */

static uint64_t mac_read(const struct mbx_nic *nic) {
    uint64_t value = 0;

    for (size_t i = sizeof(nic->port.mac.bytes); i-- > 0;)
        value = value << 8 | nic->port.mac.bytes[i];
    return value;
}

static uint64_t register_read(const struct mbx_nic *nic, uint64_t offset) {
    const struct net_port_statistics *counts = &nic->port.statistics;

    switch (offset) {
    case MBX_REG_MAGIC:
        return MBX_MAGIC;
    case MBX_REG_STATUS:
        return nic->status | (net_port_is_up(&nic->port) ? MBX_STATUS_LINK : 0);
    case MBX_REG_LINK_MBPS:
        return net_port_rate_bps(&nic->port) / 1000000;
    case MBX_REG_MTU_BYTES:
        return net_port_mtu_bytes(&nic->port);
    case MBX_REG_MAC:
        return mac_read(nic);
    case MBX_REG_FRAMES_OUT:
        return counts->frames_out - nic->frames_out_base;
    case MBX_REG_BYTES_OUT:
        return counts->bytes_out - nic->bytes_out_base;
    case MBX_REG_FRAMES_IN:
        return counts->frames_in - nic->frames_in_base;
    case MBX_REG_BYTES_IN:
        return counts->bytes_in - nic->bytes_in_base;
    default:
        return 0;
    }
}

static uint64_t bar_read(struct sim_bus_device *device, uint32_t bar, uint64_t offset,
                         uint32_t bytes) {
    (void)bytes;
    return bar == MBX_BAR_REGISTERS ? register_read(device->state, offset) : 0;
}

static void register_write(struct mbx_nic *nic, uint64_t offset, uint64_t value) {
    switch (offset) {
    case MBX_REG_CONTROL:
        if ((value & MBX_CONTROL_RESET) != 0)
            reset(nic);
        if ((value & MBX_CONTROL_ENABLE) != 0)
            enable(nic);
        break;
    case MBX_REG_COMMAND_BASE:
        nic->command_base = value;
        break;
    case MBX_REG_EVENT_BASE:
        nic->event_base = value;
        break;
    case MBX_REG_COMMAND_TAIL:
        nic->command_tail = (uint32_t)value;
        if ((nic->status & MBX_STATUS_READY) != 0 && !sim_event_is_scheduled(&nic->firmware))
            sim_event_schedule(nic->world, &nic->firmware, MBX_COMMAND_NS);
        break;
    case MBX_REG_EVENT_HEAD:
        nic->event_head = (uint32_t)value;
        nic->is_interrupt_armed = true;
        events_flush(nic);
        break;
    default:
        break;
    }
}

static void doorbell_write(struct mbx_nic *nic, uint64_t offset, uint64_t value) {
    uint32_t number = (uint32_t)(value >> 32), index = (uint32_t)value;

    switch (offset) {
    case MBX_DOORBELL_SEND:
    case MBX_DOORBELL_RECEIVE:
        mbx_qp_ring(nic, number, index, offset == MBX_DOORBELL_SEND);
        break;
    case MBX_DOORBELL_ARM_ANY:
    case MBX_DOORBELL_ARM_SOLICITED:
        mbx_cq_arm(nic, number, index, offset == MBX_DOORBELL_ARM_SOLICITED);
        break;
    default:
        break;
    }
}

static void bar_write(struct sim_bus_device *device, uint32_t bar, uint64_t offset, uint32_t bytes,
                      uint64_t value) {
    struct mbx_nic *nic = device->state;

    (void)bytes;
    if (bar == MBX_BAR_REGISTERS)
        register_write(nic, offset, value);
    else if ((nic->status & MBX_STATUS_READY) != 0)
        doorbell_write(nic, offset, value);
}

static void bus_reset(struct sim_bus_device *device) {
    reset(device->state);
}

static const struct sim_bus_ops bus_ops = {.bar_read = bar_read,
                                           .bar_write = bar_write,
                                           .reset = bus_reset,
                                           .removed = bus_reset,
                                           .inserted = bus_reset};

/* ---- The model ---- */

static bool create(const struct device_config *config, struct device *device) {
    struct mbx_nic *nic = sim_alloc(config->world, sizeof(*nic));

    nic->world = config->world;
    nic->events = config->events;
    nic->settings = config->settings;
    sim_bus_device_init(config->world, &nic->bus, config->owner, config->label, &bus_ops, nic);
    nic->bus.vendor_id = MBX_VENDOR_ID;
    nic->bus.device_id = MBX_DEVICE_ID;
    nic->bus.bar_bytes[MBX_BAR_REGISTERS] = nic->bus.bar_bytes[MBX_BAR_DOORBELLS] = MBX_BAR_BYTES;
    nic->bus.vector_count = 1;
    net_port_init(config->world, &nic->port, &nic->bus.object, config->mac, &port_ops, nic);
    sim_event_init(&nic->firmware, "command", &nic->bus.object, mbx_firmware_step);
    sim_event_init(&nic->engine, "doorbell", &nic->bus.object, engine_run);
    sim_event_init(&nic->loop, "loop", &nic->bus.object, mbx_loop_deliver);
    for (size_t i = 0; i < SIM_ARRAY_COUNT(nic->ghosts); i++) {
        nic->ghosts[i].nic = nic;
        sim_event_init(&nic->ghosts[i].timer, "reset", &nic->bus.object, mbx_ghost_timer);
    }
    lists_init(nic);
    net_port_enable(&nic->port, false);
    *device = (struct device){.bus = &nic->bus, .port = &nic->port, .state = nic};
    return true;
}

static const char *const event_names[MBX_TRACE_COUNT] = {
    [MBX_TRACE_COMMAND] = "mailbox.command",
    [MBX_TRACE_CONNECTION] = "mailbox.connection",
    [MBX_TRACE_RESET] = "mailbox.reset",
};

static const struct device_setting settings[MBX_SETTING_COUNT] = {
    [MBX_SETTING_WINDOW] = {"window", "Packets of a connection that may be on their way.",
                            DEVICE_SETTING_NUMBER, 1, 1024, 32},
    [MBX_SETTING_PAYLOAD] = {"payload", "Bytes of a message in a packet, at most.",
                             DEVICE_SETTING_BYTES, 64, MBX_PAYLOAD_MAX, 4096},
    [MBX_SETTING_RETRY] = {"retry", "How long the first acknowledgment is waited for; then double.",
                           DEVICE_SETTING_TIME, 10000, 1000000000, 20000000},
    [MBX_SETTING_RETRIES] = {"retries", "How often a packet is repeated before its peer is lost.",
                             DEVICE_SETTING_NUMBER, 1, 12, 8},
    [MBX_SETTING_BUSY] = {"busy", "How long a peer without a receive is left alone.",
                          DEVICE_SETTING_TIME, 1000, 1000000000, 100000},
    [MBX_SETTING_PATIENCE] = {"patience", "How long the peer's consumer may take to answer.",
                              DEVICE_SETTING_TIME, 1000000, UINT64_C(3600000000000),
                              UINT64_C(60000000000)},
};

static struct sim_fault_point *const faults[] = {&mbx_fault_command, &mbx_fault_fatal};

static const char *const state_names[MBX_STATE_COUNT] = {
    "Idle", "Connecting", "Replied", "Confirming", "Requested", "Accepting", "Open", "Ended"};
static const uint64_t state_next[MBX_STATE_COUNT] = {
    [MBX_IDLE] = 1u << MBX_CONNECTING,
    [MBX_CONNECTING] = 1u << MBX_REPLIED | 1u << MBX_IDLE,
    [MBX_REPLIED] = 1u << MBX_CONFIRMING | 1u << MBX_ENDED,
    [MBX_CONFIRMING] = 1u << MBX_OPEN | 1u << MBX_ENDED,
    [MBX_REQUESTED] = 1u << MBX_ACCEPTING | 1u << MBX_ENDED,
    [MBX_ACCEPTING] = 1u << MBX_OPEN | 1u << MBX_ENDED,
    [MBX_OPEN] = 1u << MBX_ENDED,
};
static const struct sim_machine machines[] = {{.name = "mailbox connection",
                                               .event = "mailbox.connection",
                                               .state_count = MBX_STATE_COUNT,
                                               .states = state_names,
                                               .next = state_next}};

static const struct device_model model = {
    DEVICE_MODEL_HEAD,
    .name = "mailbox-nic",
    .version = "1.0",
    .about = "A NIC whose firmware makes the connections; an example of a device model.",
    .settings = settings,
    .setting_count = MBX_SETTING_COUNT,
    .event_names = event_names,
    .event_count = MBX_TRACE_COUNT,
    .faults = faults,
    .fault_count = SIM_ARRAY_COUNT(faults),
    .machines = machines,
    .machine_count = SIM_ARRAY_COUNT(machines),
    .create = create,
};
DEVICE_EXPORT(model)
