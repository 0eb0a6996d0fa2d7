/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the verifier's tests share: a world with one node and one adapter, the fake provider, and a
 * consumer that is the program itself: its names begin with the adapter's.
 */
#ifndef VERIFIER_FIXTURE_H
#define VERIFIER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <krn/driver.h>
#include <krn/ndk.h>
#include <krn/node.h>
#include <sim/event.h>
#include <sim/run.h>
#include <sim/trace.h>
#include <vrf/verifier.h>

#include "fake_provider.h"
#include "interpose.h"

struct fixture {
    struct sim_world *world;
    struct krn_node *node;
    struct krn_adapter *adapter;
};
extern struct fixture fixture;

int fixture_setup(void **state);
int fixture_teardown(void **state);
/* For tests that make several worlds. */
void fixture_make(struct sim_chooser *chooser, bool keep_going);
void fixture_end(void);

#define VRF_TEST(function)                                                                         \
    cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

/* Inside tasks: cmocka's own checks cannot leave a task. */
#define CHECK(expression) SIM_ASSERT(expression)

/* Runs `entry` as a thread of the node and the world until nothing moves. */
enum sim_run_end run(void (*entry)(void *argument));

/* Adapter and objects through the interposed tables; all answered inline. In a task. */
NDK_ADAPTER *open_adapter(void);
void close_adapter(void);
NDK_CQ *open_cq(void);
NDK_PD *open_pd(void);
NDK_QP *open_qp(NDK_PD *pd, NDK_CQ *cq, void *context);
NDK_CONNECTOR *open_connector(void);
NDK_LISTENER *open_listener(NDK_FN_CONNECT_EVENT_CALLBACK event, void *context);
/* Closes an object of any type but an adapter; answered inline. */
void close_object(void *object);

/* What the provider was given: QPContext of the last open_qp. */
extern void *last_qp_stamp;

/* The consumer's routines, and what they got. */
struct heard {
    uint32_t count;
    void *context;
    NTSTATUS status;
    void *object;
};
extern struct heard heard;
void hear_create(PVOID context, NTSTATUS status, NDK_OBJECT_HEADER *object);
void hear_request(PVOID context, NTSTATUS status);
void hear_close(PVOID context);
void hear_cq(PVOID context, NTSTATUS status);

/* The run ended with exactly one finding, of this rule and by this party. */
void expect_finding(const char *id, const char *guilty);
void expect_no_finding(void);
const char *name_of(const void *ndk_object);

#endif
