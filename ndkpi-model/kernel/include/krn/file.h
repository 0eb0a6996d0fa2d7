/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that drivers write with ZwCreateFile and ZwWriteFile: kept in the world, for reports.
 */
#ifndef KRN_FILE_H
#define KRN_FILE_H

#include <krn/node.h>

/* Files of the node in order of creation. Bytes live until the next run of the world. */
void krn_file_visit(struct krn_node *node,
                    void (*visit)(void *context, const char *path, const void *bytes,
                                  uint64_t count),
                    void *context);

#endif
