/* SPDX-License-Identifier: Apache-2.0 */
/* There are no sockets: who asks for one has the IRP back, completed, whatever the call. */
#include <wsk.h>

#include "node.h"

static const WSK_CLIENT_DISPATCH dispatch = {MAKE_WSK_VERSION(1, 0), 0, NULL};
static ULONG completions;

static NTSTATUS completed(PDEVICE_OBJECT device, PIRP irp, PVOID context) {
    (void)device;
    assert_int_equal(irp->IoStatus.Status, STATUS_NOT_SUPPORTED);
    completions++;
    KeSetEvent(context, IO_NO_INCREMENT, FALSE);
    return STATUS_MORE_PROCESSING_REQUIRED;
}

static void ask(const WSK_PROVIDER_NPI *npi, PIRP irp, int call) {
    PADDRINFOEXW found;
    NTSTATUS status;

    if (call == 0) {
        status = npi->Dispatch->WskSocket(npi->Client, AF_INET, 1, 6, WSK_FLAG_CONNECTION_SOCKET,
                                          NULL, NULL, NULL, NULL, NULL, irp);
    } else if (call == 1) {
        status = npi->Dispatch->WskSocketConnect(npi->Client, 1, 6, NULL, NULL, 0, NULL, NULL, NULL,
                                                 NULL, NULL, irp);
    } else if (call == 2) {
        status = npi->Dispatch->WskGetAddressInfo(npi->Client, NULL, NULL, 0, NULL, NULL, &found,
                                                  NULL, NULL, irp);
    } else {
        status = npi->Dispatch->WskControlClient(npi->Client, WSK_TRANSPORT_LIST_QUERY, 0, NULL, 0,
                                                 NULL, NULL, irp);
    }
    assert_int_equal(status, STATUS_NOT_SUPPORTED);
}

static void ask_for_all(void *argument) {
    static WSK_REGISTRATION registration;
    WSK_CLIENT_NPI client = {NULL, &dispatch};
    WSK_PROVIDER_NPI npi;
    KEVENT event;
    PIRP irp;

    (void)argument;
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    assert_int_equal(WskRegister(&client, &registration), STATUS_SUCCESS);
    assert_int_equal(WskCaptureProviderNPI(&registration, WSK_NO_WAIT, &npi), STATUS_SUCCESS);
    irp = IoAllocateIrp(1, FALSE);
    for (int call = 0; call < 4; call++) {
        IoReuseIrp(irp, STATUS_UNSUCCESSFUL);
        IoSetCompletionRoutine(irp, completed, &event, TRUE, TRUE, TRUE);
        ask(&npi, irp, call);
        assert_int_equal(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL), 0);
    }
    assert_int_equal(completions, 4);
    IoFreeIrp(irp);
    WskReleaseProviderNPI(&registration);
    WskDeregister(&registration);
}

static void each_irp_comes_back_completed(void **state) {
    (void)state;
    completions = 0;
    in_thread(ask_for_all, NULL);
}

static void ask_without_room(void *argument) {
    static WSK_REGISTRATION registration;
    WSK_CLIENT_NPI client = {NULL, &dispatch};
    WSK_PROVIDER_NPI npi;
    PIRP irp = IoAllocateIrp(1, FALSE);

    (void)argument;
    (void)WskRegister(&client, &registration);
    (void)WskCaptureProviderNPI(&registration, WSK_NO_WAIT, &npi);
    IoSetNextIrpStackLocation(irp);
    ask(&npi, irp, 0);
}

static void an_irp_without_a_stack_location_is_a_bugcheck(void **state) {
    (void)state;
    expect_bugcheck(ask_without_room, NULL, "0x35", "no stack location left");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KERNEL_TEST(each_irp_comes_back_completed),
        KERNEL_TEST(an_irp_without_a_stack_location_is_a_bugcheck),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
