/* SPDX-License-Identifier: Apache-2.0 */
/* Where drivers look for the address conversions. */
#ifndef NDKSIM_WDK_MSTCPIP_H
#define NDKSIM_WDK_MSTCPIP_H

#include "ip2string.h"
#include "ws2ipdef.h"

#endif
