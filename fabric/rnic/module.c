/* SPDX-License-Identifier: Apache-2.0 */
/* What a module of this device shows; the program itself has the table without it. */
#include <rnic/model.h>

DEVICE_EXPORT(rnic_model)
