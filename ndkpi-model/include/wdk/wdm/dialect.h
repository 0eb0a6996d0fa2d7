/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiler dialect: what Microsoft's compiler gives as keywords, spelled for gcc and clang.
 * Structured exceptions are in wdm/exception.h.
 */
#ifndef NDKSIM_WDK_WDM_DIALECT_H
#define NDKSIM_WDK_WDM_DIALECT_H

#include "../sal.h"

#define NTAPI
#define NTAPI_INLINE
#define FASTCALL
#define WINAPI
#define APIENTRY
#define NTSYSAPI
#define NTKERNELAPI
#define NTHALAPI
#define NTSYSCALLAPI
#define DECLSPEC_IMPORT
#define DECLSPEC_EXPORT
#define EXTERN_C extern
#define EXTERN_C_START
#define EXTERN_C_END

/* C99 inline: a driver may write `static` before it or not. */
#define FORCEINLINE inline __attribute__((always_inline))
#define CFORCEINLINE FORCEINLINE
#define DECLSPEC_ALIGN(x) __attribute__((aligned(x)))
#define DECLSPEC_NORETURN __attribute__((noreturn))
#define DECLSPEC_NOINLINE __attribute__((noinline))
#define DECLSPEC_SELECTANY __attribute__((weak))
#define DECLSPEC_NOVTABLE
#define DECLSPEC_DEPRECATED
#define DECLSPEC_CACHEALIGN __attribute__((aligned(SYSTEM_CACHE_ALIGNMENT_SIZE)))
#define SYSTEM_CACHE_ALIGNMENT_SIZE 64
#define MEMORY_ALLOCATION_ALIGNMENT 16
#define UNALIGNED
#define RESTRICTED_POINTER
#define POINTER_ALIGNMENT
#define DUMMYSTRUCTNAME
#define DUMMYUNIONNAME
#define DUMMYUNIONNAME2
#define DUMMYUNIONNAME3

#define EXCEPTION_EXECUTE_HANDLER 1
#define EXCEPTION_CONTINUE_SEARCH 0
#define EXCEPTION_CONTINUE_EXECUTION (-1)

#ifdef _NDKSIM_DRIVER_DIALECT

#define IN
#define OUT
#define OPTIONAL
#define _cdecl
#define __cdecl
#define _stdcall
#define __stdcall
#define _fastcall
#define __fastcall
#define __forceinline inline __attribute__((always_inline))
#define _inline inline
#define __unaligned
#define __ptr64
#define __w64
#define __pragma(x)
#define __assume(e) ((void)0)
#define __noop(...) ((void)0)
#define __debugbreak() DbgBreakPoint()
#define DbgRaiseAssertionFailure() DbgBreakPoint()

#ifndef __declspec
#define __declspec(x) _NDKSIM_DECLSPEC_##x
#define _NDKSIM_DECLSPEC_align(n) __attribute__((aligned(n)))
#define _NDKSIM_DECLSPEC_noreturn __attribute__((noreturn))
#define _NDKSIM_DECLSPEC_noinline __attribute__((noinline))
#define _NDKSIM_DECLSPEC_selectany __attribute__((weak))
#define _NDKSIM_DECLSPEC_deprecated
#define _NDKSIM_DECLSPEC_novtable
#define _NDKSIM_DECLSPEC_dllimport
#define _NDKSIM_DECLSPEC_dllexport __attribute__((visibility("default")))
#define _NDKSIM_DECLSPEC_allocate(section)
#define _NDKSIM_DECLSPEC_code_seg(section)
#define _NDKSIM_DECLSPEC_guard(x)
#define _NDKSIM_DECLSPEC_restrict
#endif

#ifndef NOMINMAX
#ifndef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#endif
#ifndef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#endif

#endif /* _NDKSIM_DRIVER_DIALECT */

#endif
