/* SPDX-License-Identifier: Apache-2.0 */
/* Exact parsing of numbers with units. See units.h. */
#include "parse/units.h"

#include <string.h>

struct unit_word {
    const char *word;
    uint64_t scale;
};

static const struct unit_word durations[] = {
    {"ns", 1},           {"us", SIM_NS_PER_US},      {"ms", SIM_NS_PER_MS},
    {"s", SIM_NS_PER_S}, {"min", 60 * SIM_NS_PER_S}, {"h", 3600 * SIM_NS_PER_S},
};
static const struct unit_word sizes[] = {
    {"B", 1},
    {"KiB", UINT64_C(1) << 10},
    {"MiB", UINT64_C(1) << 20},
    {"GiB", UINT64_C(1) << 30},
    {"TiB", UINT64_C(1) << 40},
    {"kB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
};
static const struct unit_word rates[] = {
    {"bps", 1},
    {"kbps", 1000},
    {"Mbps", 1000000},
    {"Gbps", 1000000000},
    {"Tbps", UINT64_C(1000000000000)},
};
static const struct unit_word probabilities[] = {
    {"%", 10000},
    {"ppm", 1},
};
static const struct unit_word counts[] = {
    {"", 1},
};

/* A hundred years: sums of a few of them stay far from the end of the clock (584 years). */
#define DURATION_MAX_NS (UINT64_C(876000) * 3600 * SIM_NS_PER_S)

static const struct {
    const struct unit_word *words;
    size_t word_count;
    uint64_t value_max;
    const char *example;
    const char *no_number;
    const char *no_unit;
    const char *too_large;
} units[] = {
    [SCN_UNIT_DURATION] = {durations, SIM_ARRAY_COUNT(durations), DURATION_MAX_NS,
                           "a duration such as \"2us\" (ns, us, ms, s, min, h)",
                           "a duration starts with a number, as in \"2us\"",
                           "a duration ends with its unit: ns, us, ms, s, min or h",
                           "the duration is longer than 100 years"},
    [SCN_UNIT_MOMENT] = {durations, SIM_ARRAY_COUNT(durations), DURATION_MAX_NS,
                         "a time such as \"2us\" (ns, us, ms, s, min, h), or \"never\"",
                         "a time starts with a number, as in \"2us\"",
                         "a time ends with its unit: ns, us, ms, s, min or h",
                         "the time is more than 100 years away; \"never\" is further"},
    [SCN_UNIT_SIZE] = {sizes, SIM_ARRAY_COUNT(sizes), UINT64_C(1) << 50,
                       "a size such as \"64KiB\" (B, KiB, MiB, GiB, TiB, kB, MB, GB)",
                       "a size starts with a number, as in \"64KiB\"",
                       "a size ends with its unit: B, KiB, MiB, GiB, TiB, kB, MB or GB",
                       "the size is larger than 1024 TiB"},
    [SCN_UNIT_RATE] = {rates, SIM_ARRAY_COUNT(rates), UINT64_C(10000000000000),
                       "a rate such as \"100Gbps\" (bps, kbps, Mbps, Gbps, Tbps)",
                       "a rate starts with a number, as in \"100Gbps\"",
                       "a rate ends with its unit: bps, kbps, Mbps, Gbps or Tbps",
                       "the rate is above 10 Tbps"},
    [SCN_UNIT_PROBABILITY] = {probabilities, SIM_ARRAY_COUNT(probabilities), 1000000,
                              "a probability such as \"0.1%\" or \"250ppm\"",
                              "a probability starts with a number, as in \"0.1%\"",
                              "a probability ends with % or ppm", "a probability is at most 100%"},
    [SCN_UNIT_COUNT] = {counts, SIM_ARRAY_COUNT(counts), UINT64_MAX, "a whole number",
                        "a whole number has digits only (or 0x and hexadecimal digits)",
                        "a whole number has digits only (or 0x and hexadecimal digits)",
                        "the number does not fit in 64 bits"},
};

const char *scn_unit_example(enum scn_unit unit) {
    return units[unit].example;
}

static const char *parse_hexadecimal(const char *text, uint64_t *value) {
    uint64_t number = 0;

    if (*text == '\0')
        return units[SCN_UNIT_COUNT].no_number;
    for (; *text != '\0'; text++) {
        const char *digits = "0123456789abcdef", *digit;
        char lower = (char)(*text >= 'A' && *text <= 'F' ? *text + ('a' - 'A') : *text);

        digit = strchr(digits, lower);
        if (digit == NULL)
            return units[SCN_UNIT_COUNT].no_number;
        if (number >> 60 != 0)
            return units[SCN_UNIT_COUNT].too_large;
        number = number << 4 | (uint64_t)(digit - digits);
    }
    *value = number;
    return NULL;
}

/* number = whole + fraction / divisor, all exact; returns the first character behind it. */
static const char *scan_number(const char *text, uint64_t *whole, uint64_t *fraction,
                               uint64_t *divisor) {
    const char *at = text;

    *whole = 0;
    *fraction = 0;
    *divisor = 1;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');

        if (*whole > (UINT64_MAX - digit) / 10)
            return NULL;
        *whole = *whole * 10 + digit;
    }
    if (*at != '.' || at == text)
        return at;
    for (at++; *at >= '0' && *at <= '9'; at++) {
        if (at - text > 40 || *divisor > UINT64_C(100000000000))
            return NULL;
        *fraction = *fraction * 10 + (uint64_t)(*at - '0');
        *divisor *= 10;
    }
    return at;
}

const char *scn_unit_parse(enum scn_unit unit, const char *text, uint64_t *value) {
    uint64_t whole, fraction, divisor, part;
    const char *rest;

    if (unit == SCN_UNIT_MOMENT && strcmp(text, "never") == 0) {
        *value = SIM_TIME_NEVER;
        return NULL;
    }
    if (unit == SCN_UNIT_COUNT && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return parse_hexadecimal(text + 2, value);
    rest = scan_number(text, &whole, &fraction, &divisor);
    if (rest == NULL)
        return units[unit].too_large;
    if (rest == text)
        return units[unit].no_number;
    for (size_t i = 0; i < units[unit].word_count; i++) {
        const struct unit_word *word = &units[unit].words[i];
        if (strcmp(rest, word->word) != 0)
            continue;
        if (whole > units[unit].value_max / word->scale)
            return units[unit].too_large;
        if (fraction != 0 && word->scale > UINT64_MAX / fraction)
            return units[unit].too_large;
        part = fraction * word->scale;
        if (part % divisor != 0)
            return "the fraction is finer than the smallest unit";
        *value = whole * word->scale + part / divisor;
        return *value > units[unit].value_max ? units[unit].too_large : NULL;
    }
    return units[unit].no_unit;
}
