/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GUID and its definition macros. DEFINE_GUID declares; after <initguid.h> it defines, in every
 * source file that says so, one mergeable copy.
 */
#ifndef NDKSIM_WDK_GUIDDEF_H
#define NDKSIM_WDK_GUIDDEF_H

#include <stdint.h>

#ifndef GUID_DEFINED
#define GUID_DEFINED
typedef struct _GUID {
    uint32_t Data1;
    unsigned short Data2;
    unsigned short Data3;
    unsigned char Data4[8];
} GUID, *PGUID, *LPGUID;
typedef const GUID *PCGUID, *LPCGUID;
typedef GUID IID, CLSID;
#endif

#define REFGUID const GUID *
#define REFIID const IID *
#define REFCLSID const CLSID *

inline __attribute__((always_inline)) int NdksimGuidEqual(const GUID *Guid1, const GUID *Guid2) {
    return __builtin_memcmp(Guid1, Guid2, sizeof(GUID)) == 0;
}
#define IsEqualGUID(guid1, guid2) NdksimGuidEqual(guid1, guid2)
#define InlineIsEqualGUID(guid1, guid2) NdksimGuidEqual(guid1, guid2)
#define IsEqualIID(iid1, iid2) NdksimGuidEqual(iid1, iid2)

#endif

/* Outside the guard: including <initguid.h> first, or again, switches to definitions. */
#undef DEFINE_GUID
#ifdef INITGUID
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8)                               \
    extern const GUID name;                                                                        \
    const GUID __attribute__((weak)) name = {l, w1, w2, {b1, b2, b3, b4, b5, b6, b7, b8}}
#else
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) extern const GUID name
#endif
