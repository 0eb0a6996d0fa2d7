/* SPDX-License-Identifier: Apache-2.0 */
/* S18, done right: the last credit waits until it can carry a grant. */
#include "s18.h"

BOOLEAN S18MaySend(ULONG Credits, ULONG Grantable) {
    return Credits > 1 || (Credits == 1 && Grantable != 0);
}
