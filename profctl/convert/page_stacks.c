#include "profctl/convert/page_stacks.h"

#include <errno.h>
#include <string.h>

void page_stacks_init(struct page_stacks *stacks)
{
    *stacks = (struct page_stacks){ 0 };
    failure_latch_init(&stacks->latch);
    unique_strings_init(&stacks->pairs, &stacks->latch);
}

void page_stacks_fini(struct page_stacks *stacks)
{
    unique_strings_fini(&stacks->pairs);
    mapped_array_free(&stacks->numbers);
    mapped_array_free(&stacks->are_used);
}

/* Those of samples, and what they continue: that stands before them. */
static void mark_used(struct page_stacks *stacks, const struct profile_thread *thread)
{
    bool *are_used = stacks->are_used.items;

    memset(are_used, 0, thread->tables->stacks.count * sizeof(bool));
    for (size_t i = 0; i < thread->sample_count; i++) {
        if (thread->samples[i].stack != TABLE_NONE)
            are_used[thread->samples[i].stack] = true;
    }
    for (size_t i = thread->tables->stacks.count; i-- > 0;) {
        uint32_t prefix = thread_tables_stack(thread->tables, (uint32_t)i)->prefix;
        if (are_used[i] && prefix != TABLE_NONE)
            are_used[prefix] = true;
    }
}

int page_stacks_take(struct page_stacks *stacks, const struct thread_stacks *names,
                     const struct profile_thread *thread)
{
    size_t count = thread->tables->stacks.count;
    int error = mapped_array_reserve(&stacks->numbers, count + 1, sizeof(uint32_t));

    if (error == 0)
        error = mapped_array_reserve(&stacks->are_used, count + 1, sizeof(bool));
    if (error < 0)
        return error;
    mark_used(stacks, thread);
    const bool *are_used = stacks->are_used.items;
    uint32_t *numbers = stacks->numbers.items;
    for (uint32_t i = 0; i < count; i++) {
        const struct table_stack *row = thread_tables_stack(thread->tables, i);
        const struct page_stack stack = {
            .prefix = row->prefix != TABLE_NONE ? numbers[row->prefix] : TABLE_NONE,
            .name = thread_stacks_name(names, i),
            .script = thread_tables_frame(thread->tables, row->frame)->script,
        };
        if (!are_used[i])
            continue;
        numbers[i] = unique_strings_add(&stacks->pairs, (const char *)&stack, sizeof(stack));
        if (numbers[i] == UNIQUE_NONE)
            return -ENOMEM;
    }
    return 0;
}

uint32_t page_stacks_number(const struct page_stacks *stacks, uint32_t stack)
{
    return ((const uint32_t *)stacks->numbers.items)[stack];
}

uint32_t page_stacks_count(const struct page_stacks *stacks)
{
    return unique_strings_count(&stacks->pairs);
}

struct page_stack page_stacks_at(const struct page_stacks *stacks, uint32_t number)
{
    struct page_stack stack;
    size_t length;

    memcpy(&stack, unique_strings_get(&stacks->pairs, number, &length), sizeof(stack));
    return stack;
}
