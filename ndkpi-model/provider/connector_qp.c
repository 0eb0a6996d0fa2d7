/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking the QP of a connector through its states. Ring commands run in the order they were given,
 * so a QP that is taken to ERR right after a step to RTR or RTS ends in ERR.
 */
#include "adapter.h"

/*
 * The condition is on the service's port: the source of what the accepting side sends, the
 * destination of what the initiating side sends (R-NDIS-32).
 */
static UCHAR QosDscp(PRNIC_CONNECTOR Connector) {
    const RNIC_SETTINGS *Settings = &Connector->Object.Owner->Settings;
    USHORT Port = Connector->IsPassive ? Connector->LocalPort : Connector->PeerPort;

    if (Settings->QosPort == 0 || Port != Settings->QosPort) {
        return 0;
    }
    NdksimTrace("qos.matched", &Connector->Object.Ndk.Header, Settings->QosPriority, Port);
    return (UCHAR)(Settings->QosPriority << 3);
}

/* From what a machine with our acknowledge delay and timers needs. */
static VOID RtrFill(const RNIC_COMMAND *Command, PVOID Input) {
    PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Command, RNIC_CONNECTOR, RtrCommand);
    struct rnic_qp_attributes *Attributes = Input;

    Attributes->mask = RNIC_ATTR_STATE | RNIC_ATTR_ADDRESS | RNIC_ATTR_PATH_MTU |
                       RNIC_ATTR_DEST_QPN | RNIC_ATTR_RQ_PSN | RNIC_ATTR_READS_IN |
                       RNIC_ATTR_MIN_RNR_TIMER;
    Attributes->state = RNIC_QPS_RTR;
    Attributes->path_mtu = Connector->PathMtu;
    Attributes->dest_qpn = Connector->PeerQpn;
    Attributes->rq_psn = Connector->LocalPsn;
    Attributes->reads_in = Connector->InboundLimit;
    Attributes->min_rnr_timer = (UCHAR)Connector->Object.Owner->Settings.RnrTimer;
    RtlCopyMemory(Attributes->address.dst_ip, Connector->PeerIp.Bytes, 16);
    Attributes->address.address_index = Connector->AddressIndex;
    Attributes->address.dscp = Connector->Dscp;
}

static VOID RtsFill(const RNIC_COMMAND *Command, PVOID Input) {
    PRNIC_CONNECTOR Connector = CONTAINING_RECORD(Command, RNIC_CONNECTOR, RtsCommand);
    const RNIC_SETTINGS *Settings = &Connector->Object.Owner->Settings;
    struct rnic_qp_attributes *Attributes = Input;

    Attributes->mask = RNIC_ATTR_STATE | RNIC_ATTR_SQ_PSN | RNIC_ATTR_TIMEOUT |
                       RNIC_ATTR_RETRY_COUNT | RNIC_ATTR_RNR_RETRY | RNIC_ATTR_READS_OUT;
    Attributes->state = RNIC_QPS_RTS;
    Attributes->sq_psn = Connector->PeerPsn;
    Attributes->timeout = (UCHAR)Settings->AckTimeout;
    Attributes->retry_count = (UCHAR)Settings->RetryCount;
    Attributes->rnr_retry = Connector->PeerRnrRetry;
    Attributes->reads_out = Connector->OutboundLimit;
}

static VOID ConnectorDeviceEvent(PRNIC_CONNECTOR Connector, RNIC_CM_EVENT Event) {
    KLOCK_QUEUE_HANDLE Lock;

    KeAcquireInStackQueuedSpinLock(&Connector->Object.Owner->Cm.Lock, &Lock);
    if (Event == EvErrDone) {
        Connector->ErrUnderWay = FALSE;
    }
    CmStep(Connector, Event, NULL);
    KeReleaseInStackQueuedSpinLock(&Lock);
}

static VOID RtrDone(PRNIC_COMMAND Command) {
    PRNIC_CONNECTOR Connector = Command->Context;

    ConnectorDeviceEvent(Connector, Command->Status == RNIC_STATUS_OK ? EvRtrDone : EvModifyFailed);
    ObjectPut(&Connector->Object, RefHardware);
}

static VOID RtsDone(PRNIC_COMMAND Command) {
    PRNIC_CONNECTOR Connector = Command->Context;

    ConnectorDeviceEvent(Connector, Command->Status == RNIC_STATUS_OK ? EvRtsDone : EvModifyFailed);
    ObjectPut(&Connector->Object, RefHardware);
}

static VOID ErrDone(PRNIC_COMMAND Command) {
    PRNIC_CONNECTOR Connector = Command->Context;

    if (CommandGivenAgain(Connector->Object.Owner, Command)) {
        return;
    }
    ConnectorDeviceEvent(Connector, EvErrDone);
    ObjectPut(&Connector->Object, RefHardware);
}

static VOID StepCommand(PRNIC_CONNECTOR Connector, PRNIC_COMMAND Command,
                        VOID (*Fill)(const RNIC_COMMAND *Command, PVOID Input)) {
    CommandInit(Command, RNIC_CMD_MODIFY_QP, Connector->Qp->Qpn);
    Command->InBytes = sizeof(struct rnic_qp_attributes);
    Command->Data.Fill = Fill;
}

VOID ConnectorToRtr(PRNIC_CONNECTOR Connector) {
    Connector->Dscp = QosDscp(Connector);
    StepCommand(Connector, &Connector->RtrCommand, RtrFill);
    if (!Connector->Polling) {
        ObjectGet(&Connector->Object, RefHardware);
        CommandSubmit(Connector->Object.Owner, &Connector->RtrCommand, RtrDone, Connector);
    }
}

VOID ConnectorToRts(PRNIC_CONNECTOR Connector) {
    StepCommand(Connector, &Connector->RtsCommand, RtsFill);
    if (!Connector->Polling) {
        ObjectGet(&Connector->Object, RefHardware);
        CommandSubmit(Connector->Object.Owner, &Connector->RtsCommand, RtsDone, Connector);
    }
}

VOID ConnectorToErr(PRNIC_CONNECTOR Connector) {
    if (Connector->ErrUnderWay) {
        return;
    }
    Connector->ErrUnderWay = TRUE;
    QpErrorCommand(Connector->Qp, &Connector->ErrCommand);
    ObjectGet(&Connector->Object, RefHardware);
    CommandSubmit(Connector->Object.Owner, &Connector->ErrCommand, ErrDone, Connector);
}

VOID ConnectorRunPolled(PRNIC_CONNECTOR Connector) {
    PRNIC_ADAPTER Adapter = Connector->Object.Owner;
    UCHAR Status = CommandPolled(Adapter, &Connector->RtrCommand, NULL, 0);

    if (Status == RNIC_STATUS_OK) {
        Status = CommandPolled(Adapter, &Connector->RtsCommand, NULL, 0);
    }
    ConnectorDeviceEvent(Connector, Status == RNIC_STATUS_OK ? EvRtsDone : EvModifyFailed);
}
