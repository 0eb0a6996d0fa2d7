/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on protection domains, memory keys and queue pairs. */
#include "command.h"
#include "device.h"
#include "mkey.h"
#include "qp.h"

enum rnic_status rnic_command_create_pd(struct rnic_call *call) {
    uint32_t key = 0;
    enum rnic_status status = rnic_pd_create(call->device, &call->command->number, &key);
    call->command->argument[0] = key;
    return status;
}

enum rnic_status rnic_command_destroy_pd(struct rnic_call *call) {
    return rnic_pd_destroy(call->device, call->command->number);
}

enum rnic_status rnic_command_create_mkey(struct rnic_call *call) {
    struct rnic_mkey *mkey;
    enum rnic_status status = rnic_mkey_create(call->device, &call->in.mkey_create, &mkey);
    if (status != RNIC_STATUS_OK)
        return status;
    call->command->number = mkey->number;
    call->command->argument[0] = rnic_mkey_key(mkey);
    return RNIC_STATUS_OK;
}

enum rnic_status rnic_command_destroy_mkey(struct rnic_call *call) {
    return rnic_mkey_destroy(call->device, call->command->number, call->command->argument[0] != 0);
}

enum rnic_status rnic_command_query_mkey(struct rnic_call *call) {
    return rnic_mkey_query(call->device, call->command->number, &call->out.mkey_info);
}

enum rnic_status rnic_command_create_qp(struct rnic_call *call) {
    return rnic_qp_create(call->device, &call->in.qp_create, &call->command->number);
}

enum rnic_status rnic_command_destroy_qp(struct rnic_call *call) {
    return rnic_qp_destroy(call->device, call->command->number);
}

enum rnic_status rnic_command_modify_qp(struct rnic_call *call) {
    struct rnic_qp *qp = rnic_qp_find(call->device, call->command->number);
    return qp != NULL ? rnic_qp_modify(qp, &call->in.qp_attributes) : RNIC_STATUS_BAD_NUMBER;
}

enum rnic_status rnic_command_query_qp(struct rnic_call *call) {
    const struct rnic_qp *qp = rnic_qp_find(call->device, call->command->number);
    if (qp == NULL)
        return RNIC_STATUS_BAD_NUMBER;
    rnic_qp_query(qp, &call->out.qp_info);
    return RNIC_STATUS_OK;
}
