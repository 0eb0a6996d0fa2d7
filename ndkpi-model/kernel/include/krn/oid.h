/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OIDs by name, and what their answers hold, for scenarios and reports. Members have the names of
 * the structures' members ("Connect", "Header.Size", "ifHCInOctets"); an OID of a plain number has
 * one member, "value".
 */
#ifndef KRN_OID_H
#define KRN_OID_H

#include <sim/base.h>

/* 0: no such name. */
uint32_t krn_oid_by_name(const char *name);
/* NULL past the end. */
const char *krn_oid_name_at(size_t index);

/* The index-th member of the OID's answer, NULL past the end. */
const char *krn_oid_member_at(uint32_t oid, size_t index);
/* False: the OID has no such member, or the answer is too short for it. */
bool krn_oid_member(uint32_t oid, const char *member, const void *answer, uint64_t bytes,
                    uint64_t *value);

#define KRN_OID_ENTRY_BYTES 160u
/*
 * The index-th entry of a list as text; false past the end, or when the OID has no entries.
 *   connections      "10.0.0.2:445 10.0.0.1:49152"
 *   local endpoints  "10.0.0.2:445 listener", "10.0.0.2:5000 shared"
 * "tcp" stands before the odd entries of a mapped list, "user" behind those of a user-mode owner.
 */
bool krn_oid_entry(uint32_t oid, const void *answer, uint64_t bytes, uint32_t index,
                   char text[KRN_OID_ENTRY_BYTES]);
bool krn_oid_has_entries(uint32_t oid);

#endif
