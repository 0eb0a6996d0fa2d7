/* SPDX-License-Identifier: Apache-2.0 */
/* NDIS for a miniport that is an RDMA provider. The parts are in ndis/. */
#ifndef NDKSIM_WDK_NDIS_H
#define NDKSIM_WDK_NDIS_H

#include "ndis/hardware.h"
#include "ndis/miniport.h"
#include "ndis/oid.h"
#include "ndis/types.h"
#include "netpnp.h"
#include "ntddndis.h"
#include "wdm.h"

/* The version that a miniport states, chosen by NDISxxx_MINIPORT as in a real build. */
#define NDIS_MINIPORT_MAJOR_VERSION 6
#ifndef NDIS_MINIPORT_MINOR_VERSION
#if defined(NDIS630_MINIPORT)
#define NDIS_MINIPORT_MINOR_VERSION 30
#elif defined(NDIS640_MINIPORT)
#define NDIS_MINIPORT_MINOR_VERSION 40
#elif defined(NDIS650_MINIPORT)
#define NDIS_MINIPORT_MINOR_VERSION 50
#elif defined(NDIS680_MINIPORT)
#define NDIS_MINIPORT_MINOR_VERSION 80
#else
#define NDIS_MINIPORT_MINOR_VERSION 86
#endif
#endif

#endif
