/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory keys: protection and translation. A key is index << 8 | variant; the index is the entry's
 * number in the table.
 *
 *   REGION      VALID from creation to destruction; CLOSING while accesses that are under way end
 *   FAST_REG    FREE --FAST_REG--> VALID --LOCAL_INV, SEND_INV, READ with invalidate--> FREE
 *   WINDOW_2    FREE --BIND_MW--> VALID --same--> FREE
 *   WINDOW_1    FREE --BIND_MW--> VALID --BIND_MW--> VALID; --BIND_MW of length 0--> FREE
 *   PRIVILEGED  VALID; addresses are DMA addresses; local only
 */
#ifndef RNIC_MKEY_H
#define RNIC_MKEY_H

#include <rnic_hw/rnic.h>

#include "pages.h"
#include "table.h"

struct rnic_device;
struct rnic_qp;

struct rnic_mkey {
    uint32_t number;
    uint32_t pdn;
    uint32_t rights;
    uint32_t bound_count; /* windows bound to it */
    uint64_t base;
    uint64_t length;
    struct rnic_page_list list; /* FAST_REG: room for its limit */
    uint32_t region;            /* window: index of the region bound to; 0: none */
    uint32_t qpn;               /* WINDOW_2: whose QP it is bound through */
    uint8_t variant;
    uint8_t kind;  /* enum rnic_mkey_kind */
    uint8_t state; /* enum rnic_mkey_state */
    bool remote_enable;
};

struct rnic_pd {
    uint32_t number;
    uint32_t used; /* keys, QPs and SRQs in it */
    struct rnic_mkey *privileged;
};

static inline uint32_t rnic_mkey_key(const struct rnic_mkey *mkey) {
    return mkey->number << 8 | mkey->variant;
}

/* A range that was checked, to be moved through within the current step. */
struct rnic_mapping {
    const uint64_t *pages; /* NULL: `offset` is a DMA address */
    uint64_t offset;       /* from the start of the first page */
};

/* What is asked of a key. */
struct rnic_access {
    uint64_t address;
    uint64_t bytes;
    uint32_t key;
    uint32_t pdn;
    uint32_t qpn;
    uint32_t rights; /* RNIC_RIGHT_*; 0: local read */
    bool begins;     /* first of its message: not through a key that is CLOSING */
};

/* Local use (lkey) and remote use (rkey). NONE and a mapping, or KEY_*. */
enum rnic_syndrome rnic_mkey_check_local(struct rnic_device *device,
                                         const struct rnic_access *access,
                                         struct rnic_mapping *mapping);
enum rnic_syndrome rnic_mkey_check_remote(struct rnic_device *device,
                                          const struct rnic_access *access,
                                          struct rnic_mapping *mapping);

/* Move bytes; false on a DMA error, with what lies before it moved. */
bool rnic_mapping_read(struct rnic_device *device, const struct rnic_mapping *mapping, uint8_t *to,
                       uint64_t bytes);
bool rnic_mapping_write(struct rnic_device *device, const struct rnic_mapping *mapping,
                        const uint8_t *from, uint64_t bytes);

/*
 * Move part of a scatter-gather list: bytes [offset, offset + bytes) of it. NONE, KEY_*, DMA, or
 * WQE when the list is too short.
 */
struct rnic_sgl {
    const struct rnic_sge *entries;
    uint32_t count;
    uint32_t pdn;
};
enum rnic_syndrome rnic_sgl_gather(struct rnic_device *device, const struct rnic_sgl *sgl,
                                   uint64_t offset, uint8_t *to, uint64_t bytes);
enum rnic_syndrome rnic_sgl_scatter(struct rnic_device *device, const struct rnic_sgl *sgl,
                                    uint64_t offset, const uint8_t *from, uint64_t bytes,
                                    uint32_t rights);
static inline uint64_t rnic_sgl_bytes(const struct rnic_sgl *sgl) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < sgl->count; i++)
        bytes += sgl->entries[i].bytes;
    return bytes;
}

/* Objects; see the commands of the same names. */
enum rnic_status rnic_pd_create(struct rnic_device *device, uint32_t *number, uint32_t *key);
enum rnic_status rnic_pd_destroy(struct rnic_device *device, uint32_t number);
struct rnic_pd *rnic_pd_find(struct rnic_device *device, uint32_t number);
enum rnic_status rnic_mkey_create(struct rnic_device *device, const struct rnic_mkey_create *create,
                                  struct rnic_mkey **mkey);
enum rnic_status rnic_mkey_destroy(struct rnic_device *device, uint32_t number, bool drains);
enum rnic_status rnic_mkey_query(struct rnic_device *device, uint32_t number,
                                 struct rnic_mkey_info *info);
void rnic_mkeys_reset(struct rnic_device *device);
/* mkey_use.c: some message that has begun and not ended goes through the key. */
bool rnic_mkey_is_used(struct rnic_device *device, const struct rnic_mkey *mkey);
/* A list may begin to be used: none of its keys is CLOSING. */
bool rnic_sgl_may_begin(struct rnic_device *device, const struct rnic_sgl *sgl);
/* Known bits only, and no remote write without local write. */
bool rnic_region_rights_legal(uint32_t rights);

/* Work requests on keys (mkey_work.c). NONE or the cause. */
enum rnic_syndrome rnic_mkey_register(struct rnic_qp *qp, const struct rnic_wqe_fast_reg *wqe);
enum rnic_syndrome rnic_mkey_bind(struct rnic_qp *qp, const struct rnic_wqe_bind *wqe);
enum rnic_syndrome rnic_mkey_may_invalidate(struct rnic_qp *qp, uint32_t key);
enum rnic_syndrome rnic_mkey_invalidate(struct rnic_qp *qp, uint32_t key, bool by_peer);

#endif
