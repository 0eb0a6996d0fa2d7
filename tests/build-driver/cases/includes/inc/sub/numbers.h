/* SPDX-License-Identifier: Apache-2.0 */
#include "More.h"
#define NUMBER (MORE + 1)
