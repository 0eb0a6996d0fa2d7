/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of establishing connections that need a look at both sides: R-EP-05, R-OWN-17. */
#ifndef VRF_ESTABLISH_H
#define VRF_ESTABLISH_H

#include "world.h"

/* Whether a request to `destination` reaches who listens on `listening`; VRF_ADDRESS_BYTES each. */
bool vrf_address_reaches(const uint8_t *destination, const uint8_t *listening);

#endif
