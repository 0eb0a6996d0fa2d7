/* SPDX-License-Identifier: Apache-2.0 */
/* S01: a connect is given up after 15 s; its completion comes later. */
#ifndef SKETCHES_S01_H
#define SKETCHES_S01_H

#define CONNECT_LIMIT_MS 15000u
#define AFTERWARDS_MS 1000u

#endif
