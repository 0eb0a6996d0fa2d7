/* SPDX-License-Identifier: Apache-2.0 */
/* See limits.h. */
#include "run/limits.h"

#include <stdio.h>
#include <string.h>

enum limit_kind {
    LIMIT_NUMBER,
    LIMIT_POWER, /* of two: tables and rings */
    LIMIT_MTU,   /* bytes in the scenario, a code in the device */
    LIMIT_FLAG,  /* something that the device can do, or not */
};

struct limit {
    const char *name;
    size_t offset;
    enum limit_kind kind;
    uint32_t most; /* of a flag: RNIC_CAP_* */
};
#define LIMIT(field, kind, most)                                                                   \
    { #field, offsetof(struct rnic_config, field), kind, most }

#define FLAG(name, bit)                                                                            \
    { name, offsetof(struct rnic_config, cap_flags), LIMIT_FLAG, bit }

#define TABLE_MAX (1u << 20)
#define RING_MAX (1u << 16)
#define MTU_LEAST 256u
#define MTU_MOST 4096u

static const struct limit limits[] = {
    LIMIT(qp_count_max, LIMIT_POWER, TABLE_MAX),
    LIMIT(cq_count_max, LIMIT_POWER, TABLE_MAX),
    LIMIT(eq_count_max, LIMIT_POWER, RNIC_VECTOR_COUNT_MAX),
    LIMIT(srq_count_max, LIMIT_POWER, TABLE_MAX),
    LIMIT(pd_count_max, LIMIT_POWER, TABLE_MAX),
    LIMIT(mkey_count_max, LIMIT_POWER, TABLE_MAX),
    LIMIT(sq_entry_count_max, LIMIT_POWER, RING_MAX),
    LIMIT(rq_entry_count_max, LIMIT_POWER, RING_MAX),
    LIMIT(srq_entry_count_max, LIMIT_POWER, RING_MAX),
    LIMIT(cq_entry_count_max, LIMIT_POWER, RING_MAX),
    LIMIT(sge_count_max, LIMIT_NUMBER, RNIC_SGE_COUNT_LIMIT),
    LIMIT(read_sge_count_max, LIMIT_NUMBER, RNIC_SGE_COUNT_LIMIT),
    LIMIT(inline_bytes_max, LIMIT_NUMBER, 1024),
    LIMIT(mkey_page_count_max, LIMIT_NUMBER, TABLE_MAX),
    LIMIT(fast_reg_page_count_max, LIMIT_NUMBER, TABLE_MAX),
    LIMIT(message_bytes_max, LIMIT_NUMBER, 1u << 30),
    LIMIT(reads_out_max, LIMIT_NUMBER, 255),
    LIMIT(reads_in_max, LIMIT_NUMBER, 255),
    LIMIT(reads_out_total_max, LIMIT_NUMBER, UINT16_MAX),
    LIMIT(reads_in_total_max, LIMIT_NUMBER, UINT16_MAX),
    LIMIT(vector_count, LIMIT_NUMBER, RNIC_VECTOR_COUNT_MAX),
    LIMIT(window_packets, LIMIT_NUMBER, 1u << 22),
    LIMIT(ack_interval_packets, LIMIT_NUMBER, 1u << 22),
    LIMIT(path_mtu_max, LIMIT_MTU, MTU_MOST),
    FLAG("srq", RNIC_CAP_SRQ),
    FLAG("cq_resize", RNIC_CAP_CQ_RESIZE),
    FLAG("cq_moderation", RNIC_CAP_CQ_MODERATION),
    FLAG("windows", RNIC_CAP_MW_TYPE_2),
    FLAG("read_invalidate", RNIC_CAP_READ_INVALIDATE),
    FLAG("read_sink_required", RNIC_CAP_READ_SINK_REQUIRED),
    FLAG("in_order_dma", RNIC_CAP_IN_ORDER_DMA),
};

const char *scn_limit_name(size_t index) {
    return index < SIM_ARRAY_COUNT(limits) ? limits[index].name : NULL;
}

const char *scn_limit_bounds(size_t index, char *text, size_t size) {
    switch (limits[index].kind) {
    case LIMIT_NUMBER:
        snprintf(text, size, "1 to %u", limits[index].most);
        break;
    case LIMIT_POWER:
        snprintf(text, size, "a power of two, 1 to %u", limits[index].most);
        break;
    case LIMIT_MTU:
        snprintf(text, size, "256, 512, 1024, 2048 or 4096");
        break;
    case LIMIT_FLAG:
        snprintf(text, size, "0 or 1");
        break;
    }
    return text;
}

static bool is_good(const struct limit *limit, uint64_t number) {
    if (limit->kind == LIMIT_FLAG)
        return number <= 1;
    if (number < (limit->kind == LIMIT_MTU ? MTU_LEAST : 1) || number > limit->most)
        return false;
    return limit->kind == LIMIT_NUMBER || (number & (number - 1)) == 0;
}

static void put(struct rnic_config *config, const struct limit *limit, uint32_t number) {
    uint8_t code = 1;

    if (limit->kind == LIMIT_FLAG) {
        config->cap_flags =
            number != 0 ? config->cap_flags | limit->most : config->cap_flags & ~limit->most;
        return;
    }
    if (limit->kind != LIMIT_MTU) {
        memcpy((char *)config + limit->offset, &number, sizeof(number));
        return;
    }
    while (MTU_LEAST << (code - 1) < number)
        code++;
    *((uint8_t *)config + limit->offset) = code;
}

static void no_limit(const char *name, const struct scn_value *value,
                     struct scn_diagnostics *diagnostics) {
    const char *names[SIM_ARRAY_COUNT(limits)], *nearest;

    for (size_t i = 0; i < SIM_ARRAY_COUNT(limits); i++)
        names[i] = limits[i].name;
    nearest = scn_nearest(name, names, SIM_ARRAY_COUNT(limits));
    if (nearest != NULL)
        scn_diagnose_value(diagnostics, value, true,
                           "there is no limit \"%s\"; did you mean \"%s\"?", name, nearest);
    else
        scn_diagnose_value(diagnostics, value, true,
                           "there is no limit \"%s\" (ndksim list limits)", name);
}

static void set_limit(struct rnic_config *config, const struct scn_setting *setting,
                      const struct scn_value *value, struct scn_diagnostics *diagnostics) {
    char bounds[64];

    for (size_t i = 0; i < SIM_ARRAY_COUNT(limits); i++) {
        if (strcmp(limits[i].name, setting->name) != 0)
            continue;
        if (is_good(&limits[i], setting->number))
            put(config, &limits[i], (uint32_t)setting->number);
        else
            scn_diagnose_value(diagnostics, value, false, "%llu is out of bounds; expected %s",
                               (unsigned long long)setting->number,
                               scn_limit_bounds(i, bounds, sizeof(bounds)));
        return;
    }
    no_limit(setting->name, value, diagnostics);
}

void scn_set_limits(const struct scn_adapter *adapter, struct rnic_config *config,
                    struct scn_diagnostics *diagnostics) {
    const struct scn_value *source = scn_member(adapter->source, "limits");

    for (uint32_t i = 0; i < adapter->limits.count; i++) {
        const struct scn_setting *setting = &adapter->limits.entries[i];

        set_limit(config, setting, scn_member(source, setting->name), diagnostics);
    }
}
