/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integer types of fixed and of pointer size.
 *
 * Windows is LLP64: LONG has 32 bits. As there, the 64-bit types, SIZE_T and ULONG_PTR are one and
 * the same type as far as the host allows, so that pointers to them mix.
 */
#ifndef NDKSIM_WDK_BASETSD_H
#define NDKSIM_WDK_BASETSD_H

#include <stddef.h>
#include <stdint.h>

#include "sal.h"

#ifndef __int64
#define __int8 char
#define __int16 short
#define __int32 int
#define __int64 __INT64_TYPE__
#endif

typedef int8_t INT8, *PINT8;
typedef int16_t INT16, *PINT16;
typedef int32_t INT32, *PINT32;
typedef int64_t INT64, *PINT64;
typedef uint8_t UINT8, *PUINT8;
typedef uint16_t UINT16, *PUINT16;
typedef uint32_t UINT32, *PUINT32;
typedef uint64_t UINT64, *PUINT64;

typedef int32_t LONG32, *PLONG32;
typedef uint32_t ULONG32, *PULONG32;
typedef uint32_t DWORD32, *PDWORD32;
typedef int64_t LONG64, *PLONG64;
typedef uint64_t ULONG64, *PULONG64;
typedef uint64_t DWORD64, *PDWORD64;

typedef intptr_t INT_PTR, *PINT_PTR;
typedef uintptr_t UINT_PTR, *PUINT_PTR;
typedef intptr_t LONG_PTR, *PLONG_PTR;
typedef uintptr_t ULONG_PTR, *PULONG_PTR;
typedef uintptr_t DWORD_PTR, *PDWORD_PTR;
typedef size_t SIZE_T, *PSIZE_T;
typedef ptrdiff_t SSIZE_T, *PSSIZE_T;
typedef ULONG_PTR KAFFINITY, *PKAFFINITY;

#define MAXULONG_PTR (~((ULONG_PTR)0))
#define MAXLONG_PTR ((LONG_PTR)(MAXULONG_PTR >> 1))
#define MAXSIZE_T ((SIZE_T) ~((SIZE_T)0))
#define MAXUINT8 ((UINT8) ~((UINT8)0))
#define MAXUINT16 ((UINT16) ~((UINT16)0))
#define MAXUINT32 ((UINT32) ~((UINT32)0))
#define MAXUINT64 ((UINT64) ~((UINT64)0))
#define MAXULONG32 ((ULONG32) ~((ULONG32)0))
#define MAXULONG64 ((ULONG64) ~((ULONG64)0))
#define MAXINT32 ((INT32)(MAXUINT32 >> 1))
#define MAXINT64 ((INT64)(MAXUINT64 >> 1))
#define MAXLONG64 ((LONG64)(MAXULONG64 >> 1))

#define HandleToUlong(h) ((ULONG)(ULONG_PTR)(h))
#define HandleToULong(h) ((ULONG)(ULONG_PTR)(h))
#define HandleToLong(h) ((LONG)(LONG_PTR)(h))
#define UlongToHandle(ul) ((HANDLE)(ULONG_PTR)(ULONG)(ul))
#define ULongToHandle(ul) ((HANDLE)(ULONG_PTR)(ULONG)(ul))
#define LongToHandle(h) ((HANDLE)(LONG_PTR)(LONG)(h))
#define PtrToUlong(p) ((ULONG)(ULONG_PTR)(p))
#define PtrToULong(p) ((ULONG)(ULONG_PTR)(p))
#define PtrToLong(p) ((LONG)(LONG_PTR)(p))
#define PtrToUint(p) ((UINT32)(UINT_PTR)(p))
#define PtrToInt(p) ((INT32)(INT_PTR)(p))
#define PtrToUshort(p) ((unsigned short)(ULONG_PTR)(p))
#define UlongToPtr(ul) ((VOID *)(ULONG_PTR)(ULONG)(ul))
#define ULongToPtr(ul) ((VOID *)(ULONG_PTR)(ULONG)(ul))
#define LongToPtr(l) ((VOID *)(LONG_PTR)(LONG)(l))
#define UintToPtr(ui) ((VOID *)(UINT_PTR)(UINT32)(ui))
#define IntToPtr(i) ((VOID *)(INT_PTR)(INT32)(i))
#define Ptr32ToPtr(p) ((VOID *)(ULONG_PTR)(ULONG)(p))

#endif
