/* SPDX-License-Identifier: Apache-2.0 */
/* S19, with the bug: each post is serialised, messages are not. */
#include "s19.h"

VOID S19BatchBegin(PFAST_MUTEX Batch) {
    UNREFERENCED_PARAMETER(Batch);
}

VOID S19BatchEnd(PFAST_MUTEX Batch) {
    UNREFERENCED_PARAMETER(Batch);
}
