/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Credits of one connection (MS-SMBD 3.1.1.1), as arithmetic: no locks, no calls. The connection's
 * lock is held around every use.
 *
 *   Granted <= Posted <= ReceiveMax      the peer never has more credits than receives are posted
 *
 * Two rules keep both sides moving. The last send credit is spent only on a message that grants,
 * so that never both sides are without credits. And a grant goes out on its own as soon as the peer
 * has none left, or lacks two; lacking one, it rides on the next message, or else two idle sides
 * would grant to each other for ever. A peer down to its last credit must lack two, or neither rule
 * would ever help it: hence at least three credits, whatever it asks for.
 */
#ifndef SMB_DIRECT_SMBD_CREDIT_H
#define SMB_DIRECT_SMBD_CREDIT_H

#include <ntddk.h>

#define CREDITS_MIN 3u

typedef struct _SMBD_CREDITS {
    ULONG ReceiveMax; /* receives that we are ready to post, at least CREDITS_MIN */
    ULONG Target;     /* credits that the peer wants to hold, at most ReceiveMax */
    ULONG Posted;     /* receives posted and not completed */
    ULONG Granted;    /* credits that the peer holds */
    ULONG Send;       /* credits that we hold */
} SMBD_CREDITS, *PSMBD_CREDITS;

/* The peer asks to hold `Requested` credits. Below two, neither side could ever use its last one.
 */
VOID CreditsTarget(PSMBD_CREDITS Credits, ULONG Requested);
/* Credits that the next message can grant. */
ULONG CreditsGrantable(const SMBD_CREDITS *Credits);
BOOLEAN CreditsMaySend(const SMBD_CREDITS *Credits);
/* A grant is due even if there is nothing else to send. */
BOOLEAN CreditsPromptly(const SMBD_CREDITS *Credits);
/* A message is about to be posted: spends one, grants what it can; the answer is the grant. */
USHORT CreditsSpend(PSMBD_CREDITS Credits);
/* A message came: FALSE when the peer had no credit for it. */
BOOLEAN CreditsReceived(PSMBD_CREDITS Credits, ULONG Granted, ULONG Requested);

#endif
