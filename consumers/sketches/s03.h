/* SPDX-License-Identifier: Apache-2.0 */
/* S03: a connect that is given up after 20 s, while its answer is on the way. */
#ifndef SKETCHES_S03_H
#define SKETCHES_S03_H

#define CONNECT_LIMIT_MS 20000u

#endif
