/* SPDX-License-Identifier: Apache-2.0 */
/* See fixture.h. */
#include "fixture.h"

struct fixture fixture;
struct heard heard;
void *last_qp_stamp;

void fixture_make(struct sim_chooser *chooser, bool keep_going) {
    const struct sim_config config = {.seed = 1, .chooser = chooser, .keep_going = keep_going};
    const struct krn_node_config node = {.name = "host"};
    const struct krn_adapter_config adapter = {.name = "nic0", .driver = "none"};

    memset(&heard, 0, sizeof(heard));
    fixture.world = sim_world_create(&config);
    krn_start(fixture.world);
    fixture.node = krn_node_create(fixture.world, &node);
    fixture.adapter = krn_adapter_add(fixture.node, &adapter);
    vrf_start(fixture.world);
    fake_reset();
}

void fixture_end(void) {
    sim_world_destroy(fixture.world);
    fixture.world = NULL;
}

int fixture_setup(void **state) {
    fixture_make(NULL, false);
    *state = &fixture;
    return fixture.world == NULL ? -1 : 0;
}

int fixture_teardown(void **state) {
    (void)state;
    fixture_end();
    return 0;
}

enum sim_run_end run(void (*entry)(void *argument)) {
    krn_node_thread(fixture.node, "test", entry, NULL);
    return sim_run(fixture.world, NULL, NULL, SIM_TIME_NEVER);
}

NDK_ADAPTER *open_adapter(void) {
    vrf_interposer.opened(fixture.adapter, NULL, &fake.adapter);
    return &fake.adapter;
}

void close_adapter(void) {
    vrf_interposer.closing(fixture.adapter, NULL, &fake.adapter);
    vrf_interposer.closed(fixture.adapter, NULL, &fake.adapter);
}

NDK_CQ *open_cq(void) {
    NDK_CQ *cq = NULL;
    NTSTATUS status = fake.adapter.Dispatch->NdkCreateCq(&fake.adapter, 16, hear_cq, &heard, NULL,
                                                         hear_create, &heard, &cq);

    CHECK(status == STATUS_SUCCESS);
    return cq;
}

NDK_PD *open_pd(void) {
    NDK_PD *pd = NULL;
    NTSTATUS status = fake.adapter.Dispatch->NdkCreatePd(&fake.adapter, hear_create, &heard, &pd);

    CHECK(status == STATUS_SUCCESS);
    return pd;
}

NDK_QP *open_qp(NDK_PD *pd, NDK_CQ *cq, void *context) {
    NDK_QP *qp = NULL;
    NTSTATUS status =
        pd->Dispatch->NdkCreateQp(pd, cq, cq, context, 4, 4, 2, 2, 0, hear_create, &heard, &qp);

    CHECK(status == STATUS_SUCCESS);
    last_qp_stamp = FAKE_POINTER(3);
    return qp;
}

NDK_CONNECTOR *open_connector(void) {
    NDK_CONNECTOR *connector = NULL;
    NTSTATUS status =
        fake.adapter.Dispatch->NdkCreateConnector(&fake.adapter, hear_create, &heard, &connector);

    CHECK(status == STATUS_SUCCESS);
    return connector;
}

NDK_LISTENER *open_listener(NDK_FN_CONNECT_EVENT_CALLBACK event, void *context) {
    NDK_LISTENER *listener = NULL;
    NTSTATUS status = fake.adapter.Dispatch->NdkCreateListener(&fake.adapter, event, context,
                                                               hear_create, &heard, &listener);

    CHECK(status == STATUS_SUCCESS);
    return listener;
}

void close_object(void *object) {
    /* Close is the first slot of every table but the adapter's. */
    NDK_CQ *any = object;
    NTSTATUS was = fake.status;

    fake.status = STATUS_SUCCESS;
    CHECK(any->Dispatch->NdkCloseCq(&any->Header, hear_close, &heard) == STATUS_SUCCESS);
    fake.status = was;
}

void hear_create(PVOID context, NTSTATUS status, NDK_OBJECT_HEADER *object) {
    heard.count++;
    heard.context = context;
    heard.status = status;
    heard.object = object;
}

void hear_request(PVOID context, NTSTATUS status) {
    heard.count++;
    heard.context = context;
    heard.status = status;
}

void hear_close(PVOID context) {
    heard.count++;
    heard.context = context;
    heard.status = STATUS_SUCCESS;
}

void hear_cq(PVOID context, NTSTATUS status) {
    hear_request(context, status);
}

static void show_findings(void) {
    for (size_t i = 0; i < sim_finding_count(fixture.world); i++) {
        const struct sim_finding *finding = sim_finding_at(fixture.world, i);

        print_message("%s %s: %s\n%s\n", finding->id, finding->guilty, finding->sentence,
                      finding->detail);
    }
}

void expect_finding(const char *id, const char *guilty) {
    const struct sim_finding *finding;

    if (sim_finding_count(fixture.world) != 1) {
        show_findings();
    }
    assert_int_equal(sim_finding_count(fixture.world), 1);
    finding = sim_finding_at(fixture.world, 0);
    assert_string_equal(finding->id, id);
    assert_string_equal(finding->guilty, guilty);
    assert_true(finding->sentence[0] != '\0');
    assert_true(finding->remedy[0] != '\0');
    assert_null(strstr(finding->sentence, "0x0x"));
}

void expect_no_finding(void) {
    show_findings();
    assert_int_equal(sim_finding_count(fixture.world), 0);
}

const char *name_of(const void *ndk_object) {
    static char name[SIM_NAME_BYTES];

    return sim_object_name(vrf_interposer.name(fixture.world, ndk_object), name, sizeof(name));
}
