/* SPDX-License-Identifier: Apache-2.0 */
/* Registration of a miniport driver, its optional handlers, its adapters' attributes. */
#include <krn/bugcheck.h>

#include <string.h>

#include "adapter.h"
#include "call_error.h"
#include "driver_state.h"
#include "ndis_judge.h"
#include "pool.h"
#include "registry.h"

static bool header_fits(const NDIS_OBJECT_HEADER *header, UCHAR type, UCHAR revision,
                        size_t bytes) {
    return header->Type == type && header->Revision >= revision && header->Size >= bytes;
}

static struct krn_miniport *miniport_of_handle(const struct krn_call *call, NDIS_HANDLE handle) {
    for (struct krn_driver *driver = call->krn->driver_first; driver != NULL;
         driver = driver->next) {
        if (driver->miniport != NULL && (NDIS_HANDLE)driver->miniport == handle) {
            return driver->miniport;
        }
    }
    krn_call_error(call, 0x7C, 0, 0, "the handle is none of a registered miniport driver");
}

static NDIS_STATUS call_set_options(struct krn_miniport *miniport) {
    struct krn_routine routine;
    NDIS_STATUS status;

    if (miniport->handlers.SetOptionsHandler == NULL) {
        return NDIS_STATUS_SUCCESS;
    }
    miniport->in_set_options = true;
    krn_routine_begin(&routine, (const void *)miniport->handlers.SetOptionsHandler,
                      "MiniportSetOptions");
    status = miniport->handlers.SetOptionsHandler(miniport, miniport->driver_context);
    krn_routine_end_ordered(&routine);
    miniport->in_set_options = false;
    return status;
}

static bool characteristics_are_good(const NDIS_MINIPORT_DRIVER_CHARACTERISTICS *given) {
    return header_fits(&given->Header, NDIS_OBJECT_TYPE_MINIPORT_DRIVER_CHARACTERISTICS,
                       NDIS_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_1,
                       NDIS_SIZEOF_MINIPORT_DRIVER_CHARACTERISTICS_REVISION_1) &&
           given->InitializeHandlerEx != NULL && given->HaltHandlerEx != NULL &&
           given->UnloadHandler != NULL && given->PauseHandler != NULL &&
           given->RestartHandler != NULL && given->OidRequestHandler != NULL;
}

NDIS_STATUS
NdisMRegisterMiniportDriver(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                            NDIS_HANDLE MiniportDriverContext,
                            PNDIS_MINIPORT_DRIVER_CHARACTERISTICS MiniportDriverCharacteristics,
                            PNDIS_HANDLE NdisMiniportDriverHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_driver *driver = krn_driver_of_driver_object(call.krn, DriverObject);
    struct krn_miniport *miniport;
    size_t bytes;
    NDIS_STATUS status;

    UNREFERENCED_PARAMETER(RegistryPath);
    if (driver == NULL) {
        krn_bad_pointer(&call, DriverObject, "driver object");
    }
    krn_check_memory(&call, NdisMiniportDriverHandle, sizeof(NDIS_HANDLE), "handle");
    krn_check_memory(&call, MiniportDriverCharacteristics, sizeof(NDIS_OBJECT_HEADER),
                     "miniport characteristics");
    krn_call_point(&call, &driver->object, SIM_ACCESS_CREATE);
    if (!characteristics_are_good(MiniportDriverCharacteristics)) {
        return NDIS_STATUS_BAD_CHARACTERISTICS;
    }
    if (MiniportDriverCharacteristics->MajorNdisVersion != 6) {
        return NDIS_STATUS_BAD_VERSION;
    }
    miniport = sim_alloc(call.world, sizeof(*miniport));
    bytes = MiniportDriverCharacteristics->Header.Size;
    bytes = bytes < sizeof(miniport->handlers) ? bytes : sizeof(miniport->handlers);
    memcpy(&miniport->handlers, MiniportDriverCharacteristics, bytes);
    miniport->driver = driver;
    miniport->driver_context = MiniportDriverContext;
    miniport->is_registered = true;
    driver->miniport = miniport;
    driver->driver_object.DriverUnload = miniport->handlers.UnloadHandler;
    /* Some drivers use their handle inside MiniportSetOptions. */
    *NdisMiniportDriverHandle = miniport;
    status = call_set_options(miniport);
    if (status != NDIS_STATUS_SUCCESS) {
        miniport->is_registered = false;
        driver->miniport = NULL;
        *NdisMiniportDriverHandle = NULL;
    }
    return status;
}

VOID NdisMDeregisterMiniportDriver(NDIS_HANDLE NdisMiniportDriverHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_miniport *miniport = miniport_of_handle(&call, NdisMiniportDriverHandle);

    krn_call_point(&call, &miniport->driver->object, SIM_ACCESS_CLOSE);
    if (!miniport->is_registered) {
        krn_call_error(&call, 0x7C, 0, 0, "the miniport driver was deregistered before");
    }
    miniport->is_registered = false;
}

static bool ndk_characteristics_are_good(struct krn_driver *driver,
                                         const NDIS_NDK_PROVIDER_CHARACTERISTICS *ndk) {
    if (!header_fits(&ndk->Header, NDIS_OBJECT_TYPE_NDK_PROVIDER_CHARACTERISTICS,
                     NDIS_NDK_PROVIDER_CHARACTERISTICS_REVISION_1,
                     NDIS_SIZEOF_NDK_PROVIDER_CHARACTERISTICS_REVISION_1)) {
        krn_driver_broken(driver, NULL, "R-NDIS-02",
                          "the header of the NDK provider characteristics has type 0x%X, revision "
                          "%u, size %u",
                          ndk->Header.Type, ndk->Header.Revision, ndk->Header.Size);
        return false;
    }
    if (ndk->Flags != 0) {
        krn_driver_broken(driver, NULL, "R-NDIS-02",
                          "Flags of the NDK provider characteristics is 0x%X", ndk->Flags);
        return false;
    }
    if (ndk->OpenNDKAdapterHandler == NULL || ndk->CloseNDKAdapterHandler == NULL) {
        krn_driver_broken(driver, NULL, "R-NDIS-01",
                          "the NDK provider characteristics lack the %s handler",
                          ndk->OpenNDKAdapterHandler == NULL ? "open" : "close");
        return false;
    }
    return true;
}

NDIS_STATUS NdisSetOptionalHandlers(NDIS_HANDLE NdisHandle,
                                    PNDIS_DRIVER_OPTIONAL_HANDLERS OptionalHandlers) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_miniport *miniport = miniport_of_handle(&call, NdisHandle);
    const NDIS_NDK_PROVIDER_CHARACTERISTICS *ndk =
        (const NDIS_NDK_PROVIDER_CHARACTERISTICS *)(const void *)OptionalHandlers;

    krn_check_memory(&call, OptionalHandlers, sizeof(*OptionalHandlers), "optional handlers");
    krn_call_point(&call, &miniport->driver->object, SIM_ACCESS_WRITE);
    miniport->driver->offers_ndk |=
        OptionalHandlers->Type == NDIS_OBJECT_TYPE_NDK_PROVIDER_CHARACTERISTICS;
    if (!miniport->in_set_options) {
        krn_driver_broken(miniport->driver, NULL, "R-NDIS-01",
                          "NdisSetOptionalHandlers was called outside MiniportSetOptions");
        return NDIS_STATUS_FAILURE;
    }
    if (OptionalHandlers->Type != NDIS_OBJECT_TYPE_NDK_PROVIDER_CHARACTERISTICS) {
        return NDIS_STATUS_NOT_SUPPORTED;
    }
    krn_check_memory(&call, ndk, sizeof(*ndk), "NDK provider characteristics");
    if (!ndk_characteristics_are_good(miniport->driver, ndk)) {
        return NDIS_STATUS_BAD_CHARACTERISTICS;
    }
    miniport->ndk = *ndk;
    miniport->has_ndk = true;
    return NDIS_STATUS_SUCCESS;
}

/* What an adapter may say of its transport: the one that its keyword asks for (R-NDIS-38). */
static void technology_check(struct krn_adapter *adapter, const NDK_ADAPTER_INFO *info) {
    const char *keyword = krn_adapter_keyword(adapter, "*NetworkDirectTechnology");
    uint64_t wanted;

    if (info->RdmaTechnology < NdkiWarp || info->RdmaTechnology > NdkRoCEv2) {
        krn_adapter_broken(adapter, "R-NDIS-28", "the adapter's transport technology is %d",
                           (int)info->RdmaTechnology);
    } else if (keyword != NULL && krn_number_of(keyword, &wanted) &&
               wanted != (uint64_t)info->RdmaTechnology) {
        krn_adapter_broken(adapter, "R-NDIS-28",
                           "*NetworkDirectTechnology is %s, and the adapter reports %d", keyword,
                           (int)info->RdmaTechnology);
    }
}

static bool ndk_attributes_are_good(const struct krn_call *call, struct krn_adapter *adapter,
                                    const NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES *given) {
    const NDIS_NDK_CAPABILITIES *capabilities = given->NdkCapabilities;

    if (adapter->state != KRN_ADAPTER_INITIALIZING) {
        krn_adapter_broken(adapter, "R-NDIS-04",
                           "NDK attributes were set outside MiniportInitializeEx");
        return false;
    }
    if (!header_fits(&given->Header, NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_NDK_ATTRIBUTES,
                     NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1,
                     NDIS_SIZEOF_MINIPORT_ADAPTER_NDK_ATTRIBUTES_REVISION_1)) {
        krn_adapter_broken(adapter, "R-NDIS-04",
                           "the header of the NDK attributes has type 0x%X, revision %u, size %u",
                           given->Header.Type, given->Header.Revision, given->Header.Size);
        return false;
    }
    if (capabilities == NULL) {
        krn_adapter_broken(adapter, "R-NDIS-05", "the NDK attributes have no capabilities");
        return false;
    }
    krn_check_memory(call, capabilities, sizeof(*capabilities), "NDK capabilities");
    if (!header_fits(&capabilities->Header, NDIS_OBJECT_TYPE_DEFAULT,
                     NDIS_NDK_CAPABILITIES_REVISION_1, NDIS_SIZEOF_NDK_CAPABILITIES_REVISION_1)) {
        krn_adapter_broken(adapter, "R-NDIS-06",
                           "the header of the NDK capabilities has type 0x%X, revision %u, size %u",
                           capabilities->Header.Type, capabilities->Header.Revision,
                           capabilities->Header.Size);
        return false;
    }
    if (capabilities->NdkInfo == NULL) {
        krn_adapter_broken(adapter, "R-NDIS-06", "the NDK capabilities have no NdkInfo");
        return false;
    }
    return true;
}

static NDIS_STATUS set_ndk(const struct krn_call *call, struct krn_adapter *adapter,
                           const NDIS_MINIPORT_ADAPTER_NDK_ATTRIBUTES *given) {
    const NDIS_NDK_CAPABILITIES *capabilities = given->NdkCapabilities;

    krn_check_memory(call, given, sizeof(*given), "NDK attributes");
    if (!ndk_attributes_are_good(call, adapter, given)) {
        return NDIS_STATUS_INVALID_PARAMETER;
    }
    krn_check_memory(call, capabilities->NdkInfo, sizeof(*capabilities->NdkInfo),
                     "NDK adapter information");
    technology_check(adapter, capabilities->NdkInfo);
    if (!krn_adapter_is_bound_above(adapter)) {
        krn_adapter_broken(adapter, "R-NDIS-30", "the INF's UpperRange has no ndis5");
    }
    if (given->Enabled && adapter->ndk_keyword_is_off) {
        krn_adapter_broken(adapter, "R-NDIS-16",
                           "the NDK attributes say enabled while *NetworkDirect is 0");
    }
    adapter->ndk_capabilities = *capabilities;
    adapter->ndk_info = *capabilities->NdkInfo;
    adapter->ndk_capabilities.NdkInfo = &adapter->ndk_info;
    adapter->has_ndk = true;
    adapter->ndk_is_enabled = given->Enabled != 0;
    adapter->ndk_is_wanted = adapter->ndk_is_enabled;
    return NDIS_STATUS_SUCCESS;
}

NDIS_STATUS NdisMSetMiniportAttributes(NDIS_HANDLE NdisMiniportHandle,
                                       PNDIS_MINIPORT_ADAPTER_ATTRIBUTES MiniportAttributes) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_adapter *adapter = krn_adapter_of_handle(&call, NdisMiniportHandle);

    krn_check_memory(&call, MiniportAttributes, sizeof(MiniportAttributes->Header),
                     "miniport attributes");
    krn_call_point(&call, &adapter->object, SIM_ACCESS_WRITE);
    if (MiniportAttributes->Header.Type !=
            NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES &&
        !adapter->has_registration) {
        return NDIS_STATUS_FAILURE;
    }
    switch (MiniportAttributes->Header.Type) {
    case NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_REGISTRATION_ATTRIBUTES:
        adapter->context = MiniportAttributes->RegistrationAttributes.MiniportAdapterContext;
        adapter->has_registration = true;
        return NDIS_STATUS_SUCCESS;
    case NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_GENERAL_ATTRIBUTES:
        adapter->has_general = true;
        return NDIS_STATUS_SUCCESS;
    case NDIS_OBJECT_TYPE_MINIPORT_ADAPTER_NDK_ATTRIBUTES:
        return set_ndk(&call, adapter, &MiniportAttributes->NDKAttributes);
    default:
        return NDIS_STATUS_NOT_SUPPORTED;
    }
}
