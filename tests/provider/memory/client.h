/* SPDX-License-Identifier: Apache-2.0 */
/* What a case of the client works with; see side.h. */
#ifndef TESTS_PROVIDER_MEMORY_CLIENT_H
#define TESTS_PROVIDER_MEMORY_CLIENT_H

#include "cases.h"
#include "side.h"

VOID ClientConnect(PSIDE Side);
/* Gives the connection up, whatever its state, and makes a new one. */
VOID ClientReconnect(PSIDE Side);
VOID ClientEnd(PSIDE Side);

/*
 * Has the peer do it. An operation that ended the connection is asked about over a new one; the
 * answer is how the operation ended for the peer. *Value may be NULL.
 */
NTSTATUS Ask(PSIDE Side, const ORDER *Order, PULONG Value);
/*
 * The peer's operation was refused on this side. When the refusal itself is lost, the peer hears
 * nothing but the end of the connection.
 */
VOID CheckRefused(PSIDE Side, NTSTATUS Status, PCSTR What);
/* Fills in Side->PeerAddress and PeerToken. */
VOID AskWhere(PSIDE Side);
NTSTATUS AskRead(PSIDE Side, const VOID *Address, UINT32 Token, ULONG Bytes);
NTSTATUS AskWrite(PSIDE Side, const VOID *Address, UINT32 Token, ULONG Bytes, ULONG Value);
/* Messages that are answered by nothing but themselves. The slot in which they came. */
ULONG AskSend(PSIDE Side, ORDER_KIND Kind, UINT32 Token, ULONG Bytes, ULONG Value);

/* The next result is of that request and ended so. */
VOID Expect(PSIDE Side, ULONG_PTR Context, NDK_OPERATION_TYPE Type, NTSTATUS Status);
/* Until the QP is empty: all receives are cancelled. */
VOID ExpectCancelled(PSIDE Side, ULONG Receives);

/* Objects of a case; each must be had. */
NDK_MW *NewMw(NDK_PD *Pd);
NDK_MR *NewMr(PSIDE Side, BOOLEAN FastRegister);
VOID CloseMr(NDK_MR *Mr);
VOID CloseMw(NDK_MW *Mw);

/* Posts that must be taken. */
VOID Read(PSIDE Side, ULONG_PTR Context, const NDK_SGE *Sgl, ULONG Count, ULONG Flags);
VOID Write(PSIDE Side, ULONG_PTR Context, const NDK_SGE *Sgl, ULONG Count, ULONG Flags);
VOID Send(PSIDE Side, ULONG_PTR Context, const NDK_SGE *Sgl, ULONG Count, ULONG Flags);
VOID Bind(PSIDE Side, ULONG_PTR Context, NDK_MR *Mr, NDK_MW *Mw, PVOID Address, SIZE_T Bytes,
          ULONG Flags);
VOID Invalidate(PSIDE Side, ULONG_PTR Context, NDK_OBJECT_HEADER *Object, ULONG Flags);

#define DECLARE_CASE(name) VOID name(PSIDE Side);
MEMORY_CASES(DECLARE_CASE)

#endif
