/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extension interfaces. The interface defines none (R-ADPT-09); the one of ours, which tells what
 * holds an object, is offered by the adapters that are told to.
 */
#include "adapter.h"

#include <ndksim_holders.h>

static VOID NdksimGetHolders(NDK_OBJECT_HEADER *pNdkObject, NDKSIM_HOLDERS *pHolders) {
    PRNIC_OBJECT Object = CONTAINING_RECORD(pNdkObject, RNIC_OBJECT, Ndk.Header);

    pHolders->Consumer = ObjectCount(Object, RefConsumer);
    pHolders->Successors = ObjectCount(Object, RefSuccessor);
    pHolders->Requests = ObjectCount(Object, RefRequest);
    pHolders->Callbacks = ObjectCount(Object, RefCallback);
    pHolders->Hardware = ObjectCount(Object, RefHardware);
}

static const NDKSIM_HOLDERS_DISPATCH HoldersDispatch = {
    .NdksimGetHolders = NdksimGetHolders,
};

NTSTATUS NdkQueryExtension(NDK_OBJECT_HEADER *pNdkObject, GUID *ExtensionInterfaceID,
                           NDK_VERSION ExtensionInterfaceVersion,
                           NDK_EXTENSION_INTERFACE *pExtensionInterface) {
    static const GUID Holders = NDKSIM_HOLDERS_EXTENSION;
    PRNIC_OBJECT Object = CONTAINING_RECORD(pNdkObject, RNIC_OBJECT, Ndk.Header);

    if (Object->Owner->Settings.HoldersExtension == 0 ||
        !IsEqualGUID(ExtensionInterfaceID, &Holders) ||
        ExtensionInterfaceVersion.Major != NDKSIM_HOLDERS_MAJOR ||
        ExtensionInterfaceVersion.Minor > NDKSIM_HOLDERS_MINOR) {
        return STATUS_NOT_SUPPORTED;
    }
    pExtensionInterface->Dispatch = &HoldersDispatch;
    return STATUS_SUCCESS;
}
