/* SPDX-License-Identifier: Apache-2.0 */
/* Credits; see smbd_credit.h. */
#include "smbd_credit.h"

VOID CreditsTarget(PSMBD_CREDITS Credits, ULONG Requested) {
    Credits->Target = min(max(Requested, CREDITS_MIN), Credits->ReceiveMax);
}

ULONG CreditsGrantable(const SMBD_CREDITS *Credits) {
    ULONG Ceiling = min(Credits->Target, Credits->Posted);

    return Ceiling > Credits->Granted ? Ceiling - Credits->Granted : 0;
}

BOOLEAN CreditsMaySend(const SMBD_CREDITS *Credits) {
    return Credits->Send > 1 || (Credits->Send == 1 && CreditsGrantable(Credits) != 0);
}

BOOLEAN CreditsPromptly(const SMBD_CREDITS *Credits) {
    if (CreditsGrantable(Credits) == 0) {
        return FALSE;
    }
    return Credits->Granted == 0 || Credits->Granted + 1 < Credits->Target;
}

USHORT CreditsSpend(PSMBD_CREDITS Credits) {
    ULONG Grant = min(CreditsGrantable(Credits), MAXUSHORT);

    NT_ASSERT(Credits->Send != 0);
    Credits->Send--;
    Credits->Granted += Grant;
    return (USHORT)Grant;
}

BOOLEAN CreditsReceived(PSMBD_CREDITS Credits, ULONG Granted, ULONG Requested) {
    if (Credits->Granted == 0) {
        return FALSE;
    }
    Credits->Granted--;
    Credits->Send += Granted;
    CreditsTarget(Credits, Requested);
    return TRUE;
}
