/* SPDX-License-Identifier: Apache-2.0 */
/* WSK: registration, capture, release, and the control call that leads to NDK. No sockets. */
#include <krn/ndk.h>

#include "wsk_state.h"

#include "call_error.h"
#include "driver_state.h"
#include "fault_points.h"
#include "irp.h"
#include "ndis_judge.h"
#include "pool.h"
#include "thread.h"

const NPIID NPI_WSK_INTERFACE_ID = {
    0x2227E803, 0x8D8B, 0x11D4, {0xAB, 0xAD, 0x00, 0x90, 0x27, 0x71, 0x9E, 0x09}};

#define REGISTERED UINT64_C(0x4B5357) /* ReservedRegistrationState of a registered client */

static struct krn_wsk *wsk_of(struct krn_node *node) {
    if (node->wsk == NULL) {
        node->wsk = sim_alloc(node->world, sizeof(*node->wsk));
    }
    return node->wsk;
}

static struct krn_wsk_client *by_registration(const struct krn_call *call,
                                              const WSK_REGISTRATION *registration) {
    struct krn_wsk_client *client = wsk_of(call->node)->client_first;

    krn_check_memory(call, registration, sizeof(*registration), "WSK registration");
    while (client != NULL && (client->is_gone || client->registration != registration)) {
        client = client->next;
    }
    if (client == NULL || registration->ReservedRegistrationState != REGISTERED) {
        krn_call_error(call, 0xC4, 0xE3, 0, "the registration is none that WskRegister made");
    }
    return client;
}

struct krn_wsk_client *krn_wsk_client_use(const struct krn_call *call, PWSK_CLIENT given) {
    struct krn_wsk_client *client = wsk_of(call->node)->client_first;

    while (client != NULL && client != given) {
        client = client->next;
    }
    if (client == NULL || client->is_gone || client->captures == 0) {
        krn_driver_broken(krn_call_driver(call), NULL, "R-WSK-05",
                          "%s was called with a client pointer that no capture gave", call->name);
        krn_call_error(call, 0xC4, 0xE3, 0, "the WSK client is none that is captured");
    }
    return client;
}

NTSTATUS NTAPI WskRegister(PWSK_CLIENT_NPI WskClientNpi, PWSK_REGISTRATION WskRegistration) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_wsk *wsk = wsk_of(call.node);
    struct krn_wsk_client *client;

    krn_check_memory(&call, WskClientNpi, sizeof(*WskClientNpi), "client NPI");
    krn_check_memory(&call, WskClientNpi->Dispatch, sizeof(*WskClientNpi->Dispatch),
                     "client dispatch");
    krn_check_memory(&call, WskRegistration, sizeof(*WskRegistration), "WSK registration");
    krn_call_point(&call, krn_call_owner(&call), SIM_ACCESS_CREATE);
    client = sim_alloc(call.world, sizeof(*client));
    client->node = call.node;
    client->driver = krn_call_driver(&call);
    client->registration = WskRegistration;
    client->npi = *WskClientNpi;
    krn_site_keep_here(call.world, &client->made);
    sim_object_init(call.world, &client->object, krn_call_owner(&call), "wsk", SIM_NAME_INDEXED);
    krn_gate_init(call.node, &client->released, &client->object, "released");
    krn_gate_init(call.node, &client->adapters_closed, &client->object, "closed");
    if (wsk->client_last != NULL) {
        wsk->client_last->next = client;
    } else {
        wsk->client_first = client;
    }
    wsk->client_last = client;
    RtlZeroMemory(WskRegistration, sizeof(*WskRegistration));
    WskRegistration->ReservedRegistrationState = REGISTERED;
    WskRegistration->ReservedRegistrationContext = client;
    sim_trace(call.world, KRN_TRACE_WSK_REGISTER, SIM_ACCESS_CREATE, &client->object, NULL, NULL, 0,
              0);
    return STATUS_SUCCESS;
}

/* ---- The provider's dispatch ---- */

/* A call that ends at once; it owns the IRP that came with it. */
static NTSTATUS not_supported(const struct krn_call *call, PIRP irp) {
    if (irp != NULL) {
        krn_irp_refuse(call, irp, STATUS_NOT_SUPPORTED);
    }
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS NTAPI wsk_socket(PWSK_CLIENT Client, ADDRESS_FAMILY AddressFamily,
                                 USHORT SocketType, ULONG Protocol, ULONG Flags,
                                 PVOID SocketContext, const VOID *Dispatch, PEPROCESS OwningProcess,
                                 PETHREAD OwningThread, PSECURITY_DESCRIPTOR SecurityDescriptor,
                                 PIRP Irp) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(Client);
    UNREFERENCED_PARAMETER(AddressFamily);
    UNREFERENCED_PARAMETER(SocketType);
    UNREFERENCED_PARAMETER(Protocol);
    UNREFERENCED_PARAMETER(Flags);
    UNREFERENCED_PARAMETER(SocketContext);
    UNREFERENCED_PARAMETER(Dispatch);
    UNREFERENCED_PARAMETER(OwningProcess);
    UNREFERENCED_PARAMETER(OwningThread);
    UNREFERENCED_PARAMETER(SecurityDescriptor);
    return not_supported(&call, Irp);
}

static NTSTATUS NTAPI wsk_socket_connect(PWSK_CLIENT Client, USHORT SocketType, ULONG Protocol,
                                         PSOCKADDR LocalAddress, PSOCKADDR RemoteAddress,
                                         ULONG Flags, PVOID SocketContext,
                                         const WSK_CLIENT_CONNECTION_DISPATCH *Dispatch,
                                         PEPROCESS OwningProcess, PETHREAD OwningThread,
                                         PSECURITY_DESCRIPTOR SecurityDescriptor, PIRP Irp) {
    KRN_CALL(DISPATCH_LEVEL);
    UNREFERENCED_PARAMETER(Client);
    UNREFERENCED_PARAMETER(SocketType);
    UNREFERENCED_PARAMETER(Protocol);
    UNREFERENCED_PARAMETER(LocalAddress);
    UNREFERENCED_PARAMETER(RemoteAddress);
    UNREFERENCED_PARAMETER(Flags);
    UNREFERENCED_PARAMETER(SocketContext);
    UNREFERENCED_PARAMETER(Dispatch);
    UNREFERENCED_PARAMETER(OwningProcess);
    UNREFERENCED_PARAMETER(OwningThread);
    UNREFERENCED_PARAMETER(SecurityDescriptor);
    return not_supported(&call, Irp);
}

static void control_broken(struct krn_wsk_client *client, const char *what) {
    krn_driver_broken(client->driver, &client->object, "R-WSK-01",
                      "WskControlClient for the NDK dispatch %s", what);
}

/* H-19: a short buffer is an overflow, every other misuse an invalid parameter. */
static NTSTATUS NTAPI wsk_control_client(PWSK_CLIENT Client, ULONG ControlCode, SIZE_T InputSize,
                                         PVOID InputBuffer, SIZE_T OutputSize, PVOID OutputBuffer,
                                         SIZE_T *OutputSizeReturned, PIRP Irp) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_wsk_client *client = krn_wsk_client_use(&call, Client);

    krn_call_point(&call, &client->object, SIM_ACCESS_READ);
    if (ControlCode != WSKNDK_GET_WSK_PROVIDER_NDK_DISPATCH) {
        return not_supported(&call, Irp);
    }
    if (InputSize != 0 || InputBuffer != NULL || Irp != NULL) {
        control_broken(client, Irp != NULL ? "came with an IRP" : "came with input");
        return STATUS_INVALID_PARAMETER;
    }
    if (OutputSize < sizeof(krn_wsk_ndk_dispatch)) {
        /* Asked with less: refused, which breaks no rule (R-WSK-08). */
        return STATUS_BUFFER_OVERFLOW;
    }
    if (OutputSize != sizeof(krn_wsk_ndk_dispatch) || OutputBuffer == NULL) {
        control_broken(client, "has no output buffer of the NDK dispatch's size");
        return STATUS_INVALID_PARAMETER;
    }
    krn_check_memory(&call, OutputBuffer, OutputSize, "output buffer");
    *(WSK_PROVIDER_NDK_DISPATCH *)OutputBuffer = krn_wsk_ndk_dispatch;
    if (OutputSizeReturned != NULL) {
        krn_check_memory(&call, OutputSizeReturned, sizeof(*OutputSizeReturned), "returned size");
        *OutputSizeReturned = sizeof(krn_wsk_ndk_dispatch);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI wsk_get_address_info(PWSK_CLIENT Client, PUNICODE_STRING NodeName,
                                           PUNICODE_STRING ServiceName, ULONG NameSpace,
                                           GUID *Provider, PADDRINFOEXW Hints, PADDRINFOEXW *Result,
                                           PEPROCESS OwningProcess, PETHREAD OwningThread,
                                           PIRP Irp) {
    KRN_CALL(PASSIVE_LEVEL);
    UNREFERENCED_PARAMETER(Client);
    UNREFERENCED_PARAMETER(NodeName);
    UNREFERENCED_PARAMETER(ServiceName);
    UNREFERENCED_PARAMETER(NameSpace);
    UNREFERENCED_PARAMETER(Provider);
    UNREFERENCED_PARAMETER(Hints);
    UNREFERENCED_PARAMETER(OwningProcess);
    UNREFERENCED_PARAMETER(OwningThread);
    *Result = NULL;
    return not_supported(&call, Irp);
}

static VOID NTAPI wsk_free_address_info(PWSK_CLIENT Client, PADDRINFOEXW AddrInfo) {
    UNREFERENCED_PARAMETER(Client);
    UNREFERENCED_PARAMETER(AddrInfo);
}

static NTSTATUS NTAPI wsk_get_name_info(PWSK_CLIENT Client, PSOCKADDR SockAddr,
                                        ULONG SockAddrLength, PUNICODE_STRING NodeName,
                                        PUNICODE_STRING ServiceName, ULONG Flags,
                                        PEPROCESS OwningProcess, PETHREAD OwningThread, PIRP Irp) {
    KRN_CALL(PASSIVE_LEVEL);
    UNREFERENCED_PARAMETER(Client);
    UNREFERENCED_PARAMETER(SockAddr);
    UNREFERENCED_PARAMETER(SockAddrLength);
    UNREFERENCED_PARAMETER(NodeName);
    UNREFERENCED_PARAMETER(ServiceName);
    UNREFERENCED_PARAMETER(Flags);
    UNREFERENCED_PARAMETER(OwningProcess);
    UNREFERENCED_PARAMETER(OwningThread);
    return not_supported(&call, Irp);
}

static const WSK_PROVIDER_DISPATCH provider_dispatch = {
    .Version = MAKE_WSK_VERSION(1, 0),
    .WskSocket = wsk_socket,
    .WskSocketConnect = wsk_socket_connect,
    .WskControlClient = wsk_control_client,
    .WskGetAddressInfo = wsk_get_address_info,
    .WskFreeAddressInfo = wsk_free_address_info,
    .WskGetNameInfo = wsk_get_name_info,
};

/* ---- Capture, release, deregister ---- */

/* Waits until WSK is there, or the time is over, or the client goes. */
static bool wait_ready(const struct krn_call *call, struct krn_wsk_client *client, ULONG timeout) {
    uint64_t ready_ns = call->node->wsk_ready_ns;
    uint64_t deadline_ns = SIM_TIME_NEVER;

    if (sim_now_ns(call->world) >= ready_ns) {
        return true;
    }
    if (timeout == WSK_NO_WAIT) {
        return false;
    }
    krn_wait_check(call);
    if (timeout != WSK_INFINITE_WAIT) {
        deadline_ns = sim_now_ns(call->world) + timeout * SIM_NS_PER_MS;
    }
    deadline_ns = deadline_ns < ready_ns ? deadline_ns : ready_ns;
    /* The gate opens when the client deregisters. */
    (void)krn_wait_one(&client->released.record, call->name, deadline_ns);
    return !client->is_deregistering && sim_now_ns(call->world) >= ready_ns;
}

NTSTATUS NTAPI WskCaptureProviderNPI(PWSK_REGISTRATION WskRegistration, ULONG WaitTimeout,
                                     PWSK_PROVIDER_NPI WskProviderNpi) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_wsk_client *client = by_registration(&call, WskRegistration);
    USHORT version = client->npi.Dispatch->Version;

    krn_check_memory(&call, WskProviderNpi, sizeof(*WskProviderNpi), "provider NPI");
    krn_call_point(&call, &client->object, SIM_ACCESS_WRITE);
    if (WaitTimeout != WSK_NO_WAIT) {
        krn_wait_check(&call);
    }
    if (version != provider_dispatch.Version) {
        return STATUS_NOINTERFACE;
    }
    if (client->is_deregistering || !wait_ready(&call, client, WaitTimeout) ||
        sim_fault_hit(call.world, &krn_fault_wsk_capture, &client->object, NULL)) {
        return STATUS_DEVICE_NOT_READY;
    }
    client->captures++;
    WskProviderNpi->Client = client;
    WskProviderNpi->Dispatch = &provider_dispatch;
    sim_trace(call.world, KRN_TRACE_WSK_CAPTURE, SIM_ACCESS_WRITE, &client->object, NULL, NULL,
              client->captures, 0);
    return STATUS_SUCCESS;
}

VOID NTAPI WskReleaseProviderNPI(PWSK_REGISTRATION WskRegistration) {
    KRN_CALL(DISPATCH_LEVEL);
    struct krn_wsk_client *client = by_registration(&call, WskRegistration);

    krn_call_point(&call, &client->object, SIM_ACCESS_WRITE);
    if (client->captures == 0) {
        krn_wsk_broken(client->driver, &client->object, &client->made, "R-WSK-02",
                       "the provider NPI was released more often than captured");
        krn_call_error(&call, 0xC4, 0xE3, 0,
                       "the provider NPI was released more often than captured");
    }
    /* Seen in the field: the last release waits while NDK adapters of the client are open. */
    while (client->captures == 1 && client->ndk_adapters != 0 && call.level == PASSIVE_LEVEL &&
           krn_thread_current() != NULL) {
        krn_gate_shut(&client->adapters_closed);
        krn_gate_wait(&client->adapters_closed, "WskReleaseProviderNPI");
    }
    if (client->captures == 1 && client->ndk_adapters != 0) {
        krn_driver_broken(client->driver, &client->object, "R-WSK-07",
                          "the provider NPI was released with NDK adapters open");
    }
    client->captures--;
    sim_trace(call.world, KRN_TRACE_WSK_RELEASE, SIM_ACCESS_WRITE, &client->object, NULL, NULL,
              client->captures, 0);
    if (client->captures == 0 && client->is_deregistering) {
        krn_gate_open(&client->released);
    }
}

NTSTATUS NTAPI WskQueryProviderCharacteristics(
    PWSK_REGISTRATION WskRegistration, PWSK_PROVIDER_CHARACTERISTICS WskProviderCharacteristics) {
    KRN_CALL(DISPATCH_LEVEL);
    (void)by_registration(&call, WskRegistration);
    krn_check_memory(&call, WskProviderCharacteristics, sizeof(*WskProviderCharacteristics),
                     "provider characteristics");
    if (sim_now_ns(call.world) < call.node->wsk_ready_ns) {
        return STATUS_DEVICE_NOT_READY;
    }
    WskProviderCharacteristics->HighestVersion = MAKE_WSK_VERSION(1, 0);
    WskProviderCharacteristics->LowestVersion = MAKE_WSK_VERSION(1, 0);
    return STATUS_SUCCESS;
}

VOID NTAPI WskDeregister(PWSK_REGISTRATION WskRegistration) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_wsk_client *client = by_registration(&call, WskRegistration);

    krn_call_point(&call, &client->object, SIM_ACCESS_CLOSE);
    client->is_deregistering = true;
    /* Whoever waits in a capture gives up. */
    krn_gate_open(&client->released);
    while (client->captures != 0 || client->ndk_adapters != 0 || client->events_running != 0) {
        krn_gate_shut(&client->released);
        krn_gate_wait(&client->released, call.name);
    }
    client->is_gone = true;
    client->object.closed = true;
    WskRegistration->ReservedRegistrationState = 0;
    sim_trace(call.world, KRN_TRACE_WSK_DEREGISTER, SIM_ACCESS_CLOSE, &client->object, NULL, NULL,
              0, 0);
}

static void notify_one(struct krn_wsk_client *client) {
    PFN_WSK_CLIENT_EVENT event = client->npi.Dispatch->WskClientEvent;
    struct krn_routine routine;

    sim_trace(client->node->world, KRN_TRACE_WSK_NOTIFY, SIM_ACCESS_WRITE, &client->object, NULL,
              NULL, WSK_TRANSPORT_LIST_CHANGE, 0);
    client->events_running++;
    krn_routine_begin(&routine, (const void *)event, "WskClientEvent");
    (void)event(client->npi.ClientContext, WSK_TRANSPORT_LIST_CHANGE, NULL, 0);
    krn_routine_end_ordered(&routine);
    if (--client->events_running == 0 && client->is_deregistering) {
        krn_gate_open(&client->released);
    }
}

void krn_wsk_notify(struct krn_node *node) {
    struct krn_wsk_client *client = node->wsk != NULL ? node->wsk->client_first : NULL;

    for (; client != NULL; client = client->next) {
        if (!client->is_gone && !client->is_deregistering &&
            client->npi.Dispatch->WskClientEvent != NULL) {
            notify_one(client);
        }
    }
}

void krn_wsk_visit(struct krn_node *node,
                   void (*visit)(void *context, const struct krn_wsk_state *state), void *context) {
    struct krn_wsk_client *client = node->wsk != NULL ? node->wsk->client_first : NULL;

    for (; client != NULL; client = client->next) {
        const struct krn_wsk_state state = {.object = &client->object,
                                            .driver = client->driver,
                                            .captures = client->captures,
                                            .ndk_adapters = client->ndk_adapters,
                                            .is_deregistering = client->is_deregistering,
                                            .made = &client->made};

        if (!client->is_gone) {
            visit(context, &state);
        }
    }
}

void krn_wsk_ready_set(struct krn_node *node, uint64_t time_ns) {
    node->wsk_ready_ns = time_ns;
}

struct krn_wsk_client *krn_wsk_left(const struct krn_driver *driver) {
    struct krn_wsk_client *client =
        driver->node->wsk != NULL ? driver->node->wsk->client_first : NULL;

    while (client != NULL && (client->is_gone || client->driver != driver)) {
        client = client->next;
    }
    return client;
}

uint32_t krn_wsk_count(const struct krn_driver *driver) {
    const struct krn_wsk *wsk = driver->node->wsk;
    uint32_t count = 0;

    for (const struct krn_wsk_client *client = wsk != NULL ? wsk->client_first : NULL;
         client != NULL; client = client->next) {
        count += !client->is_gone && client->driver == driver;
    }
    return count;
}
