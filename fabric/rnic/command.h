/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands: fetched and written back by firmware.c, dispatched by command.c over one constant table
 * to one function per opcode.
 */
#ifndef RNIC_COMMAND_H
#define RNIC_COMMAND_H

#include <rnic_hw/rnic.h>

struct rnic_device;

/* A command in execution. Input shorter than the structure is zero-extended. */
struct rnic_call {
    struct rnic_device *device;
    struct rnic_command *command;
    union {
        struct rnic_address address;
        struct rnic_neighbour neighbour;
        struct rnic_eq_create eq_create;
        struct rnic_cq_create cq_create;
        struct rnic_cq_resize cq_resize;
        struct rnic_mkey_create mkey_create;
        struct rnic_qp_create qp_create;
        struct rnic_qp_attributes qp_attributes;
        struct rnic_srq_create srq_create;
        struct rnic_srq_modify srq_modify;
    } in;
    union {
        struct rnic_caps caps;
        struct rnic_address address;
        struct rnic_neighbour neighbour;
        struct rnic_cq_resized cq_resized;
        struct rnic_cq_info cq_info;
        struct rnic_mkey_info mkey_info;
        struct rnic_qp_info qp_info;
        struct rnic_srq_info srq_info;
    } out;
};

/* One per opcode; see the comments at enum rnic_opcode_command. */
enum rnic_status rnic_command_init(struct rnic_call *call);
enum rnic_status rnic_command_teardown(struct rnic_call *call);
enum rnic_status rnic_command_query_caps(struct rnic_call *call);
enum rnic_status rnic_command_query_counters(struct rnic_call *call);
enum rnic_status rnic_command_set_address(struct rnic_call *call);
enum rnic_status rnic_command_query_address(struct rnic_call *call);
enum rnic_status rnic_command_set_neighbour(struct rnic_call *call);
enum rnic_status rnic_command_resolve_neighbour(struct rnic_call *call);
enum rnic_status rnic_command_create_eq(struct rnic_call *call);
enum rnic_status rnic_command_destroy_eq(struct rnic_call *call);
enum rnic_status rnic_command_create_cq(struct rnic_call *call);
enum rnic_status rnic_command_destroy_cq(struct rnic_call *call);
enum rnic_status rnic_command_resize_cq(struct rnic_call *call);
enum rnic_status rnic_command_moderate_cq(struct rnic_call *call);
enum rnic_status rnic_command_query_cq(struct rnic_call *call);
enum rnic_status rnic_command_create_pd(struct rnic_call *call);
enum rnic_status rnic_command_destroy_pd(struct rnic_call *call);
enum rnic_status rnic_command_create_mkey(struct rnic_call *call);
enum rnic_status rnic_command_destroy_mkey(struct rnic_call *call);
enum rnic_status rnic_command_query_mkey(struct rnic_call *call);
enum rnic_status rnic_command_create_qp(struct rnic_call *call);
enum rnic_status rnic_command_destroy_qp(struct rnic_call *call);
enum rnic_status rnic_command_modify_qp(struct rnic_call *call);
enum rnic_status rnic_command_query_qp(struct rnic_call *call);
enum rnic_status rnic_command_create_srq(struct rnic_call *call);
enum rnic_status rnic_command_destroy_srq(struct rnic_call *call);
enum rnic_status rnic_command_modify_srq(struct rnic_call *call);
enum rnic_status rnic_command_query_srq(struct rnic_call *call);

/* Executes the command and fills its results and status, `done` excepted. */
void rnic_command_execute(struct rnic_device *device, struct rnic_command *command);

#endif
