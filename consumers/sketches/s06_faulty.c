/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S06, as it is found in the field: "the release will clean up". It waits for the NDK adapter to be
 * closed, which nobody does: DriverEntry never returns.
 */
#include "s06.h"

VOID S06Leave(VOID) {
    WskReleaseProviderNPI(&S06Rdma.Registration);
    WskDeregister(&S06Rdma.Registration);
}
