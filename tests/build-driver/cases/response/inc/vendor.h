/* SPDX-License-Identifier: Apache-2.0 */
#include <ntddk.h>
ULONG VendorDouble(ULONG Value);
