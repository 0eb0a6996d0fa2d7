/* SPDX-License-Identifier: Apache-2.0 */
/* Older name of the annotation headers. */
#ifndef NDKSIM_WDK_SPECSTRINGS_H
#define NDKSIM_WDK_SPECSTRINGS_H

#include "driverspecs.h"
#include "sal.h"

#endif
