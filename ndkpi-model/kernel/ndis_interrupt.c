/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Message interrupts. A vector of the device queues a call on the interrupt layer of the message's
 * CPU; the service routine runs there at device IRQL and asks for DPCs, one per message and CPU.
 *
 *   device -> message call [DIRQL] -> MINIPORT_MESSAGE_INTERRUPT -> dpc [DISPATCH] -> ..._DPC
 */
#include <krn/bugcheck.h>

#include "adapter.h"
#include "call_error.h"
#include "dpc.h"
#include "driver_state.h"
#include "fault_points.h"
#include "pool.h"
#include "race.h"
#include "thread.h"

struct message;

struct message_dpc {
    struct sim_call call;
    struct message *message;
    PVOID context;
};

struct message {
    struct sim_object object;
    struct krn_interrupt *interrupt;
    uint32_t number;
    struct krn_cpu *cpu;
    struct sim_call call;
    struct sim_task *lock_holder; /* excludes the service routine from synchronised code */
    struct message_dpc *dpcs;     /* one per CPU */
};

struct krn_interrupt {
    struct krn_adapter *adapter;
    NDIS_HANDLE context;
    NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS handlers;
    struct message *messages;
    uint32_t message_count;
    PIO_INTERRUPT_MESSAGE_INFO info;
    uint64_t info_bytes;
    uint32_t running; /* service routines and DPCs */
    bool is_closing;
    struct krn_gate idle;
};

/* What a DPC gets to limit its indications; nothing here is limited. */
struct throttle {
    ULONG MaxNblsToIndicate;
    ULONG MoreNblsPending;
};

static void run_begin(struct krn_interrupt *interrupt) {
    interrupt->running++;
}

static void run_end(struct krn_interrupt *interrupt) {
    if (--interrupt->running == 0 && interrupt->is_closing) {
        krn_gate_open(&interrupt->idle);
    }
}

/* ---- DPCs ---- */

static void dpc_run(struct sim_call *queued) {
    struct message_dpc *dpc = SIM_CONTAINER_OF(queued, struct message_dpc, call);
    struct message *message = dpc->message;
    struct krn_interrupt *interrupt = message->interrupt;
    struct krn_cpu *cpu = krn_cpu_of(sim_task_cpu(sim_task_current()));
    struct throttle throttle = {0};
    struct krn_routine routine;
    PVOID context = dpc->context;
    bool by_message = interrupt->handlers.MsiSupported;

    dpc->context = NULL;
    if (interrupt->is_closing) {
        return;
    }
    run_begin(interrupt);
    krn_dpc_begin(cpu, interrupt->adapter->miniport->driver, NULL);
    krn_race_after(cpu->node->krn, dpc);
    krn_race_after(cpu->node->krn, krn_race_device(cpu->node));
    krn_race_after(cpu->node->krn, krn_race_dispatch(cpu));
    sim_point(&message->object, SIM_ACCESS_READ, SIM_POINT_COST_NS);
    if (by_message) {
        krn_routine_begin(&routine, (const void *)interrupt->handlers.MessageInterruptDpcHandler,
                          "MiniportMessageInterruptDPC");
        interrupt->handlers.MessageInterruptDpcHandler(interrupt->context, message->number, context,
                                                       &throttle, NULL);
    } else {
        krn_routine_begin(&routine, (const void *)interrupt->handlers.InterruptDpcHandler,
                          "MiniportInterruptDPC");
        interrupt->handlers.InterruptDpcHandler(interrupt->context, context, &throttle, NULL);
    }
    krn_routine_end(&routine);
    krn_race_before(cpu->node->krn, krn_race_dispatch(cpu));
    krn_dpc_end(cpu);
    run_end(interrupt);
}

static bool dpc_queue(struct message *message, uint32_t cpu, PVOID context) {
    struct message_dpc *dpc = &message->dpcs[cpu];
    struct krn_node *node = message->interrupt->adapter->node;

    krn_race_before(node->krn, dpc);
    if (!sim_call_queue(node->cpus[cpu].cpu, SIM_LAYER_DPC, &dpc->call, false)) {
        return false;
    }
    dpc->context = context;
    sim_trace(node->world, KRN_TRACE_DPC_QUEUE, SIM_ACCESS_WRITE, &message->object, NULL, NULL, cpu,
              0);
    return true;
}

static KAFFINITY dpc_queue_mask(struct message *message, KAFFINITY mask, PVOID context) {
    KAFFINITY queued = 0;

    for (uint32_t i = 0; i < message->interrupt->adapter->node->cpu_count && i < 64; i++) {
        if ((mask >> i & 1) != 0 && dpc_queue(message, i, context)) {
            queued |= (KAFFINITY)1 << i;
        }
    }
    return queued;
}

/* ---- Service routines ---- */

static uint64_t lock_key(const struct message *message) {
    return (UINT64_C(1) << 40) + message->object.id;
}

static void message_lock(struct message *message) {
    while (message->lock_holder != NULL) {
        sim_task_spin(lock_key(message), message->lock_holder);
    }
    message->lock_holder = sim_task_current();
    krn_race_after(message->interrupt->adapter->node->krn, message);
    krn_race_after(message->interrupt->adapter->node->krn,
                   krn_race_device(message->interrupt->adapter->node));
}

static void message_unlock(struct message *message) {
    krn_race_before(message->interrupt->adapter->node->krn, message);
    message->lock_holder = NULL;
    sim_spin_release(message->interrupt->adapter->node->world, lock_key(message));
}

static BOOLEAN call_service(struct message *message, PBOOLEAN queue, PULONG targets) {
    struct krn_interrupt *interrupt = message->interrupt;
    struct krn_routine routine;
    BOOLEAN was_ours;

    if (interrupt->handlers.MsiSupported) {
        krn_routine_begin(&routine, (const void *)interrupt->handlers.MessageInterruptHandler,
                          "MiniportMessageInterrupt");
        was_ours = interrupt->handlers.MessageInterruptHandler(interrupt->context, message->number,
                                                               queue, targets);
    } else {
        krn_routine_begin(&routine, (const void *)interrupt->handlers.InterruptHandler,
                          "MiniportInterrupt");
        was_ours = interrupt->handlers.InterruptHandler(interrupt->context, queue, targets);
    }
    krn_routine_end(&routine);
    return was_ours;
}

static void message_run(struct sim_call *queued) {
    struct message *message = SIM_CONTAINER_OF(queued, struct message, call);
    struct krn_interrupt *interrupt = message->interrupt;
    struct krn_cpu *cpu = krn_cpu_of(sim_task_cpu(sim_task_current()));
    BOOLEAN queue = FALSE;
    ULONG targets = 0;

    if (interrupt->is_closing) {
        return;
    }
    run_begin(interrupt);
    cpu->driver[SIM_LAYER_INTERRUPT] = interrupt->adapter->miniport->driver;
    sim_trace(cpu->node->world, KRN_TRACE_ADAPTER_INTERRUPT, SIM_ACCESS_READ, &message->object,
              NULL, NULL, message->number, 0);
    sim_point(&message->object, SIM_ACCESS_READ, SIM_POINT_COST_NS);
    message_lock(message);
    (void)call_service(message, &queue, &targets);
    message_unlock(message);
    cpu->driver[SIM_LAYER_INTERRUPT] = NULL;
    if (queue && !interrupt->is_closing) {
        (void)dpc_queue_mask(message, targets != 0 ? targets : (KAFFINITY)1 << cpu->index, NULL);
    }
    run_end(interrupt);
}

/* From the device, in any context. A message that waits already stands for this one too. */
static void message_raised(void *context, uint32_t vector) {
    struct krn_interrupt *interrupt = context;
    struct message *message;

    if (interrupt->is_closing || vector >= interrupt->message_count) {
        return;
    }
    message = &interrupt->messages[vector];
    (void)sim_call_queue(message->cpu->cpu, SIM_LAYER_INTERRUPT, &message->call, false);
}

/* ---- Registration ---- */

static void message_init(struct krn_interrupt *interrupt, uint32_t number) {
    struct krn_adapter *adapter = interrupt->adapter;
    struct krn_node *node = adapter->node;
    struct message *message = &interrupt->messages[number];

    sim_object_init(node->world, &message->object, &adapter->object, "message", SIM_NAME_INDEXED);
    message->interrupt = interrupt;
    message->number = number;
    message->cpu = &node->cpus[number % node->cpu_count];
    message->call.run = message_run;
    message->call.subject = &message->object;
    message->call.label = "interrupt";
    message->call.level = SIM_LEVEL_DEVICE;
    message->dpcs = sim_alloc(node->world, node->cpu_count * sizeof(message->dpcs[0]));
    for (uint32_t i = 0; i < node->cpu_count; i++) {
        message->dpcs[i].message = message;
        message->dpcs[i].call.run = dpc_run;
        message->dpcs[i].call.subject = &message->object;
        message->dpcs[i].call.label = "interrupt dpc";
        message->dpcs[i].call.level = SIM_LEVEL_DISPATCH;
    }
}

static void info_fill(struct krn_interrupt *interrupt) {
    uint64_t extra = interrupt->message_count > 1 ? interrupt->message_count - 1 : 0;
    PIO_INTERRUPT_MESSAGE_INFO info;

    interrupt->info_bytes = sizeof(*info) + extra * sizeof(info->MessageInfo[0]);
    info = sim_alloc(interrupt->adapter->node->world, interrupt->info_bytes);
    info->UnifiedIrql = SIM_LEVEL_DEVICE;
    info->MessageCount = interrupt->message_count;
    for (uint32_t i = 0; i < interrupt->message_count; i++) {
        info->MessageInfo[i].TargetProcessorSet = (KAFFINITY)1 << interrupt->messages[i].cpu->index;
        info->MessageInfo[i].MessageData = i;
        info->MessageInfo[i].Vector = i;
        info->MessageInfo[i].Irql = SIM_LEVEL_DEVICE;
        info->MessageInfo[i].Mode = Latched;
    }
    interrupt->info = info;
}

static bool handlers_are_good(const NDIS_MINIPORT_INTERRUPT_CHARACTERISTICS *given) {
    if (given->Header.Type != NDIS_OBJECT_TYPE_MINIPORT_INTERRUPT ||
        given->Header.Size < NDIS_SIZEOF_MINIPORT_INTERRUPT_CHARACTERISTICS_REVISION_1) {
        return false;
    }
    if (given->MsiSupported) {
        return given->MessageInterruptHandler != NULL && given->MessageInterruptDpcHandler != NULL;
    }
    return given->InterruptHandler != NULL && given->InterruptDpcHandler != NULL;
}

NDIS_STATUS
NdisMRegisterInterruptEx(NDIS_HANDLE MiniportAdapterHandle, NDIS_HANDLE MiniportInterruptContext,
                         PNDIS_MINIPORT_INTERRUPT_CHARACTERISTICS MiniportInterruptCharacteristics,
                         PNDIS_HANDLE NdisInterruptHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, MiniportAdapterHandle);
    struct krn_interrupt *interrupt;

    krn_check_memory(&call, MiniportInterruptCharacteristics,
                     sizeof(*MiniportInterruptCharacteristics), "interrupt characteristics");
    krn_check_memory(&call, NdisInterruptHandle, sizeof(NDIS_HANDLE), "handle");
    krn_call_point(&call, &adapter->object, SIM_ACCESS_CREATE);
    if (!handlers_are_good(MiniportInterruptCharacteristics)) {
        return NDIS_STATUS_BAD_CHARACTERISTICS;
    }
    if (adapter->interrupt != NULL || adapter->device == NULL ||
        adapter->device->vector_count == 0 ||
        sim_fault_hit(call.world, &krn_fault_interrupt, &adapter->object, NULL)) {
        return NDIS_STATUS_RESOURCES;
    }
    interrupt = sim_alloc(call.world, sizeof(*interrupt));
    interrupt->adapter = adapter;
    interrupt->context = MiniportInterruptContext;
    interrupt->handlers = *MiniportInterruptCharacteristics;
    interrupt->message_count = interrupt->handlers.MsiSupported ? adapter->device->vector_count : 1;
    interrupt->messages =
        sim_alloc(call.world, interrupt->message_count * sizeof(interrupt->messages[0]));
    for (uint32_t i = 0; i < interrupt->message_count; i++) {
        message_init(interrupt, i);
    }
    info_fill(interrupt);
    krn_gate_init(call.node, &interrupt->idle, &adapter->object, "interrupt_idle");
    MiniportInterruptCharacteristics->InterruptType =
        interrupt->handlers.MsiSupported ? NDIS_CONNECT_MESSAGE_BASED : NDIS_CONNECT_LINE_BASED;
    MiniportInterruptCharacteristics->MessageInfoTable =
        interrupt->handlers.MsiSupported ? interrupt->info : NULL;
    adapter->interrupt = interrupt;
    *NdisInterruptHandle = interrupt;
    adapter->device->interrupt_context = interrupt;
    adapter->device->interrupt = message_raised;
    return NDIS_STATUS_SUCCESS;
}

static struct krn_interrupt *interrupt_of(const struct krn_call *call, NDIS_HANDLE handle) {
    for (struct krn_adapter *adapter = call->node->adapter_first; adapter != NULL;
         adapter = adapter->next) {
        if (adapter->interrupt != NULL && (NDIS_HANDLE)adapter->interrupt == handle) {
            return adapter->interrupt;
        }
    }
    krn_call_error(call, 0x7C, 0, 0, "the handle is none of a registered interrupt");
}

static struct message *message_of(const struct krn_call *call, NDIS_HANDLE handle, ULONG number) {
    struct krn_interrupt *interrupt = interrupt_of(call, handle);

    if (number >= interrupt->message_count) {
        krn_call_error(call, 0x7C, 0, 0, "the interrupt has no message of that number");
    }
    return &interrupt->messages[number];
}

VOID NdisMDeregisterInterruptEx(NDIS_HANDLE NdisInterruptHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_interrupt *interrupt = interrupt_of(&call, NdisInterruptHandle);
    struct krn_adapter *adapter = interrupt->adapter;

    krn_call_point(&call, &adapter->object, SIM_ACCESS_CLOSE);
    adapter->device->interrupt = NULL;
    adapter->device->interrupt_context = NULL;
    interrupt->is_closing = true;
    for (uint32_t i = 0; i < interrupt->message_count; i++) {
        (void)sim_call_remove(&interrupt->messages[i].call);
        for (uint32_t cpu = 0; cpu < call.node->cpu_count; cpu++) {
            (void)sim_call_remove(&interrupt->messages[i].dpcs[cpu].call);
        }
        interrupt->messages[i].object.closed = true;
    }
    while (interrupt->running != 0) {
        krn_gate_shut(&interrupt->idle);
        krn_gate_wait(&interrupt->idle, "NdisMDeregisterInterruptEx");
    }
    adapter->interrupt = NULL;
}

KAFFINITY NdisMQueueDpcEx(NDIS_HANDLE NdisInterruptHandle, ULONG MessageId,
                          PGROUP_AFFINITY TargetProcessors, PVOID MiniportDpcContext) {
    KRN_CALL(HIGH_LEVEL);
    struct message *message = message_of(&call, NdisInterruptHandle, MessageId);

    krn_check_memory(&call, TargetProcessors, sizeof(*TargetProcessors), "target processors");
    krn_call_point(&call, &message->object, SIM_ACCESS_WRITE);
    return dpc_queue_mask(message, TargetProcessors->Mask, MiniportDpcContext);
}

ULONG NdisMQueueDpc(NDIS_HANDLE NdisInterruptHandle, ULONG MessageId, ULONG TargetProcessors,
                    PVOID MiniportDpcContext) {
    KRN_CALL(HIGH_LEVEL);
    struct message *message = message_of(&call, NdisInterruptHandle, MessageId);

    krn_call_point(&call, &message->object, SIM_ACCESS_WRITE);
    return (ULONG)dpc_queue_mask(message, TargetProcessors, MiniportDpcContext);
}

BOOLEAN
NdisMSynchronizeWithInterruptEx(NDIS_HANDLE NdisInterruptHandle, ULONG MessageId,
                                MINIPORT_SYNCHRONIZE_INTERRUPT_HANDLER SynchronizeFunction,
                                PVOID SynchronizeContext) {
    KRN_CALL(SIM_LEVEL_DEVICE);
    struct message *message = message_of(&call, NdisInterruptHandle, MessageId);
    struct krn_routine routine;
    BOOLEAN answer;

    sim_cpu_raise(call.cpu, SIM_LEVEL_DEVICE);
    krn_call_point(&call, &message->object, SIM_ACCESS_LOCK);
    message_lock(message);
    krn_routine_begin(&routine, (const void *)SynchronizeFunction, "synchronise routine");
    answer = SynchronizeFunction(SynchronizeContext);
    krn_routine_end(&routine);
    message_unlock(message);
    sim_cpu_lower(call.cpu, call.level);
    return answer;
}
