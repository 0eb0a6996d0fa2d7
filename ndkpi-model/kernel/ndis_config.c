/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration: an adapter's keywords, or the driver's parameters when the handle is the driver's.
 */
#include "adapter.h"
#include "call_error.h"
#include "driver_state.h"
#include "pool.h"
#include "registry.h"
#include "wide.h"

/* Parameters that were read live until the configuration is closed. */
struct parameter {
    struct parameter *next;
    NDIS_CONFIGURATION_PARAMETER value;
};

struct krn_configuration {
    struct krn_configuration *next; /* of the node: open ones */
    struct krn_adapter *adapter;
    struct krn_registry_key *key; /* the driver's parameters */
    struct parameter *parameter_first;
};

static struct krn_configuration *configuration_of(const struct krn_call *call, NDIS_HANDLE handle) {
    struct krn_configuration *configuration = call->node->configuration_first;

    while (configuration != NULL && (NDIS_HANDLE)configuration != handle) {
        configuration = configuration->next;
    }
    if (configuration == NULL) {
        krn_call_error(call, 0x7C, 0, 0, "the handle is none of an open configuration");
    }
    return configuration;
}

static struct krn_adapter *adapter_of(const struct krn_node *node, NDIS_HANDLE handle) {
    struct krn_adapter *adapter = node->adapter_first;

    while (adapter != NULL && (NDIS_HANDLE)adapter != handle) {
        adapter = adapter->next;
    }
    return adapter;
}

static const struct krn_driver *driver_of(const struct krn_world *krn, NDIS_HANDLE handle) {
    const struct krn_driver *driver = krn->driver_first;

    while (driver != NULL && (NDIS_HANDLE)driver->miniport != handle) {
        driver = driver->next;
    }
    return driver;
}

NDIS_STATUS NdisOpenConfigurationEx(PNDIS_CONFIGURATION_OBJECT ConfigObject,
                                    PNDIS_HANDLE ConfigurationHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_configuration *configuration;
    const struct krn_driver *driver;
    struct krn_adapter *adapter;

    krn_check_memory(&call, ConfigObject, sizeof(*ConfigObject), "configuration object");
    krn_check_memory(&call, ConfigurationHandle, sizeof(NDIS_HANDLE), "handle");
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    *ConfigurationHandle = NULL;
    adapter = adapter_of(call.node, ConfigObject->NdisHandle);
    driver = adapter == NULL ? driver_of(call.krn, ConfigObject->NdisHandle) : NULL;
    if (ConfigObject->NdisHandle == NULL || (adapter == NULL && driver == NULL)) {
        return NDIS_STATUS_FAILURE;
    }
    configuration = sim_alloc(call.world, sizeof(*configuration));
    configuration->adapter = adapter;
    if (driver != NULL) {
        configuration->key = krn_registry_parameters(call.node, driver->name);
    }
    configuration->next = call.node->configuration_first;
    call.node->configuration_first = configuration;
    *ConfigurationHandle = configuration;
    return NDIS_STATUS_SUCCESS;
}

static PNDIS_CONFIGURATION_PARAMETER parameter_make(const struct krn_call *call,
                                                    struct krn_configuration *configuration) {
    struct parameter *parameter = sim_alloc(call->world, sizeof(*parameter));

    parameter->next = configuration->parameter_first;
    configuration->parameter_first = parameter;
    return &parameter->value;
}

static NDIS_STATUS from_text(const struct krn_call *call, const char *text,
                             NDIS_PARAMETER_TYPE type, PNDIS_CONFIGURATION_PARAMETER parameter) {
    uint64_t number;

    parameter->ParameterType = type;
    if (type != NdisParameterInteger && type != NdisParameterHexInteger) {
        parameter->ParameterType = NdisParameterString;
        krn_wide_keep(call->world, text, &parameter->ParameterData.StringData);
        return NDIS_STATUS_SUCCESS;
    }
    if (!krn_number_of(text, &number) || number > UINT32_MAX) {
        return NDIS_STATUS_FAILURE;
    }
    parameter->ParameterData.IntegerData = (ULONG)number;
    return NDIS_STATUS_SUCCESS;
}

static NDIS_STATUS from_value(const struct krn_registry_value *value,
                              PNDIS_CONFIGURATION_PARAMETER parameter) {
    if (value->type == REG_DWORD && value->bytes == sizeof(ULONG)) {
        parameter->ParameterType = NdisParameterInteger;
        parameter->ParameterData.IntegerData = *(const ULONG *)(const void *)value->data;
        return NDIS_STATUS_SUCCESS;
    }
    if (value->type == REG_SZ) {
        parameter->ParameterType = NdisParameterString;
        parameter->ParameterData.StringData.Buffer = (PWCH)(void *)value->data;
        parameter->ParameterData.StringData.Length = (USHORT)(value->bytes - sizeof(WCHAR));
        parameter->ParameterData.StringData.MaximumLength = (USHORT)value->bytes;
        return NDIS_STATUS_SUCCESS;
    }
    parameter->ParameterType = NdisParameterBinary;
    parameter->ParameterData.BinaryData.Length = (USHORT)value->bytes;
    parameter->ParameterData.BinaryData.Buffer = value->data;
    return NDIS_STATUS_SUCCESS;
}

VOID NdisReadConfiguration(PNDIS_STATUS Status, PNDIS_CONFIGURATION_PARAMETER *ParameterValue,
                           NDIS_HANDLE ConfigurationHandle, PNDIS_STRING Keyword,
                           NDIS_PARAMETER_TYPE ParameterType) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_configuration *configuration = configuration_of(&call, ConfigurationHandle);
    const struct krn_registry_value *value = NULL;
    const char *text = NULL;
    char name[128];

    krn_check_memory(&call, Status, sizeof(*Status), "status");
    krn_check_memory(&call, ParameterValue, sizeof(*ParameterValue), "parameter pointer");
    krn_wide_check(&call, Keyword, "keyword");
    krn_call_point(&call, NULL, SIM_ACCESS_READ);
    *ParameterValue = NULL;
    *Status = NDIS_STATUS_FAILURE;
    krn_wide_text(Keyword, name, sizeof(name));
    if (configuration->adapter != NULL) {
        text = krn_adapter_keyword(configuration->adapter, name);
    } else {
        value = krn_registry_value(configuration->key, name);
    }
    if (text == NULL && value == NULL) {
        return;
    }
    *ParameterValue = parameter_make(&call, configuration);
    *Status = text != NULL ? from_text(&call, text, ParameterType, *ParameterValue)
                           : from_value(value, *ParameterValue);
}

VOID NdisCloseConfiguration(NDIS_HANDLE ConfigurationHandle) {
    KRN_CALL(PASSIVE_LEVEL);
    struct krn_configuration *configuration = configuration_of(&call, ConfigurationHandle);
    struct krn_configuration **at = &call.node->configuration_first;

    krn_call_point(&call, NULL, SIM_ACCESS_CLOSE);
    while (*at != configuration) {
        at = &(*at)->next;
    }
    *at = configuration->next;
    while (configuration->parameter_first != NULL) {
        struct parameter *parameter = configuration->parameter_first;

        configuration->parameter_first = parameter->next;
        sim_free(call.world, parameter, sizeof(*parameter));
    }
    sim_free(call.world, configuration, sizeof(*configuration));
}
