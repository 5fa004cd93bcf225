/* The frames of a stack of an export, read from the columns that stack_columns.h writes. One
 * thread.
 */
#ifndef PROFD_PROFCTL_STACK_PATH_H
#define PROFD_PROFCTL_STACK_PATH_H

#include <stdint.h>

#include "profctl/export/export_rows.h"

/* Sets PATH (uint32_t) to the frames of STACK, the outermost first, as indices of NAMES, which gets
 * what it does not have yet. 0, -ENOMEM, or -EPROTO or -ENODATA for columns of something else. */
int stack_path_read(const struct export_rows *rows, uint32_t stack, struct unique_strings *names,
                    struct mapped_array *path);

#endif
