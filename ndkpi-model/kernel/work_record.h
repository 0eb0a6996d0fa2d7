/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a work item of a driver. */
#ifndef KRN_WORK_RECORD_H
#define KRN_WORK_RECORD_H

#include "record.h"
#include "work.h"

struct krn_work_record {
    struct krn_duty duty; /* first */
    struct krn_work work;
};

#endif
