/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timer and count codes of the InfiniBand headers, in nanoseconds and bytes. Integers only.
 */
#ifndef WIRE_TIMERS_H
#define WIRE_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#define WIRE_TIMER_CODE_COUNT 32
#define WIRE_RETRY_COUNT_MAX 7
#define WIRE_RNR_RETRY_FOREVER 7
#define WIRE_CREDIT_CODE_UNLIMITED 31
#define WIRE_CREDIT_UNLIMITED UINT32_MAX

/* Local ACK timeout: 4.096 us * 2^code; code 0 means never and gives 0. Only 5 bits count. */
uint64_t wire_ack_timeout_ns(uint8_t code);

/* Smallest code whose timeout is at least `ns`, 31 when none is; never 0. */
uint8_t wire_ack_timeout_code(uint64_t ns);

/* CM response timeout, MRA service timeout, packet life time: 4.096 us * 2^code, also for code 0.
 */
uint64_t wire_cm_timeout_ns(uint8_t code);

/* Smallest code whose timeout is at least `ns`, 31 when none is. */
uint8_t wire_cm_timeout_code(uint64_t ns);

/* RNR NAK timer. Code 0 is the longest, 655.36 ms; then 10 us at code 1 up to 491.52 ms at 31. */
uint64_t wire_rnr_timer_ns(uint8_t code);

/* Code of the shortest timer that is at least `ns`; 0 when only the longest will do. */
uint8_t wire_rnr_timer_code(uint64_t ns);

/* End-to-end credits of an ACK syndrome; WIRE_CREDIT_UNLIMITED for code 31. */
uint32_t wire_credit_count(uint8_t code);

/* Path MTU codes 1..5 are 256..4096 bytes; 0 for any other code, and for any other size. */
uint32_t wire_mtu_bytes(uint8_t code);
uint8_t wire_mtu_code(uint32_t bytes);

/* Largest IB path MTU whose WRITE with immediate fits an IP MTU; 0 when not even 256 does. */
uint32_t wire_mtu_for_link(uint32_t ip_mtu_bytes, bool is_ipv6);

#endif
