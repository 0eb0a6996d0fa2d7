/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many distinct orders a campaign has tried, of any number of runs, in bounded memory: the
 * hashes themselves up to SCN_ORDERS_EXACT_MAX of them, then the SCN_ORDERS_EXACT_MAX smallest, of
 * which the largest tells how dense they all lie. Which ones are kept does not depend on the order
 * in which they come, so that sums over campaigns are what one campaign would have had.
 */
#ifndef SCN_REPORT_ORDERS_H
#define SCN_REPORT_ORDERS_H

#include <sim/base.h>

#define SCN_ORDERS_EXACT_MAX (UINT64_C(1) << 18)
/* Of an estimate: 99 % of them are within this many thousandths. */
#define SCN_ORDERS_ERROR_PER_MILLE 5u

/* All zero: empty. */
struct scn_orders {
    uint64_t *slots; /* open addressing; 0: free */
    size_t capacity;
    size_t count;
    uint64_t limit; /* hashes above are not kept; 0: all are */
};

void scn_orders_add(struct scn_orders *orders, uint64_t hash);
void scn_orders_merge(struct scn_orders *orders, const struct scn_orders *other);
void scn_orders_free(struct scn_orders *orders);

/* `is_exact` (may be NULL): the number is not an estimate. */
uint64_t scn_orders_count(struct scn_orders *orders, bool *is_exact);

/* A file of sorted hashes. Both return 0 or an errno; EINVAL: it is no such file. */
int scn_orders_write(struct scn_orders *orders, const char *path);
int scn_orders_read(struct scn_orders *orders, const char *path);

#endif
