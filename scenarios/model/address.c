/* SPDX-License-Identifier: Apache-2.0 */
/* See address.h. inet_pton does the parsing; this adds prefixes and the checks of a simulation. */
#include "model/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static const char *parse_prefix(const char *slash, uint32_t bits_max, uint8_t *bits) {
    uint32_t number = 0;

    if (slash[1] == '\0' || strlen(slash + 1) > 3)
        return "the prefix length is no number";
    for (const char *at = slash + 1; *at != '\0'; at++) {
        if (*at < '0' || *at > '9')
            return "the prefix length is no number";
        number = number * 10 + (uint32_t)(*at - '0');
    }
    if (number < 1 || number > bits_max)
        return "the prefix length is out of range";
    *bits = (uint8_t)number;
    return NULL;
}

static const char *check_unicast(const struct scn_ip *ip) {
    static const uint8_t zero[16], loopback[16] = {[15] = 1};

    if (ip->version == 4)
        return ip->bytes[0] == 0 || ip->bytes[0] == 127 || ip->bytes[0] >= 224
                   ? "no unicast address of an adapter"
                   : NULL;
    return ip->bytes[0] == 0xFF || memcmp(ip->bytes, zero, 16) == 0 ||
                   memcmp(ip->bytes, loopback, 16) == 0
               ? "no unicast address of an adapter"
               : NULL;
}

const char *scn_ip_parse(const char *text, struct scn_ip *ip) {
    const char *slash = strchr(text, '/'), *wrong = NULL;
    char address[64];

    memset(ip, 0, sizeof(*ip));
    if (strlen(text) >= sizeof(address))
        return "too long";
    snprintf(address, sizeof(address), "%.*s", slash != NULL ? (int)(slash - text) : 63, text);
    if (inet_pton(AF_INET, address, ip->bytes) == 1) {
        ip->version = 4;
        ip->prefix_bits = 24;
    } else if (inet_pton(AF_INET6, address, ip->bytes) == 1) {
        ip->version = 6;
        ip->prefix_bits = 64;
    } else {
        return "not an IP address";
    }
    if (slash != NULL)
        wrong = parse_prefix(slash, ip->version == 4 ? 32 : 128, &ip->prefix_bits);
    return wrong != NULL ? wrong : check_unicast(ip);
}

static int digit_value(char digit) {
    const char *digits = "0123456789abcdef", *found;
    char lower = (char)(digit >= 'A' && digit <= 'F' ? digit + ('a' - 'A') : digit);

    found = lower != '\0' ? strchr(digits, lower) : NULL;
    return found != NULL ? (int)(found - digits) : -1;
}

bool scn_mac_parse(const char *text, uint8_t mac[6]) {
    if (strlen(text) != 17)
        return false;
    for (uint32_t i = 0; i < 6; i++) {
        int high = digit_value(text[i * 3]), low = digit_value(text[i * 3 + 1]);

        if (high < 0 || low < 0 || (i < 5 && text[i * 3 + 2] != ':' && text[i * 3 + 2] != '-'))
            return false;
        mac[i] = (uint8_t)(high << 4 | low);
    }
    return (mac[0] & 1) == 0;
}
