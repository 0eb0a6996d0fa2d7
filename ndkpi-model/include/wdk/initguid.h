/* SPDX-License-Identifier: Apache-2.0 */
/* Makes every DEFINE_GUID that follows in this source file a definition. */
#ifndef NDKSIM_WDK_INITGUID_H
#define NDKSIM_WDK_INITGUID_H

#define INITGUID
#include "guiddef.h"

#endif
