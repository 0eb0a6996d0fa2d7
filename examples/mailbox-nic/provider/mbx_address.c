/* SPDX-License-Identifier: Apache-2.0 */
/* Socket addresses as the device has them, and MDLs as page lists. */
#include "mbx.h"

static const UCHAR MappedPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

BOOLEAN AddressIsV4(const struct mbx_address *Address) {
    return RtlEqualMemory(Address->ip, MappedPrefix, sizeof(MappedPrefix));
}

BOOLEAN AddressIsWildcard(const struct mbx_address *Address) {
    static const UCHAR Zero[16];

    return AddressIsV4(Address) ? RtlEqualMemory(Address->ip + 12, Zero, 4)
                                : RtlEqualMemory(Address->ip, Zero, sizeof(Zero));
}

NTSTATUS AddressFromSockaddr(const struct sockaddr *Sockaddr, ULONG Length,
                             struct mbx_address *Address) {
    RtlZeroMemory(Address, sizeof(*Address));
    if (Sockaddr == NULL || Length < sizeof(ADDRESS_FAMILY)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (Sockaddr->sa_family == AF_INET && Length >= sizeof(SOCKADDR_IN)) {
        const SOCKADDR_IN *V4 = (const SOCKADDR_IN *)Sockaddr;

        RtlCopyMemory(Address->ip, MappedPrefix, sizeof(MappedPrefix));
        RtlCopyMemory(Address->ip + 12, &V4->sin_addr, 4);
        Address->port = RtlUshortByteSwap(V4->sin_port);
        return STATUS_SUCCESS;
    }
    if (Sockaddr->sa_family == AF_INET6 && Length >= sizeof(SOCKADDR_IN6)) {
        const SOCKADDR_IN6 *V6 = (const SOCKADDR_IN6 *)Sockaddr;

        RtlCopyMemory(Address->ip, &V6->sin6_addr, sizeof(Address->ip));
        Address->port = RtlUshortByteSwap(V6->sin6_port);
        return STATUS_SUCCESS;
    }
    return STATUS_INVALID_PARAMETER;
}

VOID AddressToInet(const struct mbx_address *Address, PSOCKADDR_INET Inet) {
    RtlZeroMemory(Inet, sizeof(*Inet));
    if (AddressIsV4(Address)) {
        Inet->Ipv4.sin_family = AF_INET;
        Inet->Ipv4.sin_port = RtlUshortByteSwap(Address->port);
        RtlCopyMemory(&Inet->Ipv4.sin_addr, Address->ip + 12, 4);
    } else {
        Inet->Ipv6.sin6_family = AF_INET6;
        Inet->Ipv6.sin6_port = RtlUshortByteSwap(Address->port);
        RtlCopyMemory(&Inet->Ipv6.sin6_addr, Address->ip, sizeof(Address->ip));
    }
}

NTSTATUS AddressToSockaddr(const struct mbx_address *Address, PSOCKADDR Sockaddr, PULONG Length) {
    ULONG Needed = AddressIsV4(Address) ? sizeof(SOCKADDR_IN) : sizeof(SOCKADDR_IN6);
    BOOLEAN Fits = Sockaddr != NULL && *Length >= Needed;
    SOCKADDR_INET Inet;

    *Length = Needed;
    if (!Fits) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    AddressToInet(Address, &Inet);
    RtlCopyMemory(Sockaddr, &Inet, Needed);
    return STATUS_SUCCESS;
}

/* ---- MDLs: virtual addresses are compared, never followed ---- */

ULONG MdlPageCount(MDL *Mdl, SIZE_T Length) {
    return ADDRESS_AND_SIZE_TO_SPAN_PAGES(MmGetMdlVirtualAddress(Mdl), Length);
}

NTSTATUS MdlPages(MDL *Mdl, SIZE_T Length, ULONG64 *Pages) {
    ULONG_PTR At = (ULONG_PTR)MmGetMdlVirtualAddress(Mdl);
    ULONG_PTR FirstPage = At >> PAGE_SHIFT;

    while (Length != 0) {
        SIZE_T Bytes;
        ULONG Count;
        ULONG i;

        if (Mdl == NULL || (ULONG_PTR)MmGetMdlVirtualAddress(Mdl) != At) {
            return STATUS_INVALID_PARAMETER;
        }
        Bytes = min((SIZE_T)MmGetMdlByteCount(Mdl), Length);
        Count = ADDRESS_AND_SIZE_TO_SPAN_PAGES((PVOID)At, Bytes);
        for (i = 0; Pages != NULL && i < Count; i++) {
            Pages[(At >> PAGE_SHIFT) - FirstPage + i] = (ULONG64)MmGetMdlPfnArray(Mdl)[i]
                                                        << PAGE_SHIFT;
        }
        At += Bytes;
        Length -= Bytes;
        Mdl = Mdl->Next;
    }
    return STATUS_SUCCESS;
}
