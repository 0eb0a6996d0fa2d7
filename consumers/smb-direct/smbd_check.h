/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a received message must satisfy, and what the two sides agree on. Pure functions, any IRQL.
 * A check answers NULL when all is well, else the reason for which the connection ends.
 */
#ifndef SMB_DIRECT_SMBD_CHECK_H
#define SMB_DIRECT_SMBD_CHECK_H

#include "smbd_wire.h"

/* Own limits at the start; what was agreed after the negotiation. */
typedef struct _SMBD_LIMITS {
    USHORT ReceiveCreditMax;
    USHORT SendCreditTarget;
    ULONG MaxSendSize;
    ULONG MaxReceiveSize;
    ULONG MaxFragmentedReceiveSize;
    ULONG MaxFragmentedSendSize;
    ULONG MaxReadWriteSize;
    ULONG PreferredSendMax; /* server: a client that prefers more is refused; MAXULONG: none is */
} SMBD_LIMITS, *PSMBD_LIMITS;

/*
 * Server. *Response is STATUS_SUCCESS when the connection is to go on; another status there is
 * answered to the client before the connection ends.
 */
PCSTR CheckNegotiateRequest(const UCHAR *Message, ULONG Bytes, const SMBD_LIMITS *Limits,
                            PSMBD_NEGOTIATE_REQUEST Request, PNTSTATUS Response);
/* Client: `Limits` are its own. */
PCSTR CheckNegotiateResponse(const UCHAR *Message, ULONG Bytes, const SMBD_LIMITS *Limits,
                             PSMBD_NEGOTIATE_RESPONSE Response);
/* Both: a data transfer message of `Bytes`. */
PCSTR CheckData(const UCHAR *Message, ULONG Bytes, const SMBD_LIMITS *Limits, PSMBD_HEADER Header);

/* Lowers own limits to what the peer offered. */
VOID AgreeAsServer(PSMBD_LIMITS Limits, const SMBD_NEGOTIATE_REQUEST *Request);
VOID AgreeAsClient(PSMBD_LIMITS Limits, const SMBD_NEGOTIATE_RESPONSE *Response);

#endif
