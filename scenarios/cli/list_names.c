/* SPDX-License-Identifier: Apache-2.0 */
/* See list_names.h. Which objects a recorded run had, `ndksim dump RUN objects` says. */
#include "cli/list_names.h"

#include <net/names.h>
#include <sim/finding.h>

#include "cli/rows.h"

int scn_list_classes(const struct scn_options *options) {
    static const char *const abouts[NET_CLASS_COUNT] = {
        [NET_CLASS_OTHER] = "Not RoCEv2, or an opcode that is not carried here.",
        [NET_CLASS_CM_REQ] = "Connection management: asks for a connection.",
        [NET_CLASS_CM_MRA] = "Connection management: asks for more time.",
        [NET_CLASS_CM_REJ] = "Connection management: refuses.",
        [NET_CLASS_CM_REP] = "Connection management: accepts.",
        [NET_CLASS_CM_RTU] = "Connection management: ready to use, the answer to cm.rep.",
        [NET_CLASS_CM_DREQ] = "Connection management: asks to disconnect.",
        [NET_CLASS_CM_DREP] = "Connection management: the answer to cm.dreq.",
        [NET_CLASS_CM_OTHER] = "Another datagram of connection management.",
        [NET_CLASS_SEND] = "Sends, with immediate or invalidate too.",
        [NET_CLASS_WRITE] = "Writes, with immediate too.",
        [NET_CLASS_READ] = "Requests of reads.",
        [NET_CLASS_READ_RESPONSE] = "What reads bring.",
        [NET_CLASS_ACK] = "Acknowledgements.",
        [NET_CLASS_NAK] = "Negative acknowledgements.",
        [NET_CLASS_RNR] = "Negative acknowledgements of a receiver that is not ready.",
        [NET_CLASS_CNP] = "Congestion notifications.",
        [NET_CLASS_PFC] = "Pauses of 802.1Qbb.",
    };
    struct scn_rows rows = {options->json, 2, {"name", "about"}, {16}, 0};

    for (unsigned id = 0; id < NET_CLASS_COUNT; id++)
        scn_rows_put(&rows,
                     (const char *const[]){net_class_name((enum net_frame_class)id), abouts[id]});
    scn_rows_end(&rows);
    return SIM_VERDICT_HELD;
}

int scn_list_objects(const struct scn_options *options) {
    static const struct {
        const char *name;
        const char *about;
    } kinds[] = {
        {"DRIVER", "A driver, by the name it has in the scenario; of a miniport NODE-ADAPTER."},
        {"DRIVER.adapter[N]", "An NDK adapter that a consumer opened."},
        {"DRIVER.connector[N]", "A connector."},
        {"DRIVER.cq[N]", "A completion queue."},
        {"DRIVER.listener[N]", "A listener."},
        {"DRIVER.mr[N]", "A memory region."},
        {"DRIVER.mw[N]", "A memory window."},
        {"DRIVER.pd[N]", "A protection domain."},
        {"DRIVER.qp[N]", "A queue pair."},
        {"DRIVER.shared_endpoint[N]", "A shared endpoint."},
        {"DRIVER.srq[N]", "A shared receive queue."},
        {"DRIVER.device[N]", "A device object."},
        {"DRIVER.dpc[N]", "A DPC."},
        {"DRIVER.event[N]", "A kernel event; likewise lock, rwlock, mutex, fastmutex, semaphore, "
                            "rundown, removelock, lookaside, mdl."},
        {"DRIVER.irp[N]", "A request to a device."},
        {"DRIVER.thread[N]", "A thread; of DriverEntry and DriverUnload: entry, unload."},
        {"DRIVER.timer[N]", "A timer."},
        {"DRIVER.work[N]", "A work item."},
        {"DRIVER.wsk[N]", "A registration with WSK."},
        {"LINK", "A link, by its name or its two ends: NODE.ADAPTER--SWITCH."},
        {"NODE", "A machine."},
        {"NODE.ADAPTER", "An adapter's device."},
        {"NODE.ADAPTER.cq[N]", "The device's side of a completion queue; likewise eq, qp, srq."},
        {"NODE.ADAPTER.miniport", "What NDIS knows of it."},
        {"NODE.ADAPTER.miniport.message[N]", "An interrupt message."},
        {"NODE.ADAPTER.port0", "Its port."},
        {"NODE.cpuN", "A processor; its interrupts and DPCs: NODE.cpuN.interrupt, NODE.cpuN.dpc."},
        {"NODE.worker[N]", "A thread of work items; their queue: NODE.workqueue[N]."},
        {"SWITCH", "A switch."},
        {"SWITCH.portN", "Its port."},
    };
    struct scn_rows rows = {options->json, 2, {"name", "about"}, {34}, 0};

    for (size_t i = 0; i < SIM_ARRAY_COUNT(kinds); i++)
        scn_rows_put(&rows, (const char *const[]){kinds[i].name, kinds[i].about});
    scn_rows_end(&rows);
    return SIM_VERDICT_HELD;
}
