/* SPDX-License-Identifier: Apache-2.0 */
/* S19, done right: who has begun a message ends it before somebody else begins one. */
#include "s19.h"

VOID S19BatchBegin(PFAST_MUTEX Batch) {
    ExAcquireFastMutex(Batch);
}

VOID S19BatchEnd(PFAST_MUTEX Batch) {
    ExReleaseFastMutex(Batch);
}
