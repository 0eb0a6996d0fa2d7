/* SPDX-License-Identifier: Apache-2.0 */
typedef struct VENDOR_BLOCK {
    PVOID Address;
} VENDOR_BLOCK;

ULONG VendorSize(VOID);
