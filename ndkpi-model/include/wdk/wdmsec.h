/* SPDX-License-Identifier: Apache-2.0 */
/* IoCreateDeviceSecure, where drivers look for it. Descriptors are accepted, not interpreted. */
#ifndef NDKSIM_WDK_WDMSEC_H
#define NDKSIM_WDK_WDMSEC_H

#include "wdm.h"

#endif
