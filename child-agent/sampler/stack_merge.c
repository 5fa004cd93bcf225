#include "child-agent/sampler/stack_merge.h"

static struct stack_frame label_frame(const struct snapshot_label *label)
{
    return (struct stack_frame){ .value = label->site, .is_label = true };
}

size_t stack_merge(const struct unwind_frame *native, size_t native_count,
                   const struct snapshot_label *labels, size_t label_count, struct stack_frame *out,
                   size_t capacity)
{
    size_t surplus =
        native_count + label_count > capacity ? native_count + label_count - capacity : 0;
    size_t next_label = 0, written = 0;

    for (size_t i = native_count; i-- > 0;) {
        /* A label at or above a frame's CFA was pushed by one of its callers. */
        while (next_label < label_count &&
               labels[next_label].stack_address >= native[i].stack_address) {
            if (surplus > 0)
                surplus--;
            else
                out[written++] = label_frame(&labels[next_label]);
            next_label++;
        }
        if (surplus > 0)
            surplus--;
        else
            out[written++] = (struct stack_frame){ .value = native[i].address, .is_label = false };
    }
    for (; next_label < label_count; next_label++) {
        if (surplus > 0)
            surplus--;
        else
            out[written++] = label_frame(&labels[next_label]);
    }
    return written;
}
