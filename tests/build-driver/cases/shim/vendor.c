/* SPDX-License-Identifier: Apache-2.0 */
#include "vendor.h"
ULONG VendorDouble(ULONG Value) {
    return 2 * Value;
}
