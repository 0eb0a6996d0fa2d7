/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a node: kept in the world, shown in the run's report, never on the host's disk. */
#ifndef KRN_FILE_PRIVATE_H
#define KRN_FILE_PRIVATE_H

#include <krn/file.h>

#include "kernel.h"

struct krn_open_file;
void krn_file_close(struct krn_node *node, struct krn_open_file *open);

#endif
