# SPDX-License-Identifier: Apache-2.0
# Bugs that drivers in the field had, each planted where the same mistake is possible here. The
# names say which: field-NNN is what sketches and reports call FB-NNN. Included by CMakeLists.txt,
# which then has the names in field_variants.
set(field_variants
  field-013 field-017 field-029 field-032 field-037 field-044 field-048 field-055 field-061
  field-063 field-064 field-067 field-071 field-073 field-077 field-083)

# 013: a notification is taken for one result.
ndksim_add_variant(field-013 BASE smb-direct-client FILE consumers/smb-direct/smbd_receive.c
  OLD [==[
    do {
        Count = SmbdPoll(Cq, Connection->Transport->Rdma.HasVersion12, Results, RESULTS_AT_ONCE);
        for (Index = 0; Index < Count; Index++) {
            ReceiveCompleted(Connection, &Results[Index]);
        }
    } while (Count != 0);
]==]
  NEW [==[
    Count = SmbdPoll(Cq, Connection->Transport->Rdma.HasVersion12, Results, 1);
    for (Index = 0; Index < Count; Index++) {
        ReceiveCompleted(Connection, &Results[Index]);
    }
]==])

# 017: who ends the connection, the peer's event or our own stop, is looked at, then acted on.
ndksim_add_variant(field-017 BASE smb-direct-client FILE consumers/smb-direct/smbd_path.c
  OLD [==[
    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    WasUp = Path->State == PathUp;
    if (WasUp) {
        PathEndLocked(Path);
    }
    KeReleaseInStackQueuedSpinLock(&Handle);
    if (WasUp) {
]==]
  NEW [==[
    WasUp = Path->State == PathUp;
    if (WasUp) {
        KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
        PathEndLocked(Path);
        KeReleaseInStackQueuedSpinLock(&Handle);
]==])

# 029: a credit is back as soon as there is a result; its buffer counts as free until the message
# has been looked at.
ndksim_add_variant(field-029 BASE smb-direct-server FILE consumers/smb-direct/smbd_receive.c
  OLD [==[
    } else {
        ReceiveDataLocked(Connection, Buffer, Result);
    }
    SmbdDrainCheckLocked(Connection);
]==]
  NEW [==[
    } else {
        ULONG Back = min(Connection->Credits.Granted, 1u);

        Connection->Credits.Granted -= Back;
        KeReleaseInStackQueuedSpinLock(&Handle);
        KeAcquireInStackQueuedSpinLock(&Connection->Lock, &Handle);
        Connection->Credits.Granted += Back; /* for those who count it again */
        ReceiveDataLocked(Connection, Buffer, Result);
    }
    SmbdDrainCheckLocked(Connection);
]==])

# 032: an answer to a keepalive, or a grant, does not wait for the end of a long message.
ndksim_add_variant(field-032 BASE smb-direct-client FILE consumers/smb-direct/smbd_send.c
  OLD [==[
        if (!SendFragment(Connection)) {
            return;
        }
]==]
  NEW [==[
        if (Connection->ResponseOwed || CreditsPromptly(&Connection->Credits)) {
            SendEmpty(Connection);
        }
        if (Connection->State != SmbdEstablished || !SendFragment(Connection)) {
            return;
        }
]==])

# 037: a message on a connection that is not known to be established is an error of the peer.
ndksim_add_variant(field-037 BASE smb-direct-server FILE consumers/smb-direct/smbd_receive.c
  OLD [==[
    } else if (Connection->State == SmbdNegotiating) {
]==]
  NEW [==[
    } else if (Connection->IsServer && !Connection->IsConnected) {
        SmbdEndLocked(Connection, STATUS_INVALID_NETWORK_RESPONSE, "message before the connection");
    } else if (Connection->State == SmbdNegotiating) {
]==])

# 044: a refusal comes in an attempt that is being given up.
ndksim_add_variant(field-044 BASE smb-direct-client FILE consumers/smb-direct/smbd_path.c
  OLD [==[
    IsGood = Status == STATUS_SUCCESS && Path->State == PathConnecting;
]==]
  NEW [==[
    NT_ASSERT(Path->State == PathConnecting);
    IsGood = Status == STATUS_SUCCESS;
]==])

# 048: the connector is closed while the call that started on it has not returned.
ndksim_add_variant(field-048 BASE smb-direct-client FILE consumers/smb-direct/smbd_path.c
  OLD [==[
    if (Path->State == PathClearing && Path->Calls == 0 && !Path->IsClosing &&
]==]
  NEW [==[
    if (Path->State == PathClearing && !Path->IsClosing &&
]==])

# 055: a connection of the server is over, and then there is still something to count in it.
ndksim_add_variant(field-055 BASE smb-direct-server FILE consumers/smb-direct/server_connection.c
  OLD [==[
    Entry->IsOver = TRUE;
    KeSetEvent(&Server->Wake, IO_NO_INCREMENT, FALSE);
    KeReleaseInStackQueuedSpinLock(&Handle);
]==]
  NEW [==[
    Entry->IsOver = TRUE;
    KeSetEvent(&Server->Wake, IO_NO_INCREMENT, FALSE);
    KeReleaseInStackQueuedSpinLock(&Handle);
    InterlockedExchange(&Entry->Mini.BusyCount, 0);
]==]
  OLD2 [==[
        ThreadJoin(Entry->Thread);
        ExFreePoolWithTag(Entry, SERVER_POOL_TAG);
]==]
  NEW2 [==[
        if (Entry->Thread != NULL) {
            ObDereferenceObject(Entry->Thread);
        }
        ExFreePoolWithTag(Entry, SERVER_POOL_TAG);
]==])

# 061: the reference of the connected state is taken by who hears of the connection, not by who
# makes it one; nobody drops it when the attempt is given up in between.
ndksim_add_variant(field-061 BASE smb-direct-client FILE consumers/smb-direct/smbd_path.c
  OLD [==[
        Path->State = PathUp;
        PathGet(Path);
]==]
  NEW [==[
        Path->State = PathUp;
]==]
  OLD2 [==[
        Path->State = PathConnected;
]==]
  NEW2 [==[
        Path->State = PathConnected;
        PathGet(Path);
]==])

# 063: the limit of a request is set when it is on its way, and nobody stops it when the answer was
# faster.
ndksim_add_variant(field-063 BASE smb-direct-client FILE consumers/smb-direct/mini_client_slot.c
  OLD [==[
    SlotArm(Slot);
    SmbdQueue(Client->Connection, &Slot->Request);
]==]
  NEW [==[
    SmbdQueue(Client->Connection, &Slot->Request);
    SlotArm(Slot);
]==])

# 064: limits of requests that were under way run out by themselves, and take their reference then.
ndksim_add_variant(field-064-late BASE smb-direct-client FILE consumers/smb-direct/mini_client.c
  OLD [==[
        MiniSlotStop(&Client->Slots[Index]);
    }
    SmbdTimersWait(Client->Connection);
]==]
  NEW [==[
        Client->Slots[Index].Timer.IsArmed = FALSE;
    }
    SmbdTimersWait(Client->Connection);
]==])
ndksim_add_variant(field-064 BASE field-064-late FILE consumers/smb-direct/smbd_timer.c
  OLD [==[
    if (Timer->IsOut || !ExAcquireRundownProtection(&Connection->TimerUse)) {
        return;
    }
]==]
  NEW [==[
    if (Timer->IsOut) {
        return;
    }
]==]
  OLD2 [==[
        Timer->IsOut = FALSE;
        ExReleaseRundownProtection(&Timer->Connection->TimerUse);
]==]
  NEW2 [==[
        Timer->IsOut = FALSE;
]==]
  OLD3 [==[
    UNREFERENCED_PARAMETER(Dpc);
]==]
  NEW3 [==[
    if (!ExAcquireRundownProtection(&Connection->TimerUse)) {
        return;
    }
    UNREFERENCED_PARAMETER(Dpc);
]==])

# 067: a listener that comes when the server has gone down belongs to nobody.
ndksim_add_variant(field-067 BASE smb-direct-server FILE consumers/smb-direct/server_listen.c
  OLD [==[
    IsWanted = !Server->IsRefusing;
]==]
  NEW [==[
    IsWanted = TRUE;
]==])

# 071: a late failure of the attempt begins the pause of a path that has been stopped.
ndksim_add_variant(field-071 BASE smb-direct-client FILE consumers/smb-direct/smbd_path.c
  OLD [==[
    if (Path->IsStopping || Path->Try >= Transport->ConnectTries) {
        PathEndLocked(Path);
        return;
    }
    Path->State = PathPausing;
    TimerSetLocked(Path, Transport->ConnectDelayMs);
]==]
  NEW [==[
    LARGE_INTEGER Due;

    if (Path->Try >= Transport->ConnectTries) {
        PathEndLocked(Path);
        return;
    }
    /* No reference: who stops the path cancels it. */
    Path->State = PathPausing;
    Due.QuadPart = -(LONGLONG)Transport->ConnectDelayMs * TICKS_PER_MS;
    KeSetTimer(&Path->Timer, Due, &Path->TimerDpc);
    KeSetEvent(&Path->Settled, IO_NO_INCREMENT, FALSE);
]==]
  OLD2 [==[
    if (IsPauseOver) {
        PathAttempt(Path);
    } else {
]==]
  NEW2 [==[
    if (IsPauseOver) {
        KeClearEvent(&Path->Settled);
        PathAttempt(Path);
        return;
    } else {
]==]
  OLD3 [==[
    if (Path->State == PathPausing) {
        TimerCancelLocked(Path);
    }
]==]
  NEW3 [==[
    if (Path->State == PathPausing) {
        Path->IsTimerOut = !KeCancelTimer(&Path->Timer);
    }
]==])

# 073: the pause is over, the pointer is read again and is null, and equals what it was compared to.
ndksim_add_variant(field-073 BASE smb-direct-client FILE consumers/smb-direct/smbd_path.c
  OLD [==[
    NDK_ADAPTER *Adapter = Path->Connection->Transport->Rdma.Adapter;
    NDK_CONNECTOR *Connector = NULL;
    KLOCK_QUEUE_HANDLE Handle;
    NTSTATUS Status;

    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    if (Path->IsStopping) {
]==]
  NEW [==[
    PSMBD_CONNECTION Owner = Path->Connection;
    NDK_ADAPTER *Adapter;
    NDK_CONNECTOR *Connector = NULL;
    KLOCK_QUEUE_HANDLE Handle;
    BOOLEAN IsMine =
        InterlockedCompareExchangePointer((PVOID *)&Path->Connection, Owner, Owner) == Owner;
    NTSTATUS Status;

    Adapter = Owner->Transport->Rdma.Adapter;
    KeAcquireInStackQueuedSpinLock(&Path->Lock, &Handle);
    if (!IsMine || Path->IsStopping) {
]==]
  OLD2 [==[
    if (Path->State == PathPausing) {
        TimerCancelLocked(Path);
    }
]==]
  NEW2 [==[
    if (Path->State == PathPausing) {
        TimerCancelLocked(Path);
        Path->Connection = NULL;
    }
]==])

# 077: the event has the thread flush the QP, and the thread reads of it when there is none.
ndksim_add_variant(field-077-event BASE smb-direct-client FILE consumers/smb-direct/smbd_connect.c
  OLD [==[
    SmbdEnd(Connection, STATUS_CONNECTION_DISCONNECTED, "peer disconnected");
]==]
  NEW [==[
    InterlockedExchangePointer(&Connection->Upper, Connection->Qp);
    SmbdEnd(Connection, STATUS_CONNECTION_DISCONNECTED, "peer disconnected");
]==])
ndksim_add_variant(field-077 BASE field-077-event FILE consumers/smb-direct/smbd_teardown.c
  OLD [==[
    NT_ASSERT(SmbdHasEnded(Connection));
]==]
  NEW [==[
    NDK_QP *Lost = InterlockedExchangePointer(&Connection->Upper, NULL);

    NT_ASSERT(SmbdHasEnded(Connection));
    if (Lost != NULL) {
        Lost->Dispatch->NdkFlush(Lost);
    }
]==]
  OLD2 [==[
    if (Connection->IsEarly) {
        CloseGroupWait(&Connection->Early);
    }
]==]
  NEW2 [==[
    if (Connection->IsEarly) {
        CloseGroupWait(&Connection->Early);
    }
    Lost = InterlockedExchangePointer(&Connection->Upper, NULL);
    if (Lost != NULL) {
        Lost->Dispatch->NdkFlush(Lost);
    }
]==])

# 083: a session's name is free when its connection is gone, not when the client has closed it: who
# is back quickly meets himself.
ndksim_add_variant(field-083 BASE smb-direct-server FILE consumers/smb-direct/server_connection.c
  OLD [==[
    ServerSessionRelease(Entry);
    SmbdTeardown(Connection, Mode);
    ConnectionHide(Entry);
]==]
  NEW [==[
    SmbdTeardown(Connection, Mode);
    ServerSessionRelease(Entry);
    ConnectionHide(Entry);
]==]
  OLD2 [==[
    Entry->Mini.Closed = ServerSessionRelease;
]==]
  NEW2 [==[
    Entry->Mini.Closed = ConnectionMourn;
]==]
  OLD3 [==[
/* The connector is all there is. */
]==]
  NEW3 [==[
static VOID ConnectionMourn(PVOID Context) {
    UNREFERENCED_PARAMETER(Context);
}

/* The connector is all there is. */
]==])
