/* SPDX-License-Identifier: Apache-2.0 */
/*
 * S06, done right: everything is closed in order before the interface is released. The close of the
 * connector ends the accept; the listener's waits for it.
 */
#include "s06.h"

VOID S06Leave(VOID) {
    if (S06End.Connector != NULL) {
        SyncClose(&S06End.Connector->Header, S06End.Connector->Dispatch->NdkCloseConnector);
        S06End.Connector = NULL;
    }
    if (S06Listener != NULL) {
        SyncClose(&S06Listener->Header, S06Listener->Dispatch->NdkCloseListener);
    }
    EndClose(&S06End);
    AdapterClose(&S06Rdma);
}
