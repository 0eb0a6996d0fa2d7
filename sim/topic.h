/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How choices are named: the hash of a topic, and options that share a label.
 */
#ifndef SIM_TOPIC_H
#define SIM_TOPIC_H

#include <string.h>

#include <sim/base.h>
#include <sim/choice.h>

/*
 * 0 for NULL and for "". Eight bytes at a time: it is taken on the path of every packet. The bytes
 * are put together by value: equal on every host.
 */
static inline uint64_t sim_topic_hash(const char *topic) {
    uint64_t hash = 0;
    size_t length = topic == NULL ? 0 : strlen(topic);

    for (size_t at = 0; at < length; at += 8) {
        size_t count = length - at < 8 ? length - at : 8;
        uint64_t word = 0;

        for (size_t i = 0; i < count; i++) {
            word |= (uint64_t)(unsigned char)topic[at + i] << (8 * i);
        }
        hash = sim_hash_mix(hash, word);
    }
    return hash;
}

/* How many options before the `taken`-th one have its label. Labels only. */
static inline uint32_t sim_option_twin(const struct sim_choice *choice, uint32_t taken) {
    const char *label = choice->options[taken].label;
    uint32_t twin = 0;

    for (uint32_t i = 0; i < taken; i++) {
        const char *other = choice->options[i].label;

        twin += other != NULL && (other == label || strcmp(other, label) == 0);
    }
    return twin;
}

#endif
