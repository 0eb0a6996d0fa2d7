/* SPDX-License-Identifier: Apache-2.0 */
/* Page frames that MDLs lock, counted; and the check of what a device may reach. */
#ifndef KRN_PINS_H
#define KRN_PINS_H

#include "kernel.h"

void krn_pin(struct krn_world *krn, uint64_t frame, bool pin);
/* Installs the check of DMA: only live memory that does not page. */
void krn_dma_check_install(struct krn_world *krn);

#endif
