/* SPDX-License-Identifier: Apache-2.0 */
/* From MDL chains to page addresses. Virtual addresses are compared, never followed (R-MEM-03). */
#include "adapter.h"

ULONG MdlPageCount(MDL *Mdl, SIZE_T Length) {
    return ADDRESS_AND_SIZE_TO_SPAN_PAGES(MmGetMdlVirtualAddress(Mdl), Length);
}

NTSTATUS MdlPages(MDL *Mdl, SIZE_T Length, ULONG64 *Addresses) {
    ULONG Count = MdlPageCount(Mdl, Length);
    ULONG_PTR Next = (ULONG_PTR)MmGetMdlVirtualAddress(Mdl);
    ULONG_PTR Base = Next & ~(ULONG_PTR)(PAGE_SIZE - 1);
    SIZE_T Left = Length;

    for (; Left != 0; Mdl = Mdl->Next) {
        SIZE_T Bytes;
        PPFN_NUMBER Frames;
        ULONG First;
        ULONG Pages;
        ULONG i;

        if (Mdl == NULL || (ULONG_PTR)MmGetMdlVirtualAddress(Mdl) != Next) {
            return STATUS_INVALID_PARAMETER;
        }
        Bytes = min((SIZE_T)MmGetMdlByteCount(Mdl), Left);
        Frames = MmGetMdlPfnArray(Mdl);
        First = (ULONG)((Next - Base) >> PAGE_SHIFT);
        Pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES((PVOID)Next, Bytes);
        for (i = 0; Addresses != NULL && i < Pages && First + i < Count; i++) {
            Addresses[First + i] = (ULONG64)Frames[i] << PAGE_SHIFT;
        }
        Next += Bytes;
        Left -= Bytes;
    }
    return STATUS_SUCCESS;
}
