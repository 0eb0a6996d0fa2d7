/* SPDX-License-Identifier: Apache-2.0 */
#include "Vendor.h"
ULONG VendorSize(VOID) {
    return sizeof(VENDOR_BLOCK);
}
