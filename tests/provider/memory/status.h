/* SPDX-License-Identifier: Apache-2.0 */
/* How the case EveryCallOnce tells what failed; for the driver and for the test program. */
#ifndef TESTS_PROVIDER_MEMORY_STATUS_H
#define TESTS_PROVIDER_MEMORY_STATUS_H

typedef enum _STATUS_CALL {
    CallCreatePd,
    CallCreateMr,
    CallCreateMw,
    CallRegisterMr,
    CallInitializeFastRegisterMr,
    CallBuildLam,
    CallReceive,
    CallBind,
    CallFastRegister,
    CallInvalidate,
    CallWrite,
    CallRead,
    CallSend,
    CallSendAndInvalidate,
} STATUS_CALL;

typedef enum _STATUS_ROUTE { RouteCall, RouteCallback, RouteResult } STATUS_ROUTE;

#endif
