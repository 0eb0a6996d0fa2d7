/* SPDX-License-Identifier: Apache-2.0 */
VOID VendorNow(ULONG Count) {
    VendorLater(Count);
}
