/* SPDX-License-Identifier: Apache-2.0 */
/* Sending the messages of a connector, and its bookkeeping; see cm_send.h. */
#include "adapter.h"
#include "cm_send.h"

VOID CmSend(PRNIC_CONNECTOR Connector, PCSTR Event, const UCHAR *Mad) {
    NdksimTrace(Event, &Connector->Object.Ndk.Header, 0, Connector->Ids.LocalId);
    GsiSend(CmAdapter(Connector), Connector->AddressIndex, &Connector->PeerIp, Mad);
}

/* A REJ to a REQ that was not answered yet carries no id of ours. */
VOID CmSendRej(PRNIC_CONNECTOR Connector, RNIC_CM_ANSWERED Answered, USHORT Reason) {
    RNIC_CM_IDS Ids = Connector->Ids;
    UCHAR Mad[RNIC_MAD_BYTES];

    if (Answered == CmAnsweredReq && Connector->IsPassive && !Connector->MraSent) {
        Ids.LocalId = 0;
    }
    CmEncodeRej(CmAdapter(Connector), Mad, &Ids, Answered, Reason, Connector->RejectPrivate,
                Connector->RejectPrivateBytes);
    CmSend(Connector, "cm.rej", Mad);
}

VOID CmSendReq(PRNIC_CONNECTOR Connector) {
    UCHAR Mad[RNIC_MAD_BYTES];

    CmEncodeReq(Connector, Mad);
    CmSend(Connector, "cm.req", Mad);
}

VOID CmSendRep(PRNIC_CONNECTOR Connector) {
    UCHAR Mad[RNIC_MAD_BYTES];

    CmEncodeRep(Connector, Mad);
    CmSend(Connector, "cm.rep", Mad);
}

VOID CmSendRtu(PRNIC_CONNECTOR Connector) {
    UCHAR Mad[RNIC_MAD_BYTES];

    CmEncodeRtu(Mad, &Connector->Ids);
    CmSend(Connector, "cm.rtu", Mad);
}

VOID CmSendDreq(PRNIC_CONNECTOR Connector) {
    UCHAR Mad[RNIC_MAD_BYTES];

    CmEncodeDreq(Mad, &Connector->Ids, Connector->PeerQpn, FALSE);
    CmSend(Connector, "cm.dreq", Mad);
}

VOID CmSendDrep(PRNIC_CONNECTOR Connector, BOOLEAN Abort) {
    UCHAR Mad[RNIC_MAD_BYTES];

    CmEncodeDrep(Mad, &Connector->Ids, Abort);
    CmSend(Connector, "cm.drep", Mad);
}

VOID CmWait(PRNIC_CONNECTOR Connector, ULONG64 After100ns) {
    CmTimerSet(CmAdapter(Connector), &Connector->Timer, After100ns);
}

/* The peer told in its REQ how long it takes; we use our own time where it could not. */
VOID CmWaitForAnswer(PRNIC_CONNECTOR Connector) {
    UCHAR Code = Connector->PeerResponseTimeout;

    if (Code == 0) {
        Code = (UCHAR)CmAdapter(Connector)->Settings.CmResponseTimeout;
    }
    CmWait(Connector, CmTimeoutOf(Code));
}

VOID CmUp(PRNIC_CONNECTOR Connector) {
    PRNIC_ADAPTER Adapter = CmAdapter(Connector);

    Connector->IsActive = TRUE;
    InsertTailList(&Adapter->Cm.Active, &Connector->ActiveLink);
    Adapter->Counters.ActiveConnection++;
}

VOID CmDown(PRNIC_CONNECTOR Connector) {
    if (Connector->IsActive) {
        Connector->IsActive = FALSE;
        RemoveEntryList(&Connector->ActiveLink);
        CmAdapter(Connector)->Counters.ActiveConnection--;
    }
}

VOID CmCancelRequest(PRNIC_CONNECTOR Connector) {
    if (ConnectorIsBusy(Connector)) {
        ConnectorSettle(Connector, STATUS_CANCELLED);
    }
}
