#include "profctl/tables/thread_callers.h"

#include <errno.h>
#include <string.h>

static bool is_native(const struct thread_tables *tables, const struct table_stack *stack)
{
    uint64_t address;

    return thread_tables_address(tables, thread_tables_frame(tables, stack->frame)->location,
                                 &address);
}

/* Stacks come after their prefixes, so one pass from the end sees callees first. */
int thread_callers_mark(const struct thread_tables *tables, struct mapped_array *is_caller)
{
    size_t count = tables->stacks.count;
    bool *marks;

    if (mapped_array_reserve(is_caller, count + 1, sizeof(bool)) < 0)
        return -ENOMEM;
    marks = is_caller->items;
    memset(marks, 0, count * sizeof(bool));
    for (size_t i = count; i-- > 0;) {
        const struct table_stack *stack = thread_tables_stack(tables, (uint32_t)i);

        if (stack->prefix != TABLE_NONE && (marks[i] || is_native(tables, stack)))
            marks[stack->prefix] = true;
    }
    return 0;
}
