/* The frames of a stack of an export, read from the columns that stack_columns.h writes. One
 * thread.
 */
#ifndef PROFD_PROFCTL_STACK_PATH_H
#define PROFD_PROFCTL_STACK_PATH_H

#include <stdint.h>

#include "profctl/export/export_rows.h"
#include "profctl/push/push_source.h"

/* A zeroed struct is empty. */
struct stack_path {
    struct mapped_array frames; /* uint32_t, the outermost first */
    /* For the stack at hand: */
    struct mapped_array modules; /* struct push_text: names, and then build ids */
    struct mapped_array key;     /* char: of a frame */
};

void stack_path_free(struct stack_path *path);

/* Sets PATH's frames to those of STACK, as indices of KEYS, which gets what it does not have yet.
 * Returns 0, -ENOMEM, or -EPROTO or -ENODATA for columns of something else. */
int stack_path_read(const struct export_rows *rows, uint32_t stack, struct unique_strings *keys,
                    struct stack_path *path);

/* What is known of a frame: views until the next key is added. */
struct path_frame {
    struct push_text function, library, build_id, file; /* of length 0: not known */
};

void path_frame_of(const struct unique_strings *keys, uint32_t index, struct path_frame *out);

#endif
