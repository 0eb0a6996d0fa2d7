/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses as people write them. The host's resolver is not asked: no names, no zones. */
#ifndef SCN_MODEL_ADDRESS_H
#define SCN_MODEL_ADDRESS_H

#include "model/scenario.h"

/* "10.0.0.1/24", "fd00::1" (prefix 24 and 64 when absent); NULL or what is wrong, static text. */
const char *scn_ip_parse(const char *text, struct scn_ip *ip);

/* Six hexadecimal bytes with ':' or '-'; false for anything else and for group addresses. */
bool scn_mac_parse(const char *text, uint8_t mac[6]);

#endif
