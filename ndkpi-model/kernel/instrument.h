/* SPDX-License-Identifier: Apache-2.0 */
/* Modules that call the program at their loads and stores; see instrument.c. */
#ifndef KRN_INSTRUMENT_H
#define KRN_INSTRUMENT_H

#include <sim/base.h>

/* Whether such a module was opened since this was asked last. */
bool krn_instrument_take(void);

#endif
