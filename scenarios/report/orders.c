/* SPDX-License-Identifier: Apache-2.0 */
/* See orders.h. Hashes are mixed once more, so that they are spread evenly, and are never 0. */
#include "report/orders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/file.h"

#define CAPACITY_FIRST 4096u
#define SALT UINT64_C(0x6F7264657273)
#define MAGIC "NDKORD1\n"
#define MAGIC_BYTES 8u
#define FRACTION_SHIFT 24u /* so that the product with the count stays below 2^64 */

static bool put(struct scn_orders *orders, uint64_t hash) {
    size_t at = hash & (orders->capacity - 1);

    while (orders->slots[at] != 0 && orders->slots[at] != hash)
        at = (at + 1) & (orders->capacity - 1);
    if (orders->slots[at] == hash)
        return false;
    orders->slots[at] = hash;
    orders->count++;
    return true;
}

static void make_room(struct scn_orders *orders) {
    struct scn_orders bigger = *orders;

    if (orders->count * 2 < orders->capacity)
        return;
    bigger.capacity = orders->capacity > 0 ? orders->capacity * 2 : CAPACITY_FIRST;
    bigger.count = 0;
    bigger.slots = calloc(bigger.capacity, sizeof(*bigger.slots));
    SIM_ASSERT(bigger.slots != NULL);
    for (size_t i = 0; i < orders->capacity; i++)
        if (orders->slots[i] != 0)
            put(&bigger, orders->slots[i]);
    free(orders->slots);
    *orders = bigger;
}

static int by_value(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

/* All hashes in order; the caller frees them. */
static uint64_t *sorted(const struct scn_orders *orders) {
    uint64_t *hashes = malloc((orders->count + 1) * sizeof(*hashes));
    size_t count = 0;

    SIM_ASSERT(hashes != NULL);
    for (size_t i = 0; i < orders->capacity; i++)
        if (orders->slots[i] != 0)
            hashes[count++] = orders->slots[i];
    qsort(hashes, count, sizeof(*hashes), by_value);
    return hashes;
}

/* Keeps the smallest ones. */
static void cut(struct scn_orders *orders) {
    uint64_t *hashes = sorted(orders);

    if (orders->count > SCN_ORDERS_EXACT_MAX) {
        orders->limit = hashes[SCN_ORDERS_EXACT_MAX - 1];
        orders->count = 0;
        memset(orders->slots, 0, orders->capacity * sizeof(*orders->slots));
        for (size_t i = 0; i < SCN_ORDERS_EXACT_MAX; i++)
            put(orders, hashes[i]);
    }
    free(hashes);
}

static void add_mixed(struct scn_orders *orders, uint64_t hash) {
    if (orders->limit != 0 && hash > orders->limit)
        return;
    make_room(orders);
    if (put(orders, hash) && orders->count == 2 * SCN_ORDERS_EXACT_MAX)
        cut(orders);
}

void scn_orders_add(struct scn_orders *orders, uint64_t hash) {
    uint64_t mixed = sim_hash_mix(SALT, hash);

    add_mixed(orders, mixed != 0 ? mixed : 1);
}

void scn_orders_merge(struct scn_orders *orders, const struct scn_orders *other) {
    if (other->limit != 0 && (orders->limit == 0 || other->limit < orders->limit))
        orders->limit = other->limit;
    for (size_t i = 0; i < other->capacity; i++)
        if (other->slots[i] != 0)
            add_mixed(orders, other->slots[i]);
    /* What lies above a limit that the other has is known in part only. */
    for (size_t i = 0; orders->limit != 0 && i < orders->capacity; i++)
        if (orders->slots[i] > orders->limit) {
            struct scn_orders below = {.limit = orders->limit};

            for (size_t k = 0; k < orders->capacity; k++)
                if (orders->slots[k] != 0)
                    add_mixed(&below, orders->slots[k]);
            free(orders->slots);
            *orders = below;
            return;
        }
}

void scn_orders_free(struct scn_orders *orders) {
    free(orders->slots);
    memset(orders, 0, sizeof(*orders));
}

uint64_t scn_orders_count(struct scn_orders *orders, bool *is_exact) {
    if (orders->count > SCN_ORDERS_EXACT_MAX)
        cut(orders);
    if (is_exact != NULL)
        *is_exact = orders->limit == 0;
    if (orders->limit == 0)
        return orders->count;
    /* So many hashes lie up to the limit; as many lie in each equal stretch of all 2^64 values. */
    return orders->count * (UINT64_MAX / orders->limit) +
           orders->count * (UINT64_MAX % orders->limit >> FRACTION_SHIFT) /
               ((orders->limit >> FRACTION_SHIFT) + 1);
}

int scn_orders_write(struct scn_orders *orders, const char *path) {
    struct scn_file file;
    uint64_t *hashes;
    size_t count;

    scn_orders_count(orders, NULL);
    if (!scn_file_open(&file, path))
        return file.error;
    hashes = sorted(orders);
    count = orders->count;
    fwrite(MAGIC, 1, MAGIC_BYTES, file.stream);
    fwrite(&orders->limit, sizeof(orders->limit), 1, file.stream);
    fwrite(hashes, sizeof(*hashes), count, file.stream);
    free(hashes);
    return scn_file_close(&file);
}

int scn_orders_read(struct scn_orders *orders, const char *path) {
    FILE *stream = fopen(path, "rb");
    char magic[MAGIC_BYTES];
    uint64_t hash, before = 0, limit = 0;
    size_t got = 0;
    bool is_good;

    if (stream == NULL)
        return errno;
    is_good = fread(magic, 1, MAGIC_BYTES, stream) == MAGIC_BYTES &&
              memcmp(magic, MAGIC, MAGIC_BYTES) == 0 &&
              fread(&limit, sizeof(limit), 1, stream) == 1;
    while (is_good && (got = fread(&hash, 1, sizeof(hash), stream)) == sizeof(hash)) {
        is_good = hash > before && (limit == 0 || hash <= limit);
        before = hash;
        add_mixed(orders, hash);
    }
    is_good = is_good && got == 0 && ferror(stream) == 0;
    if (limit != 0)
        orders->limit = limit;
    fclose(stream);
    return is_good ? 0 : EINVAL;
}
