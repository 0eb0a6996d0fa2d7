/* SPDX-License-Identifier: Apache-2.0 */
/* S18, with the bug: a credit is a credit. When both have spent their last one, nobody can grant.
 */
#include "s18.h"

BOOLEAN S18MaySend(ULONG Credits, ULONG Grantable) {
    UNREFERENCED_PARAMETER(Grantable);
    return Credits != 0;
}
